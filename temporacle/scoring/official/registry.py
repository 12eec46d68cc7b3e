"""The programs of shared tasks and papers, as one list. A program is one file here, and one line in ``_MODULES``.

    Program(name, about, options, files, run, explain)

``files`` says which files the program reads. ``run`` takes their contents, the options and the request, and returns a
``ProgramRun``. Nothing here opens a file: ``tasks.official`` reads them, calls the program, and makes the result.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache, partial
from importlib import import_module
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from temporacle.errors import FAILURES, UsageError, unknown
from temporacle.scoring.metric import MetricOptions
from temporacle.scoring.pairs.conventions import ConventionName

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from temporacle.errors import TemporacleError
    from temporacle.model import Remark
    from temporacle.plugins import Plugin
    from temporacle.scoring.official.pairs.schemes import ProgramFault
    from temporacle.scoring.official.tempeval3 import LinkPair
    from temporacle.scoring.official.tempeval3.scores import OfficialSide

    Row = dict[str, Any]


class Stop(Exception):  # noqa: N818 - the end of a program, not an error of ours
    """The original ends here with an error. ``name`` is the type of its exception."""

    def __init__(self, name: str, reason: str = "") -> None:
        super().__init__(name, reason)
        self.name = name
        self.reason = reason


@dataclass(frozen=True, slots=True)
class AddedUp:
    """Counts of documents, which add up field by field."""

    def __add__(self, other: Self) -> Self:
        return type(self)(*(getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__))

    def counts(self) -> dict[str, Any]:
        """Return the counts by name."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def ratio(part: float, whole: float) -> float:
    """Return ``part / whole``, with 0/0 as 0."""
    return part / whole if whole else 0.0


def harmonic_mean(precision: float, recall: float) -> float:
    """Return F1; 0 if both are 0."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


class Printout(NamedTuple):
    """The text that a program prints, the same as rows and a total, and the error it stops with."""

    text: str
    rows: tuple[dict[str, Any], ...] = ()
    total: dict[str, Any] = {}  # noqa: RUF012 - never changed
    stops: str | None = None
    reason: str = ""  # what the original stumbles over, in our words


class Layout(StrEnum):
    """The files that a program reads."""

    WALKED = "walked"  # every file below a folder, matched by its name; or documents of any format
    TIMELINES = "timelines"  # the files of a folder, without its subfolders
    RESPONSES = "responses"  # the files of the system's folder, each with the key of its name
    ROWS = "rows"  # links of any format, and tables in memory
    GRAPHS = "graphs"  # graphs that language models wrote, or rows
    MAVEN = "maven"  # JSON Lines of MAVEN-ERE
    NOTES = "notes"  # clinical notes
    ANAFORA = "anafora"  # one folder for each document
    PATIENTS = "patients"  # timelines by patient, in JSON
    PATHS = "paths"  # whatever a plugin finds under two paths
    QUESTIONS = "questions"  # questions, and documents to answer them from


class Explain(StrEnum):
    """How differences between a program and an exact scorer are explained."""

    LINKS = "links"  # link by link, with evidence
    FIGURES = "figures"  # figure by figure, with causes
    NOTHING = "nothing"  # the program makes no inferences


@dataclass(frozen=True, slots=True)
class ProgramRequest:
    """What a program is asked, besides its files and options."""

    name: str
    gold: str  # as it was typed, because some programs print it
    system: str
    budget: float | None
    explains: bool
    each: Callable[[Iterable[Any], Any], Iterator[Any]]  # a job for each item, wherever the runner works
    readings: Sequence[Any] = ()  # how rows of gold and of systems are read
    notes: list[str] = field(default_factory=list)
    warnings: list[Remark] = field(default_factory=list)
    unused: dict[str, Mapping[str, int]] = field(
        default_factory=dict
    )  # of each side: links that cannot be used, by code


@dataclass(frozen=True, slots=True)
class ProgramRun:
    """The output of a program, and the result of an exact scorer for the same input."""

    text: bytes
    rows: Sequence[Row] = ()
    total: Row = field(default_factory=dict)
    signed: Mapping[str, str] = field(default_factory=dict)  # what the signature says
    scored: int | None = None  # documents, if they have no rows
    stops: str | None = None  # the error with which the original ends on this input
    undecided: tuple[tuple[str, str], ...] = ()  # documents and reasons: then there is no total
    unread: tuple[tuple[str, str], ...] = ()  # documents and reasons: the total is that of the others
    dropped: tuple[tuple[str, str | None, Remark], ...] = ()  # links that could not be used: side and file of each
    compared: Iterable[LinkPair] = ()  # what differences are looked for in, link by link
    method: str = "default"  # by which links are counted
    side: type[OfficialSide] | None = None  # as the program sees the links, if not as in TempEval-3
    faults: tuple[ProgramFault, ...] = ()  # the figures that are wrong, and why
    exact: Sequence[Row] = ()  # documents by the exact scorer
    exact_total: Row = field(default_factory=dict)
    exact_unread: tuple[tuple[str, str], ...] = ()  # documents that have no exact score, and why
    no_exact: TemporacleError | None = None  # why an exact score of this input would mislead


@dataclass(frozen=True, slots=True)
class Program:
    """A program by its parts."""

    name: str
    about: str
    options: type[MetricOptions]
    files: Layout
    run: Callable[[Any, Any, ProgramRequest], ProgramRun]  # (contents, options, request)
    explain: Explain = Explain.FIGURES
    votes: bool = False  # takes several runs of a system
    metric: str = ""  # its name in JSON and signatures, if it is another one
    # Values of the options with which its input has an exact score of its own; None: a metric of ``score`` is exact.
    exact: Mapping[str, tuple[object, ...]] | None = None


@dataclass(frozen=True, slots=True)
class ProgramOptions(MetricOptions):
    """The options of a program, declared once for the command line, Python and signatures."""

    @classmethod
    def called(cls, name: str) -> str:
        """Return what messages call the owner of the options."""
        return f"program {name}"


_MODULES = {
    "awareness": "tempeval3",
    "timeline": "timelines",
    "tempeval1": "tempeval1",
    "i2b2": "i2b2",
    "anafora": "anafora",
    "chemotimelines": "chemotimelines",
    "qa-tempeval": "qa_tempeval",
    **{each.value: "pairs" for each in ConventionName},
}
PROGRAMS = tuple(_MODULES)
_OTHER_NAMES = {"tempeval3": "awareness", "timelines": "timeline"}


@cache
def program_named(name: str) -> Program:
    """Return the program of that name. Raise UsageError with the known names if there is none."""
    known = _OTHER_NAMES.get(name, name)
    if known not in _MODULES:
        from temporacle.plugins import Group, names_of, plugin_named

        if (plugin := plugin_named(Group.PROGRAMS, name)) is not None:
            return _of_plugin(plugin)
        known_names = names_of(Group.PROGRAMS, PROGRAMS)
        raise unknown("program", name, known_names, "The program comes first, then gold, then the system.")
    module = import_module(f"temporacle.scoring.official.{_MODULES[known]}")
    found: Program = module.PROGRAM if hasattr(module, "PROGRAM") else module.PROGRAMS[known]
    return found


def every_program() -> list[Program]:
    """Return our programs and those of plugins."""
    from temporacle.plugins import Group, plugins

    added = plugins(Group.PROGRAMS, (*PROGRAMS, *_OTHER_NAMES))
    return [program_named(name) for name in (*PROGRAMS, *(each.name for each in added))]


def _of_plugin(plugin: Plugin) -> Program:
    """Return a program that another package adds. It has no options."""
    about, run = plugin.implementation.about, partial(_run_by_plugin, plugin)
    return Program(plugin.name, about, ProgramOptions, Layout.PATHS, run, Explain.NOTHING)


def _figure(value: Any) -> float | None:
    if value is not None and not isfinite(value):
        raise ValueError(f"{value} is not a finite number")
    return value  # type: ignore[no-any-return]


def _run_by_plugin(plugin: Plugin, paths: tuple[str, str], _: ProgramOptions, __: ProgramRequest) -> ProgramRun:
    try:
        found = plugin.implementation.run(*paths)
        text = str(found["text"]).encode("utf-8", "surrogateescape")
        total = {name: _figure(found[name]) for name in ("precision", "recall", "f1")}
    except FAILURES as error:
        raise UsageError(plugin.failed(error)) from None
    return ProgramRun(text, total=total, signed={"plugin": plugin.signed}, scored=0)


MODE_TEXT = (
    "How links are compared. i2b2: tempeval, oo, oc or cc. chemotimelines: strict, or relaxed to day, month or year."
)


def require(name: str, value: str, known: tuple[str, ...]) -> None:
    """Raise UsageError for a value that is not one of the known ones."""
    if value not in known:
        raise UsageError(option=name, value=value, allowed=known)


def nothing_found() -> Row:
    """Return the figures of a total that does not exist."""
    return {"precision": None, "recall": None, "f1": None, "counts": {}}
