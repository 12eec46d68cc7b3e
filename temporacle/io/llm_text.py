"""Triples in the free text of a language model: graphs, lists, tables, JSON. Tolerant in form, strict in meaning.

What is read, in this order: the edges of the last graph; else edges without a graph; else JSON objects, rows of tables
and list lines, one answer each. Reasoning (up to ``</think>``) is not read. A statement that is not understood is
reported, never guessed.

    "sailed(1)" -- "docked(2)" [rel=before];      - **sailed(1) before docked(2)**: the voyage came first
    | sailed(1) | docked(2) | before |            {"event1": "sailed(1)", "event2": "docked(2)", "relation": "BEFORE"}
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_QUOTES = "\"'\u201c\u201d\u2018\u2019`"
_DASH = r"(?:--+>?|-+>|<?[\u2013\u2014\u2212]+>?|\u2192)"
_BARE = rf"[^\s{_QUOTES}\[\]{{}};,|:*]+(?:[ \t]*\([^()\s]*\))?"
_NAME = rf"(?:[{_QUOTES}]([^{_QUOTES}\n]*)[{_QUOTES}]|({_BARE}))"
_EDGE = re.compile(rf"{_NAME}\s*{_DASH}\s*{_NAME}\s*\[([^\]\n]*)\]")
_BEGUN_EDGE = re.compile(rf"{_NAME}\s*{_DASH}[^\]]*\Z")
_GRAPH = re.compile(r"\bgraph\b[^\n{]*\{", re.IGNORECASE)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|^[ \t]*#[^\n]*", re.DOTALL | re.MULTILINE)
_LABEL = re.compile(r"""\b(?:rel|label|relation|type)\s*=\s*["'\u201c]?([^"'\u201d,;\s\]]+)""", re.IGNORECASE)
_CLOSING, _OPENING = re.compile(r"</think>", re.IGNORECASE), re.compile(r"<think>", re.IGNORECASE)
_NUMBERED = re.compile(r"\(\s*([^()\s]+)\s*\)\s*\Z")
_ID = re.compile(r"[A-Za-z]{1,3}[0-9]+")
_MARK = re.compile(r"^\s*(?:[-*+\u2022]|\d+[.)])?\s*")
_WORD = r"[A-Za-z_]+(?:[-_ ][A-Za-z_]+)?"
_ITEM_END = rf"(?:[{_QUOTES}]?([^\s{_QUOTES}|:,;]+(?:[ \t]*\([^()\s]*\))?)[{_QUOTES}]?)"
_SENTENCE = re.compile(rf"{_ITEM_END}\s+([A-Za-z_|-]+)\s+{_ITEM_END}")
_PAIR_LINE = re.compile(rf"{_ITEM_END}\s*{_DASH}\s*{_ITEM_END}\s*:\s*\**\s*([A-Za-z_|-]+)")
_SOURCES = ("source", "event1", "e1", "head", "from", "subject", "first", "arg1")
_TARGETS = ("target", "event2", "e2", "tail", "to", "object", "second", "arg2")
_RELATIONS = ("relation", "label", "rel", "type", "predicate")


class Stated(NamedTuple):
    """A statement as the model wrote it."""

    source: str
    label: str
    target: str


class Found(NamedTuple):
    """All statements of a text in order, and the codes of what is odd about the text."""

    statements: list[Stated]
    problems: list[str]


def statements_in(text: str) -> Found:
    """Return the statements of a text.

    >>> statements_in("1. sailed(1) -- docked(2): before").statements
    [Stated(source='sailed(1)', label='before', target='docked(2)')]
    """
    problems: list[str] = []
    answer = _without_reasoning(text.replace("\r\n", "\n"), problems)
    graphs = list(_GRAPH.finditer(answer))
    part = _COMMENT.sub(" ", answer[graphs[-1].end() :] if graphs else answer)
    if graphs:
        part, brace, _ = part.partition("}")
        if len(graphs) > 1:
            problems.append("several-graphs")
    edges = list(_EDGE.finditer(part))
    found = list(map(_edge, edges))
    rest = part[edges[-1].end() :] if edges else part
    if (graphs and not brace) or edges:
        begun = rest.rstrip("` \n\t;")
        if begun and (_BEGUN_EDGE.search(begun) or (graphs and not brace)):
            problems.append("cut-off")
    if not edges:
        found = list(_without_graph(answer))
        if found:
            problems.append("no-graph")
    return Found(found, problems)


def id_of(name: str) -> str | None:
    """Return the id in a name: what stands in parentheses at its end, or a name such as e12 itself; None for a word.

    >>> id_of("sailed (1)"), id_of("e12"), id_of("sailed")
    ('1', 'e12', None)
    """
    name = name.strip().strip(_QUOTES + "*")
    found = _NUMBERED.search(name)
    if found is not None:
        return found[1]
    return name if _ID.fullmatch(name) or name.isdigit() else None


def _without_reasoning(text: str, problems: list[str]) -> str:
    closings = list(_CLOSING.finditer(text))
    if closings:
        text = text[closings[-1].end() :]
        problems.append("reasoning-skipped")
    opening = _OPENING.search(text)
    if opening is not None:
        text = text[: opening.start()]
        problems.append("reasoning-not-closed")
    return text


def _edge(edge: re.Match[str]) -> Stated:
    label = _LABEL.search(edge[5])
    source, target = edge[1] or edge[2] or "", edge[3] or edge[4] or ""
    return Stated(source, label[1] if label else edge[5].strip() or "?", target)


def _without_graph(text: str) -> Iterator[Stated]:
    """Yield statements of JSON; if there is none, those of table rows and list lines."""
    objects = list(_json_statements(text))
    yield from objects
    if objects:
        return
    for line in text.split("\n"):
        if line.count("|") >= 3:
            yield from _row(line)
        else:
            yield from _sentence(line)


def _json_statements(text: str) -> Iterator[Stated]:
    decoder = json.JSONDecoder()
    position = 0
    while (start := _next_bracket(text, position)) >= 0:
        try:
            value, position = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            position = start + 1
            continue
        yield from _of_json(value)


def _next_bracket(text: str, position: int) -> int:
    places = [place for place in (text.find("[", position), text.find("{", position)) if place >= 0]
    return min(places, default=-1)


def _of_json(value: Any) -> Iterator[Stated]:
    """Yield the objects and triples inside a JSON value, with an explicit stack in their order."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            ends = [_first(each, keys) for keys in (_SOURCES, _RELATIONS, _TARGETS)]
            if all(isinstance(end, str) for end in ends):
                yield Stated(*ends)
            else:
                waiting += reversed([inner for inner in each.values() if isinstance(inner, dict | list)])
        elif isinstance(each, list):
            if len(each) == 3 and all(isinstance(part, str) for part in each):
                yield _ordered(each)
            else:
                waiting += reversed(each)


def _first(record: dict[str, Any], keys: tuple[str, ...]) -> Any:
    lower = {str(key).lower().replace(" ", "").replace("_", ""): value for key, value in record.items()}
    found = next((lower[key] for key in keys if key in lower), None)
    return str(found) if isinstance(found, int) and not isinstance(found, bool) else found


def _ordered(parts: list[str]) -> Stated:
    """Return a triple whose label stands in the middle, or at the end where the middle is an entity."""
    first, second, third = parts
    return Stated(first, third, second) if id_of(second) and not id_of(third) else Stated(first, second, third)


def _row(line: str) -> Iterator[Stated]:
    """Yield the statement of a row of a Markdown table: two names with ids, and the one other cell that is a word."""
    cells = [cell.strip().strip("*` ") for cell in line.strip().strip("|").split("|")]
    names = [cell for cell in cells if _NUMBERED.search(cell) or _ID.fullmatch(cell)]
    words = [cell for cell in cells if cell not in names and re.fullmatch(_WORD, cell)]
    if len(names) == 2 and words:
        yield Stated(names[0], words[0], names[1])


def _sentence(line: str) -> Iterator[Stated]:
    """Yield the statement that begins a line of a list; what follows it is an explanation."""
    plain = _MARK.sub("", line, count=1).lstrip("*_ ")
    pair = _PAIR_LINE.match(plain)
    if pair is not None:
        yield Stated(pair[1], pair[3], pair[2])
        return
    sentence = _SENTENCE.match(plain)
    if sentence is not None and id_of(sentence[1]) and id_of(sentence[3].rstrip("*.,;:")):
        yield Stated(sentence[1], sentence[2], sentence[3].rstrip("*.,;:"))
