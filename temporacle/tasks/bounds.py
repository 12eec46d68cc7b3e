"""When each entity can start and end on the calendar: ``tp.bounds`` and ``temporacle bounds``."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple, Unpack

from temporacle.corpus.observer import SILENT
from temporacle.corpus.options import CalendarChoice, CorpusOptions, Going, HemisphereChoice, ZoneChoice
from temporacle.declared import About, task
from temporacle.errors import UsageError
from temporacle.model import skipped_words
from temporacle.passages import excerpts_of, no_entity
from temporacle.results import DocumentVerdict
from temporacle.tasks.answers import DocumentAnswer, DocumentAnswers, answers, asked, missing_values
from temporacle.wording import NO_EXCERPTS, fact_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from temporacle.calendar.policy import Calendar
    from temporacle.corpus.inputs import Inputs
    from temporacle.corpus.observer import Observer
    from temporacle.model import Document
    from temporacle.passages import Excerpts
    from temporacle.reasoner.clock.limits import EntityBounds, Limit, Range
    from temporacle.reasoner.network import Budget
    from temporacle.results import Fact

_ANSWERED = {DocumentVerdict.CONSISTENT, DocumentVerdict.INCONSISTENT}
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
    missing: Mapping[str, str] = field(default_factory=dict)  # names that the document lacks, and what to say about it

    def __repr__(self) -> str:
        what = f"{len(self.entities)} entities" if self.entities else self.verdict.value
        return f"DocumentBounds({self.document!r}, {what}{skipped_words(self.skipped_links)})"

    def found(self) -> Iterator[dict[str, Any]]:
        """Yield the lines of ``bounds --output json``."""
        for bounds, because in self.entities:
            row = {"document": self.document, **bounds.to_dict()}
            if because is not None:
                reasons: dict[str, dict[str, Any]] = {"start": {}, "end": {}}
                for (end, limit), facts in because.items():
                    reasons[end][limit] = fact_rows(facts, self.excerpts.texts)
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


@task(Bounds.of)
def bounds(
    source: Annotated[Inputs, About("A document or a folder; - is standard input.", value="PATH", path="read")],
    entities: Annotated[Sequence[str], About("Ids of entities; default: all.", value="[ENTITY...]")] = (),
    *,
    why: Annotated[bool, About("Name the links and values that each limit follows from.")] = False,
    calendar: CalendarChoice = "within",
    hemisphere: HemisphereChoice = None,
    zone: ZoneChoice = None,
    observer: Observer = SILENT,
    **shared: Unpack[CorpusOptions],
) -> Iterator[DocumentBounds]:
    """Return the earliest and latest calendar time at which each entity can start and end.

    Args:
        observer: Gets the events of the run.

    Returns:
        A sequence with the bounds of each document.

    Raises:
        UsageError: At the end, if no document has one of the entities.

    Examples:
        >>> from temporacle.model import Document, Entity, Kind
        >>> monday = Entity("t1", Kind.TIME, value="1998-02-09")
        >>> found = bounds(Document("d", [("left", "BEFORE", "t1")], known_times=(monday,)), ["left"])
        >>> found[0].entities[0].bounds.end.latest.to_dict()
        {'time': '1998-02-10T00:00:00', 'attained': False}
    """
    if not calendar:
        raise UsageError("bounds need a calendar: within, document or exact")
    going = Going.over(source, {**shared, "calendar": calendar, "hemisphere": hemisphere, "zone": zone})
    ask = partial(_bounds_of, entities=tuple(entities), calendar=going.calendar, why=why)
    journal = going.journal(observer, "bounds", tuple(entities), why)
    found = answers(source, asked(ask, DocumentBounds, going.limit), going, observer, journal)
    return _all_named(found, entities)


def _all_named(found: Iterator[DocumentBounds], entities: Sequence[str]) -> Iterator[DocumentBounds]:
    """Yield the answers. Raise UsageError for a name that no document has, before any answer."""
    if not entities:
        yield from found
        return
    every = list(found)
    for name in entities:
        said = [each.missing.get(name) for each in every if each.verdict in _ANSWERED]
        if said and None not in said:
            raise UsageError(said[0] or "")
    yield from every


def _bounds_of(
    document: Document, budget: Budget, *, entities: Sequence[str], calendar: Calendar | None, why: bool
) -> DocumentBounds:
    from temporacle.reasoner.clock.oracle import CalendarOracle

    assert calendar is not None  # noqa: S101 - bounds need one
    oracle = CalendarOracle(document, calendar, budget=budget)
    missing = {name: str(no_entity(document, name)) for name in entities if name not in oracle.network.index}
    wanted = [name for name in entities if name not in missing] if entities else oracle.network.entities
    notes = missing_values(document, oracle.values)
    if not oracle.is_consistent():
        return replace(DocumentBounds.without(document, DocumentVerdict.INCONSISTENT), missing=missing, notes=notes)
    found = tuple(_bounded(oracle, name, why=why) for name in wanted)
    return DocumentBounds(
        document.id,
        DocumentVerdict.CONSISTENT,
        document.path,
        None,
        document.dropped,
        found,
        excerpts_of(document, dict.fromkeys([*wanted, *_mentioned(found)])),
        missing,
        notes=notes,
    )


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


# --- in words ---------------------------------------------------------------------------------------------------------


def range_words(found: Range) -> str:
    """Return the limits of a start or end in words.

    >>> from temporacle.reasoner.clock.limits import Limit, Range
    >>> range_words(Range(Limit(0, attained=True), Limit(86400, attained=False)))
    '1970-01-01 … before 1970-01-02'
    """
    earliest, latest = found
    if earliest is None:
        return "any time" if latest is None else _until(latest)
    if latest is None:
        return f"{_since(earliest)} or later"
    if earliest == latest:
        return f"at {_clock(earliest)}"
    return f"{_since(earliest)} … {_until(latest)}"


def _since(limit: Limit) -> str:
    return _clock(limit) if limit.attained else f"after {_clock(limit, with_midnight=True)}"


def _until(limit: Limit) -> str:
    if not limit.attained:
        return f"before {_clock(limit)}"
    from temporacle.calendar.civil import DAY

    if limit.seconds % DAY == 0:
        return f"by the end of {_clock(limit._replace(seconds=limit.seconds - DAY))}"
    return f"by {_clock(limit)}"


def _clock(limit: Limit, *, with_midnight: bool = False) -> str:
    """Return a time as text. Midnight is written as the date alone, unless that could be taken for the day."""
    from temporacle.calendar.civil import iso_time

    time = iso_time(limit.seconds).removesuffix(":00")
    return time if with_midnight else time.removesuffix("T00:00")
