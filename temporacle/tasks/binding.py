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
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.checker import Rejected, digest
from temporacle.errors import TemporacleError, UsageError
from temporacle.io import read_corpus, sources
from temporacle.io.source import Options
from temporacle.model import Document, Unreadable
from temporacle.reasoner.network import Network
from temporacle.tasks.provenance import dropped_links

if TYPE_CHECKING:
    from collections.abc import Iterator

    from temporacle.tasks.inputs import Found


class Uncertified(NamedTuple):
    """A document without a valid certificate."""

    document: str
    reason: str
    unreadable: bool


class CertifiedFiles:
    """The files that certificates were made from. ``path`` is one file, or a folder of them."""

    def __init__(self, path: str) -> None:
        if not os.path.exists(path):  # noqa: PTH110 - names as the caller wrote them
            raise UsageError(f"{path} does not exist")
        if not os.path.isfile(path) and not os.path.isdir(path):  # noqa: PTH112, PTH113
            raise UsageError(f"{path} is neither a file nor a folder")
        self.path = path
        self.files = list(dict.fromkeys(source.path for source in sources([path]))) or [path]
        self._by_digest: dict[str, list[str]] | None = None
        self._last: tuple[str, Options, list[Found]] | None = None  # certificates of one file often follow each other
        self._certified: dict[str, set[str]] = {}  # by file, the documents with a certificate
        self._as_recorded: dict[str, Options] = {}  # by file, how a certificate that belongs to it says it was read

    def bind(self, certificate: dict[str, Any], *, reread: bool) -> None:
        """Find the file of a certificate. Raise Rejected if it belongs to none."""
        reasons: list[str] = []
        for path in self._candidates(certificate["document"]):
            reason = self._difference(certificate, path) if reread else None
            if reason is None:
                self._certified.setdefault(path, set()).add(certificate["document"]["id"])
                return
            reasons.append(reason)
        raise Rejected(reasons[0])

    def uncertified(self) -> Iterator[Uncertified]:
        """Yield the documents of the corpus that no certificate was bound to.

        Which documents a file has is not for certificates to say. Only a file that cannot be read without options is
        read as they record it.
        """
        for path in self.files:
            documents = self._read(path, Options())
            if path in self._as_recorded and all(isinstance(each, Unreadable) for each in documents):
                documents = self._read(path, self._as_recorded[path])
            certified = self._certified.get(path, set())
            for found in documents:
                if isinstance(found, Unreadable):
                    yield Uncertified(found.id, f"no certificate: it is unreadable: {found.error}", unreadable=True)
                elif found.id not in certified:
                    yield Uncertified(found.id, f"no certificate ({path})", unreadable=False)

    def _candidates(self, about: dict[str, Any]) -> list[str]:
        """Return files with the recorded digest, those with the recorded name first."""
        if about["sha256"] is None:
            raise Rejected("it was not made from a file: it has no digest")
        if self._by_digest is None:
            self._by_digest = {}
            for path in self.files:
                if os.path.isfile(path) or os.path.isdir(path):  # noqa: PTH112, PTH113 - no pipes, no devices
                    self._by_digest.setdefault(digest(path), []).append(path)
        recorded = about["path"] or ""
        found = self._by_digest.get(about["sha256"], [])
        if not found:
            same_name = [path for path in self.files if os.path.basename(path) == os.path.basename(recorded)]  # noqa: PTH119
            one = self.files[0] if len(self.files) == 1 else same_name[0] if same_name else None
            if one is None:
                raise Rejected(f"no file in {self.path} has the recorded digest of {recorded!r}")
            raise Rejected(f"{one} is not the file that the certificate was made for: the digests differ")
        name = os.path.basename(recorded)  # noqa: PTH119
        return sorted(found, key=lambda path: (path != recorded, os.path.basename(path) != name, path))  # noqa: PTH119

    def _difference(self, certificate: dict[str, Any], path: str) -> str | None:
        """Return the reason why a certificate does not belong to a file with the right digest; None if it does."""
        about = certificate["document"]
        try:
            options = _recorded(about)
            found = self._read(path, options)
            if about["format"] is not None and all(isinstance(each, Unreadable) for each in found):
                options = _recorded(about, about["format"])  # it was not recognised, but named
                found = self._read(path, options)
        except TemporacleError as error:
            return f"{path} cannot be read in the recorded way: {error}"
        document = next((each for each in found if isinstance(each, Document) and each.id == about["id"]), None)
        if document is None:
            return f"{path} holds no readable document {about['id']!r}"
        reason = _other(certificate, document, path)
        if reason is None:
            self._as_recorded[path] = options
        return reason

    def _read(self, path: str, options: Options) -> list[Found]:
        if self._last is None or self._last[:2] != (path, options):
            self._last = (path, options, list(read_corpus([path], options)))
        return self._last[2]


def _recorded(about: dict[str, Any], format_name: str | None = None) -> Options:
    return Options(
        format=format_name,
        reading=about["reading"],
        during=about["during"] or "simultaneous",
        encoding=about["encoding"],
    )


def _other(certificate: dict[str, Any], document: Document, path: str) -> str | None:
    """Return the difference between a document and a certificate; None if there is none."""
    about = certificate["document"]
    if about["format"] is not None and document.format != about["format"]:
        return f"{path} is recognised as {document.format}, but the certificate records {about['format']}"
    dropped, listed = dropped_links(document.dropped), about.get("dropped", [])
    if dropped != listed:
        return (
            f"{len(dropped)} links of {path} cannot be read with reading {about['reading']!r}, "
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


def _weights(document: Document, certificate: dict[str, Any]) -> list[str]:
    """Return the weights of the links, exactly as written in decimal, and of the values: each weighs 1."""
    return [str(Fraction(str(link.weight))) for link in document.links] + ["1"] * len(certificate.get("values", ()))


def _other_values(certificate: dict[str, Any], document: Document) -> str | None:
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
