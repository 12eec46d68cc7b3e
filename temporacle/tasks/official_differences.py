"""Each link that an official program judges wrongly, and why."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.audit.official import (
    DifferenceCause,
    VerdictComparison,
    VerdictDifference,
    VerdictEvidence,
    compare,
    evidence,
    link_at,
)
from temporacle.errors import BudgetExceeded
from temporacle.reasoner.network import Budget
from temporacle.runner import Plan, work
from temporacle.scoring.official.tempeval3.scores import OfficialCounts, OfficialSide
from temporacle.scoring.official.tempeval3.tlinks import LinkFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from temporacle.model import Link
    from temporacle.tasks.official_files import LinkPair

    Row = dict[str, Any]


class LinkDifference(NamedTuple):
    """A link about which the official program and the exact reasoner disagree, with the evidence."""

    difference: VerdictDifference
    link: Link  # as it was asked about: with acl11 perhaps the other way round
    evidence: VerdictEvidence

    def to_dict(self) -> Row:
        """Return the JSON object."""
        difference, why = self.difference, self.evidence
        return {
            "side": difference.side,
            "link": self.link.to_dict(),
            "question": difference.question.value,
            "official": difference.official.value,
            "exact": difference.exact.value,
            "cause": difference.cause.value,
            "evidence": {
                "premises": [link.to_dict() for link in why.premises],
                "explanation": list(why.sentences),
                "model": None if why.model is None else {name: list(times) for name, times in why.model.items()},
                "holds": why.holds,
            },
        }


class ExplainedDocument(NamedTuple):
    """The differences of one document; or why they are not known."""

    name: str
    comparison: VerdictComparison | None = None
    differences: tuple[LinkDifference, ...] = ()
    reason: str | None = None


@dataclass(slots=True)
class Differences:
    """All differences of a run, and the exact counts under the same policy."""

    documents: list[ExplainedDocument] = field(default_factory=list)
    complete: bool = True  # these are all documents, and nothing was left undecided

    def add(self, found: ExplainedDocument) -> None:
        self.documents.append(found)
        self.complete &= found.comparison is not None and found.comparison.exact is not None

    def beside(self, rows: Iterable[Row]) -> list[Row]:
        """Return the rows of documents, with the exact figures under the same policy."""
        known = {each.name: each.comparison for each in self.documents}
        return [{**row, **_beside(known.get(row["document"]))} for row in rows]

    @property
    def total(self) -> Row:
        """Return the values for the last line."""
        return {"exact": None if self.exact is None else self.exact.to_dict(), "differences": by_cause(self.causes)}

    @property
    def official(self) -> OfficialCounts:
        return sum((found.official for found in self._comparisons()), OfficialCounts())

    @property
    def exact(self) -> OfficialCounts | None:
        """Return the exact counts; None unless every document is decided, since partial scores would mislead."""
        known = [found.exact for found in self._comparisons() if found.exact is not None]
        return sum(known, OfficialCounts()) if self.complete else None

    @property
    def causes(self) -> list[VerdictDifference]:
        return [difference for found in self._comparisons() for difference in found.differences]

    def _comparisons(self) -> Iterator[VerdictComparison]:
        return (each.comparison for each in self.documents if each.comparison is not None)


def by_cause(differences: Iterable[VerdictDifference]) -> Row:
    """Return how many differences each cause has."""
    counted = Counter(difference.cause.value for difference in differences)
    return {cause.value: counted[cause.value] for cause in DifferenceCause if counted[cause.value]}


def _beside(found: VerdictComparison | None) -> Row:
    if found is None:
        return {"exact": None, "differences": None}
    exact = None if found.exact is None else found.exact.to_dict()
    return {"exact": exact, "differences": by_cause(found.differences)}


class ExplainJob(NamedTuple):
    """Finds the differences of documents: a job for the runner."""

    method: str
    budget: float | None
    side: type[OfficialSide] = OfficialSide  # as the program sees the links

    def results(self, item: LinkPair, skip: int, tell: Callable[[str], None]) -> Iterator[ExplainedDocument]:
        if not skip:
            tell(item.name)
            yield self._explained(item)

    def failed(self, item: LinkPair, name: str | None, reason: str) -> ExplainedDocument:  # noqa: ARG002
        return ExplainedDocument(item.name, reason=reason)

    def _explained(self, pair: LinkPair) -> ExplainedDocument:
        files = {"gold": pair.gold, "system": pair.system or LinkFile()}
        limit = Budget(self.budget)
        try:
            sides = (self.side(files["gold"].links, limit), self.side(files["system"].links, limit))
            found = compare(*sides, self.method, limit)
        except BudgetExceeded as reason:
            return ExplainedDocument(pair.name, reason=str(reason))
        links = {side: [link_at(file, number) for number in range(len(file.links))] for side, file in files.items()}
        shown = tuple(
            LinkDifference(
                difference,
                _as_asked(links[difference.side][difference.position], difference),
                evidence(difference, links[difference.asked], limit),
            )
            for difference in found.differences
        )
        return ExplainedDocument(pair.name, found, shown)


def _as_asked(link: Link, difference: VerdictDifference) -> Link:
    turned = link_at(LinkFile((difference.link,)), 0)
    return link._replace(source=turned.source, target=turned.target, label=turned.label, relation=turned.relation)


def explained(
    pairs: Sequence[LinkPair],
    method: str,
    budget: float | None,
    plan: Plan,
    side: type[OfficialSide] = OfficialSide,
) -> Iterator[ExplainedDocument]:
    """Yield the differences of every document, in order."""
    for _, found in work(pairs, ExplainJob(method, budget, side), plan):
        yield from found
