"""The strongest relation of every pair of entities: ``tp.closure`` and ``temporacle closure``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

from temporacle.errors import UsageError
from temporacle.reasoner.engines import engine_named
from temporacle.reasoner.network import Network, PairTable
from temporacle.reasoner.points import point_labels
from temporacle.results import DocumentVerdict
from temporacle.tasks.answers import Answered, DocumentAnswer, DocumentAnswers, each_answer
from temporacle.tasks.calendars import chosen_calendar, report_missing_values
from temporacle.tasks.inputs import ReadingOptions, options_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from temporacle.calendar.policy import Calendar
    from temporacle.model import Document, Remark
    from temporacle.reasoner.network import Budget
    from temporacle.relation import Relation
    from temporacle.tasks.inputs import Inputs


@dataclass(frozen=True, slots=True, repr=False)
class DocumentClosure(DocumentAnswer):
    """The relations that follow for each pair of entities of one document."""

    columns: ClassVar[tuple[str, ...]] = ("document", "source", "relation", "target")

    pair_table: PairTable | None = None  # None unless the document is consistent
    universal: bool = False  # whether pairs about which nothing is known are listed

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
    **reading: Unpack[ReadingOptions],
) -> Closures:
    """Return the strongest relation that each document entails for every pair of its entities.

    ``source``: paths, documents, statements of one document, or a frame.
    ``engine``: exact, cpsat, enumeration, timegraph, or propagation, which is sound but not complete.
    ``points``: labels between endpoints instead of relations between entities.
    ``all``: list pairs about which nothing is known, too.
    ``budget``: seconds per document; a document that takes longer is undecided.
    ``calendar``, ``hemisphere``, ``zone``: use the values of time expressions, as for ``Oracle`` (exact, cpsat).
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
    report: Callable[[Remark], None] | None = None,
    **reading: Unpack[ReadingOptions],
) -> Iterator[Answered[DocumentClosure]]:
    """Return the same one document at a time, without keeping them.

    ``report`` gets remarks about the source as a whole.
    """
    chosen = engine_named(engine)
    kind = DocumentPoints if points else DocumentClosure

    def ask(document: Document, allowed: Budget) -> DocumentClosure:
        if calendar is None:
            return closure_of(document, chosen.closure(Network.of(document), allowed), kind, universal=all)
        from temporacle.reasoner.metric.oracle import CalendarOracle

        oracle = CalendarOracle(document, calendar, budget=allowed)
        report_missing_values(document, oracle.values, report)
        if engine == "cpsat":
            from temporacle.reasoner.metric.scaled import scaled_closure

            return closure_of(document, scaled_closure(oracle.problem, allowed), kind, universal=all)
        table = oracle.minimal_network()
        return closure_of(document, table, kind, universal=all)

    options = options_for(source, reading)
    if calendar is not None:
        if engine not in {"exact", "cpsat"}:
            raise UsageError(f"engine {engine!r} does not know values: with calendar choose exact or cpsat")
        options = replace(options, values=True)
    return each_answer(source, options, budget, ask, kind, report=report)


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
