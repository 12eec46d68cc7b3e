"""The options of metrics or programs as options of a command, made from what they declare.

A command with the decorator ``takes_options_of(...)`` gets one keyword ``chosen``: the given options, by name. An
option that was not given is not there, so that one that a metric does not have can be refused.
"""

from __future__ import annotations

import inspect
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from temporacle.commands.helping import OF_METRICS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from dataclasses import Field

    from temporacle.scoring.metric import MetricOptions

_SHORT_LIST = 6  # choices that stand beside the name of an option; more of them stand in its description


def of_metrics() -> dict[str, type[MetricOptions]]:
    """Return the options of every metric by name."""
    from temporacle.scoring.metric import METRICS, metric_named

    return {name: metric_named(name).options for name in METRICS}


def of_programs(names: Sequence[str]) -> dict[str, type[MetricOptions]]:
    """Return the options of programs by name; those for pairwise scores have the same, under one name."""
    from temporacle.scoring.official.registry import program_named

    programs = [program_named(name) for name in names]
    return {each.metric or each.name: each.options for each in programs}


def declared_options(owners: Mapping[str, type[MetricOptions]]) -> dict[str, tuple[Field[Any], list[str]]]:
    """Return every option of any owner by name, and the owners that have it."""
    found: dict[str, tuple[Field[Any], list[str]]] = {}
    for name, options in owners.items():
        for each in options.declared():
            found.setdefault(each.name, (each, []))[1].append(name)
    return found


def takes_options_of(
    owners: Mapping[str, type[MetricOptions]],
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator for Typer: the command gets each option of the owners in place of ``chosen``."""
    shared = declared_options(owners)

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        def called(**given: Any) -> None:
            values = {name: given.pop(name) for name in shared}
            command(**given, chosen={name: value for name, value in values.items() if value not in (None, [])})

        own = inspect.signature(command, eval_str=True)
        parameters: list[inspect.Parameter] = []
        for name, parameter in own.parameters.items():
            if name != "chosen":
                parameters.append(parameter)
                continue
            for option, metrics in shared.values():
                added = _parameter(option, metrics)
                if "metric" in own.parameters:
                    added.annotation.__metadata__[0].rich_help_panel = OF_METRICS + ", ".join(metrics)
                parameters.append(added)
        called.__name__, called.__doc__ = command.__name__, command.__doc__
        called.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
        called.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return called

    return decorate


def _parameter(declared: Field[Any], metrics: list[str]) -> inspect.Parameter:
    flag = "--" + declared.name.replace("_", "-")
    about = f"{declared.metadata['about']} For {', '.join(metrics)}."
    if isinstance(declared.default, StrEnum):
        several = bool(declared.metadata["several"])
        about += f" Default: {declared.default.value}{'; repeatable' * several}."
        values = list[type(declared.default)] if several else type(declared.default)  # type: ignore[misc]
        members = [each.value for each in type(declared.default)]
        is_long = len(members) > _SHORT_LIST
        about = f"{about} Choose {', '.join(members)}." if is_long else about
        metavar = declared.name.upper() if is_long else None
        kind: Any = Annotated[values | None, typer.Option(flag, help=about, metavar=metavar, show_default=False)]
    elif isinstance(declared.default, str | tuple):
        texts = list[str] if isinstance(declared.default, tuple) else str
        kind = Annotated[texts | None, typer.Option(flag, help=about, show_default=False, metavar=_metavar(declared))]
    else:
        kind = Annotated[bool | None, typer.Option(flag, help=about, show_default=False)]
    return inspect.Parameter(declared.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)


def _metavar(declared: Field[Any]) -> str:
    return declared.name.rpartition("_")[2].upper()
