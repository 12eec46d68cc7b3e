"""``temporacle workbench``: see the links of a corpus in the browser, and mend them."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from temporacle.commands.common import complain, printable
from temporacle.commands.reading import Options, reads_documents

_LISTED = 5


@reads_documents(prints=False)
def workbench(
    paths: Annotated[list[str], typer.Argument(metavar="PATH...", help="Files or folders.")],
    *,
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port of the server; 0: any free one.")] = 0,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Print the address, but open no browser.")] = False,
    read_only: Annotated[bool, typer.Option("--read-only", help="Write nothing: no edits, no journal.")] = False,
    no_backup: Annotated[
        bool, typer.Option("--no-backup", help="Do not keep the original of a saved file as FILE.orig.")
    ] = False,
    budget: Annotated[
        float,
        typer.Option(
            "--budget", min=0, metavar="SECONDS", help="Time limit per question; when it runs out: undecided."
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
    """
    from temporacle.workbench.server import bound, require_packages, serve

    require_packages()
    from temporacle.workbench.bench import Setup, Workbench

    with bound(port) as place:
        bench = Workbench(Setup(tuple(paths), options, budget, read_only=read_only, backup=not no_backup))

        def opened(address: str) -> None:
            sys.stdout.write(printable(address) + "\n")
            sys.stdout.flush()
            bench.start()
            if not no_browser and not _shown_in_browser(address):
                complain("No browser could be started: open the address above in one.")
            complain("The workbench runs until you press Ctrl-C.")

        try:
            serve(bench, place, opened)
        finally:
            kept = bench.unsaved()
            bench.stop()
    complain(_farewell(kept))


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
    names = ", ".join(kept[:_LISTED]) + (", ..." if len(kept) > _LISTED else "")
    return (
        f"The workbench has ended. Unsaved edits of {len(kept)} document{'s' if len(kept) > 1 else ''} are kept"
        f" ({names}): start it again with the same paths to go on."
    )
