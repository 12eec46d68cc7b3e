"""The strongest relation of every pair of entities: ``tp.closure`` and ``temporacle closure``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

from temporacle.corpus.inputs import ReadingOptions, options_for
from temporacle.errors import BudgetExceeded, UsageError
from temporacle.reasoner.judged import Judged
from temporacle.reasoner.network import Network, PairTable, point_labels
from temporacle.reasoner.proofs.certificate import accepted, certify_conflict, certify_table, to_json
from temporacle.reasoner.reference.engines import engine_named
from temporacle.results import DocumentVerdict
from temporacle.tasks.answers import Answered, DocumentAnswer, DocumentAnswers, each_answer
from temporacle.tasks.calendars import chosen_calendar, report_missing_values
from temporacle.tasks.certificate_files import CHANGED, CertificateFiles, DocumentFiles
from temporacle.tasks.provenance import require_recordable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from os import PathLike

    from temporacle.calendar.policy import Calendar
    from temporacle.corpus.inputs import Inputs
    from temporacle.model import Document, Remark
    from temporacle.reasoner.network import Budget
    from temporacle.relation import Relation


@dataclass(frozen=True, slots=True, repr=False)
class DocumentClosure(DocumentAnswer):
    """The relations that follow for each pair of entities of one document."""

    columns: ClassVar[tuple[str, ...]] = ("document", "source", "relation", "target")

    pair_table: PairTable | None = None  # None unless the document is consistent
    universal: bool = False  # whether pairs about which nothing is known are listed
    certificate_path: str | None = None  # the certificate that was written
    uncertified: str | None = None  # why none was written, although one was asked for

    def __repr__(self) -> str:
        what = self.verdict.value if self.pair_table is None else f"{len(self.pair_table.entities)} entities"
        return f"{type(self).__name__}({self.document!r}, {what})"

    def relation(self, source: str, target: str) -> Relation:
        """Return the strongest relation of two entities.

        >>> closure([("a", "MEETS", "b"), ("b", "MEETS", "c")])[0].relation("c", "a")
        Relation('bi')
        """
        table = self.pair_table or PairTable((), ())
        try:
            return table.relation(source, target)
        except KeyError:
            known = Network((), table.entities)
            known.number(source)  # UsageError with known ones
            known.number(target)
            raise

    def pairs(self) -> Iterator[tuple[str, Relation, str]]:
        """Yield each unordered pair once, in order of first mention.

        >>> list(closure([("a", "MEETS", "b"), ("b", "MEETS", "c")])[0].pairs())[-1]
        ('b', Relation('m'), 'c')
        """
        return iter(()) if self.pair_table is None else self.pair_table.pairs(universal=self.universal)

    def found(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of a consistent document."""
        for source, relation, target in self.pairs():
            yield {"document": self.document, "source": source, "relation": list(relation.atoms), "target": target}

    def table(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of a frame."""
        for source, relation, target in self.pairs():
            yield {"document": self.document, "source": source, "relation": str(relation), "target": target}


@dataclass(frozen=True, slots=True, repr=False)
class DocumentPoints(DocumentClosure):
    """The labels that follow for each pair of endpoints of one document."""

    columns: ClassVar[tuple[str, ...]] = ("document", "left", "label", "right")

    def found(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of a consistent document."""
        if self.pair_table is not None:
            for left, label, right in point_labels(self.pair_table, universal=self.universal):
                yield {"document": self.document, "left": left, "label": label, "right": right}

    def table(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of a frame."""
        return self.found()


class Closures(DocumentAnswers[DocumentClosure]):
    """The closures of all documents of a source."""

    kind = DocumentClosure


def closure(
    source: Inputs,
    *,
    engine: str = "exact",
    points: bool = False,
    all: bool = False,  # noqa: A002 - named as on the command line
    budget: float | None = None,
    calendar: str | bool | Calendar | None = None,
    hemisphere: str | None = None,
    zone: str | None = None,
    certificate: str | PathLike[str] | None = None,
    certificates: str | PathLike[str] | None = None,
    **reading: Unpack[ReadingOptions],
) -> Closures:
    """Return the strongest relation that each document entails for every pair of its entities.

    ``source``: paths, documents, statements of one document, or a frame.
    ``engine``: exact, cpsat, enumeration, timegraph, or propagation, which is sound but not complete.
    ``points``: labels between endpoints instead of relations between entities.
    ``all``: list pairs about which nothing is known, too.
    ``budget``: seconds per document; a document that takes longer is undecided.
    ``calendar``, ``hemisphere``, ``zone``: use the values of time expressions, as for ``Oracle`` (exact, cpsat).
    ``certificate``: a file for a proof that the closure of the only document is right and complete. ``certificates``: a
    folder with such a file for each document. ``tp.verify`` checks them. For the engine exact, without calendar.
    ``reading``, ``during``, ``format``, ...: how to read the source.

    A document that is inconsistent, undecided or unreadable has its verdict instead of pairs.

    >>> found = closure([("left", "BEFORE", "docked"), ("docked", "b|m", "unloaded")])
    >>> found
    Closures(1 document)
    >>> for source, relation, target in found[0].pairs(): print(source, relation, target)
    left b docked
    left b unloaded
    docked b|m unloaded
    """
    answers = each_closure(
        source,
        engine=engine,
        points=points,
        all=all,
        budget=budget,
        calendar=chosen_calendar(calendar, hemisphere, zone),
        certificate=certificate,
        certificates=certificates,
        **reading,
    )
    return Closures(tuple(answer for answer, _ in answers))


def each_closure(
    source: Inputs,
    *,
    engine: str = "exact",
    points: bool = False,
    all: bool = False,  # noqa: A002 - named as on the command line
    budget: float | None = None,
    calendar: Calendar | None = None,
    certificate: str | PathLike[str] | None = None,
    certificates: str | PathLike[str] | None = None,
    report: Callable[[Remark], None] | None = None,
    **reading: Unpack[ReadingOptions],
) -> Iterator[Answered[DocumentClosure]]:
    """Return the same one document at a time, without keeping them.

    ``report`` gets remarks about the source as a whole.
    """
    chosen = engine_named(engine)
    options = options_for(source, reading)
    proofs: ClosureProofs | None = None
    if certificate is not None or certificates is not None:
        if calendar is not None or engine != "exact":
            raise UsageError("certificates of closures need the engine exact, without calendar: leave out the option")
        require_recordable(options.choices)
        proofs = ClosureProofs(certificate, certificates)
    kind = DocumentPoints if points else DocumentClosure

    def ask(document: Document, allowed: Budget) -> DocumentClosure:
        if calendar is None:
            network = Network.of(document)
            answer = closure_of(document, chosen.closure(network, allowed), kind, universal=all)
            return answer if proofs is None else proofs.added(answer, document, network, allowed)
        from temporacle.reasoner.clock.oracle import CalendarOracle

        oracle = CalendarOracle(document, calendar, budget=allowed)
        report_missing_values(document, oracle.values, report)
        if engine == "cpsat":
            from temporacle.reasoner.reference.cpsat import scaled_closure

            return closure_of(document, scaled_closure(oracle.problem, allowed), kind, universal=all)
        table = oracle.minimal_network()
        return closure_of(document, table, kind, universal=all)

    if calendar is not None:
        if engine not in {"exact", "cpsat"}:
            raise UsageError(f"engine {engine!r} does not know values: with calendar choose exact or cpsat")
        options = replace(options, values=True)
    return each_answer(source, options, budget, ask, kind, report=report)


class ClosureProofs:
    """Writes the certificates of closures."""

    def __init__(self, file: str | PathLike[str] | None, folder: str | PathLike[str] | None) -> None:
        self._files = CertificateFiles(folder, file=file)
        self._documents = DocumentFiles()

    def added(self, answer: DocumentClosure, document: Document, network: Network, budget: Budget) -> DocumentClosure:
        """Return the answer with the path of its certificate, or the reason why it has none."""
        table = answer.pair_table
        try:
            found = (
                certify_conflict(Judged(network, budget)) if table is None else certify_table(network, table, budget)
            )
        except BudgetExceeded as limit:
            return replace(answer, uncertified=str(limit))
        about = self._documents.record(document.id, document.path, document.how_read, document.dropped)
        if about is None:
            return replace(answer, uncertified=CHANGED)
        form = accepted(to_json(found, about))
        return replace(answer, certificate_path=str(self._files.write(document.id, form, read=[document.path])))


def closure_of(
    document: Document,
    table: PairTable | None,
    kind: type[DocumentClosure] = DocumentClosure,
    *,
    universal: bool = False,
) -> DocumentClosure:
    """Return the result for a document whose table of pairs is known. A table of None means that it is inconsistent."""
    if table is None:
        return kind.without(document, DocumentVerdict.INCONSISTENT)
    return kind(document.id, DocumentVerdict.CONSISTENT, document.path, None, document.dropped, table, universal)
