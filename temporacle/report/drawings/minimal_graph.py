"""The minimal endpoint graph: nodes in columns by rank, edges as arrows to the right."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from temporacle.report.drawings.svg import FONT_SIZE, arrow_head, drawing, element, shortened_point, text_width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markupsafe import Markup

    from temporacle.report.values.document import GraphEdge, GraphNode, MinimalGraph

_SHOWN = 4  # endpoints of a node
_LINE = 15
_GAP_X = 46
_GAP_Y = 12
_MARGIN = 10
_SWEEPS = 4


def draw_graph(graph: MinimalGraph, label: str) -> Markup:
    """The picture: x = rank; within a rank, nodes stand near those they are connected with."""
    boxes = _layout(graph)
    width = max((box.x + box.width for box in boxes), default=0) + _MARGIN
    height = max((box.y + box.height for box in boxes), default=0) + _MARGIN
    parts = [_edge(boxes, edge) for edge in graph.edges] + [box.drawn() for box in boxes]
    return drawing(width, height, label, parts, kind="graph")


class _Box:
    """A node with its size and place."""

    def __init__(self, node: GraphNode) -> None:
        self.node = node
        shown = node.points if len(node.points) <= _SHOWN else (*node.points[: _SHOWN - 1], "")
        hidden = len(node.points) - _SHOWN + 1
        self.lines = [shortened_point(point) if point else f"and {hidden} more" for point in shown]
        self.width = max(map(text_width, self.lines)) + 14
        self.height = _LINE * len(self.lines) + 6
        self.x = self.y = 0.0

    @property
    def middle(self) -> float:
        return self.y + self.height / 2

    def drawn(self) -> Markup:
        lines = [
            element("text", line, x=self.x + 7, y=self.y + 15 + _LINE * number, font_size=FONT_SIZE)
            for number, line in enumerate(self.lines)
        ]
        frame = element("rect", x=self.x, y=self.y, width=self.width, height=self.height, rx=5, class_="node")
        return element("g", element("title", " = ".join(self.node.points)), frame, *lines)


def _layout(graph: MinimalGraph) -> list[_Box]:
    boxes = [_Box(node) for node in graph.nodes]
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


def _edge(boxes: Sequence[_Box], edge: GraphEdge) -> Markup:
    source, target = boxes[edge.source], boxes[edge.target]
    x1, y1, x2, y2 = source.x + source.width, source.middle, target.x, target.middle
    bend = max(18.0, (x2 - x1) / 2)
    sign = {"<": "before", "<=": "before or at"}[edge.label]
    css = ("trivial " if edge.trivial else "major ") + ("strict" if edge.label == "<" else "weak")
    path = f"M{x1:.1f} {y1:.1f}C{x1 + bend:.1f} {y1:.1f} {x2 - bend:.1f} {y2:.1f} {x2 - 1:.1f} {y2:.1f}"
    middle_x, middle_y = (x1 + x2) / 2, (y1 + y2) / 2
    weak = element("text", "≤", x=middle_x, y=middle_y - 3, text_anchor="middle", font_size=FONT_SIZE, class_="sign")
    return element(
        "g",
        element("title", f"{source.node.points[0]} {sign} {target.node.points[0]}"),
        element("path", d=path, class_=f"edge {css}"),
        arrow_head(x2, y2, math.atan2(y2 - y1, 6 * bend), css=css),
        weak if edge.label == "<=" else "",
    )
