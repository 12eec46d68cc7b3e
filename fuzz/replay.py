"""``python -m fuzz.replay PATH...``: documents fed to ``tp.Session`` link by link, compared with fresh oracles.

Between the links of the document come random deletions, relabellings, new links, undo and redo. After each step:

    verdict, possible labels of random pairs       as a fresh oracle of the present links gives them, without the
                                                   repair where they contradict each other
    conflicts                                      minimal, one for each link of a lightest repair
    why_not of a random link                       empty where it is possible, otherwise a minimal conflict with it
    redundant links                                a few, compared with the definition
    judge                                          changes nothing, and says what the edit then says
    undo                                           brings back everything

With ``--random N`` also N random networks with disjunctions. Prints figures; exit code 1 and the seed at a finding.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from dataclasses import replace
from random import Random
from time import perf_counter
from typing import TYPE_CHECKING

import temporacle as tp
from temporacle.model import Document, HowRead, Link
from temporacle.readings import load_reading
from temporacle.relation import ATOMS, Relation, atom_holding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_SMALL = 300  # links: answers about larger documents are not timed


class WrongAnswerError(AssertionError):
    """An answer of a session differs from a fresh oracle's."""


def require(holds: bool, what: str) -> None:  # noqa: FBT001 - reads like assert
    if not holds:
        raise WrongAnswerError(what)


class Replay:
    """One document, from no links to all of them."""

    def __init__(self, document: Document, rng: Random, *, checks: float = 1.0) -> None:
        self.links = [link for link in document.links if link.source != link.target]
        ends = (end for link in self.links for end in link.entities)
        self.entities = tuple(dict.fromkeys((*document.entity_ids, *ends)))
        how = document.how_read or HowRead("statements", load_reading("links"))
        self.session = tp.Session(Document(document.id, (), self.entities, how_read=how))
        self.rng = rng
        self.checks = checks  # the share of steps with all comparisons; verdict and possible labels are always compared
        self.figures: Counter[str] = Counter()
        self.edit_seconds: list[float] = []
        self.pair_seconds: list[float] = []

    def run(self) -> None:
        for link in self.links:
            self.edit(add=[(link.source, link.label, link.target)])
            while self.rng.random() < 0.25:
                self.disturb()
            if self.session.conflicts and self.rng.random() < 0.3:  # so that not all is about contradictions
                self.edit(remove=[conflict[-1].id for conflict in self.session.conflicts])

    def disturb(self) -> None:
        """Do something that a person might do between two links."""
        rng, session = self.rng, self.session
        present = session.document.links
        chosen = rng.random()
        if chosen < 0.3 and present:
            self.edit(remove=[rng.choice(present).id])
        elif chosen < 0.55 and present:
            self.edit(relabel={rng.choice(present).id: rng.choice(self.labels)})
        elif chosen < 0.65 and len(self.entities) > 1:
            source, target = rng.sample(self.entities, 2)
            self.edit(add=[(source, rng.choice(self.labels), target)])
        elif session.undo_count:
            self.step("undo", session.undo)
            if rng.random() < 0.5:
                self.step("redo", session.redo)

    @property
    def labels(self) -> tuple[str, ...]:
        return self.session.labels or ("BEFORE", "AFTER", "b|bi")

    # --- steps ------------------------------------------------------------------------------------------------------

    def edit(self, **changes: object) -> None:
        """Make an edit; now and then judge it first, and undo and redo it."""
        session = self.session
        (kind,) = changes
        if self.rng.random() >= 0.2 * self.checks:
            self.step(kind, lambda: session.edit(**changes))
            return
        before = shown(session)
        judged = session.judge(**changes)
        require(shown(session) == before, "judge changed something")
        self.step(kind, lambda: session.edit(**changes))
        require(session.change() == judged, "an edit is judged differently before and after it")
        after = shown(session)
        session.undo()
        require(shown(session) == before, "undo does not bring back everything")
        session.redo()
        require(shown(session) == after, "redo does not bring back everything")

    def step(self, kind: str, make: Callable[[], object]) -> None:
        """Make a step, take its time, and compare what is known after it."""
        session = self.session
        redundant = names(session.state().redundant)
        old = {link.id: link for link in session.document.links}
        start = perf_counter()
        make()
        judged = session.change()
        spent = perf_counter() - start
        self.figures[kind] += 1
        self.figures["steps"] += 1
        oracle = tp.Oracle(session.document)
        consistent = isinstance(oracle.consistency(explain=False), tp.Consistent)
        require(judged.verdict == session.verdict == ("consistent" if consistent else "inconsistent"), "the verdict")
        self.figures["consistent" if consistent else "inconsistent"] += 1
        pairs = [self.rng.sample(self.entities, 2) for _ in range(2 if len(self.entities) > 1 else 0)]
        if session.document.links:
            pairs.append(list(self.rng.choice(session.document.links).entities))
        start = perf_counter()
        for source, target in pairs[-1:]:
            session.pair(source, target)
        if len(session.document.links) <= _SMALL:
            self.edit_seconds.append(spent)
            self.pair_seconds.append(perf_counter() - start)
        if consistent:
            touched = {link.id for link in session.document.links if old.get(link.id) != link}
            expected = names(session.state().redundant) - (redundant - touched)
            require(names(judged.redundant) == expected, "links made redundant")
        if self.rng.random() < self.checks:
            (self._compare_conflicts if not consistent else self._compare_redundant)()
        if not consistent:  # labels are judged without the repair
            dropped = names(session.repair().dropped)
            rest = tuple(link for link in session.document.links if link.id not in dropped)
            oracle = tp.Oracle(replace(session.document, links=rest))
        for source, target in pairs:
            self._compare_pair(oracle, source, target, consistent=consistent)

    # --- comparisons ------------------------------------------------------------------------------------------------

    def _compare_pair(self, oracle: tp.Oracle, source: str, target: str, *, consistent: bool) -> None:
        session = self.session
        label = self.rng.choice(self.labels)
        possible = oracle.strongest(source, target)
        try:
            require(session.possible(source, target) == possible, f"what is possible for {source} and {target}")
            require(consistent, "something is possible in a document that contradicts itself")
        except tp.ContradictionError:
            require(not consistent, "nothing is possible in a consistent document")
        self.figures["pairs"] += 1
        meaning = session.document.reading.relation(label)
        conflict = session.why_not(source, label, target)
        require(bool(conflict) != bool(meaning & possible), f"why not {source} {label} {target}")
        if conflict and self.rng.random() < self.checks:
            self._require_minimal((*conflict, Link("new", source, meaning, target)))
            self.figures["why_not"] += 1
        if self.rng.random() < 0.2 * self.checks:
            self._compare_labels(source, target, possible)

    def _compare_labels(self, source: str, target: str, possible: Relation) -> None:
        pair = self.session.pair(source, target)
        require(pair.strongest == possible, "the strongest relation of a pair")
        self._require_minimal((*pair.because, Link("opposite", source, ~possible, target)))
        for label, is_possible, conflict in pair.labels:
            meaning = self.session.document.reading.relation(label)
            require(is_possible == bool(meaning & possible), f"label {label}")
            if not is_possible:
                require(not is_consistent((*conflict, Link("new", source, meaning, target))), f"conflict of {label}")
        self.figures["labels"] += len(pair.labels)

    def _compare_conflicts(self) -> None:
        session = self.session
        dropped = names(session.repair().dropped)
        require(len(session.conflicts) == len(dropped), "one conflict for each link of the repair")
        require(all(len(dropped & names(conflict)) == 1 for conflict in session.conflicts), "links of the repair")
        require(is_consistent([link for link in session.document.links if link.id not in dropped]), "the rest")
        require(session.repair().weight == tp.Oracle(session.document).repair().weight, "the weight of the repair")
        for conflict in self.rng.sample(session.conflicts, min(2, len(session.conflicts))):
            self._require_minimal(conflict)
            self.figures["conflicts"] += 1

    def _compare_redundant(self) -> None:
        redundant = names(self.session.state().redundant)
        links = self.session.document.links
        for link in self.rng.sample(links, min(3, len(links))):
            others = [other for other in links if other is not link]
            expected = follows(others, link.source, link.relation, link.target)
            require((link.id in redundant) == expected, f"redundant: {link.id}")
            self.figures["redundant"] += 1

    def _require_minimal(self, conflict: Sequence[Link]) -> None:
        require(not is_consistent(conflict), "a conflict is none")
        for left_out in range(len(conflict)):
            require(is_consistent([*conflict[:left_out], *conflict[left_out + 1 :]]), "a conflict is not minimal")


def shown(session: tp.Session) -> tuple[object, ...]:
    """Everything that a session shows of its present state."""
    return (session.document, session.state(), session.edits, session.witness(), session.undo_count, session.labels)


def names(links: Sequence[Link]) -> set[str]:
    return {link.id for link in links}


def is_consistent(links: Sequence[Link]) -> bool:
    return isinstance(tp.Oracle(Document("d", tuple(links))).consistency(explain=False), tp.Consistent)


def follows(links: Sequence[Link], source: str, relation: Relation, target: str) -> bool:
    """The definition: the links and the opposite cannot all be true."""
    return not is_consistent((*links, Link("opposite", source, ~relation, target)))


# --- documents -------------------------------------------------------------------------------------------------------


def random_network(rng: Random, most: int = 14) -> Document:
    """Links with disjunctions around hidden times, some of them wrong, between up to so many entities."""
    entities = rng.randint(3, most)
    starts = [rng.randrange(2 * entities) for _ in range(entities)]
    times = [(start, start + rng.randint(1, entities)) for start in starts]
    links = []
    for number in range(rng.randint(4, 4 * entities)):
        source, target = rng.sample(range(entities), 2)
        true = atom_holding(times[source], times[target])
        atoms = rng.sample(ATOMS, rng.choice((0, 1, 1, 2, 3, 5)))
        relation = Relation.of(*atoms, *(() if atoms and rng.random() < 0.1 else (true,)))
        links.append(Link(f"l{number}", f"e{source}", relation, f"e{target}", str(relation)))
    return Document(f"random-{entities}", tuple(links))


def documents(paths: Sequence[str], count: int, seed: int) -> Iterator[Document]:
    for path in paths:
        yield from (each for each in tp.read_corpus(path) if isinstance(each, Document))
    for number in range(count):
        yield random_network(Random(f"{seed} {number}"))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m fuzz.replay", description=__doc__)
    parser.add_argument("paths", nargs="*")
    parser.add_argument("--random", type=int, default=0, help="random networks after the documents")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--part", default="0/1", help="such as 1/3: every third document, beginning with the second")
    parser.add_argument("--checks", type=float, default=0.1, help="share of steps with all comparisons")
    chosen = parser.parse_args()
    part, parts = map(int, chosen.part.split("/"))
    figures: Counter[str] = Counter()
    edits: list[float] = []
    pairs: list[float] = []
    for number, document in enumerate(sorted(documents(chosen.paths, chosen.random, chosen.seed), key=_size)):
        if number % parts != part:
            continue
        replay = Replay(document, Random(f"{chosen.seed} {document.id} {number}"), checks=chosen.checks)
        try:
            replay.run()
        except WrongAnswerError as finding:
            print(f"{document.id} (number {number}): {finding}")
            return 1
        figures += replay.figures
        figures["documents"] += 1
        edits += replay.edit_seconds
        pairs += replay.pair_seconds
        print(number, document.id, len(document.links), figures["steps"], file=sys.stderr, flush=True)
    print(json.dumps({**dict(sorted(figures.items())), "edit": spread(edits), "pair": spread(pairs)}, indent=1))
    return 0


def _size(document: Document) -> int:
    return len(document.links)


def spread(seconds: Sequence[float]) -> dict[str, float]:
    """Median, 95th percentile and maximum in milliseconds."""
    ordered = sorted(seconds) or [0.0]
    places = {"median": 0.5, "95 %": 0.95, "largest": 1.0}
    return {name: round(1000 * ordered[round(part * (len(ordered) - 1))], 2) for name, part in places.items()}


if __name__ == "__main__":
    sys.exit(main())
