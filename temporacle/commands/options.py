"""Commands made from the declarations of tasks: parameters of a command = those of its task + those of printing.

    @runs("closure", writes=["certificate"])
    def closure(run: Run, *, output: OutputOption = Output.TABLE) -> int: ...

The function prints what the task yields, and returns the exit code. Its own keywords are about printing. On the command
line it has the options that the task declares, then its own, then those about messages, and ``--out``.
"""

from __future__ import annotations

import inspect
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from temporacle.commands.reading import output_option, remark_options
from temporacle.declared import GROUPS, MESSAGES, OUTPUT, Parameter, parameters_of
from temporacle.errors import UsageError
from temporacle.tasks import task_named

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping, Sequence

    from temporacle.commands.watching import Watcher
    from temporacle.declared import Task


class Run:
    """One run of a task, as the command line asks for it. Iterating yields the answers, with a bar and messages."""

    def __init__(self, task: Task[..., Any, Any], given: Mapping[str, Any]) -> None:
        self.task, self.given = task, given
        named = [given[each.name] for each in parameters_of(task).values() if each.is_positional]
        self.paths: list[str] = [] if not named else named[0] if isinstance(named[0], list) else [named[0]]
        self.watcher: Watcher | None = None  # another one than usual

    @property
    def has_heard_trouble(self) -> bool:
        """Return whether something could not be used."""
        return self.watcher is not None and self.watcher.has_heard_trouble

    def __getitem__(self, name: str) -> Any:
        return self.given[name]

    def changed(self, **given: Any) -> Run:
        """Return the run with some other values."""
        found = Run(self.task, {**self.given, **given})
        found.watcher = self.watcher
        return found

    def __iter__(self) -> Generator[Any, None, None]:
        """Return the answers. Options that cannot be meant raise an error at once."""
        from temporacle.commands.watching import Watcher

        watcher = self.watcher or Watcher(*self.paths)
        return self._watched(self.task.each(**self.given, observer=watcher), watcher)

    def whole(self) -> Any:
        """Return the only answer of a task."""
        from temporacle.commands.running import telling_of_interrupts
        from temporacle.commands.watching import Watcher

        self.watcher = self.watcher or Watcher(*self.paths)
        with telling_of_interrupts(self.given.get("resume")):
            return self.task(**self.given, observer=self.watcher)

    def _watched(self, found: Iterator[Any], watcher: Watcher) -> Generator[Any, None, None]:
        from temporacle.commands.running import telling_of_interrupts

        with telling_of_interrupts(self.given.get("resume")), watcher.over():
            yield from found


def runs(
    name: str, *, prints: bool = True, reads: bool = True, writes: Sequence[str] = ()
) -> Callable[[Callable[..., int]], Callable[..., None]]:
    """Return a decorator that makes a command of a function which prints the answers of a task.

    ``reads``: it reads documents, so it has the options about messages. ``prints``: its answer is what it prints, so it
    has ``--out``. ``writes``: parameters that name other files to write. No output may take the place of a file that is
    read.
    """
    task = task_named(name)
    declared = {each: about for each, about in parameters_of(task).items() if not about.about.only_python}

    def decorate(command: Callable[..., int]) -> Callable[..., None]:
        own = [each for each in inspect.signature(command, eval_str=True).parameters.values() if each.name != "run"]
        about_remarks, about_output = _grouped(remark_options, MESSAGES), _grouped(output_option, OUTPUT)
        if not prints:
            about_output = {}
        if not reads:
            about_remarks = {}

        def called(**given: Any) -> None:
            from temporacle.commands.reading import protect
            from temporacle.commands.remarks import printing

            printer = remark_options(**{each: given.pop(each) for each in about_remarks})
            read = [given[each.name] for each in declared.values() if each.is_positional]
            protect(read, [given[each] for each in (*about_output, *writes)])
            place = output_option(**{each: given.pop(each) for each in about_output})
            asked = {each.name: _value(each, given.pop(each.name)) for each in declared.values()}
            with place, printing(printer):
                code = command(Run(task, asked), **given)
            raise typer.Exit(code)

        options = [_option(each) for each in declared.values()]
        shown = [*options, *own, *about_output.values(), *about_remarks.values()]
        parameters = sorted(shown, key=_place)
        called.__name__, called.__doc__ = command.__name__, command.__doc__
        called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        called.__annotations__ = {each.name: each.annotation for each in parameters}
        return called

    return decorate


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
    return (not is_argument, GROUPS.index(described.rich_help_panel or ""))


def _option(each: Parameter) -> inspect.Parameter:
    """Return a declared parameter as Typer reads it."""
    about = each.about
    kind: Any = StrEnum(each.name, {name: name for name in about.choices}) if about.choices else each.type
    shown: dict[str, Any] = {"help": each.text(lambda name: f"--{name.replace('_', '-')}"), "metavar": about.value}
    if each.is_many:
        kind = list[kind]
    default = None if each.is_required or each.default in ((), None) else each.default
    if each.about.choices and default is not None:
        default = kind(default)
    if default is None and not (each.is_positional and each.is_required):
        kind = kind | None
    if each.is_positional:
        described: Any = typer.Argument(**shown)
        default = inspect.Parameter.empty if each.is_required else default
    else:
        spelled = f"{each.option}/--no-{each.option[2:]}" if _can_be_denied(each) else each.option
        names = [spelled] if about.short is None else [about.short, spelled]
        described = typer.Option(
            *names,
            **shown,
            rich_help_panel=about.group or None,
            hidden=about.hidden,
            parser=None if about.parse is None else _parser(about.parse),
            min=about.least,
            max=about.most,
            show_default=not each.may_be_unset,
        )
    place = inspect.Parameter.POSITIONAL_OR_KEYWORD if each.is_positional else inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(each.name, place, default=default, annotation=Annotated[kind, described])


def _parser(parse: Callable[[str], Any]) -> Callable[[str], Any]:
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
        return each.default
    if each.about.choices:
        return [one.value for one in value] if each.is_many else value.value
    return value
