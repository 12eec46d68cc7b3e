"""Prodigy: JSON Lines of tasks with tokens, spans and relations between tokens. Offsets count characters.

Spans have no ids: an entity is called by its place, ``10-14``. A relation names tokens, and spans beside them where it
has any. Its arrow runs from the head, the source, to the child. Tasks that were not accepted are left out.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.errors import InputError, UsageError
from temporacle.io.edit.edits import FreeIds, in_step, is_named, joined_notes
from temporacle.io.edit.places import (
    inserted,
    items,
    lines,
    removed,
    value_at,
    value_of,
    with_inner_member,
    with_member,
    written_like,
)
from temporacle.io.jsonl.read import numbered_lines, parse_object
from temporacle.io.rows import require_content
from temporacle.io.tools.assembly import Annotation, Arrow, Assembler, Mark, form_of
from temporacle.io.tools.json_file import dictionary, records, text_of, whole_object
from temporacle.io.tools.mapping import mapping_of
from temporacle.model import Unreadable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from temporacle.io.edit.edits import Edits, NewLink, Splice
    from temporacle.io.edit.places import Value
    from temporacle.io.source import Source
    from temporacle.io.tools.mapping import ToolMapping
    from temporacle.model import Document


def is_prodigy(record: dict[str, Any]) -> bool:
    """Return whether a line is a Prodigy task."""
    relations = records(record.get("relations"))
    if any("head" in each and "child" in each for each in relations):
        return True
    return "text" in record and bool(record.keys() & {"tokens", "answer", "_task_hash"})


def read_prodigy(source: Source) -> Iterator[Document | Unreadable]:
    """Yield the documents of a file, one for each task."""
    tasks = tasks_in(source)
    for task in tasks:
        name = document_name(source.name, task.line, len(tasks))
        if task.error is not None:
            yield Unreadable(name, source.path, task.error)
            continue
        assembler = Assembler(source, "prodigy", name, label_is_type=True)
        yield assembler.document(_prodigy_annotation(name, task.line, task.value, assembler))


def _prodigy_annotation(name: str, line: int, task: dict[str, Any], assembler: Assembler) -> Annotation:
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
    relations = assembler.objects(task.get("relations"), "relations", line)
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


# ----------------------------------------------------------------------------------------------------
# doccano: JSON Lines of texts with entities and relations. Offsets count characters.


def is_doccano(record: dict[str, Any]) -> bool:
    """Return whether a line is a doccano text."""
    entities, relations = records(record.get("entities")), records(record.get("relations"))
    return any("start_offset" in each for each in entities) or any("from_id" in each for each in relations)


def read_doccano(source: Source) -> Iterator[Document | Unreadable]:
    """Yield the documents of a file, one for each text."""
    tasks = tasks_in(source)
    taken: set[str] = set()
    for task in tasks:
        name = name_of(source.name, task, len(tasks), taken)
        if task.error is not None:
            yield Unreadable(name, source.path, task.error)
            continue
        assembler = Assembler(source, "doccano", name, label_is_type=True)
        yield assembler.document(_doccano_annotation(name, task, assembler))


def name_of(stem: str, task: ToolTask, tasks: int, taken: set[str]) -> str:
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


def _doccano_annotation(name: str, task: ToolTask, assembler: Assembler) -> Annotation:
    text = task.value["text"] if type(task.value.get("text")) is str else None
    marks: dict[str, Mark] = {}
    for entity in records(task.value.get("entities")):
        own = text_of(entity.get("id"))
        if assembler.builder.is_first(own, "entity without id", line=task.line):
            marks[own] = _mark(own, entity, task.line, text, assembler)
    arrows = []
    for number, relation in enumerate(assembler.objects(task.value.get("relations"), "relations", task.line), 1):
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


# ----------------------------------------------------------------------------------------------------
# JSON Lines of tasks, as Prodigy and doccano write them: one object a line, or one object over many lines.


class ToolTask(NamedTuple):
    """One object of a file, or why it cannot be read."""

    line: int
    value: dict[str, Any]
    error: InputError | None = None


def tasks_in(source: Source) -> list[ToolTask]:
    """Return the objects of a file. A line that cannot be read does not affect the others."""
    require_content(source)
    lines = list(numbered_lines(source))
    if len(lines) > 1 and (whole := whole_object(source)) is not None:
        return [ToolTask(lines[0][0], whole)]
    found = []
    for number, line in lines:
        try:
            found.append(ToolTask(number, parse_object(line, number, source)))
        except InputError as error:
            found.append(ToolTask(number, {}, error))
    return found


def document_name(stem: str, number: int, tasks: int) -> str:
    """Return the name of a document: the file's, with a number if it holds several."""
    return stem if tasks == 1 else f"{stem}#{number}"


# ----------------------------------------------------------------------------------------------------
# Prodigy and doccano: relations of tasks in JSON Lines.
#
# Prodigy shows the ``meta`` of a task below it, so a note goes there. doccano has no place for notes.

_NOTE_KEY = "temporacle"


def prodigy_splices(
    text: str, source: Source, documents: Sequence[Document], edits: Mapping[str, Edits]
) -> list[Splice]:
    """Return the replacements to make in a Prodigy file."""
    found: list[Splice] = []
    mapping = mapping_of(source)
    for name, place, value in _tasks(text, source, is_doccano=False):
        if name in edits:
            document = next(each for each in documents if each.id == name)
            form = _Form("label", lambda _relation, number: f"rel{number}", ProdigyRelations(value).new, mapping)
            found += _changes(text, place, document, edits[name], form)
            found += _notes(text, place, value, [link.id for link in document.links], edits[name])
    return found


def doccano_splices(
    text: str, source: Source, documents: Sequence[Document], edits: Mapping[str, Edits]
) -> list[Splice]:
    """Return the replacements to make in a doccano file."""
    found: list[Splice] = []
    tasks = list(_tasks(text, source, is_doccano=True))
    mapping = mapping_of(source)
    relations = DoccanoRelations([value for _, _, value in tasks])
    for name, place, value in tasks:
        if name in edits:
            document = next(each for each in documents if each.id == name)
            form = _Form("type", link_name, partial(relations.new, value), mapping)
            found += _changes(text, place, document, edits[name], form)
    return found


def _tasks(text: str, source: Source, *, is_doccano: bool) -> Iterator[tuple[str, Value, dict[str, Any]]]:
    """Yield the tasks with the names of their documents and their positions."""
    tasks = tasks_in(source)
    starts = {number: line.start for number, line in lines(text)}
    taken: set[str] = set()
    for task in tasks:
        if is_doccano:
            name = name_of(source.name, task, len(tasks), taken)
        else:
            name = document_name(source.name, task.line, len(tasks))
        if task.error is None:
            yield name, value_at(text, starts[task.line]), task.value


class _Form(NamedTuple):
    """The form of relations: the key of the label, functions that name one and make a new one, and the mapping."""

    label: str
    named: Callable[[dict[str, Any], int], str]
    new: Callable[[NewLink, str], dict[str, Any]]
    mapping: ToolMapping | None


def _changes(text: str, place: Value, document: Document, edits: Edits, form: _Form) -> Iterator[Splice]:
    """Yield the changes of one task."""
    array = value_of(text, place, "relations")
    present = items(text, array) if array is not None and text[array.start] == "[" else []
    values = records([item.of(text) for item in present])
    stated = [(form.named(value, number), number - 1) for number, value in enumerate(values, 1)]
    links = {
        name: number
        for name, (_, number) in in_step(document.links, stated, lambda each, link: is_named(link, each[0])).items()
    }
    for name, number in stated:
        links.setdefault(name, number)
    edits.require(links, document.id)
    gone = {links[name] for name in edits.drop}
    if array is not None and gone:
        yield from removed(text, array, gone)
    for name, label in edits.relabel.items():
        yield with_member(text, present[links[name]], form.label, label)
    if not edits.add:
        return
    last = links[document.links[-1].id] if document.links else None
    model = None if last is None else Arrow("", str(values[last].get(form.label)))
    new = []
    for each in edits.add:
        how = form_of(each, form.mapping, model, label_is_type=True)
        if how.attribute is not None:
            raise UsageError(f"{each.said} cannot be added: the mapping wants an attribute, and relations have none")
        new.append(form.new(each, how.type))
    if array is None or text[array.start] != "[":
        yield with_member(text, place, "relations", new)
    else:
        style = place if last is None else present[last]
        yield inserted(text, array, [written_like(text, style, each) for each in new], gone=gone, after=len(present))


def _notes(text: str, place: Value, task: dict[str, Any], links: list[str], edits: Edits) -> Iterator[Splice]:
    before = dictionary(task.get("meta")).get(_NOTE_KEY)
    if before is not None and type(before) is not str:
        return
    after = joined_notes(before, [*links, *edits.links], edits, edits.add)
    if after != before:
        yield from with_inner_member(text, place, "meta", _NOTE_KEY, after)


# ----------------------------------------------------------------------------------------------------
# New relations of Prodigy and doccano tasks.

_SPAN_KEYS = ("start", "end", "token_start", "token_end", "label")


class ProdigyRelations:
    """The ends of relations of a task: a relation names a token of each span, and the span beside it."""

    def __init__(self, task: dict[str, Any]) -> None:
        relations = records(task.get("relations"))
        self._has_spans = not relations or any("head_span" in each or "child_span" in each for each in relations)
        self._spans: dict[str, dict[str, Any]] = {}
        tokens = [
            {**token, "token_start": token.get("id"), "token_end": token.get("id"), "label": None}
            for token in records(task.get("tokens"))
        ]
        beside = [dictionary(each.get(f"{end}_span")) for each in relations for end in ("head", "child")]
        for span in (*records(task.get("spans")), *beside, *tokens):
            self._spans.setdefault(f"{span.get('start')}-{span.get('end')}", span)

    def new(self, link: NewLink, label: str) -> dict[str, Any]:
        """Return a relation between two spans."""
        ends = {"head": self._span(link, link.source), "child": self._span(link, link.target)}
        record: dict[str, Any] = {end: span["token_end"] for end, span in ends.items()}
        if self._has_spans:
            record |= {
                f"{end}_span": {key: span[key] for key in _SPAN_KEYS if key in span} for end, span in ends.items()
            }
        return record | {"label": label}

    def _span(self, link: NewLink, entity: str) -> dict[str, Any]:
        found = self._spans.get(entity)
        if found is None or type(found.get("token_end")) is not int:
            raise UsageError(f"{link.said} cannot be added: the task does not say which tokens {entity} has")
        return found


class DoccanoRelations:
    """New relations of a doccano file. Ids of relations are numbers, each used once in a project."""

    def __init__(self, tasks: Sequence[dict[str, Any]]) -> None:
        found = [relation.get("id") for task in tasks for relation in records(task.get("relations"))]
        self._ids = FreeIds([str(each) for each in found if type(each) is int], usual="")

    def new(self, task: dict[str, Any], link: NewLink, label: str) -> dict[str, Any]:
        """Return a relation. Entities are named as the task names them, by a number or by a text."""
        names = {text_of(entity.get("id")): entity.get("id") for entity in records(task.get("entities"))}
        if unknown := [end for end in (link.source, link.target) if end not in names]:
            raise UsageError(f"{link.said} cannot be added: the task has no entity {unknown[0]}")
        return {"id": int(self._ids.give()), "from_id": names[link.source], "to_id": names[link.target], "type": label}
