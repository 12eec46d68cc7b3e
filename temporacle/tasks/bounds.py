"""When each entity can start and end on the calendar: ``tp.bounds`` and ``temporacle bounds``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Unpack

from temporacle.corpus.inputs import ReadingOptions, options_for
from temporacle.errors import UsageError
from temporacle.passages import excerpts_of
from temporacle.results import DocumentVerdict
from temporacle.tasks.answers import Answered, DocumentAnswer, DocumentAnswers, each_answer
from temporacle.tasks.calendars import chosen_calendar, report_missing_values
from temporacle.wording import NO_EXCERPTS, fact_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from temporacle.calendar.policy import Calendar
    from temporacle.corpus.inputs import Inputs
    from temporacle.model import Document, Remark
    from temporacle.passages import Excerpts
    from temporacle.reasoner.clock.bounds import EntityBounds
    from temporacle.reasoner.network import Budget
    from temporacle.results import Fact

LIMITS = tuple((end, limit) for end in ("start", "end") for limit in ("earliest", "latest"))


class Bounded(NamedTuple):
    """The bounds of one entity, and what each limit follows from if that was asked for."""

    bounds: EntityBounds
    because: dict[tuple[str, str], tuple[Fact, ...]] | None = None  # by ("start", "earliest") and so on


@dataclass(frozen=True, slots=True, repr=False)
class DocumentBounds(DocumentAnswer):
    """The bounds of the entities of one document."""

    columns: ClassVar[tuple[str, ...]] = (
        *("document", "entity", "clock", "start_earliest", "start_latest", "end_earliest", "end_latest"),
        *("start_earliest_attained", "start_latest_attained", "end_earliest_attained", "end_latest_attained"),
    )

    entities: tuple[Bounded, ...] = ()
    excerpts: Excerpts = NO_EXCERPTS

    def __repr__(self) -> str:
        what = f"{len(self.entities)} entities" if self.entities else self.verdict.value
        return f"DocumentBounds({self.document!r}, {what})"

    def found(self) -> Iterator[dict[str, Any]]:
        """Yield the lines of ``bounds --output json``."""
        for bounds, because in self.entities:
            row = {"document": self.document, **bounds.to_dict()}
            if because is not None:
                reasons: dict[str, dict[str, Any]] = {"start": {}, "end": {}}
                for (end, limit), facts in because.items():
                    reasons[end][limit] = fact_rows(facts, self.excerpts)
                row["because"] = reasons
            yield row

    def table(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of a frame: a time and whether it is attained for each limit, None without a limit."""
        for bounds, _ in self.entities:
            row: dict[str, Any] = {"document": self.document, "entity": bounds.entity, "clock": bounds.clock}
            for end, limit in LIMITS:
                found = getattr(getattr(bounds, end), limit)
                row[f"{end}_{limit}"] = None if found is None else found.to_dict()["time"]
                row[f"{end}_{limit}_attained"] = None if found is None else found.attained
            yield row


class Bounds(DocumentAnswers[DocumentBounds]):
    """The bounds of all documents of a source."""

    kind = DocumentBounds


def bounds(
    source: Inputs,
    entities: Sequence[str] = (),
    *,
    calendar: str | bool | Calendar = True,
    hemisphere: str | None = None,
    zone: str | None = None,
    why: bool = False,
    budget: float | None = None,
    **reading: Unpack[ReadingOptions],
) -> Bounds:
    """Return the earliest and latest calendar time at which each entity can start and end.

    ``source``: paths, documents, statements of one document, or a frame.
    ``entities``: ids; without them all entities.
    ``calendar``: within (or True), document or exact; with ``hemisphere`` and ``zone`` as for ``Oracle``.
    ``why``: find the links and values that each limit follows from.
    ``budget``: seconds per document; a document that takes longer is undecided.
    ``reading``, ``during``, ``format``, ...: how to read the source.

    >>> from temporacle.model import Document, Entity, Kind
    >>> monday = Entity("t1", Kind.TIME, value="1998-02-09")
    >>> found = bounds(Document("d", [("left", "BEFORE", "t1")], known_times=(monday,)), ["left"])
    >>> found[0].entities[0].bounds.end.latest.to_dict()
    {'time': '1998-02-10T00:00:00', 'attained': False}
    """
    chosen = chosen_calendar(calendar, hemisphere, zone)
    if chosen is None:
        raise UsageError("bounds need a calendar: within, document or exact")
    return Bounds(tuple(each for each, _ in each_bounds(source, entities, chosen, why=why, budget=budget, **reading)))


def each_bounds(
    source: Inputs,
    entities: Sequence[str],
    calendar: Calendar,
    *,
    why: bool = False,
    budget: float | None = None,
    report: Callable[[Remark], None] | None = None,
    **reading: Unpack[ReadingOptions],
) -> Iterator[Answered[DocumentBounds]]:
    """Yield the same one document at a time. Raise UsageError at the end if no document has a named entity."""
    unknown = dict.fromkeys(entities)

    def ask(document: Document, allowed: Budget) -> DocumentBounds:
        from temporacle.reasoner.clock.oracle import CalendarOracle

        oracle = CalendarOracle(document, calendar, budget=allowed)
        report_missing_values(document, oracle.values, report)
        wanted = [name for name in entities if name in oracle.network.index] if entities else oracle.network.entities
        for name in wanted:
            unknown.pop(name, None)
        if not oracle.is_consistent():
            return DocumentBounds.without(document, DocumentVerdict.INCONSISTENT)
        found = tuple(_bounded(oracle, name, why=why) for name in wanted)
        return DocumentBounds(
            document.id,
            DocumentVerdict.CONSISTENT,
            document.path,
            None,
            document.dropped,
            found,
            excerpts_of(document, dict.fromkeys([*wanted, *_mentioned(found)])),
        )

    options = replace(options_for(source, reading), values=True)
    yield from each_answer(source, options, budget, ask, DocumentBounds, report=report)
    if unknown:
        raise UsageError(f"no document has an entity {', '.join(map(repr, unknown))}")


def _bounded(oracle: Any, name: str, *, why: bool) -> Bounded:
    found = oracle.bounds(name)
    if not why:
        return Bounded(found)
    because = {
        (end, limit): oracle.facts_behind_limit(name, end, latest=limit == "latest")
        for end, limit in LIMITS
        if getattr(getattr(found, end), limit) is not None
    }
    return Bounded(found, because)


def _mentioned(found: Sequence[Bounded]) -> Iterator[str]:
    for each in found:
        for facts in (each.because or {}).values():
            for fact in facts:
                yield from fact.entities
