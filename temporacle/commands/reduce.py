"""``temporacle reduce``: the minimal graph of each document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from temporacle.commands.common import (
    BudgetOption,
    Output,
    OutputOption,
    Paths,
    complain,
)
from temporacle.commands.reading import Options, reads_documents

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from temporacle.model import Document
    from temporacle.reasoner.network import Budget
    from temporacle.reasoner.reduction import NodeEdge, Reduction


@reads_documents()
def reduce(
    paths: Paths,
    *,
    options: Options,
    budget: BudgetOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Print the labelled transitive reduction of each document's endpoint graph.

    Endpoints that must be equal are one node. Major edges cannot be left out, minor ones follow from others, trivial
    ones join the two endpoints of one entity.

    For example:

      temporacle reduce examples/corpus/ferry.tml

      temporacle reduce links.tsv --output json
    """
    from temporacle.commands.answers import Answers

    def rows(document: Document, allowed: Budget) -> Iterator[dict[str, Any]]:
        from temporacle.reasoner.oracle import Oracle
        from temporacle.reasoner.reduction import reduction_of

        table = Oracle(document, budget=allowed).minimal_network()
        if table is None:
            yield {"document": document.id, "verdict": "inconsistent"}
            return
        reduced = reduction_of(table)
        if reduced.different:
            complain(
                f"{document.path or document.id}: {reduced.different} pairs of endpoints are only known to differ: "
                "that is no edge, and not in the graph"
            )
        yield from [_whole(document, reduced)] if output is Output.JSON else _edges(document, reduced)

    answers = Answers(output, ("document", "kind", "left", "label", "right"))
    answers.over(paths, options, rows, budget)
    raise typer.Exit(answers.exit_code())


def _whole(document: Document, reduced: Reduction) -> dict[str, Any]:
    """The JSON form; one endpoint stands for its node."""

    def named(edges: Iterable[NodeEdge]) -> list[list[str]]:
        return [[reduced.nodes[source][0], label, reduced.nodes[target][0]] for source, label, target in edges]

    return {
        "document": document.id,
        "nodes": [list(node) for node in reduced.nodes],
        "major": named(reduced.major),
        "minor": named(reduced.minor()),
        "trivial": named(reduced.trivial),
    }


def _edges(document: Document, reduced: Reduction) -> Iterator[dict[str, Any]]:
    """One row an edge, nodes written out."""
    for kind, edges in (("major", reduced.major), ("minor", reduced.minor()), ("trivial", reduced.trivial)):
        for source, label, target in edges:
            left, right = " = ".join(reduced.nodes[source]), " = ".join(reduced.nodes[target])
            yield {"document": document.id, "kind": kind, "left": left, "label": label, "right": right}
