"""``assess``: what an answer of a language model is worth, as plain values for training and for loops. It never raises.

    assess(answer)           is it readable, is it consistent, what contradicts what?
    assess(answer, gold)     also: which asked pairs are missing, and how good is it?
    assess_all(answers)      the same for a batch

An answer is a text, bytes, a Document, a frame, a list of triples, the JSON value that a model's text would hold, a
message with ``role`` and ``content``, or a conversation that ends with one. Everything else could not be parsed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from math import isfinite
from typing import TYPE_CHECKING, Any

from temporacle.corpus.inputs import is_read, one_document
from temporacle.corpus.options import seconds_of
from temporacle.corpus.pairing import Pair
from temporacle.corpus.references import Reference
from temporacle.declared import keywords
from temporacle.errors import UsageError
from temporacle.io.builder import DocumentBuilder
from temporacle.io.columns import NEEDED
from temporacle.io.llm import document_of, known_label, text_of
from temporacle.io.source import Options, Source
from temporacle.io.values import is_frame
from temporacle.model import ANSWERS, Document, is_whole
from temporacle.readings import load_reading
from temporacle.reasoner.check import CheckOptions, check_document
from temporacle.results import DocumentVerdict, Score
from temporacle.scoring.metric import metric_named
from temporacle.tasks.score_pair import ScoreJob, unusable_links
from temporacle.tasks.score_request import request_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from temporacle.checks import Check
    from temporacle.corpus.inputs import Inputs
    from temporacle.model import Link
    from temporacle.readings import Reading

REWARD = {"parsed": 0.1, "consistent": 0.2, "f1": 0.7, "skipped": 0.0, "missing": 0.0}
"""What each part of the reward is multiplied with. Give ``skipped`` and ``missing`` negative weights to punish them."""
_DEFAULT = "matres"
_NAME = "answer"
_TIME_LIMIT = 10.0  # seconds for a verdict


@dataclass(frozen=True, slots=True)
class Assessment:
    """What an answer is worth. All values are plain: booleans, numbers, texts."""

    parsed: bool  # at least one statement could be read
    consistent: bool | None = None  # None: undecided, or nothing to decide about
    links: int = 0  # statements that were used
    skipped_links: Mapping[str, int] = field(default_factory=dict)  # the others, by code
    missing: int | None = None  # pairs of gold without an answer; None without gold
    f1: float | None = None  # None without gold
    conflicts: tuple[str, ...] = ()  # in words
    reward: float = 0.0  # the weighted sum of what is above

    def feedback(self) -> str:
        """Return what to tell the model, in sentences. Empty if there is nothing to complain about.

        >>> assess("no idea").feedback()
        'No statement could be read. Write one statement in a line, such as: left(1) before docked(2)'
        """
        if not self.parsed:
            return "No statement could be read. Write one statement in a line, such as: left(1) before docked(2)"
        found = list(self.conflicts)
        if self.skipped_links:
            codes = ", ".join(f"{number} {code}" for code, number in self.skipped_links.items())
            found.append(f"Some statements could not be used: {codes}.")
        if self.missing:
            found.append(f"Pairs without an answer: {self.missing}.")
        return " ".join(found)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object."""
        return {
            "parsed": self.parsed,
            "consistent": self.consistent,
            "links": self.links,
            "skipped_links": dict(self.skipped_links),
            "missing": self.missing,
            "f1": self.f1,
            "conflicts": list(self.conflicts),
            "reward": self.reward,
            "feedback": self.feedback(),
        }


@keywords
def assess(
    answer: object,
    gold: Inputs | None = None,
    *,
    labels: str | Reading | None = None,
    metric: str = "awareness",
    weights: Mapping[str, float] | None = None,
    time_limit: float | None = _TIME_LIMIT,
) -> Assessment:
    """Return what an answer is worth. No answer raises an error.

    The reward adds up the parts in ``REWARD``, or ``weights``:

        reward = parsed * [a statement could be read] + consistent * [consistent] + f1 * F1
                 + skipped * (share of statements that could not be used) + missing * (share of gold pairs not answered)

    It is 0 for an answer that was not parsed. ``consistent`` counts 0 if it is undecided. Without gold, F1 and missing
    count 0. F1 is None, and counts 0, if there is no score: a Document with other meanings of labels, or time ran out.

    Args:
        answer: The text of a language model, or what was read from it.
        gold: A path, Document or statements of the same document.
        labels: What labels mean in the answer, and in gold if it is made of statements; by default what they mean in
            gold, or "matres" without gold.
        metric: The metric of F1.
        weights: Parts of the reward.
        time_limit: Seconds for the verdict.

    Returns:
        Plain values: whether the answer was parsed and is consistent, F1, the reward, and ``feedback()``.

    Raises:
        UsageError: Options that do not fit together.
        InputError: Gold cannot be read.

    Examples:
        >>> chain = "a(1) -- b(2) [rel=before]; b(2) -- c(3) [rel=before];"
        >>> assess(chain).consistent, assess(chain + "c(3) -- a(1) [rel=before];").consistent, assess(None).parsed
        (True, False, False)
        >>> assess(chain, [("1", "BEFORE", "2"), ("2", "BEFORE", "3")]).reward
        1.0
    """
    return Assessor(gold, labels, metric, weights, time_limit).assess(answer)


@keywords
def assess_all(
    answers: Iterable[object],
    golds: Iterable[Inputs | None] | None = None,
    *,
    labels: str | Reading | None = None,
    metric: str = "awareness",
    weights: Mapping[str, float] | None = None,
    time_limit: float | None = _TIME_LIMIT,
) -> list[Assessment]:
    """Return the assessments of several answers, in order.

    Args:
        answers: What ``assess`` takes.
        golds: One for each answer. The same object under several answers is read once.
        labels: As for ``assess``, like the rest.
        metric: The metric of F1.
        weights: Parts of the reward.
        time_limit: Seconds for each verdict.

    Returns:
        One assessment for each answer.

    Raises:
        UsageError: As in ``assess``.

    Examples:
        >>> [each.parsed for each in assess_all(["a(1) before b(2)", ""])]
        [True, False]
    """
    answers = list(answers)
    keys = [None] * len(answers) if golds is None else list(golds)
    if len(keys) != len(answers):
        raise UsageError(f"there are {len(answers)} answers and {len(keys)} gold documents; give one for each")
    golds_by_id = {id(gold): gold for gold in keys}
    read = {name: Assessor(gold, labels, metric, weights, time_limit) for name, gold in golds_by_id.items()}
    return [read[id(gold)].assess(answer) for answer, gold in zip(answers, keys, strict=True)]


class Assessor:
    """Assesses answers about one document."""

    def __init__(
        self,
        gold: Inputs | None,
        labels: str | Reading | None,
        metric: str,
        weights: Mapping[str, float] | None,
        time_limit: float | None,
    ) -> None:
        if weights is not None and (unknown := sorted(weights.keys() - REWARD.keys())):
            raise UsageError(f"weights has {', '.join(unknown)}; the parts of the reward are {', '.join(REWARD)}")
        self._weights = REWARD if weights is None else {**dict.fromkeys(REWARD, 0.0), **weights}
        for part, weight in self._weights.items():
            if type(weight) not in (int, float) or not isfinite(weight):
                raise UsageError(f"the weight of {part} is {weight!r:.40}; give a finite number")
        self._time_limit = seconds_of(time_limit)
        request = request_for([metric], {}, budget=self._time_limit)  # refuses what it does not know
        self._gold: Document | None = None
        reading = load_reading(labels) if isinstance(labels, str) else labels
        if gold is not None:
            own = one_document(gold) if is_read(gold) else one_document(gold, Options(reading=reading))
            self._gold = Document(_NAME, own.links, entity_ids=own.entity_ids, how_read=own.how_read)
            if reading is not None and any(map(partial(_means_another, reading), own.links)):
                raise UsageError("labels and gold give labels two meanings; leave labels out, or read gold with them")
            reading = reading or own.reading
            if (settle := metric_named(metric).settle) is not None:
                request = replace(request, metrics=((metric, settle(request.metrics[0][1], iter([self._gold]))),))
        self._asked = None if self._gold is None else _pairs(self._gold)
        self._job = ScoreJob(request)
        self._reading = reading or load_reading(_DEFAULT)

    def assess(self, answer: object) -> Assessment:
        """Return what one answer is worth."""
        try:
            return self._assess(answer)
        except Exception:  # noqa: BLE001 - a reward is asked for in the middle of a training
            return self._nothing({})

    def _nothing(self, skipped: Mapping[str, int]) -> Assessment:
        if self._asked is None:
            return Assessment(False, skipped_links=skipped)
        return Assessment(False, skipped_links=skipped, missing=len(self._asked), f1=0.0)

    def _assess(self, answer: object) -> Assessment:
        document = self._document(answer)
        unusable = {} if self._gold is None else unusable_links(self._gold, document, self._job.request)
        used = len(document.links) - len(unusable)
        skipped = dict(sorted(Counter(each.code for each in (*document.dropped, *unusable.values())).items()))
        if not document.links:
            return self._nothing(skipped)
        verdict = check_document(document, CheckOptions(repair=False, budget=self._time_limit))
        consistent = {DocumentVerdict.CONSISTENT: True, DocumentVerdict.INCONSISTENT: False}.get(verdict.verdict)
        missing, f1, unanswered = None, None, 0.0
        if self._gold is not None and self._asked is not None:
            missing = len(self._asked - _pairs(document))
            unanswered = missing / len(self._asked) if self._asked else 0.0
            f1 = self._f1(self._gold, document)
        values = {
            "parsed": 1.0,
            "consistent": float(consistent is True),
            "f1": f1 or 0.0,
            "skipped": sum(skipped.values()) / (sum(skipped.values()) + used),
            "missing": unanswered,
        }
        reward = round(sum(self._weights[name] * value for name, value in values.items()), 12)
        return Assessment(True, consistent, used, skipped, missing, f1, _in_words(verdict), reward)

    def _f1(self, gold: Document, document: Document) -> float | None:
        """Return F1; 0 where the answer and gold have no entity in common, None where there is no score."""
        pair = Pair(_NAME, Reference.to(gold), Reference.to(document))
        (finding,) = self._job.results(pair, 0, lambda _: None)
        if finding.share_ids is False:
            return 0.0
        own, given = finding.gold.labels, finding.system.labels
        if finding.refused is not None or any(own[label] != given[label] for label in own.keys() & given.keys()):
            return None
        (found,) = finding.scores
        return float(found.f1) if isinstance(found, Score) else None

    def _document(self, answer: object) -> Document:
        if is_frame(answer) and not isinstance(answer, Mapping):
            answer = one_document(answer, Options(reading=self._reading, on_error="skip"))
        if isinstance(answer, Document):
            return Document(
                _NAME, answer.links, entity_ids=answer.entity_ids, how_read=answer.how_read, remarks=answer.remarks
            )
        source = Source(_NAME, b"", Options())
        if isinstance(answer, list | tuple) and answer and all(map(_is_triple, answer)):
            return self._of_triples(answer, source)
        return document_of(_NAME, text_of(answer), None, self._reading, source)

    def _of_triples(self, triples: Iterable[Sequence[str]], source: Source) -> Document:
        """Return the document of statements, whose ends are ids as they stand."""
        builder = DocumentBuilder(_NAME, source, ANSWERS, self._reading)
        for number, (first, word, second) in enumerate((map(str, each) for each in triples), 1):
            label = known_label(word, self._reading)
            if label is None or first == second:
                code, why = ("unknown-label", word) if label is None else ("self-pair", first)
                builder.drop(code, why, element=str(number))
            else:
                builder.add_link(str(number), first, label, second)
        return builder.build()


def _means_another(reading: Reading, link: Link) -> bool:
    """Return whether the label of a link has another meaning in a reading."""
    label = known_label(link.label or "", reading)
    return label is not None and reading.relation(label) != link.relation


def _is_triple(item: object) -> bool:
    if not isinstance(item, list | tuple) or len(item) != len(NEEDED):
        return False
    return isinstance(item[1], str) and all((isinstance(each, str) and each) or is_whole(each) for each in item)


def _pairs(document: Document) -> set[frozenset[str]]:
    return {frozenset((link.source, link.target)) for link in document.links}


def _in_words(verdict: Check) -> tuple[str, ...]:
    found = verdict.feedback()
    return (found,) if found else ()
