"""Documents into files, in any format that can be written (``formats``).

What a format cannot hold is reported. A document that cannot be written is reported as dropped; the others are still
written.

Below stands what writers share: all entities of a document, and relations as labels that read back as the same
relation.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import IO, TYPE_CHECKING

from temporacle.errors import InputError, LabelError, UsageError, spelled, unknown
from temporacle.io.files import atomic, original_name, safe_name
from temporacle.io.formats import WRITERS, plugin_formats
from temporacle.io.source import strip_suffixes
from temporacle.io.timeml.extras import KEY
from temporacle.model import Action, Entity, Kind, Remark
from temporacle.printing import shown
from temporacle.readings import load_reading

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from temporacle.io.formats import Format, Report
    from temporacle.model import Document, Link


__all__ = ["STANDARD_OUTPUT", "WRITERS", "is_folder", "write", "writer_for", "writer_named"]

STANDARD_OUTPUT = "-"


def writer_named(name: str) -> Format:
    """Return the writer of that name. Raise UsageError with the known names if there is none."""
    if (found := WRITERS.get(name)) is not None:
        return found
    if (added := next((entry for entry in plugin_formats() if entry.name == name and entry.writer), None)) is not None:
        return added
    raise unknown("format to write", name, WRITERS)


def writer_for(path: str) -> Format:
    """Return the writer for the suffix of a file name."""
    for writer in WRITERS.values():
        if path.lower().endswith(writer.suffixes):
            return writer
    for added in plugin_formats():
        if added.writer and path.lower().endswith(added.suffixes):
            return added
    raise UsageError(
        f"the name {path} has no suffix of a known format: choose one with {spelled('to')}: {', '.join(WRITERS)}"
    )


def write(
    documents: Iterable[Document], path: str | os.PathLike[str], format_name: str, report: Report | None = None
) -> int:
    """Write documents to a file, or to a folder with one file for each; returns how many were written.

    ``path`` is a folder if it is one already, ends with a slash, or has no suffix; ``-`` is standard output. If there
    is nothing to write, no file is made, and one that is there already stays.
    """
    writer = writer_named(format_name)
    name = os.fspath(path)
    tell = report or (lambda _remark: None)
    if name == STANDARD_OUTPUT:
        return _write_all(documents, sys.stdout, writer, tell, name)
    if is_folder(name):
        return _write_each(documents, name, writer, tell)
    count = 0
    with suppress(_NothingWrittenError), atomic(name) as file:
        count = _write_all(documents, file, writer, tell, name)
        if not count:
            raise _NothingWrittenError
    return count


class _NothingWrittenError(Exception):
    """Leaves the file that was begun without making it."""


def is_folder(path: str) -> bool:
    """Return whether a path to be written means a folder."""
    return path.endswith(("/", os.sep)) or os.path.isdir(path) or not os.path.splitext(path)[1]  # noqa: PTH112, PTH122


def _write_all(documents: Iterable[Document], file: IO[str], writer: Format, report: Report, name: str) -> int:
    file.write(writer.header)
    count = 0
    met: set[str] = set()
    for document in documents:
        if document.id in met:
            message = f"document {shown(document.id)} occurs again: one file cannot hold two documents of the same name"
            report(Remark("duplicate-document", message))
        met.add(document.id)
        if count and writer.one_document:
            raise UsageError(f"{name}: a {writer.name} file holds one document: give a folder to write several")
        text = _text(document, writer, report)
        if text is not None:
            file.write(text)
            count += 1
    return count


def _write_each(documents: Iterable[Document], folder: str, writer: Format, report: Report) -> int:
    count = 0
    for document, stem in _named_apart(documents, report):
        text = _text(document, writer, report)
        if text is not None:
            read_as = original_name(strip_suffixes(stem))
            if writer.one_document and read_as != document.id:  # a file of one document names it
                new = shown(read_as)
                message = f"document {shown(document.id)} will be read as {new}, by the name of its file"
                report(Remark("renamed-document", message))
            with atomic(os.path.join(folder, stem + writer.suffixes[0])) as file:  # noqa: PTH118
                file.write(writer.header + text)
            count += 1
    return count


def _text(document: Document, writer: Format, report: Report) -> str | None:
    if writer.name != "jsonl" and _has_keys_to_lose(document, writer.name):
        report(Remark("unknown-keys", f"{document.id}: additional keys can only be kept in JSON Lines"))
    try:
        return writer.text(document, report)
    except InputError as error:
        report(Remark("not-written", f"document {shown(document.id)} is not written: {error}", action=Action.DROPPED))
        return None


def _has_keys_to_lose(document: Document, format_name: str) -> bool:
    """Return whether there are keys that only JSON Lines can hold. TimeML holds what came from TimeML."""
    extras = document.extras if document.format == "jsonl" else None
    if extras is None:
        return False
    parts = (extras.document, *extras.entities.values(), *extras.links.values())
    kept = {KEY} if format_name == "timeml" else set()
    return any(part.keys() - kept for part in parts)


def _named_apart(documents: Iterable[Document], report: Report) -> Iterator[tuple[Document, str]]:
    """Yield documents with a file name for each. Names that some file systems do not distinguish get a number."""
    taken: dict[str, int] = {}
    for document in documents:
        stem = safe_name(document.id)
        taken[stem.casefold()] = number = taken.get(stem.casefold(), 0) + 1
        if number > 1:
            stem = f"{stem}~{number}"
            report(Remark("duplicate-document", f"document {shown(document.id)} occurs again: written as {stem}"))
        yield document, stem


def entities_of(document: Document) -> dict[str, Entity]:
    """Return every entity by its id: those described, those only declared, and those only named in links."""
    described = {entity.id: entity for entity in document.entities}
    names = dict.fromkeys(document.entity_ids or described)
    for link in document.links:
        names[link.source] = names[link.target] = None
    return {name: described.get(name) or Entity(name) for name in names}


def tell_what_no_link_holds(document: Document, report: Report, table: str) -> None:
    """Say what is lost where a format holds links and nothing else."""
    linked = {end for link in document.links for end in (link.source, link.target)}
    if unlinked := len(entities_of(document).keys() - linked):
        what = f"{unlinked} entities" if unlinked > 1 else "1 entity"
        verb = "are" if unlinked > 1 else "is"
        report(Remark("unlinked-entities", f"{document.id}: {what} without links {verb} not in the {table} file"))
    elif not document.links:
        report(Remark("no-links", f"{document.id}: the document has no links, and a {table} file holds nothing else"))


def report_lost(document: Document, report: Report) -> None:
    """Report what a file says and a Document cannot hold, one line for all kinds."""
    lost = document.extras.lost if document.extras is not None else {}
    if lost:
        kinds = ", ".join(f"{count} x {kind}" for kind, count in sorted(lost.items()))
        report(Remark("markup-lost", f"{document.id}: not kept from the original file: {kinds}"))


def relation_text(link: Link) -> str:
    """Return how a relation is written in links TSV and JSON Lines: the link's own label where that reads back as the
    same relation there, otherwise its atoms.

    >>> from temporacle.model import Link
    >>> from temporacle.relation import Relation
    >>> relation_text(Link("1", "a", Relation.of("b"), "c", "BEFORE"))
    'BEFORE'
    >>> relation_text(Link("1", "a", Relation.of("b", "m"), "c", "BEFORE"))
    'b|m'
    """
    try:
        same = load_reading("links").relation(link.label) == link.relation
    except LabelError:
        same = False
    return link.label if same else str(link.relation)


# ----------------------------------------------------------------------------------------------------
# Writes Graphviz: entities as nodes, links as arrows with their labels.

_SHAPES = {Kind.EVENT: "ellipse", Kind.TIME: "box", Kind.UNKNOWN: "ellipse"}


def text(document: Document, report: Report) -> str:  # noqa: ARG001 - a picture claims to hold nothing else
    """Return the document as one directed graph."""
    lines = [f"digraph {_quoted(document.id)} {{", "  rankdir=LR;"]
    lines += [f"  {_quoted(name)} [{_style(entity)}];" for name, entity in entities_of(document).items()]
    lines += [
        f"  {_quoted(link.source)} -> {_quoted(link.target)} [label={_quoted(relation_text(link))}];"
        for link in document.links
    ]
    return "\n".join((*lines, "}\n"))


def _style(entity: Entity) -> str:
    label = f"{entity.id}\n{entity.text.strip()}" if entity.text and entity.text.strip() else entity.id
    return f"label={_quoted(label)}, shape={_SHAPES[entity.kind]}{', peripheries=2' if entity.is_dct else ''}"


def _quoted(name: str) -> str:
    r"""Return a quoted string of Graphviz. A line end becomes its escape, other control characters a blank.

    >>> print(_quoted('say "hi"\n' + chr(92)))
    "say \"hi\"\n\\"
    """
    escaped = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return '"' + "".join(max(character, " ") for character in escaped) + '"'
