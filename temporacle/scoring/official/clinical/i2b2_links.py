"""Comparing the links of two files of i2b2 2012: by the TempEval-3 graph, or by looking them up."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from temporacle.scoring.official.awareness import OfficialSide, score_sides, shared_entities
from temporacle.scoring.official.clinical.i2b2_closure import closed_links
from temporacle.scoring.official.clinical.i2b2_tags import TagLink, links_in
from temporacle.scoring.official.clinical.printout import Stop
from temporacle.scoring.official.timegraph import OfficialTimegraph
from temporacle.scoring.official.tlinks import Triple, inverse_in_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from temporacle.reasoner.network import Budget
    from temporacle.scoring.official.clinical.i2b2_entities import Mapping

MODES = ("tempeval", "oo", "oc", "cc")
SECTION_TIMES = (b"Admission", b"Discharge")


class LinkCounts(NamedTuple):
    """Totals and matches of the links of a document."""

    system: int = 0
    gold: int = 0
    precise: int = 0
    recalled: int = 0


def _unknown(identifier: bytes) -> bytes:
    return b"\nError: Unknown EVENT or TIMEX id in TLINK: " + identifier + b"\n"


# --- tempeval ---------------------------------------------------------------------------------------------------------


def gold_triples(content: bytes, gold_map: Mapping, system_map: Mapping, say: Callable[[bytes], None]) -> list[Triple]:
    """Return gold's links, their ids sent to the system and back."""

    def sent(identifier: bytes) -> bytes:
        if len(gold_map) < 3:
            there = identifier
        elif identifier in gold_map:
            there = gold_map[identifier][0]
        else:
            say(_unknown(identifier))
            there = b""
        return system_map[there][0] if there in system_map else identifier

    return [
        Triple(sent(link.source), sent(link.target), _simultaneous(link.label))
        for link in links_in(content)
        if link.source and link.target and link.label
    ]


def system_triples(content: bytes, system_map: Mapping, say: Callable[[bytes], None]) -> list[Triple]:
    """Return the system's links under gold's ids; those with unknown ids are dropped."""
    found = []
    for link in links_in(content):
        if not (link.source and link.target):
            continue
        ends = []
        for identifier in (link.source, link.target):
            if len(system_map) < 3:
                ends.append(identifier)
            elif identifier in system_map:
                ends.append(system_map[identifier][0])
            else:
                say(_unknown(identifier))
        if len(ends) == 2 and link.label:
            found.append(Triple(ends[0], ends[1], _simultaneous(link.label)))
    return found


def _simultaneous(label: bytes) -> bytes:
    return label.replace(b"OVERLAP", b"SIMULTANEOUS")


class I2b2Side(OfficialSide):
    """A side of a document: DURING is SIMULTANEOUS in the graph only, and self links have inverses, too."""

    @staticmethod
    def graph_of(links: Sequence[Triple], budget: Budget | None) -> OfficialTimegraph:
        return OfficialTimegraph(links, budget, label_of=lambda label: b"SIMULTANEOUS" if label == b"DURING" else label)

    @staticmethod
    def lines_of(links: Sequence[Triple]) -> Iterator[Triple]:
        for link in links:
            yield link
            inverse = b"DURING_BY" if link.label == b"DURING" else inverse_in_text(link.label)
            yield Triple(link.target, link.source, inverse)


def tempeval_counts(gold: Sequence[Triple], system: Sequence[Triple], budget: Budget) -> LinkCounts:
    """Score as the TempEval-3 program does."""
    sides = I2b2Side(gold, budget), I2b2Side(system, budget)
    counts = score_sides(*sides, "default").counts
    common = shared_entities(*(side.scored("default") for side in sides))
    # The program works out a weight that it does not use.
    if 1 + common * (common - 1) / 2 - counts.recall_matched == 0:
        raise Stop("ZeroDivisionError", "as many links are found as pairs of common entities can have, and one more")
    return LinkCounts(counts.system_total, counts.gold_total, counts.precision_matched, counts.recall_matched)


# --- looking up -------------------------------------------------------------------------------------------------------


def looked_up_counts(
    gold: bytes, system: bytes, maps: tuple[Mapping, Mapping], mode: str, say: Callable[[bytes], None]
) -> LinkCounts:
    """Score by looking links up on the other side: own links (o) or closed ones (c)."""
    own = _own_links(gold), _own_links(system)
    closures = closed_links(gold, own[0]), closed_links(system, own[1])
    if mode != "oo":
        for _ in range(2):
            say(b"\nSputLink is computing the temporal closure... Please give it a moment...\n")
        if None in closures:
            return LinkCounts()
    closed = closures[0] or [], closures[1] or []
    asked, known = (own if letter == "o" else closed for letter in mode)
    gold_map, system_map = maps
    precise = _found(asked[1], known[0], system_map, say)
    recalled = _found(asked[0], known[1], gold_map, say)
    return LinkCounts(len(asked[1]), len(asked[0]), precise, recalled)


def _own_links(content: bytes) -> list[TagLink]:
    return [link._replace(label=link.label.replace(b"SIMULTANEOUS", b"OVERLAP").upper()) for link in links_in(content)]


def _found(asked: Sequence[TagLink], known: Sequence[TagLink], mapping: Mapping, say: Callable[[bytes], None]) -> int:
    there = {(link.source, link.target, link.label) for link in known}
    ways = {**mapping, **{time: [time] for time in SECTION_TIMES}}
    as_written = len(ways) == len(SECTION_TIMES)
    count = 0
    for link in asked:
        if not (link.source and link.target) or b"R" in link.id or b"S" in link.source or b"S" in link.target:
            continue
        if as_written:
            count += (link.source, link.target, link.label) in there
            continue
        unknown = [end for end in (link.source, link.target) if end not in ways]
        for end in unknown:
            say(_unknown(end))
        if not unknown:
            pairs = product(ways[link.source], ways[link.target])
            count += any((source, target, link.label) in there for source, target in pairs)
    return count
