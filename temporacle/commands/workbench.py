"""``temporacle workbench``: see the links of a corpus in the browser, and mend them."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from temporacle.commands.common import ExitCode, complain, printable, seconds
from temporacle.commands.reading import Options, as_keywords, reads_documents
from temporacle.errors import UsageError

if TYPE_CHECKING:
    from temporacle.workbench.bench import Setup, Workbench

_LISTED = 5


@reads_documents(prints=False)
def workbench(
    paths: Annotated[list[str] | None, typer.Argument(metavar="PATH...", help="Files or folders.")] = None,
    *,
    compare: Annotated[
        tuple[str, str] | None,
        typer.Option("--compare", metavar="FIRST SECOND", help="Make a third version of two annotations."),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option("-o", "--out", metavar="OUT", help="Folder for the third version; default: adjudicated/."),
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
            parser=seconds,
            metavar="TIME",
            help="Time limit per question, such as 90 or 1m; when it runs out: undecided.",
        ),
    ] = 10,
    options: Options,
) -> None:
    """Show a corpus in the browser, judge every edit of its links while it is made, and save the files.

    The server answers on this machine only (127.0.0.1), and only to requests with the token in the printed address.
    It needs the extra workbench: pip install 'temporacle[workbench]'. End it with Ctrl-C.

    For example:

      temporacle workbench gold/

      temporacle workbench gold/ --read-only --no-browser --port 8600

      temporacle workbench --compare anna/ ben/ -o adjudicated/
    """
    from temporacle.workbench.server import bound, require_packages, serve

    require_packages()
    from temporacle.workbench.bench import Setup

    _require_sides_or_paths(paths, compare, out)
    setup = Setup(
        tuple(compare or paths or ()),
        options,
        budget,
        read_only=read_only,
        backup=not no_backup,
        follow_links=follow_links,
        out=out,
    )
    with bound(port) as place:
        bench = _bench(setup, is_comparison=compare is not None)

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


def _require_sides_or_paths(paths: list[str] | None, compare: tuple[str, str] | None, out: str | None) -> None:
    if bool(paths) is (compare is not None):
        raise UsageError("give files or folders, or two annotations with --compare FIRST SECOND")
    if out is not None and compare is None:
        raise UsageError("-o is the folder for the third version of a comparison: give --compare, too")


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
    listed = ", ".join(names[:_LISTED]) + (", ..." if len(names) > _LISTED else "")
    return f"{len(names)} document{'s' if len(names) > 1 else ''} ({listed})"
