"""SemEval-2015 task 4: the timeline of one target entity.

    North Ferry Line
    1	2018	812-2-founded	815-2-started
    2	2019-06-XX	812-4-bought

The first line names the target entity; every other line has a position, a time anchor, and mentions of one event.
The file states no links. They follow from it: each mention lies within its anchor (two events of one day need not be
simultaneous), and each mention is before, or simultaneous with, the next one in the order of positions. Mentions at
position 0 could not be placed; they are left out with a remark. Mentions are entities of their own, also those of one
line; an anchor is an entity named by its string.

The task's own scorer takes a mention as simultaneous with its anchor: the metric ``timeline`` changes the links for it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from temporacle.io.builder import DocumentBuilder
from temporacle.io.formats import is_integer, share
from temporacle.io.rows import require_content
from temporacle.model import Body, Entity, Kind
from temporacle.readings import load_reading

if TYPE_CHECKING:
    from collections.abc import Iterator

    from temporacle.io.formats import Sample
    from temporacle.io.source import Source
    from temporacle.model import Document

_BLANKS = " \t\r\n\v\f"
_POSITION = re.compile(rf"[{_BLANKS}]*+([+-]?)[{_BLANKS}]*+([0-9]{{1,4000}}+)[{_BLANKS}]*+")
_DIGITS = re.compile("([0-9]+)")
_SHOWN_LINES = 5


class TimelineRow(NamedTuple):
    """One line of a timeline as it stands in the file, and what it says."""

    line: int
    text: str

    @property
    def fields(self) -> list[str]:
        """Return the columns, without blanks at the end of the line."""
        return self.text.rstrip(_BLANKS).split("\t")

    @property
    def position(self) -> int | None:
        """Return the position in the order; None if the first column is not a number."""
        found = _POSITION.fullmatch(self.fields[0])
        return int(found[1] + found[2]) if found else None

    @property
    def anchor(self) -> str:
        return self.fields[1] if len(self.fields) > 1 else ""


@dataclass(frozen=True, slots=True)
class Timeline:
    """A timeline as it stands in the file; ``rows`` has every line that is not blank, usable or not."""

    entity: str
    rows: tuple[TimelineRow, ...]


class PlacedMention(NamedTuple):
    """One placed mention: what links are made of."""

    name: str  # the mention, numbered if it is repeated
    mention: str
    anchor: str
    position: int
    line: int


def share_that_fits(sample: Sample) -> float:
    """Return the share of lines that fit: a name without a tab, then ``position TAB anchor TAB mention``."""
    if "\t" in sample.lines[0]:
        return 0
    rows = [line.split("\t") for line in sample.lines[1:]]
    return share(rows, lambda row: len(row) >= 3 and is_integer(row[0]))


def parse_timeline(data: bytes | str) -> Timeline:
    r"""Return the lines of a timeline. Bytes that are not UTF-8 are kept as surrogates, so nothing is lost.

    >>> timeline = parse_timeline("North Ferry Line\n1\t2018\t812-2-founded\n")
    >>> timeline.entity, timeline.rows[0].position, timeline.rows[0].fields[2:]
    ('North Ferry Line', 1, ['812-2-founded'])
    """
    text = data.decode("utf-8", "surrogateescape") if isinstance(data, bytes) else data
    entity, *lines = text.removeprefix("\ufeff").split("\n")
    rows = (TimelineRow(number, line) for number, line in enumerate(lines, 2) if line.strip(_BLANKS))
    return Timeline(entity.removesuffix("\r"), tuple(rows))


def natural_key(text: str) -> list[object]:
    r"""Return a sort key that compares numbers in the text by value: 9 comes before 10, and equals 09.

    Text and numbers alternate, so keys can always be compared. Numbers are compared by length and digits, since they
    may be longer than an int can be converted from.

    >>> sorted(["2\t2001-10", "2\t2001-9", "2\tXXXX", "10\t2001"], key=natural_key)
    ['2\t2001-9', '2\t2001-10', '2\tXXXX', '10\t2001']
    """
    parts: list[object] = list(_DIGITS.split(text))
    parts[1::2] = [(len(digits), digits) for digits in (str(part).lstrip("0") for part in parts[1::2])]
    return parts


def read(source: Source) -> Iterator[Document]:
    """Yield the timeline as one document."""
    require_content(source)
    timeline = parse_timeline(source.decode())
    if "\t" in timeline.entity:
        raise source.error("the first line is a row", line=1, cure="the first line must name the target entity")
    if not timeline.rows and timeline.entity.lstrip()[:1] in ("{", "[", "<"):
        raise source.error(
            "is not a timeline", line=1, cure="the first line must name the target entity, rows follow it"
        )
    # The labels are not in the file, so the reading that a user chooses for labels has no say in them.
    builder = DocumentBuilder(source.name, source, "timeline", load_reading("timeline"))
    items = _items(timeline, builder)
    for number, item in enumerate(items, 1):
        builder.add_link(f"anchor:{number}", item.name, "IS_INCLUDED", item.anchor, line=item.line, task="anchor")
    for number, (item, following) in enumerate(pairwise(items), 1):
        label = "BEFORE" if item.position < following.position else "SIMULTANEOUS"
        builder.add_link(f"order:{number}", item.name, label, following.name, line=following.line, task="order")
    document = builder.build()
    yield replace(document, body=partial(_body, tuple(items), document.entity_ids))


def _items(timeline: Timeline, builder: DocumentBuilder) -> list[PlacedMention]:
    """Return the mentions with a position, in order. Rows that cannot be used are dropped with a remark."""
    placed: list[tuple[int, TimelineRow]] = []
    unplaced: list[int] = []
    for row in timeline.rows:
        position = row.position
        if len(row.fields) < 3:
            message = "a row needs a position, an anchor and a mention"
            builder.drop("short-row", message, line=row.line, element=str(row.line))
        elif position is None:
            message = f"position {row.fields[0][:40]!r} is not a whole number"
            builder.drop("bad-position", message, line=row.line, element=str(row.line))
        elif position == 0:
            unplaced.append(row.line)
        else:
            placed.append((position, row))
    if unplaced:
        if len(unplaced) == 1:
            message = f"the row at position 0 (line {unplaced[0]}) cannot be placed and takes no part"
        else:
            message = (
                f"{len(unplaced)} rows at position 0 (lines {_listed(unplaced)}) cannot be placed and take no part"
            )
        builder.warn("unplaced-row", message, line=unplaced[0])
    placed.sort(key=lambda pair: (pair[0], natural_key(pair[1].text.rstrip(_BLANKS))))
    used = {row.anchor for _, row in placed}
    repeats: dict[str, int] = {}
    return [
        PlacedMention(_name(mention, used, repeats), mention, anchor, position, row.line)
        for position, row in placed
        for anchor, *mentions in [row.fields[1:]]
        for mention in mentions
    ]


def _listed(lines: list[int]) -> str:
    shown = ", ".join(map(str, lines[:_SHOWN_LINES]))
    return shown if len(lines) <= _SHOWN_LINES else f"{shown}, ..."


def _name(mention: str, used: set[str], repeats: dict[str, int]) -> str:
    """Return the mention, or ``mention#k`` for its k-th repeat."""
    repeats[mention] = count = repeats.get(mention, 0) + 1
    name = mention if count == 1 else f"{mention}#{count}"
    while name in used:
        repeats[mention] = count = count + 1
        name = f"{mention}#{count}"
    used.add(name)
    return name


def _body(items: tuple[PlacedMention, ...], names: tuple[str, ...]) -> Body:
    """Return mentions with their words, and anchors with their dates.

    Links that were dropped because a name was missing are ignored.
    """
    entities: dict[str, Entity] = {}
    for item in items:
        # Two hyphens end the numbers of document and sentence; the word may have hyphens too.
        entities[item.name] = Entity(item.name, Kind.EVENT, item.mention.split("-", 2)[-1], line=item.line)
        entities.setdefault(item.anchor, Entity(item.anchor, Kind.TIME, value=item.anchor, line=item.line))
    return Body(tuple(entities[name] for name in names))
