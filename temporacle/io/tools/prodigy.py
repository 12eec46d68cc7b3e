"""Prodigy: JSON Lines of tasks with tokens, spans and relations between tokens. Offsets count characters.

Spans have no ids: an entity is called by its place, ``10-14``. A relation names tokens, and spans beside them where it
has any. Its arrow runs from the head, the source, to the child. Tasks that were not accepted are left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from temporacle.io.tools.assembly import Annotation, Arrow, Assembler, Mark
from temporacle.io.tools.json_file import dictionary, records, text_of
from temporacle.io.tools.task_lines import document_name, tasks_in
from temporacle.model import Unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from temporacle.io.source import Source
    from temporacle.model import Document


def is_first_object(record: dict[str, Any]) -> bool:
    """Return whether a line is a Prodigy task."""
    relations = records(record.get("relations"))
    if any("head" in each and "child" in each for each in relations):
        return True
    return "text" in record and bool(record.keys() & {"tokens", "answer", "_task_hash"})


def read(source: Source) -> Iterator[Document | Unreadable]:
    """Yield the documents of a file, one for each task."""
    tasks = tasks_in(source)
    for task in tasks:
        name = document_name(source.name, task.line, len(tasks))
        if task.error is not None:
            yield Unreadable(name, source.path, task.error)
            continue
        assembler = Assembler(source, "prodigy", name, label_is_type=True)
        yield assembler.document(_annotation(name, task.line, task.value, assembler))


def _annotation(name: str, line: int, task: dict[str, Any], assembler: Assembler) -> Annotation:
    text = task["text"] if type(task.get("text")) is str else None
    answer = task.get("answer", "accept")
    if answer != "accept":
        message = "the task was not accepted: its annotations are left out"
        assembler.builder.warn("skipped-annotation", message, line=line, element=str(answer)[:80])
        return Annotation(name, {}, [], text)
    tokens = {text_of(token.get("id")): token for token in records(task.get("tokens"))}
    reader = _Reader(text, line, tokens, assembler)
    for span in records(task.get("spans")):
        reader.mark(span)
    relations = records(task.get("relations"))
    for relation in relations:
        for key in ("head_span", "child_span"):
            reader.mark(dictionary(relation.get(key)))
    arrows = [reader.arrow(number, relation) for number, relation in enumerate(relations, 1)]
    return Annotation(name, reader.marks, arrows, text)


class _Reader:
    """One task."""

    def __init__(
        self, text: str | None, line: int, tokens: dict[str | None, dict[str, Any]], assembler: Assembler
    ) -> None:
        self.text = text
        self.line = line
        self.tokens = tokens
        self.builder = assembler.builder
        self.marks: dict[str, Mark] = {}
        self.spans: list[tuple[int, int, str]] = []  # first token, last token, name

    def mark(self, span: dict[str, Any]) -> str | None:
        """Add a span and return its id, made of its position; None if it has no position."""
        start, end = span.get("start"), span.get("end")
        if not (type(start) is int and type(end) is int and 0 <= start <= end):
            return None
        name = f"{start}-{end}"
        if name in self.marks:
            return name
        label = span["label"] if type(span.get("label")) is str else ""
        if self.text is not None and end > len(self.text):
            message = f"the span ends behind the text of {len(self.text)} characters; the entity has none"
            self.builder.warn("span-outside", message, line=self.line, element=name)
            self.marks[name] = Mark(name, label, line=self.line)
        else:
            words = None if self.text is None else self.text[start:end] or None
            self.marks[name] = Mark(name, label, ((start, end),), words, line=self.line)
        first, last = span.get("token_start"), span.get("token_end")
        if type(first) is int and type(last) is int:
            self.spans.append((first, last, name))
        return name

    def arrow(self, number: int, relation: dict[str, Any]) -> Arrow:
        """Return a relation."""
        label = relation["label"] if type(relation.get("label")) is str else ""
        ends = {key: self._end(relation, key) for key in ("head", "child")}
        return Arrow(
            f"rel{number}",
            label,
            ends["head"],
            ends["child"],
            arguments={key: end for key, end in ends.items() if end is not None},
            line=self.line,
            shown=label,
            labels=(label,) if label.strip() else (),
        )

    def _end(self, relation: dict[str, Any], key: str) -> str | None:
        """Return the span of an end, or else the span that contains its token, or else the token."""
        if (found := self.mark(dictionary(relation.get(f"{key}_span")))) is not None:
            return found
        token = relation.get(key)
        if type(token) is not int:
            return None
        around = [name for first, last, name in self.spans if first <= token <= last]
        if len(around) == 1:
            return around[0]
        stated = self.tokens.get(str(token))
        place = None if stated is None else self.mark({"start": stated.get("start"), "end": stated.get("end")})
        return place or f"token {token}"
