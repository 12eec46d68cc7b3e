"""``temporacle serve``: the reasoner inside other tools."""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from typing import Annotated

import typer

from temporacle.commands.common import complain, printable, seconds
from temporacle.commands.reading import Options, reads_documents
from temporacle.errors import UsageError


class Served(StrEnum):
    """What can be served."""

    MCP = "mcp"
    LABEL_STUDIO = "label-studio"
    INCEPTION = "inception"


@reads_documents(prints=False)
def serve(
    what: Annotated[Served, typer.Argument(metavar="NAME", help="mcp, label-studio or inception.")],
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
        float, typer.Option("--time-limit", parser=seconds, metavar="TIME", help="Time limit per question.")
    ] = 10,
    options: Options,
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
    if write_notes is not None and what is not Served.LABEL_STUDIO:
        raise UsageError("--write-notes belongs to serve label-studio")
    if what is Served.MCP:
        _mcp()
        return
    try:
        from temporacle.servers.door import require_token, run
    except ImportError as error:
        raise UsageError("serve needs the extra serve: pip install 'temporacle[serve]'") from error
    require_token(host, token)
    if what is Served.INCEPTION:
        from temporacle.servers.inception import application

        app = application(options, seconds=budget)
    else:
        from temporacle.servers.label_studio import Notes
        from temporacle.servers.label_studio import application as label_studio

        target = None if write_notes is None else Notes(write_notes, _label_studio_token(write_notes))
        app = label_studio(options, seconds=budget, notes=target)
    run(app, host=host, port=port, token=token, opened=_opened)


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
