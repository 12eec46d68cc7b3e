"""Names of entities and their ends in drawings: their words, with ids where words are missing or shared."""

from __future__ import annotations

import json
import math
import unicodedata
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from temporacle.report.layout import COLUMN as _COLUMN
from temporacle.report.layout import date_of, dated_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from temporacle.report.document.values import (
        DrawnArrow,
        GraphEdge,
        GraphNode,
        LinkRow,
        LinkStatus,
        MinimalGraph,
        ShownConflict,
        TimelineBar,
        TimelineBars,
    )

_LONGEST_CAPTION = 24  # characters of a caption
_LISTED = 24  # things that a text alternative names


class Captions:
    """Captions of the entities in one drawing.

    >>> names = Captions([("e1", "said"), ("e2", "said"), ("e3", "left")])
    >>> names.entity("e3"), names.point("e1.start"), names.point("e9.end")
    ('left', 'e1 said starts', 'e9 ends')
    """

    def __init__(self, texts: Iterable[tuple[str, str]]) -> None:
        self._texts = {entity: " ".join(text.split()) for entity, text in texts}
        self._uses = Counter(self._texts.values())

    def entity(self, name: str, most: int = _LONGEST_CAPTION) -> str:
        """Return the name of an entity."""
        words = self._texts.get(name, "")
        return shortened(name if not words else words if self._uses[words] == 1 else f"{name} {words}", most)

    def point(self, name: str) -> str:
        """Return an endpoint such as ``e1.start``. Only the entity is shortened, never the name of the end."""
        entity, _, end = name.rpartition(".")
        verb = f" {end}s"
        return self.entity(entity, _LONGEST_CAPTION - len(verb)) + verb


def listing(things: Sequence[str]) -> str:
    """Return some items for a text alternative, and the number of the others.

    >>> listing(["a", "b"])
    'a; b'
    """
    more = len(things) - _LISTED
    return "; ".join(things[:_LISTED]) + (f"; and {more} more" if more > 0 else "")


# ----------------------------------------------------------------------------------------------------
# SVG from values, escaped throughout: every attribute and every text passes through ``element``.
#
# Colours and fonts are left to the page's style sheet, so that drawings follow light, dark and print.

_CHARACTER = 6.8  # pixels, a little more than the average of common sans-serif fonts at 12 pixels, as the style says
_LONGEST = 26  # characters of a caption


def element(name: str, *children: object, **attributes: object) -> Markup:
    """Return an element. Underscores in names of attributes become hyphens; None leaves an attribute out.

    >>> element("text", "a < b", x=3, text_anchor="end", class_="<q>")
    Markup('<text x="3" text-anchor="end" class="&lt;q&gt;">a &lt; b</text>')
    """
    head = "".join(
        [f' {_attribute(key)}="{_written(value)}"' for key, value in attributes.items() if value is not None]
    )
    if not children:
        return Markup(f"<{name}{head}/>")  # noqa: S704 - every part is our own or escaped
    content = "".join([child if type(child) is Markup else escape(child) for child in children])
    return Markup(f"<{name}{head}>{content}</{name}>")  # noqa: S704


@cache
def _attribute(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def _written(value: object) -> str:
    kind = type(value)
    if kind is float:
        return f"{value:.1f}".removesuffix(".0")
    return str(value) if kind is int else escape(value)


def path_points(points: Iterable[tuple[float, float]], between: str = " ") -> str:
    """Return places for a path or a polygon."""
    return between.join([f"{_written(float(x))},{_written(float(y))}" for x, y in points])


def drawing(width: float, height: float, label: str, children: Iterable[Markup], *, kind: str) -> Markup:
    """Return a picture with a text alternative: ``label`` says what it shows."""
    width, height = math.ceil(width), math.ceil(height)
    return element(
        "svg",
        *(children := list(children)),
        class_=f"drawing {kind}",
        viewBox=f"0 0 {width} {height}",
        width=width,
        height=height,
        role="group" if any("<a " in each for each in children) else "img",  # a picture has no links inside
        aria_label=label,
    )


def text_width(text: str) -> float:
    """Return an upper estimate of the width in pixels. East Asian wide characters count twice."""
    if text.isascii():
        return len(text) * _CHARACTER
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text) * _CHARACTER


def shortened(text: str, most: int = _LONGEST) -> str:
    """Return text in one line of limited length.

    >>> shortened("a very long name indeed", 10)
    'a very lo…'
    """
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"


def arrow_head(x: float, y: float, angle: float, *, css: str, size: float = 7) -> Markup:
    """Return a triangle whose tip is at (x, y), pointing along ``angle``."""
    corners = [(x, y)]
    corners += [
        (x - size * math.cos(angle + turn), y - size * math.sin(angle + turn)) for turn in (-math.pi / 7, math.pi / 7)
    ]
    return element("polygon", points=path_points(corners), class_=f"head {css}")


# ----------------------------------------------------------------------------------------------------
# A timeline: a bar for each entity, in lanes. Solid where the entity certainly lasts, an outline where it may.

_ROW = 22
_BAR = 14
_TOP = 22
_BARS_MARGIN = 12
_WIDTH = 860  # wanted; columns are never narrower than the minimum, so long timelines scroll
_STEP = (9, 64)  # narrowest and widest
_LABEL_ROOM = 190  # to the right of the last column
_DATES = 14  # height of the dates under the bars
_PART = 24  # height of the heading of a lane
ONLY_CERTAIN = (
    "Only what is certain is drawn. A solid bar is when the entity certainly lasts; an outline is where it can reach. "
    "Numbers count places in order, not time. Parts stand apart where no order with the numbered places is certain. "
    "An order that is not visible may still follow."
)
_STATUS_DASH = {"right": None, "missed": "6 3", "wrong": "2 3"}


def draw_timeline(
    timeline: TimelineBars, label: str, key: str | None, chosen: frozenset[str] | None = None, *, as_data: bool = False
) -> Markup:
    """Return the picture, described by ``label`` and its bars.

    ``key`` is the prefix under which the text marks its entities, None if there is no such text. ``chosen`` are two
    entities whose links stand out. ``as_data``: bars say what they are, for the script that draws parts of a timeline.
    """
    return _Drawing(timeline, key, chosen, as_data=as_data).picture(label)


def connection_words(link: LinkRow, status: LinkStatus, captions: Captions) -> str:
    """Return the meaning of an arrow."""
    source, target = captions.entity(link.source), captions.entity(link.target)
    return f"{status}: {link.id} {source} {link.label or link.relation} {target} {link.place}".strip()


class _Lane:
    """Bars on one scale, from ``top`` downwards."""

    def __init__(self, bars: Iterable[TimelineBar], top: float, *, unit: int | None) -> None:
        self.bars = sorted(bars, key=_row_order)
        self.top = top
        self.unit = unit  # None: not on the calendar
        times = sorted({time for bar in self.bars for time in bar.place[1:] if time is not None})
        self.rank = {time: number for number, time in enumerate(times, 1)}  # 0 and the last are for bars without limit
        self.height = _TOP + _ROW * len(self.bars) + (_DATES if unit is not None else 0)

    @property
    def ranks(self) -> int:
        return len(self.rank) + 2


def _row_order(bar: TimelineBar) -> tuple[float, ...]:
    _, earliest, start, end, latest = bar.place
    outer = (math.inf if start is None else start, math.inf if end is None else end)
    return (*outer, -math.inf if earliest is None else earliest, latest or math.inf, bar.entity.number)


class _Drawing:
    def __init__(
        self, timeline: TimelineBars, key: str | None, chosen: frozenset[str] | None, *, as_data: bool
    ) -> None:
        self.key = key
        self.chosen = chosen
        self.as_data = as_data
        self.captions = Captions((bar.entity.id, bar.entity.text) for bar in timeline.bars)
        self.connections = timeline.connections
        parts: dict[int, list[TimelineBar]] = {}
        for bar in timeline.bars:
            parts.setdefault(bar.place.lane, []).append(bar)
        self.lanes: list[_Lane] = []
        self.is_headed = len(parts) > 1 or not any(
            limit is not None for bar in timeline.bars for limit in bar.place[1:]
        )
        top = 0.0
        for number, bars in sorted(parts.items()):
            top += _PART if self.is_headed else 0
            self.lanes.append(_Lane(bars, top, unit=timeline.unit if number == 0 else None))
            top += self.lanes[-1].height
        self.height = top + _BARS_MARGIN
        ranks = max((lane.ranks for lane in self.lanes), default=2)
        narrowest, widest = _STEP
        self.step = max(narrowest, min(widest, (_WIDTH - _LABEL_ROOM) / (ranks - 1)))
        self.right = _BARS_MARGIN + self.step * (ranks - 1)
        self.width = self.right + _LABEL_ROOM
        self.middle: dict[str, tuple[float, float]] = {}  # of the bars that are drawn

    def x(self, lane: _Lane, time: int | None, *, right: bool = False) -> float:
        """Return where a time stands; without a limit, the edge."""
        return _BARS_MARGIN + self.step * (lane.rank[time] if time is not None else lane.ranks - 1 if right else 0)

    def picture(self, label: str) -> Markup:
        parts = [part for number, lane in enumerate(self.lanes, 1) for part in self._lane(lane, number)]
        said = [
            f"part {number}: {listing([self._said(lane, bar) for bar in lane.bars])}"
            if len(self.lanes) > 1
            else listing([self._said(lane, bar) for bar in lane.bars])
            for number, lane in enumerate(self.lanes, 1)
        ]
        alternative = f"{label}, certain places: {'; '.join(said)}"
        return drawing(self.width, self.height, alternative, [*parts, *self._connections()], kind="timeline")

    def _lane(self, lane: _Lane, number: int) -> Iterator[Markup]:
        if self.is_headed:
            y = lane.top - _PART + 16
            yield element("path", d=f"M0,{_written(lane.top - _PART + 2)}H{_written(self.width)}", class_="part")
            heading = f"Part {number}" if lane.rank else "No certain order"
            yield element("text", heading, x=_BARS_MARGIN, y=y, class_="tick")
        yield from self._grid(lane)
        for row, bar in enumerate(lane.bars):
            yield from self._bar(lane, bar, lane.top + _TOP + _ROW * row)

    def _grid(self, lane: _Lane) -> Iterator[Markup]:
        """Yield a line for every column or date, and its name where there is room."""
        top, bottom = lane.top + _TOP - 4, lane.top + _TOP + _ROW * len(lane.bars)
        named = [time for time in lane.rank if time % (_COLUMN if lane.unit is None else lane.unit) == 0]
        lines = "".join(f"M{path_points([(self.x(lane, time), top)])}V{_written(bottom)}" for time in named)
        yield element("path", d=lines, class_="grid")
        free = -math.inf
        for time in named:
            x = self.x(lane, time)
            words, y = str(time // _COLUMN), top - 4
            if lane.unit is not None:
                words, y = date_of(time, lane.unit), bottom + 10
            room = max(28, text_width(words) + 6)
            if x - room / 2 >= free:
                free = x + room / 2
                yield element("text", words, x=x, y=y, text_anchor="middle", class_="tick")

    def _said(self, lane: _Lane, bar: TimelineBar) -> str:
        return f"{self.captions.entity(bar.entity.id)} {self._from_to(lane, bar)}"

    def _from_to(self, lane: _Lane, bar: TimelineBar) -> str:
        """Return where a bar lies: by column, or when the entity can have been."""
        return bar.place.words if lane.unit is None else dated_words(bar.place, lane.unit)

    def _bar(self, lane: _Lane, bar: TimelineBar, y: float) -> Iterator[Markup]:
        entity, core = bar.entity, bar.place.core
        left, right = self.x(lane, bar.place.earliest), self.x(lane, bar.place.latest, right=True)
        if core is not None:
            inner = self.x(lane, core[0]), self.x(lane, core[1])
        self.middle[entity.id] = sum(inner if core else (left, right)) / 2, y + 2 + _BAR / 2
        size: dict[str, Any] = {"y": y + 2, "height": _BAR, "rx": 3}
        shapes = [element("title", f"{entity.caption}: {self._from_to(lane, bar)}")]
        stretches = [("range", left, right)] if core is None or inner != (left, right) else []
        stretches += [] if core is None else [("bar", *inner)]
        for number, (css, x, to) in enumerate(stretches):
            data = {} if number else self._data(lane, bar)
            shapes.append(element("rect", x=x, width=to - x, **size, class_=f"{css} {entity.kind}", **data))
        if self.key is None or not entity.in_text:
            yield element("g", *shapes)
        else:
            yield element("a", *shapes, href=f"#{self.key}-e{entity.number}")
        yield self._caption(entity.id, y + _BAR - 1, (left, right), inner if core else None)

    def _data(self, lane: _Lane, bar: TimelineBar) -> dict[str, object]:
        if not self.as_data:
            return {}
        ranks = [None if time is None else lane.rank[time] for time in bar.place[1:]]
        return {
            "data_e": bar.entity.number,
            "data_place": json.dumps([bar.place.lane, *ranks]),
            "data_caption": self.captions.entity(bar.entity.id),
        }

    def _caption(self, name: str, y: float, outer: tuple[float, float], core: tuple[float, float] | None) -> Markup:
        """Return the name: inside the bar if it fits there, otherwise next to it."""
        text = self.captions.entity(name)
        room = text_width(text) + 8
        if core is not None and room <= core[1] - core[0]:
            return element("text", text, x=core[0] + 5, y=y, class_="inside")
        if core is None and room <= outer[1] - outer[0]:
            return element("text", text, x=(outer[0] + outer[1]) / 2, y=y, text_anchor="middle", class_="beside")
        left, right = core or outer
        if right + room <= self.width or left < room:
            return element("text", text, x=right + 5, y=y, class_="beside")
        return element("text", text, x=left - 5, y=y, text_anchor="end", class_="beside")

    def _connections(self) -> Iterator[Markup]:
        """Yield links as curved arrows from the middle of one bar to the middle of another; thin ones next to a chosen
        pair.
        """
        for number, (link, status, _) in enumerate(self.connections):
            if link.source not in self.middle or link.target not in self.middle or link.source == link.target:
                continue
            (x1, y1), (x2, y2) = self.middle[link.source], self.middle[link.target]
            bow = 14 + 5 * (number % 5)
            cx, cy = (x1 + x2) / 2 + bow, (y1 + y2) / 2
            near = self.chosen is not None and {link.source, link.target} != self.chosen
            yield element(
                "g",
                element("title", connection_words(link, status, self.captions)),
                element(
                    "path",
                    d=f"M{path_points([(x1, y1)])}Q{path_points([(cx, cy), (x2, y2)])}",
                    class_=f"link {status}",
                    stroke_dasharray=_STATUS_DASH[status],
                ),
                arrow_head(x2, y2, _angle(cx, cy, x2, y2), css=str(status)),
                class_="arrow near" if near else "arrow",
            )


def _angle(x1: float, y1: float, x2: float, y2: float) -> float:
    return math.atan2(y2 - y1, x2 - x1)


# ----------------------------------------------------------------------------------------------------
# A conflict as a picture: starts and ends on an ellipse, each arrow naming the link and the line that says so.

_SIGNS = {"<": "<", "<=": "≤"}
_WORDS = {"<": "before", "<=": "before or when"}


def draw_conflict(conflict: ShownConflict, label: str) -> Markup:
    """Return the arrows of a conflict. If they form no cycle, entities are on the ellipse and arrows run across it.

    The picture is named by ``label`` and what its arrows say.
    """
    names = Captions(conflict.texts)
    caption = names.point if conflict.is_cycle else names.entity
    stations = dict.fromkeys(name for arrow in conflict.arrows for name in (arrow.source, arrow.target))
    captions = {name: caption(name) for name in stations}
    said = [_said(arrow, captions) for arrow in conflict.arrows]
    widest = max((text_width(line) for arrow in conflict.arrows for line in _lines(arrow)), default=0)
    return _Ellipse(captions, room=widest + 24).picture(conflict, f"{label}: {listing(said)}")


def _said(arrow: DrawnArrow, captions: Mapping[str, str]) -> str:
    """Return the meaning of an arrow in words."""
    how = _WORDS.get(arrow.label, arrow.label)
    by = "" if arrow.link is None else f" ({arrow.link.id}{f', {arrow.link.place}' if arrow.link.place else ''})"
    return f"{captions[arrow.source]} {how} {captions[arrow.target]}{by}"


class _Ellipse:
    def __init__(self, captions: dict[str, str], room: float) -> None:
        self.captions = captions  # of the stations, in the order in which they stand
        stations = list(captions)
        self.rx = 130 + 6 * len(stations)
        self.ry = 54 + 17 * len(stations)
        self.cx = self.rx + room  # for the text next to arrows
        self.cy = self.ry + 40
        self.angle = {name: -math.pi / 2 + 2 * math.pi * k / len(stations) for k, name in enumerate(stations)}

    def at(self, angle: float, factor: float = 1.0) -> tuple[float, float]:
        return self.cx + factor * self.rx * math.cos(angle), self.cy + factor * self.ry * math.sin(angle)

    def picture(self, conflict: ShownConflict, label: str) -> Markup:
        draw = self._step if conflict.is_cycle else self._chord
        parts = [*(part for arrow in conflict.arrows for part in draw(arrow)), *map(self._station, self.captions)]
        return drawing(2 * self.cx, 2 * self.cy, label, parts, kind="conflict")

    def _station(self, name: str) -> Markup:
        x, y = self.at(self.angle[name])
        text = self.captions[name]
        width = text_width(text) + 16
        return element(
            "g",
            element("rect", x=x - width / 2, y=y - 12, width=width, height=24, rx=12, class_="node"),
            element("text", text, x=x, y=y + 4, text_anchor="middle"),
        )

    def _step(self, arrow: DrawnArrow) -> Iterator[Markup]:
        """Yield an arc of the ellipse to the next station."""
        css = "implied" if arrow.link is None else "stated"
        start = self.angle[arrow.source]
        turn = (self.angle[arrow.target] - start) % (2 * math.pi) or 2 * math.pi
        angles = [start + turn * k / 24 for k in range(25)]
        points = [self.at(angle) for angle in angles if not self._under_station(angle, arrow)]
        if len(points) >= 2:
            path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
            (x1, y1), (x2, y2) = points[-2:]
            yield element("path", d=path, class_=f"edge {css}")
            yield arrow_head(x2, y2, math.atan2(y2 - y1, x2 - x1), css=css, size=9)
        middle = start + turn / 2
        x, y = self.at(middle)
        yield self._words(arrow, x + 16 * math.cos(middle), y + 22 * math.sin(middle), math.cos(middle))

    def _under_station(self, angle: float, arrow: DrawnArrow) -> bool:
        x, y = self.at(angle)
        for name in (arrow.source, arrow.target):
            sx, sy = self.at(self.angle[name])
            if abs(x - sx) < (text_width(self.captions[name]) + 22) / 2 and abs(y - sy) < 15:
                return True
        return False

    def _chord(self, arrow: DrawnArrow) -> Iterator[Markup]:
        """Yield a straight arrow between two entities, with its name beside the first third."""
        (x1, y1), (x2, y2) = self.at(self.angle[arrow.source]), self.at(self.angle[arrow.target])
        length = math.hypot(x2 - x1, y2 - y1) or 1
        cut = 26 / length
        x1, y1, x2, y2 = x1 + cut * (x2 - x1), y1 + cut * (y2 - y1), x2 - cut * (x2 - x1), y2 - cut * (y2 - y1)
        yield element("path", d=f"M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}", class_="edge stated")
        yield arrow_head(x2, y2, math.atan2(y2 - y1, x2 - x1), css="stated", size=9)
        yield self._words(arrow, x1 + 0.36 * (x2 - x1), y1 + 0.36 * (y2 - y1), 0.0, over=True)

    def _words(self, arrow: DrawnArrow, x: float, y: float, side: float, *, over: bool = False) -> Markup:
        """Return the meaning of an arrow and its link, in two lines."""
        anchor = "middle" if abs(side) < 0.25 else "start" if side > 0 else "end"
        lines = _lines(arrow)
        words = [
            element("text", line, x=x, y=y + 4 + 14 * row - 7 * (len(lines) - 1), text_anchor=anchor)
            for row, line in enumerate(lines)
        ]
        title = element("title", _said(arrow, self.captions))
        return element("g", title, *words, class_="words over" if over else "words")


def _lines(arrow: DrawnArrow) -> list[str]:
    """Return the text beside an arrow: the order of endpoints, then the link and its line."""
    sign = _SIGNS.get(arrow.label, "")
    if arrow.link is None:
        return [f"{sign} starts before it ends"]
    link = arrow.link
    words = f"{sign} {shortened(link.id, 12)} {shortened(link.label or link.relation, 20)}".strip()
    return [words, link.place] if link.place else [words]


# ----------------------------------------------------------------------------------------------------
# The minimal endpoint graph: nodes in columns by rank, edges as arrows to the right.

_SHOWN = 4  # endpoints of a node
_LINE = 15
_GAP_X = 46
_GAP_Y = 12
_MARGIN = 10
_HEAD = "m-6-3l6 3-6 3"
_SWEEPS = 4


def draw_graph(graph: MinimalGraph, label: str) -> Markup:
    """Return the picture, with rank as x. Within a rank, nodes are near those they are connected with.

    It is named by ``label`` and what its edges say.
    """
    names = Captions(graph.texts)
    boxes = _layout(graph, names)
    said = [f"{boxes[edge.source].name} {_WORDS[edge.label]} {boxes[edge.target].name}" for edge in graph.edges]
    width = max((box.x + box.width for box in boxes), default=0) + _MARGIN
    height = max((box.y + box.height for box in boxes), default=0) + _MARGIN
    parts = [*_edges(boxes, graph.edges), *(part for box in boxes for part in box.drawn())]
    return drawing(width, height, f"{label}: {listing(said)}", parts, kind="graph")


class _Box:
    """A node with its size and place."""

    def __init__(self, node: GraphNode, names: Captions) -> None:
        self.captions = [names.point(point) for point in node.points]
        self.lines = self.captions
        if len(self.lines) > _SHOWN:
            self.lines = [*self.captions[: _SHOWN - 1], f"and {len(self.captions) - _SHOWN + 1} more"]
        self.width = max(map(text_width, self.lines)) + 14
        self.height = _LINE * len(self.lines) + 6
        self.x = self.y = 0.0

    @property
    def name(self) -> str:
        return self.captions[0]

    @property
    def middle(self) -> float:
        return self.y + self.height / 2

    def drawn(self) -> list[Markup]:
        frame = element("rect", x=self.x, y=self.y, width=self.width, height=self.height, rx=5, class_="node")
        lines = [
            element("text", line, x=self.x + 7, y=self.y + 15 + _LINE * number)
            for number, line in enumerate(self.lines)
        ]
        if len(self.captions) == len(self.lines):
            return [frame, *lines]
        return [element("g", element("title", " = ".join(self.captions)), frame, *lines)]


def _layout(graph: MinimalGraph, names: Captions) -> list[_Box]:
    boxes = [_Box(node, names) for node in graph.nodes]
    columns: list[list[int]] = [[] for _ in range(max((node.rank for node in graph.nodes), default=-1) + 1)]
    for number, node in enumerate(graph.nodes):
        columns[node.rank].append(number)
    _untangle(columns, graph.edges)
    x = float(_MARGIN)
    tallest = max((_height(boxes, column) for column in columns), default=0)
    for column in columns:
        y = _MARGIN + (tallest - _height(boxes, column)) / 2
        for number in column:
            boxes[number].x, boxes[number].y = x, y
            y += boxes[number].height + _GAP_Y
        x += max(boxes[number].width for number in column) + _GAP_X
    return boxes


def _height(boxes: Sequence[_Box], column: Sequence[int]) -> float:
    return sum(boxes[number].height + _GAP_Y for number in column) - _GAP_Y


def _untangle(columns: list[list[int]], edges: Sequence[GraphEdge]) -> None:
    """Order each column by the mean place of neighbours, a few sweeps to and fro: the barycentre heuristic."""
    neighbours: dict[int, list[int]] = {}
    for edge in edges:
        neighbours.setdefault(edge.source, []).append(edge.target)
        neighbours.setdefault(edge.target, []).append(edge.source)
    place = {number: position / len(column) for column in columns for position, number in enumerate(column)}

    def mean(number: int) -> float:
        near = neighbours.get(number, [number])
        return sum(place[other] for other in near) / len(near)

    for sweep in range(_SWEEPS):
        for column in columns if sweep % 2 == 0 else reversed(columns):
            column.sort(key=lambda number: (mean(number), number))
            for position, number in enumerate(column):
                place[number] = position / len(column)


def _edges(boxes: Sequence[_Box], edges: Sequence[GraphEdge]) -> Iterator[Markup]:
    """Yield all edges of a kind as one path. They arrive from the left, so all heads are the same."""
    paths: dict[str, list[str]] = {}
    for edge in edges:
        source, target = boxes[edge.source], boxes[edge.target]
        x1, y1, x2, y2 = source.x + source.width, source.middle, target.x, target.middle
        bend = max(18.0, (x2 - x1) / 2)
        css = ("trivial" if edge.trivial else "major") + ("" if edge.label == "<" else " weak")
        line = f"M{path_points([(x1, y1)])}C{path_points(((x1 + bend, y1), (x2 - bend, y2), (x2 - 1, y2)))}{_HEAD}"
        paths.setdefault(css, []).append(line)
        if edge.label == "<=":
            yield element("text", "≤", x=(x1 + x2) / 2, y=(y1 + y2) / 2 - 3, text_anchor="middle", class_="sign")
    for css, lines in paths.items():
        yield element("path", d="".join(lines), class_=f"edge {css}")
