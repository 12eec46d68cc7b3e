"""Commands made from the declarations of tasks: parameters of a command = those of its task + those of printing.

    @runs("closure")
    def closure(run: Run, *, output: OutputOption = Output.TABLE) -> int: ...

The function prints what the task yields, and returns the exit code. Its own keywords are about printing. On the command
line it has the options that the task declares, then its own, then those about messages, and ``--out``.
"""

from __future__ import annotations

import inspect
import os
import re
from contextlib import AbstractContextManager, contextmanager, nullcontext
from enum import StrEnum
from functools import cached_property
from inspect import cleandoc
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

from temporacle.commands.common import FORMS, MOVED, complain, printing_to
from temporacle.declared import (
    CALENDAR,
    GROUPS,
    MESSAGES,
    OF_METRICS,
    OUTPUT,
    RUNNING,
    STANDARD_INPUT,
    Parameter,
    parameters_of,
    shared_parameters,
)
from temporacle.errors import UsageError
from temporacle.tasks import task_named

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence

    from temporacle.commands.terminal import RemarkPrinter, Watcher
    from temporacle.corpus.inputs import ReadingOptions
    from temporacle.declared import Task
    from temporacle.io.source import Options
else:
    RemarkPrinter = Any  # the signatures below are read at run time


class Run:
    """One run of a task, as the command line asks for it. Iterating yields the answers, with a bar and messages."""

    def __init__(self, task: Task[..., Any, Any], given: Mapping[str, Any]) -> None:
        self.task, self.given = task, {**given, **MOVED}
        declared = parameters_of(task).values()
        named = [given[each.name] for each in declared if each.is_positional and each.name in given]
        self.paths: list[str] = [] if not named else named[0] if isinstance(named[0], list) else [named[0]]
        self._spread = next((each.name for each in declared if each.is_spread), None)

    @cached_property
    def watcher(self) -> Watcher:
        """Return what hears of the run; another one may be set."""
        from temporacle.commands.terminal import Watcher

        return Watcher(*self.paths)

    @property
    def has_heard_trouble(self) -> bool:
        """Return whether something could not be used."""
        return self.watcher.has_heard_trouble

    def __getitem__(self, name: str) -> Any:
        return self.given[name]

    def changed(self, **given: Any) -> Run:
        """Return the run with some other values."""
        found = Run(self.task, {**self.given, **given})
        found.watcher = self.watcher
        return found

    def of(self, name: str, **given: Any) -> Run:
        """Return the run of another task with the values that are its parameters, and these."""
        task = task_named(name)
        known = parameters_of(task)
        found = Run(task, {each: value for each, value in {**self.given, **given}.items() if each in known})
        found.watcher = self.watcher
        return found

    def started(self) -> Any:
        """Return what the task yields, as it is. Options that cannot be meant raise an error at once."""
        return self.task.each(**self.given, observer=self.watcher)

    def __iter__(self) -> Generator[Any, None, None]:  # noqa: PYI058 - callers close it
        return self._watched(self.started())

    def _watched(self, found: Iterator[Any]) -> Generator[Any, None, None]:
        with telling_of_interrupts(self.given.get("resume")), self.watcher.over():
            yield from found

    def whole(self) -> Any:
        """Return the only answer of a task."""
        given = dict(self.given)
        spread = [] if self._spread is None else given.pop(self._spread)
        with telling_of_interrupts(self.given.get("resume")), self.watcher.over():
            return self.task(*spread, **given, observer=self.watcher)


@contextmanager
def telling_of_interrupts(resume: str | None = None) -> Iterator[None]:
    """Print a message when the user presses Ctrl-C, and how to continue with the checkpoint at ``resume``."""
    try:
        yield
    except KeyboardInterrupt:
        complain(
            "interrupted" if resume is None else f"interrupted; run the same command again to continue from {resume}"
        )
        raise


class Declared:
    """A command that is made from the declaration of its task when it is asked for: some modules hold several."""

    def __init__(self, make: Callable[[], Callable[..., None]]) -> None:
        self._make = make

    @cached_property
    def command(self) -> Callable[..., None]:
        """Return the command."""
        return self._make()


def runs(
    name: str, *others: str, prints: bool = True, reads: bool = True, writes: Sequence[str] = ()
) -> Callable[[Callable[..., int]], Declared]:
    """Return a decorator that makes a command of a function which prints the answers of a task.

    ``others``: tasks that it runs as well; it has their options, too.
    ``reads``: it reads documents, so it has the options about messages. ``prints``: its answer is what it prints, so it
    has ``--out``. ``writes``: parameters of printing that name other files to write. No output may take the place of a
    file that is read.
    """

    def made(command: Callable[..., int]) -> Callable[..., None]:
        task = task_named(name)
        declared = {
            each.name: each
            for number, one in enumerate((name, *others))
            for each in parameters_of(task_named(one)).values()
            if not each.about.only_python and not (number and each.is_positional and each.about.place != "argument")
        }
        own = [each for each in inspect.signature(command, eval_str=True).parameters.values() if each.name != "run"]
        about_remarks, about_output = _grouped(remark_options, MESSAGES), _grouped(output_option, OUTPUT)
        if not prints:
            about_output = {}
        if not reads:
            about_remarks = {}

        def called(**given: Any) -> None:
            from temporacle.commands.terminal import printing

            printer = remark_options(**{each: given.pop(each) for each in about_remarks})
            _refuse_form(given)
            paths = {each.name: each.about.path for each in declared.values() if each.about.path}
            read = [given[name] for name, kind in paths.items() if kind == "read"]
            written = {name: kind for name, kind in paths.items() if kind != "read"}
            written |= dict.fromkeys((*about_output, *writes), "file")
            refuse_paths(read, [(given[name], kind) for name, kind in written.items()], keeps="in_place" not in given)
            place = output_option(**{each: given.pop(each) for each in about_output})
            asked = {each.name: _value(each, given.pop(each.name)) for each in declared.values()}
            if asked.get("allow"):
                from temporacle.rules import allowed_codes

                printer.allowed = allowed_codes(asked["allow"])
            with place, printing(printer):
                code = command(Run(task, asked), **given)
            raise typer.Exit(code)

        options = [_option(each) for each in declared.values()]
        _shows(called, command, [*options, *own, *about_output.values(), *about_remarks.values()])
        return called

    return lambda command: Declared(lambda: made(command))


def remark_options(
    *,
    select: Annotated[
        list[str] | None,
        typer.Option("--select", metavar="CODE", help="Print only messages with this code; repeatable."),
    ] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option(
            "--ignore",
            metavar="CODE",
            help="Print none with this code; repeatable.",
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print no messages. Skipped links still count.")] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Print all messages, not only three of each code.")
    ] = False,
) -> RemarkPrinter:
    """Return the printer of remarks that a command line asks for. Unknown codes are refused at once."""
    from temporacle.commands.terminal import RemarkPrinter

    return RemarkPrinter(select or (), ignore or (), quiet=quiet, verbose=verbose)


def output_option(
    *,
    out: Annotated[
        str | None,
        typer.Option("-o", "--out", metavar="FILE", help="Write the output to this file."),
    ] = None,
) -> AbstractContextManager[None]:
    """Return a context in which a command prints its answer to the chosen place."""
    return nullcontext() if out is None else printing_to(out)


def refuse_paths(
    read: Sequence[str | Sequence[str] | None], written: Sequence[tuple[str | None, str]], *, keeps: bool = True
) -> None:
    """Refuse files to read that are missing, files that cannot be written, and to write over files that are read.

    ``keeps``: the task has no way to change files that it reads.
    """
    paths = [path for each in read if each for path in ([each] if isinstance(each, str) else each)]
    paths = [path for path in paths if path != STANDARD_INPUT]
    if missing := [path for path in paths if not os.path.lexists(path)]:
        raise UsageError(f"no such file or folder: {', '.join(missing)}")
    targets = [
        (target, kind) for target, kind in written if target and target != STANDARD_INPUT
    ]  # - is standard output, too
    if targets:
        from temporacle.io.files import require_writable
        from temporacle.io.listing import refuse_to_replace

        for target, kind in targets:
            require_writable(target, kind)
            if keeps:
                refuse_to_replace(target, paths)


_ONLY_PATHS = {
    "check",
    "closure",
    "diff",
    "fix",
    "report",
    "score",
    "stats",
    "workbench",
}  # their other arguments are paths
_POLICIES = ("within", "document", "exact")


def with_policies(arguments: Sequence[str]) -> list[str]:
    """Return a command line in which each ``--calendar`` has its policy: the word after it if that is one, otherwise
    within. A wrong policy stays one, to be refused as such.

    >>> with_policies(["check", "--calendar", "gold/"])
    ['check', '--calendar=within', 'gold/']
    >>> with_policies(["check", "--calendar", "exact", "gold/", "--", "--calendar"])
    ['check', '--calendar=exact', 'gold/', '--', '--calendar']
    """
    found: list[str] = []
    policies = set(_POLICIES)
    only_paths = bool(arguments) and arguments[0] in _ONLY_PATHS
    end = arguments.index("--") if "--" in arguments else len(arguments)
    place = 0
    while place < end:
        word = arguments[place]
        place += 1
        if word == "--calendar":
            policy = _POLICIES[0]
            if place < end and (arguments[place] in policies or (only_paths and _is_word(arguments[place]))):
                policy = arguments[place]
                place += 1
            word = f"--calendar={policy}"
        found.append(word)
    return [*found, *arguments[end:]]


def _is_word(argument: str) -> bool:
    """Return whether an argument can only be a policy, though a wrong one: it is neither an option nor a path."""
    return argument.isalpha() and not os.path.lexists(argument)


def _refuse_form(given: Mapping[str, Any]) -> None:
    """Refuse the name of a form of output as the name of a file."""
    if (out := given.get("out")) in FORMS:
        form = f"for the format, use --output {out}; " if "output" in given else ""
        raise UsageError(f"this is a format: {form}for a file of that name, write ./{out}", option="out", value=out)


def writes_output(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command that runs no task the option ``--out``."""
    about_output = _grouped(output_option, OUTPUT)

    def called(**given: Any) -> None:
        _refuse_form(given)
        with output_option(out=given.pop("out")):
            command(**given)

    _shows(called, command, [*inspect.signature(command, eval_str=True).parameters.values(), *about_output.values()])
    return called


def reads_documents(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command that runs no task the options about reading and messages instead of its keyword ``options``.

    A command with the keyword ``calendar`` gets the options about values of times as well.
    """
    from temporacle.corpus.options import OnCalendar, ReadingFiles

    own = inspect.signature(command, eval_str=True).parameters
    has_calendar = "calendar" in own
    shared = shared_parameters(ReadingFiles) | (shared_parameters(OnCalendar) if has_calendar else {})
    declared = {name: each for name, each in shared.items() if not each.about.only_python}
    about_remarks = _grouped(remark_options, MESSAGES)

    def called(**given: Any) -> None:
        from temporacle.commands.terminal import printing
        from temporacle.corpus.options import chosen_calendar, reading_of

        printer = remark_options(**{each: given.pop(each) for each in about_remarks})
        shared = {each.name: _value(each, given.pop(each.name)) for each in declared.values()}
        about_values = {name: shared.pop(name) for name in OnCalendar.__annotations__ if has_calendar}
        if has_calendar:
            given["calendar"] = chosen_calendar(**about_values)
        with printing(printer):
            command(**given, options=reading_of((), shared))

    kept = [each for name, each in own.items() if name not in {"options", "calendar"}]
    _shows(called, command, [*kept, *map(_option, declared.values()), *about_remarks.values()])
    return called


def as_keywords(options: Options) -> ReadingOptions:
    """Return the options as the functions of ``tasks`` take them."""
    from dataclasses import fields

    return {each.name: getattr(options, each.name) for each in fields(options)}  # type: ignore[return-value]


def _shows(called: Any, command: Callable[..., Any], parameters: Iterable[inspect.Parameter]) -> None:
    """Let Typer read the name, the text and the parameters of a command from what it calls."""
    parameters = sorted(parameters, key=_place)
    called.__name__, called.__doc__ = command.__name__, command.__doc__
    called.__signature__ = inspect.Signature(parameters)
    called.__annotations__ = {each.name: each.annotation for each in parameters}


def _grouped(function: Callable[..., Any], group: str) -> dict[str, inspect.Parameter]:
    """Return the parameters of a function, as options under a heading of the help."""
    found = dict(inspect.signature(function, eval_str=True).parameters)
    for each in found.values():
        each.annotation.__metadata__[0].rich_help_panel = group
    return found


def _place(parameter: inspect.Parameter) -> tuple[bool, int]:
    """Return where a parameter stands: arguments first, then the options by their headings."""
    described = parameter.annotation.__metadata__[0]
    is_argument = isinstance(described, typer.models.ArgumentInfo)
    group = described.rich_help_panel or ""
    return (not is_argument, GROUPS.index(group) if group in GROUPS else 0)


_FOR_PYTHON = re.compile(r" In Python [^.]*+(?:\.|\Z)")  # a sentence that a command line needs not


def _option(each: Parameter) -> inspect.Parameter:
    """Return a declared parameter as Typer reads it."""
    about = each.about
    kind: Any = StrEnum(each.name, {name: name for name in about.choices}) if about.choices else each.type
    text = _FOR_PYTHON.sub("", each.text(lambda name: f"--{name.replace('_', '-')}"))
    shown: dict[str, Any] = {"help": text, "metavar": about.value}
    if each.is_many:
        kind = list[kind]
    default = None if each.is_required or each.is_many or each.default in ((), None) else each.default
    if each.about.choices and default is not None:
        default = kind(default)
    is_required = each.is_positional and each.is_required and not about.place
    if default is None and not is_required:
        kind = kind | None
    if each.is_positional:
        described: Any = typer.Argument(**shown)
        default = inspect.Parameter.empty if is_required else default
    else:
        spelled = f"{each.option}/--no-{each.option[2:]}" if _can_be_denied(each) else each.option
        names = [spelled] if about.short is None else [about.short, spelled]
        described = typer.Option(
            *names,
            **shown,
            rich_help_panel=about.group or None,
            hidden=about.hidden,
            parser=None if about.parse is None else parser(about.parse),
            min=about.least,
            max=about.most,
            show_default=not each.may_be_unset,
        )
    place = inspect.Parameter.POSITIONAL_OR_KEYWORD if each.is_positional else inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(each.name, place, default=default, annotation=Annotated[kind, described])


def parser(parse: Callable[[str], Any]) -> Callable[[str], Any]:
    """Return a parser whose complaints name the option."""

    def parsed(text: str) -> Any:
        try:
            return parse(text)
        except UsageError as error:
            raise typer.BadParameter(str(error)) from None

    return parsed


def _can_be_denied(each: Parameter) -> bool:
    return each.type is bool and (each.default is True or each.may_be_unset)


def _value(each: Parameter, value: Any) -> Any:
    """Return a value of the command line as the task takes it."""
    if value is None:
        return None if each.is_required else each.default
    if each.about.choices:
        return [one.value for one in value] if each.is_many else value.value
    return value


_BY_TYPE = {"integer": "N", "integer range": "N", "float": "NUMBER", "float range": "NUMBER", "int": "N"}
_BY_TYPE |= {"int range": "N", "float_range": "NUMBER"}
_COLUMN = 26  # characters for an option before its help
# Where options are shown that do not come from the declaration of a task.
_HEADINGS = {
    **dict.fromkeys(("--calendar", "--hemisphere", "--zone"), CALENDAR),
    **dict.fromkeys(("--output", "--out"), OUTPUT),
    "--engine": "",
    "--help": MESSAGES,
    "--time-limit": RUNNING,
}
_ROOM = 50  # characters for choices before the help of an option
GIVEN = "temporacle.given"  # the words after the command
_EXAMPLES = "For example:"


class Command(TyperCommand):
    """A command whose options have plain names for their values: ``--format FORMAT``, ``--seed N``."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        for option in self.params:
            if isinstance(option, TyperOption) and option.metavar is None and not option.is_flag:
                _name_value(option)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the command line, and keep it: the help depends on the metrics that it names."""
        ctx.meta[GIVEN] = list(args)
        return super().parse_args(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help of the command; if metrics are named, that of their own options."""
        metrics = self._metrics_named(ctx)
        if not metrics:
            super().format_help(ctx, formatter)
            return
        self.format_usage(ctx, formatter)
        for metric in metrics:
            own = [each for each in self.get_params(ctx) if metric in _metrics_with(each)]
            records = [record for each in own if (record := each.get_help_record(ctx)) is not None]
            _section(formatter, f"{OF_METRICS}{metric}", records or [("none", "It has no options of its own.")])
        formatter.write_paragraph()
        formatter.write_text(f"All other options: {ctx.command_path} --help")

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the line of usage in pieces, without braces around what is required."""
        return [each.strip("{}") for each in super().collect_usage_pieces(ctx)]

    def format_help_text(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - Typer calls it
        """Write what the command does, then its examples, without lines between them."""
        text, heading, examples = cleandoc(self.help or "").partition(_EXAMPLES)
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(text + heading)
            with formatter.indentation():
                for example in filter(None, (each.strip() for each in examples.split("\n\n"))):
                    formatter.write_text(example)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments, then the options under their headings: the command's own first, none of one metric."""
        for title, records in self.sections(ctx).items():
            if records and not title.startswith(OF_METRICS):
                _section(formatter, title or "Options", records)

    def sections(self, ctx: Any) -> dict[str, list[tuple[str, str]]]:
        """Return arguments and options with their help, by heading."""
        groups: dict[str, list[tuple[str, str]]] = {"Arguments": [], "": [], **{name: [] for name in GROUPS if name}}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                is_option = isinstance(parameter, TyperOption) or parameter.param_type_name == "option"
                heading = _HEADINGS.get(max(parameter.opts, key=len))
                panel = getattr(parameter, "rich_help_panel", None) or heading or ""
                panel = heading if heading is not None and _metrics_with(parameter) else panel
                groups.setdefault(panel if is_option else "Arguments", []).append(record)
        return groups

    def _metrics_named(self, ctx: Any) -> list[str]:
        """Return the metrics that the command line names, if some options belong to metrics.

        Raise UsageError for a name that no metric has.
        """
        if GIVEN not in ctx.meta or not any(map(_metrics_with, self.params)):
            return []
        from temporacle.scoring.metric import WITH_EXACT_SCORE, metric_named

        given, _, _ = self.make_parser(ctx).parse_args(args=list(ctx.meta[GIVEN]))
        named = list(dict.fromkeys(given.get("metric") or ()))
        for metric in named:
            if metric not in WITH_EXACT_SCORE:
                metric_named(metric)
        return named


def _metrics_with(parameter: Any) -> list[str]:
    """Return the metrics that have an option; none for an option of the command."""
    panel = getattr(parameter, "rich_help_panel", None) or ""
    return panel.removeprefix(OF_METRICS).split(", ") if panel.startswith(OF_METRICS) else []


def _section(formatter: Any, title: str, records: list[tuple[str, str]]) -> None:
    with formatter.section(title):
        formatter.write_dl(records, col_max=_COLUMN)


def _name_value(option: TyperOption) -> None:
    """Say what an option's value is called, or list the choices: in its place if there is room, else in the help."""
    name = max(option.opts, key=len).lstrip("-").upper().replace("-", "_")
    choices = [str(getattr(each, "value", each)) for each in getattr(option.type, "choices", ())]
    if not choices:
        option.metavar = _BY_TYPE.get(option.type.name, name)
    elif len("|".join(choices)) > _ROOM:
        option.metavar = name
        if not all(each in (option.help or "") for each in choices):
            option.help = f"{option.help or ''} Choices: {', '.join(choices)}.".strip()


class Commands(TyperGroup):
    """The list of commands in groups, each with its whole summary."""

    def get_help(self, ctx: Any) -> str:  # noqa: ARG002 - Typer calls it
        """Return the page about all commands, without its last line break."""
        from temporacle.overview import page

        return page().rstrip("\n")
