"""An audit of files: each document of SOURCE judged by what CLAIMED says about it, wherever work is done."""

from __future__ import annotations

from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.audit.evidence import Evidence, evidence_for
from temporacle.audit.findings import Answer, Closed, Fault, Kind, Manner, SaidInconsistent
from temporacle.audit.judge import judge
from temporacle.audit.run import Report
from temporacle.audit.subjects.claims import Claims, read_claims
from temporacle.commands.audit_rows import counts, finding, rates
from temporacle.commands.common import complain, complaints_about, json_text, note
from temporacle.commands.progress import Bar
from temporacle.errors import BudgetExceeded, UsageError
from temporacle.model import Document
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.oracle import Oracle
from temporacle.runner.names import Named, named, named_documents
from temporacle.runner.spread import spread

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from temporacle.io.source import Options
    from temporacle.model import Unreadable
    from temporacle.runner.place import Place
    from temporacle.runner.resume import NamedJournal

    Row = dict[str, Any]


class Asked(NamedTuple):
    """A document and the answer that is to be judged; ``number`` tells documents of one name apart."""

    number: int
    document: Named
    answer: Answer

    @property
    def key(self) -> str:
        return f"{self.number} {self.document.name}"

    @property
    def carried(self) -> int:
        return self.document.carried

    def load(self) -> None:
        """Read the file, so that it travels with the question."""
        self.document.load()


class Judged(NamedTuple):
    """What is counted about a document, and the rows of its findings. Nothing is counted about one not readable."""

    document: str
    consistent: bool = True
    pairs: int = 0
    rows: Sequence[Row] = ()
    undecided: str | None = None
    complaints: Sequence[str] = ()
    readable: bool = True


class Judge(NamedTuple):
    """How to judge."""

    budget: float | None = None
    evidence: int = 1000  # findings of a document that get any
    determined_only: bool = False

    def judged(self, asked: Asked) -> Judged | list[Document | Unreadable]:
        """Judge one document; or what its file holds, if it is something else."""
        found = asked.document.documents()
        if not asked.document.is_as_promised(found, str):
            return found
        document, complaints = found[0], complaints_about(found[0])
        if not isinstance(document, Document):
            return Judged(document.id, complaints=complaints, readable=False)
        network, allowed = Network.of(document), Budget(self.budget)
        try:
            judgement = judge(network, asked.answer, Oracle(network, budget=allowed).minimal_network())
        except BudgetExceeded as limit:
            return Judged(document.id, undecided=str(limit), complaints=complaints)
        faults = [
            fault
            for fault in judgement.faults
            if not (self.determined_only and fault.manner is Manner.MISSED_DISJUNCTION)
        ]
        rows = []
        for number, fault in enumerate(faults):
            why = evidence_for(network, fault, allowed) if number < self.evidence else Evidence()
            rows.append(finding({"document": document.id}, fault, why))
        return Judged(document.id, judgement.consistent, judgement.pairs, rows, complaints=complaints)

    def failed(self, asked: Asked, reason: str) -> Judged:
        """For a document that something went wrong with."""
        return Judged(asked.document.name, undecided=reason)


class FileAudit:
    """Rows as they are found; the summary afterwards."""

    def __init__(self, source: str, claimed: str, options: Options, judge: Judge) -> None:
        self.trouble = False
        self._source, self._claimed = source, claimed
        self._options = options
        self._judge = judge
        self._report = Report(claimed)
        self._findings = 0
        self._numbers = 0
        self._claims = Claims()
        self._strange: set[str] = set()  # documents that are claimed something about, and have not been met

    def rows(self, place: Place, journal: NamedJournal[Judged] | None) -> Iterator[Row]:
        """The findings, document by document."""
        for judged in self._all_judged(place, journal):
            for message in judged.complaints:
                self._say(message)
            if not judged.readable:
                continue
            self._report.cases += 1
            self._note_claims_about(judged.document)
            if judged.undecided is not None:
                self._report.undecided += 1
                complain(f"{judged.document}: {judged.undecided}")
                continue
            faults = [Fault(Kind(row["kind"]), Manner(row["manner"])) for row in judged.rows]
            self._report.count(judged.consistent, judged.pairs, faults)
            self._findings += len(judged.rows)
            yield from judged.rows
        if not self._report.cases:
            raise UsageError(f"{self._source} holds no readable document")
        for stranger in sorted(self._strange):
            self._say(f"{self._claimed}: document {stranger!r} is not in {self._source}")

    def summary(self) -> Row:
        """The last line."""
        report = self._report
        row = {"summary": True, "subject": self._claimed, "documents": report.cases, **counts(report)}
        row["findings"] = self._findings
        return {**row, "rates": rates(row), "clean": report.clean}

    def _say(self, message: str) -> None:
        complain(message)
        self.trouble = True

    def _note_claims_about(self, document: str) -> None:
        self._strange.discard(document)
        if document not in self._claims.answers and not self._claims.everything:
            complain(f"note: {self._claimed} claims nothing about document {document!r}")

    # --- what is asked ------------------------------------------------------------------------------------------------

    def _all_judged(self, place: Place, journal: NamedJournal[Judged] | None) -> Iterator[Judged]:
        self._read_claims()
        documents = self._named()
        done: set[str] = set()
        for name, judged in journal.replay("") if journal is not None else ():
            done.add(name)
            yield judged

        def keep(found: Sequence[tuple[Asked, Judged | list[Document | Unreadable]]]) -> None:
            if journal is not None:
                journal.add("", [(asked.key, each) for asked, each in found if isinstance(each, Judged)])

        strangers: list[Named] = []
        with Bar.over(self._source) as bar:
            for every in (documents, strangers):  # the second is known once the first is done
                left = (asked for asked in self._asked(every) if asked.key not in done)
                for asked, found in spread(
                    self._judge.judged,
                    left,
                    place,
                    failed=self._judge.failed,
                    size=lambda asked: asked.carried,
                    load=Asked.load,
                    keep=keep,
                ):
                    bar.advance(1, asked.document.size)
                    if isinstance(found, Judged):
                        yield found
                    else:
                        strangers += [named(document, str) for document in found]

    def _read_claims(self) -> None:
        self._claims = claims = read_claims(self._claimed, self._options)
        for message in claims.troubles:
            self._say(message)
        if not claims.answers and not claims.everything and claims.troubles:
            raise UsageError(f"{self._claimed} holds no readable closure")

    def _named(self) -> Iterator[Named]:
        claims = self._claims
        every = named_documents(self._source, self._options, str, report=note)
        first = list(islice(every, 2))
        if len(first) == len(claims.answers) == 1:  # a document and a closure, whatever the two files are called
            first = [named(document, str) for document in first[0].documents()]
            if len(first) == 1:
                claims.answers = {first[0].name: next(iter(claims.answers.values()))}
        self._strange = set(claims.answers)
        return chain(first, every)

    def _asked(self, documents: Iterable[Named]) -> Iterator[Asked]:
        claims = self._claims
        for document in documents:
            self._numbers += 1
            answer = claims.answers.get(document.name, Closed(()))
            yield Asked(self._numbers, document, SaidInconsistent() if claims.everything else answer)


def journal_of_judgements(path: str, run: tuple[object, ...]) -> NamedJournal[Judged]:
    """A journal of what was found in each document. ``run`` holds all that decides about it."""
    from temporacle import __version__
    from temporacle.runner.resume import NamedJournal

    text = repr((__version__, "audit", *run))
    return NamedJournal(path, text, lambda judged: json_text(judged._asdict()), lambda row: Judged(**row))
