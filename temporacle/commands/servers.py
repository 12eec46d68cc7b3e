"""``temporacle serve`` and ``workbench``: the reasoner inside other tools, and a corpus in the browser."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from temporacle.commands.common import ExitCode, complain, printable
from temporacle.commands.options import as_keywords, parser, reads_documents
from temporacle.declared import float_of_seconds
from temporacle.errors import UsageError, without_extra
from temporacle.printing import first_of

if TYPE_CHECKING:
    from temporacle.workbench.bench import Setup, Workbench


class Served(StrEnum):
    """What can be served."""

    MCP = "mcp"
    LABEL_STUDIO = "label-studio"
    INCEPTION = "inception"


@reads_documents
def serve(
    server: Annotated[Served, typer.Argument(metavar="NAME", help="mcp, label-studio or inception.")],
    *,
    host: Annotated[
        str, typer.Option("--host", help="Address to listen at. Others than this machine: with a token.")
    ] = ("127.0.0.1"),
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port to listen at; 0: any free one.")] = 9090,
    token: Annotated[
        str | None,
        typer.Option(
            "--token", envvar="TEMPORACLE_TOKEN", show_envvar=True, help="Answer only requests that have this token."
        ),
    ] = None,
    write_notes: Annotated[
        str | None,
        typer.Option(
            "--write-notes",
            metavar="URL",
            help="label-studio: write conflicts on the regions of annotations, with the token in LABEL_STUDIO_TOKEN.",
        ),
    ] = None,
    budget: Annotated[
        float,
        typer.Option("--time-limit", parser=parser(float_of_seconds), metavar="TIME", help="Time limit per question."),
    ] = 10,
    calendar: Any,
    options: Any,
) -> None:
    """Serve the reasoner inside other tools: language models (mcp), Label Studio, INCEpTION.

    `serve mcp` speaks the Model Context Protocol on standard input and output; a client starts it. Its tools work on
    statements in the call itself, so that it opens no file and no connection. The others are HTTP servers; the first
    line on standard output is the address. They log one line for each request, and never a body or a token.

    For example:

      temporacle serve mcp

      temporacle serve label-studio --port 9090 --write-notes http://127.0.0.1:8080

      temporacle serve inception --host 0.0.0.0 --token SECRET
    """
    if write_notes is not None and server is not Served.LABEL_STUDIO:
        raise UsageError("--write-notes belongs to serve label-studio")
    if server is Served.MCP:
        _mcp()
        return
    try:
        from temporacle.servers.door import require_token, run
    except ImportError as error:
        raise without_extra("serve", "serve") from error
    require_token(host, token)
    options, calendar = _of_the_project(options, calendar)
    if server is Served.INCEPTION:
        from temporacle.servers.inception import application

        app = application(options, seconds=budget, calendar=calendar)
    else:
        from temporacle.servers.label_studio import Notes
        from temporacle.servers.label_studio import application as label_studio

        target = None if write_notes is None else Notes(write_notes, _label_studio_token(write_notes))
        app = label_studio(options, seconds=budget, notes=target, calendar=calendar)
    run(app, host=host, port=port, token=token, opened=_opened)


def _of_the_project(options: Any, calendar: Any) -> tuple[Any, Any]:
    """Return options and calendar with what the project file of the working folder says."""
    from temporacle.corpus.options import chosen_calendar

    project = None if options.projects is None else options.projects.above(os.curdir)
    if project is None:
        return options, calendar
    if calendar is None:
        calendar = chosen_calendar(project.reading(os.curdir).get("calendar"), None, None)
    return options.projects.options_for(os.curdir, options), calendar


def _label_studio_token(url: str) -> str:
    if not url.startswith(("http://", "https://")):
        raise UsageError(f"--write-notes {url}: give the address of Label Studio, such as http://127.0.0.1:8080")
    if not (token := os.environ.get("LABEL_STUDIO_TOKEN")):
        raise UsageError("--write-notes needs an access token of Label Studio in the variable LABEL_STUDIO_TOKEN")
    return token


def _opened(address: str) -> None:
    sys.stdout.write(printable(address) + "\n")
    sys.stdout.flush()
    complain("The server runs until you press Ctrl-C.")


def _mcp() -> None:
    from temporacle.mcp.server import serve as serve_tools

    if sys.stdin is None:
        raise UsageError("standard input is closed; a client of the Model Context Protocol must start this command")
    if sys.stdin.isatty():
        complain("temporacle serve mcp waits for a client on standard input; end with Ctrl-C")
    serve_tools()


@reads_documents
def workbench(
    paths: Annotated[list[str] | None, typer.Argument(metavar="PATH...", help="Files or folders.")] = None,
    *,
    compare: Annotated[
        bool,
        typer.Option("--compare", help="Make one version of several annotations: give a PATH for each annotator."),
    ] = False,
    texts: Annotated[
        str | None,
        typer.Option("--texts", metavar="DIR", help="With --compare: the texts of documents that have none."),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option("-o", "--out", metavar="OUT", help="With --compare: folder for results; default: adjudicated/."),
    ] = None,
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port of the server; 0: any free one.")] = 0,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Print the address, but open no browser.")] = False,
    read_only: Annotated[bool, typer.Option("--read-only", help="Write nothing: no edits, no journal.")] = False,
    no_backup: Annotated[
        bool, typer.Option("--no-backup", help="Do not keep the original of a saved file as FILE.orig.")
    ] = False,
    follow_links: Annotated[
        bool, typer.Option("--follow-links", help="Read files that links in the corpus lead to, outside of it as well.")
    ] = False,
    budget: Annotated[
        float,
        typer.Option(
            "--time-limit",
            parser=parser(float_of_seconds),
            metavar="TIME",
            help="Time limit per question, such as 90 or 1m; when it runs out: undecided.",
        ),
    ] = 10,
    calendar: Any,
    options: Any,
) -> None:
    """Show a corpus in the browser, judge every edit of its links while it is made, and save the files.

    The server answers on this machine only (127.0.0.1), and only to requests with the token in the printed address.
    It needs the extra serve: pip install 'temporacle[serve]'. End it with Ctrl-C.

    For example:

      temporacle workbench gold/

      temporacle workbench gold/ --read-only --no-browser --port 8600

      temporacle workbench --compare anna/ ben/ -o adjudicated/
    """
    try:
        from temporacle.web import bound
        from temporacle.workbench.routes import serve
    except ImportError as error:
        raise without_extra("the workbench", "serve") from error
    from temporacle.workbench.bench import Setup

    _require_paths(paths or [], compare=compare, out=out, texts=texts)
    if calendar is not None and compare:
        complain("note: a comparison is about links: the values of times are not used (--calendar)")
    setup = Setup(
        tuple(paths or ()),
        options,
        budget,
        read_only=read_only,
        backup=not no_backup,
        follow_links=follow_links,
        out=out,
        texts=texts,
        calendar=calendar,
    )
    with bound(port) as place:
        bench = _bench(setup, is_comparison=compare)

        def opened(address: str) -> None:
            sys.stdout.write(printable(address) + "\n")
            sys.stdout.flush()
            bench.start()
            if not no_browser and not _shown_in_browser(address):
                complain("No browser could be started: open the address above in one.")
            if left := bench.unsaved():
                complain(f"Unsaved edits of an earlier run: {_edited(left)}. The pages of these documents show them.")
            for remark in bench.remarks():
                complain(remark)
            complain("The workbench runs until you press Ctrl-C.")

        try:
            serve(bench, place, opened)
        finally:
            kept = bench.unsaved()
            bench.stop()
    try:
        complain(_farewell(kept))
    finally:  # whether or not someone reads it
        if bench.is_busy():
            _leave_at_once()


def _require_paths(paths: list[str], *, compare: bool, out: str | None, texts: str | None) -> None:
    if compare and len(paths) < 2:
        raise UsageError("--compare needs a path for each annotator, two or more")
    if not paths:
        raise UsageError("give files or folders, or the annotations of several people with --compare")
    for name, given in (("-o", out), ("--texts", texts)):
        if given is not None and not compare:
            raise UsageError(f"{name} has an effect only with --compare: add --compare, or leave out {name}")


def _bench(setup: Setup, *, is_comparison: bool) -> Workbench:
    if is_comparison:
        from temporacle.workbench.comparison import Comparison

        return Comparison(setup, as_keywords(setup.options))
    from temporacle.workbench.editing import CorpusWorkbench

    return CorpusWorkbench(setup)


def _leave_at_once() -> NoReturn:
    """End the process without waiting for a question that is still being answered. The journal is complete."""
    import os

    with suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(ExitCode.YES)


def _shown_in_browser(address: str) -> bool:
    """Start the browser and return whether there is one. A browser in the terminal would stop the server."""
    import os
    import threading
    import webbrowser

    if sys.platform == "linux" and not any(map(os.environ.get, ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY"))):
        return False
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return False
    threading.Thread(target=browser.open, args=(address,), daemon=True).start()
    return True


def _farewell(kept: list[str]) -> str:
    if not kept:
        return "The workbench has ended. Nothing is unsaved."
    return (
        f"The workbench has ended. Unsaved edits are kept: {_edited(kept)}."
        " Start it again with the same paths to go on."
    )


def _edited(names: list[str]) -> str:
    return f"{len(names)} document{'s' if len(names) > 1 else ''} ({first_of(names, 5)})"
