"""Several answers about one document: how many are consistent, how far they agree, and what they say together."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, Any

from temporacle.corpus.inputs import documents
from temporacle.corpus.options import Going
from temporacle.errors import UsageError
from temporacle.frames import to_frame
from temporacle.model import Document, Unreadable
from temporacle.results import DocumentVerdict
from temporacle.tasks.check import check
from temporacle.tasks.decode import decode
from temporacle.trouble import trouble_with

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from temporacle.corpus.inputs import Inputs
    from temporacle.corpus.observer import Observer
    from temporacle.relation import Relation
    from temporacle.tasks.decode_results import DocumentDecoding

COLUMNS = ("document", "samples", "consistent", "agreement", "links")


@dataclass(frozen=True, slots=True, repr=False)
class SampledDocument:
    """The answers about one document."""

    document: str
    verdicts: tuple[str, ...]  # of the answers, in order; "unreadable" for those that could not be read
    agreement: Fraction | None  # None: fewer than two answers, or no pair that two answers relate
    consensus: DocumentDecoding | None  # None: no answer could be used
    feedback: tuple[str, ...] = ()  # for each answer its conflict as a sentence, or an empty text

    def __repr__(self) -> str:
        return f"SampledDocument({self.document!r}: {self.consistent} of {len(self.verdicts)} consistent)"

    @property
    def consistent(self) -> int:
        """Return how many answers are consistent."""
        return self.verdicts.count(DocumentVerdict.CONSISTENT.value)

    def to_dict(self) -> dict[str, Any]:
        """Return the object that ``check --answers --output json`` prints."""
        links = self.consensus.to_dict()["links"] if self.consensus is not None else []
        return {
            "document": self.document,
            "samples": len(self.verdicts),
            "verdicts": list(self.verdicts),
            "consistent": self.consistent,
            "rate": self.consistent / len(self.verdicts),
            "agreement": None if self.agreement is None else float(self.agreement),
            "consensus": links,
            "feedback": list(self.feedback),
        }

    def row(self) -> dict[str, object]:
        """Return the cells of a table."""
        links = 0 if self.consensus is None else len(self.to_dict()["consensus"])
        shown = None if self.agreement is None else float(self.agreement)
        cells = (self.document, len(self.verdicts), self.consistent, shown, links)
        return dict(zip(COLUMNS, cells, strict=True))


@dataclass(frozen=True, slots=True, repr=False)
class Samples:
    """All documents with their answers."""

    documents: tuple[SampledDocument, ...]

    def __repr__(self) -> str:
        return f"Samples({len(self.documents)} documents)"

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row per document."""
        return to_frame([each.row() for each in self.documents], COLUMNS)


def each_sampled(source: Inputs, shared: Mapping[str, Any], observer: Observer) -> Iterator[SampledDocument]:
    """Yield a comparison of several answers for each document: documents of one name are answers about the same text.

    The time limit is for each answer and for each consensus.

    >>> answers = [Document("d", [("a", "BEFORE", "b")]), Document("d", [("a", "AFTER", "b")]),
    ...            Document("d", [("b", "AFTER", "a")])]
    >>> (found,) = check(answers, answers=True).documents
    >>> found, found.agreement, [link["label"] for link in found.to_dict()["consensus"]]
    (SampledDocument('d': 3 of 3 consistent), Fraction(1, 3), ['BEFORE'])
    """
    going = Going.over(source, shared)
    by_name: dict[str, list[Document | Unreadable]] = {}
    for each in documents(source, going.options, report=observer.corpus_remark):
        for trouble in trouble_with(each):
            observer.unusable(*trouble)
        by_name.setdefault(each.id, []).append(each)
    if not any(len(answers) > 1 for answers in by_name.values()):
        raise UsageError("no document has two answers: answers are documents of the same name")
    return (_sampled(name, answers, going.limit) for name, answers in by_name.items())


def _sampled(name: str, answers: Sequence[Document | Unreadable], budget: float | None) -> SampledDocument:
    found = [check(each, repair=False, time_limit=budget)[0] for each in answers]
    usable = [each for each in answers if isinstance(each, Document)]
    consensus = None
    if len(usable) > 1:
        (consensus,) = decode([[each] for each in usable], consensus=True, time_limit=budget)
    return SampledDocument(
        name,
        tuple(each.verdict.value for each in found),
        agreement_of(usable),
        consensus,
        tuple(each.feedback() for each in found),
    )


def agreement_of(answers: Sequence[Document]) -> Fraction | None:
    """Return the mean share of pairs that two answers relate in the same way, of all that one of them relates.

    Each relation of a pair is taken in one direction, so "a before b" agrees with "b after a". Cost: quadratic in the
    number of answers.
    """
    stated = [_relations(each) for each in answers]
    shares = []
    for first, second in combinations(stated, 2):
        pairs = first.keys() | second.keys()
        if pairs:
            same = sum(first.get(pair) == second.get(pair) for pair in pairs)
            shares.append(Fraction(same, len(pairs)))
    return sum(shares, Fraction()) / len(shares) if shares else None


def _relations(document: Document) -> dict[tuple[str, str], frozenset[Relation]]:
    found: dict[tuple[str, str], frozenset[Relation]] = {}
    for link in document.links:
        pair, relation = (link.source, link.target), link.relation
        if link.source > link.target:
            pair, relation = (link.target, link.source), relation.converse()
        found[pair] = found.get(pair, frozenset()) | {relation}
    return found
