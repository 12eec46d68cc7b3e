"""``temporacle crosscheck``: our own engines under audit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from temporacle.audit.answers import Vocabulary
from temporacle.commands.common import ExitCode, Output, OutputOption, print_json
from temporacle.reasoner.reference.engines import ENGINES, LANES

if TYPE_CHECKING:
    from temporacle.audit.findings import Crosscheck


def crosscheck(
    *,
    cases: Annotated[int, typer.Option(min=1, help="Number of graphs to generate.")] = 300,
    seed: Annotated[int, typer.Option(help="Seed of the graphs.")] = 0,
    entities: Annotated[int, typer.Option(min=2, max=6, help="Largest number of entities in a graph.")] = 4,
    medium: Annotated[
        int | None, typer.Option(min=0, help="Number of graphs of 8 to 30 entities; a tenth of the cases by default.")
    ] = None,
    relations: Annotated[Vocabulary, typer.Option(help="Relations of the links.")] = Vocabulary.ANY,
    engine: Annotated[
        list[str] | None,
        typer.Option(help=f"Only this engine (repeatable): {', '.join((*ENGINES, *LANES))}, or certificates."),
    ] = None,
    report: Annotated[
        str | None, typer.Option("--out", "-o", metavar="FILE", help="Write the findings: .html, .md or .json.")
    ] = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Compare all engines with each other on random graphs, and the certificates with their checker.

    Every engine is judged by the enumeration of all scenarios. The parts of the engine exact (graph, large, splitting,
    cdcl) also answer alone. A few graphs have 8 to 30 entities: there exact, cdcl, cpsat and ord-horn are compared.
    Engines decline graphs they are not made for. Propagation and path-consistency promise soundness only: what they
    miss is counted, and is not a finding. Exit 1 if any engine is wrong.

    For example:

      temporacle crosscheck --cases 1000 --seed 3

      temporacle crosscheck --engine cpsat --engine timegraph --relations convex --output json
    """
    from temporacle.commands.progress import Bar
    from temporacle.report.audit_page import check_target, crosscheck_page, write_page
    from temporacle.tasks.crosscheck import crosscheck as compare_engines

    if report is not None:
        check_target(report)
    total = 0

    def progress(_done: int, whole: int) -> None:
        nonlocal total
        total = whole
        bar.advance()

    with Bar(lambda: total, "cases") as bar:
        found = compare_engines(
            cases=cases,
            seed=seed,
            entities=entities,
            medium=medium,
            relations=relations.value,
            engine=engine,
            progress=progress,
        )
    if output is Output.JSON:
        for row in found.rows():
            print_json(row)
    else:
        _show(found)
    if report is not None:
        write_page(report, crosscheck_page(found))
    raise typer.Exit(ExitCode.YES if found.clean else ExitCode.NO)


def _show(found: Crosscheck) -> None:
    from temporacle.commands.answers import print_table
    from temporacle.commands.audit_print import show_findings
    from temporacle.report.audit_page import crosscheck_page

    columns = ("engine", "graphs", "cases", "declined", "pairs", "missed", "wrong", "over_claimed")
    more = ("inconsistent", "missed_inconsistencies", "false_inconsistencies", "crashes")
    table = []
    for engine in found.engines:
        row = engine.to_dict()
        promise = "" if engine.complete else " (sound only)"
        verdict = ("agrees" if engine.clean else "WRONG") + promise
        table.append([*(str(row[column]) for column in (*columns, *more)), verdict])
    print_table((*columns, *more, "verdict"), table)
    show_findings(crosscheck_page(found))
