"""The output of the programs of shared tasks and papers, byte for byte, and the same as values.

``scoring.official.registry`` lists the programs; ``official_files`` reads what each of them reads.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from os import PathLike
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from temporacle.audit.official import Differences, ExplainJob
from temporacle.corpus.inputs import Inputs, paths_of
from temporacle.corpus.observer import SILENT, Observer
from temporacle.corpus.options import Going
from temporacle.declared import About, whole_task_with
from temporacle.errors import BudgetExceeded, UsageError, spelled
from temporacle.frames import digits, html_table, to_frame
from temporacle.io.source import Options
from temporacle.model import Remark, skipped_links
from temporacle.results import skipped_sides, warned_words
from temporacle.runner import Plan, work
from temporacle.scoring.metric import signature
from temporacle.scoring.official.registry import PROGRAMS as PROGRAMS  # noqa: PLC0414 - callers take it from here
from temporacle.scoring.official.registry import Explain, Layout, Program, ProgramRequest, program_named
from temporacle.scoring.official.tempeval3.scores import OfficialSide
from temporacle.scoring.pairs.labels import vocabulary
from temporacle.tasks.official_files import contents
from temporacle.tasks.score_answers import Runs, runs_of
from temporacle.tasks.score_request import (
    SAME_INPUT,
    Gold,
    OfficialOptions,
    TwoTables,
    are_same,
    program_parameters,
    readings_of_sides,
)

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

    from temporacle.scoring.official.pairs.schemes import ProgramFault
    from temporacle.scoring.official.registry import ProgramRun

    Row = dict[str, Any]


class Work(NamedTuple):
    """How a program is run: seconds for each document, where, whether differences are explained, how rows are read."""

    budget: float | None = None
    plan: Plan = Plan()
    explains: bool = False
    reading: Mapping[str, Any] = {}  # the columns of each side, and what to do with rows that cannot be used


@dataclass(frozen=True, slots=True, repr=False)
class OfficialScore:
    """The output of an emulated program, and the same as rows and a total."""

    program: str
    metric: str
    signature: str
    text: str  # what the program prints; bytes that are no UTF-8 are kept as surrogates
    total: Row
    documents: Sequence[Row] = ()
    scored: int = 0  # documents
    stops: str | None = None  # the error with which the original ends on this input
    undecided: tuple[tuple[str, str], ...] = ()  # documents and reasons: then there is no total
    unread: tuple[tuple[str, str], ...] = ()  # documents and reasons: the total is that of the others
    dropped: tuple[tuple[str, str | None, Remark], ...] = ()  # links that could not be used: side and file of each
    notes: tuple[str, ...] = ()
    warnings: tuple[Remark, ...] = ()
    unused: Mapping[str, Mapping[str, int]] = field(default_factory=dict)  # by side, where the program reads by itself
    differences: Differences | None = None  # link by link, where they were asked for
    faults: tuple[ProgramFault, ...] | None = None  # figure by figure, where they were asked for

    def __repr__(self) -> str:
        f1 = self.total["f1"]
        of = f"{self.scored} document{'s' * (self.scored != 1)}"
        figure = "none" if f1 is None else digits(f1)
        unread = f", {len(self.unread)} unreadable" * bool(self.unread)
        covered = "; {answered} of {asked} pairs answered".format(**self.total) if "asked" in self.total else ""
        stops = "; it stops" * (self.stops is not None)
        warned = warned_words(self.warnings, unless={"unanswered-pairs"})
        skipped = skipped_sides(self.skipped_links)
        return f"OfficialScore({self.program} of {of}{unread}: F1 {figure}{covered}{stops}{skipped}{warned})"

    @property
    def skipped_links(self) -> dict[str, dict[str, int]]:
        """Return how many links of each side could not be used, by code."""
        return {
            side: {
                **self.unused.get(side, {}),
                **skipped_links(remark for each, _, remark in self.dropped if each == side),
            }
            for side in ("gold", "system")
        }

    @property
    def convention(self) -> str:
        """Return the convention of pairwise scores; empty for other programs."""
        return self.program if self.metric == "pairs" else ""

    @property
    def complete(self) -> bool:
        """Return whether everything was read, decided and scored, and the original would not end with an error."""
        return self.completes()

    def completes(self, allowed: Container[str] = ()) -> bool:
        """Return whether all was scored, where links may be skipped for these reasons."""
        explained_all = self.differences is None or self.differences.complete
        dropped = any(remark.code not in allowed for _, _, remark in self.dropped)
        return not (dropped or self.unread or self.undecided or self.stops) and explained_all

    def to_dict(self) -> Row:
        """Return the JSON object of the total."""
        total = self.total if self.differences is None else {**self.total, **self.differences.total}
        if self.faults is not None and not self.convention:
            total = {**total, "differences": [fault.to_dict() for fault in self.faults]}
        skipped = [{"document": name, "reason": reason} for name, reason in (*self.unread, *self.undecided)]
        return {
            "total": True,
            "metric": self.metric,
            **({"convention": self.convention} if self.convention else {}),
            **total,
            "documents": self.scored,
            "skipped": skipped,
            "skipped_links": self.skipped_links,
            **({"warnings": [each.sentence() for each in self.warnings]} if self.warnings else {}),
            "stops": self.stops,
            "signature": self.signature,
        }

    def rows(self) -> list[Row]:
        """Return the JSON objects of the documents."""
        return list(self.documents) if self.differences is None else self.differences.beside(self.documents)

    def to_frame(self) -> Any:
        """Return a pandas frame with one row for each document: figures and counts. Without documents, the total."""
        columns, rows = self._table()
        return to_frame(rows, columns)

    def _repr_html_(self) -> str:
        columns, rows = self._table()
        cells = [[digits(cell) if isinstance(cell, float) else cell for cell in map(row.get, columns)] for row in rows]
        return html_table(columns, cells, caption=f"{self!r} \u00b7 {self.signature}")

    def _table(self) -> tuple[list[str], list[Row]]:
        found = [_flat(row) for row in self.documents] or [{"document": "TOTAL", **_flat(self.total)}]
        return list(dict.fromkeys(name for row in found for name in row)), found


def _flat(row: Row) -> Row:
    """Return a row for a table: plain values, and the counts beside them."""
    plain = {name: value for name, value in row.items() if not isinstance(value, dict | list | tuple)}
    return {**plain, **row.get("counts", {})}


@whole_task_with(program_parameters)
def official(
    program: Annotated[
        str, About("The program, such as awareness or matres; temporacle official --list prints all.", value="PROGRAM")
    ],
    gold: Gold,
    system: Annotated[
        Inputs, About("File or folder to score; several where runs vote.", value="SYSTEM...", path="read")
    ],
    *,
    convention: Annotated[str | None, About("For PROGRAM pairs: which of them. Default: matres.", value="NAME")] = None,
    explain_difference: Annotated[
        bool, About("Show each link or figure that the program gets wrong, and the exact score.")
    ] = False,
    observer: Observer = SILENT,  # noqa: ARG001 - a command that gives one says what there is to say
    **shared: Annotated[Any, OfficialOptions],
) -> OfficialScore:
    """Score as the program of a shared task or paper does: its output byte for byte, with its faults, and as values.

    ``gold`` and ``system`` are files or folders in the program's own format; where it reads rows, they may be frames,
    statements or documents. The last keywords are options of programs, which they name. Options of reading such as
    ``during`` do not apply, because the programs read files in their own way.

    Args:
        observer: Gets nothing: the programs are silent while they work.

    Returns:
        What the program prints (``text``), and its figures.

    Raises:
        UsageError: The program is unknown, or does not have an option.
        InputError: A file that the program cannot read.

    Examples:
        >>> found = official("awareness", "examples/gold", "examples/system")
        >>> print(found.text.splitlines()[-2])
        Overall Temporal Awareness Score (F1 score): 35.0877
    """
    if convention is not None and program != "pairs":
        cure = f"leave it out, or name the program {convention}"
        raise UsageError(f"works only with the program pairs: {cure}", option="convention")
    going = Going.over((), shared)
    asked = Work(going.limit, going.plan, explain_difference, shared)
    options = {
        name: value
        for name, value in shared.items()
        if name not in OfficialOptions.__annotations__ and value not in (None, [], ())
    }
    chosen = program_named((convention or "matres") if program == "pairs" else program)
    request, run = _ran(chosen, gold, system, options, asked)
    differences = faults = None
    if asked.explains and chosen.explain is Explain.LINKS:
        complete = not run.undecided and not (run.side and run.stops)
        differences = _differences(run, asked, complete=complete)
    elif asked.explains:
        faults = run.faults
    metric = chosen.metric or chosen.name
    skipped = Counter(side for side, _, _ in run.dropped)
    skipped.update({side: sum(codes.values()) for side, codes in request.unused.items()})
    signed = {"skipped": f"{skipped['gold']}/{skipped['system']}"} if skipped.total() else {}
    odd = [SAME_INPUT] if are_same(gold, system) and not _columns_of(shared) else []
    if "counts" in run.total and not any(run.total["counts"].values()):
        said = f"neither side has anything that {chosen.name} reads: are they files of its kind?"
        odd.append(Remark("no-links", said))
    return OfficialScore(
        chosen.name,
        metric,
        signature(metric, {**run.signed, **signed}),
        run.text.decode("utf-8", "surrogateescape"),
        run.total,
        run.rows,
        len(run.rows) if run.scored is None else run.scored,
        run.stops,
        run.undecided,
        run.unread,
        run.dropped,
        tuple(request.notes),
        (*odd, *request.warnings),
        request.unused,
        differences,
        faults,
    )


def official_score(gold: Inputs, system: Inputs, *, metric: str = "awareness", **options: Any) -> OfficialScore:
    """Return ``official(metric, gold, system, ...)``: an earlier name of it.

    Args:
        gold: As in ``official``.
        system: As in ``official``.
        metric: The program.
        **options: As in ``official``.

    Returns:
        What ``official`` returns.

    Raises:
        UsageError: As in ``official``.

    Examples:
        >>> official_score("examples/gold", "examples/system")
        OfficialScore(awareness of 2 documents: F1 0.3509)
    """
    return official(metric, gold, system, **options)


def exact_score(
    metric: str,
    gold: Inputs,
    system: Inputs,
    *,
    budget: float | None = None,
    plan: Plan = Plan(),  # noqa: B008 - an immutable value
    **options: Any,
) -> OfficialScore:
    """Score the input of a program exactly: the same documents and entities, without the program's faults.

    The rows are those of documents; ``text`` is empty.
    """
    chosen = program_named(metric)
    choices = chosen.options.chosen(chosen.name, options, budget=budget)
    unused = [name for name, values in (chosen.exact or {}).items() if getattr(choices, name) not in values]
    if unused:
        raise UsageError(
            f"the exact score of {metric} does not use {', '.join(map(spelled, unused))}: leave it out, or run"
            f" temporacle official {metric} to score as the original program does"
        )
    asked = Work(budget, plan)
    request, run = _ran(chosen, gold, system, options, asked)
    if run.no_exact is not None:
        raise run.no_exact
    rows, total = run.exact, run.exact_total
    if chosen.explain is Explain.LINKS:
        differences = _differences(run, asked)
        if differences.exact is None:
            raise BudgetExceeded("the time limit ran out before all notes were decided")
        rows = [
            {"document": each.name, **each.comparison.exact.to_dict()}
            for each in differences.documents
            if each.comparison is not None and each.comparison.exact is not None
        ]
        total = differences.exact.to_dict()
    signed = {**run.signed, "official": "no"}
    signed.pop("complete")
    signed |= {"engine": "exact", "complete": "yes"}
    return OfficialScore(
        metric,
        metric,
        signature(metric, signed),
        "",
        total,
        rows,
        len(rows),
        unread=run.exact_unread,
        notes=tuple(request.notes),
    )


def _ran(
    program: Program, gold: Inputs, system: Inputs, options: Row, asked: Work
) -> tuple[ProgramRequest, ProgramRun]:
    """Read the files of a program and run it."""
    choices = program.options.chosen(program.name, options, budget=asked.budget)
    if asked.explains and program.explain is Explain.NOTHING:
        raise UsageError(f"program {program.name} makes no inferences, so there is no difference to explain")
    systems = _systems(system, votes=program.votes)
    if len(systems) != 1 and not program.votes:
        raise UsageError(f"program {program.name} takes one system only")

    def each(items: Iterable[Any], job: Any) -> Iterator[Any]:
        return (result for _, results in work(items, job, asked.plan) for result in results)

    rows = Options(reading=vocabulary(), on_error=asked.reading.get("on_error") or "raise")
    readings = readings_of_sides(rows, gold, systems, asked.reading)
    if program.files not in {Layout.ROWS, Layout.GRAPHS} and _columns_of(asked.reading):
        raise UsageError(f"program {program.name} reads files of its own: it has no columns to choose")
    request = ProgramRequest(program.name, _name(gold), _name(systems[0]), asked.budget, asked.explains, each, readings)
    return request, program.run(contents(program.files, gold, systems, choices, request), choices, request)


def _systems(system: Inputs, *, votes: bool) -> list[Inputs]:
    """Return the runs of a system. A list of paths is a list of runs; statements and documents are one run."""
    paths = paths_of(system)
    if paths is not None and not isinstance(system, str | PathLike):
        return list(paths)
    return runs_of(system) if votes or isinstance(system, Runs) else [system]


def _columns_of(shared: Mapping[str, Any]) -> bool:
    """Return whether the columns of a side were chosen."""
    return any(shared.get(name) is not None for name in TwoTables.__annotations__)


def _name(source: Inputs) -> str:
    return ", ".join(paths_of(source) or ["values in memory"])


def _differences(run: ProgramRun, asked: Work, *, complete: bool = True) -> Differences:
    """Return each link that the program judges wrongly, with the evidence, and the exact counts."""
    differences = Differences(complete=complete)
    job = ExplainJob(run.method, asked.budget, run.side or OfficialSide)
    for _, found in work(list(run.compared), job, asked.plan):
        for each in found:
            differences.add(each)
    return differences
