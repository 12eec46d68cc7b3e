"""What is worked out about one pair of documents, in any process; and how a journal keeps it."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.commands.common import complaints_about
from temporacle.commands.score_rows import counts_json, document_json
from temporacle.corpus import labels_of, score_or_reason
from temporacle.io.pairing import bare_name
from temporacle.model import Document
from temporacle.results import Counts, MatchCounts, Score, Unmatched

if TYPE_CHECKING:
    from temporacle.corpus import Found, Request
    from temporacle.runner.join import Pair
    from temporacle.runner.names import Named

    Row = dict[str, Any]
    Scored = Score | str | None  # a score, why there is none, or not asked for


class Finding(NamedTuple):
    """All that a run needs to know about a pair. The first of two values is about gold, the second about the system."""

    document: str
    forward: Scored
    backward: Scored = None  # the system as the key; only where agreement is asked for
    labels: tuple[tuple[int, int, int], ...] = ()  # two labels of a pair of entities, and how often; likewise
    complaints: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    readable: tuple[bool, bool] = (False, False)


class Strangers(NamedTuple):
    """What the files of a pair hold, if it is not one document each, of the name that was promised."""

    gold: list[Found]
    system: list[Found]


class Task(NamedTuple):
    """What to do with every pair."""

    request: Request
    line: str  # the signature
    both_ways: bool = False

    def examine(self, pair: Pair) -> Finding | Strangers:
        """Read the documents and score them. A document without partner is scored against an empty one."""
        golds, systems = _opened(pair.gold), _opened(pair.system)
        for side, found in ((pair.gold, golds), (pair.system, systems)):
            if side is not None and not side.is_as_promised(found, bare_name):
                return Strangers(golds, systems)
        empty = Document((golds or systems)[0].id)
        gold, system = (golds or [empty])[0], (systems or [empty])[0]
        return Finding(
            gold.id,
            self._score(gold, system) if pair.gold else None,
            self._score(system, gold) if self.both_ways and pair.system else None,
            self._labels(gold, system) if self.both_ways else (),
            (_complaints(golds), _complaints(systems)),
            (_is_readable(golds), _is_readable(systems)),
        )

    def _score(self, key: Found, answer: Found) -> Score | str:
        return score_or_reason((key, answer), self.request, self.line)

    def _labels(self, gold: Found, system: Found) -> tuple[tuple[int, int, int], ...]:
        return tuple((*labels, number) for labels, number in labels_of(gold, system, self.request).items())

    def failed(self, pair: Pair, reason: str) -> Finding:
        """For a pair that something went wrong with. Whatever it was, the documents themselves may be good."""
        both = reason if self.both_ways and pair.system else None
        return Finding(pair.name, reason if pair.gold else None, both, readable=(True, True))


def _opened(side: Named | None) -> list[Found]:
    return [] if side is None else side.documents()


def _complaints(documents: list[Found]) -> tuple[str, ...]:
    return tuple(message for document in documents for message in complaints_about(document))


def _is_readable(documents: list[Found]) -> bool:
    return any(isinstance(document, Document) for document in documents)


# --- the journal ------------------------------------------------------------------------------------------------------


def finding_row(finding: Finding) -> Row:
    """A JSON object with everything: the line of the document as ``score`` prints it, and the rest."""
    row = {"document": finding.document, **_scored_row(finding.forward)}
    if finding.backward is not None:
        row["backward"] = _scored_row(finding.backward)
        row["labels"] = finding.labels
    return {**row, "complaints": finding.complaints, "readable": finding.readable}


def finding_of(row: Row, task: Task) -> Finding:
    """The finding again, exactly."""
    reader = _ScoreReader(task)
    gold, system = row["complaints"]
    return Finding(
        row["document"],
        reader.scored(row),
        reader.scored(row.get("backward", {})),
        tuple((own, other, number) for own, other, number in row.get("labels", ())),
        (tuple(gold), tuple(system)),
        (row["readable"][0], row["readable"][1]),
    )


def _scored_row(scored: Scored) -> Row:
    if scored is None:
        return {}
    if isinstance(scored, str):
        return {"skipped": scored}
    breakdown = {
        name: {group: counts_json(counts) for group, counts in groups.items()}
        for name, groups in scored.breakdown.items()
    }
    confusion = [[*labels, number] for labels, number in scored.confusion.items()]
    return {**document_json(scored), "breakdown": breakdown, "confusion": confusion}


class _ScoreReader:
    """Makes scores from rows."""

    def __init__(self, task: Task) -> None:
        self._metric, self._line, self._empty = task.request.metric, task.line, task.request.empty
        self._kind: type[Counts] = type(task.request.zero())

    def scored(self, row: Row) -> Scored:
        if "skipped" in row:
            return str(row["skipped"])
        if "counts" not in row:
            return None
        unmatched = row.get("unmatched")
        counts = _counts(row["counts"], self._kind)
        return Score(
            metric=self._metric,
            counts=counts,
            precision=Fraction(row["precision_exact"]),
            recall=Fraction(row["recall_exact"]),
            f1=Fraction(row["f1_exact"]),
            signature=self._line,
            document=row["document"],
            breakdown={
                name: {group: _counts(counts, MatchCounts) for group, counts in groups.items()}
                for name, groups in row["breakdown"].items()
            },
            confusion=Counter({(gold, system): number for gold, system, number in row["confusion"]}),
            unmatched=None if unmatched is None else Unmatched(tuple(unmatched["gold"]), tuple(unmatched["system"])),
            derived=counts.derived(self._empty),
            warnings=tuple(row.get("warnings", ())),
        )


def _counts(row: Row, kind: type[Counts]) -> Counts:
    def exact(name: str) -> int | Fraction:
        return Fraction(row[f"{name}_exact"]) if f"{name}_exact" in row else int(row[name])

    return kind(*(exact(name) for name, _ in kind().items()))
