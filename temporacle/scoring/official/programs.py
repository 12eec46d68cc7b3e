"""The options of programs with files of their own, declared once for the command line, Python and signatures."""

from __future__ import annotations

from dataclasses import dataclass

from temporacle.errors import UsageError
from temporacle.scoring.metric import MetricOptions, option
from temporacle.scoring.official import chemotimelines
from temporacle.scoring.official.i2b2 import program
from temporacle.scoring.official.i2b2.links import MODES as I2B2_MODES

_MODE = (
    "How links are compared. i2b2: tempeval, oo, oc or cc. chemotimelines: strict, or relaxed to day, month or year."
)


@dataclass(frozen=True, slots=True)
class I2b2Choices(MetricOptions):
    """Options of the i2b2 2012 program."""

    mode: str = option("tempeval", _MODE)
    tags: str = option("all", f"What is evaluated: {', '.join(program.TAGS)}.")
    spans: str = option("overlap", f"How entities are matched: {', '.join(program.SPANS)}.")
    blocks: str = option("shown", "Print the blocks that the public program shows, or all of them: shown, all.")

    def __post_init__(self) -> None:
        _require("mode", self.mode, I2B2_MODES)
        _require("tags", self.tags, program.TAGS)
        _require("spans", self.spans, program.SPANS)
        _require("blocks", self.blocks, ("shown", "all"))


@dataclass(frozen=True, slots=True)
class AnaforaChoices(MetricOptions):
    """Options of anaforatools."""

    include: tuple[str, ...] = option(
        (), "Score only TYPE, TYPE:PROPERTY or TYPE:PROPERTY:VALUE; * is any; repeatable."
    )
    exclude: tuple[str, ...] = option((), "Leave out TYPE, TYPE:PROPERTY or TYPE:PROPERTY:VALUE; repeatable.")
    temporal_closure: bool = option(default=False, about="Compare links after temporal closure.")
    overlap: bool = option(default=False, about="Spans that overlap count as equal.")
    per_document: bool = option(default=False, about="Print the rows of each document.")


@dataclass(frozen=True, slots=True)
class ChemotimelinesChoices(MetricOptions):
    """Options of the ChemoTimelines program."""

    mode: str = option("strict", _MODE)
    edition: str = option("2025", "The edition of the task: 2024 or 2025.")
    run_date: str = option("", "The day on which the program is taken to run, as YYYY-MM-DD. Default: today.")
    ids: str = option("", "A file with the ids of all patients, one a line.")
    gold_ids: str = option("", "A file with the ids of the patients to score, one a line.")

    def __post_init__(self) -> None:
        _require("mode", self.mode, chemotimelines.MODES)
        _require("edition", self.edition, tuple(map(str, chemotimelines.EDITIONS)))


@dataclass(frozen=True, slots=True)
class QaTempevalChoices(MetricOptions):
    """QA-TempEval has no options."""


PROGRAMS: dict[str, type[MetricOptions]] = {
    "i2b2": I2b2Choices,
    "anafora": AnaforaChoices,
    "chemotimelines": ChemotimelinesChoices,
    "qa-tempeval": QaTempevalChoices,
}


def _require(name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise UsageError(f"unknown {name} {value!r}: choose {', '.join(known)}")
