"""The request for a score: what scoring tasks declare, metrics with their options, how files are read, the signature.

``scoring_of(sources, shared)`` is what the shared options of ``score``, ``compare`` and ``agree`` mean.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypedDict

from temporacle.corpus.inputs import Inputs, paths_of, require_columns
from temporacle.corpus.options import CorpusOptions, ErrorChoice, Going, WorkingOptions, seconds_of
from temporacle.declared import OF_METRICS, OF_PROGRAMS, READING, About, Parameter
from temporacle.errors import UsageError, one_of, spelled
from temporacle.io.source import Options
from temporacle.model import Remark
from temporacle.printing import first_of
from temporacle.readings import BY_NAME
from temporacle.relation import EVERYTHING, Relation
from temporacle.rules import allowed_codes
from temporacle.scoring.metric import METRICS, WITH_EXACT_SCORE, Align, metric_named, signature
from temporacle.scoring.official.registry import PROGRAMS, program_named
from temporacle.tasks.score_pair import Request

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from dataclasses import Field

    from temporacle.corpus.observer import Observer
    from temporacle.corpus.references import Reference
    from temporacle.model import HowRead
    from temporacle.readings import Reading
    from temporacle.runner.journal import Journal
    from temporacle.scoring.metric import Average, MetricOptions
    from temporacle.tasks.score_pair import PairFinding, SideFacts

ColumnNames: TypeAlias = "str | Mapping[str, str] | None"

# --- what scoring tasks declare ---------------------------------------------------------------------------------------


class TwoTables(TypedDict, total=False):
    """Which columns of two tables are meant, or of one table that has both sides."""

    gold_columns: Annotated[
        ColumnNames,
        About("Columns of GOLD or A, such as relation=gold.", value="ROLE=HEADER,...", group=READING),
    ]
    system_columns: Annotated[
        ColumnNames,
        About("Columns of SYSTEM or B, such as relation=pred.", value="ROLE=HEADER,...", group=READING),
    ]


class OfficialOptions(WorkingOptions, TwoTables, total=False):
    """What the programs of shared tasks and papers have in common."""

    on_error: ErrorChoice


class ScoringOptions(CorpusOptions, TwoTables, total=False):
    """What every task has that scores documents against each other."""

    metric: Annotated[
        str | Sequence[str],
        About(
            f"{', '.join((*METRICS, *WITH_EXACT_SCORE))}; repeatable. Default: awareness."
            " Options of one: score --metric pairs --help.",
            value="METRIC",
            default="awareness",
        ),
    ]
    average: Annotated[
        str,
        About(
            "micro: add up counts, then divide. macro: mean of the documents.",
            default="micro",
            choices=("micro", "macro"),
        ),
    ]
    align: Annotated[
        str, About("How to match entities: by ids or by text spans.", default="ids", choices=("ids", "spans"))
    ]
    empty: Annotated[int, About("Value of 0/0.", value="0|1", default=0, least=0, most=1)]


def of_metrics() -> dict[str, type[MetricOptions]]:
    """Return the options of every metric by name."""
    return {name: metric_named(name).options for name in METRICS}


def of_programs(names: Sequence[str]) -> dict[str, type[MetricOptions]]:
    """Return the options of programs by name; those for pairwise scores have the same, under one name."""
    programs = [program_named(name) for name in names]
    return {each.metric or each.name: each.options for each in programs}


@cache
def metric_parameters() -> dict[str, Parameter]:
    """Return the options of all metrics as parameters, also of those that are programs with an exact score."""
    return _parameters(of_metrics() | of_programs(WITH_EXACT_SCORE))


@cache
def own_metric_parameters() -> dict[str, Parameter]:
    """Return the options of the metrics that are not programs."""
    return _parameters(of_metrics())


@cache
def program_parameters() -> dict[str, Parameter]:
    """Return the options of all programs of shared tasks and papers as parameters."""
    return {
        name: replace(each, about=replace(each.about, group=OF_PROGRAMS))
        for name, each in _parameters(of_programs(PROGRAMS)).items()
    }


def _parameters(owners: Mapping[str, type[MetricOptions]]) -> dict[str, Parameter]:
    """Return every option of any owner by name. One that is not given is None, so that it can be refused."""
    found: dict[str, tuple[Field[Any], list[str]]] = {}
    for name, options in owners.items():
        for each in options.declared():
            found.setdefault(each.name, (each, []))[1].append(name)
    return {name: _parameter(each, called) for name, (each, called) in found.items()}


def _parameter(declared: Field[Any], owners: Sequence[str]) -> Parameter:
    default, is_many = declared.default, bool(declared.metadata["several"]) or isinstance(declared.default, tuple)
    text = f"{declared.metadata['about']} For {', '.join(owners)}."
    choices: tuple[str, ...] = ()
    value = None
    if isinstance(default, StrEnum):
        choices = tuple(each.value for each in type(default))
        text += f" Default: {default.value}{'; repeatable' * is_many}."
        if len(choices) > _SHORT_LIST:
            text, value = f"{text} Choose {', '.join(choices)}.", declared.name.upper()
    elif not isinstance(default, bool):
        value = declared.name.rpartition("_")[2].upper()
    about = About(text, value, OF_METRICS + ", ".join(owners), choices=choices)
    return Parameter(declared.name, about, bool if isinstance(default, bool) else str, None, is_many)


_SHORT_LIST = 6  # choices that stand beside the name of an option; more of them stand in its description


@dataclass(frozen=True, slots=True)
class Scoring:
    """How documents are scored: the meaning of the shared options."""

    request: Request
    going: Going = Going()  # noqa: RUF009 - an immutable value
    reading: Options = Options()  # noqa: RUF009 - of gold
    average: str = "micro"
    system_columns: ColumnNames = None
    allow: frozenset[str] = frozenset()
    is_list: bool = False  # several metrics or conventions were asked for: the result is a list, even of one

    def journal(self, observer: Observer, *choices: object) -> Journal | None:
        """Return the checkpoint of a run."""
        return self.going.journal(observer, "score", self.request, self.average, self.system_columns, *choices)


def given_options(shared: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of metrics or programs among the keywords of a task: those that were given."""
    known = ScoringOptions.__annotations__
    return {name: value for name, value in shared.items() if name not in known and value not in (None, [], ())}


def metrics_of(shared: Mapping[str, Any]) -> list[str]:
    """Return the metrics that are asked for."""
    metric = shared.get("metric") or "awareness"
    return [metric] if isinstance(metric, str) else list(metric)


def readings_of_sides(
    options: Options, gold: Inputs, systems: Sequence[Inputs], shared: Mapping[str, Any]
) -> list[Options]:
    """Return how each side is read, with the columns that were chosen for it."""
    found = []
    for name, side in (("gold_columns", [gold]), ("system_columns", systems)):
        own = options if shared.get(name) is None else replace(options, columns=shared[name])
        if own is not options:
            require_columns(own, *side)
        found.append(own)
    return found


def scoring_of(
    gold: Inputs,
    systems: Sequence[Inputs],
    shared: Mapping[str, Any],
    *,
    details: bool = False,
    both_ways: bool = False,
    rows: bool = False,
) -> Scoring:
    """Return what the shared options of a scoring task mean. Wrong ones raise UsageError at once."""
    going = Going.over(gold, shared, *systems)
    chosen = given_options(shared)
    request = request_for(
        metrics_of(shared),
        chosen,
        align=shared.get("align") or "ids",
        empty=shared.get("empty") or 0,
        details=details,
        budget=going.limit,
        both_ways=both_ways,
        rows=rows,
    )
    reading, _ = readings_of_sides(going.options, gold, systems, shared)
    return Scoring(
        request,
        going,
        reading_for(request, reading),
        shared.get("average") or "micro",
        shared.get("system_columns"),
        allowed_codes(shared.get("allow")),
        _wants_list(shared.get("metric"), chosen.get("convention")),
    )


def _wants_list(*choices: str | Sequence[str] | None) -> bool:
    return any(choice is not None and not isinstance(choice, str) for choice in choices)


def request_for(
    metrics: Sequence[str],
    options: Mapping[str, Any],
    *,
    align: str = "ids",
    empty: int = 0,
    details: bool = False,
    budget: float | None = None,
    both_ways: bool = False,
    rows: bool = False,
) -> Request:
    """Return what to compute. Each option goes to the metrics that have it. Raise UsageError if none has it.

    An option that takes several values, such as ``convention``, makes one score for each.
    """
    if not metrics:
        raise UsageError("name at least one metric")
    budget = seconds_of(budget)
    if empty not in (0, 1):
        raise UsageError(f"empty (the value of 0/0) must be 0 or 1, not {empty!r}")
    chosen_align = one_of(Align, align, "align")
    if chosen_align is Align.TEMPEVAL3:
        raise UsageError(
            "this belongs to the TempEval-3 program: use temporacle official awareness GOLD SYSTEM,"
            ' or tp.official("awareness", gold, system, ...). Choose ids or spans here',
            option="align",
            value="tempeval3",
        )
    kinds = [(name, metric_named(name).options) for name in metrics]
    known = {name: {each.name for each in kind.declared()} for name, kind in kinds}
    chosen: list[tuple[str, MetricOptions]] = []
    for name, kind in kinds:
        # An option that some metric has is for those that have it; any other is refused by the first metric.
        others = set().union(*(fields for other, fields in known.items() if other != name))
        own = {option: value for option, value in options.items() if option in known[name] or option not in others}
        chosen += [(name, kind.chosen(name, each, budget=budget, details=details, rows=rows)) for each in _each(own)]
    if len(set(chosen)) < len(chosen):
        raise UsageError(f"a metric is named twice: {', '.join(metrics)}")
    return Request(tuple(chosen), chosen_align, empty, both_ways)


def _each(options: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield one choice of options for each value of those that were given as lists."""
    values = [value if isinstance(value, list | tuple) else (value,) for value in options.values()]
    for combination in product(*values):
        yield dict(zip(options, combination, strict=True))


def reading_for(request: Request, reading: Options) -> Options:
    """Return the options for reading files.

    A metric may ask for a format, or for labels, if the content does not decide.
    """
    names = list(dict.fromkeys(name for name, _ in request.metrics))
    formats = {metric_named(name).format for name in names}
    if len(formats) > 1:
        raise UsageError(f"the metrics {', '.join(names)} read different files; score them one at a time")
    if reading.format is None:
        reading = replace(reading, format=formats.pop())
    labels = vocabulary(request, None)
    return reading if labels is None or reading.reading else replace(reading, labels_like=labels)


def vocabulary(request: Request, like: Reading | None) -> Reading | None:
    """Return the reading for formats without their own, if the metric decides: ``like`` if it has the labels.

    Together with other metrics it does not decide: a score must not depend on which other metrics are asked for.
    """
    names = {name for name, _ in request.metrics}
    made = metric_named(names.pop()).vocabulary if len(names) == 1 else None
    return None if made is None else made(like)


# --- why two sides cannot be compared, and what to do: a score of them would mislead ---------------------------------

_SHOWN = 4  # names in a message


class LabelMeaning:
    """The meaning of a label on one side, and where it occurred first."""

    __slots__ = ("facts", "mask")

    def __init__(self, mask: int, facts: SideFacts) -> None:
        self.mask = mask
        self.facts = facts

    @property
    def is_name(self) -> bool:
        """Return whether the label was read as a name, which pairwise scores go by, and means nothing in particular."""
        how = self.facts.how_read
        return self.mask == EVERYTHING and how is not None and how.reading.name == BY_NAME

    def __str__(self) -> str:
        how = self.facts.how_read
        where = self.facts.path or (how.format if how else "")
        return f"{Relation(self.mask)} (label set {how.reading.name if how else '?'}, {where})"


def two_meanings(label: str, gold: LabelMeaning, system: LabelMeaning) -> str:
    """Return the message about a label that the two sides read differently."""
    how = gold.facts.how_read
    name = "" if how is None else how.reading.origin or how.reading.name
    return (
        f"label {label} has two meanings: in gold {gold}, in the system {system};"
        f" read both sides in the same way, for example with {spelled('labels', name)}"
    )


def no_pair(golds: Sequence[Reference], systems: Sequence[Reference]) -> str:
    """Return the message about sides that share no document."""
    return (
        "no system document has the same name as a gold document."
        f" Gold: {first_of((each.name for each in golds), _SHOWN)}."
        f" System: {first_of((each.name for each in systems), _SHOWN)}."
        f" Give the right folders, rename the files, or name the pairs with {spelled('id_map', 'FILE')}"
    )


def nothing_in_common(finding: PairFinding, align: Align) -> str:
    """Return the message about sides that share no entity or no question."""
    gold, system = finding.gold, finding.system
    if align is Align.SPANS:
        return "no entity of the system overlaps an entity of gold in any document: are the texts the same?"
    spans = gold.has_spans and system.has_spans
    by_spans = (
        f"Align them by text positions with {spelled('align', 'spans')}"
        if spans
        else "Write the same ids on both sides"
    )
    cure = f"{by_spans}, or rename the ids with {spelled('id_map', 'FILE')}"
    return (
        f"gold and system have no entity id in common in any document, for example in {finding.document}:"
        f" gold {first_of(gold.some_ids, _SHOWN)}; system {first_of(system.some_ids, _SHOWN)}. {cure}"
    )


# --- the signature, made from the documents that were scored, not from what was asked for -----------------------------

# What a signature says about how documents were read, and where it is found.
_ABOUT_READING: dict[str, Callable[[HowRead], str]] = {
    "format": lambda how: how.format,
    "labels": lambda how: how.reading.signed,
    "during": lambda how: how.reading.during,
    "read-with": lambda how: "+".join(each for each in how.choices if not each.startswith("config-")),
    "config": lambda how: "+".join(each[len("config-") :] for each in how.choices if each.startswith("config-")),
}


def score_signature(
    metric: str,
    options: MetricOptions,
    read: tuple[Collection[HowRead], Collection[HowRead]],
    *,
    align: Align,
    average: Average,
    empty: int,
    undecided: Collection[str] = (),
    skipped_links: tuple[int, int] = (0, 0),
    coverage: Mapping[str, int] | None = None,
) -> str:
    """Return the signature of a score: on the same files, equal signatures mean equal counts.

    ``read``: how the documents of gold and of the system were read.

    ``undecided`` are the documents that have no score because time ran out: which ones depends on the machine, so a
    digest of their names is part of the line. ``skipped_links``: how many links of gold and of the system could not be
    used. ``coverage``: how many pairs were asked about and answered, where missing pairs are not errors.
    """
    infers, plugin = metric_named(metric).infers, metric_named(metric).plugin
    choices = {
        **how_read(*read),
        "engine": "exact" if infers else "none",
        "complete": "yes" if infers else "n/a",
        **options.signature(),
        **({"plugin": plugin} if plugin else {}),
        "align": align.value,
        "average": average.value,
        "empty": str(empty),
        **({"undecided": _counted(undecided)} if undecided else {}),
        **({"skipped": "{}/{}".format(*skipped_links)} if any(skipped_links) else {}),
        **({"coverage": "{answered}/{asked}".format(**coverage)} if coverage else {}),
    }
    return signature(metric, choices)


def how_read(gold: Collection[HowRead], system: Collection[HowRead]) -> dict[str, str]:
    """Return how the documents were read: once if both sides were read in the same way, otherwise for each side."""
    found: dict[str, str] = {}
    for name, value in _ABOUT_READING.items():
        own, other = (_joined(value, side) for side in (gold, system))
        if own == other or not system:
            found |= {name: own} if own else {}
        else:
            found |= {f"gold-{name}": own or "none", f"system-{name}": other or "none"}
    return found


def _joined(value: Callable[[HowRead], str], side: Collection[HowRead]) -> str:
    return "+".join(sorted({value(how) for how in side} - {""}))


def _counted(names: Collection[str]) -> str:
    from hashlib import sha256

    return f"{len(names)}@{sha256(repr(sorted(names)).encode()).hexdigest()[:8]}"


Gold: TypeAlias = Annotated["Inputs", About("File or folder of the gold standard.", value="GOLD", path="read")]
SAME_INPUT = Remark("same-input", "gold and system are the same input, so they agree in everything")


def are_same(gold: Inputs, system: Inputs) -> bool:
    """Return whether both sides are the same files, or the same object."""
    paths = [paths_of(side) for side in (gold, system)]
    if paths[0] is None or paths[1] is None:
        return gold is system
    return [*map(os.path.realpath, paths[0])] == [*map(os.path.realpath, paths[1])]
