"""The closure of i2b2 2012's ``oc`` and ``cc``: three relations, derived link by link until a contradiction is met."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, TypeAlias

from temporacle.scoring.official.clinical.i2b2_tags import TagLink, links_in
from temporacle.scoring.official.clinical.printout import Stop

if TYPE_CHECKING:
    from collections.abc import Sequence

Pair: TypeAlias = tuple[bytes, bytes]

_MEANING = {b"BEFORE": "<", b"AFTER": ">"} | dict.fromkeys(
    (b"SIMULTANEOUS", b"IDENTITY", b"DURING", b"HOLDS", b"HELD_BY"), "="
)
_INVERSE = {b"BEFORE": b"AFTER", b"AFTER": b"BEFORE", b"HOLDS": b"HELD_BY", b"HELD_BY": b"HOLDS"} | {
    label: label for label in (b"SIMULTANEOUS", b"IDENTITY", b"DURING")
}
_LABELS = {"<": b"BEFORE", ">": b"AFTER", "=": b"OVERLAP"}
_OTHER_TAGS = (b"<EVENT", b"<TIMEX3", b"<SECTIME")
_FIRST_LINE = 3  # where the end of the text is looked for: the fourth line


def closed_links(content: bytes, own: Sequence[TagLink]) -> list[TagLink] | None:
    """Return own links and what follows from them; None where the closure program dies."""
    lines = _tag_lines(content)
    entities = _entities(lines)
    if len(entities) < 2:
        return None
    stated = {(link.source, link.target, link.label) for link in own}
    derived = Closure(_usable_links(lines, entities)).edges()
    return [*own, *(TagLink(b"closure", *edge) for edge in derived if edge not in stated)]


def _tag_lines(content: bytes) -> list[bytes]:
    lines = content.split(b"\n")
    for number, line in enumerate(lines):
        if number >= _FIRST_LINE and b"]]><" in line:
            return lines[number + 2 :]
    return []


def _entities(lines: Sequence[bytes]) -> set[bytes]:
    found = set()
    for line in lines:
        if b"<EVENT id" in line or b"<TIMEX3 id" in line:
            parts = line.split(b" id=")
            if len(parts) != 2:
                raise Stop("ValueError", "a tag in which id= does not occur exactly once")
            found.add(parts[1].split(b'"')[1] if parts[1].count(b'"') > 1 else parts[1])
    return found


def _usable_links(lines: Sequence[bytes], entities: set[bytes]) -> list[tuple[bytes, bytes, bytes]]:
    """Return the links that the closure gets. A link behind a tag of another kind is lost, except the first."""
    found = []
    is_first, interrupted = True, False
    for line in lines:
        if b"<TLINK" in line:
            (link,) = links_in(line)
            usable = is_first or not interrupted
            is_first, interrupted = False, False
            if usable and link.label and link.source in entities and link.target in entities:
                found.append((link.source, link.target, link.label.replace(b"OVERLAP", b"SIMULTANEOUS")))
        elif any(tag in line for tag in _OTHER_TAGS):
            interrupted = True
    return found


class Closure:
    """Relations of ordered pairs. The first relation of a pair stays; the first conflict ends all derivation."""

    def __init__(self, links: Sequence[tuple[bytes, bytes, bytes]]) -> None:
        self._relations: dict[Pair, str] = {}
        self._into: defaultdict[bytes, list[bytes]] = defaultdict(list)
        self._from: defaultdict[bytes, list[bytes]] = defaultdict(list)
        self._waiting: set[Pair] = set()
        self._bad = False
        for source, target, label in links:
            for left, right, relation in (
                (source, target, _MEANING.get(label.upper())),
                (target, source, _MEANING.get(_INVERSE.get(label, b""))),
            ):
                if relation is not None and (left, right) not in self._relations:
                    self._enter((left, right), relation)
                    self._derive_all()

    def edges(self) -> list[tuple[bytes, bytes, bytes]]:
        return [(*pair, _LABELS[relation]) for pair, relation in self._relations.items()]

    def _enter(self, pair: Pair, relation: str) -> None:
        self._relations[pair] = relation
        self._from[pair[0]].append(pair[1])
        self._into[pair[1]].append(pair[0])
        if pair[0] != pair[1]:
            self._waiting.add(pair)

    def _derive_all(self) -> None:
        while self._waiting:
            for pair in sorted(self._waiting):
                if self._bad:
                    return
                self._waiting.discard(pair)
                a, b = pair
                for k in list(self._into[a]):
                    self._derive((k, b), self._relations[k, a], self._relations[pair])
                for k in list(self._from[b]):
                    self._derive((a, k), self._relations[pair], self._relations[b, k])

    def _derive(self, pair: Pair, first: str, second: str) -> None:
        if pair[0] == pair[1] or {first, second} == {"<", ">"}:
            return
        relation = second if first == "=" else first
        if pair not in self._relations:
            self._enter(pair, relation)
        elif self._relations[pair] != relation:
            self._bad = True
