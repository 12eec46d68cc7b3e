"""Estonian TimeML: a folder of tab files without suffix, each with a ``# fileName ...`` line that names its columns.

The relation stands in the middle: document, source, relation, target, comment; links to the creation time lack the
target. Several annotators' versions stand beside the final one, as ``.ann-a`` and so on. They become documents of
their own, ``document.ann-a``; since their links name ids of the final entity files, they are checked against both.

A single file of links can be read too; entity files beside it are used if they are there.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from temporacle.io.rows import DCT
from temporacle.io.source import Source
from temporacle.io.tab_folders import Contents, FolderDocuments, member, members, read_mentions, read_tokens, table
from temporacle.model import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from temporacle.io.rows import Row
    from temporacle.model import Document

_FINAL = ""
_ANNOTATION = re.compile(r"\s*TIMEX(?:\s+([A-Z]+)(?=\s|$)(?:\s+([^\s=]+)(?=\s|$))?)?")
_NAMED = re.compile(r'(\w+)="([^"]*)"')
_LINKS = ("tlink-event-dct", "tlink-event-timex", "tlink-main-events", "tlink-subordinate-events")


def is_folder(names: set[str]) -> bool:
    """Return whether a folder with these files is in this format."""
    return any(name.startswith(_LINKS) for name in names)


def is_first_line(line: str, path: str) -> bool:  # noqa: ARG001 - the name does not matter
    """Return the names of the columns. The first one is the document."""
    return line.lower().startswith("# filename")


def read(source: Source) -> Iterator[Document]:
    """Yield the documents of the folder: the final annotation first, then each annotator's."""
    is_folder = Path(source.path).is_dir()
    folder = source if is_folder else Source(str(Path(source.path).parent), b"", source.options)
    versions: dict[str, list[Source]] = {_FINAL: []} if is_folder else {}
    for file in members(source, "tlink-*") if is_folder else [source]:
        versions.setdefault(_version(file), []).append(file)
    final = _final_contents(folder)
    for version in sorted(versions):
        contents = final
        if version != _FINAL:
            contents = Contents(
                {name: dict(mentions) for name, mentions in final.mentions.items()}, final.tokens, final.dates
            )
            _add_mentions(contents, folder, version)
        documents = FolderDocuments(source, "estonian", contents, suffix=version)
        if is_folder and version == _FINAL:
            for document in contents.mentions:
                documents.of(document)
        for file in versions[version]:
            _add_links(file, documents)
        yield from documents.build()


def _version(file: Source) -> str:
    """Return the suffix that distinguishes an annotator's file from the final one: ``.ann-a``, or nothing."""
    _, dot, annotator = PurePath(file.path).name.partition(".ann-")
    return f"{dot}{annotator}" if dot else _FINAL


def _final_contents(folder: Source) -> Contents:
    contents = Contents()
    _add_mentions(contents, folder, _FINAL)
    read_tokens(contents, member(folder, "base-segmentation-morph-syntax"), str.strip)
    dates = member(folder, "timex-annotation-dct")
    for row in table(dates, 2) if dates is not None else ():
        contents.dates.setdefault(row.fields[0].strip(), row.fields[1].strip())
    return contents


def _add_mentions(contents: Contents, folder: Source, version: str) -> None:
    for name, kind in (("event-annotation", Kind.EVENT), ("timex-annotation", Kind.TIME)):
        file = member(folder, name + version)
        if file is not None:
            attributes = _timex_attributes if kind is Kind.TIME else None
            read_mentions(contents, file, kind, id_column=5, name=str.strip, attributes=attributes)


def _timex_attributes(row: Row) -> dict[str, str]:
    """Return the content of the annotation column: ``TIMEX DATE 196 mod="END"``.

    Only an expression's first row has the value.
    """
    annotation = _ANNOTATION.match(row.fields[4])
    if annotation is None:
        return {}
    stated = {name: value for name, value in zip(("type", "value"), annotation.groups(), strict=True) if value}
    return dict(_NAMED.findall(row.fields[4])) | stated


def _add_links(file: Source, documents: FolderDocuments) -> None:
    name = PurePath(file.path).name
    header = next((line for _, line in file.lines() if line.startswith("#")), "")
    if header and "relation" not in header:
        raise file.error("holds no links", cure="give the folder, or one of its tlink-... files")
    to_dct = "DCT" in header or (not header and name.startswith("tlink-event-dct"))
    for row in table(file, 3 if to_dct else 4):
        document, first, label, *rest = row.fields
        target = DCT if to_dct else rest[0].strip()
        link = f"{name}:{row.line}"
        documents.of(document.strip()).add_link(link, first.strip(), label, target, line=row.line)
