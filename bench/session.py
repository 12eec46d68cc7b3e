"""How long an annotator waits: every edit of a document judged by ``tp.Session``.

An *edit* adds, removes or relabels a link, or takes an edit back; the answer has the verdict, all conflicts and the
links that became redundant. A *pair* is what is shown for two entities: what follows and why, and for each label
whether it is possible, or a smallest conflict. Both are compared with ``check`` of the document as it is after the
edit, which gives the verdict and one conflict, and with the milliseconds that people do not notice.

Documents have up to 300 links: those of corpora, if they are there, and invented ones with errors and disjunctions.
Processor time, so that other work on the machine does not count.
"""

from __future__ import annotations

from functools import partial
from itertools import product
from pathlib import Path
from random import Random
from time import process_time
from typing import TYPE_CHECKING, NamedTuple

import temporacle as tp
from bench.documents import local_links
from bench.harness import Row
from temporacle.model import Document
from temporacle.reasoner.check import check_document

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

CORPORA = Path(__file__).resolve().parents[1].parent / "shared" / "corpora"
MOST_LINKS = 300
DOCUMENTS = 12  # of each kind
EDITS = 25  # of each document


class Share(NamedTuple):
    """A part of the answers, and the seconds that they may take."""

    part: float
    seconds: float


SHARES = {"median": Share(0.5, 0.020), "95 %": Share(0.95, 0.100)}


class Waiting(NamedTuple):
    """Seconds of one answer, and of a check of the same document."""

    answer: float
    check: float


def rows() -> Iterator[Row]:
    slowest: dict[tuple[str, str], float] = {}
    for name, documents in kinds():
        rng = Random(name)
        waiting: dict[str, list[Waiting]] = {"edits": [], "pairs": []}
        for document in documents:
            work_on(document, rng, **waiting)
        for what, share in product(waiting, SHARES):
            answer = at(SHARES[share].part, [each.answer for each in waiting[what]])
            check = at(SHARES[share].part, [each.check for each in waiting[what]])
            slowest[what, share] = max(answer, slowest.get((what, share), 0))
            work = f"{share} of {len(waiting[what])} {what}, {name}"
            yield Row(work, "check of the same documents", answer / check, 10, note=f"{1000 * answer:.1f} ms")
    for (what, share), answer in slowest.items():
        most = SHARES[share].seconds
        yield Row(f"{share} of {what}, slowest kind of documents", f"{1000 * most:.0f} ms", answer / most, 1)


def kinds() -> Iterator[tuple[str, list[Document]]]:
    for name in ("te3-platinum", "timebank-dense", "caevo-annotators"):
        if (CORPORA / name).exists():
            found = [each for each in tp.read_corpus(CORPORA / name) if isinstance(each, Document)]
            fitting = [each for each in found if 10 <= len(each.links) <= MOST_LINKS]
            yield name, Random(name).sample(fitting, min(DOCUMENTS, len(fitting)))
    for name, disjunctive, wrong in (
        ("convex links", 0.0, 0.0),
        ("convex links, 2 % wrong", 0.0, 0.02),
        ("10 % disjunctions", 0.1, 0.0),
        ("20 % disjunctions", 0.2, 0.0),
        ("20 % disjunctions, 2 % wrong", 0.2, 0.02),
        ("half disjunctions", 0.5, 0.0),
        ("all disjunctions", 1.0, 0.0),
    ):
        yield name, [invented(Random(f"{name} {number}"), disjunctive, wrong) for number in range(DOCUMENTS)]


def invented(rng: Random, disjunctive: float, wrong: float) -> Document:
    links = rng.randint(50, MOST_LINKS)
    stated = local_links(
        rng, links // rng.randint(2, 4), links, disjunctions=round(disjunctive * links), errors=round(wrong * links)
    )
    return Document("invented", tuple(stated))


def work_on(document: Document, rng: Random, edits: list[Waiting], pairs: list[Waiting]) -> None:
    """Open a document, edit it, and look at pairs in between; contradictory edits are mostly taken back."""
    session = tp.Session(document)
    session.state()
    for _ in range(EDITS):
        edit = chosen_edit(session, rng)
        answer = seconds(edit) + seconds(session.change)
        present = session.document
        check = seconds(partial(check_document, present))
        edits.append(Waiting(answer, check))
        source, target = rng.choice(present.links).entities if rng.random() < 0.5 else rng.sample(present.entity_ids, 2)
        if source != target:
            pairs.append(Waiting(seconds(partial(session.pair, source, target)), check))
        if session.verdict != "consistent" and session.undo_count and rng.random() < 0.7:
            session.undo()


def chosen_edit(session: tp.Session, rng: Random) -> Callable[[], object]:
    chosen = rng.random()
    link = rng.choice(session.document.links).id
    label = rng.choice(session.labels)
    source, target = rng.sample(session.document.entity_ids, 2)
    if chosen < 0.4:
        return lambda: session.add(source, label, target)
    if chosen < 0.6:
        return lambda: session.remove(link)
    if chosen < 0.8 or not session.undo_count:
        return lambda: session.relabel(link, label)
    return session.undo


def seconds(work: Callable[[], object]) -> float:
    start = process_time()
    work()
    return process_time() - start


def at(part: float, values: Sequence[float]) -> float:
    return sorted(values)[round(part * (len(values) - 1))]
