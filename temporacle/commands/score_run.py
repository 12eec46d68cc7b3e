"""What ``temporacle score`` does once its options are understood: read, pair, score, print."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

from temporacle.commands.common import ExitCode, complain, complain_about
from temporacle.commands.progress import Bar
from temporacle.commands.score_rows import (
    ScoreOutput,
    agreement_json,
    breakdown_rows,
    comparison_json,
    confusion_grid,
    digits,
    document_json,
    print_grid,
    print_rows,
    print_signature,
    score_cells,
    score_columns,
    total_json,
)
from temporacle.corpus import NOT_ASKED, agreement, pair_up, score_pairs
from temporacle.errors import UsageError
from temporacle.io import read_corpus
from temporacle.io.merge import merged
from temporacle.io.source import STANDARD_INPUT
from temporacle.model import Document, Unreadable
from temporacle.runner.spread import spread
from temporacle.scoring.comparison import compare

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.corpus import Request
    from temporacle.io.pairing import Pairing
    from temporacle.io.source import Options
    from temporacle.results import Score

    Corpus = list[Document | Unreadable]


class Run:
    """One gold standard, read once, and everything that is scored against it."""

    def __init__(
        self,
        gold: str,
        options: Options,
        request: Request,
        output: ScoreOutput,
        groups: Sequence[str],
        *,
        jobs: int | None = None,
    ) -> None:
        self.jobs = jobs
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
        total = self._score(system)
        if self.output is ScoreOutput.JSON:
            print_rows(map(document_json, total.documents))
            print_rows([total_json(total, details=bool(self.groups))])
        else:
            self._print_documents(total)

    def compare(self, system: str, other: str, samples: int, seed: int) -> None:
        """Two systems, and whether their difference means anything."""
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
        read = read_corpus([path], self.options, report=lambda remark: complain(remark.message))
        # TempEval-1 keeps the tasks of a document in several files.
        found = list(merged(read) if self.request.metric == "tempeval1" else read)
        for each in found:
            self.trouble |= complain_about(each)
        if not any(isinstance(each, Document) for each in found):
            raise UsageError(f"{path}: no readable document")
        return found

    def _pairing(self, system: str) -> Pairing:
        folders = os.path.isdir(self.gold_path) or os.path.isdir(system)  # noqa: PTH112 - a path may be "-"
        return pair_up(self.gold, self._read(system), folders=folders)

    def _score(self, system: str) -> Score:
        pairing = self._pairing(system)
        with Bar([STANDARD_INPUT]) as bar:  # documents are counted, not bytes
            total = score_pairs(
                pairing,
                self.request,
                spread=partial(spread, failed=_not_scored, jobs=self.jobs),
                progress=lambda _: bar.advance(1, 0) if bar.wanted else None,
            )
        self._complain(total)
        return total

    def _complain(self, total: Score) -> None:
        """Say what was odd, and remember whether something had to be skipped."""
        for message in (*total.warnings, *(text for each in total.documents for text in each.warnings)):
            complain(f"warning: {message}")
        for each in total.skipped:
            if each.reason != NOT_ASKED:
                complain(f"skipped {each.document}: {each.reason}")
                self.trouble = True

    def _print_documents(self, total: Score) -> None:
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


def _not_scored(_pair: tuple[Document | Unreadable, Document | Unreadable], reason: str) -> str:
    return reason
