"""``temporacle crosscheck``: our own engines under audit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from temporacle.commands.audit import Relations
from temporacle.commands.common import ExitCode, Output, OutputOption, print_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from temporacle.audit.findings import Answer, Graph
    from temporacle.audit.generate import Plan
    from temporacle.audit.run import Closure, Report

CERTIFICATES = "certificates"
_BOOLEANS = "cpsat-booleans"


def crosscheck(
    *,
    cases: Annotated[int, typer.Option(min=1, help="How many graphs to generate.")] = 300,
    seed: Annotated[int, typer.Option(help="Seed of the graphs.")] = 0,
    entities: Annotated[int, typer.Option(min=2, max=6, help="Entities of a graph at most.")] = 4,
    relations: Annotated[Relations, typer.Option(help="Relations of the links.")] = Relations.ANY,
    engine: Annotated[
        list[str] | None, typer.Option(help="Only this one (repeatable): an engine's name, or certificates.")
    ] = None,
    report: Annotated[
        str | None, typer.Option("--out", "-o", metavar="FILE", help="Write the findings: .html, .md or .json.")
    ] = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Compare all engines with each other on random graphs, and the certificates with their checker.

    The endpoint graph with CP-SAT behind it (exact) is judged by the enumeration of all scenarios; every other engine
    by exact. Engines decline graphs they are not made for. Propagation promises soundness only: what it misses is
    counted, and is no finding. Exit 1 if any engine is wrong.

    For example:

      temporacle crosscheck --cases 1000 --seed 3

      temporacle crosscheck --engine cpsat --engine timegraph --relations convex --output json
    """
    from temporacle.audit.generate import Plan, Vocabulary
    from temporacle.commands.audit_report import check_target, write_report
    from temporacle.commands.audit_rows import cause_row, counts
    from temporacle.commands.progress import Bar
    from temporacle.errors import UsageError

    if report is not None:
        check_target(report)
    known = _engines()
    chosen = list(dict.fromkeys(engine or known))
    for name in chosen:
        if name not in known:
            raise UsageError(f"unknown engine {name!r}: choose {', '.join(known)}")
    plan = Plan(cases, seed, Vocabulary(relations.value), entities, large=0)
    rows: list[dict[str, Any]] = []
    summaries: list[dict[str, Any]] = []
    with Bar(lambda: cases * len(chosen), "cases") as bar:
        for name in chosen:
            found = check_engine(name, plan, lambda _: bar.advance())
            wrong = not found.clean if known[name] else _is_unsound(found)
            rows += [
                {"engine": name, **cause_row(cause)}
                for cause in found.grouped()
                if known[name] or _counts_anyway(cause)
            ]
            summaries.append(
                {"engine": name, **counts(found), "complete": known[name], "clean": not wrong, "seed": seed}
            )
    total = {"summary": True, "engines": len(chosen), "cases": cases, "findings": len(rows)}
    total["clean"] = all(summary["clean"] for summary in summaries)
    if output is Output.JSON:
        for row in (*rows, *summaries, total):
            print_json(row)
    else:
        _show(rows, summaries)
    if report is not None:
        joined = {key: sum(summary[key] for summary in summaries) for key in counts(found)}
        write_report(report, rows, {"subject": "our engines", **joined, "rates": {}, "clean": total["clean"]})
    raise typer.Exit(ExitCode.YES if total["clean"] else ExitCode.NO)


def _engines() -> dict[str, bool]:
    """Everything that can be checked, and whether it promises completeness."""
    from temporacle.reasoner.engines import ENGINES

    promised = {name: engine.complete for name, engine in ENGINES.items()}
    return {**promised, _BOOLEANS: True, CERTIFICATES: True}


def check_engine(name: str, plan: Plan, progress: Callable[[Report], None] = lambda _: None) -> Report:
    """Audit one engine on the graphs of a plan. An answer that is exact cannot depend on how a question is put."""
    from temporacle.audit.run import Audit, Function, engine_subject

    if name == CERTIFICATES:
        return Audit(Function(name, lambda: certified), vary=False).run(plan, progress)
    subject = engine_subject(name, _closure(name))
    if name == "exact":
        return Audit(subject, exact=_closure("enumeration"), vary=False).run(plan, progress)
    return Audit(subject, vary=False).run(plan, progress)


def _closure(name: str) -> Closure:
    from temporacle.reasoner import cpsat
    from temporacle.reasoner.engines import engine_named

    if name == _BOOLEANS:
        return lambda network, budget: cpsat.closure(network, budget, cpsat.Encoding.BOOLEANS)
    return engine_named(name).closure


def certified(graph: Graph) -> Answer:
    """What can be said of a graph by certificates that the independent checker accepts."""
    import json

    from temporacle.audit.evidence import network_of
    from temporacle.audit.findings import Closed, Failed, Failure, SaidInconsistent
    from temporacle.reasoner.certificates import certify, certify_entailment, to_json
    from temporacle.reasoner.network import Budget
    from temporacle.reasoner.oracle import Oracle
    from temporacle.verify import DOCUMENT, Rejected, verify

    network = network_of(graph)
    about = {**dict.fromkeys(DOCUMENT), "id": "case"}

    def checked(certificate: Any) -> str:
        return str(verify(json.dumps(to_json(certificate, about)))["claim"])

    try:
        if checked(certify(network, Budget())) == "inconsistent":
            return SaidInconsistent()
        table = Oracle(network).minimal_network()
        claims = []
        for source, relation, target in () if table is None else table.pairs():
            if checked(certify_entailment(network, source, relation, target, Budget())) == "entailed":
                claims.append((source, relation, target))
        return Closed(tuple(claims))
    except Rejected as refusal:
        return Failed(Failure.MALFORMED, f"the checker rejects a certificate: {refusal}")


# --- an engine that promises soundness only --------------------------------------------------------------------------


def _counts_anyway(cause: Any) -> bool:
    from temporacle.audit.findings import Kind

    return cause.fault.kind in {Kind.UNSOUND, Kind.FALSE_INCONSISTENCY, Kind.CRASH}


def _is_unsound(report: Report) -> bool:
    from temporacle.audit.findings import Kind

    return any(report.kinds[kind] for kind in (Kind.UNSOUND, Kind.FALSE_INCONSISTENCY, Kind.CRASH))


def _show(rows: list[dict[str, Any]], summaries: list[dict[str, Any]]) -> None:
    from temporacle.commands.answers import print_table
    from temporacle.commands.audit_report import show_groups

    columns = ("engine", "cases", "declined", "pairs", "missed", "wrong", "over_claimed")
    more = ("inconsistent", "missed_inconsistencies", "false_inconsistencies", "crashes")
    table = [[str(summary[column]) for column in (*columns, *more)] for summary in summaries]
    for line, summary in zip(table, summaries, strict=True):
        promise = "" if summary["complete"] else " (sound only)"
        line.append(("agrees" if summary["clean"] else "WRONG") + promise)
    print_table((*columns, *more, "verdict"), table)
    show_groups(rows)
