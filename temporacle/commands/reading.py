"""The options about reading documents, declared once for all commands that have them.

A command with the decorator ``reads_documents()`` takes one keyword ``options``. On the command line it has all the
options below instead, in that place.
"""

from __future__ import annotations

import inspect
from contextlib import AbstractContextManager, nullcontext
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.models import ArgumentInfo

from temporacle.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from temporacle.commands.remarks import RemarkPrinter
    from temporacle.corpus.inputs import ReadingOptions
    from temporacle.io.source import Options as Options  # noqa: PLC0414 - commands take it from here
else:
    Options = RemarkPrinter = Any  # Typer wants to know every type, and a command line starts without the readers


class During(StrEnum):
    """The reading of TimeML's DURING."""

    SIMULTANEOUS = "simultaneous"
    IS_INCLUDED = "is_included"


def reading_options(
    *,
    format_name: Annotated[
        str | None,
        typer.Option("--format", metavar="FORMAT", help="Read as this format; temporacle formats lists all."),
    ] = None,
    reading: Annotated[
        str | None,
        typer.Option(
            "--labels",
            help="Label set, such as thyme, or a TOML file.",
        ),
    ] = None,
    during: Annotated[During, typer.Option("--during", help="TimeML's DURING.")] = During.SIMULTANEOUS,
    encoding: Annotated[str | None, typer.Option("--encoding", help="Encoding of text files, if not UTF-8.")] = None,
    keep_unknown: Annotated[
        bool, typer.Option("--keep-unknown", help="Keep links to ids that are not declared.")
    ] = False,
    doctimerel: Annotated[
        bool, typer.Option("--doctimerel", help="Read DocTimeRel as links to the creation time.")
    ] = False,
    mapping: Annotated[
        str | None,
        typer.Option(
            "--mapping",
            metavar="FILE|NAME",
            help="Names in files of tools: e3c, timeset, TOML file.",
        ),
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            "--columns",
            metavar="ROLE=HEADER,...",
            help="Columns of tables: document, source, relation, target, id, weight; such as relation=pred.",
        ),
    ] = None,
    read_limit: Annotated[
        list[str] | None,
        typer.Option(
            "--read-limit",
            metavar="NAME=SIZE",
            help="Raise a limit: line, cell, document, file (line=256M) or expansion (a number).",
        ),
    ] = None,
) -> Options:
    """Return the options of a command line as the readers expect them. Unknown names are refused at once."""
    from temporacle.io.formats import format_named
    from temporacle.io.source import Options, limits

    if format_name is not None:
        format_named(format_name)
    raised: dict[str, Any] = dict(limits(read_limit or ()))
    return Options(
        format=format_name,
        reading=reading,
        during=during.value,
        encoding=encoding,
        keep_unknown=keep_unknown,
        doctimerel=doctimerel,
        mapping=mapping,
        columns=columns,
        **raised,
    )


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
    from temporacle.commands.remarks import RemarkPrinter

    return RemarkPrinter(select or (), ignore or (), quiet=quiet, verbose=verbose)


def output_option(
    *,
    out: Annotated[
        str | None,
        typer.Option("-o", "--out", metavar="FILE", help="Write the output to this file."),
    ] = None,
) -> AbstractContextManager[None]:
    """Return a context in which a command prints its answer to the chosen place."""
    from temporacle.commands.common import Output, printing_to

    if out in set(Output):
        raise UsageError(f"this would write to a file called {out}. For the format, use --output {out}", option="out")
    return nullcontext() if out is None else printing_to(out)


def as_keywords(options: Options) -> ReadingOptions:
    """Return the same options as the functions of ``tasks`` take them."""
    from dataclasses import fields

    return {each.name: getattr(options, each.name) for each in fields(options)}  # type: ignore[return-value]


def _is_argument(parameter: inspect.Parameter) -> bool:
    described = getattr(parameter.annotation, "__metadata__", ())
    return any(isinstance(each, ArgumentInfo) for each in described)


def protect(read: Sequence[str | Sequence[str] | None], written: Sequence[str | None]) -> None:
    """Refuse to write over files that are read."""
    if any(written):
        from temporacle.io.listing import refuse_to_replace

        paths = [path for each in read if each for path in ([each] if isinstance(each, str) else each)]
        for target in written:
            refuse_to_replace(target, paths)


def _parameters(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    return dict(inspect.signature(function, eval_str=True).parameters)


def reads_documents(
    *, reads: bool = True, prints: bool = True, writes: Sequence[str] = (), **renamed: Any
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that gives a command options about reading and remarks instead of its keyword ``options``.

    ``renamed`` gives some of them another declaration. ``reads``: False for a command that reads files in a way of its
    own; it has the options about remarks and output only, and gets no ``options``. ``prints``: its answer is what it
    prints, so it has ``--out``; a command that writes something else declares that option itself. ``writes``:
    parameters that name other files to write. No output may take the place of a file that is read.
    """
    shared = _parameters(reading_options) if reads else {}
    about_remarks = _parameters(remark_options)

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = inspect.signature(command, eval_str=True)
        about_output = {} if prints is False else _parameters(output_option)
        arguments = [name for name, each in own.parameters.items() if _is_argument(each)]
        declared = [
            each.replace(annotation=renamed.get(name, each.annotation))
            for name, each in (shared | about_remarks | about_output).items()
        ]

        def called(**given: Any) -> None:
            from temporacle.commands.remarks import printing

            printer = remark_options(**{name: given.pop(name) for name in about_remarks})
            if reads:
                given["options"] = reading_options(**{name: given.pop(name) for name in shared})
            protect([given[name] for name in arguments], [given[name] for name in (*about_output, *writes)])
            with output_option(**{name: given.pop(name) for name in about_output}), printing(printer):
                command(**given)

        parameters: list[inspect.Parameter] = []
        for name, parameter in own.parameters.items():
            parameters += declared if name == "options" else [parameter]
        parameters += [] if reads else declared
        called.__name__, called.__doc__ = command.__name__, command.__doc__
        called.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
        called.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return called

    return decorate
