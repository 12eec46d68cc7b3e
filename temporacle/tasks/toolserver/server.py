"""The tools as a Model Context Protocol server on standard input and output.

The only module that knows the SDK. Calls are computed one at a time in a thread, so that the server can still answer
pings. The SDK points standard output at standard error while it serves: nothing but messages of the protocol reaches
the client.
"""

from __future__ import annotations

import asyncio
import json
import signal
from typing import Any

from temporacle import __version__
from temporacle.errors import UsageError
from temporacle.tasks.toolserver.catalogue import INSTRUCTIONS, TOOLS, call

INSTALL = "the tool server needs another package: pip install 'temporacle[mcp]'"


def serve() -> None:
    """Answer calls until the client closes standard input. Raise UsageError if the SDK is not installed."""
    server = build_server()
    from mcp.server.stdio import stdio_server

    async def session() -> None:
        async with stdio_server() as (messages, replies):
            await server.run(messages, replies, server.create_initialization_options())

    # A thread waits for the next line of standard input, and a tidy end would wait for that thread.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    asyncio.run(session())


def build_server() -> Any:
    """Return the server with its tools. Raise UsageError if the SDK is not installed."""
    try:
        from mcp import types
        from mcp.server import Server
    except ImportError as error:
        raise UsageError(INSTALL) from error

    one_at_a_time = asyncio.Semaphore(1)
    harmless = types.ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
    listed = [
        types.Tool(
            name=tool.name,
            title=tool.title,
            description=tool.description,
            input_schema=tool.input_schema,
            output_schema=tool.output_schema,
            annotations=harmless,
        )
        for tool in TOOLS.values()
    ]

    async def list_tools(_context: Any, _parameters: Any) -> Any:
        return types.ListToolsResult(tools=listed)

    async def call_tool(_context: Any, parameters: Any) -> Any:
        async with one_at_a_time:
            reply = await asyncio.to_thread(call, parameters.name, parameters.arguments)
        # The protocol asks for the structured answer as text, too: for clients that do not know structured answers.
        text = reply.text if reply.is_error else json.dumps(reply.content, ensure_ascii=False)
        content = [types.TextContent(type="text", text=text)]
        return types.CallToolResult(content=content, structured_content=reply.content, is_error=reply.is_error)

    return Server(
        "temporacle",
        version=__version__,
        title="Temporacle",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
