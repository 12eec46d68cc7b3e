"""``temporacle closure``: the strongest relation of every pair."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

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
    from collections.abc import Iterator

    from temporacle.model import Document
    from temporacle.reasoner.network import Budget


@reads_documents()
def closure(
    paths: Paths,
    *,
    engine: Annotated[
        str, typer.Option(help="exact, cpsat, enumeration, propagation (sound, not complete) or timegraph.")
    ] = "exact",
    points: Annotated[bool, typer.Option("--points", help="Labels between endpoints instead of relations.")] = False,
    universal: Annotated[bool, typer.Option("--all", help="List pairs about which nothing is known, too.")] = False,
    options: Options,
    budget: BudgetOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    r"""Print the strongest relation that each document entails for every pair of entities.

    For example:

      temporacle closure examples/corpus/ferry.tml

      temporacle closure links.tsv --output json

      temporacle closure links.tsv --points

      printf 'a\tBEFORE\tb\nb\tb|m\tc\n' | temporacle closure -
    """
    from temporacle.commands.answers import Answers
    from temporacle.reasoner.engines import engine_named

    chosen = engine_named(engine)
    if not chosen.complete:
        complain(f"note: engine {engine} is sound but not complete: it can miss relations and inconsistencies")

    def rows(document: Document, allowed: Budget) -> Iterator[dict[str, Any]]:
        from temporacle.reasoner.network import Network
        from temporacle.reasoner.points import point_labels

        table = chosen.closure(Network.of(document), allowed)
        if table is None:
            yield {"document": document.id, "verdict": "inconsistent"}
        elif points:
            for left, label, right in point_labels(table, universal=universal):
                yield {"document": document.id, "left": left, "label": label, "right": right}
        else:
            for source, relation, target in table.pairs(universal=universal):
                yield {"document": document.id, "source": source, "relation": list(relation.atoms), "target": target}

    answers = Answers(
        output, ("document", "left", "label", "right") if points else ("document", "source", "relation", "target")
    )
    answers.over(paths, options, rows, budget)
    raise typer.Exit(answers.exit_code())
