"""Print the answer of ``temporacle score --agreement``: two or more annotators."""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.commands.common import ExitCode, complain, print_json, with_flags
from temporacle.commands.score_tables import ScoreOutput, ScoreTable, print_grid, print_signature, short_names
from temporacle.commands.watching import Watcher
from temporacle.figures import digits
from temporacle.scoring.metric import metric_named
from temporacle.tasks.agreement import AgreementRun

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.io.source import Options
    from temporacle.runner import Plan
    from temporacle.runner.journal import Journal
    from temporacle.scoring.agreement import Coefficients
    from temporacle.tasks.agreement import Agreement
    from temporacle.tasks.score_pair import Request


def print_agreement(
    annotators: Sequence[str],
    names: Sequence[str],
    reading: Options,
    request: Request,
    *,
    average: str,
    plan: Plan,
    journal: Journal | None,
    output: ScoreOutput,
    counts: bool,
) -> ExitCode:
    """Score every two annotators, and print how far all of them agree."""
    observer = Watcher(annotators[0])
    called = names or annotators
    run = AgreementRun(called, annotators, reading, request, plan, average=average, observer=observer, journal=journal)
    with observer.over(*annotators[1:]):
        run.score()
        found = run.result()
    for each in dict.fromkeys((*(skip for two in found.between for skip in two.forward.skipped), *found.skipped)):
        complain(f"skipped {each.document}: {with_flags(each.reason)}")
    if not any(two.forward.scored for two in found.between):
        complain("No document could be scored, so there is no total. See the errors above.")
    if output is ScoreOutput.JSON:
        for document in found.between[0].forward.documents:
            print_json(document.to_dict())
        print_json(found.to_dict())
    else:
        kinds = [metric_named(request.metrics[0][0]).counts]
        table = ScoreTable(output, kinds, counts=counts or output is ScoreOutput.CSV)
        _print_tables(found, list(names) or short_names(annotators), table, output)
    return ExitCode.UNDECIDED if run.trouble else ExitCode.YES


def _print_tables(found: Agreement, shown: Sequence[str], table: ScoreTable, output: ScoreOutput) -> None:
    called = dict(zip(found.annotators, shown, strict=True))
    rows = [
        table.row(score, called[key], called[answer])
        for two in found.between
        for (key, answer), score in ((two.names, two.forward), (two.names[::-1], two.backward))
    ]
    print_grid(output, table.columns("key", "answer"), rows)
    measured = [("as stated", found.stated), ("after closure", found.closed)]
    rows = [[name, *_cells(each)] for name, each in measured if each is not None]
    title = "agreement about pairs"
    print_grid(output, ["links", "pairs", "by all", "Cohen", "Fleiss", "Krippendorff"], rows, title=title)
    if len(found.between) > 1:
        rows = [
            [called[two.names[0]], called[two.names[1]], str(kappa.pairs), digits(kappa.observed), digits(kappa.kappa)]
            for two, kappa in zip(found.between, found.stated.kappas, strict=True)
        ]
        title = "every two annotators, links as stated"
        print_grid(output, ["annotator", "other", "pairs", "observed", "Cohen"], rows, title=title)
    print_signature(output, found.between[0].forward.signature)


def _cells(found: Coefficients) -> list[str]:
    figures = [digits(value) for value in (found.kappa, found.fleiss, found.krippendorff)]
    return [str(found.pairs), str(found.by_all), *figures]
