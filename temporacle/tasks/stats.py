"""Figures about a corpus: what is annotated, and what follows from it. ``tp.stats`` and ``temporacle stats``."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

from temporacle.corpus.observer import SILENT
from temporacle.corpus.options import Corpus, CorpusOptions, Going
from temporacle.declared import task
from temporacle.errors import BudgetExceeded, InternalError
from temporacle.frames import digits, html_table, to_frame
from temporacle.model import Kind, counted, skipped_words
from temporacle.reasoner.conflicts.canonical import canonical_conflicts
from temporacle.reasoner.conflicts.repair import repair_grounds
from temporacle.reasoner.judged import Judged
from temporacle.reasoner.network import Budget, Network
from temporacle.results import DocumentVerdict, OfDocuments, Unrepairable
from temporacle.tasks.answers import DocumentAnswer, answers, asked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from temporacle.corpus.observer import Observer
    from temporacle.model import Document

_FOR_CONFLICTS = 10.0  # seconds for the conflicts of a document, if there is no time limit
_OF_PAIRS = ("stated", "decided", "known")
_KINDS = (Kind.EVENT.value, Kind.TIME.value, "DCT", Kind.UNKNOWN.value)


@dataclass(slots=True)
class Figures:
    """Counts of one document, or their sums. ``pairs`` and what follows are those of consistent documents alone."""

    entities: Counter[str] = field(default_factory=Counter)  # by kind
    labels: Counter[str] = field(default_factory=Counter)  # links by label
    kinds: Counter[str] = field(default_factory=Counter)  # links by the kinds of their ends
    pairs: int = 0  # of entities
    stated: int = 0  # pairs with a link
    decided: int = 0  # pairs of which one of the 13 relations follows
    known: int = 0  # pairs about which anything follows
    redundant: int = 0  # links that follow from all other links
    judged_links: int = 0  # links of the documents that the last five are about
    conflicts: int = 0
    conflict_labels: Counter[str] = field(default_factory=Counter)  # links in conflicts by label

    @property
    def links(self) -> int:
        """Return the number of usable links."""
        return self.labels.total()

    def add(self, other: Figures) -> None:
        """Add the counts of a document."""
        for each in fields(self):
            mine, theirs = getattr(self, each.name), getattr(other, each.name)
            if isinstance(mine, Counter):
                mine.update(theirs)
            else:
                setattr(self, each.name, mine + theirs)

    def share(self, number: int) -> Fraction | None:
        """Return a share of all pairs; None if there are no pairs."""
        return Fraction(number, self.pairs) if self.pairs else None

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as in JSON."""
        return {
            "entities": {"all": self.entities.total(), **_sorted(self.entities)},
            "links": self.links,
            "labels": _sorted(self.labels),
            "kinds": _sorted(self.kinds),
            "pairs": self.pairs,
            **{name: getattr(self, name) for name in _OF_PAIRS},
            **{f"{name}_share": _number(self.share(getattr(self, name))) for name in _OF_PAIRS},
            "redundant": self.redundant,
            "judged_links": self.judged_links,
            "conflicts": self.conflicts,
            "conflict_labels": _sorted(self.conflict_labels),
        }


@dataclass(frozen=True, slots=True, repr=False)
class DocumentStats(DocumentAnswer):
    """The figures of one document."""

    columns: ClassVar[tuple[str, ...]] = (
        "document", "verdict", "entities", "links", "pairs", "stated", "decided", "known", "redundant", "conflicts",
    )  # fmt: skip

    figures: Figures = field(default_factory=Figures)

    def __repr__(self) -> str:
        links = counted(self.figures.links, "link") + skipped_words(self.skipped_links)
        return f"DocumentStats({self.document!r}, {self.verdict.value}, {links})"

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the JSON object of the document; none if it is unreadable."""
        if self.verdict is not DocumentVerdict.UNREADABLE:
            reason = {} if self.reason is None else {"reason": self.reason}
            row = {"document": self.document, "verdict": self.verdict.value, **reason, **self.figures.to_dict()}
            yield row | {"skipped_links": self.skipped_links}

    def table(self) -> Iterator[dict[str, Any]]:
        """Yield the row of a frame. Figures that a document does not have are None."""
        yield dict(zip(self.columns, (self.document, self.verdict.value, *cells_of(self.figures)), strict=True))

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row."""
        return to_frame(list(self.table()), self.columns)


def cells_of(figures: Figures) -> list[Any]:
    """Return the figures of a row. Shares and redundant links are None without a consistent document."""
    shares = [_number(figures.share(getattr(figures, name))) for name in _OF_PAIRS]
    is_judged = figures.pairs or figures.judged_links
    redundant = figures.redundant if is_judged else None
    return [figures.entities.total(), figures.links, figures.pairs or None, *shares, redundant, figures.conflicts]


class Stats(OfDocuments[DocumentStats]):
    """The figures of a corpus: ``total``, and those of each document."""

    def __init__(self, documents: Iterable[DocumentStats]) -> None:
        self.documents = tuple(documents)
        self.total = Totals()
        for each in self.documents:
            self.total.add(each)

    def __repr__(self) -> str:
        return f"Stats({self.total.summary()})"

    def to_dict(self) -> list[dict[str, Any]]:
        """Return what ``--output json`` prints: one dict for each document, then the total."""
        return [*(row for each in self.documents for row in each.rows()), self.total.to_dict()]

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row for each document."""
        return to_frame([row for each in self.documents for row in each.table()], DocumentStats.columns)

    def _repr_html_(self) -> str:
        rows = [list(row.values()) for each in self.documents for row in each.table()]
        return html_table(DocumentStats.columns, rows, self.total.summary())


class Totals:
    """Sums of the figures of a corpus, and how many documents have which verdict."""

    def __init__(self) -> None:
        self.figures = Figures()
        self.verdicts: Counter[str] = Counter()
        self.skipped_links: Counter[str] = Counter()

    def add(self, found: DocumentStats) -> None:
        """Add a document."""
        self.figures.add(found.figures)
        self.verdicts[found.verdict.value] += 1
        self.skipped_links.update(found.skipped_links)

    def summary(self) -> str:
        """Return the main figures in one line."""
        figures, number = self.figures, self.verdicts.total()
        text = (
            f"{counted(number, 'document')}: {figures.entities.total()} entities, {figures.links} links"
        ) + skipped_words(self.skipped_links)
        if figures.pairs:
            shares = (figures.stated, figures.decided, figures.known)
            stated, decided, known = (digits(Fraction(100 * each, figures.pairs), 2) for each in shares)
            text += f"; {stated} % of pairs stated, {decided} % of pairs decided, {known} % known"
        others = [(verdict, count) for verdict, count in sorted(self.verdicts.items()) if verdict != "consistent"]
        left_out = ", ".join(f"{count} {verdict}" for verdict, count in others)
        return f"{text} (left out: {left_out})" if left_out else text

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object of the total."""
        documents = {"documents": self.verdicts.total(), "verdicts": dict(self.verdicts)}
        return {"total": documents | self.figures.to_dict() | {"skipped_links": dict(self.skipped_links)}}


@task(Stats)
def stats(source: Corpus, *, observer: Observer = SILENT, **shared: Unpack[CorpusOptions]) -> Iterator[DocumentStats]:
    """Return figures about a corpus: entities, links by label and kind, what is decided, redundant links, conflicts.

    Args:
        observer: Gets the events of the run.

    Returns:
        A sequence with the figures of each document; ``total`` has those of the corpus.

    Raises:
        UsageError: Options that do not fit together.

    Examples:
        >>> found = stats([("a", "BEFORE", "b"), ("b", "BEFORE", "c"), ("a", "BEFORE", "c")])
        >>> found.total.figures.decided, found.total.figures.pairs, found.total.figures.redundant
        (3, 3, 1)
    """
    going = Going.over(source, shared)
    question = asked(_figures_of, DocumentStats, going.limit)
    return answers(source, question, going, observer, going.journal(observer, "stats"))


def _figures_of(document: Document, budget: Budget) -> DocumentStats:
    network = Network.of(document)
    kinds = _kinds(document, network.entities)
    figures = Figures(
        entities=Counter(kinds.values()),
        labels=Counter(link.label or str(link.relation) for link in document.links),
        kinds=Counter(_kind_of_link(kinds[link.source], kinds[link.target]) for link in document.links),
    )
    judged = Judged(network, budget)
    verdict, reason = DocumentVerdict.CONSISTENT, None
    try:
        if judged.is_consistent():
            _count_pairs(figures, judged)
        else:
            verdict = DocumentVerdict.INCONSISTENT
            reason = _count_conflicts(figures, network, budget)
    except (BudgetExceeded, InternalError) as limit:
        verdict, reason = DocumentVerdict.UNDECIDED, str(limit)
    return DocumentStats(document.id, verdict, document.path, reason, document.dropped, figures)


def _kinds(document: Document, names: Iterable[str]) -> dict[str, str]:
    """Return the kind of each entity: event, time, DCT or unknown."""
    found = {each.id: "DCT" if each.is_dct else each.kind.value for each in document.entities}
    return {name: found.get(name, Kind.UNKNOWN.value) for name in names}


def _kind_of_link(*ends: str) -> str:
    return "-".join(sorted(ends, key=_KINDS.index))


def _count_pairs(figures: Figures, judged: Judged) -> None:
    """Count what follows. Nothing is counted if the time ends first."""
    network = judged.network
    table = judged.table()
    assert table is not None  # noqa: S101 - it is consistent
    decided = known = 0
    for _, relation, _ in table.pairs():
        known += 1
        decided += len(relation.atoms) == 1
    redundant = _redundant(network, judged.budget)
    size = len(network.entities)
    figures.pairs = size * (size - 1) // 2
    figures.stated = len({frozenset(link.entities) for link in network.links if link.source != link.target})
    figures.decided, figures.known, figures.redundant = decided, known, redundant
    figures.judged_links = len(network.links)


def _redundant(network: Network, budget: Budget) -> int:
    """Return how many links follow from all other links."""
    from temporacle.reasoner.editor import Judge  # loads numpy

    named = [link._replace(id=str(number)) for number, link in enumerate(network.links)]
    return len(Judge(budget).moment(named, network.entities).redundant)


def _count_conflicts(figures: Figures, network: Network, budget: Budget) -> str | None:
    """Count the conflicts, one for each link that a repair removes. Return why if they were not found in time."""
    allowed = budget if budget.seconds is not None else Budget(_FOR_CONFLICTS)
    judged = Judged(network, allowed)
    try:
        repair = repair_grounds(judged)
        assert not isinstance(repair, Unrepairable)  # noqa: S101 - nothing is protected
        conflicts = list(canonical_conflicts(network, repair.dropped, allowed))
    except BudgetExceeded as limit:
        return f"conflicts were not counted: {limit}"
    figures.conflicts = len(conflicts)
    members = sorted({number for conflict in conflicts for number in conflict})
    links = [network.links[number] for number in members]
    figures.conflict_labels = Counter(link.label or str(link.relation) for link in links)
    return None


def _sorted(counts: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda each: (-each[1], each[0])))


def _number(share: Fraction | None) -> float | None:
    return None if share is None else float(share)
