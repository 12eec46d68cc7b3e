"""Save an edited document into its file: with the smallest change of its bytes, never over the work of others.

    opened = OpenFile("story.tml")
    session = Session(opened.document("story"))
    session.relabel("l3", "AFTER")
    opened.save("story", session.document)

- The file is read once. Every save is made from the bytes as they were read, so an edit that is undone after a save
  leaves no trace.
- A file that is not as it was read or last saved here is left alone (``ChangedOnDiskError``; see ``three_way``), also
  if another program writes it in the very moment of the save.
- The new file takes its name when it is complete and on the disk. The original is kept as ``FILE.orig``, once.
- Of several documents in a file, only those that were saved change. Each save writes the whole file; in JSON Lines only
  the lines of these documents are parsed.
"""

from __future__ import annotations

import gzip
import io
import os
import stat
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple, TypeAlias, Unpack

from temporacle.corpus.options import ReadingFiles, reading_of
from temporacle.declared import OUTPUT, About, whole_task
from temporacle.editing.versions import edits_between
from temporacle.errors import InputError, UsageError, spelled
from temporacle.io import read_source
from temporacle.io.edit import Edits, NewLink, changed, editable
from temporacle.io.edit.edits import NoPlaceForNotesError, changed_values
from temporacle.io.files import ORIGINAL, atomic_bytes, digest_of, keep_copy, read_regular, replaced, safe_name
from temporacle.io.formats import FORMATS
from temporacle.io.jsonl.edit import place_of
from temporacle.io.recognise import folder_format, recognise
from temporacle.io.source import GZIP, STANDARD_INPUT, Options, Source, options_of
from temporacle.io.values import is_content
from temporacle.io.writers import WRITERS, writer_named
from temporacle.model import Document, Unreadable
from temporacle.printing import first_of, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from temporacle.corpus.inputs import PathName
    from temporacle.io.jsonl.edit import LinePlace
    from temporacle.model import Remark

EXPORTS_WITH_COMMENTS = ("timeml", "jsonl")
"""The formats that have a place for comments, of those that can be written."""
_NO_COMMENTS: Mapping[str, str] = {}
Announce: TypeAlias = "Callable[[str], None]"


class ChangedOnDiskError(InputError):
    """The file was changed by another program since it was read."""


def changed_on_disk(path: str) -> ChangedOnDiskError:
    """Return the error about a file that another program has changed."""
    return ChangedOnDiskError(
        "was changed by another program since it was opened, and is left alone",
        path=path,
        cure="compare the two versions, then save again",
    )


class Saved(NamedTuple):
    """What a save has written."""

    path: str
    backup: str | None  # the original, if it was kept by this save; None: it was kept before, or not asked for
    digest: str  # of the file now


class Exported(NamedTuple):
    """A document in another format."""

    name: str  # for the file
    data: bytes
    remarks: tuple[Remark, ...]  # on what the format cannot hold


class OpenFile:
    """A file with one or more documents that are being edited."""

    def __init__(self, path: str | os.PathLike[str], options: Options | None = None) -> None:
        self.path = os.fspath(path)
        self._options = Options() if options is None else options
        self._is_folder = os.path.isdir(self.path)  # noqa: PTH112
        self._opened = b"" if self._is_folder else self._bytes()  # perhaps compressed
        self._data = Source(self.path, None, self._options).contents(self._opened)
        if self._is_folder:
            self.format = folder_format(os.listdir(self.path))  # noqa: PTH208
        else:
            self.format = recognise(Source(self.path, self._data, self._options))
        self.digest = digest_of(self._opened)  # of the file as it was read, or as it was last saved here
        self._places: dict[str, LinePlace | None] = {}  # of documents in JSON Lines
        self._saved: dict[str, Edits] = {}  # by document, against the bytes as opened

    @cached_property
    def documents(self) -> tuple[Document | Unreadable, ...]:
        """Return the documents as they were read."""
        return tuple(read_source(self._fresh()))

    def _fresh(self) -> Source:
        return Source(self.path, self._data, self._options, format=self.format)

    def document(self, name: str) -> Document:
        """Return the document of that name. Raise InputError if it cannot be read, UsageError if there is none."""
        place = self._place(name)
        if place is None:
            found = self._by_name.get(name)
        else:
            found = next(read_source(place.source(self.path, self._options)), None)
        if found is None:
            known = first_of(shown(each.id) for each in self.documents)
            raise UsageError(f"{self.path} has no document {shown(name)}; it has {known}")
        if isinstance(found, Unreadable):
            raise found.error
        return found

    def _place(self, name: str) -> LinePlace | None:
        """Return the line of a document in a JSON Lines file; None in other files, or if the whole file is needed."""
        if self.format != "jsonl":
            return None
        if name not in self._places:
            self._places[name] = place_of(io.BytesIO(self._data), name, self._fresh())
        return self._places[name]

    @cached_property
    def _by_name(self) -> dict[str, Document | Unreadable]:
        return {each.id: each for each in reversed(self.documents)}  # the first of a name counts

    # --- what can be saved ------------------------------------------------------------------------------------------

    @property
    def saves(self) -> str:
        """Return how edits are kept: "in-place", or "export" if the format cannot be changed in place."""
        return "export" if self.why_export else "in-place"

    @property
    def why_export(self) -> str | None:
        """Return why the file cannot be changed in place; None if it can."""
        return why_export(self.path, self.format)

    # --- saving -----------------------------------------------------------------------------------------------------

    def is_changed(self) -> bool:
        """Return whether the file on the disk is another one than was read or last saved here."""
        return not self._is_folder and digest_of(self._bytes()) != self.digest

    def _bytes(self) -> bytes:
        return read_regular(self.path, confines=self._options.confines, largest=self._options.largest_file)

    def save(
        self,
        name: str,
        wanted: Document,
        comments: Mapping[str, str] = _NO_COMMENTS,
        *,
        backup: bool = True,
        announce: Announce | None = None,
    ) -> Saved:
        """Write a document with its present links into the file.

        ``wanted``: the document with the links that it should have.
        ``comments``: notes by ids of its links, as far as the file did not have them when it was opened.
        ``backup``: keep the original as ``FILE.orig``, unless there is one already.
        ``announce``: gets the digest that the file will have, before it is touched.

        Raise ChangedOnDiskError if another program has changed the file, UsageError if the format cannot hold a link
        or a note, or if the file cannot be written. Then the file is as before.
        """
        if self.why_export is not None:
            raise UsageError(f"{self.path}: {self.why_export}")
        edits = self._edits(name, wanted, comments)
        data = self._changed(edits)
        if self.is_changed():
            raise changed_on_disk(self.path)
        if not os.access(os.path.realpath(self.path), os.W_OK):
            raise UsageError(f"{self.path} is read-only: make it writable, or export the document")
        kept = self._keep_original() if backup else None
        digest = digest_of(data)
        if announce is not None:
            announce(digest)
        if not replaced(self.path, data, before=self.digest, confines=self._options.confines):
            raise changed_on_disk(self.path)
        self.digest = digest
        self._saved = edits
        return Saved(self.path, kept, self.digest)

    def content(self, name: str, wanted: Document, comments: Mapping[str, str] = _NO_COMMENTS) -> bytes:
        """Return the bytes that ``save`` would write."""
        return self._changed(self._edits(name, wanted, comments))

    def _edits(self, name: str, wanted: Document, comments: Mapping[str, str]) -> dict[str, Edits]:
        """Return the edits of all documents against the file as opened, with new ones for one of them."""
        opened = self.document(name)
        edits = edits_between(opened.links, wanted.links, comments)
        return {**self._saved, name: replace(edits, values=changed_values(opened, wanted))}

    def _changed(self, edits: Mapping[str, Edits]) -> bytes:
        """Return the bytes of the file with some edits."""
        made = {document: each for document, each in edits.items() if each}
        if not made:
            return self._opened
        try:
            return packed_like(self._opened, self._changed_lines(made) or changed(self._fresh(), made))
        except NoPlaceForNotesError as error:
            raise UsageError(f"{error}: take the comments away, or export the document as JSON Lines") from error

    def _changed_lines(self, edits: Mapping[str, Edits]) -> bytes | None:
        """Return the changed JSON Lines file, of which only the lines of these documents change; None if that fails.

        The other lines are not read again: a hundred thousand documents would take half a minute.
        """
        places = {document: self._place(document) for document in edits}
        parts, position = [], 0
        for document, place in sorted(places.items(), key=lambda each: each[1].start if each[1] else 0):
            if place is None:
                return None
            line = changed(
                Source(self.path, place.line, self._options, format=self.format), {document: edits[document]}
            )
            if b"\n" in line:
                return None
            parts += [self._data[position : place.start], line]
            position = place.end
        return b"".join((*parts, self._data[position:]))

    def _keep_original(self) -> str | None:
        """Keep the file as it is before the first save; return the name of the copy if it was made now."""
        copy = self.path + ORIGINAL
        try:
            kept = os.lstat(copy)
        except OSError:
            keep_copy(self.path, copy, self._options.confines)
            return copy
        if not stat.S_ISREG(kept.st_mode):
            raise UsageError(
                f"{copy} is not a regular file: move it away, or save without a backup ({spelled('backup', False)})"
            )
        return None


def why_export(path: str | None, format_name: str | None) -> str | None:
    """Return why a file of a format cannot be changed in place; None if it can."""
    if path is None or os.path.isdir(path) or not editable(format_name):  # noqa: PTH112
        return f"{format_name} files cannot be changed in place: export the document to another format"
    return None


def export(document: Document, format_name: str, comments: Mapping[str, str] = _NO_COMMENTS) -> Exported:
    """Return a document in a format that can be written.

    ``comments``: notes by ids of its links. Raise UsageError if the format has no place for them.
    """
    writer = writer_named(format_name)
    remarks: list[Remark] = []
    text = writer.header + writer.text(document, remarks.append)
    name = safe_name(document.id) + writer.suffixes[0]
    data = text.encode()
    return Exported(name, _noted(name, data, document, format_name, comments) if comments else data, tuple(remarks))


def _noted(name: str, data: bytes, document: Document, format_name: str, comments: Mapping[str, str]) -> bytes:
    """Return an exported file with notes at its links."""
    if format_name not in EXPORTS_WITH_COMMENTS:
        holding = " or ".join(EXPORTS_WITH_COMMENTS)
        raise UsageError(f"{format_name} files have no place for comments: export as {holding}, or without comments")
    options = Options(reading=document.reading)
    written = list(read_source(Source(name, data, options, format=format_name)))
    if len(written) != 1 or isinstance(written[0], Unreadable):
        raise UsageError(f"{format_name} cannot hold this document with its comments: export it without comments")
    # In some formats the id of a link is its position.
    notes = edits_between(written[0].links, document.links, comments).comment
    return changed(Source(name, data, options, format=format_name), {written[0].id: Edits(comment=notes)})


def exports() -> tuple[str, ...]:
    """Return the names of the formats that documents can be exported to."""
    return tuple(WRITERS)


# ----------------------------------------------------------------------------------------------------
# Links of a file added, dropped, relabelled or commented, with the smallest change of its bytes: ``tp.apply``.


class Applied(NamedTuple):
    """The changed content of a file, before it is written anywhere."""

    original: Original
    data: bytes  # decompressed
    document: str
    edits: Edits

    def save(self, out: PathName | None) -> str:
        """Write the content to another file, or to the one it was made from, and return the path."""
        if out is not None and self.original.is_at(os.fspath(out)):
            raise UsageError(f"{out} is the file itself: to change it, give {spelled('in_place', True)} alone")
        path = self.original.path if out is None else os.fspath(out)
        self.original.replace(path, self.data)
        return path


Pairs: TypeAlias = "Mapping[str, str] | Sequence[str] | None"


@whole_task
def apply(
    source: Annotated[PathName | Document, About("The file that holds the links.", value="FILE", path="read")],
    *,
    drop: Annotated[Sequence[str], About("Remove this link; repeatable.", value="ID")] = (),
    relabel: Annotated[Pairs, About("Give this link another label; repeatable.", value="ID=LABEL")] = None,
    comment: Annotated[Pairs, About("Leave a note at this link; repeatable.", value="ID=TEXT")] = None,
    add: Annotated[
        Sequence[str | tuple[str, str, str] | NewLink],
        About("Add this link; repeatable.", value="'SOURCE LABEL TARGET'"),
    ] = (),
    set_value: Annotated[Pairs, About("Give this time another calendar value; repeatable.", value="T=VALUE")] = None,
    document: Annotated[str | None, About("The document, if the file holds several.", value="ID")] = None,
    out: Annotated[
        PathName | None,
        About("The file to write; - is standard output.", value="OUT", path="file", group=OUTPUT, short="-o"),
    ] = None,
    in_place: Annotated[bool, About("Change FILE itself.", group=OUTPUT)] = False,
    **shared: Unpack[ReadingFiles],
) -> bytes:
    """Return the bytes of a file with some links added, removed, relabelled or commented. Every other byte stays.

    The result is read again before it is returned: everything but these links must say the same as before. Nothing is
    written without ``out`` and ``in_place``. ``relabel``, ``comment`` and ``set_value`` may be mappings from ids.

    Returns:
        The bytes of the changed file.

    Raises:
        UsageError: An id that the file lacks, or a format that cannot be changed.
        InputError: The file cannot be read.

    Examples:
        >>> changed = apply("examples/corpus/council.tml", drop=["l3"])
        >>> b'lid="l2"' in changed, b'lid="l3"' in changed
        (True, False)
        >>> longer = apply("examples/corpus/council.tml", add=[("ei1", "BEFORE", "ei3")])
        >>> longer.splitlines()[-2]
        b'<TLINK lid="l8" relType="BEFORE" eventInstanceID="ei1" relatedToEventInstance="ei3"/>'
    """
    if out is not None and in_place:
        raise UsageError(f"give only one of {spelled('out')} and {spelled('in_place', True)}")
    edits = edits_of(drop=drop, relabel=relabel, comment=comment, add=add, set_value=set_value)
    found = applied(source, edits, document, reading_of(source, shared))
    if out is not None or in_place:
        found.save(out)
    return found.original.packed(found.data)


def edits_of(
    *,
    drop: Collection[str] | None = None,
    relabel: Pairs = None,
    comment: Pairs = None,
    add: Collection[str | tuple[str, str, str] | NewLink] | None = None,
    set_value: Pairs = None,
) -> Edits:
    """Return the changes that a caller asks for."""
    return Edits(
        frozenset(drop or ()),
        _pairs("relabel", relabel),
        _pairs("comment", comment),
        add=tuple(map(_new_link, add or ())),
        values=_pairs("set_value", set_value),
    )


def _pairs(option: str, given: Pairs) -> dict[str, str]:
    """Return a mapping, also from texts such as ``ID=VALUE``. The value may contain equals signs."""
    if given is None or isinstance(given, Mapping):
        return dict(given or {})
    pairs: dict[str, str] = {}
    for each in given:
        name, sign, value = each.partition("=")
        if not name or not sign or not value.strip():
            example = "t3=1998-02-09" if option == "set_value" else "l3=AFTER"
            raise UsageError(f"{each!r}: write ID=VALUE, such as {example}", option=option)
        if name in pairs:
            raise UsageError(f"{name!r} is given twice", option=option)
        pairs[name] = value
    return pairs


def _new_link(given: str | tuple[str, str, str] | NewLink) -> NewLink:
    """Return a link to add, also from a text."""
    if not isinstance(given, str):
        return NewLink(*given)
    parts = given.split("\t") if "\t" in given else given.split()
    if len(parts) != len(("source", "label", "target")) or not all(map(str.strip, parts)):
        raise UsageError(f"{given!r}: write 'SOURCE LABEL TARGET', such as 'ei1 BEFORE ei2'", option="add")
    return NewLink(*parts)


def applied(source: PathName | Document, edits: Edits, document: str | None, options: Options) -> Applied:
    """Return the changed content of a file, ready to be written."""
    if isinstance(source, Document):
        path, document, options = _read_before(source, document)
    else:
        try:
            path = os.fspath(source)
        except TypeError:
            kind = type(source).__name__
            cure = "give the path of a file, or a Document read from one"
            raise UsageError(f"cannot change the links of a {kind}: {cure}") from None
    if path == STANDARD_INPUT:
        raise UsageError("standard input cannot be changed: give a file")
    if isinstance(source, str) and is_content(source):
        raise UsageError("the content of a file cannot be changed: give the path of the file")
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
    found = list(read_source(source))
    if len(found) == 1 and isinstance(found[0], Unreadable):
        raise found[0].error
    if len(found) > 1:
        with_links = [each for each in found if isinstance(each, Document) and _has_all(each, edits)]
        if len(with_links) != 1:
            names = first_of(shown(each.id) for each in found)
            which = "several of them have" if with_links else "none of them has"
            what = "these links and entities" if edits.add else "these links"
            reason = f"{source.path} holds {len(found)} documents, and {which} {what}"
            raise UsageError(f"{reason}: choose one of them ({names}) with {spelled('document', 'ID')}")
        return with_links[0].id
    if not found:
        raise UsageError(f"{source.path} holds no document")
    return found[0].id


def _has_all(document: Document, edits: Edits) -> bool:
    """Return whether a document has the links and the entities that edits name."""
    ends = {end for new in edits.add for end in (new.source, new.target)} | edits.values.keys()
    return edits.links <= {link.id for link in document.links} and ends <= set(document.entity_ids)


# ----------------------------------------------------------------------------------------------------
# Write changed files: compressed as before, never incomplete, and never over a newer version of the file.


def packed_like(original: bytes, data: bytes) -> bytes:
    """Return new content of a file, compressed if the file is compressed."""
    return gzip.compress(data, mtime=0) if original.startswith(GZIP) else data


class Original:
    """A file as it was when it was read. Its source must not be read before."""

    def __init__(self, source: Source) -> None:
        self.path = source.path
        self._bytes = read_regular(source.path, confines=source.options.confines, largest=source.options.largest_file)

    def packed(self, data: bytes) -> bytes:
        """Return new content, compressed if the file is compressed."""
        return packed_like(self._bytes, data)

    def is_at(self, path: str) -> bool:
        """Return whether a path leads to this file."""
        return os.path.exists(path) and os.path.samefile(path, self.path)  # noqa: PTH110, PTH121

    def replace(self, path: str, data: bytes) -> None:
        """Write new content, which may replace this file. Raise InputError if the file has changed meanwhile."""
        if not self.is_at(path):
            with atomic_bytes(path) as file:
                file.write(self.packed(data))
        elif not replaced(path, self.packed(data), before=digest_of(self._bytes)):
            raise InputError("changed while it was being edited: it is left alone", path=path, cure="try again")


def copy_beside(path: str, target: str, format_name: str) -> None:
    """Copy the files that belong to a file, such as its text, to where its changed version stands."""
    for suffix in FORMATS[format_name].beside:
        text, copy = Path(path).with_suffix(suffix), Path(target).with_suffix(suffix)
        if text.is_file() and not (copy.exists() and copy.samefile(text)):
            with atomic_bytes(copy) as file:
                file.write(read_regular(text))
