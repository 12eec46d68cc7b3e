"""A closure that another program has written: what it claims about each document.

Besides every readable format, these forms of a closure are understood:

    links TSV in which the single line ``inconsistent``, or a line ``document TAB inconsistent``, is a verdict
    JSON Lines as ``temporacle closure --output json`` prints them: one object a pair, or a verdict

Claims about one document hold together, in however many files they stand. A verdict and claims about the same document
exclude each other: such an answer cannot be read. Labels of formats without a reading of their own (TSV, CSV, JSON
Lines, frames) mean what they mean in the documents that the claims are about.

Claims are judged one document after the other.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.audit.answers import Closed, ClosureAnswer, Failed, Failure, FaultKind, Manner, SaidInconsistent
from temporacle.audit.findings import Finding
from temporacle.audit.judge import NO_EVIDENCE, JudgedAnswer, certificate_for, evidence_for, judge
from temporacle.audit.subjects.foreign import INCONSISTENT
from temporacle.errors import BudgetExceeded, InputError, LabelError, UsageError
from temporacle.io import read_source, sources
from temporacle.io.jsonl.read import numbered_lines
from temporacle.io.source import Options, Source
from temporacle.model import Action, Document, Link, Remark, Unreadable
from temporacle.readings import Reading
from temporacle.reasoner.network import Budget, Network, document_time
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.points.paths import LinksBetween
from temporacle.relation import EVERYTHING, Relation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from temporacle.audit.answers import Triple

    Found = Document | Unreadable
    from collections.abc import Mapping

    from temporacle.audit.answers import ClosureAnswer, Fault


@dataclass(slots=True)
class _Said:
    """The claims about one document so far."""

    claims: list[Triple] = field(default_factory=list)
    unread: set[tuple[str, str]] = field(default_factory=set)
    torn: bool = False
    verdict: str | None = None  # where it was called inconsistent
    place: str | None = None  # where it has claims

    def answer(self, *, torn: bool) -> ClosureAnswer:
        if self.verdict is not None and self.place is not None:
            where = self.place if self.place == self.verdict else f"{self.place} and {self.verdict}"
            return Failed(Failure.MALFORMED, f"has both the verdict inconsistent and a closure, in {where}")
        if self.verdict is not None:
            return SaidInconsistent()
        return Closed(tuple(self.claims), frozenset(self.unread), self.torn or torn)


class Claims:
    """The claims, by document. ``remark`` is called for everything that could not be read."""

    def __init__(self, remark: Callable[[Remark], None]) -> None:
        self.everything = False  # one verdict, "inconsistent", on whatever the claims are about
        self._said: dict[str, _Said] = {}
        self._unreadable: set[str] = set()  # names of documents or files that could not be read
        self._remark = remark

    @property
    def documents(self) -> list[str]:
        return list(self._said)

    def rename_only(self, document: str) -> None:
        """Let the claims about one document be about another: a document and a closure, whatever they are called."""
        (said,) = self._said.values()
        said.torn |= bool(self._unreadable)
        self._said = {document: said}

    def answer(self, document: str) -> ClosureAnswer:
        """Return the claims about a document; without claims, the claim that nothing follows."""
        if self.everything:
            return SaidInconsistent()
        said = self._said.get(document)
        if said is None:  # what could not be read may have been about it
            return Closed((), torn=bool(self._unreadable))
        return said.answer(torn=document in self._unreadable)

    def require_some(self, name: str) -> None:
        """Raise UsageError if there was something to read but none of it was readable."""
        readable = self.everything or any(said.claims or said.verdict for said in self._said.values())
        if not readable and (self._unreadable or any(said.unread or said.torn for said in self._said.values())):
            raise UsageError(f"{name} holds no readable closure")

    # --- adding ------------------------------------------------------------------------------------------------------

    def add_file(self, source: Source, *, alone: bool) -> None:
        """Add the claims of a file. ``alone``: it was named itself, not found in a folder."""
        try:
            self._add_file(source, alone=alone)
        except InputError as error:
            self.add_document(Unreadable(source.name, source.path, error))

    def _add_file(self, source: Source, *, alone: bool) -> None:
        if os.path.isdir(source.path):  # noqa: PTH112 - a format that is a folder
            self._add_documents(read_source(source))
            return
        if is_blank(source):
            if not alone:
                self._of(source.name)
            return
        if is_closure(source):
            self._add_rows(closure_rows(source), source)
            return
        kept, verdicts = without_verdicts(source.data)
        if verdicts is None:
            if alone:
                self.everything = True
            else:
                self._of(source.name).verdict = source.path
            return
        if not verdicts:
            self._add_documents(read_source(source))
            return
        if kept.strip():
            self._add_documents(read_source(Source(source.path, kept, source.options)))
        for document in verdicts:
            self._of(document).verdict = source.path

    def add_document(self, document: Found) -> None:
        """Add the links of a document as claims."""
        if isinstance(document, Unreadable):
            self._drop("unreadable-claims", str(document.error), document.path)
            self._unreadable.add(document.id)
            return
        said = self._of(document.id)
        said.place = said.place or document.path or document.id
        for remark in document.dropped:
            said.torn = True
            self._about(document.path, remark.line, remark.element, remark.message)
        for link in document.links:
            if link.relation is UNREAD:
                said.unread.add((link.source, link.target))
                self._about(document.path, link.line, link.id, why_unread(document.reading, link.label))
            else:
                said.claims.append((sys.intern(link.source), link.relation, sys.intern(link.target)))

    def _add_documents(self, documents: Iterable[Found]) -> None:
        for document in documents:
            self.add_document(document)

    def _add_rows(self, rows: Iterable[tuple[int, dict[str, Any] | InputError]], source: Source) -> None:
        """Add pairs and verdicts of JSON Lines."""
        reading = source.options.links_reading()
        met = set()
        torn = False
        for number, row in rows:
            if isinstance(row, InputError):
                torn = True
                self._drop("unread-claim", str(row))
                continue
            document = source.name if row.get("document") is None else str(row["document"])
            said = self._of(document)
            met.add(document)
            if "verdict" in row:
                if row["verdict"] == INCONSISTENT:
                    said.verdict = source.path
                else:
                    said.torn = True
                    message = f"the verdict {row['verdict']!r:.80} claims nothing"
                    self._drop("undecided-claim", message, f"{source.path}:{number}")
                continue
            said.place = said.place or source.path
            pair = sys.intern(str(row["source"])), sys.intern(str(row["target"]))
            relation = row.get("relation") or ""
            label = "|".join(map(str, relation)) if isinstance(relation, list) else str(relation)
            found = reading.relation(label)
            if found is UNREAD:
                said.unread.add(pair)
                self._about(source.path, number, None, why_unread(reading, label))
            else:
                said.claims.append((pair[0], found, pair[1]))
        for document in met if torn else ():
            self._said[document].torn = True
        if torn:
            self._unreadable.add(source.path)

    def _of(self, document: str) -> _Said:
        return self._said.setdefault(document, _Said())

    def _about(self, path: str | None, line: int | None, element: str | None, message: str) -> None:
        place = ":".join(str(part) for part in (path, line) if part is not None)
        self._drop("unread-claim", f"{element or 'claim'}: {message}", place or None)

    def _drop(self, code: str, message: str, place: str | None = None) -> None:
        self._remark(Remark(code, message, element=place, action=Action.DROPPED))


def claims_in(paths: Sequence[str], options: Options, remark: Callable[[Remark], None]) -> Claims:
    """Return the claims in files and folders."""
    claims = Claims(remark)
    for path in paths:
        alone = len(paths) == 1 and not os.path.isdir(path)  # noqa: PTH112
        for source in sources([path], options, report=remark):
            if isinstance(source, Unreadable):
                claims.add_document(source)
            else:
                claims.add_file(source, alone=alone)
    return claims


def claims_of(documents: Iterable[Found], remark: Callable[[Remark], None]) -> Claims:
    """Return the links of documents as claims."""
    claims = Claims(remark)
    for document in documents:
        claims.add_document(document)
    return claims


# ----------------------------------------------------------------------------------------------------
# Forms of a closure that are not documents: verdicts among links TSV, and JSON Lines of pairs and verdicts.

_BOM = b"\xef\xbb\xbf"


def is_blank(source: Source) -> bool:
    """Return whether a file is empty: it claims that nothing follows."""
    return not source.data.removeprefix(_BOM).strip()


def without_verdicts(data: bytes) -> tuple[bytes, list[str] | None]:
    """Return the file without lines that are verdicts, and the documents of these lines; None if the file is a single
    verdict.
    """
    said = INCONSISTENT.encode()
    if said not in data.lower():
        return data, []
    lines = data.removeprefix(_BOM).split(b"\n")
    content = [line.strip() for line in lines if line.strip() and not line.startswith(b"#")]
    if len(content) == 1 and content[0].lower() == said:
        return b"", None
    found, kept = [], []
    for line in lines:
        document, _, verdict = line.strip().partition(b"\t")
        if verdict.strip().lower() == said:
            found.append(document.decode("utf-8", "replace"))
            kept.append(b"")  # the numbers of the other lines stay
        else:
            kept.append(line)
    return b"\n".join(kept), found


def is_closure(source: Source) -> bool:
    """Return whether a file is JSON Lines of pairs and verdicts. The first readable object decides."""
    if not source.data.removeprefix(_BOM).lstrip().startswith(b"{"):
        return False
    return _is_claim(next((row for _, row in _parsed_lines(source) if isinstance(row, dict)), {}))


def closure_rows(source: Source) -> Iterator[tuple[int, dict[str, Any] | InputError]]:
    """Yield the numbered objects of such a file, one at a time, or an error for a line that cannot be read."""
    cure = "write an object with source, relation and target, or with a verdict, as text"
    for number, row in _parsed_lines(source):
        if isinstance(row, dict) and not (_is_claim(row) and _is_plain(row)):
            yield number, source.error("the line is not a claim", line=number, cure=cure)
        else:
            yield number, row


def _parsed_lines(source: Source) -> Iterator[tuple[int, dict[str, Any] | InputError]]:
    for number, line in numbered_lines(source):
        try:
            row = json.loads(line)
        except RecursionError:
            yield number, source.error("bad JSON: nested too deeply", line=number)
        except ValueError as error:
            yield number, source.error(f"bad JSON: {error}", line=number)
        else:
            yield number, row if isinstance(row, dict) else source.error("the line is not an object", line=number)


def _is_claim(row: dict[str, Any]) -> bool:
    return "links" not in row and ({"source", "target"} <= row.keys() or "verdict" in row)


def _is_plain(row: dict[str, Any]) -> bool:
    """Return whether all names are strings, and not nested values, which could be of any depth."""
    relation = row.get("relation")
    parts = relation if isinstance(relation, list) else [relation]
    names = [row.get(key) for key in ("document", "source", "target", "verdict")]
    return all(value is None or isinstance(value, str | int) for value in (*names, *parts))


# ----------------------------------------------------------------------------------------------------
# Read the labels of claims as in the documents that they are about, without losing unknown labels.

UNREAD = Relation(int(EVERYTHING))
"""Stands for a label that could not be read; known by identity."""


class _LenientReading(Reading):
    """Gives an unknown label a meaning of its own, so that its link is not dropped before the pair is noted."""

    def _parse(self, label: str) -> Relation:
        try:
            return super()._parse(label)
        except LabelError:
            return UNREAD


def why_unread(reading: Reading, label: str) -> str:
    """Return the reason why a link with this label could not be read."""
    try:
        Reading(reading.name, reading.labels, reading.atoms).relation(label)
    except LabelError as error:
        return str(error)
    return f"the relation cannot be read, although the label {label!r} can"  # a link may state both


@dataclass(frozen=True, slots=True)
class ClaimOptions(Options):
    """Options under which unreadable labels are noticed instead of dropped."""

    def reading_for(self, default: str) -> Reading:
        return _lenient(Options.reading_for(self, default))

    def links_reading(self) -> Reading:
        return _lenient(Options.links_reading(self))


def _lenient(reading: Reading) -> Reading:
    return _LenientReading(
        reading.name, reading.labels, reading.atoms, reading.unanswered, reading.foreign, reading.during, reading.origin
    )


def claim_options(options: Options, documents: Iterable[Document]) -> ClaimOptions:
    """Return the options for reading claims about documents that were read with these options.

    Where the format of the claims has no reading of its own, labels mean what they mean in the documents.
    """
    readings = {document.reading for document in documents}
    known = {each.name: getattr(options, each.name) for each in fields(options)}
    return ClaimOptions(**{**known, "labels_like": readings.pop() if len(readings) == 1 else None})


class ClaimedDocument(NamedTuple):
    """The parts of a document that are needed to judge the claims about it. It is small, since there may be many."""

    name: str
    entities: tuple[str, ...]
    links: tuple[Link, ...]
    answer: ClosureAnswer
    took: float = 0.0  # seconds to read it

    @property
    def digest(self) -> str:
        """Return a digest of everything that is judged: links and claims."""
        from hashlib import sha256

        answer = self.answer
        said = (answer.claims, sorted(answer.unread), answer.torn) if isinstance(answer, Closed) else answer
        return sha256(repr((self.entities, self.links, said)).encode("utf-8", "surrogatepass")).hexdigest()


class JudgedDocument(NamedTuple):
    """The findings in the claims about a document. ``undecided`` says why there are none."""

    name: str
    consistent: bool = True
    pairs: int = 0
    findings: tuple[Finding, ...] = ()
    undecided: str | None = None
    left: float | None = None  # seconds of the time limit, for listing the findings

    @property
    def judged(self) -> JudgedAnswer:
        """Return the judgement in the form in which it is counted."""
        return JudgedAnswer(tuple(finding.fault for finding in self.findings), self.consistent, self.pairs)


class ClaimsJob(NamedTuple):
    """A job for ``runner.work`` that judges claims."""

    budget: float | None = None
    evidence: int = 1000  # findings of a document that get any
    determined_only: bool = False
    certify: bool = False  # findings with evidence get a certificate, too

    def results(
        self, item: ClaimedDocument, skip: int = 0, tell: Callable[[str], None] = lambda _: None
    ) -> Iterator[JudgedDocument]:
        """Yield the only result of a document."""
        if not skip:
            tell(item.name)
            yield self.judged(item)

    def failed(self, item: ClaimedDocument, _name: str | None, reason: str) -> JudgedDocument:
        """Return the entry that stands for a result that is missing."""
        return JudgedDocument(item.name, undecided=reason)

    def judged(self, item: ClaimedDocument) -> JudgedDocument:
        """Judge the claims about one document."""
        with document_time(took=item.took):
            allowed = Budget.of_document(self.budget)
        network = Network.of(Document(item.name, item.links, item.entities))
        try:
            judgement = judge(network, item.answer, Oracle(network, budget=allowed).minimal_network(), allowed)
        except BudgetExceeded as limit:
            return JudgedDocument(item.name, undecided=str(limit))
        faults = [
            fault
            for fault in judgement.faults
            if not (self.determined_only and fault.manner is Manner.MISSED_DISJUNCTION)
        ]
        misses = any(fault.kind is FaultKind.INCOMPLETE for fault in faults)
        between = LinksBetween(network) if misses else None
        findings = tuple(
            Finding(
                fault,
                evidence_for(network, fault, allowed, between) if number < self.evidence else NO_EVIDENCE,
                self._certificate(network, fault, allowed) if number < self.evidence else None,
                document=item.name,
            )
            for number, fault in enumerate(faults)
        )
        return JudgedDocument(item.name, judgement.consistent, judgement.pairs, findings, left=allowed.remaining())

    def _certificate(self, network: Network, fault: Fault, allowed: Budget) -> Mapping[str, Any] | None:
        return certificate_for(network, fault, allowed) if self.certify else None
