"""Several runs or annotators as scored documents: each link is a vote. ``decode --consensus``.

For each pair of entities that some run links, the labels are those that the runs give it, and the score of a label is
the total weight of its runs. A pair may also be left out (``LEFT_OUT``): that costs all votes for it and constrains
nothing. A run that does not link the pair can put a share of its weight (``absent``) on leaving it out.

Entities are the same by id, or by the spans of the text. By spans each run is aligned with what the runs before it
have; what is new is added to that.
"""

from __future__ import annotations

from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING, NamedTuple

from temporacle.corpus.inputs import documents
from temporacle.corpus.references import bare_name
from temporacle.errors import InputError, UsageError
from temporacle.model import Action, Body, Document, Remark, Unreadable
from temporacle.relation import EVERYTHING
from temporacle.scored import ScoredDocument, ScoredLabel, ScoredPair
from temporacle.scoring.alignment import align_by_spans, match_ids

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from temporacle.corpus.inputs import Found, Inputs
    from temporacle.io.source import Options
    from temporacle.readings import Reading
    from temporacle.relation import Relation

LEFT_OUT = "NONE"  # the label of a pair that the consensus leaves out
ALIGNMENTS = ("ids", "spans")


class Voting(NamedTuple):
    """The way in which runs vote."""

    weights: tuple[float, ...] = ()  # of the runs, in order; empty: 1 each
    align: str = "ids"
    absent: float = 0.0  # the share of its weight that a run puts on leaving out a pair that it does not link

    def weight(self, run: int) -> float:
        return self.weights[run] if self.weights else 1.0


class _Voter(NamedTuple):
    """A run's document, and the run's weight."""

    document: Document
    weight: float


def votes(runs: Sequence[Inputs], options: Options, voting: Voting) -> Iterator[ScoredDocument | Unreadable]:
    """Yield one scored document for each document that some run has, in the order of first mention."""
    _check(runs, voting)
    by_name: dict[str, dict[int, Found]] = {}
    for number, run in enumerate(runs):
        for found in documents(run, options):
            name = bare_name(found.id)
            if number in by_name.setdefault(name, {}):
                raise UsageError(f"run {number + 1} has two documents called {name!r}: merge or rename them")
            by_name[name][number] = found
    for name, by_run in by_name.items():
        yield _votes_on(name, by_run, voting)


def _check(runs: Sequence[Inputs], voting: Voting) -> None:
    if len(runs) < 2:
        raise UsageError("a consensus needs at least two runs: give two or more files or folders")
    if voting.weights and len(voting.weights) != len(runs):
        raise UsageError(f"{len(voting.weights)} weights for {len(runs)} runs: give one weight for each run, in order")
    if not all(isfinite(weight) and weight > 0 for weight in voting.weights):
        raise UsageError("the weight of a run must be a finite number above zero")
    if voting.align not in ALIGNMENTS:
        raise UsageError(f"unknown alignment {voting.align!r}: choose {' or '.join(ALIGNMENTS)}")
    if not 0 <= voting.absent <= 1:
        raise UsageError(f"absent is {voting.absent}: it must be from 0 to 1")


def _votes_on(name: str, found: dict[int, Found], voting: Voting) -> ScoredDocument | Unreadable:
    remarks: list[Remark] = []
    voters: list[_Voter] = []
    for number, document in found.items():
        if isinstance(document, Unreadable):
            message = f"run {number + 1} does not vote: {document.error}"
            remarks.append(Remark("run-without-vote", message, element=name, action=Action.DROPPED))
            continue
        remarks += document.dropped
        voters.append(_Voter(document, voting.weight(number)))
    if not voters:
        return next(document for document in found.values() if isinstance(document, Unreadable))
    try:
        base, aligned = _aligned(voters, voting.align)
    except InputError as error:
        return Unreadable(name, _path_of(voters), error)
    pairs = tuple(_pairs(aligned, base.reading, voting.absent))
    return ScoredDocument(
        name, pairs, base.reading, path=base.path, format="consensus", remarks=tuple(remarks),
        entities=base.entities, text=base.text,
    )  # fmt: skip


def _path_of(voters: Sequence[_Voter]) -> str:
    """Return the file of the first run, for messages."""
    return voters[0].document.path or ""


def _aligned(voters: Sequence[_Voter], align: str) -> tuple[Document, list[_Voter]]:
    """Return a document with the entities of all runs, and the runs under its ids."""
    base = voters[0].document
    aligned = [voters[0]]
    for voter in voters[1:]:
        if align == "ids":
            other = match_ids(base, voter.document).system
        else:
            other = align_by_spans(base, voter.document).system
        base = _extended(base, other)
        aligned.append(voter._replace(document=other))
    return base, aligned


def _extended(base: Document, other: Document) -> Document:
    """Return the base with the entities that only the other one has. Spans refer to the base's own text."""
    known = {entity.id for entity in base.entities}
    new = [entity for entity in other.entities if entity.id not in known]
    if base.text != other.text:
        new = [entity._replace(spans=()) for entity in new]
    ids = tuple(dict.fromkeys((*base.entity_ids, *other.entity_ids)))
    return replace(base, entity_ids=ids, body=Body((*base.entities, *new), base.text))


def _pairs(voters: Sequence[_Voter], reading: Reading, absent: float) -> Iterator[ScoredPair]:
    """Yield each pair that some run links, in the direction and order of first mention."""
    scores: dict[tuple[str, str], dict[Relation, float]] = {}
    labels: dict[tuple[str, str], dict[Relation, str]] = {}
    linked: dict[tuple[str, str], float] = {}  # weight of the runs that link the pair
    for document, weight in voters:
        voted: set[tuple[tuple[str, str], Relation | None]] = set()
        for link in document.links:
            ends, relation, label = (link.source, link.target), link.relation, link.label
            if (link.target, link.source) in scores and link.source != link.target:
                ends, relation = (link.target, link.source), link.relation.converse()
                label = reading.label_for(relation)
            if (ends, relation) in voted:
                continue  # said twice by one run
            own = scores.setdefault(ends, {})
            own[relation] = own.get(relation, 0.0) + weight
            labels.setdefault(ends, {}).setdefault(relation, label or reading.label_for(relation))
            if (ends, None) not in voted:
                linked[ends] = linked.get(ends, 0.0) + weight
            voted |= {(ends, relation), (ends, None)}
    total = sum(weight for _, weight in voters)
    for number, (ends, own) in enumerate(scores.items(), 1):
        named = [ScoredLabel(labels[ends][relation], relation, score) for relation, score in own.items()]
        named.append(ScoredLabel(LEFT_OUT, EVERYTHING, absent * (total - linked[ends])))
        yield ScoredPair(f"p{number}", *ends, tuple(named))
