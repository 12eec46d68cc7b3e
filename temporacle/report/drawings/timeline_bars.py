"""A timeline: one bar an entity, over columns that stand for distinct times in order."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from temporacle.report.drawings.captions import Captions, listing
from temporacle.report.drawings.svg import arrow_head, drawing, element, path_points, text_width

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markupsafe import Markup

    from temporacle.report.values.document import LinkRow, LinkStatus, TimelineBar, TimelineBars

_ROW = 22
_BAR = 14
_TOP = 22
_MARGIN = 12
_WIDTH = 860  # wanted; columns are never narrower than the minimum, so long timelines scroll
_COLUMN = (9, 64)  # narrowest and widest
_LABEL_ROOM = 190  # to the right of the last column
_DATES = 14  # height of the dates under the bars
_DATE_WIDTH = 72
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


class _Drawing:
    def __init__(
        self, timeline: TimelineBars, key: str | None, chosen: frozenset[str] | None, *, as_data: bool
    ) -> None:
        self.key = key
        self.chosen = chosen
        self.as_data = as_data
        self.bars = sorted(timeline.bars, key=lambda bar: (bar.start, bar.end, bar.entity.number))
        self.captions = Captions((bar.entity.id, bar.entity.text) for bar in self.bars)
        self.connections = timeline.connections
        self.unit = timeline.unit
        ends = (time for bar in self.bars for time in (bar.start, bar.end, bar.earliest, bar.latest))
        times = sorted({time for time in ends if time is not None})
        self.column = {time: position for position, time in enumerate(times)}
        narrowest, widest = _COLUMN
        self.step = max(narrowest, min(widest, (_WIDTH - _LABEL_ROOM) / max(1, len(times) - 1)))
        self.right = _MARGIN + self.step * max(1, len(times) - 1)
        self.width = self.right + _LABEL_ROOM
        self.height = _TOP + _ROW * len(self.bars) + _MARGIN + (_DATES if self.unit is not None else 0)
        self.row = {bar.entity.id: number for number, bar in enumerate(self.bars)}

    def x(self, time: int) -> float:
        return _MARGIN + self.step * self.column[time]

    def y(self, row: int) -> float:
        return _TOP + _ROW * row

    def picture(self, label: str) -> Markup:
        rows = range(len(self.bars))
        axis = self._axis() if self.unit is None else self._dates(self.unit)
        whiskers = [mark for row in rows for mark in self._whiskers(row)]
        parts = [
            *(self._grid(), *axis, *whiskers, *map(self._bar, rows)),
            *(*self._connections(), *map(self._caption, rows)),
        ]
        bars = [f"{self.captions.entity(bar.entity.id)} {self._from_to(bar)}" for bar in self.bars]
        return drawing(self.width, self.height, f"{label}, in order of start: {listing(bars)}", parts, kind="timeline")

    def _grid(self) -> Markup:
        """Return a line for every time."""
        top, bottom = _TOP - 4, self.height - _MARGIN
        lines = "".join(f"M{path_points([(self.x(time), top)])}V{bottom}" for time in self.column)
        return element("path", d=lines, class_="grid")

    def _axis(self) -> Iterator[Markup]:
        """Yield the labels of the times: their rank."""
        every = max(1, round(28 / self.step))
        for time, position in self.column.items():
            if position % every == 0:
                yield element("text", str(position), x=self.x(time), y=_TOP - 8, text_anchor="middle", class_="tick")

    def _dates(self, unit: int) -> Iterator[Markup]:
        """Yield the dates of limits under the bars, as many as have room."""
        free = 0.0
        for time in self.column:
            if time % unit == 0 and self.x(time) >= free:
                free = self.x(time) + _DATE_WIDTH
                y = self.height - _MARGIN + 8
                yield element("text", self._moment(time), x=self.x(time), y=y, text_anchor="middle", class_="tick")

    def _whiskers(self, row: int) -> Iterator[Markup]:
        """Yield the stretch in which an entity can lie, and marks where that has a limit."""
        bar = self.bars[row]
        if self.unit is None or (bar.earliest is None and bar.latest is None):
            return
        y = self.y(row) + 2 + _BAR / 2
        left = 0 if bar.earliest is None else self.x(bar.earliest)
        right = self.width - _LABEL_ROOM + _MARGIN if bar.latest is None else self.x(bar.latest)
        ends = [x for x, limit in ((left, bar.earliest), (right, bar.latest)) if limit is not None]
        marks = "".join(f"M{path_points([(x, y - 5), (x, y + 5)])}" for x in ends)
        yield element("path", d=f"M{path_points([(left, y), (right, y)])}{marks}", class_="grid")

    def _from_to(self, bar: TimelineBar) -> str:
        """Return where a bar lies: by rank, or when the entity can have been."""
        if self.unit is None:
            return f"from {self.column[bar.start]} to {self.column[bar.end]}"
        since = "at any time" if bar.earliest is None else f"from {self._moment(bar.earliest)}"
        return since if bar.latest is None else f"{since} until {self._moment(bar.latest)}"

    def _moment(self, time: int) -> str:
        from temporacle.calendar.civil import iso_time

        return iso_time(time // (self.unit or 1)).removesuffix(":00").removesuffix("T00:00")

    def _bar(self, row: int) -> Markup:
        bar = self.bars[row]
        entity = bar.entity
        x, y, width = self.x(bar.start), self.y(row), self.x(bar.end) - self.x(bar.start)
        data = self._data(row) if self.as_data else {}
        hint = f"{entity.caption}: {self._from_to(bar)}"
        shape = element("rect", x=x, y=y + 2, width=width, height=_BAR, rx=3, class_=f"bar {entity.kind}", **data)
        if self.key is None or not entity.in_text:
            return element("g", element("title", hint), shape)
        return element("a", element("title", hint), shape, href=f"#{self.key}-e{entity.number}")

    def _data(self, row: int) -> dict[str, object]:
        bar = self.bars[row]
        return {
            "data_e": bar.entity.number,
            "data_start": self.column[bar.start],
            "data_end": self.column[bar.end],
            "data_caption": self.captions.entity(bar.entity.id),
        }

    def _caption(self, row: int) -> Markup:
        """Return the label: inside the bar if it fits there, otherwise next to it."""
        bar = self.bars[row]
        x, y, width = self.x(bar.start), self.y(row) + 2 + _BAR - 3, self.x(bar.end) - self.x(bar.start)
        text = self.captions.entity(bar.entity.id)
        room = text_width(text) + 8
        if room <= width:
            return element("text", text, x=x + 5, y=y, class_="inside")
        if x + width + room <= self.width or x < room:
            return element("text", text, x=x + width + 5, y=y, class_="beside")
        return element("text", text, x=x - 5, y=y, text_anchor="end", class_="beside")

    def _connections(self) -> Iterator[Markup]:
        """Yield links as curved arrows from the middle of one bar to the middle of another; thin ones next to a chosen
        pair.
        """
        for number, (link, status, _) in enumerate(self.connections):
            rows = self.row.get(link.source), self.row.get(link.target)
            if rows[0] is None or rows[1] is None or rows[0] == rows[1]:
                continue
            (x1, y1), (x2, y2) = (self._middle(row) for row in rows if row is not None)
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

    def _middle(self, row: int) -> tuple[float, float]:
        bar = self.bars[row]
        return (self.x(bar.start) + self.x(bar.end)) / 2, self.y(row) + 2 + _BAR / 2


def _angle(x1: float, y1: float, x2: float, y2: float) -> float:
    return math.atan2(y2 - y1, x2 - x1)
