"""``temporacle mcp``: the reasoner as tools for language models."""

from __future__ import annotations

import sys

from temporacle.commands.common import complain
from temporacle.errors import UsageError


def mcp() -> None:
    """Serve the reasoner as tools for language models, on standard input and output.

    The server speaks the Model Context Protocol. Its tools are check, entails, what_follows, repair, decode and bounds;
    they work on statements in the call itself. It opens no file of yours and no network connection. A client starts
    this command and ends it by closing standard input. It needs the extra mcp: pip install 'temporacle[mcp]'

    For example, in the configuration of a client:

      {"mcpServers": {"temporacle": {"command": "temporacle", "args": ["mcp"]}}}

    Or with the inspector of the protocol:

      npx @modelcontextprotocol/inspector temporacle mcp
    """
    from temporacle.mcp.server import serve

    if sys.stdin is None:
        raise UsageError("standard input is closed; a client of the Model Context Protocol must start this command")
    if sys.stdin.isatty():
        complain("temporacle mcp waits for a client on standard input; end with Ctrl-C. See temporacle mcp --help")
    serve()
