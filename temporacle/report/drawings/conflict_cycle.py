"""A conflict as a picture: starts and ends on an ellipse, each arrow naming the link and the line that says so."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from temporacle.report.drawings.captions import Captions, listing
from temporacle.report.drawings.svg import arrow_head, drawing, element, shortened, text_width

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from markupsafe import Markup

    from temporacle.report.values.document import Arrow, Conflict

_SIGNS = {"<": "<", "<=": "≤"}
_WORDS = {"<": "before", "<=": "before or when"}


def draw_conflict(conflict: Conflict, label: str) -> Markup:
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


def _said(arrow: Arrow, captions: Mapping[str, str]) -> str:
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

    def picture(self, conflict: Conflict, label: str) -> Markup:
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

    def _step(self, arrow: Arrow) -> Iterator[Markup]:
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

    def _under_station(self, angle: float, arrow: Arrow) -> bool:
        x, y = self.at(angle)
        for name in (arrow.source, arrow.target):
            sx, sy = self.at(self.angle[name])
            if abs(x - sx) < (text_width(self.captions[name]) + 22) / 2 and abs(y - sy) < 15:
                return True
        return False

    def _chord(self, arrow: Arrow) -> Iterator[Markup]:
        """Yield a straight arrow between two entities, with its name beside the first third."""
        (x1, y1), (x2, y2) = self.at(self.angle[arrow.source]), self.at(self.angle[arrow.target])
        length = math.hypot(x2 - x1, y2 - y1) or 1
        cut = 26 / length
        x1, y1, x2, y2 = x1 + cut * (x2 - x1), y1 + cut * (y2 - y1), x2 - cut * (x2 - x1), y2 - cut * (y2 - y1)
        yield element("path", d=f"M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}", class_="edge stated")
        yield arrow_head(x2, y2, math.atan2(y2 - y1, x2 - x1), css="stated", size=9)
        yield self._words(arrow, x1 + 0.36 * (x2 - x1), y1 + 0.36 * (y2 - y1), 0.0, over=True)

    def _words(self, arrow: Arrow, x: float, y: float, side: float, *, over: bool = False) -> Markup:
        """Return the meaning of an arrow and its link, in two lines."""
        anchor = "middle" if abs(side) < 0.25 else "start" if side > 0 else "end"
        lines = _lines(arrow)
        words = [
            element("text", line, x=x, y=y + 4 + 14 * row - 7 * (len(lines) - 1), text_anchor=anchor)
            for row, line in enumerate(lines)
        ]
        title = element("title", _said(arrow, self.captions))
        return element("g", title, *words, class_="words over" if over else "words")


def _lines(arrow: Arrow) -> list[str]:
    """Return the text beside an arrow: the order of endpoints, then the link and its line."""
    sign = _SIGNS.get(arrow.label, "")
    if arrow.link is None:
        return [f"{sign} starts before it ends"]
    link = arrow.link
    words = f"{sign} {shortened(link.id, 12)} {shortened(link.label or link.relation, 20)}".strip()
    return [words, link.place] if link.place else [words]
