"""Prodigy and doccano: relations of tasks in JSON Lines.

Prodigy shows the ``meta`` of a task below it, so a note goes there. doccano has no place for notes.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.errors import UsageError
from temporacle.io.edit.edits import NoPlaceForNotesError, in_step, is_named, joined_notes
from temporacle.io.edit.json_text import (
    inserted,
    items,
    lines,
    removed,
    value_at,
    value_of,
    with_member,
    without_member,
    written_like,
)
from temporacle.io.edit.task_relations import DoccanoRelations, ProdigyRelations
from temporacle.io.edit.tool_forms import form_of
from temporacle.io.tools.assembly import Arrow
from temporacle.io.tools.doccano import link_name, name_of
from temporacle.io.tools.json_file import dictionary, records
from temporacle.io.tools.mapping import mapping_of
from temporacle.io.tools.task_lines import document_name, tasks_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from temporacle.io.edit.edits import Edits, NewLink
    from temporacle.io.edit.json_text import Value
    from temporacle.io.edit.text import Splice
    from temporacle.io.source import Source
    from temporacle.io.tools.mapping import Mapping as ToolMapping
    from temporacle.model import Document

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
            if edits[name].has_notes:
                raise NoPlaceForNotesError(f"{source.path}: doccano has no place for notes at a link")
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
    if after == before:
        return
    meta = value_of(text, place, "meta")
    has_meta = meta is not None and text[meta.start] == "{"
    if after is None:
        if len(dictionary(task.get("meta"))) > 1 and meta is not None:
            yield from without_member(text, meta, _NOTE_KEY)
        else:
            yield from without_member(text, place, "meta")
    elif has_meta and meta is not None:
        yield with_member(text, meta, _NOTE_KEY, after)
    else:
        yield with_member(text, place, "meta", {_NOTE_KEY: after})
