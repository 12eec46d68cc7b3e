"""How often intervals hold the true value, and how often equal systems seem to differ: by simulation, with tp.compare.

A kind of corpus says how documents are drawn: how many pairs they have, how hard they are, and how often a system finds
the right label, leaves a pair out, or is wrong. What the figures are in the limit is computed from the same
numbers. ``python -m bench.tables.coverage`` prints the table of docs/statistics.md.
"""

from __future__ import annotations

import sys
from random import Random
from typing import TYPE_CHECKING, NamedTuple

import temporacle as tp
from temporacle.model import Document, HowRead, Link
from temporacle.readings import load_reading

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SIZES = (6, 10, 20, 50)
SYSTEMS = 6
_LABELS = ("BEFORE", "AFTER", "EQUAL")
_READING = load_reading("matres")
_READ = HowRead("statements", _READING)
_RELATIONS = {label: _READING.relation(label) for label in (*_LABELS, "VAGUE")}


class Kind(NamedTuple):
    """How documents of a corpus are drawn. The shares are those of a document of middle difficulty."""

    name: str
    size: Callable[[Random], int]
    right: tuple[float, float]  # of two systems
    silent: tuple[float, float]
    spread: float = 0.1  # how much documents differ, the same for all systems
    slope: float = 0.0  # how much harder long documents are

    def document(self, random: Random) -> tuple[int, float]:
        """The number of pairs, and how much easier than others the document is."""
        size = self.size(random)
        return size, random.uniform(-1, 1) * self.spread * 2 - self.slope * (size > 30)

    def share(self, system: int, ease: float) -> float:
        return min(1.0, max(0.0, self.right[system] + ease))


KINDS = (
    Kind("even sizes", lambda random: random.randint(10, 30), (0.7, 0.62), (0.1, 0.1)),
    Kind("sizes 5 to 60", lambda random: int(5 * 12 ** random.random()), (0.6, 0.55), (0.05, 0.2), 0.15),
    Kind("sizes 2 to 200", lambda random: int(2 * 100 ** random.random()), (0.75, 0.75), (0.0, 0.0), 0.1),
    Kind("long ones harder", lambda random: int(5 * 12 ** random.random()), (0.8, 0.7), (0.1, 0.0), 0.08, 0.2),
)


def truth(kind: Kind, documents: int = 200_000) -> list[float]:
    """F1 of each of the two systems, in the limit of many documents."""
    random = Random(kind.name)
    drawn = [kind.document(random) for _ in range(documents)]
    found = []
    for system, silent in enumerate(kind.silent):
        asked = sum(size for size, _ in drawn)
        right = sum(size * (1 - silent) * kind.share(system, ease) for size, ease in drawn)
        precision, recall = right / (asked * (1 - silent)), right / asked
        found.append(2 * precision * recall / (precision + recall))
    return found


def corpus(kind: Kind, documents: int, random: Random, systems: tuple[int, ...]) -> list[list[Document]]:
    """Gold, and the answers of systems. A number stands for the shares of one of the two."""
    sides: list[list[Document]] = [[] for _ in range(1 + len(systems))]
    for number in range(documents):
        size, ease = kind.document(random)
        names = [(f"{place}a", f"{place}b") for place in range(size)]
        labels = [random.choice(_LABELS) for _ in names]
        answers = [_answers(labels, kind.share(each, ease), kind.silent[each], random) for each in systems]
        for side, given in zip(sides, (labels, *answers), strict=True):
            links = [
                Link(str(place), first, _RELATIONS[label], second, label)
                for place, ((first, second), label) in enumerate(zip(names, given, strict=True))
            ]
            side.append(Document(f"d{number}", tuple(links), how_read=_READ))
    return sides


def _answers(labels: list[str], share: float, silent: float, random: Random) -> list[str]:
    def answer(label: str) -> str:
        if random.random() < silent:
            return "VAGUE"
        return label if random.random() < share else random.choice([each for each in _LABELS if each != label])

    return [answer(label) for label in labels]


def compared(gold: list[Document], systems: list[list[Document]]) -> tp.Ranking:
    named = {f"s{number}": side for number, side in enumerate(systems)}
    return tp.compare(gold, named, metric="pairs", convention="matres", baseline="s0", jobs=1)


def covered(kind: Kind, documents: int, corpora: int) -> tuple[float, float]:
    """The shares of intervals that hold the truth: of F1 of one system, and of the difference of two."""
    first, second = truth(kind)
    random = Random(f"{kind.name} {documents}")
    held = [0, 0]
    for _ in range(corpora):
        gold, *systems = corpus(kind, documents, random, (0, 1))
        ranking = compared(gold, systems)
        own, difference = ranking.of("s0").interval, ranking.of("s1").difference.of("f1").interval  # type: ignore[union-attr]
        held[0] += own is not None and own.low <= first <= own.high
        held[1] += difference is not None and difference.low <= second - first <= difference.high
    return held[0] / corpora, held[1] / corpora


def some_difference(kind: Kind, documents: int, corpora: int, *, baseline: bool) -> tuple[float, float]:
    """How often one of six equal systems seems to differ at 0.05: by p, and by adjusted p."""
    random = Random(f"{kind.name} {documents} {baseline}")
    seen = [0, 0]
    for _ in range(corpora):
        gold, *systems = corpus(kind, documents, random, (0,) * SYSTEMS)
        named = {f"s{number}": side for number, side in enumerate(systems)}
        chosen = {"baseline": "s0"} if baseline else {}
        ranking = tp.compare(gold, named, metric="pairs", convention="matres", jobs=1, **chosen)
        found = [each.difference.of("f1") for each in ranking if each.difference is not None]
        seen[0] += any(each.p_value is not None and each.p_value <= 0.05 for each in found)
        seen[1] += any(each.p_adjusted is not None and each.p_adjusted <= 0.05 for each in found)
    return seen[0] / corpora, seen[1] / corpora


def lines(corpora: int) -> Iterator[str]:
    yield "| F1 of one system / difference of two | " + " | ".join(f"{size} documents" for size in SIZES) + " |"
    yield "|---" * (len(SIZES) + 1) + "|"
    for kind in KINDS:
        cells = [covered(kind, size, corpora) for size in SIZES]
        yield f"| {kind.name} | " + " | ".join(f"{one:.1%} / {two:.1%}" for one, two in cells) + " |"
    yield ""
    yield "| six equal systems, some p <= 0.05: p / adjusted p | 10 documents | 20 documents |"
    yield "|---|---|---|"
    for baseline, name in ((True, "with a baseline"), (False, "with the best")):
        cells = [some_difference(KINDS[0], size, corpora * 10 // size // 2, baseline=baseline) for size in (10, 20)]
        yield f"| {name} | " + " | ".join(f"{one:.1%} / {two:.1%}" for one, two in cells) + " |"


if __name__ == "__main__":
    for line in lines(int(sys.argv[1]) if sys.argv[1:] else 1000):
        print(line, flush=True)
