"""JSON Lines of tasks, as Prodigy and doccano write them: one object a line, or one object over many lines."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.errors import InputError
from temporacle.io.jsonl import numbered_lines, parse_object
from temporacle.io.rows import require_content
from temporacle.io.tools.json_file import dictionary

if TYPE_CHECKING:
    from temporacle.io.source import Source


class Task(NamedTuple):
    """One object of a file, or why it cannot be read."""

    line: int
    value: dict[str, Any]
    error: InputError | None = None


def tasks_in(source: Source) -> list[Task]:
    """Return the objects of a file. A line that cannot be read does not affect the others."""
    require_content(source)
    lines = list(numbered_lines(source))
    if len(lines) > 1 and (whole := _whole(source)) is not None:
        return [Task(lines[0][0], whole)]
    found = []
    for number, line in lines:
        try:
            found.append(Task(number, parse_object(line, number, source)))
        except InputError as error:
            found.append(Task(number, {}, error))
    return found


def _whole(source: Source) -> dict[str, Any] | None:
    """Return the object that the file as a whole is, or None."""
    try:
        value = json.loads(source.decode())
    except (ValueError, RecursionError):
        return None
    return dictionary(value) or None


def document_name(stem: str, number: int, tasks: int) -> str:
    """Return the name of a document: the file's, with a number if it holds several."""
    return stem if tasks == 1 else f"{stem}#{number}"
