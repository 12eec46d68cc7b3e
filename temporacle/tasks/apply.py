"""Links of a file added, dropped, relabelled or commented, with the smallest change of its bytes: ``tp.apply``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple, Unpack

from temporacle.errors import UsageError
from temporacle.io.edit import Edits, NewLink, changed
from temporacle.io.edit.files import Original
from temporacle.io.source import STANDARD_INPUT, Source, options_of
from temporacle.model import Document, Unreadable
from temporacle.printing import shown
from temporacle.tasks.inputs import ReadingOptions, options_for

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from temporacle.io.source import Options
    from temporacle.tasks.inputs import Path

_LISTED = 10


class Applied(NamedTuple):
    """The changed content of a file, before it is written anywhere."""

    original: Original
    data: bytes  # decompressed
    document: str
    edits: Edits

    def write(self, path: str) -> None:
        """Write the content to a file, which may be the one it was made from."""
        self.original.replace(path, self.data)


def apply(
    source: Path | Document,
    *,
    drop: Collection[str] = (),
    relabel: Mapping[str, str] | None = None,
    comment: Mapping[str, str] | None = None,
    add: Collection[tuple[str, str, str] | NewLink] = (),
    document: str | None = None,
    **reading: Unpack[ReadingOptions],
) -> bytes:
    """Return the bytes of a file with some links added, dropped, relabelled or commented. Every other byte stays.

    ``source``: a file, or a Document that was read from one.
    ``drop``: ids of links to take out.
    ``relabel``: a new label by the id of a link; the two ends stay as they are.
    ``comment``: a note by the id of a link, written where the format's tool shows it.
    ``add``: links to add, as triples of source, label and target. They are written like the other links of the file.
    ``document``: the document that is meant, if several documents of the file have these links and entities.
    ``reading``, ``during``, ``format``, ...: how to read the source.

    The result is read again before it is returned: everything but these links must say the same as before. The file
    itself is not written.

    >>> mended = apply("examples/corpus/council.tml", drop=["l3"])
    >>> b'lid="l2"' in mended, b'lid="l3"' in mended
    (True, False)
    >>> longer = apply("examples/corpus/council.tml", add=[("ei1", "BEFORE", "ei3")])
    >>> longer.splitlines()[-2]
    b'<TLINK lid="l8" relType="BEFORE" eventInstanceID="ei1" relatedToEventInstance="ei3"/>'
    """
    edits = Edits(frozenset(drop), dict(relabel or {}), dict(comment or {}), add=tuple(NewLink(*each) for each in add))
    found = applied(source, edits, document, options_for(source, reading))
    return found.original.packed(found.data)


def applied(source: Path | Document, edits: Edits, document: str | None, options: Options) -> Applied:
    """Return the changed content of a file, ready to be written."""
    if isinstance(source, Document):
        path, document, options = _read_before(source, document)
    else:
        path = os.fspath(source)
    if path == STANDARD_INPUT:
        raise UsageError("standard input cannot be changed: give a file")
    file = Source(path, None, options)
    original = Original(file)
    name = document if document is not None else _meant(Source(path, file.data, options), edits)
    return Applied(original, changed(file, {name: edits}), name, edits)


def _read_before(source: Document, document: str | None) -> tuple[str, str, Options]:
    """Return the file that a document was read from, and how."""
    if source.path is None or source.how_read is None:
        raise UsageError(f"document {shown(source.id)} was not read from a file: there is nothing to change")
    if document not in {None, source.id}:
        raise UsageError(f"document {shown(document)} was asked for, but this is document {shown(source.id)}")
    return source.path, source.id, options_of(source.how_read)


def _meant(source: Source, edits: Edits) -> str:
    """Return the only document of a file, or the only one of several that has all the links and entities."""
    from temporacle.io import read_source

    found = list(read_source(source))
    if len(found) == 1 and isinstance(found[0], Unreadable):
        raise found[0].error
    if len(found) > 1:
        with_links = [each for each in found if isinstance(each, Document) and _has_all(each, edits)]
        if len(with_links) != 1:
            names = ", ".join(shown(each.id) for each in found[:_LISTED]) + (", ..." if len(found) > _LISTED else "")
            which = "several of them have" if with_links else "none of them has"
            what = "these links and entities" if edits.add else "these links"
            reason = f"{source.path} holds {len(found)} documents, and {which} {what}"
            raise UsageError(f'{reason}: choose one of them ({names}) with document="ID"')
        return with_links[0].id
    if not found:
        raise UsageError(f"{source.path} holds no document")
    return found[0].id


def _has_all(document: Document, edits: Edits) -> bool:
    """Return whether a document has the links and the entities that edits name."""
    ends = {end for new in edits.add for end in (new.source, new.target)}
    return edits.links <= {link.id for link in document.links} and ends <= set(document.entity_ids)
