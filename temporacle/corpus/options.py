"""The options that many tasks share, each declared once: how to read files, on which calendar, for how long, and where.

A task takes them as keywords (``**shared: Unpack[CorpusOptions]``), and ``Going.over(source, shared)`` is what they
mean for a source.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypedDict

from temporacle.corpus.inputs import Inputs, is_read, require_columns
from temporacle.declared import CALENDAR, MESSAGES, READING, RUNNING, About, float_of_seconds, require_choice
from temporacle.errors import UsageError, spelled
from temporacle.io.formats import format_named
from temporacle.io.source import Options, limits
from temporacle.model import Remark
from temporacle.rules import allowed_codes
from temporacle.runner import Backend, Plan

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from temporacle.calendar.policy import Calendar
    from temporacle.corpus.observer import Observer
    from temporacle.io.tools.mapping import ToolMapping
    from temporacle.readings import Reading
    from temporacle.runner.journal import Journal

Corpus: TypeAlias = Annotated[
    "Inputs",
    About(
        "Files or folders; - is standard input. In Python also documents, statements or a frame.",
        value="PATH...",
        path="read",
    ),
]
"""What a task is asked about, where it takes several documents."""


CalendarChoice: TypeAlias = Annotated[
    "str | bool | Calendar | None",
    About(
        "Use the values of time expressions. within (default): a value names a time in the unit; exact: the whole"
        " unit; document: the whole unit, except DCTs.",
        value="[POLICY]",
        group=CALENDAR,
        choices=("within", "document", "exact"),
    ),
]
HemisphereChoice: TypeAlias = Annotated[
    str | None,
    About(
        "Whose seasons 1998-SU names (default: unknown).",
        group=CALENDAR,
        choices=("north", "south", "unknown"),
    ),
]
ZoneChoice: TypeAlias = Annotated[
    str | None,
    About("Zone of values without one (default: unknown).", value="±HH:MM", group=CALENDAR),
]


ErrorChoice: TypeAlias = Annotated[
    str,
    About(
        "What to do with rows of lists, dicts and frames that cannot be used: raise an error, or skip them.",
        group=READING,
        default="raise",
        choices=("raise", "skip"),
        only_python=True,
    ),
]


class ReadingFiles(TypedDict, total=False):
    """How to read files."""

    format: Annotated[
        str | None,
        About("Read as this format; temporacle formats lists all.", value="FORMAT", group=READING),
    ]
    labels: Annotated[
        str | Reading | None,
        About(
            "Label set, such as thyme, or a TOML file.",
            value="LABELS",
            group=READING,
        ),
    ]
    during: Annotated[
        str,
        About(
            "What DURING means.",
            group=READING,
            default="simultaneous",
            choices=("simultaneous", "is_included"),
        ),
    ]
    encoding: Annotated[str | None, About("Encoding of text files, if not UTF-8.", value="ENCODING", group=READING)]
    keep_unknown: Annotated[bool, About("Keep links to ids that are not declared.", group=READING)]
    doctimerel: Annotated[bool, About("Read DocTimeRel as links to the document creation time (DCT).", group=READING)]
    mapping: Annotated[
        str | ToolMapping | None,
        About(
            "Names in files of tools: e3c, timeset, TOML file.",
            value="FILE|NAME",
            group=READING,
        ),
    ]
    columns: Annotated[
        str | Mapping[str, str] | None,
        About(
            "Columns of tables: document, source, relation, target, id, weight; such as relation=pred.",
            value="ROLE=HEADER,...",
            group=READING,
        ),
    ]
    on_error: ErrorChoice
    config: Annotated[
        str | None,
        About("A project file, for what is not chosen here.", value="FILE", group=READING),
    ]
    read_limit: Annotated[
        Sequence[str],
        About(
            "Raise a limit: line, cell, document, file (line=256M) or expansion (a number).",
            value="NAME=SIZE",
            group=READING,
            default=(),
        ),
    ]


class Allowing(TypedDict, total=False):
    """What may be skipped."""

    allow: Annotated[
        str | Sequence[str],
        About("Let links skipped for this reason pass; repeatable.", value="CODE", group=MESSAGES, default=()),
    ]


class TimeLimit(TypedDict, total=False):
    """How long a document may take."""

    time_limit: Annotated[
        float | str | None,
        About(
            "Per document, such as 90, 1m or 1h; then undecided.",
            value="TIME",
            group=RUNNING,
            parse=float_of_seconds,
        ),
    ]


class OnCalendar(TypedDict, total=False):
    """How values of time expressions are used."""

    calendar: CalendarChoice
    hemisphere: HemisphereChoice
    zone: ZoneChoice


JobsChoice: TypeAlias = Annotated[
    int | None,
    About(
        "Processes (default: all cores; convert: 1).",
        value="N",
        group=RUNNING,
        least=1,
    ),
]


class Working(TypedDict, total=False):
    """Where the work is done."""

    jobs: JobsChoice
    backend: Annotated[
        str,
        About("On this machine or Dask.", group=RUNNING, default="local", choices=("local", "dask")),
    ]
    scheduler: Annotated[
        str | None,
        About(
            "Dask's address, such as tcp://host:8786.",
            value="ADDRESS",
            group=RUNNING,
        ),
    ]


class Resuming(TypedDict, total=False):
    """How a run goes on after an end."""

    resume: Annotated[
        str | None,
        About("Keep results in FILE, or continue from there.", value="FILE", path="file", group=RUNNING),
    ]


class FileOptions(ReadingFiles, Allowing, TimeLimit, OnCalendar, total=False):
    """What a task has that asks one document."""


class WorkingOptions(Allowing, TimeLimit, Working, total=False):
    """What a task has that reads files in its own way."""


class ConvertingOptions(ReadingFiles, WorkingOptions, total=False):
    """What a task has that reads documents and keeps them."""


class CorpusOptions(ReadingFiles, Allowing, TimeLimit, Working, Resuming, total=False):
    """What every task has that asks each document."""


class PageOptions(ReadingFiles, Allowing, Working, total=False):
    """What every task has that writes a page."""


class DatedPageOptions(PageOptions, OnCalendar, Resuming, total=False):
    """The options of a page about a corpus."""


class DatedOptions(CorpusOptions, OnCalendar, total=False):
    """The options of tasks that can use values of time expressions."""


@dataclass(frozen=True, slots=True)
class Going:
    """How a task goes over its source: the meaning of the shared options."""

    options: Options = Options()  # noqa: RUF009 - an immutable value
    limit: float | None = None
    calendar: Calendar | None = None
    plan: Plan = Plan()  # noqa: RUF009 - an immutable value
    resume: str | None = None

    @classmethod
    def over(cls, source: Inputs, shared: Mapping[str, Any], *others: Inputs) -> Going:
        """Return what the shared options of a task mean. Wrong ones raise UsageError at once."""
        options = reading_of(source, shared, *others)
        calendar = chosen_calendar(shared.get("calendar"), shared.get("hemisphere"), shared.get("zone"))
        if calendar is not None:
            options = replace(options, values=True)
        limit = seconds_of(shared.get("time_limit"))
        backend = shared.get("backend") or Backend.LOCAL
        require_choice("backend", backend, tuple(Backend))
        plan = Plan(shared.get("jobs"), Backend(backend), shared.get("scheduler"))
        return cls(options, limit, calendar, plan, shared.get("resume"))

    def journal(self, observer: Observer, task: str, *choices: object) -> Journal | None:
        """Return the checkpoint of a run. ``choices``: what can change the results besides the shared options."""
        if self.resume is None:
            return None
        from temporacle import __version__
        from temporacle.runner.journal import Journal

        told: set[str] = set()

        def changed(key: str) -> None:
            file = key.rpartition(":")[0] or key  # without the line that a slice begins at
            if file not in told:
                told.add(file)
                message = f"{file} has changed since it was last checked; it is checked again"
                observer.corpus_remark(Remark("changed-source", message))

        run = (__version__, task, self.options, self.limit, self.calendar, *choices)
        return Journal(self.resume, repr(run), changed)


USUAL = {"during": "simultaneous", "on_error": "raise", "backend": "local"}
"""The values of shared options that say nothing."""


def reading_of(source: Inputs, shared: Mapping[str, Any], *others: Inputs) -> Options:
    """Return how to read sources. Raise UsageError if all have been read already: the options would have no effect."""
    allowed_codes(shared.get("allow"))
    names = [name for name in ReadingFiles.__annotations__ if name in shared]
    chosen = {name: shared[name] for name in names}
    given = [
        name
        for name, value in chosen.items()
        if value not in (None, False, (), [], USUAL.get(name)) and name != "on_error"
    ]
    if given and all(map(is_read, (source, *others))):
        raise UsageError(
            f"{', '.join(map(spelled, given))}: options about reading have no effect on documents that have been read"
            " already; give them where the documents are read"
        )
    if chosen.get("format") is not None:
        format_named(chosen["format"])
    raised = chosen.pop("read_limit", None) or ()
    chosen["reading"] = chosen.pop("labels", None)
    options = Options(**chosen, **limits((raised,) if isinstance(raised, str) else raised))  # type: ignore[arg-type]
    require_columns(options, source, *others)
    return options


def seconds_of(limit: float | str | None) -> float | None:
    """Return the seconds of a time limit, which may be written as on the command line. Raise UsageError for others.

    >>> seconds_of("1m"), seconds_of(90), seconds_of(None)
    (60.0, 90, None)
    """
    if isinstance(limit, str):
        return float_of_seconds(limit)
    if limit is not None and not (isinstance(limit, int | float) and limit >= 0):
        raise UsageError(
            f"time_limit is {limit!r}; it must be a time such as 90, '1m' or '1h', from 0 on, or None for no limit"
        )
    return limit


def chosen_calendar(
    calendar: str | bool | Calendar | None,  # noqa: FBT001 - True is short for the default
    hemisphere: str | None = None,
    zone: str | None = None,
) -> Calendar | None:
    """Return how values are read; None if they are not used. Nothing is loaded then."""
    if not calendar:
        for option, value in (("hemisphere", hemisphere), ("zone", zone)):
            if value is not None:
                raise UsageError(option=option, needs=["calendar"])
        return None
    from temporacle.calendar.policy import calendar_of

    return calendar_of(calendar, hemisphere, zone)
