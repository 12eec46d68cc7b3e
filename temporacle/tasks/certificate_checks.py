"""The verdicts on certificates: what ``tp.verify`` returns and ``temporacle verify`` prints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, overload

from temporacle.frames import html_table, to_frame

COLUMNS = (
    "certificate", "valid", "claim", "document", "reason", "format", "reading", "links", "dropped", "sha256",
)  # fmt: skip

_SAID = {  # claims in words; the others are adjectives
    "closure": "the closure of {document} is right and complete",
    "score": "the score of {document} is right",
    "total": "the total score is right",
    "decode": "the labels of {document} are optimal",
    "repair": "the repair of {document} {optimal}",
}


@dataclass(frozen=True, slots=True, repr=False)
class CertificateCheck:
    """The verdict on one certificate, or on a document that has none.

    ``valid``: None if the certificate, or the document, could not be opened.
    """

    certificate: str | None  # its file; None: the document has no certificate
    valid: bool | None
    claim: str | None = None
    document: str | None = None
    reason: str | None = None  # why it is not valid
    format: str | None = None  # the rest: what the certificate says about its document
    reading: str | None = None
    links: int | None = None
    dropped: int | None = None  # links of the file that could not be read, and that the certificate lists as such
    sha256: str | None = None
    calendar: str | None = None  # the policy, if the certificate rests on values of time expressions
    trusted: tuple[str, ...] = ()  # facts of these whose constraints the checker believed
    bound: tuple[str, str] | None = None  # of a repair not shown to be optimal: its weight, and a bound on all others
    score: Mapping[str, Any] | None = None  # of a score: its figures, and the system's file or the documents of a total

    def __bool__(self) -> NoReturn:
        raise TypeError("ask for .valid, which is True, False or None")

    def __repr__(self) -> str:
        return f"CertificateCheck({self.sentence()})"

    def sentence(self) -> str:
        """Return the verdict in one line, with what the certificate was made from."""
        name = self.document if self.certificate is None else self.certificate
        if self.valid is None or self.certificate is None:
            return f"{name}: {self.reason}"
        if not self.valid:
            return f"{name}: rejected: {self.reason}"
        optimal = "is optimal"
        if self.bound is not None:
            optimal = f"weighs {self.bound[0]}, and every repair at least {self.bound[1]}"
        said = _SAID.get(self.claim or "", "{document} is {claim}").format(
            document=self.document, claim=self.claim, optimal=optimal
        )
        if self.score is not None:
            said += ": P {precision}, R {recall}, F1 {f1}".format(**self.score)
        return f"{name}: valid{self._without()}: {said} ({self._made_from()})"

    def _without(self) -> str:
        """Return what the certificate leaves out."""
        left_out = [_counted(self.dropped, "unreadable link")] if self.dropped else []
        if self.score is not None and self.score.get("skipped"):
            left_out.append(_counted(len(self.score["skipped"]), "skipped document"))
        return f", without {' and '.join(left_out)}" if left_out else ""

    def _made_from(self) -> str:
        if self.score is not None and "documents" in self.score:
            average, documents = self.score["average"], _counted(self.score["documents"], "document")
            return f"{self.score['metric']}, {average} average of {documents}"
        calendar = "" if self.calendar is None else f"calendar {self.calendar}, "
        links = _counted(self.links or 0, "link")
        made_from = f"{links}, {calendar}format {self.format}, reading {self.reading}, {_file(self.sha256)}"
        if self.trusted:
            made_from += f"; trusted, not worked out again: the values of {', '.join(self.trusted)}"
        if self.score is not None:
            system = self.score["system"]
            made_from = f"{self.score['metric']}; gold: {made_from}; system: {_counted(system['links'], 'link')}, "
            made_from += f"format {system['format']}, reading {system['reading']}, {_file(system['sha256'])}"
        return made_from

    def to_dict(self) -> dict[str, Any]:
        """Return what ``--output json`` prints."""
        record = {name: getattr(self, name) for name in COLUMNS}
        if self.calendar is not None:
            record |= {"calendar": self.calendar, "trusted": list(self.trusted)}
        if self.bound is not None:
            record |= {"weight": self.bound[0], "bound": self.bound[1]}
        return record if self.score is None else record | dict(self.score)


@dataclass(frozen=True, slots=True, repr=False)
class Verification(Sequence[CertificateCheck]):
    """The verdicts on some certificates, and on documents that have none. ``bool()`` of it raises: ask ``valid``."""

    checks: tuple[CertificateCheck, ...]

    @classmethod
    def of(cls, found: Iterable[CertificateCheck]) -> Verification:
        """Return the verdicts of a run."""
        return cls(tuple(found))

    @property
    def valid(self) -> bool | None:
        """Return True if all certificates hold and no document lacks one.

        Return False if a certificate does not hold or is missing, None if one cannot be opened.
        """
        found = {check.valid for check in self.checks}
        return False if False in found else None if None in found or not found else True

    def __bool__(self) -> NoReturn:
        raise TypeError("ask for .valid, which is True, False or None")

    def __len__(self) -> int:
        return len(self.checks)

    @overload
    def __getitem__(self, place: int) -> CertificateCheck: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[CertificateCheck, ...]: ...
    def __getitem__(self, place: int | slice) -> CertificateCheck | tuple[CertificateCheck, ...]:
        return self.checks[place]

    def __repr__(self) -> str:
        names = {True: "valid", False: "rejected or missing", None: "not opened"}
        counts = {valid: sum(check.valid is valid for check in self.checks) for valid in names}
        return f"Verification({', '.join(f'{counts[valid]} {name}' for valid, name in names.items() if counts[valid])})"

    def to_dict(self) -> list[dict[str, Any]]:
        """Return what ``--output json`` prints: a list with one dict for each line."""
        return [check.to_dict() for check in self.checks]

    def to_frame(self) -> Any:
        """Return a pandas DataFrame, one row for each certificate."""
        return to_frame(self.to_dict(), COLUMNS)

    def _repr_html_(self) -> str:
        return html_table(COLUMNS, [[getattr(check, name) for name in COLUMNS] for check in self.checks])


def _file(digest: str | None) -> str:
    return "not bound to a file" if digest is None else f"sha256 {digest}"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
