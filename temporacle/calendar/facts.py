"""The values of a document as facts: what can be believed, blamed or dropped, with the constraints it stands for.

A fact is the value of a time (its id is that of the time, ``t3``), or the time at which another one begins or ends
(``t5.beginPoint``). It gives a few *constraints* ``right - left <= seconds`` (or ``<``) between endpoints such as
``t3.start``, or between an endpoint and an origin: ``@`` is the moment at which the document's clock shows
1970-01-01T00:00:00, ``@Z`` the moment at which UTC does.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.calendar.civil import iso_time
from temporacle.calendar.said import END, START, UTC, Constraint, origin_of, reader_of_times
from temporacle.model import Remark
from temporacle.printing import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from temporacle.calendar.policy import Calendar
    from temporacle.calendar.values import Span
    from temporacle.model import Document, Entity

EARLIEST_ZONE, LATEST_ZONE = -12 * 3600, 14 * 3600  # of @Z - @, where the zone is not known


class CalendarFact(NamedTuple):
    """What one attribute of one time says."""

    id: str  # "t3" or "t5.beginPoint"
    entity: str
    attribute: str  # value, beginPoint or endPoint
    value: str | None  # as written; of a beginPoint or endPoint that of the time it names
    type: str | None
    mod: str | None
    dct: bool  # marks when the document was written
    constraints: tuple[Constraint, ...]
    text: str | None = None
    line: int | None = None

    @property
    def label(self) -> str:
        """What is said, in short: where a link has its label."""
        return f"{self.mod} {self.value}" if self.mod else str(self.value)

    @property
    def weight(self) -> int:
        return 1

    def reads(self) -> dict[str, list[Any]]:
        """What the constraints say about start, end and length, as JSON output gives it."""
        own = (f"{self.entity}.start", f"{self.entity}.end")
        found: dict[str, list[Any]] = {}
        for left, right, seconds, strict in self.constraints:
            if left in own and right in own:
                lower = right == own[0]
                found.setdefault("length", []).extend([_sign(lower, strict), -seconds if lower else seconds])
                continue
            lower = left in own
            point, origin = (left, right) if lower else (right, left)
            time = iso_time(-seconds if lower else seconds) + ("Z" if origin == UTC else "")
            found.setdefault(point.rpartition(".")[2], []).extend([_sign(lower, strict), time])
        for name, said in found.items():
            if len(said) == 4 and said[1] == said[3]:
                found[name] = ["=", said[1]]
            elif len(said) == 4 and said[0] in ("<", "<="):
                found[name] = [*said[2:], *said[:2]]
        return found

    @property
    def entities(self) -> tuple[str, ...]:
        return (self.entity,)

    @property
    def said(self) -> str:
        """What the fact says, by ids."""
        return f"{self.id} = {self.label}"

    def to_dict(self, texts: Mapping[str, str] = MappingProxyType({})) -> dict[str, Any]:
        """VALUE of the JSON output. ``texts``: the words of entities, where the fact does not know its own."""
        return {
            "id": self.id,
            "entity": self.entity,
            "attribute": self.attribute,
            "value": self.value,
            "mod": self.mod,
            "text": self.text or texts.get(self.entity),
            "reads": self.reads(),
            "line": self.line,
        }

    def to_record(self) -> dict[str, Any]:
        """The fact in certificates."""
        return {
            "fact": self.id,
            "entity": self.entity,
            "value": self.value,
            "type": self.type,
            "mod": self.mod,
            "dct": self.dct,
            "constraints": [list(constraint) for constraint in self.constraints],
        }


def _sign(lower: bool, strict: bool) -> str:  # noqa: FBT001 - two properties of a bound
    return (">" if lower else "<") + ("" if strict else "=")


class DocumentValues(NamedTuple):
    """What the values of a document say."""

    facts: tuple[CalendarFact, ...]  # those that constrain something, in the order of the entities
    remarks: tuple[Remark, ...]
    times: int  # time expressions
    values: int  # of these, those that have a value

    @property
    def constraining(self) -> int:
        """The times whose value constrains something."""
        return sum(fact.attribute == "value" for fact in self.facts)


DCT_FUNCTIONS = frozenset(
    f"{name}_TIME" for name in ("CREATION", "PUBLICATION", "RELEASE", "MODIFICATION", "RECEPTION", "EXPIRATION")
)


def values_of(document: Document, calendar: Calendar) -> DocumentValues:
    """The facts of a document under a calendar, and remarks on values that cannot be read."""
    times = _times(document)
    facts: list[CalendarFact] = []
    remarks: list[Remark] = []
    not_times: list[tuple[Entity, str, str]] = []  # a time, beginPoint or endPoint, and what it names
    spans: dict[str, Span | None] = {}
    read = reader_of_times(calendar)
    for time in times.values():
        is_dct = marks_writing(time)
        said = read(time.value, time.type, time.mod, is_dct)
        if said.remarks:
            remarks += remarks_on(time, said.remarks)
        spans[time.id] = said.span
        if said.constraints:
            facts.append(_fact(time, "value", time, _named(time.id, said.constraints), dct=is_dct))
        for attribute, other in (("beginPoint", time.begin_point), ("endPoint", time.end_point)):
            if not other or not other.strip():
                continue
            named = times.get(other.strip())
            if named is None:
                not_times.append((time, attribute, other.strip()))
            elif named is not time:
                facts.append(_fact(time, attribute, named, ()))  # constraints come when all spans are known
    entities = frozenset(document.entity_ids if not_times else ())
    for time, attribute, other in not_times:
        if other not in entities:  # an event has no date; then the attribute has no effect, which is not an error
            message = f"{attribute} of {shown(time.id)} names {shown(other)}, which the document does not have"
            remarks.append(Remark("dangling-id", message, time.line, time.id))
    return DocumentValues(
        tuple(_with_anchors(facts, times, spans)),
        tuple(remarks),
        len(times),
        sum(bool(time.value and time.value.strip()) for time in times.values()),
    )


def marks_writing(time: Entity) -> bool:
    """Return whether a time says when the document was written."""
    return time.is_dct or (time.function is not None and time.function.strip().upper() in DCT_FUNCTIONS)


def remarks_on(time: Entity, said: Iterable[Remark]) -> list[Remark]:
    """Return remarks with the place of the time."""
    return [remark._replace(line=time.line, element=time.id) for remark in said]


def _named(name: str, constraints: Iterable[Constraint]) -> tuple[Constraint, ...]:
    """Return constraints between endpoints of the time of this name."""
    point = {START: f"{name}.{START}", END: f"{name}.{END}"}
    return tuple(
        Constraint(point.get(left, left), point.get(right, right), seconds, strict)
        for left, right, seconds, strict in constraints
    )


def _times(document: Document) -> dict[str, Entity]:
    """Time expressions by id; of two with one id the first counts."""
    found: dict[str, Entity] = {}
    for entity in document.times:
        found.setdefault(entity.id, entity)
    return found


def _fact(
    time: Entity, attribute: str, named: Entity, constraints: tuple[Constraint, ...], *, dct: bool = False
) -> CalendarFact:
    name = time.id if attribute == "value" else f"{time.id}.{attribute}"
    return CalendarFact(
        name, time.id, attribute, named.value, named.type, named.mod, dct, constraints, time.text, time.line
    )


def _with_anchors(
    facts: Iterable[CalendarFact], times: dict[str, Entity], spans: dict[str, Span | None]
) -> Iterator[CalendarFact]:
    """Yield facts with constraints for those that place the begin or end of a time, without those without effect."""
    for fact in facts:
        if fact.attribute == "value":
            yield fact
            continue
        time = times[fact.entity]
        begins = fact.attribute == "beginPoint"
        other = time.begin_point if begins else time.end_point
        span = spans[(other or "").strip()]
        if span is not None:
            point, origin = f"{time.id}.{'start' if begins else 'end'}", origin_of(span)
            yield fact._replace(constraints=(Constraint(point, origin, -span.lo), Constraint(origin, point, span.hi)))


def date_fact(name: str, span: Span) -> CalendarFact:
    """A calendar unit as an interval of its own: it starts and ends with the unit, whatever the policy."""
    start, end, origin = f"{name}.start", f"{name}.end", origin_of(span)
    constraints = (
        Constraint(start, origin, -span.lo),
        Constraint(origin, end, span.hi),
        Constraint(origin, start, span.lo),
        Constraint(end, origin, -span.hi),
    )
    return CalendarFact(name, name, "value", name, None, None, dct=False, constraints=constraints)
