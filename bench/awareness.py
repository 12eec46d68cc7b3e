"""Temporal awareness of documents of 200 and 800 links against tieval, and growth on layered graphs.

tieval is not among the project's own requirements: without it (``pip install tieval``) the ratios against it are left
out. Both sides get links in their own form, already made; both score the same system against the same gold standard.
"""

from __future__ import annotations

import warnings
from random import Random
from typing import TYPE_CHECKING

from bench.documents import layered_links
from bench.harness import Row, best, in_turn
from temporacle.model import Document, Link
from temporacle.readings import load_reading
from temporacle.relation import Relation, atom_holding
from temporacle.scoring.awareness import AwarenessOptions, judge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SIZES = (200, 800)  # links


def rows() -> Iterator[Row]:
    for links in SIZES:
        yield from against_tieval(links, "sparse", int(0.6 * links))
        yield from against_tieval(links, "dense", links // 4 + 4)
    short, long = (Document("d", tuple(layered_links(3, layers))) for layers in (75, 300))
    quick, slow = in_turn([_ours(short, short), _ours(long, long)], least=3)
    yield Row(
        "layered graph, 300 layers of 3", "75 layers", slow / quick, 16, note="4 times the links; 16 is quadratic"
    )


def against_tieval(links: int, name: str, entities: int) -> Iterator[Row]:
    gold = random_document(Random(name), entities, links)
    part = Document("d", tuple(Random(1).sample(gold.links, links // 2)))
    for kind, system in (("itself", gold), ("half of it", part)):
        theirs = _theirs(gold, system)
        if theirs is not None:
            slow, quick = in_turn([theirs, _ours(gold, system)])
            note = f"{slow:.3f} s and {quick:.4f} s"
            work = f"tieval, {links} {name} links against {kind}"
            yield Row(work, "awareness", slow / quick, 50, at_least=True, note=note)


def random_document(rng: Random, entities: int, size: int) -> Document:
    """A hidden model, and links between random pairs. No strict overlaps, which TimeML has no label for."""
    reading = load_reading("timeml")
    times = []
    for _ in range(entities):
        start = rng.randrange(entities)
        times.append((start, start + rng.randint(1, 8)))
    links: dict[tuple[int, int], Link] = {}
    while len(links) < size:
        source, target = sorted(rng.sample(range(entities), 2))
        atom = atom_holding(times[source], times[target])
        if atom not in {"o", "oi"}:
            relation = Relation.of(atom)
            label = reading.label_for(relation)
            links[source, target] = Link(f"l{len(links)}", f"e{source}", relation, f"e{target}", label=label)
    return Document("d", tuple(links.values()))


def _ours(gold: Document, system: Document) -> Callable[[], object]:
    return lambda: judge(gold, system, AwarenessOptions())


def _theirs(gold: Document, system: Document) -> Callable[[], object] | None:
    try:
        from tieval.evaluate.metrics import temporal_awareness
        from tieval.links import TLink
    except ImportError:
        return None
    annotation, prediction = (
        [TLink(link.source, link.target, link.label) for link in side.links] for side in (gold, system)
    )

    def run() -> object:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return temporal_awareness(set(prediction), set(annotation))

    return run


if __name__ == "__main__":
    document = random_document(Random(0), 400, 800)
    print(f"{best(_ours(document, document)):.4f} s")
