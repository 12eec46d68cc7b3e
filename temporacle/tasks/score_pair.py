"""Compute everything about one pair of documents, in any process."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.checker.scores import written
from temporacle.errors import BudgetExceeded, InputError, InternalError, TimeLimitError, UsageError, spelled
from temporacle.model import ANSWERS, Action, Document, HowRead, Remark, Unreadable
from temporacle.passages import sentence_around, sentence_starts
from temporacle.printing import shown
from temporacle.readings import canonical
from temporacle.reasoner.network import document_time
from temporacle.reasoner.proofs.certificate import FORMAT, accepted
from temporacle.reasoner.reference.engines import TooLargeForEngine
from temporacle.results import Score
from temporacle.scoring.alignment import CommonNames, known_ids, used_ids, with_common_names
from temporacle.scoring.awareness import AwarenessOptions
from temporacle.scoring.awareness_proof import prove_awareness
from temporacle.scoring.metric import Align, Contradictions, Values, metric_named
from temporacle.scoring.tally import PairKinds, document_score
from temporacle.tasks.certificates import CHANGED, CertificateFiles, DocumentFiles, provenance_of, require_recordable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from os import PathLike

    from temporacle.corpus.inputs import Found
    from temporacle.corpus.pairing import Pair
    from temporacle.io.source import Options
    from temporacle.results import PairRow
    from temporacle.scoring.metric import MetricOptions

_SHOWN = 3  # ids in a message


@dataclass(frozen=True, slots=True)
class Request:
    """The numbers to compute: everything that can change them, except how the documents were read."""

    metrics: tuple[tuple[str, MetricOptions], ...]
    align: Align = Align.IDS
    empty: int = 0  # the value of 0/0
    both_ways: bool = False  # also with the sides exchanged
    certify: bool = False  # with a certificate of each score


class SideFacts(NamedTuple):
    """Facts about one side's document that a run needs besides its score."""

    path: str | None = None
    how_read: HowRead | None = None
    readable: bool = False
    dropped: tuple[Remark, ...] = ()  # what could not be used
    labels: Mapping[str, int] = {}  # what its labels mean, where the other side was read differently
    some_ids: tuple[str, ...] = ()  # where the two sides have no id in common
    has_spans: bool = False  # likewise
    mapped: frozenset[str] = frozenset()  # ids that an id map renames in every document, and that this one has
    is_unchecked: bool = False  # it has links, and none could be used
    has_links: bool = False


class PairFinding(NamedTuple):
    """All that a run needs to know about a pair."""

    document: str
    # For each metric, a score or the reason why there is none; None or empty if gold does not have the document.
    scores: tuple[Score | str | None, ...]
    backward: tuple[Score | str | None, ...] = ()  # the system as the key; only where both ways are asked for
    gold: SideFacts = SideFacts()
    system: SideFacts = SideFacts()
    share_ids: bool | None = None  # whether gold knows an id in the system's links; None: a side has no links
    refused: str | None = None  # why nothing can be scored
    proof: Mapping[str, Any] | str | None = None  # the certificate of the score, or why there is none


@dataclass(frozen=True, slots=True)
class ScoreJob:
    """Reads and scores pairs: a job for the runner."""

    request: Request

    def results(self, item: Pair, skip: int, tell: Callable[[str], None]) -> Iterator[PairFinding]:
        """Yield the only finding about a pair."""
        if not skip:
            tell(item.name)
            with document_time(self.request.metrics[0][1].budget):
                found = self._finding(item)
            yield found

    def failed(self, item: Pair, name: str | None, reason: str) -> PairFinding:  # noqa: ARG002 - the runner calls it
        """Return the result for a pair that failed. The documents themselves may be fine."""
        count = len(self.request.metrics)
        both = (reason,) * count if self.request.both_ways and item.system is not None else ()
        readable = SideFacts(readable=True)
        return PairFinding(item.name, (reason,) * count if item.gold else (), both, gold=readable, system=readable)

    def _finding(self, pair: Pair) -> PairFinding:
        name = next(side for side in (pair.gold, pair.system) if side is not None).name
        gold = Document(name) if pair.gold is None else pair.gold.read()
        system = Document(gold.id) if pair.system is None else pair.system.read_as_it_is()
        mapped: frozenset[str] = frozenset()
        if pair.system is not None and pair.system.renaming is not None and isinstance(system, Document):
            try:
                system, mapped = pair.system.renaming.apply(system)
            except UsageError as error:
                return PairFinding(name, (), refused=str(error))
        facts = (
            SideFacts() if pair.gold is None else _facts(gold),
            SideFacts() if pair.system is None else _facts(system)._replace(mapped=mapped),
        )
        finding = PairFinding(gold.id if pair.gold else system.id, (), gold=facts[0], system=facts[1])
        if isinstance(system, Unreadable) and system.is_answer and isinstance(gold, Document):
            system = system.as_answer(gold.reading)  # all its pairs are missing
        if isinstance(gold, Unreadable) or isinstance(system, Unreadable):
            reason = _unreadable(gold, system)
            return finding._replace(
                scores=(reason,) * len(self.request.metrics) if pair.gold else (),
                backward=(reason,) * len(self.request.metrics) if self.request.both_ways and pair.system else (),
            )
        try:
            common = with_common_names(gold, system, self.request.align)
        except InputError as error:
            return finding._replace(scores=(str(error),) * len(self.request.metrics))
        if system.format == ANSWERS and pair.gold is not None:
            unusable = unusable_links(common.gold, common.system, self.request)
            used = tuple(link for link in common.system.links if link.id not in unusable)
            common = common._replace(system=replace(common.system, links=used))
            dropped = (*finding.system.dropped, *unusable.values())
            finding = finding._replace(system=finding.system._replace(dropped=dropped))
        finding = _with_doubts(finding, common)
        try:
            finding = finding._replace(scores=self._scores(common, asked=pair.gold is not None))
            if self.request.certify and finding.scores and isinstance(finding.scores[0], Score):
                finding = self._certified(finding, common, system, finding.scores[0])
            if self.request.both_ways and pair.system is not None:
                finding = finding._replace(backward=self._backward(gold, system))
        except UsageError as error:
            return finding._replace(refused=str(error))
        return finding

    def _scores(self, common: CommonNames, *, asked: bool = True) -> tuple[Score | str | None, ...]:
        found = tuple(
            self._score(name, options, common) if asked or counts_unasked(name, options) else None
            for name, options in self.request.metrics
        )
        return found if any(each is not None for each in found) else ()

    def _certified(self, finding: PairFinding, common: CommonNames, system: Document, score: Score) -> PairFinding:
        """Return the finding with the certificate of its score. A score that the checker refutes is withdrawn."""
        try:
            return finding._replace(proof=score_proof(common, system, self.request, score))
        except BudgetExceeded as limit:
            return finding._replace(proof=str(limit))
        except InternalError as error:
            return finding._replace(scores=(f"internal error: {error}",))

    def _backward(self, gold: Document, system: Document) -> tuple[Score | str | None, ...]:
        try:
            return self._scores(with_common_names(system, gold, self.request.align))
        except InputError as error:
            return (str(error),) * len(self.request.metrics)

    def _score(self, name: str, options: MetricOptions, common: CommonNames) -> Score | str:
        """Return the score of a pair by one metric, or the reason why there is none."""
        try:
            judgement = metric_named(name).judge(common.gold, common.system, options)
        except (BudgetExceeded, TooLargeForEngine) as limit:
            return f"undecided: {limit}"
        except InputError as error:
            return str(error)
        except InternalError as error:
            return f"internal error: {error}"
        if options.details and judgement.rows:
            judgement = replace(judgement, rows=described(judgement.rows, common.gold, common.system))
        return document_score(
            judgement,
            metric=name,
            empty=self.request.empty,
            document=common.gold.id,
            convention=options.variant,
            unmatched=common.unmatched,
            warnings=common.warnings,
        )


def unusable_links(gold: Document, answer: Document, request: Request) -> dict[str, Remark]:
    """Return the links of a model's answer that no metric can use, by id, each with a remark.

    They are about ids that gold does not have, or their labels are not in the conventions.
    """
    known = known_ids(gold)
    found = {}
    for link in answer.links:
        code = ""
        if stranger := next((end for end in (link.source, link.target) if end not in known), None):
            code, message = "unknown-id", f"{shown(stranger)} is not an id of gold"
        elif not any(options.reads(link.label) for _, options in request.metrics):
            code, message = "unknown-label", f"{shown(link.label)} is not a label of the convention"
        if code:
            found[link.id] = Remark(code, message, link.line, link.id, Action.DROPPED)
    return found


def described(rows: Sequence[PairRow], gold: Document, system: Document) -> tuple[PairRow, ...]:
    """Return the rows with words, sentences, kinds and distances, as far as a side knows them."""
    kinds = PairKinds((gold, system))
    entities = {entity.id: entity for side in (system, gold) for entity in side.entities}
    text = gold.text or system.text
    starts = sentence_starts(text) if text else []

    def words(row: PairRow) -> PairRow:
        first, second = entities.get(row.source), entities.get(row.target)
        row = row._replace(
            kind=kinds.of(row.source, row.target),
            source_text=first and first.text,
            target_text=second and second.text,
        )
        if not text or first is None or second is None or not first.spans or not second.spans:
            return row
        one, other = sorted((first.spans[0][0], first.spans[-1][1]) for first in (first, second))
        between = bisect_right(starts, other[0]) - bisect_right(starts, one[0])
        sentences = dict.fromkeys(sentence_around(text, *span).raw for span in (one, other))
        return row._replace(
            sentence=" … ".join(sentences), distance=max(other[0] - one[1], 0), sentence_distance=between
        )

    return tuple(map(words, rows))


def counts_unasked(name: str, options: MetricOptions) -> bool:
    """Return whether documents without a gold document count against a system."""
    unasked = metric_named(name).unasked
    return unasked is not None and unasked(options)


def _facts(document: Found) -> SideFacts:
    if isinstance(document, Unreadable):
        if isinstance(document.error, TimeLimitError):
            return SideFacts(document.path, readable=True, has_links=True)  # as far as one knows
        remark = Remark("unreadable", str(document.error))
        return SideFacts(document.path, dropped=(remark,))
    how_read = document.how_read or HowRead("statements", document.reading)
    return SideFacts(
        document.path,
        how_read,
        readable=True,
        dropped=document.dropped,
        is_unchecked=document.is_unchecked,
        has_links=bool(document.links),
    )


def _unreadable(gold: Found, system: Found) -> str:
    side, document = ("gold", gold) if isinstance(gold, Unreadable) else ("system", system)
    if not isinstance(document, Unreadable):
        return ""
    is_late = isinstance(document.error, TimeLimitError)
    return f"undecided: {document.error}" if is_late else f"{side} unreadable: {document.error}"


def _with_doubts(finding: PairFinding, common: CommonNames) -> PairFinding:
    """Return what casts doubt on a score: labels with two meanings, and ids that have nothing in common."""
    sides = (common.gold, common.system)
    if sides[0].reading != sides[1].reading:
        meanings = [_meanings(side) for side in sides]
        finding = finding._replace(
            gold=finding.gold._replace(labels=meanings[0]), system=finding.system._replace(labels=meanings[1])
        )
    if not all(side.links for side in sides):
        return finding
    if not common.all_known and used_ids(common.system).isdisjoint(known_ids(common.gold)):
        ids = [used_ids(side) for side in sides]
        gold, system = (
            facts._replace(
                some_ids=tuple(sorted(names)[:_SHOWN]), has_spans=any(entity.spans for entity in side.entities)
            )
            for facts, names, side in zip((finding.gold, finding.system), ids, sides, strict=True)
        )
        return finding._replace(gold=gold, system=system, share_ids=False)
    return finding._replace(share_ids=True)


def _meanings(document: Document) -> dict[str, int]:
    """Return the meaning of each label of a document. Labels joined by ``|`` are replaced by their parts."""
    return {
        canonical(link.label): int(link.relation) for link in document.links if link.label and "|" not in link.label
    }


_VERSION = 3
_TOTAL = "total"


def certified(
    request: Request,
    reading: Options,
    folder: str | PathLike[str] | None,
    file: str | PathLike[str] | None,
    *,
    id_map: bool,
) -> tuple[Request, ScoreCertificates | None]:
    """Return the request that asks for certificates, too, and what writes them; the same request if none are wanted.

    Raise UsageError if a certificate cannot show what is asked for.
    """
    if folder is None and file is None:
        return request, None
    require_certifiable(request, reading, id_map=id_map)
    return replace(request, certify=True), ScoreCertificates(folder, file)


def require_certifiable(request: Request, reading: Options, *, id_map: bool) -> None:
    """Refuse what a certificate of a score cannot show."""
    names = [name for name, _ in request.metrics]
    options = request.metrics[0][1]
    if names != ["awareness"] or not isinstance(options, AwarenessOptions):
        raise UsageError(f"there are certificates of scores by awareness only, not by {', '.join(names)}")
    options.require_exact("certificates")
    if options.contradictions is Contradictions.REPAIR:
        raise UsageError(
            "certificates of scores do not show that a repair has the smallest weight: omit"
            f" {spelled('contradictions', 'repair')}"
        )
    if options.calendar is not Values.NONE:
        raise UsageError("certificates of scores do not cover the values of time expressions: leave out calendar")
    if id_map:
        raise UsageError("a certificate does not record an id_map: rename the entities in the files first")
    require_recordable(reading.choices)


def score_proof(common: CommonNames, system: Document, request: Request, score: Score) -> Mapping[str, Any]:
    """Return the certificate of one document's score, without its files.

    ``system``: under its own names of entities. Raise InternalError if the checker does not accept it.
    """
    options = request.metrics[0][1]
    if not isinstance(options, AwarenessOptions):
        raise InternalError("a score without a form of certificate")
    sides = prove_awareness(common.gold, common.system, options, own_links=system.links)
    for side, document in (("gold", common.gold), ("system", system)):
        sides[side]["document"] = provenance_of(document.id, None, None)
    return accepted({**_head("score", request), **sides, **_figures(score)})


def _head(claim: str, request: Request) -> dict[str, Any]:
    """Return the claim, the metric and its options."""
    name, options = request.metrics[0]
    if not isinstance(options, AwarenessOptions):
        raise InternalError("a score without a form of certificate")
    return {
        "format": FORMAT,
        "version": _VERSION,
        "claim": claim,
        "metric": name,
        "options": {
            "align": request.align.value,
            "contradictions": options.contradictions.value,
            "vague": options.vague.value,
            "empty": request.empty,
        },
    }


def _figures(score: Score) -> dict[str, Any]:
    """Return counts and exact fractions."""
    return {
        "counts": {name: int(value) for name, value in score.counts.items()},
        "precision": written(score.precision),
        "recall": written(score.recall),
        "f1": written(score.f1),
    }


class ScoreCertificates:
    """Writes the certificates of a run. ``folder``: for any number of documents; ``file``: for the only one."""

    def __init__(self, folder: str | PathLike[str] | None, file: str | PathLike[str] | None) -> None:
        self._files = CertificateFiles(folder, file=file, reserved=() if folder is None else (_TOTAL,))
        self._documents = DocumentFiles()
        self._has_total = folder is not None
        self._written: list[list[str]] = []
        self._missing = 0

    def add(self, finding: PairFinding) -> Remark | None:
        """Write the certificate of a document's score. Return a remark if there is none."""
        if finding.proof is None:
            return None
        if isinstance(finding.proof, str):
            return self._without(finding.document, finding.proof)
        form = dict(finding.proof)
        for name, facts in (("gold", finding.gold), ("system", finding.system)):
            about = self._record(form[name]["document"]["id"], facts)
            if about is None:
                return self._without(finding.document, CHANGED)
            form[name] = form[name] | {"document": about}
        read = [finding.gold.path, finding.system.path]
        path = self._files.write(finding.document, form, read=read)
        self._written.append([form["gold"]["document"]["id"], path.name, sha256(path.read_bytes()).hexdigest()])
        return None

    def finish(self, request: Request, average: str, total: Score) -> Remark | None:
        """Write the certificate of the total, if there is a folder. Return a remark if it cannot be written."""
        if not self._has_total or not total.scored:
            return None
        if self._missing:
            return self._without("total", f"{self._missing} documents have a score, and no certificate")
        form = {
            **_head("total", request),
            "average": average,
            "documents": self._written,
            "skipped": [[each.document, each.reason] for each in total.skipped],
            **_figures(total),
        }
        self._files.write_reserved(_TOTAL, form)
        return None

    def _record(self, document: str, facts: SideFacts) -> dict[str, Any] | None:
        return self._documents.record(document, facts.path, facts.how_read, facts.dropped)

    def _without(self, document: str, reason: str) -> Remark:
        self._missing += 1
        message = f"{document}: no certificate of the score: {reason}"
        return Remark("uncertified", message, action=Action.DROPPED)
