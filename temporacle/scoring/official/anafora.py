"""anaforatools: counts of equal annotations, a row for each type, property and value; with an optional closure.

A *row* such as ``TLINK:Type`` takes the annotations of a type and compares what it says about them: their *keys*, made
of spans, type and properties. A side is the set of its keys, so equal annotations count once.
"""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from temporacle.errors import InputError, UsageError
from temporacle.results import harmonic_mean
from temporacle.scoring.awareness import AwarenessCounts
from temporacle.scoring.clinical import FACTS, exact_links
from temporacle.scoring.metric import option
from temporacle.scoring.official.pairs.schemes import differing_figures
from temporacle.scoring.official.registry import (
    AddedUp,
    Layout,
    Printout,
    Program,
    ProgramOptions,
    ProgramRequest,
    ProgramRun,
    Stop,
    nothing_found,
)
from temporacle.scoring.official.registry import harmonic_mean as mean_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

    from temporacle.errors import TemporacleError
    from temporacle.io.anafora import AnaforaRecord

_ANY, _SPAN = "*", "<span>"
RowPath: TypeAlias = tuple[str, ...]
Spans: TypeAlias = tuple[Any, ...]


@dataclass(eq=False, slots=True)
class AnaforaAnnotation:
    """An entity or a relation of one file. A property's value is a text, an annotation, or None."""

    type: str
    is_relation: bool
    pieces: tuple[tuple[int, int], ...] = ()
    properties: dict[str, str | AnaforaAnnotation | None] = field(default_factory=dict)

    def arguments(self) -> list[AnaforaAnnotation]:
        """Return the annotations among the properties, in the order of names."""
        return [value for _, value in sorted(self.properties.items()) if isinstance(value, AnaforaAnnotation)]


def resolved(records: Iterable[AnaforaRecord]) -> list[AnaforaAnnotation]:
    """Return the annotations of a file. A property that holds the id of an annotation has that annotation as value."""
    found: dict[str | None, AnaforaAnnotation] = {}
    written: list[tuple[AnaforaAnnotation, AnaforaRecord]] = []
    for record in records:
        if record.tag not in {"entity", "relation"}:
            raise Stop("ValueError", f"<{record.tag}> among the annotations")
        if record.id in found:
            raise Stop("ValueError", f"the id {record.id!r} is used twice")
        annotation = AnaforaAnnotation(record.type or "", record.tag == "relation", _pieces(record.span))
        found[record.id] = annotation
        written.append((annotation, record))
    for annotation, record in written:
        for name, value in record.properties:
            annotation.properties[name] = found.get(value, value) if value else None
    return [annotation for annotation, _ in written]


def _pieces(span: str | None) -> tuple[tuple[int, int], ...]:
    if span is None:
        return ()
    pieces = []
    for piece in span.split(";"):
        try:
            start, end = map(int, piece.split(","))
        except ValueError:
            raise Stop("ValueError", f"{span!r} is not a span") from None
        pieces.append((start, end))
    return tuple(pieces)


@dataclass(frozen=True, slots=True)
class Selection:
    """The expressions of ``-i`` and ``-e``, cut at their colons."""

    include: tuple[RowPath, ...] = ()
    exclude: tuple[RowPath, ...] = ()

    def __call__(self, *path: Any) -> bool:
        included = not self.include or any(_hits(each, path) for each in self.include)
        return included and not self.excludes(*path)

    def excludes(self, *path: Any) -> bool:
        return any(_hits(each, path) for each in self.exclude)


def _hits(expression: RowPath, path: Sequence[Any]) -> bool:
    return len(expression) <= len(path) and all(
        place in (_ANY, found)
        for place, found in zip(expression, path)  # noqa: B905 - the path may be longer
    )


@dataclass(frozen=True, slots=True)
class RowCounts(AddedUp):
    """Counts of a row; the two counts of correct ones differ with a closure only."""

    reference: int = 0
    predicted: int = 0
    precise: int = 0
    recalled: int = 0

    @property
    def ratios(self) -> tuple[float, float, float]:
        precision = self.precise / self.predicted if self.predicted else 1.0
        recall = self.recalled / self.reference if self.reference else 1.0
        return precision, recall, mean_of(precision, recall)


class AnaforaPair(NamedTuple):
    """A document: its annotations on both sides, or the error with which reading one of them ends."""

    name: str
    reference: Sequence[AnaforaAnnotation] | Stop
    predicted: Sequence[AnaforaAnnotation] | Stop


def run(pairs: Iterable[AnaforaPair], options: AnaforaChoices) -> Printout:
    """Return what the program prints."""
    total: dict[RowPath, RowCounts] = {}
    text = _line(*[""] * (1 + options.per_document), *_TITLES) if options.per_document else ""
    rows: list[dict[str, Any]] = []
    try:
        for pair in pairs:
            for side in (pair.reference, pair.predicted):
                if isinstance(side, Stop):
                    raise side
            found = document_counts(pair.reference, pair.predicted, options)  # type: ignore[arg-type]
            if options.per_document:
                text += "".join(_line(pair.name, ":".join(row), *_cells(found[row], options)) for row in sorted(found))
            rows += [{"document": pair.name, "row": ":".join(row), **_figures(found[row])} for row in sorted(found)]
            for row, counts in found.items():
                total[row] = total.get(row, RowCounts()) + counts
    except Stop as stop:
        return Printout(text, tuple(rows), {}, stop.name, stop.reason)
    named = sorted((":".join(row), counts) for row, counts in total.items())
    if not options.per_document:
        text = _line("", *_TITLES) + "".join(_line(name, *_cells(counts, options)) for name, counts in named)
    return Printout(text, tuple(rows), {"rows": [{"row": name, **_figures(counts)} for name, counts in named]})


_TITLES = (" ref ", "pred ", "corr ", "  P  ", "  R  ", " F1  ")


def _line(*cells: str) -> str:
    names = len(cells) - len(_TITLES)
    return "\t".join([*(f"{cell:40s}" for cell in cells[:names]), *cells[names:]]) + "\n"


def _cells(counts: RowCounts, options: AnaforaChoices) -> list[str]:
    correct = (counts.precise, counts.recalled) if options.temporal_closure else counts.precise
    return [
        *(f"{each!s:5s}" for each in (counts.reference, counts.predicted, correct)),
        *(f"{x:.3f}" for x in counts.ratios),
    ]


def _figures(counts: RowCounts) -> dict[str, Any]:
    return {**dict(zip(("precision", "recall", "f1"), counts.ratios, strict=True)), "counts": counts.counts()}


# --- one document -----------------------------------------------------------------------------------------------------


def document_counts(
    reference: Sequence[AnaforaAnnotation], predicted: Sequence[AnaforaAnnotation], options: AnaforaChoices
) -> dict[RowPath, RowCounts]:
    """Count every row of a document."""
    if any(map(_leads_to_itself, reference)):
        return {}
    if any(map(_leads_to_itself, predicted)):
        predicted = ()
    counts = {}
    for row in sorted(_rows([*reference, *predicted], options.selection)):
        view = _View(row, options)
        counts[row] = view.counts(reference, predicted)
    return counts


def _leads_to_itself(annotation: AnaforaAnnotation) -> bool:
    waiting, met = deque(annotation.arguments()), set()
    while waiting:
        each = waiting.popleft()
        if each is annotation:
            return True
        if id(each) not in met:
            met.add(id(each))
            waiting.extend(each.arguments())
    return False


def _rows(annotations: Iterable[AnaforaAnnotation], select: Selection) -> set[RowPath]:
    rows: set[RowPath] = {(_ANY,), (_ANY, _SPAN)}
    for each in annotations:
        rows |= {(each.type,), (each.type, _SPAN)}
        for name, value in each.properties.items():
            rows.add((each.type, name))
            if isinstance(value, str):
                rows.add((each.type, name, value))
    return {row for row in rows if select(*row)}


class _View:
    """A row: which annotations it takes, and what it makes of them."""

    def __init__(self, row: RowPath, options: AnaforaChoices) -> None:
        self._select = options.selection
        self._options = options
        self._type = row[0]
        self._is_span = row[1:] == (_SPAN,)
        self._name = None if self._is_span else row[1] if len(row) > 1 else _ANY
        self._value = row[2] if len(row) > 2 else _ANY

    def counts(self, reference: Sequence[AnaforaAnnotation], predicted: Sequence[AnaforaAnnotation]) -> RowCounts:
        sides = [[self._key(each) for each in side if self._takes(each)] for side in (reference, predicted)]
        if self._options.temporal_closure:
            return RowCounts(*closure_counts(*(_links(_distinct(side)) for side in sides)))
        if self._options.overlap:
            gold, system = map(_distinct, sides)
            smaller, larger = (gold, system) if len(gold) < len(system) else (system, gold)
            correct = sum(each in larger for each in smaller)
            return RowCounts(len(gold), len(system), correct, correct)
        sets = [set(side) for side in sides]
        correct = len(sets[0] & sets[1])
        return RowCounts(len(sets[0]), len(sets[1]), correct, correct)

    def _takes(self, each: AnaforaAnnotation) -> bool:
        path = [each.type, *(() if self._is_span else (self._name, self._value))]
        if not (self._select(*path) or self._select(each.type, _SPAN)):
            return False
        if self._type not in (_ANY, each.type):
            return False
        return self._is_span or _ANY in (self._name, self._value) or each.properties.get(str(self._name)) == self._value

    def _key(self, each: AnaforaAnnotation) -> tuple[Hashable, ...]:
        return self._spans(each), each.type, self._properties(each)

    def _properties(self, each: AnaforaAnnotation) -> Any:
        if self._name == _ANY:
            return self._all_properties(each)
        is_own = each.type == self._type and not self._is_span
        if is_own and self._name in each.properties and self._select(self._type, self._name, self._value):
            value = each.properties[self._name]
            if isinstance(value, AnaforaAnnotation):
                own = value.type == self._type
                return self._name, self._key(value) if own else (self._spans(value), value.type, None)
            return self._name, value
        return None

    def _all_properties(self, each: AnaforaAnnotation) -> tuple[Hashable, ...]:
        found: list[Hashable] = []
        for name, value in sorted(each.properties.items(), key=lambda item: item[0]):
            if value is None or (each.type == self._type and not self._select(each.type, name, value)):
                continue
            if isinstance(value, AnaforaAnnotation):
                if not self._select.excludes(value.type):
                    found.append((name, self._key(value)))
            else:
                found.append((name, value))
        return tuple(found)

    def _spans(self, each: AnaforaAnnotation) -> Any:
        """Return spans: the pieces of an entity, or those of a relation's arguments."""
        if not each.is_relation:
            return OverlappingPieces(each.pieces) if self._options.overlap else each.pieces
        arguments = [self._spans(argument) for argument in each.arguments()]
        return arguments[0] if len(arguments) == 1 else tuple(arguments)


@dataclass(eq=False, frozen=True, slots=True)
class OverlappingPieces:
    """The pieces of an entity, equal to others if some piece of one overlaps some piece of the other."""

    pieces: tuple[tuple[int, int], ...]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, OverlappingPieces):
            return False
        return any(a < d and c < b for a, b in self.pieces for c, d in other.pieces)

    def __hash__(self) -> int:
        return 0  # being equal is not transitive, so no other number would do

    def __len__(self) -> int:
        return len(self.pieces)


def _distinct(keys: Iterable[tuple[Hashable, ...]]) -> list[tuple[Hashable, ...]]:
    """Return the keys in order, without those that equal an earlier one. Overlap has no usable hash: quadratic."""
    found: list[tuple[Hashable, ...]] = []
    for key in keys:
        if key not in found:
            found.append(key)
    return found


def _links(keys: Iterable[tuple[Any, ...]]) -> list[LinkKey]:
    """Return the keys as links; stops where one is not a link with a label."""
    links = []
    for spans, _, properties in keys:
        if len(spans) != 2:
            raise Stop("RuntimeError", f"an annotation with {len(spans)} spans is not a link")
        if not isinstance(properties, tuple) or len(properties) != 2:
            raise Stop("RuntimeError", "a link without a label: include TLINK:Type only")
        links.append(LinkKey(spans[0], spans[1], properties[1]))
    return links


# ----------------------------------------------------------------------------------------------------
# The temporal closure of anaforatools: facts between endpoints, closed under < and =.
#
# Each label stands for facts about the starts and ends of its two spans. A fact is entailed if it can be reached by a
# chain of facts: by equalities alone for =, by at least one < for <. Contradictions are not noticed.

Point: TypeAlias = "tuple[Hashable, str]"
Fact: TypeAlias = tuple[Point, str, Point]


class LinkKey(NamedTuple):
    """A link between two spans."""

    source: Hashable
    target: Hashable
    label: Hashable

    def facts(self) -> frozenset[Fact]:
        """Return what the label says, equalities in both directions."""
        points = {
            f"{name}{end}": (span, end) for name, span in (("x", self.source), ("y", self.target)) for end in "se"
        }
        found = set()
        for left, sign, right in (text.split() for text in FACTS[str(self.label)]):
            found.add((points[left], sign, points[right]))
            if sign == "=":
                found.add((points[right], sign, points[left]))
        return frozenset(found)


def closure_counts(reference: Sequence[LinkKey], predicted: Sequence[LinkKey]) -> tuple[int, int, int, int]:
    """Return the numbers of links of both sides, and how many of each follow from the other: predicted, reference."""
    gold, system = _fact_sets(reference), _fact_sets(predicted)
    gold_closure, system_closure = AnaforaClosure(gold), AnaforaClosure(system)
    precise = sum(all(map(gold_closure.holds, facts)) for facts in system)
    recalled = sum(all(map(system_closure.holds, facts)) for facts in gold)
    return len(gold), len(system), precise, recalled


def _fact_sets(links: Iterable[LinkKey]) -> list[frozenset[Fact]]:
    """Return the facts of each link with a known label; links with the same facts count once."""
    known = (link for link in links if isinstance(link.label, str) and link.label in FACTS)
    return list(dict.fromkeys(link.facts() for link in known))


class AnaforaClosure:
    """The facts that follow from the facts of some links. Each point is searched from at most once."""

    def __init__(self, links: Iterable[frozenset[Fact]]) -> None:
        self._next: defaultdict[Point, set[tuple[str, Point]]] = defaultdict(set)
        for facts in links:
            for left, sign, right in facts:
                self._next[left].add((sign, right))
                for span in (left[0], right[0]):
                    self._next[span, "s"].add(("<", (span, "e")))
        self._reached: dict[Point, set[tuple[str, Point]]] = {}

    def holds(self, fact: Fact) -> bool:
        left, sign, right = fact
        if left not in self._reached:
            self._reached[left] = self._search(left)
        return (sign, right) in self._reached[left]

    def _search(self, start: Point) -> set[tuple[str, Point]]:
        found: set[tuple[str, Point]] = set()
        waiting = list(self._next.get(start, ()))
        while waiting:
            sign, point = waiting.pop()
            if (sign, point) not in found:
                found.add((sign, point))
                waiting += [
                    ("=" if sign == other == "=" else "<", further) for other, further in self._next.get(point, ())
                ]
        return found


# ----------------------------------------------------------------------------------------------------
# The program over the documents of two folders, and the exact score of its links.

_LINK_ROW = "TLINK:Type"


@dataclass(frozen=True, slots=True)
class AnaforaChoices(ProgramOptions):
    """Options of anaforatools."""

    include: tuple[str, ...] = option(
        (), "Score only TYPE, TYPE:PROPERTY or TYPE:PROPERTY:VALUE; * is any; repeatable."
    )
    exclude: tuple[str, ...] = option((), "Leave out TYPE, TYPE:PROPERTY or TYPE:PROPERTY:VALUE; repeatable.")
    temporal_closure: bool = option(default=False, about="Compare links after temporal closure.")
    overlap: bool = option(default=False, about="Spans that overlap count as equal.")
    per_document: bool = option(default=False, about="Print the rows of each document.")

    @property
    def selection(self) -> Selection:
        """Return what include and exclude select."""
        given = (self.include, self.exclude)
        return Selection(*(tuple(tuple(each.split(":")) for each in expressions) for expressions in given))


class AnaforaDocuments(NamedTuple):
    """The documents of two folders, and which of them the system answers."""

    pairs: Sequence[AnaforaPair]
    answered: Sequence[bool]


def _run(read: AnaforaDocuments, choices: AnaforaChoices, request: ProgramRequest) -> ProgramRun:
    printed = run(read.pairs, choices)
    row: dict[str, Any] = next((row for row in printed.total.get("rows", ()) if row["row"] == _LINK_ROW), {})
    counts = {
        pair.name: exact_links(pair.name, pair.reference, pair.predicted, request.budget)
        for pair in read.pairs
        if not isinstance(pair.reference, Stop) and not isinstance(pair.predicted, Stop)
    }
    summed = sum(counts.values(), AwarenessCounts())
    total = nothing_found() | printed.total
    total |= {name: row[name] for name in ("precision", "recall", "f1", "counts") if row}
    unread = tuple(
        (pair.name, side.reason or side.name)
        for pair in read.pairs
        for side in (pair.reference, pair.predicted)
        if isinstance(side, Stop)
    )
    exact = _exact_figures(summed)
    return ProgramRun(
        printed.text.encode("utf-8", "surrogateescape"),
        printed.rows,
        total,
        {"official": "yes", **choices.signature(), "complete": "no"},
        stops=f"{printed.stops}: {printed.reason}" if printed.stops else None,
        faults=tuple(differing_figures(total, exact, _causes(summed, row, choices))),
        exact=[{"document": name, **_exact_figures(each)} for name, each in counts.items()],
        exact_total=exact,
        exact_unread=unread,
        no_exact=_misleading(read, request, unread, scored=bool(counts)),
    )


def _misleading(
    read: AnaforaDocuments, request: ProgramRequest, unread: Sequence[tuple[str, str]], *, scored: bool
) -> TemporacleError | None:
    """Return why an exact score would be a number about nothing."""
    layout = "each document is a folder NAME with a file NAME*.xml, in GOLD and in SYSTEM"
    if not read.answered:
        return UsageError(f"{request.gold}: no document in the layout of Anafora was found: {layout}")
    if not any(read.answered):
        return UsageError(f"{request.system}: no document of {request.gold} has an answer here: {layout}")
    return None if scored else InputError(f"no document could be scored: {unread[0][1]}", path=unread[0][0])


def _exact_figures(counts: AwarenessCounts) -> dict[str, Any]:
    precision, recall = counts.precision(0), counts.recall(0)
    ratios = {"precision": precision, "recall": recall, "f1": harmonic_mean(precision, recall)}
    return {**{name: float(value) for name, value in ratios.items()}, "counts": counts.to_dict()}


def _causes(exact: AwarenessCounts, official: Mapping[str, Any], choices: AnaforaChoices) -> Iterator[str]:
    if not official:
        yield f"the program printed no row {_LINK_ROW}: include {_LINK_ROW}"
        return
    if exact.gold_set_aside or exact.system_set_aside:
        yield "contradictory links: the program lets them entail everything"
    if not choices.temporal_closure:
        yield "no closure: a link that follows from others is wrong"
    reduced = official["counts"]["reference"] > exact.gold_total or official["counts"]["predicted"] > exact.system_total
    if reduced:
        yield "links that follow from others are counted"
    if not official["counts"]["predicted"] or not official["counts"]["reference"]:
        yield "0/0 counts as 1"


PROGRAM = Program(
    "anafora",
    "anaforatools: annotations of Anafora files, as in Clinical TempEval",
    AnaforaChoices,
    Layout.ANAFORA,
    _run,
    exact={"include": ((),), "exclude": ((),), "overlap": (False,)},
)
