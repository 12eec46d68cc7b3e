"""The definition of a metric: a function over one pair of documents, with its options, its counts and its groups.

    @dataclass(frozen=True, slots=True)
    class MyOptions(MetricOptions):
        relaxed: bool = option(False, "Give partial credit.", signed="scheme", values=("strict", "relaxed"))

    METRIC = Metric("mine", "what it measures", judge, MyOptions, MyCounts, groups=frozenset({"label"}))

That, and one line in ``METRICS``, is a whole metric. The command line, the Python functions and the signatures
take the options from here; an option is declared once. Choices and options that several metrics share stand here, too.

A signature is one line that names everything that can change a score. Two runs with the same signature on the same data
print the same digits.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import Field, dataclass, field, fields
from enum import StrEnum
from fractions import Fraction
from functools import cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Self

from temporacle import __version__
from temporacle.errors import FAILURES, InputError, UsageError, nearest, one_of, spelled

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from temporacle.model import Document, Remark
    from temporacle.plugins import Plugin
    from temporacle.readings import Reading
    from temporacle.results import Counts, PairRow


def option(
    default: Any, about: str, *, signed: str = "", values: tuple[str, str] = ("no", "yes"), several: bool = False
) -> Any:
    """Declare an option: a switch if the default is a bool, a choice if it is a member of a StrEnum, else free text.

    A tuple as default takes any number of texts.

    ``signed`` is its name in signatures (default: its own name), ``values`` what a switch is called there when it is
    off and on. ``several``: more than one value can be asked for, and each makes a score of its own.
    """
    metadata = {"about": about, "signed": signed, "values": values, "several": several}
    return field(default=default, metadata=metadata)


@dataclass(frozen=True, slots=True)
class MetricOptions:
    """The options for one pair of documents. ``budget``, ``details`` and ``rows`` never change a count."""

    budget: float | None = None  # seconds for one pair of documents
    details: bool = False  # also count by label and by kind of pair
    rows: bool = False  # also keep every pair that counts

    @classmethod
    def declared(cls) -> tuple[Field[Any], ...]:
        """Return the options of the metric itself."""
        return tuple(each for each in fields(cls) if "about" in each.metadata)

    @classmethod
    def chosen(cls, metric: str, given: Mapping[str, Any], **common: Any) -> Self:
        """Return options from values or their names. Raise UsageError for an unknown name or value."""
        known = {each.name: each for each in cls.declared()}
        values: dict[str, Any] = {}
        for name, value in given.items():
            if name not in known:
                raise _no_such_option(cls, metric, name, known)
            values[name] = _converted(known[name], value)
        return cls(**common, **values)

    @classmethod
    def called(cls, name: str) -> str:
        """Return what messages call the owner of the options."""
        return f"metric {name}"

    @property
    def signs_coverage(self) -> bool:
        """Return whether the signature says how many pairs are answered, because the score need not show it."""
        return True

    def reads(self, label: str) -> bool:  # noqa: ARG002 - for metrics with labels of their own
        """Return whether a link with this label can be scored."""
        return True

    @property
    def variant(self) -> str:
        """Return the name of the convention, for metrics that have several."""
        return ""

    def signature(self) -> dict[str, str]:
        """Return the part of a signature that these options make."""
        return {
            each.metadata["signed"] or each.name.replace("_", "-"): _signed(each, getattr(self, each.name))
            for each in self.declared()
        }


def _converted(declared: Field[Any], value: Any) -> Any:
    kind: type[Any] = type(declared.default)
    if kind is bool:
        if not isinstance(value, bool):
            raise UsageError(f"{declared.name} must be True or False, not {value!r}")
        return value
    return one_of(kind, value, declared.name)


def _signed(declared: Field[Any], value: Any) -> str:
    if isinstance(value, tuple):
        return ",".join(value) or "none"
    return str(declared.metadata["values"][value]) if isinstance(value, bool) else str(value) or "none"


@dataclass(frozen=True, slots=True)
class Judgement:
    """The findings of a metric for one pair of documents."""

    counts: Counts
    breakdown: Mapping[str, Mapping[str, Counts]] = field(default_factory=dict)
    confusion: Mapping[tuple[str, str], int] = field(default_factory=Counter)
    warnings: tuple[Remark, ...] = ()
    labels: tuple[str, ...] = ()  # of the confusion, in order, where the metric has a fixed set
    rows: tuple[PairRow, ...] = ()  # where they were asked for


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric by its parts."""

    name: str
    about: str
    judge: Callable[[Document, Document, Any], Judgement]  # (gold, system, options); BudgetExceeded when undecided
    options: type[MetricOptions]
    counts: type[Counts]
    groups: frozenset[str] = frozenset()  # of label, kind, task: by what its scores can be told apart
    infers: bool = True  # draws inferences with the exact engine
    merges: bool = False  # several files may annotate one document, and are joined
    format: str | None = None  # what files are read as, where their content does not decide
    # What labels mean in formats without a reading of their own; the argument is gold's reading if it has one.
    vocabulary: Callable[[Reading | None], Reading] | None = None
    settle: Callable[[Any, Iterator[Document]], Any] | None = None  # options that the documents of gold decide about
    # What a reader of a total should know about its counts; the arguments are the counts and the options.
    about_total: Callable[[Any, Any], tuple[Remark, ...]] | None = None
    unasked: Callable[[Any], bool] | None = None  # whether documents that gold does not have count against a system
    plugin: str = ""  # the package that adds it, and its version


# ----------------------------------------------------------------------------------------------------
# The metrics, by name. A new metric is one file and one line here.

METRICS = {
    "awareness": "temporacle.scoring.awareness:METRIC",
    "closure": "temporacle.scoring.closed:CLOSURE",
    "core": "temporacle.scoring.closed:CORE",
    "reduction": "temporacle.scoring.reduction:METRIC",
    "tempeval1": "temporacle.scoring.tempeval1:METRIC",
    "timeline": "temporacle.scoring.awareness:TIMELINE",
    "pairs": "temporacle.scoring.pairs:METRIC",
}


def _no_such_option(kind: type[MetricOptions], metric: str, name: str, known: Collection[str]) -> UsageError:
    """Return what to say about an option that a metric does not have."""
    owners = [each for each in METRICS if any(name == own.name for own in metric_named(each).options.declared())]
    if owners and kind.called(metric) == MetricOptions.called(metric):
        return UsageError(option=name, needs=[f"metric={each}" for each in owners])
    near = nearest(name, known)
    hint = f"did you mean {near}?" if near else f"its options are {', '.join(known)}" if known else "it has no options"
    return UsageError(f"{kind.called(metric)} has no option {name}: {hint}")


WITH_EXACT_SCORE = ("i2b2", "anafora", "chemotimelines", "qa-tempeval")  # programs that are metrics of ``score``, too


@cache
def metric_named(name: str) -> Metric:
    """Return the metric of that name. Raise UsageError with the known names if there is none."""
    if name not in METRICS:
        if name in WITH_EXACT_SCORE:
            raise UsageError(
                f"metric {name} is a program of its own: use it alone. {spelled('metric', name)} scores exactly;"
                f' tp.official("{name}", gold, system) scores as the original program does'
            )
        from temporacle.plugins import Group, names_of, plugin_named

        if (plugin := plugin_named(Group.METRICS, name)) is None:
            known = names_of(Group.METRICS, (*METRICS, *WITH_EXACT_SCORE))
            raise UsageError(option="metric", value=name, allowed=known)
        return _of_plugin(plugin)
    module, attribute = METRICS[name].split(":")
    metric: Metric = getattr(import_module(module), attribute)
    return metric


def _of_plugin(plugin: Plugin) -> Metric:
    """Return a metric that another package adds. It has no options."""
    from temporacle.results import MatchCounts

    own = plugin.implementation
    judge = partial(_judged_by_plugin, plugin)
    return Metric(plugin.name, own.about, judge, MetricOptions, MatchCounts, infers=False, plugin=plugin.signed)


def _judged_by_plugin(plugin: Plugin, gold: Document, system: Document, _: MetricOptions) -> Judgement:
    """Return the counts of a plugin. Raise InputError if it fails, or if they cannot be counts."""
    from temporacle.results import MatchCounts

    try:
        right, said, found, asked = plugin.implementation.count(gold, system)
    except FAILURES as error:
        raise InputError(plugin.failed(error)) from None
    parts = ((right, said), (found, asked))
    if not all(isinstance(part, int | Fraction) and isinstance(of, int) and 0 <= part <= of for part, of in parts):
        raise InputError(f"the plugin {plugin.name} counts {right} of {said}, and {found} of {asked}")
    return Judgement(MatchCounts(right, said, found, asked))


class Contradictions(StrEnum):
    """The treatment of links that cannot be true together with others of the same document."""

    SET_ASIDE = "set-aside"  # in document order: a link that contradicts earlier links is not part of the graph
    REPAIR = "repair"  # an optimal repair decides which links take no part, whatever their order
    REFUSE = "refuse"  # such a document gets no score


class Vague(StrEnum):
    """The treatment of links that constrain nothing."""

    IGNORE = "ignore"  # left out, and their number reported
    COUNT = "count"  # counted, and right only where the other side says the same of the same pair


class Deciding(StrEnum):
    """The engine that decides what follows. A test compares them with the list of engines."""

    EXACT = "exact"
    CPSAT = "cpsat"
    ENUMERATION = "enumeration"


class Values(StrEnum):
    """The policy by which each side's graph uses the values of its time expressions, if it does (docs/calendar.md)."""

    NONE = "none"
    WITHIN = "within"
    DOCUMENT = "document"
    EXACT = "exact"

    @classmethod
    def _missing_(cls, value: object) -> Values | None:
        """Accept Python values: True stands for the default policy, None and False for no calendar."""
        return cls.WITHIN if value is True else cls.NONE if value in (None, False) else None


class Seasons(StrEnum):
    """Whose seasons values name."""

    UNKNOWN = "unknown"
    NORTH = "north"
    SOUTH = "south"


class Average(StrEnum):
    """The way to combine documents into one score."""

    MICRO = "micro"  # counts add up, then divide
    MACRO = "macro"  # precision, recall and F1 of documents are averaged


class Align(StrEnum):
    """The way to match entities of the two sides."""

    IDS = "ids"
    SPANS = "spans"
    TEMPEVAL3 = "tempeval3"  # official digits only: the TempEval-3 normaliser


@dataclass(frozen=True, slots=True)
class GraphOptions(MetricOptions):
    """For metrics that make a graph of the links: what happens to links that contradict others, and what decides."""

    contradictions: Contradictions = option(  # noqa: RUF009
        Contradictions.SET_ASIDE,
        "Links that contradict earlier ones: set-aside excludes them from the graph, repair excludes a smallest set"
        " in any order, refuse gives the document no score.",
    )
    engine: Deciding = option(  # noqa: RUF009
        Deciding.EXACT,
        "What decides. cpsat and enumeration (up to 6 entities) are slow, and share no code with exact.",
    )

    def __post_init__(self) -> None:
        if self.contradictions is Contradictions.REPAIR:
            self.require_exact("repairs")

    def require_exact(self, what: str) -> None:
        """Raise UsageError if another engine was chosen for what only exact does."""
        from temporacle.reasoner.reference.engines import require_exact

        require_exact(self.engine.value, what)


@dataclass(frozen=True, slots=True)
class PairOptions(GraphOptions):
    """For metrics that compare relations pair by pair."""

    relaxed: bool = option(
        default=False,
        about="Give partial credit for relations that overlap.",
        signed="scheme",
        values=("strict", "relaxed"),
    )


def signature(subject: str, choices: Mapping[str, str]) -> str:
    """Return ``subject|choice:value|...`` with the versions of the program and of its solver.

    >>> signature("awareness", {"average": "micro", "empty": "0"}).split("|version:")[0]
    'awareness|average:micro|empty:0'
    """
    parts = [subject, *(f"{name}:{value}" for name, value in choices.items())]
    return "|".join((*parts, f"version:{__version__}", f"ortools:{_solver_version()}"))


@cache
def _solver_version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("ortools")
    except PackageNotFoundError:
        return "none"


def signature_of_all(signatures: Sequence[str]) -> str:
    """Return one signature of several scores. Where they differ, a part has the value of each, in order.

    >>> signature_of_all(["awareness|empty:0", "awareness|empty:0|skipped:0/2"])
    'awareness|empty:0|skipped:none,0/2'
    """
    known = [dict(part.partition(":")[::2] for part in each.split("|")) for each in signatures]
    parts = []
    for name in dict.fromkeys(name for each in sorted(known, key=len, reverse=True) for name in each):
        values = [each.get(name, "none") for each in known]
        parts.append(f"{name}:{values[0] if len(set(values)) == 1 else ','.join(values)}".removesuffix(":"))
    return "|".join(parts)
