"""The minimal endpoint graph: nodes in columns by rank, edges as arrows to the right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.report.drawings.captions import Captions, listing
from temporacle.report.drawings.svg import drawing, element, path_points, text_width

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markupsafe import Markup

    from temporacle.report.values.document import GraphEdge, GraphNode, MinimalGraph

_WORDS = {"<": "before", "<=": "before or when"}
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
