"""``temporacle score``: how well a system, or an annotator, agrees with a gold standard."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from temporacle.commands.common import (
    BudgetOption,
    During,
    DuringOption,
    EncodingOption,
    ExitCode,
    FormatOption,
    ReadingOption,
    complain,
    documents,
    reading_options,
)
from temporacle.commands.score_rows import ScoreOutput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.corpus import Request
    from temporacle.io.pairing import Pairing
    from temporacle.io.source import Options
    from temporacle.model import Document, Unreadable
    from temporacle.results import Score

    Corpus = list[Document | Unreadable]


def score(
    gold: Annotated[str, typer.Argument(metavar="GOLD", help="File or folder of the gold standard.")],
    systems: Annotated[
        list[str], typer.Argument(metavar="SYSTEM...", help="Files or folders to score; several are ranked.")
    ],
    *,
    metric: Annotated[
        str, typer.Option(help="awareness, closure, core, reduction, tempeval1 or timeline.")
    ] = "awareness",
    relaxed: Annotated[bool, typer.Option("--relaxed", help="Partial credit, where the metric has it.")] = False,
    average: Annotated[str, typer.Option(help="micro: counts add up. macro: mean of documents.")] = "micro",
    align: Annotated[
        str, typer.Option(help="Entities are the same by ids, by spans, or (official only) as tempeval3 normalises.")
    ] = "ids",
    contradictions: Annotated[
        str, typer.Option(help="Contradictory links: set-aside in order, repair (order does not matter), or refuse.")
    ] = "set-aside",
    empty: Annotated[int, typer.Option(min=0, max=1, help="The value of 0/0.")] = 0,
    vague: Annotated[str, typer.Option(help="Links that constrain nothing: ignore or count.")] = "ignore",
    ordering_only: Annotated[bool, typer.Option("--ordering-only", help="Timelines without time anchors.")] = False,
    by: Annotated[
        list[str] | None, typer.Option("--by", help="Also by label (with a confusion table), kind of pair, or task.")
    ] = None,
    compare: Annotated[
        str | None, typer.Option(metavar="SYSTEM2", help="Bootstrap intervals and p-values against this system.")
    ] = None,
    agreement: Annotated[
        bool, typer.Option("--agreement", help="Two annotators: the scores both ways, and kappa.")
    ] = False,
    samples: Annotated[int, typer.Option(min=1, help="Samples for --compare.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Seed for --compare.")] = 0,
    official: Annotated[
        bool, typer.Option("--official", help="The digits of the shared task's own program, faults included.")
    ] = False,
    method: Annotated[str, typer.Option(help="With --official: default, acl11 or implicit_in_recall.")] = "default",
    keep_unknown: Annotated[
        bool, typer.Option("--keep-unknown", help="Keep links to ids that the file does not declare.")
    ] = False,
    format_name: FormatOption = None,
    reading: ReadingOption = None,
    during: DuringOption = During.SIMULTANEOUS,
    encoding: EncodingOption = None,
    budget: BudgetOption = None,
    output: Annotated[
        ScoreOutput, typer.Option("--output", help="table, json, csv, markdown or latex.")
    ] = ScoreOutput.TABLE,
) -> None:
    """Score SYSTEM against GOLD with complete inference; every score carries its signature.

    Examples:
      temporacle score gold/ system/

      temporacle score gold/ run1/ run2/ run3/ --align spans --metric reduction

      temporacle score gold/ run1/ --compare run2/ --output json

      temporacle score annotator1/ annotator2/ --agreement

      temporacle score gold/ system/ --official --align tempeval3
    """
    from dataclasses import replace

    from temporacle.corpus import Request, chosen
    from temporacle.errors import UsageError
    from temporacle.scoring.options import Align, Average, Contradictions, ScoringOptions, Vague

    groups = by or []
    if unknown := set(groups) - {"label", "kind", "task"}:
        raise UsageError(f"unknown group {', '.join(sorted(unknown))}: choose label, kind or task")
    if len(systems) > 1 and (compare or agreement or official):
        raise UsageError("--compare, --agreement and --official take one SYSTEM")
    if official:
        from temporacle.commands.score_official import official_score

        raise typer.Exit(
            official_score(
                gold,
                systems[0],
                metric=metric,
                method=method,
                align=chosen(Align, align),
                relaxed=relaxed,
                ordering_only=ordering_only,
                budget=budget,
                output=output,
            )
        )
    if method != "default":
        raise UsageError("--method belongs to the official digits: add --official")
    request = Request(
        metric=metric,
        options=ScoringOptions(
            relaxed=relaxed,
            contradictions=chosen(Contradictions, contradictions),
            vague=chosen(Vague, vague),
            ordering_only=ordering_only,
            budget=budget,
            details=bool(groups),
        ),
        average=chosen(Average, average),
        align=chosen(Align, align),
        empty=empty,
        during=during.value,
        reading=reading,
    )
    reads = reading_options(format_name or ("timeline" if metric == "timeline" else None), reading, during, encoding)
    options = replace(reads, keep_unknown=keep_unknown)
    run = _Run(gold, options, request, output, groups)
    if agreement:
        run.agree(systems[0])
    elif compare is not None:
        run.compare(systems[0], compare, samples, seed)
    elif len(systems) > 1:
        run.rank(systems)
    else:
        run.score(systems[0])
    raise typer.Exit(run.exit_code())


class _Run:
    """One gold standard, read once, and everything that is scored against it."""

    def __init__(
        self, gold: str, options: Options, request: Request, output: ScoreOutput, groups: Sequence[str]
    ) -> None:
        self.gold_path = gold
        self.options = options
        self.request = request
        self.output = output
        self.groups = groups
        self.trouble = False
        self.gold = self._read(gold)

    def exit_code(self) -> ExitCode:
        return ExitCode.UNDECIDED if self.trouble else ExitCode.YES

    # --- what is asked ------------------------------------------------------------------------------------------------

    def score(self, system: str) -> None:
        """One system: every document, then the total."""
        from temporacle.commands.score_rows import document_json, print_rows, total_json

        total = self._score(system)
        if self.output is ScoreOutput.JSON:
            print_rows(map(document_json, total.documents))
            print_rows([total_json(total, details=bool(self.groups))])
        else:
            self._print_documents(total)

    def compare(self, system: str, other: str, samples: int, seed: int) -> None:
        """Two systems, and whether their difference means anything."""
        from temporacle.commands.score_rows import (
            comparison_json,
            digits,
            document_json,
            print_grid,
            print_rows,
            print_signature,
            score_cells,
            score_columns,
            total_json,
        )
        from temporacle.scoring.comparison import compare

        first, second = self._score(system), self._score(other)
        request = self.request
        found = compare(
            first.documents, second.documents, average=request.average, empty=request.empty, samples=samples, seed=seed
        )
        if self.output is ScoreOutput.JSON:
            print_rows(map(document_json, first.documents))
            details = bool(self.groups)
            print_rows([{**total_json(first, details=details), "comparison": comparison_json(other, second, found)}])
            return
        rows = [score_cells(system, first), score_cells(other, second)]
        print_grid(self.output, score_columns("system", first), rows)
        intervals = [
            [each.measure, digits(each.observed), digits(each.low), digits(each.high), digits(each.p_value)]
            for each in found.differences
        ]
        title = f"first minus second, {found.documents} documents, {samples} samples, seed {seed}"
        print_grid(self.output, ["measure", "difference", "95% low", "95% high", "p"], intervals, title=title)
        print_signature(self.output, first.signature)

    def rank(self, systems: Sequence[str]) -> None:
        """Several systems, best F1 first."""
        from temporacle.commands.score_rows import (
            document_json,
            print_grid,
            print_rows,
            print_signature,
            score_cells,
            score_columns,
            total_json,
        )

        scored = [(system, self._score(system)) for system in systems]
        scored.sort(key=lambda pair: (-pair[1].f1, pair[0]))
        ranks = [1 + sum(other.f1 > total.f1 for _, other in scored) for _, total in scored]
        if self.output is ScoreOutput.JSON:
            for rank, (system, total) in zip(ranks, scored, strict=True):
                print_rows({"system": system, **document_json(each)} for each in total.documents)
                print_rows([{"system": system, "rank": rank, **total_json(total, details=bool(self.groups))}])
            return
        rows = [[str(rank), *score_cells(system, total)] for rank, (system, total) in zip(ranks, scored, strict=True)]
        print_grid(self.output, ["rank", *score_columns("system", scored[0][1])], rows)
        print_signature(self.output, scored[0][1].signature)

    def agree(self, other: str) -> None:
        """Two annotators."""
        from temporacle.commands.score_rows import (
            agreement_json,
            digits,
            document_json,
            print_grid,
            print_rows,
            print_signature,
            score_cells,
            score_columns,
            total_json,
        )
        from temporacle.corpus import agreement

        found = agreement(self._pairing(other), self.request)
        forward, kappa = found.forward, found.kappa
        self._complain(forward)
        if self.output is ScoreOutput.JSON:
            print_rows(map(document_json, forward.documents))
            details = bool(self.groups)
            print_rows([{**total_json(forward, details=details), "agreement": agreement_json(found)}])
            return
        rows = [score_cells(f"{self.gold_path} as key", forward), score_cells(f"{other} as key", found.backward)]
        print_grid(self.output, score_columns("direction", forward), rows)
        cells = [str(kappa.pairs), digits(kappa.observed), digits(kappa.expected), digits(kappa.kappa)]
        print_grid(self.output, ["pairs both labelled", "observed", "expected", "kappa"], [cells], title="kappa")
        print_signature(self.output, forward.signature)

    # --- how ----------------------------------------------------------------------------------------------------------

    def _read(self, path: str) -> Corpus:
        from temporacle.errors import UsageError
        from temporacle.model import Document, Unreadable

        found = list(documents([path], self.options))
        for each in found:
            if isinstance(each, Unreadable):
                complain(f"unreadable: {each.error}")
                self.trouble = True
                continue
            for remark in each.dropped:
                where = ":".join(str(part) for part in (each.path, remark.line) if part is not None)
                complain(f"{where}: dropped {remark.element or 'link'}: {remark.message}")
                self.trouble = True
        if not any(isinstance(each, Document) for each in found):
            raise UsageError(f"{path}: no readable document")
        return found

    def _pairing(self, system: str) -> Pairing:
        import os

        from temporacle.corpus import pair_up

        folders = os.path.isdir(self.gold_path) or os.path.isdir(system)  # noqa: PTH112 - a path may be "-"
        return pair_up(self.gold, self._read(system), folders=folders)

    def _score(self, system: str) -> Score:
        from temporacle.corpus import score_pairs

        total = score_pairs(self._pairing(system), self.request)
        self._complain(total)
        return total

    def _complain(self, total: Score) -> None:
        """Say what was odd, and remember whether something had to be skipped."""
        from temporacle.corpus import NOT_ASKED

        for message in (*total.warnings, *(text for each in total.documents for text in each.warnings)):
            complain(f"warning: {message}")
        for each in total.skipped:
            if each.reason != NOT_ASKED:
                complain(f"skipped {each.document}: {each.reason}")
                self.trouble = True

    def _print_documents(self, total: Score) -> None:
        from temporacle.commands.score_rows import (
            breakdown_rows,
            confusion_grid,
            print_grid,
            print_signature,
            score_cells,
            score_columns,
        )

        rows = [score_cells(each.document or "", each) for each in total.documents]
        rows.append(score_cells("TOTAL", total))
        print_grid(self.output, score_columns("document", total), rows)
        for group in self.groups or (["task"] if "task" in total.breakdown else []):
            found = breakdown_rows(total.breakdown, group, self.request.empty)
            if found:
                print_grid(self.output, [group, "precision", "recall", "f1"], found, title=f"by {group}")
        if "label" in self.groups and total.confusion:
            print_grid(self.output, *confusion_grid(total.confusion), title="gold labels down, system labels across")
        print_signature(self.output, total.signature)
