"""Check that certificates belong to the files they name: same bytes, same links when the files are read again.

A certificate finds its file by digest; the name decides between files of equal content. A binding is rejected if

    the bytes are others
    the file is recognised as another format than the recorded one
    the links are others, or other links are dropped as unreadable than the certificate lists
    the values of time expressions are others, or say something else under the recorded policy
    the certificate answers a question about entities that the file does not have
    the certificate lists the relations of entities that are not those of the file
"""

from __future__ import annotations

import os
from fractions import Fraction
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from temporacle.checker import Rejected, digest
from temporacle.errors import TemporacleError, UsageError
from temporacle.io import read_corpus, sources
from temporacle.io.formats import FORMATS
from temporacle.io.source import Options
from temporacle.model import Document, Unreadable
from temporacle.reasoner.network import Network
from temporacle.tasks.certificates import dropped_links

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from temporacle.corpus.inputs import Found


_KEPT = 4  # files: gold and system, each as it is recognised and as it was named


class Binding(NamedTuple):
    """A document that a certificate is about, and how its file was read; None if it was not read again."""

    path: str
    document: str
    options: Options | None


class Uncertified(NamedTuple):
    """A document without a valid certificate."""

    document: str
    reason: str
    unreadable: bool


class _ReadFile(NamedTuple):
    """The documents of a file, read in one way."""

    path: str
    options: Options
    found: list[Found]
    readable: dict[str, Document]  # by id; the first of several

    @classmethod
    def of(cls, path: str, options: Options) -> Self:
        found = list(read_corpus([path], options))
        readable: dict[str, Document] = {}
        for each in found:
            if isinstance(each, Document):
                readable.setdefault(each.id, each)
        return cls(path, options, found, readable)


class CertifiedFiles:
    """The files that certificates were made from. ``paths``: files, and folders of them.

    Of two paths, the first has gold and the second the system, for certificates of scores: exchanging the sides of a
    document exchanges precision and recall. Where the paths do not tell them apart, a score is rejected.

    Certificates can be bound in several processes. ``note`` and ``excuse`` gather what ``uncertified`` needs to know.
    """

    def __init__(self, paths: Sequence[str]) -> None:
        for path in paths:
            if not os.path.exists(path):  # noqa: PTH110 - names as the caller wrote them
                raise UsageError(f"{path} does not exist")
            if not os.path.isfile(path) and not os.path.isdir(path):  # noqa: PTH112, PTH113
                raise UsageError(f"{path} is neither a file nor a folder")
        self.path = " and ".join(paths)
        found = [[source.path for source in sources([path])] or [path] for path in paths]
        self.files = list(dict.fromkeys(chain.from_iterable(found)))
        sides = found if len(found) == len(("gold", "system")) else [self.files] * 2
        self._sides = [set(map(os.path.realpath, side)) for side in sides]  # a file may have several names
        self._by_digest: dict[str, list[str]] | None = None
        self._recent: list[_ReadFile] = []  # certificates of the same files often follow each other
        self._certified: dict[str, set[str]] = {}  # by file, the documents with a certificate
        self._as_recorded: dict[str, Options] = {}  # by file, how a certificate that belongs to it says it was read
        self._excused: set[str] = set()  # documents that a total of scores lists as left out

    def make_index(self) -> None:
        """Compute the digests of all files."""
        self._by_digest = {}
        for path in self.files:
            if os.path.isfile(path) or os.path.isdir(path):  # noqa: PTH112, PTH113 - no pipes, no devices
                self._by_digest.setdefault(digest(path), []).append(path)

    def bind(self, certificate: Mapping[str, Any], *, reread: bool) -> list[Binding]:
        """Find the files of a certificate. Raise Rejected if it belongs to none."""
        if "gold" not in certificate:
            return [self._bound(certificate, reread=reread)[0]]
        try:
            return self._bound_sides(certificate, reread=reread)
        except Rejected as reason:
            raise Rejected(f"{reason} (a score is bound to two files: give both gold and system)") from None

    def _bound_sides(self, certificate: Mapping[str, Any], *, reread: bool) -> list[Binding]:
        gold, first = self._bound(certificate["gold"], reread=reread, among=self._sides[0])
        if certificate["system"]["document"]["sha256"] is None:  # the system does not have the document
            if certificate["system"]["links"]:
                raise Rejected("the system's links were not read from a file: there is no digest")
            return [gold]
        one = os.path.realpath(gold.path)
        system, second = self._bound(certificate["system"], reread=reread, among=self._sides[1], unlike=one)
        other = os.path.realpath(system.path)
        if one != other and one in self._sides[1] and other in self._sides[0]:
            raise Rejected(
                "the paths do not show which side is gold: give gold first, then the system, each by its own path"
            )
        if first is not None and second is not None and (reason := _other_names(certificate, first, second)):
            raise Rejected(reason)
        return [gold, system]

    def _bound(
        self, side: Mapping[str, Any], *, reread: bool, among: set[str] | None = None, unlike: str | None = None
    ) -> tuple[Binding, Document | None]:
        """Return the file of one document, and the document if it was read again.

        ``among``: the files that it may be. ``unlike``: a file to take last. Both are real paths.
        """
        about, reasons = side["document"], []
        candidates = [path for path in self._candidates(about) if among is None or os.path.realpath(path) in among]
        if not candidates:
            raise Rejected(f"{about['id']!r} is on the other side: give gold first, then the system")
        for path in sorted(candidates, key=lambda path: os.path.realpath(path) == unlike):
            if not reread:
                return Binding(path, about["id"], None), None
            found = self._document(side, path)
            if not isinstance(found, str):
                return Binding(path, about["id"], found[1]), found[0]
            reasons.append(found)
        raise Rejected(reasons[0])

    def note(self, bindings: Iterable[Binding]) -> None:
        """Take note of documents that have a certificate."""
        for path, document, options in bindings:
            self._certified.setdefault(path, set()).add(document)
            if options is not None:
                self._as_recorded[path] = options

    def excuse(self, documents: Iterable[str]) -> None:
        """Take note of documents that need no certificate."""
        self._excused.update(documents)

    def uncertified(self) -> Iterator[Uncertified]:
        """Yield the documents of the corpus that no certificate was bound to.

        Which documents a file has is not for certificates to say. Only a file that cannot be read without options is
        read as they record it.
        """
        for path in self.files:
            documents = self._read(path, Options())
            if path in self._as_recorded and not documents.readable:
                documents = self._read(path, self._as_recorded[path])
            certified = self._certified.get(path, set())
            for found in documents.found:
                if isinstance(found, Unreadable) and found.id not in self._excused:
                    yield Uncertified(found.id, f"no certificate: it is unreadable: {found.error}", unreadable=True)
                elif found.id not in certified and found.id not in self._excused:
                    yield Uncertified(found.id, f"no certificate ({path})", unreadable=False)

    def _candidates(self, about: dict[str, Any]) -> list[str]:
        """Return files with the recorded digest, those with the recorded name first."""
        if about["sha256"] is None:
            raise Rejected("it was not made from a file: it has no digest")
        if self._by_digest is None:
            self.make_index()
        recorded = about["path"] or ""
        found = (self._by_digest or {}).get(about["sha256"], [])
        if not found:
            same_name = [path for path in self.files if os.path.basename(path) == os.path.basename(recorded)]  # noqa: PTH119
            one = self.files[0] if len(self.files) == 1 else same_name[0] if same_name else None
            if one is None:
                raise Rejected(f"no file in {self.path} has the recorded digest of {recorded!r}")
            raise Rejected(f"{one} is not the file that the certificate was made for: the digests differ")
        name = os.path.basename(recorded)  # noqa: PTH119
        return sorted(found, key=lambda path: (path != recorded, os.path.basename(path) != name, path))  # noqa: PTH119

    def _document(self, certificate: Mapping[str, Any], path: str) -> tuple[Document, Options] | str:
        """Return the document of a certificate, from a file with the right digest; or why it does not belong to it."""
        about = certificate["document"]
        if about["format"] is not None and about["format"] not in FORMATS:
            return f"{path} cannot be compared: a plugin read its format {about['format']!r}, and verify uses none"
        try:
            options = _recorded(about)
            found = self._read(path, options)
            if about["format"] is not None and not found.readable:
                options = _recorded(about, about["format"])  # it was not recognised, but named
                found = self._read(path, options)
        except TemporacleError as error:
            return f"{path} cannot be read in the recorded way: {error}"
        document = found.readable.get(about["id"])
        if document is None:
            return f"{path} holds no readable document {about['id']!r}"
        return _other(certificate, document, path) or (document, options)

    def _read(self, path: str, options: Options) -> _ReadFile:
        for each in self._recent:
            if (each.path, each.options) == (path, options):
                return each
        new = _ReadFile.of(path, options)
        self._recent = [new, *self._recent[: _KEPT - 1]]
        return new


def _other_names(certificate: Mapping[str, Any], gold: Document, system: Document) -> str | None:
    """Return the difference between the names that a score gives to entities and those of an alignment made anew."""
    from temporacle.scoring.alignment import with_common_names
    from temporacle.scoring.metric import Align

    try:
        common = with_common_names(gold, system, Align(certificate["options"]["align"]))
    except TemporacleError as error:
        return f"the entities cannot be matched: {error}"
    names = {
        own: name
        for before, after in zip(system.links, common.system.links, strict=True)
        for own, name in ((before.source, after.source), (before.target, after.target))
        if own != name
    }
    if certificate["gold"]["names"] or dict(certificate["system"]["names"]) != names:
        return "the entities are matched in another way"
    return None


def _recorded(about: dict[str, Any], format_name: str | None = None) -> Options:
    return Options(
        format=format_name,
        reading=about["reading"],
        during=about["during"] or "simultaneous",
        encoding=about["encoding"],
    )


def _other(certificate: Mapping[str, Any], document: Document, path: str) -> str | None:
    """Return the difference between a document and a certificate; None if there is none."""
    about = certificate["document"]
    if about["format"] is not None and document.format != about["format"]:
        return f"{path} is recognised as {document.format}, but the certificate records {about['format']}"
    dropped, listed = dropped_links(document.dropped), about.get("dropped", [])
    if dropped != listed:
        return (
            f"{len(dropped)} links of {path} cannot be read with label set {about['reading']!r}, "
            f"but the certificate lists {len(listed)} of them" + (" or others" if listed else "")
        )
    if [link.to_dict() for link in document.links] != certificate["links"]:
        return f"the links are not those of document {about['id']!r} in {path}"
    if "weights" in certificate and _weights(document, certificate) != certificate["weights"]:
        return f"the weights are not those of document {about['id']!r} in {path}"
    if (reason := _other_values(certificate, document)) is not None:
        return f"{reason} in document {about['id']!r} in {path}"
    if "entities" in certificate and certificate["entities"] != list(Network.of(document).entities):
        return f"the entities are not those of document {about['id']!r} in {path}"
    query = certificate.get("query")
    dates = {record["entity"] for record in certificate.get("values", ()) if record["fact"] is None}
    known = {*dates, *document.entity_ids, *(end for link in document.links for end in (link.source, link.target))}
    for entity in () if query is None else (query["source"], query["target"]):
        if entity not in known:
            return f"the query is about {entity!r}, which is not in document {about['id']!r} in {path}"
    return None


def _weights(document: Document, certificate: Mapping[str, Any]) -> list[str]:
    """Return the weights of the links, exactly as written in decimal, and of the values: each weighs 1."""
    return [str(Fraction(str(link.weight))) for link in document.links] + ["1"] * len(certificate.get("values", ()))


def _other_values(certificate: Mapping[str, Any], document: Document) -> str | None:
    """Return the fact of a time expression that differs in the document; None if none does."""
    if "calendar" not in certificate:
        return None
    from temporacle.calendar.facts import values_of
    from temporacle.calendar.policy import calendar_of

    chosen = certificate["calendar"]
    calendar = calendar_of(chosen["policy"], chosen["hemisphere"], chosen["zone"])
    if calendar is None:
        return "the calendar is not known"
    stated = [record for record in certificate["values"] if record["fact"] is not None]
    found = [fact.to_record() for fact in values_of(document, calendar).facts]
    different = next((one for one, other in zip_longest(stated, found) if one != other), None)
    if different is not None:
        return f"the value of {different['fact']!r} is another one"
    return (
        None if stated == found else f"{len(found)} values constrain something, and the certificate has {len(stated)}"
    )
