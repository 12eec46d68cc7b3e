"""The tools: names, descriptions and schemas as a model sees them, and ``call``, which never raises."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from dataclasses import dataclass
from functools import partial
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle import __version__
from temporacle.declared import parameters_of
from temporacle.errors import BudgetExceeded, InputError, InternalError, TemporacleError, without_extra
from temporacle.mcp import tools
from temporacle.mcp.arguments import (
    DEFAULT_BUDGET,
    DEFAULT_ROWS,
    LONGEST_TEXT,
    MOST_BUDGET,
    MOST_ROWS,
    MOST_STATEMENTS,
    POLICIES,
    READINGS,
    RELATION_WORDS,
    Label,
    Name,
    Names,
    Pairs,
    Schema,
    Statements,
    budget_of,
    checked,
    renamed,
    schema_of,
)
from temporacle.printing import shown
from temporacle.runner.copies import Questions
from temporacle.runner.job import WorkerDiedError, number_of_cores
from temporacle.tasks import task_named

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping

INSTRUCTIONS = (
    "Exact reasoning about the order of events. Give statements such as [left, BEFORE, docked]; entities are named by"
    " any text, and each is an interval with a start before its end. Answers are proven, never guessed: within the time"
    " limit a question is decided, or the verdict is undecided. Use check after you have written down the order of"
    " events, and feed its message back if the verdict is inconsistent."
)


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool."""

    name: str
    title: str
    description: str
    answer: Callable[[Mapping[str, Any]], dict[str, Any]]
    arguments: Schema  # the schema of each argument
    required: tuple[str, ...]
    verdicts: tuple[str, ...]
    results: Schema  # the schema of each key of an answer, beside verdict and message
    example: dict[str, Any]

    @property
    def input_schema(self) -> Schema:
        """The JSON Schema of the arguments, with an example."""
        return {
            "type": "object",
            "properties": self.arguments,
            "required": list(self.required),
            "additionalProperties": False,
            "examples": [self.example],
        }

    @property
    def output_schema(self) -> Schema:
        """The JSON Schema of an answer. Errors do not follow it: they have ``error`` and ``cure``."""
        verdict = {"type": "string", "enum": list(self.verdicts)}
        message = {"type": "string", "description": "The answer in plain words; it can be fed back to a model."}
        return {
            "type": "object",
            "properties": {"verdict": verdict, "message": message, **self.results},
            "required": ["verdict", "message", *self.results],
        }


_LESS = f"give fewer statements, or a time_limit of up to {MOST_BUDGET:g} seconds"


class Reply(NamedTuple):
    """What a call returns."""

    content: dict[str, Any]
    is_error: bool = False

    @property
    def text(self) -> str:
        """The reply for a client that shows text only."""
        if not self.is_error:
            return str(self.content["message"])
        return ". ".join(filter(None, (self.content["error"], self.content["cure"])))


def call(name: str, arguments: Mapping[str, Any] | None) -> Reply:
    """Return the answer of a tool, or an error with its cause and cure.

    >>> call("check", {"statements": [["a", "BEFORE", "b"], ["b", "BEFORE", "a"]]}).content["verdict"]
    'inconsistent'
    >>> call("check", {"statements": "corpus/d1.tml"}).is_error
    True
    """
    tool = TOOLS.get(name)
    if tool is None:
        return _error(f"unknown tool {shown(name)}", f"choose {', '.join(TOOLS)}")
    try:
        return Reply(tool.answer(checked(renamed({} if arguments is None else arguments), tool.arguments)))
    except InputError as error:
        place = f"{error.element}: " if error.element else ""
        return _error(f"{place}{error.reason}", error.cure)
    except BudgetExceeded as limit:
        return _error(
            f"not decided: {limit}", f"give fewer statements, or a time_limit of up to {MOST_BUDGET:g} seconds"
        )
    except MemoryError:
        return _error("out of memory: nothing was decided", "give fewer statements")
    except InternalError as error:
        return _error(f"a self-check failed, so nothing was decided: {error}", "please report these statements")
    except TemporacleError as error:
        return _error(str(error), "see the schema of this tool")
    except Exception as error:  # noqa: BLE001 - a client gets a cause, never a traceback
        return _error(f"internal error: {type(error).__name__}", "please report these statements")


def _error(cause: str, cure: str | None) -> Reply:
    return Reply({"error": cause, "cure": cure}, is_error=True)


# --- schemas ---------------------------------------------------------------------------------------------------------

_NAME, _NAMES, _RELATION = schema_of(Name), schema_of(Names), schema_of(Label)
_STATEMENTS: Schema = {
    **schema_of(Statements),
    "description": f"The statements, each [source, relation, target] or an object. {RELATION_WORDS}",
    "examples": [[["left", "BEFORE", "docked"], {"source": "docked", "relation": "b|m", "target": "unloaded"}]],
}
# What a call may say less freely than Python: nothing is opened, and sizes are limited.
_LIMITS: dict[str, Schema] = {
    "labels": {"enum": list(READINGS)},
    "during": {"default": "simultaneous"},
    "calendar": {"enum": list(POLICIES), "default": POLICIES[0]},
    "time_limit": {
        "type": "number",
        "exclusiveMinimum": 0,
        "description": f"Seconds for the call; then undecided. More than {MOST_BUDGET:g} counts as {MOST_BUDGET:g}.",
        "default": DEFAULT_BUDGET,
    },
    "protect": _NAMES,
    "entities": _NAMES,
    "objective": {"default": "logprob"},
    "metric": {
        "type": "string",
        "enum": ["awareness", "closure", "core", "reduction"],
        "description": "awareness: stated links against what follows; closure, core, reduction: what follows, the core"
        " or the reduction of both sides.",
        "default": "awareness",
    },
}


def declared(task: str, *names: str) -> Schema:
    """Return the schemas of parameters as a task declares them, with the limits of a call."""
    known = parameters_of(task_named(task))
    return {name: {**known[name].schema(), **_LIMITS.get(name, {})} for name in names}


_COMMON: Schema = {
    "statements": _STATEMENTS,
    **declared("check", "labels", "during", "calendar", "time_limit"),
    "values": {
        "type": "object",
        "additionalProperties": {"type": "string", "maxLength": LONGEST_TEXT},
        "maxProperties": MOST_STATEMENTS,
        "description": "Calendar values of entities that are times, as in TIMEX3: days, weeks, months, years, clock"
        " times, durations.",
        "examples": [{"t1": "1998-02-09", "t2": "1998-W07", "t3": "P3D"}],
    },
}
_LINKS: Schema = {"type": "array", "items": {"type": "object"}}
_TRIPLES: Schema = {"type": "array", "items": {"type": "array", "items": {"type": "string"}}}
_SENTENCES: Schema = {"type": "array", "items": {"type": "string"}}
_VERDICTS = ("consistent", "inconsistent", "undecided")
_CONFLICT: Schema = {
    "conflict": {**_LINKS, "description": "Statements and values that contradict each other, all of them needed."},
    "explanation": {**_SENTENCES, "description": "Why they do, step by step."},
    "conflicts": {
        "type": "array",
        "items": _LINKS,
        "description": "One minimal conflict for each statement that a smallest repair removes.",
    },
}
_FERRY = [["left", "BEFORE", "docked"], ["docked", "b|m", "unloaded"]]
_CIRCLE = [*_FERRY, ["unloaded", "BEFORE", "left"]]

_ALL = (
    Tool(
        "check",
        "Check statements for contradictions",
        "Decide whether all statements can be true together. If not, the answer has a smallest set of statements that"
        " contradict each other, and a message that says why.",
        tools.check,
        _COMMON,
        ("statements",),
        _VERDICTS,
        {"statements": {"type": "integer"}, "entities": {"type": "integer"}, **_CONFLICT, "remarks": _SENTENCES},
        {"statements": _CIRCLE},
    ),
    Tool(
        "entails",
        "Ask whether a statement follows",
        "Decide whether a further statement follows from the statements (entailed), contradicts them (refuted), or"
        " neither (open), with the statements that it follows from, the strongest relation that does follow, and a"
        " timeline on which it fails. With values, source or target may be a date such as 1998-02-09.",
        tools.entails,
        {**_COMMON, "source": _NAME, "relation": _RELATION, "target": _NAME},
        ("statements", "source", "relation", "target"),
        ("entailed", "refuted", "open", "undecided", "inconsistent"),
        {
            "strongest": {"type": ["array", "null"], "items": {"type": "string"}},
            "witness": {"type": ["object", "null"]},
            "because": {"type": ["array", "null"], "items": {"type": "object"}},
        },
        {"statements": _FERRY, "source": "left", "relation": "BEFORE", "target": "unloaded"},
    ),
    Tool(
        "what_follows",
        "List what follows",
        "Work out the strongest relation that follows for every pair of entities, with a sentence for each.",
        tools.what_follows,
        {
            **_COMMON,
            "entities": {**_NAMES, "description": "Only pairs of these; with one entity, its pairs with all others."},
            "only_new": {"type": "boolean", "description": "Leave out pairs whose relation is stated as it is."},
            "limit": {
                "type": "integer",
                "minimum": 1,
                "maximum": MOST_ROWS,
                "description": "How many pairs to list.",
                "default": DEFAULT_ROWS,
            },
        },
        ("statements",),
        _VERDICTS,
        {"relations": _LINKS, "total": {"type": "integer"}},
        {"statements": _FERRY, "only_new": True},
    ),
    Tool(
        "repair",
        "Find what to remove",
        "Find the set of statements of least total weight whose removal makes the rest consistent.",
        tools.repair,
        {**_COMMON, **declared("check", "protect")},
        ("statements",),
        _VERDICTS,
        {"repair": {"type": ["array", "null"], "items": {"type": "object"}}, **_CONFLICT, "remarks": _SENTENCES},
        {"statements": _CIRCLE, "protect": ["l1"]},
    ),
    Tool(
        "score",
        "Score statements",
        "Compare statements with those of a gold standard, by what follows from each side: precision, recall"
        " and F1, with the statements that are wrong or missing.",
        tools.score,
        {
            "gold": {**_STATEMENTS, "description": "The statements that are taken as right."},
            "system": {**_STATEMENTS, "description": "The statements to score, about the same entities."},
            **declared("score", "metric", "labels", "during", "time_limit"),
        },
        ("gold", "system"),
        ("scored", "undecided"),
        {"wrong": _TRIPLES, "missing": _TRIPLES},
        {"gold": _FERRY, "system": [["left", "happened before", "docked"], ["docked", "AFTER", "unloaded"]]},
    ),
    Tool(
        "decode",
        "Choose the best consistent labels",
        "Choose a label for each scored pair so that all can be true and the total score is highest, with proof. Links"
        " hold independently of the scores. Each changed label comes with the reason.",
        tools.decode,
        {
            "pairs": {
                **schema_of(Pairs),
                "description": "The pairs, each [source, target, scores] or an object; scores maps labels to numbers.",
                "examples": [[{"source": "left", "target": "docked", "scores": {"BEFORE": 0.9, "AFTER": 0.1}}]],
            },
            "links": {**_STATEMENTS, "description": "Statements that hold independently of the scores."},
            **declared("decode", "labels", "during", "objective", "margins", "time_limit"),
            "document": {**_NAME, "description": "A name for the answer."},
        },
        ("pairs",),
        ("optimal", "feasible", "impossible", "undecided"),
        {"document": {"type": "string"}, "optimal": {"type": "boolean"}},
        {
            "pairs": [
                {"source": "left", "target": "docked", "scores": {"BEFORE": 0.8, "AFTER": 0.2}},
                {"source": "docked", "target": "unloaded", "scores": {"BEFORE": 0.7, "AFTER": 0.3}},
                {"source": "unloaded", "target": "left", "scores": {"BEFORE": 0.6, "AFTER": 0.4}},
            ]
        },
    ),
    Tool(
        "bounds",
        "Place events on the calendar",
        "Find the earliest and latest calendar time at which entities can start and end. The limits are tight.",
        tools.bounds,
        {**_COMMON, **declared("bounds", "entities", "why")},
        ("statements", "values"),
        _VERDICTS,
        {"bounds": _LINKS},
        {
            "statements": [["left", "IS_INCLUDED", "monday"], ["left", "BEFORE", "docked"]],
            "values": {"monday": "1998-02-09"},
        },
    ),
)
TOOLS = {tool.name: tool for tool in _ALL}

# ----------------------------------------------------------------------------------------------------
# The tools as a Model Context Protocol server on standard input and output.
#
# The only module that knows the SDK. Each call is computed by a process that does nothing else meanwhile. It is ended
# when the client cancels the call or its time is over, so no call delays another one. The SDK points standard output at
# standard error while it serves: nothing but messages of the protocol reaches the client.

_DIED = "the process of this call has died, perhaps for want of memory: nothing was decided"


async def _answered(questions: Questions, name: str, arguments: Mapping[str, Any]) -> Reply:
    """Return the reply of a call that is computed in a process of its own."""
    try:
        seconds = budget_of(renamed(arguments))
    except InputError:
        seconds = DEFAULT_BUDGET  # the call says what is wrong
    try:
        return await questions.answer(partial(call, name, arguments), seconds)
    except BudgetExceeded as limit:
        return _error(
            f"not decided: {limit}", f"give fewer statements, or a time_limit of up to {MOST_BUDGET:g} seconds"
        )
    except WorkerDiedError:
        return _error(_DIED, "give fewer statements")


def loaded() -> None:
    """Do nothing. A process that can call this has loaded the tools."""


def serve() -> None:
    """Answer calls until the client closes standard input. Raise UsageError if the SDK is not installed."""
    questions = Questions(max(2, number_of_cores()), loaded)
    server = build_server(questions)
    questions.start()
    from mcp.server.stdio import stdio_server

    async def session() -> None:
        refused: asyncio.Queue[Any] = asyncio.Queue()
        async with stdio_server(stdin=_lines(refused)) as (messages, replies):
            refusing = asyncio.create_task(_refuse(refused, replies))
            try:
                await server.run(messages, replies, server.create_initialization_options())
            finally:
                refusing.cancel()
                questions.close()

    # A thread waits for the next line of standard input, and a tidy end would wait for that thread.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    asyncio.run(session())


async def _lines(refused: asyncio.Queue[Any]) -> AsyncIterator[str]:
    """Yield the lines of standard input. Those that the SDK cannot read are put aside: it would not answer them."""
    import anyio
    from mcp import types

    stream = TextIOWrapper(sys.stdin.buffer, encoding="utf-8", errors="replace")
    async for line in anyio.wrap_file(stream):
        try:
            types.jsonrpc_message_adapter.validate_json(line, by_name=False)
        except Exception:  # noqa: BLE001 - of any kind, as in the SDK
            if line.strip():
                await refused.put(unread(line))
        else:
            yield line


def unread(line: str) -> tuple[int | str | None, bool, str]:
    r"""Return what can be said about a line that is not a request: its id, whether it is JSON, and what is wrong.

    >>> unread('{"id": 7, "params": ["\\ud83d"]}')[:2], unread("[1, 2]")[:2], unread("{")[:2]
    ((7, True), (None, True), (None, False))
    """
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None, False, "this line is not JSON: send each request as one line"
    identity = found.get("id") if isinstance(found, dict) else None
    if not isinstance(identity, int | str) or isinstance(identity, bool) or not str(identity).isprintable():
        identity = None
    try:
        json.dumps(found, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        cause = "a text in this request has half a character (a lone surrogate such as \\ud83d): send whole characters"
        return identity, True, cause
    return identity, True, 'this is not a request: send {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'


async def _refuse(refused: asyncio.Queue[Any], replies: Any) -> None:
    from mcp import types
    from mcp.shared.message import SessionMessage

    while True:
        identity, is_json, cause = await refused.get()
        code = types.INVALID_REQUEST if is_json else types.PARSE_ERROR
        error = types.ErrorData(code=code, message=cause)
        await replies.send(SessionMessage(types.JSONRPCError(jsonrpc="2.0", id=identity, error=error)))


def build_server(questions: Questions) -> Any:
    """Return the server with its tools. Raise UsageError if the SDK is not installed."""
    try:
        from mcp import types
        from mcp.server import Server
    except ImportError as error:
        raise without_extra("serve mcp", "mcp") from error

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
        reply = await _answered(questions, parameters.name, parameters.arguments or {})
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
