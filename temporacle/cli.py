"""The command line. Each command stands in its own module under ``commands``; this one puts them together."""

from __future__ import annotations

import atexit
import os
import re
import signal
import sys
import threading
import warnings
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, TextIO

import typer

from temporacle import __version__
from temporacle.commands.common import CONFIG, MOVED, complain
from temporacle.commands.options import GIVEN, Command, Commands, Declared
from temporacle.commands.spelling import as_option
from temporacle.errors import TemporacleError, UsageError, listed, nearest, spelling, unknown
from temporacle.old_names import old_options, renewed
from temporacle.overview import COMMANDS, OPTIONS, ExitCode

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# Modules of commands that are not called as the command.
_HOMES = {
    **dict.fromkeys(("apply", "convert", "fix", "verify"), "files"),
    **dict.fromkeys(("docs", "explain", "formats", "init"), "about"),
    **dict.fromkeys(("serve", "workbench"), "servers"),
    **dict.fromkeys(("bounds", "reduce"), "closure"),
    "agree": "score",
    "crosscheck": "audit",
}

_WITHOUT_PROJECT = {"verify", "explain", "docs", "formats", "init", "experiment", "crosscheck"}
_ON_CALENDAR = {"agree", "ask", "bounds", "check", "closure", "entails", "fix", "report", "score", "workbench"}
_WIDEST = 500  # columns of help: the width of the terminal decides
_BY_SIGNAL = 128  # exit codes from here on say by which signal a command ended
_LEAVING: list[int] = []  # the signal that ends this process, also if a library takes it for a fault of its own
# The base of all complaints about options. Typer may bring its own copy of click, so it is found, not imported.
_UsageProblem: Any = next(base for base in typer.BadParameter.__mro__ if base.__name__ == "ClickException")


def _print_version(value: bool) -> None:  # noqa: FBT001 - Typer calls it
    if value:
        typer.echo(f"temporacle {__version__}")
        raise typer.Exit


def about(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help=OPTIONS["--version"])
    ] = False,
    config: Annotated[
        str | None,
        typer.Option("--config", metavar="FILE", help=OPTIONS["--config FILE"]),
    ] = None,
    no_config: Annotated[bool, typer.Option("--no-config", help=OPTIONS["--no-config"])] = False,
    debug: Annotated[bool, typer.Option("--debug", help=OPTIONS["--debug"])] = False,
) -> None:
    """Declare the options that stand before a command."""


def application(arguments: Sequence[str]) -> typer.Typer:
    """Return the program for a command line. Only the command that it names is loaded, so that start-up is fast.

    The others have placeholders for messages and for the list of commands. If the command comes first, neither is
    printed.
    """
    app = typer.Typer(
        name="temporacle",
        cls=Commands,
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": _WIDEST},
    )
    app.callback()(about)
    words = (*arguments, *_words_to_complete())
    named = next((argument for argument in words if not argument.startswith("-")), None)
    is_settled = named in COMMANDS and words[0] == named
    for name, line in COMMANDS.items():
        if is_settled and name != named:
            continue
        app.command(name, cls=Command)(command(name) if name == named else _placeholder(line))
    return app


def _words_to_complete() -> list[str]:
    """Return the command line that a shell asks to complete, without the program; empty in an ordinary run."""
    if "_TEMPORACLE_COMPLETE" not in os.environ:
        return []
    line = os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS", "")
    return line.split()[1:]


def command(name: str) -> Callable[..., None]:
    """Return the function of a command."""
    from importlib import import_module

    module = _HOMES.get(name, name)
    found: Declared | Callable[..., None] = getattr(import_module(f"temporacle.commands.{module}"), name)
    return found.command if isinstance(found, Declared) else found


def _placeholder(line: str) -> Callable[[], None]:
    def not_loaded() -> None: ...

    not_loaded.__doc__ = line
    return not_loaded


def program() -> NoReturn:
    """Be the program: run the command line of this process, and end the process.

    The interpreter would look through all of its memory for garbage before it ends. That takes a tenth of a short run,
    and more if workers were copied from this process. So the process ends at once if that is safe: the output has been
    written, and what libraries have to do at the end is done here.
    """
    if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    code = exit_code(sys.argv[1:])
    if threading.active_count() > 1:  # a library has a thread that it ends itself
        sys.exit(code)
    atexit._run_exitfuncs()  # noqa: SLF001 - processes of ``multiprocessing`` end in the same way
    os._exit(code)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and leave with its exit code."""
    sys.exit(exit_code(sys.argv[1:] if arguments is None else arguments))


def exit_code(arguments: Sequence[str]) -> int:
    """Run the command line, write all output, and return the exit code."""
    _LEAVING.clear()
    signal.signal(signal.SIGTERM, _leave_tidily)
    warnings.showwarning = _show_warning
    # Documents are spread over processes, which a second thread in each would only disturb: numpy starts one if it may.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    closed = open_missing_streams()
    if closed:
        with suppress(OSError, ValueError):
            complain(f"temporacle: {closed} is closed; redirect it, for example to /dev/null")
        return ExitCode.UNDECIDED
    try:
        code = run(arguments)
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else ExitCode.UNDECIDED
    except Exception as error:  # noqa: BLE001 - only --debug lets one through
        import traceback

        with suppress(OSError, ValueError):
            traceback.print_exc()
        code = ExitCode.USAGE if isinstance(error, UsageError) else ExitCode.UNDECIDED
    return code_after_flushing(_BY_SIGNAL + _LEAVING[0] if _LEAVING else code)


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    """Print a warning of Python, such as one about a plugin, without the line of code that gave it."""
    complain(f"warning: {message}")


def _leave_tidily(number: int, _: object) -> NoReturn:
    """Clean up after a termination signal as after Ctrl-C: remove partial files, end workers.

    A second signal ends at once.
    """
    signal.signal(number, signal.SIG_DFL)
    _LEAVING.append(number)
    sys.exit(_BY_SIGNAL + number)


def run(arguments: Sequence[str]) -> int:
    """Run a command line and return its exit code. Tracebacks are shown only with ``--debug``."""
    debug = "--debug" in arguments
    plain = [argument for argument in arguments if argument != "--debug"]
    try:
        with spelling(as_option):
            return _run(plain, debug=debug)
    except KeyboardInterrupt:
        complain("interrupted")
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        return _reader_gone()
    except OSError as error:  # while complaining: standard error cannot be written
        if debug:
            raise
        _give_up(sys.stdout)
        with suppress(OSError, ValueError):
            complain(f"temporacle: {_unforeseen(error)}")
        return ExitCode.UNDECIDED
    finally:
        _forget_project()


def _run(arguments: Sequence[str], *, debug: bool) -> int:
    try:
        arguments, config, wants_config = _without_config(arguments)
        names = renewed(arguments)
        arguments = names.arguments
        MOVED.update(names.moved)
        if names.warning is not None:
            complain(names.warning)
        settings = _of_project(arguments, config) if wants_config else {}
        if "--calendar" in arguments:
            from temporacle.commands.options import with_policies

            arguments = with_policies(arguments)
        defaults: dict[str, Any] = {"default_map": settings} if settings else {}
        code = application(arguments)(args=arguments, prog_name="temporacle", standalone_mode=False, **defaults)
        sys.stdout.flush()
    except _UsageProblem as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            error.show()
            return int(error.exit_code)
        for line in _about_options(error):
            complain(line)
        return int(error.exit_code)
    except typer.Abort:
        raise KeyboardInterrupt from None
    except BrokenPipeError:
        return _reader_gone()
    except SystemExit as leaving:
        # Typer leaves with 1 when the pipe breaks, which would be a "no" here.
        if isinstance(leaving.__context__, BrokenPipeError):
            return _reader_gone()
        raise
    except TemporacleError as error:
        if debug:
            raise
        complain(f"temporacle: {error}")
        return ExitCode.USAGE if isinstance(error, UsageError) else ExitCode.UNDECIDED
    except Exception as error:
        _give_up(sys.stdout)
        if debug:
            raise
        if _LEAVING:
            return ExitCode.UNDECIDED
        complain(f"temporacle: {_unforeseen(error)}")
        return ExitCode.UNDECIDED
    return int(code or 0)


def _forget_project() -> None:
    """Leave nothing of the command line to the next run of this process, and no project file to calls from Python."""
    MOVED.clear()
    if CONFIG:
        from temporacle.io import project

        CONFIG.clear()
        project.ACTIVE.set(None)


def _without_config(arguments: Sequence[str]) -> tuple[list[str], str | None, bool]:
    """Return the command line without ``--config FILE`` and ``--no-config``, the file, and whether one is wanted."""
    kept: list[str] = []
    config, wanted = None, True
    words = iter(arguments)
    for word in words:
        if word == "--":
            return [*kept, word, *words], config, wanted
        if word == "--no-config":
            wanted = False
        elif word == "--config" or word.startswith("--config="):
            config = word.partition("=")[2] or next(words, "-")
            if config.startswith("-"):
                raise UsageError("give a project file", option="config")
        else:
            kept.append(word)
    return kept, config, wanted


def _of_project(arguments: Sequence[str], config: str | None) -> dict[str, Any]:
    """Return what the project file says about the run of a command: defaults of its options, by command."""
    command = next((each for each in arguments if not each.startswith("-")), "")
    if command not in COMMANDS or command in _WITHOUT_PROJECT:
        return {}
    from temporacle.io import project  # the list of commands needs no reader

    project.found_above.cache_clear()
    chosen = None if config is None else project.load(config)
    wants_calendar = command in _ON_CALENDAR and not any(each.startswith("--calendar") for each in arguments)
    wants_calendar = wants_calendar and project.have_calendar(_METRIC.findall("\n".join(arguments)))
    words = [each for each in arguments[1:] if not each.startswith("-")]
    used, keys = project.run_keys(words, chosen, with_calendar=wants_calendar)
    if not used:
        return {}
    project.ACTIVE.set(project.Projects(chosen))
    CONFIG["config"] = "+".join(each.digest for each in used)
    if not {"-q", "--quiet", "-h", "--help"} & set(arguments):
        complain(f"note: project file {', '.join(os.path.relpath(each.path) for each in used)} ({CONFIG['config']})")
    limit, allow = keys.get("time-limit"), keys.get("allow")
    found = {"budget": limit, "time_limit": limit, "jobs": keys.get("jobs"), "accept": allow, "allow": allow}
    if wants_calendar:
        found["calendar"] = keys.get("calendar")
    if command == "check":
        if "--write-baseline" not in " ".join(arguments) or os.path.exists(keys.get("baseline", "")):  # noqa: PTH110
            found["baseline"] = keys.get("baseline")
        found |= dict.fromkeys(("paths", "source"), used[0].included() or None)
    return {command: {name: value for name, value in found.items() if value is not None}}


def _about_options(error: Any) -> list[str]:
    """Return what to say about a command line that does not fit the declarations of its command."""
    context, command = error.ctx, getattr(error.ctx, "info_name", None)
    option = getattr(error, "option_name", None)
    parameter: Any = getattr(error, "param", None)
    choices = [str(getattr(each, "value", each)) for each in getattr(getattr(parameter, "type", None), "choices", ())]
    given = _CHOICE.match(getattr(error, "message", None) or "")
    if option is not None and context is not None and hasattr(context.command, "params"):
        known = {
            each: each
            for declared in context.command.params
            if not getattr(declared, "hidden", False)
            for each in (*declared.opts, *declared.secondary_opts)
        }
        known |= {old: new for old, new in old_options(command or "").items() if new in known}
        near = nearest(option, known)
        said = f"no such option: {option}." + (f" Did you mean {known[near]}?" if near else "")
    elif choices and given is not None:
        name, value = max(parameter.opts, key=len), given[1]
        is_file = name == "--output" and ("." in value or "/" in value)
        cure = f"To write to a file, use -o {value}." if is_file else ""
        said = (
            str(UsageError(option=name[2:], value=value, allowed=choices, cure=cure))
            if name.startswith("-")
            else str(unknown(name, value, choices))
        )
    elif choices and parameter.param_type_name == "argument":
        said = f"{parameter.make_metavar(context)} is missing: choose {listed(choices)}."
    elif type(error).__name__ == "MissingParameter" and getattr(parameter, "param_type_name", "") == "argument":
        said = _missing(command, parameter.make_metavar(context), context.meta.get(GIVEN, ()))
    else:
        said = error.format_message()
    see = "" if command == "temporacle" else f"{command} "
    return [f"temporacle: {said}", *([] if command is None else [f"See: temporacle {see}--help"])]


def _missing(command: str | None, name: str, words: Sequence[str]) -> str:
    """Return what to say about an argument that is not on a command line."""
    said = f"{name.strip('{}')} is missing"
    named = [each for each in words if not each.startswith("-")]
    if command == "official":
        from temporacle.scoring.official.registry import program_named

        if not named:
            return f"{said}: temporacle official --list prints the programs"
        try:
            program_named(named[0])
        except UsageError as error:
            return str(error)
    if command != "check":
        return said
    empty = "include in the project file matches no file: " if CONFIG else ""
    return f"{said}: {empty}name files or folders, or list them in a project file (temporacle init writes one)"


_METRIC = re.compile(r"^--metric[=\n](.*)$", re.MULTILINE)
_CHOICE = re.compile(r"'(.*)' is not one of ", re.DOTALL)  # how Typer begins to complain about a choice


# --- streams that cannot be written: never "no", never "yes" ---------------------------------------------------------


def open_missing_streams() -> str | None:
    """Open what was closed at the start, so that no other file can take its place; tells which stream it was."""
    missing = None
    for number, name in ((1, "stdout"), (2, "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), number)
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, "w", encoding="utf-8", closefd=False))
            missing = missing or {"stdout": "standard output", "stderr": "standard error"}[name]
    return missing


def code_after_flushing(code: int) -> int:
    """Return the exit code; if some output could not be written, return 141 or 3 instead.

    The interpreter would try again when it ends, and leave with a code of its own.
    """
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
            os.write(stream.fileno(), b"")  # a device that takes nothing fails here, even if there was nothing to say
        except BrokenPipeError:
            _give_up(stream)
            code = ExitCode.BROKEN_PIPE
        except (OSError, ValueError):
            _give_up(stream)
            code = ExitCode.UNDECIDED if code < _BY_SIGNAL else code
    return int(code)


def _reader_gone() -> int:
    """Return the exit code for an output that its reader has closed."""
    _give_up(sys.stdout)
    return ExitCode.BROKEN_PIPE


def _give_up(stream: TextIO) -> None:
    """Keep the interpreter from complaining about a stream once more when it closes it."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _unforeseen(error: Exception) -> str:
    """Return the message for an unexpected exception: a full disk, too little memory, a bug."""
    if isinstance(error, MemoryError):
        return "out of memory: nothing was decided; use fewer documents or --jobs 1"
    if isinstance(error, OSError) and error.strerror:
        place = f"{error.filename}: " if error.filename else ""
        return f"{place}{error.strerror}"
    return f"internal error: {type(error).__name__}: {error}; please report it with the traceback that --debug prints"
