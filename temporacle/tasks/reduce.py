"""The minimal graph of documents: ``tp.reduce`` and ``temporacle reduce``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

from temporacle.corpus.inputs import ReadingOptions, options_for
from temporacle.reasoner.oracle import Oracle as NetworkOracle
from temporacle.reasoner.points.reduction import reduction_of
from temporacle.reasoner.points.searches import SearchedRows
from temporacle.results import DocumentVerdict
from temporacle.tasks.answers import Answered, DocumentAnswer, DocumentAnswers, each_answer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from temporacle.corpus.inputs import Inputs
    from temporacle.model import Document, Remark
    from temporacle.reasoner.network import Budget
    from temporacle.reasoner.points.reduction import NodeEdge, Reduction
    from temporacle.reasoner.points.searches import SearchedReduction


@dataclass(frozen=True, slots=True, repr=False)
class DocumentReduction(DocumentAnswer):
    """The minimal graph of one document. Edges are ``(left, "<" or "<=", right)``; an endpoint stands for its node."""

    columns: ClassVar[tuple[str, ...]] = ("document", "kind", "left", "label", "right")

    graph: Reduction | SearchedReduction | None = None  # None unless the document is consistent

    def __repr__(self) -> str:
        if self.graph is None:
            return f"DocumentReduction({self.document!r}, {self.verdict.value})"
        return f"DocumentReduction({self.document!r}, {len(self.nodes)} nodes, {len(self.graph.major)} major edges)"

    @property
    def nodes(self) -> list[list[str]]:
        """Return the endpoints in order of time. Endpoints that must be equal are in one list."""
        return [] if self.graph is None else list(map(list, self.graph.nodes))

    @property
    def major(self) -> list[tuple[str, str, str]]:
        """Return the edges that cannot be left out."""
        return [] if self.graph is None else self._named(self.graph.major)

    @property
    def minor(self) -> list[tuple[str, str, str]]:
        """Return the edges that follow from others. There can be as many as pairs of endpoints."""
        return [] if self.graph is None else self._named(self.graph.minor())

    @property
    def trivial(self) -> list[tuple[str, str, str]]:
        """Return the edges that join the two endpoints of one entity."""
        return [] if self.graph is None else self._named(self.graph.trivial)

    def _named(self, edges: Iterable[NodeEdge]) -> list[tuple[str, str, str]]:
        names = [node[0] for node in self.nodes]
        return [(names[source], label, names[target]) for source, label, target in edges]

    def found(self) -> Iterator[dict[str, Any]]:
        """Yield the only row of a consistent document."""
        kinds = {"major": self.major, "minor": self.minor, "trivial": self.trivial}
        edges = {kind: list(map(list, found)) for kind, found in kinds.items()}
        yield {"document": self.document, "nodes": self.nodes, **edges}

    def table(self) -> Iterator[dict[str, Any]]:
        """Return the rows of a frame: one for each edge."""
        return self.edges()

    def edges(self, budget: Budget | None = None, *, only_major: bool = False) -> Iterator[dict[str, Any]]:
        """Yield one row for each edge, with all endpoints of its nodes. Raise BudgetExceeded if the time runs out."""
        if self.graph is None:
            return
        graph = self.graph
        names = [" = ".join(node) for node in graph.nodes]
        kinds: list[tuple[str, Iterable[NodeEdge]]] = [("major", graph.major)]
        if not only_major:
            kinds += (("minor", graph.minor()), ("trivial", graph.trivial))
        for kind, edges in kinds:
            for source, label, target in edges:
                if budget is not None:
                    budget.check()
                row = {"kind": kind, "left": names[source], "label": label, "right": names[target]}
                yield {"document": self.document, **row}


class Reductions(DocumentAnswers[DocumentReduction]):
    """The minimal graphs of all documents of a source."""

    kind = DocumentReduction


def reduce(source: Inputs, *, budget: float | None = None, **reading: Unpack[ReadingOptions]) -> Reductions:
    """Return the labelled transitive reduction of each document's endpoint graph.

    ``source``: paths, documents, statements of one document, or a frame.
    ``budget``: seconds per document; a document that takes longer is undecided.
    ``reading``, ``during``, ``format``, ...: how to read the source.

    >>> found = reduce([("a", "MEETS", "b"), ("b", "BEFORE", "c"), ("a", "BEFORE", "c")])
    >>> found
    Reductions(1 document)
    >>> found[0].major
    [('b.end', '<', 'c.start')]
    """
    return Reductions(tuple(answer for answer, _ in each_reduction(source, budget=budget, **reading)))


def each_reduction(
    source: Inputs,
    *,
    budget: float | None = None,
    report: Callable[[Remark], None] | None = None,
    **reading: Unpack[ReadingOptions],
) -> Iterator[Answered[DocumentReduction]]:
    """Return the same one document at a time, without keeping them.

    ``report`` gets remarks about the source as a whole.
    """
    return each_answer(source, options_for(source, reading), budget, _reduction_of, DocumentReduction, report=report)


def _reduction_of(document: Document, budget: Budget) -> DocumentReduction:
    table = NetworkOracle(document, budget=budget).minimal_network()
    if table is None:
        return DocumentReduction.without(document, DocumentVerdict.INCONSISTENT)
    if isinstance(table.rows, SearchedRows):
        from temporacle.reasoner.points.searches import SearchedReduction

        graph: Reduction | SearchedReduction = SearchedReduction(table.entities, table.rows, budget)
    else:
        graph = reduction_of(table, budget)
    return DocumentReduction(document.id, DocumentVerdict.CONSISTENT, document.path, None, document.dropped, graph)
