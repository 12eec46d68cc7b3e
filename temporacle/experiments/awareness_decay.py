"""``awareness-decay``: temporal awareness of a spoilt copy of the reference (UzZaman & Allen 2011, figures 2 to 5).

    remove     links are taken out                                     recall against the share kept
    add        links that the reference does not entail are put in     precision against the share that is true
    change     links get another atom                                  F1 against the share unchanged
    entities   all links of an entity are taken out, those with most   F1 against the number of entities left
               links first

Links put in or changed may contradict others, as those of real systems do; the metric sets them aside and counts them.
"""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import TYPE_CHECKING

from temporacle.experiments.graphs import sampled_documents, text_like_graph
from temporacle.experiments.outcome import (
    Outcome,
    PaperClaim,
    PlottedFigure,
    Progress,
    Settings,
    averaged,
    line_of,
    quiet,
)
from temporacle.model import Document, Link
from temporacle.reasoner.oracle import Oracle
from temporacle.relation import ATOMS, Relation
from temporacle.results import Verdict, harmonic_mean
from temporacle.scoring.awareness import AwarenessOptions, judge

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_STEPS = 10
_KINDS = ("remove", "add", "change", "entities")
_MEASURE = {"remove": "recall", "add": "precision", "change": "f1", "entities": "f1"}
_LARGEST = 200  # linked entities of a sampled document
_ENTITIES_PER_GRAPH = 2  # text-like graphs have twice as many entities as the others: their links are few


def run(settings: Settings, progress: Progress = quiet) -> Outcome:
    """Spoil copies of documents in four ways, and score them against the originals."""
    random = Random(settings.seed)
    documents = _documents(settings, random)
    total = len(documents) * (3 * _STEPS * settings.samples + _STEPS)
    rows: list[tuple[str | int | float, ...]] = []
    for document in documents:
        for kind, share, links in _spoilt(document, settings.samples, random):
            counts = judge(document, Document(document.id, tuple(links)), AwarenessOptions()).counts
            precision, recall = counts.precision(0), counts.recall(0)
            f1 = float(harmonic_mean(precision, recall))
            rows.append((document.id, kind, share, float(precision), float(recall), f1))
            progress(len(rows), total)
    return _outcome(rows)


def _documents(settings: Settings, random: Random) -> list[Document]:
    if settings.corpus:
        return sampled_documents(settings, random, largest=_LARGEST)
    size = _ENTITIES_PER_GRAPH * settings.entities
    return [text_like_graph(random, size, f"graph{number}") for number in range(1, settings.graphs + 1)]


def _spoilt(document: Document, samples: int, random: Random) -> Iterator[tuple[str, float, list[Link]]]:
    """Yield the kind of change, the share of the original that is left, and the links of the copy."""
    links = list(document.links)
    oracle = Oracle(document)
    for step in range(1, _STEPS + 1):
        number = round(len(links) * step / _STEPS)
        for _ in range(samples):
            yield "remove", 1 - number / len(links), random.sample(links, len(links) - number)
            yield "add", len(links) / (len(links) + number), [*links, *noise(oracle, number, random)]
            yield "change", 1 - number / len(links), changed(links, number, random)
    degrees = Counter(end for link in links for end in {link.source, link.target})
    ranked = [name for name, _ in sorted(degrees.items(), key=lambda item: (-item[1], item[0]))]
    for step in range(1, _STEPS + 1):
        gone = set(ranked[: round(len(ranked) * step / _STEPS)])
        yield "entities", 1 - len(gone) / len(ranked), [each for each in links if not {each.source, each.target} & gone]


def noise(oracle: Oracle, number: int, random: Random) -> list[Link]:
    """Return links of one atom that the reference does not entail; no pair occurs twice if there are enough pairs."""
    names = oracle.network.entities
    added: list[Link] = []
    taken: set[frozenset[str]] = set()
    while len(added) < number:
        source, target = random.sample(names, 2)
        atom = Relation.of(random.choice(ATOMS))
        pair = frozenset((source, target))
        full = 2 * len(taken) >= len(names) * (len(names) - 1)
        if (full or pair not in taken) and oracle.entails(source, atom, target) is not Verdict.ENTAILED:
            taken.add(pair)
            added.append(Link(f"noise{len(added) + 1}", source, atom, target, label=str(atom)))
    return added


def changed(links: Sequence[Link], number: int, random: Random) -> list[Link]:
    """Return the links, some of them changed to an atom that the original excludes."""
    places = set(random.sample(range(len(links)), number))
    return [_other(link, random) if position in places else link for position, link in enumerate(links)]


def _other(link: Link, random: Random) -> Link:
    excluded = (~link.relation).atoms
    atom = Relation.of(random.choice(excluded)) if excluded else link.relation
    return link._replace(relation=atom, label=str(atom))


def _outcome(rows: list[tuple[str | int | float, ...]]) -> Outcome:
    position = {"precision": 3, "recall": 4, "f1": 5}
    curves = {
        kind: averaged(
            {"f1": "F1"}.get(_MEASURE[kind], _MEASURE[kind]),
            [(float(row[2]), float(row[position[_MEASURE[kind]]])) for row in rows if row[1] == kind] + [(1.0, 1.0)],
            _STEPS,
        )
        for kind in _KINDS
    }
    words = {
        "remove": (
            "PlottedFigure 2: removing links",
            "share of links kept",
            "recall decreases linearly as links are removed",
        ),
        "add": (
            "PlottedFigure 3: adding noise",
            "share of links that are true",
            "precision decreases linearly as noise grows",
        ),
        "change": (
            "PlottedFigure 4: changing links",
            "share of links unchanged",
            "F1 decreases linearly as links are changed",
        ),
        "entities": ("PlottedFigure 5: removing entities by degree", "share of entities left", ""),
    }
    claims = []
    for kind in _KINDS[:-1]:
        line = line_of(curves[kind])
        claims.append(PaperClaim(words[kind][2], line.is_straight, str(line)))
    claims.append(_degree_claim([point.y for point in reversed(curves["entities"].points)]))
    return Outcome(
        name="awareness-decay",
        columns=("document", "change", "share_left", "precision", "recall", "f1"),
        rows=tuple(rows),
        figures=tuple(
            PlottedFigure(f"awareness-{kind}", title, x_label, curves[kind].name, (curves[kind],), diagonal=True)
            for kind, (title, x_label, _) in words.items()
        ),
        claims=tuple(claims),
        notes=(f"{len(rows)} spoilt copies",),
    )


def _degree_claim(scores: list[float]) -> PaperClaim:
    """Return scores with all entities, then with fewer and fewer."""
    third = max(1, len(scores) // 3)
    first, last = scores[0] - scores[third], scores[-1 - third] - scores[-1]
    return PaperClaim(
        "F1 drops more for entities with many links than for those with few",
        first > last,
        f"the first {third} of {len(scores) - 1} steps cost {first:.2f}, the last {third} cost {last:.2f}",
    )
