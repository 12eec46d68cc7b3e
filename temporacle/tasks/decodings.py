"""The results of decoding documents: labels, values, reasons; as JSON, frames and documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from temporacle.corpus.inputs import documents
from temporacle.corpus.references import bare_name
from temporacle.errors import InputError, UsageError
from temporacle.frames import html_table, to_frame
from temporacle.model import (
    Action,
    Body,
    Document,
    Entity,
    HowRead,
    Remark,
    Unreadable,
    counted,
    skipped_words,
)
from temporacle.reasoner.conflicts.explanation import explain
from temporacle.reasoner.decode.decode import Decoded, Impossible
from temporacle.relation import EVERYTHING
from temporacle.results import HasWarnings, warned_words
from temporacle.scored import ScoredDocument, ScoredLabel, ScoredPair, as_number
from temporacle.scoring.alignment import align_by_spans, match_ids

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping

    from temporacle.corpus.inputs import Found, Inputs
    from temporacle.io.source import Options
    from temporacle.model import Link
    from temporacle.readings import Reading
    from temporacle.reasoner.decode.decode import Alternative, LabelChange
    from temporacle.relation import Relation

LEFT_OUT = "NONE"  # the label of a pair that the consensus leaves out
ALIGNMENTS = ("ids", "spans")


class Voting(NamedTuple):
    """The way in which runs vote."""

    weights: tuple[float, ...] = ()  # of the runs, in order; empty: 1 each
    align: str = "ids"
    absent: float = 0.0  # the share of its weight that a run puts on leaving out a pair that it does not link

    def weight(self, run: int) -> float:
        """Return the weight of a run."""
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
        yield votes_on(name, by_run, voting)


def _check(runs: Sequence[Inputs], voting: Voting) -> None:
    if len(runs) < 2:
        raise UsageError("a consensus needs at least two runs: give two or more files or folders")
    if voting.weights and len(voting.weights) != len(runs):
        raise UsageError(f"{len(voting.weights)} weights for {len(runs)} runs: give one weight for each run, in order")
    if not all(isfinite(weight) and weight > 0 for weight in voting.weights):
        raise UsageError("the weight of a run must be a finite number above zero")
    if voting.align not in ALIGNMENTS:
        raise UsageError(option="align", value=voting.align, allowed=ALIGNMENTS)
    if not 0 <= voting.absent <= 1:
        raise UsageError(f"absent is {voting.absent}: it must be from 0 to 1")


def votes_on(name: str, found: Mapping[int, Found], voting: Voting) -> ScoredDocument | Unreadable:
    """Return the votes about one document, by the number of their run."""
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


_COLUMNS = ("document", "source", "label", "target", "score")
_VERDICTS = ("optimal", "feasible", "impossible", "undecided", "unchecked", "unreadable")


@dataclass(frozen=True, slots=True, repr=False)
class DocumentDecoding(HasWarnings):
    """The result for one scored document."""

    document: str
    verdict: str  # optimal; feasible: the best one found in time; impossible; undecided; unchecked; unreadable
    path: str | None = None
    scored: ScoredDocument | None = None
    found: Decoded | Impossible | None = None
    reason: str | None = None  # why it is not optimal
    remarks: tuple[Remark, ...] = ()
    seconds: float = 0.0
    explanations: tuple[list[str], ...] | None = None  # of the changes; None: they are made when they are asked for

    def __repr__(self) -> str:
        if not isinstance(self.found, Decoded):
            why = f", {self.reason}" if self.reason else ""
            return f"DocumentDecoding({self.document!r}: {self.verdict}{why}{skipped_words(self.skipped_links)})"
        changed = len(self.found.changes)
        return (
            f"DocumentDecoding({self.document!r}: {self.verdict}, objective {self.objective:.4f},"
            f" {changed} of {len(self.found.pairs)} labels changed"
            f"{skipped_words(self.skipped_links)})"
        )

    @property
    def decoded(self) -> Decoded | None:
        """Return the labelling, if there is one."""
        return self.found if isinstance(self.found, Decoded) else None

    @property
    def objective(self) -> float | None:
        """Return the value of the labelling."""
        return None if self.decoded is None else as_number(self.decoded.value)

    @property
    def argmax_objective(self) -> float | None:
        """Return the value of taking the best label of every pair, whether consistent or not."""
        return None if self.decoded is None else as_number(self.decoded.argmax)

    @property
    def bound(self) -> float | None:
        """Return a value that no consistent labelling exceeds."""
        return None if self.decoded is None else as_number(self.decoded.bound)

    @property
    def runner_up(self) -> float | None:
        """Return the value of the best other labelling; None if there is none or it is not known."""
        others = None if self.decoded is None else self.decoded.alternatives
        return as_number(others[0].value) if others else None

    @property
    def changed(self) -> list[dict[str, Any]]:
        """Return the pairs that did not get their best label: from, to, price, and because."""
        if self.decoded is None:
            return []
        found = self.decoded.changes
        explanations = self.explanations or self.explained()
        return [self._change(self.decoded, *each) for each in zip(found, explanations, strict=True)]

    def explained(self) -> tuple[list[str], ...]:
        """Return for each change the steps that lead to a contradiction without it."""
        changes = () if self.decoded is None else self.decoded.changes
        return tuple(explain(each.because, self.texts) if each.because else [] for each in changes)

    @property
    def alternatives(self) -> list[dict[str, Any]]:
        """Return the next best labellings, as many as were asked for: objective, and the pairs that differ."""
        others = () if self.decoded is None else self.decoded.alternatives or ()
        return [_alternative(self.decoded, other) for other in others] if self.decoded else []

    @property
    def label_set(self) -> str | None:
        """Return the name of the label set; None if the document could not be read."""
        return None if self.scored is None else self.scored.reading.signed

    @property
    def texts(self) -> dict[str, str]:
        """Return the words of entities, as far as they are known."""
        return {} if self.scored is None else {each.id: each.text for each in self.scored.entities if each.text}

    @property
    def optimal(self) -> bool:
        """Return whether the labelling is proven to be the best one."""
        return self.verdict == "optimal"

    @property
    def labels(self) -> list[str]:
        """Return the label of every pair, in order."""
        return [] if self.decoded is None else [link.label for link in self.decoded.links()]

    @property
    def is_complete(self) -> bool:
        """Return whether everything that was asked for is known and nothing was lost in reading."""
        return self.completes()

    def completes(self, allowed: Container[str] = ()) -> bool:
        """Return whether all is known, and nothing was lost but links that may be skipped for these reasons."""
        lost = any(remark.action is Action.DROPPED and remark.code not in allowed for remark in self.remarks)
        return self.verdict in {"optimal", "impossible"} and not lost and not (self.decoded and self.decoded.undecided)

    def to_document(self) -> Document:
        """Return the document with its labels as links, hard links first.

        Pairs that a consensus leaves out are not in it. Raise UsageError if there is no labelling.
        """
        if self.decoded is None or self.scored is None:
            raise UsageError(f"document {self.document!r} has no labelling: it is {self.verdict}")
        return _as_document(self.scored, self.decoded)

    def to_dict(self) -> dict[str, Any]:
        """Return the line of ``decode --output json``."""
        row: dict[str, Any] = {
            "document": self.document,
            "verdict": self.verdict,
            "optimal": self.optimal,
            "label_set": self.label_set,
            "alternatives": self.alternatives,
            "skipped_links": self.skipped_links,
        }
        if self.remarks:
            row["warnings"] = [{**remark.to_dict(), "path": self.path} for remark in self.remarks]
        if isinstance(self.found, Impossible):
            row["because"] = [link.to_dict(self.texts) for link in self.found.because]
            row["explanation"] = explain(self.found.because, self.texts)
        elif self.decoded is not None:
            row |= self._values(self.decoded)
        if self.reason is not None:
            row["reason"] = self.reason
        return row | {"seconds": round(self.seconds, 6)}

    def _values(self, decoded: Decoded) -> dict[str, Any]:
        row: dict[str, Any] = {
            "objective": self.objective,
            "argmax_objective": self.argmax_objective,
            "bound": self.bound,
            "links": _links(decoded),
            "changed": self.changed,
            "runner_up": self.runner_up,
            "decided_by": decoded.decided_by,
        }
        if decoded.undecided:
            row["undecided"] = dict(decoded.undecided)
        return row

    def _change(self, decoded: Decoded, change: LabelChange, explanation: list[str]) -> dict[str, Any]:
        pair = decoded.pairs[change.pair]
        return {
            "source": pair.pair.source,
            "target": pair.pair.target,
            "from": pair.labels[0].label,
            "to": pair.labels[change.rank].label,
            "price": as_number(pair.costs[change.rank]),
            "because": [link.to_dict(self.texts) for link in change.because],
            "explanation": explanation,
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each pair, for frames."""
        return [] if self.decoded is None else [{"document": self.document, **each} for each in _links(self.decoded)]

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row for each pair."""
        return to_frame(self.rows(), _COLUMNS)

    def _repr_html_(self) -> str:
        return html_table(_COLUMNS, [[row[column] for column in _COLUMNS] for row in self.rows()], repr(self))


def _links(decoded: Decoded) -> list[dict[str, Any]]:
    rows = []
    for number, pair in enumerate(decoded.pairs):
        label = pair.labels[decoded.ranks[number]]
        row = {"source": pair.pair.source, "label": label.label, "target": pair.pair.target, "score": label.score}
        if decoded.margins is not None:
            margin = decoded.margins[number]
            row["margin"] = None if margin is None else as_number(margin)
        rows.append(row)
    return rows


def _alternative(decoded: Decoded, other: Alternative) -> dict[str, Any]:
    differing = [(decoded.pairs[number], rank) for number, rank in sorted(other.ranks.items())]
    return {
        "objective": as_number(other.value),
        "differs": [
            {"source": pair.pair.source, "target": pair.pair.target, "label": pair.labels[rank].label}
            for pair, rank in differing
        ],
    }


def _as_document(scored: ScoredDocument, decoded: Decoded) -> Document:
    names = dict.fromkeys(entity.id for entity in scored.entities)
    links: list[Link] = list(scored.links)
    for number, pair in enumerate(decoded.pairs):
        chosen = pair.labels[decoded.ranks[number]]
        names |= dict.fromkeys((pair.pair.source, pair.pair.target))
        if chosen.label != LEFT_OUT or scored.format != "consensus":
            links.append(pair.pair.link(chosen))
    names |= dict.fromkeys(end for link in scored.links for end in (link.source, link.target))
    known = {entity.id: entity for entity in scored.entities}
    body = Body(tuple(known.get(name) or Entity(name) for name in names), scored.text)
    return Document(
        scored.id, tuple(links), tuple(names), scored.path, HowRead(scored.format, scored.reading), scored.remarks, body
    )


class Decodings(Sequence[DocumentDecoding], HasWarnings):
    """The decodings of several documents, in order."""

    __slots__ = ("_every",)

    def __init__(self, every: Iterable[DocumentDecoding]) -> None:
        self._every = tuple(every)

    def __len__(self) -> int:
        return len(self._every)

    @overload
    def __getitem__(self, index: int) -> DocumentDecoding: ...
    @overload
    def __getitem__(self, index: slice) -> Decodings: ...
    def __getitem__(self, index: int | slice) -> DocumentDecoding | Decodings:
        return Decodings(self._every[index]) if isinstance(index, slice) else self._every[index]

    def __repr__(self) -> str:
        counts = Counter(each.verdict for each in self._every)
        verdicts = ", ".join(f"{counts[verdict]} {verdict}" for verdict in _VERDICTS if counts[verdict])
        why = next((f"; {each.document}: {each.reason}" for each in self._every if each.reason), "")
        verdicts = f": {verdicts}" if verdicts else ""
        said = f"{self._skipped()}{warned_words(self.warnings)}{why}"
        return f"Decodings({counted(len(self), 'document')}{verdicts}{said})"

    def _skipped(self) -> str:
        words = skipped_words(self.skipped_links)
        return f"; pairs{words[1:]}" if words else ""

    @property
    def warnings(self) -> tuple[Remark, ...]:
        """Return what could not be used in all documents, and what else was odd."""
        return tuple(remark for each in self._every for remark in each.remarks)

    @property
    def label_sets(self) -> tuple[str, ...]:
        """Return the names of the label sets: one, unless documents name their own."""
        return tuple(dict.fromkeys(each.label_set for each in self._every if each.label_set is not None))

    def documents(self) -> list[Document]:
        """Return the documents that have a labelling."""
        return [each.to_document() for each in self._every if each.decoded is not None]

    def to_dict(self) -> list[dict[str, Any]]:
        """Return the lines of ``decode --output json``."""
        return [each.to_dict() for each in self._every]

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row for each pair."""
        return to_frame((row for each in self._every for row in each.rows()), _COLUMNS)

    def _repr_html_(self) -> str:
        columns = ("document", "verdict", "objective", "argmax", "changed")
        rows = [
            [each.document, each.verdict, each.objective, as_number(each.decoded.argmax), len(each.decoded.changes)]
            if each.decoded is not None
            else [each.document, each.verdict, None, None, None]
            for each in self._every
        ]
        return html_table(columns, rows, f"Label set: {', '.join(self.label_sets)}{self._skipped()}")
