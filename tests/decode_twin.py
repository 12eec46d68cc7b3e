"""The naive twin of decoding: every labelling against every order of endpoints. No code of the decoder is used."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from naive import scenario_bitsets

from temporacle.model import Link
from temporacle.readings import load_reading
from temporacle.relation import Relation
from temporacle.scored import Objective, Place, ScoredDocument, ScoredLabel, ScoredPair, scored_pair

if TYPE_CHECKING:
    from random import Random

MATRES = ("BEFORE", "AFTER", "EQUAL", "VAGUE")
TIMEML = ("BEFORE", "AFTER", "INCLUDES", "IS_INCLUDED", "SIMULTANEOUS", "IBEFORE", "BEGINS", "ENDS", "VAGUE")


def document_of(record, reading):
    """A scored document from an object such as those of JSON Lines."""
    known = load_reading(reading).with_atoms()
    pairs = tuple(
        scored_pair(f"p{number}", (pair["source"], pair["target"]), pair["scores"], known, Place(None, number))
        for number, pair in enumerate(record["pairs"], 1)
    )
    hard = tuple(
        Link(f"h{number}", link["source"], known.relation(link["relation"]), link["target"], link["relation"])
        for number, link in enumerate(record.get("links", ()), 1)
    )
    return ScoredDocument(record["document"], pairs, known, hard)


def random_document(rng: Random, *, ties: bool, entities: int = 4, most_pairs: int = 6) -> ScoredDocument:
    """Few entities and pairs, any label set, hard links now and then, pairs twice or turned round or of one entity."""
    names = [f"e{number}" for number in range(rng.randint(2, entities))]
    kind = rng.choice(("matres", "timeml", "any"))
    pairs = []
    for number in range(rng.randint(1, most_pairs)):
        source, target = rng.choice(names), rng.choice(names)
        if source == target and rng.random() < 0.9:
            source, target = rng.sample(names, 2)
        pairs.append(ScoredPair(f"p{number}", source, target, _labels(rng, kind, ties=ties), number + 1))
    hard = tuple(Link(f"h{number}", *_hard_link(rng, names, kind)) for number in range(rng.choice((0, 0, 0, 1, 2))))
    return ScoredDocument("d", tuple(pairs), load_reading("links"), hard)


def _labels(rng, kind, *, ties):
    if kind == "any":
        chosen = [Relation(rng.randrange(1, 1 << 13)) for _ in range(rng.randint(1, 4))]
        named = [(str(relation), relation) for relation in dict.fromkeys(chosen)]
    else:
        labels = MATRES if kind == "matres" else TIMEML
        reading = load_reading(kind)
        few = rng.sample(labels, rng.randint(1, min(4, len(labels))))
        named = [(label, reading.relation(label)) for label in few]
    scores = [rng.choice((0.0, 0.25, 0.5)) if ties else round(rng.random(), 6) for _ in named]
    return tuple(ScoredLabel(*label, score) for label, score in zip(named, scores, strict=True))


def _hard_link(rng, names, kind):
    source, target = rng.sample(names, 2)
    label = rng.choice(_labels(rng, kind, ties=True))
    return source, label.relation, target, label.label


def all_labellings(document: ScoredDocument, objective: Objective) -> list[tuple[int, tuple[int, ...]]]:
    """Every consistent labelling: its value in units and, for each pair, the place of its label in the list."""
    names = sorted({end for each in (*document.pairs, *document.links) for end in (each.source, each.target)})
    everything, holding = scenario_bitsets(len(names))

    def scenarios(source, relation, target):
        by_atom = holding[names.index(source), names.index(target)]
        return reduce(or_, (by_atom[atom] for atom in relation.atoms), 0)

    possible = everything
    for link in document.links:
        possible &= scenarios(link.source, link.relation, link.target)
    partial = [(possible, 0, ())] if possible else []
    for pair in document.pairs:
        choices = [
            (scenarios(pair.source, label.relation, pair.target), objective.worth(label.score), place)
            for place, label in enumerate(pair.labels)
        ]
        partial = [
            (left & own, value + more, (*places, place))
            for left, value, places in partial
            for own, more, place in choices
            if left & own
        ]
    return [(value, places) for _, value, places in partial]


def rank_of(pair: ScoredPair, place: int, objective: Objective) -> tuple[int, int]:
    """Where a label stands in the order of a pair's labels: highest value first, then as listed."""
    return -objective.worth(pair.labels[place].score), place
