"""The layout of help: a value is called by what it is, not by its type, and the list of commands is not cut."""

from __future__ import annotations

from inspect import cleandoc
from typing import TYPE_CHECKING, Any

from typer.core import TyperCommand, TyperGroup, TyperOption

from temporacle.declared import CALENDAR, GROUPS, MESSAGES, OUTPUT, READING, RUNNING

if TYPE_CHECKING:
    from collections.abc import Mapping

_BY_TYPE = {"integer": "N", "integer range": "N", "float": "NUMBER", "float range": "NUMBER", "int": "N"}
_BY_TYPE |= {"int range": "N", "float_range": "NUMBER"}
_COLUMN = 26  # characters for an option before its help
# Where options are shown that do not come from the declaration of a task.
_HEADINGS = {
    **dict.fromkeys(
        ("--format", "--labels", "--during", "--encoding", "--keep-unknown", "--doctimerel", "--mapping", "--columns",
         "--read-limit", "--config"),
        READING,
    ),
    **dict.fromkeys(("--calendar", "--hemisphere", "--zone"), CALENDAR),
    **dict.fromkeys(("--output", "--out"), OUTPUT),
    "--engine": "",
    **dict.fromkeys(("--select", "--ignore", "--quiet", "--verbose", "--help"), MESSAGES),
    **dict.fromkeys(("--time-limit", "--jobs", "--backend", "--scheduler", "--resume"), RUNNING),
}  # fmt: skip
_ROOM = 50  # characters for choices before the help of an option
_GIVEN = "temporacle.given"  # the words after the command
_EXAMPLES = "For example:"
OF_METRICS = "Options of "
"""How the heading begins of options that only some metrics have. The names of the metrics follow."""


class Command(TyperCommand):
    """A command whose options have plain names for their values: ``--format FORMAT``, ``--seed N``."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        for option in self.params:
            if isinstance(option, TyperOption) and option.metavar is None and not option.is_flag:
                _name_value(option)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the command line, and keep it: the help depends on the metrics that it names."""
        ctx.meta[_GIVEN] = list(args)
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
        if _GIVEN not in ctx.meta or not any(map(_metrics_with, self.params)):
            return []
        from temporacle.scoring.metric import metric_named
        from temporacle.scoring.official.registry import WITH_EXACT_SCORE

        given, _, _ = self.make_parser(ctx).parse_args(args=list(ctx.meta[_GIVEN]))
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

    groups: Mapping[str, Mapping[str, str]] = {}

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list."""
        known = set(self.list_commands(ctx))
        for title, group in self.groups.items():
            rows = [(name, line) for name, line in group.items() if name in known]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows, col_max=max(map(len, known)))

    def format_epilog(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - Typer calls it
        """Write the table of exit codes."""
        from temporacle.commands.common import ExitCode

        with formatter.section("Exit codes"):
            formatter.write_dl([(str(int(code)), code.meaning) for code in ExitCode])
