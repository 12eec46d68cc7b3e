"""What ``temporacle score`` does once its options are understood: score, and print."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from temporacle.commands.common import ExitCode, json_text
from temporacle.commands.score_rows import (
    ScoreOutput,
    agreement_json,
    breakdown_rows,
    comparison_json,
    confusion_grid,
    document_json,
    print_grid,
    print_rows,
    print_signature,
    score_cells,
    score_columns,
    total_json,
)
from temporacle.commands.score_stream import Corpus, Stream
from temporacle.commands.score_work import Finding, Task, finding_of, finding_row
from temporacle.corpus import Agreement
from temporacle.figures import digits
from temporacle.scoring.agreement import kappa
from temporacle.scoring.comparison import compare

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from temporacle.corpus import Request
    from temporacle.io.source import Options
    from temporacle.results import Score
    from temporacle.runner.place import Place
    from temporacle.runner.resume import NamedJournal


class Run:
    """One gold standard, and everything that is scored against it."""

    def __init__(
        self,
        gold: str,
        options: Options,
        request: Request,
        place: Place,
        *,
        output: ScoreOutput,
        groups: Sequence[str],
        journal: NamedJournal[Finding] | None = None,
    ) -> None:
        self.options = options
        self.request = request
        self.place = place
        self.output = output
        self.groups = groups
        self.journal = journal
        self.trouble = False
        self.gold = self._corpus(gold)
        self._started = 0

    def exit_code(self) -> ExitCode:
        return ExitCode.UNDECIDED if self.trouble else ExitCode.YES

    # --- what is asked ------------------------------------------------------------------------------------------------

    def score(self, system: str) -> None:
        """One system: every document as soon as it is scored, then the total."""
        stream = self._stream(system)
        if self.output is ScoreOutput.JSON:
            print_rows(map(document_json, self._scores(stream)))
            print_rows([self._total_json(stream, stream.total())])
        else:
            self._print_documents(stream)

    def compare(self, system: str, other: str, samples: int, seed: int) -> None:
        """Two systems, and whether their difference means anything."""
        stream, first = self._scored(system)
        _, second = self._scored(other)
        request = self.request
        found = compare(
            first.documents, second.documents, average=request.average, empty=request.empty, samples=samples, seed=seed
        )
        if self.output is ScoreOutput.JSON:
            print_rows(map(document_json, first.documents))
            print_rows([{**self._total_json(stream, first), "comparison": comparison_json(other, second, found)}])
            return
        rows = [score_cells(system, first), score_cells(other, second)]
        print_grid(self.output, score_columns("system", first.counts), rows)
        intervals = [
            [each.measure, digits(each.observed), digits(each.low), digits(each.high), digits(each.p_value)]
            for each in found.differences
        ]
        title = f"first minus second, {found.documents} documents, {samples} samples, seed {seed}"
        print_grid(self.output, ["measure", "difference", "95% low", "95% high", "p"], intervals, title=title)
        print_signature(self.output, first.signature)

    def rank(self, systems: Sequence[str]) -> None:
        """Several systems, best F1 first."""
        scored = [(system, *self._scored(system)) for system in systems]
        scored.sort(key=lambda entry: (-entry[2].f1, entry[0]))
        ranks = [1 + sum(other.f1 > total.f1 for _, _, other in scored) for _, _, total in scored]
        if self.output is ScoreOutput.JSON:
            for rank, (system, stream, total) in zip(ranks, scored, strict=True):
                print_rows({"system": system, **document_json(each)} for each in total.documents)
                print_rows([{"system": system, "rank": rank, **self._total_json(stream, total)}])
            return
        rows = [
            [str(rank), *score_cells(system, total)] for rank, (system, _, total) in zip(ranks, scored, strict=True)
        ]
        print_grid(self.output, ["rank", *score_columns("system", scored[0][2].counts)], rows)
        print_signature(self.output, scored[0][2].signature)

    def agree(self, other: str) -> None:
        """Two annotators."""
        stream = self._stream(other, both_ways=True)
        scores = self._scores(stream)
        if self.output is ScoreOutput.JSON:
            print_rows(map(document_json, scores))
        else:
            for _ in scores:
                pass
        found = Agreement(stream.total(), stream.backward.total(), kappa(stream.labels))
        forward, agreed = found.forward, found.kappa
        if self.output is ScoreOutput.JSON:
            print_rows([{**self._total_json(stream, forward), "agreement": agreement_json(found)}])
            return
        rows = [score_cells(f"{self.gold.path} as key", forward), score_cells(f"{other} as key", found.backward)]
        print_grid(self.output, score_columns("direction", forward.counts), rows)
        cells = [str(agreed.pairs), digits(agreed.observed), digits(agreed.expected), digits(agreed.kappa)]
        print_grid(self.output, ["pairs both labelled", "observed", "expected", "kappa"], [cells], title="kappa")
        print_signature(self.output, forward.signature)

    # --- how ----------------------------------------------------------------------------------------------------------

    def _corpus(self, path: str) -> Corpus:
        # TempEval-1 keeps the tasks of a document in several files.
        return Corpus(path, self.options, in_parts=self.request.metric == "tempeval1")

    def _stream(self, system: str, *, both_ways: bool = False) -> Stream:
        folders = os.path.isdir(self.gold.path) or os.path.isdir(system)  # noqa: PTH112 - a path may be "-"
        task = Task(self.request, self.request.signature(), both_ways)
        return Stream(self.gold, self._corpus(system), task, self.place, folders=folders)

    def _scores(self, stream: Stream) -> Iterator[Score]:
        self._started += 1
        yield from stream.scores(self.journal, part=str(self._started))
        self.trouble |= stream.trouble

    def _scored(self, system: str) -> tuple[Stream, Score]:
        """Everything about a system at once."""
        stream = self._stream(system)
        documents = tuple(self._scores(stream))
        return stream, replace(stream.total(), documents=documents)

    def _total_json(self, stream: Stream, total: Score) -> dict[str, object]:
        return total_json(total, stream.forward.tally.documents, details=bool(self.groups))

    def _cells(self, stream: Stream) -> Iterator[list[str]]:
        for each in self._scores(stream):
            yield score_cells(each.document or "", each)
        yield score_cells("TOTAL", stream.total())

    def _print_documents(self, stream: Stream) -> None:
        columns = score_columns("document", self.request.zero())
        if self.output is ScoreOutput.CSV:
            print_grid(self.output, columns, self._cells(stream))
        else:
            rows: list[list[str]] = []
            try:
                rows.extend(self._cells(stream))
            finally:  # also when somebody interrupts the rest; a total of a part would mean nothing
                if rows:
                    print_grid(self.output, columns, rows)
        total = stream.total()
        for group in self.groups or (["task"] if "task" in total.breakdown else []):
            found = breakdown_rows(total.breakdown, group, self.request.empty)
            if found:
                print_grid(self.output, [group, "precision", "recall", "f1"], found, title=f"by {group}")
        if "label" in self.groups and total.confusion:
            print_grid(self.output, *confusion_grid(total.confusion), title="gold labels down, system labels across")
        print_signature(self.output, total.signature)


def journal_of_findings(path: str, request: Request, run: tuple[object, ...]) -> NamedJournal[Finding]:
    """A journal of what was found about each pair of documents. ``run`` holds all else that decides about it."""
    from temporacle import __version__
    from temporacle.runner.resume import NamedJournal

    task = Task(request, request.signature())
    text = repr((__version__, "score", request, *run))
    return NamedJournal(path, text, lambda finding: json_text(finding_row(finding)), lambda row: finding_of(row, task))
