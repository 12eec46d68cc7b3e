"""doccano: JSON Lines of texts with entities and relations. Offsets count characters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from temporacle.io.tools.assembly import Annotation, Arrow, Assembler, Mark
from temporacle.io.tools.json_file import records, text_of
from temporacle.io.tools.task_lines import document_name, tasks_in
from temporacle.model import Unreadable
from temporacle.printing import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from temporacle.io.source import Source
    from temporacle.io.tools.task_lines import Task
    from temporacle.model import Document


def is_first_object(record: dict[str, Any]) -> bool:
    """Return whether a line is a doccano text."""
    entities, relations = records(record.get("entities")), records(record.get("relations"))
    return any("start_offset" in each for each in entities) or any("from_id" in each for each in relations)


def read(source: Source) -> Iterator[Document | Unreadable]:
    """Yield the documents of a file, one for each text."""
    tasks = tasks_in(source)
    taken: set[str] = set()
    for task in tasks:
        name = name_of(source.name, task, len(tasks), taken)
        if task.error is not None:
            yield Unreadable(name, source.path, task.error)
            continue
        assembler = Assembler(source, "doccano", name, label_is_type=True)
        yield assembler.document(_annotation(name, task, assembler))


def name_of(stem: str, task: Task, tasks: int, taken: set[str]) -> str:
    """Return the name of a document: by its id, or by its line if it has no id or shares it."""
    own = text_of(task.value.get("id"))
    name = document_name(stem, task.line, tasks)
    if own is not None and tasks > 1 and f"{stem}#{own}" not in taken:
        name = f"{stem}#{own}"
    while name in taken:
        name += "~"
    taken.add(name)
    return name


def link_name(relation: dict[str, Any], number: int) -> str:
    """Return the name of a relation: its id, or else its position."""
    return text_of(relation.get("id")) or f"rel{number}"


def _annotation(name: str, task: Task, assembler: Assembler) -> Annotation:
    text = task.value["text"] if type(task.value.get("text")) is str else None
    marks: dict[str, Mark] = {}
    for entity in records(task.value.get("entities")):
        own = text_of(entity.get("id"))
        if own is None:
            message = "an entity without id: nothing can refer to it"
            assembler.builder.warn("missing-id", message, line=task.line)
        elif own in marks:
            message = f"{shown(own)} is declared a second time; the first counts"
            assembler.builder.warn("duplicate-id", message, line=task.line, element=own)
        else:
            marks[own] = _mark(own, entity, task.line, text, assembler)
    arrows = []
    for number, relation in enumerate(records(task.value.get("relations")), 1):
        label = relation["type"] if type(relation.get("type")) is str else ""
        ends = {key: end for key in ("from_id", "to_id") if (end := text_of(relation.get(key))) is not None}
        arrows.append(
            Arrow(
                link_name(relation, number),
                label,
                ends.get("from_id"),
                ends.get("to_id"),
                arguments=ends,
                line=task.line,
                shown=label,
                labels=(label,) if label.strip() else (),
            )
        )
    return Annotation(name, marks, arrows, text)


def _mark(name: str, entity: dict[str, Any], line: int, text: str | None, assembler: Assembler) -> Mark:
    label = entity["label"] if type(entity.get("label")) is str else ""
    start, end = entity.get("start_offset"), entity.get("end_offset")
    if not (type(start) is int and type(end) is int and 0 <= start <= end):
        message = "start_offset and end_offset must be whole numbers in order"
        assembler.builder.warn("bad-span", message, line=line, element=name)
        return Mark(name, label, line=line)
    if text is not None and end > len(text):
        message = f"the span ends behind the text of {len(text)} characters; the entity has none"
        assembler.builder.warn("span-outside", message, line=line, element=name)
        return Mark(name, label, line=line)
    return Mark(name, label, ((start, end),), None if text is None else text[start:end] or None, line=line)
