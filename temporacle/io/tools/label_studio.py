"""Label Studio, export "JSON": a list of tasks, each with annotations. Each annotation is a document.

Results that share an id describe one region: one of them marks the span, the others (choices, text areas) are its
attributes. Relations have no ids: they are called rel1, rel2, ... in their order. Offsets count characters.
"""

from __future__ import annotations

import json
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.errors import UsageError
from temporacle.io.edit.edits import Splice, joined_notes
from temporacle.io.edit.places import (
    inserted,
    items,
    removed,
    value_at,
    value_of,
    with_inner_member,
    with_member,
    written_like,
)
from temporacle.io.tools import mapping as names
from temporacle.io.tools.assembly import DOCTIMEREL, Annotation, Arrow, Assembler, Mark, form_of, label_place
from temporacle.io.tools.json_file import dictionary, json_value, records, text_of
from temporacle.io.tools.mapping import kind_named, mapping_of
from temporacle.printing import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Mapping as Table

    from temporacle.io.edit.edits import Edits
    from temporacle.io.edit.places import Value
    from temporacle.io.source import Source
    from temporacle.io.tools.assembly import Spans
    from temporacle.io.tools.mapping import ToolMapping
    from temporacle.model import Document

RELATION = "relation"
KEYS = ("annotations", "completions")  # completions: files of old versions
_GLOBAL = "globalOffsets"


class RegionPlace(NamedTuple):
    """An annotation that counts: the document it makes, and where it stands."""

    document: str
    task: int
    key: str
    annotation: int | None  # None: all annotations of the task were cancelled
    skipped: int  # annotations of the task that were cancelled


def is_first_object(record: dict[str, Any]) -> bool:
    """Return whether a file with this first object holds tasks: with annotations, or in the short form JSON_MIN."""
    return bool(record.keys() & {*KEYS, "annotation_id"}) or {"data", "predictions"} <= record.keys()


def read(source: Source) -> Iterator[Document]:
    """Yield the documents of an export, one for each annotation that was not cancelled."""
    value = json_value(source)
    tasks = tasks_of(value)
    if tasks is None or not any(key in task or "predictions" in task for task in tasks for key in KEYS):
        reason = "no task has annotations: the export JSON_MIN leaves relations out"
        raise source.error(reason, cure='export "JSON" instead')
    for place in places(value, source.name):
        assembler = Assembler(source, "label-studio", place.document, label_is_type=True)
        if place.skipped:
            message = "annotations that were cancelled are left out"
            assembler.builder.warn("skipped-annotation", message, element=str(place.skipped))
        task = tasks[place.task]
        stated = {} if place.annotation is None else records(task.get(place.key))[place.annotation]
        results = assembler.objects(stated.get("result"), "result")
        yield assembler.document(_Reader(assembler, results, task).annotation(place.document))


def tasks_of(value: Any) -> list[dict[str, Any]] | None:
    """Return the tasks of a file; None if it holds none."""
    if type(value) is dict:
        return [value]
    return records(value) if type(value) is list and value and all(type(each) is dict for each in value) else None


def places(value: Any, stem: str) -> Iterator[RegionPlace]:
    """Yield the annotations that count, with the names of their documents."""
    tasks = tasks_of(value) or []
    taken: set[str] = set()
    for number, task in enumerate(tasks):
        key = next((key for key in KEYS if key in task), None)
        if key is None:
            continue
        annotations = records(task[key])
        counted = [k for k, each in enumerate(annotations) if each.get("was_cancelled") is not True]
        skipped = len(annotations) - len(counted)
        name = stem if len(tasks) == 1 else f"{stem}#{text_of(task.get('id')) or number + 1}"
        places_in: list[int | None] = [*counted] or [None] * bool(annotations)
        for k in places_in:
            own = f".{text_of(annotations[k].get('id')) or k + 1}" if k is not None and len(counted) > 1 else ""
            document = name + own
            while document in taken:
                document += "~"
            taken.add(document)
            yield RegionPlace(document, number, key, k, skipped)


class _Reader:
    """One annotation."""

    def __init__(self, assembler: Assembler, results: list[dict[str, Any]], task: dict[str, Any]) -> None:
        self.assembler = assembler
        self.builder = assembler.builder
        self.results = results
        self.text = _text(task)

    def annotation(self, name: str) -> Annotation:
        for result in self.results:
            if result.get("type") != RELATION and ("from_id" in result or "to_id" in result):
                message = f"a result with from_id and to_id must have the type {RELATION}"
                self.builder.drop("bad-link", message, element=shown(text_of(result.get("type"))))
        regions = self._regions()
        text = self._shown_text(regions)
        attributes = self._attributes()
        marks = {
            region: self._mark(region, value, label, attributes.get(region, {}), text)
            for region, (value, label) in regions.items()
        }
        aliases = self._join_fragments(marks)
        return Annotation(name, marks, list(self._arrows(aliases)), text)

    def _regions(self) -> dict[str, tuple[dict[str, Any], str]]:
        """Return the results that mark spans, by region. The first of two results counts."""
        found: dict[str, tuple[dict[str, Any], str]] = {}
        for result in self.results:
            kind, region, value = (
                text_of(result.get("type")),
                text_of(result.get("id")),
                dictionary(result.get("value")),
            )
            if kind is None or region is None or not kind.endswith("labels"):
                continue
            labels = [label for label in value.get(kind) or () if type(label) is str] if _has_list(value, kind) else []
            label = next((each for each in labels if kind_named(each) is not None), labels[0] if labels else "")
            if self.builder.is_first(region, "region without id"):
                found[region] = value, label
        return found

    def _attributes(self) -> dict[str, dict[str, str]]:
        """Return choices and text areas by region and by the name of their control."""
        found: dict[str, dict[str, str]] = {}
        for result in self.results:
            region, name = text_of(result.get("id")), text_of(result.get("from_name"))
            value = dictionary(result.get("value"))
            for key in ("choices", "text"):
                stated = value.get(key) if result.get("type") in ("choices", "textarea") else None
                if region and name and type(stated) is list and stated and type(stated[0]) is str:
                    found.setdefault(region, {}).setdefault(name, stated[0])
        return found

    def _shown_text(self, regions: dict[str, tuple[dict[str, Any], str]]) -> str | None:
        """Return the text that offsets refer to. For HTML, it is the text without tags, if that fits the regions."""
        if self.text is None or not any(_GLOBAL in value for value, _ in regions.values()):
            return self.text
        plain = _WithoutTags.of(self.text)
        for value, _ in regions.values():
            spans, stated = _spans(value), value.get("text")
            if spans and type(stated) is str and not _is_same(plain[spans[0][0] : spans[0][1]], stated):
                return None
        return plain

    def _mark(
        self, region: str, value: dict[str, Any], label: str, attributes: dict[str, str], text: str | None
    ) -> Mark:
        stated = value.get("text") if type(value.get("text")) is str else None
        spans = _spans(value)
        if text is None or not spans:
            if not spans and type(value.get("start")) is int:
                self.builder.warn("bad-span", "start and end must be whole numbers in order", element=region)
            return Mark(region, label, spans, stated, attributes)
        ((start, end),) = spans
        if end > len(text):
            message = f"the span ends behind the text of {len(text)} characters; the entity has none"
            self.builder.warn("span-outside", message, element=region)
            return Mark(region, label, (), stated, attributes)
        found = text[start:end]
        if stated is not None and not _is_same(found, stated):
            message = f"the file states {shown(stated)}, and the text there is {shown(found)}, which counts"
            self.builder.warn("span-mismatch", message, element=region)
        return Mark(region, label, spans, found, attributes)

    def _join_fragments(self, marks: dict[str, Mark]) -> dict[str, str]:
        """Join regions that are parts of others, and return the whole that each part belongs to.

        Parts are recognised by the separator in the mapping.
        """
        separator = None if self.assembler.mapping is None else self.assembler.mapping.fragments
        aliases: dict[str, str] = {}
        for region in list(marks) if separator else ():
            whole, found, number = region.rpartition(separator or "")
            if found and number.isdigit() and whole in marks:
                part = marks.pop(region)
                first = marks[whole]
                text = " ".join(filter(None, (first.text, part.text))) or None
                marks[whole] = first._replace(spans=tuple(sorted((*first.spans, *part.spans))), text=text)
                aliases[region] = whole
        return aliases

    def _arrows(self, aliases: dict[str, str]) -> Iterator[Arrow]:
        relations = (result for result in self.results if result.get("type") == RELATION)
        for number, result in enumerate(relations, 1):
            source, target = (text_of(result.get(key)) for key in ("from_id", "to_id"))
            source, target = aliases.get(source or "", source), aliases.get(target or "", target)
            if result.get("direction") == "left":
                source, target = target, source
            labels = (
                tuple(label for label in result["labels"] if type(label) is str) if _has_list(result, "labels") else ()
            )
            yield arrow_of(f"rel{number}", source, target, labels, is_undirected=result.get("direction") == "bi")


def arrow_of(
    name: str, source: str | None, target: str | None, labels: tuple[str, ...], *, is_undirected: bool = False
) -> Arrow:
    """Return a relation with its labels. ``TLINK:Type=BEFORE:Source:Target`` is a type with attributes."""
    if len(labels) == 1 and "=" in labels[0] and ":" in labels[0]:
        first, *others = labels[0].split(":")
        attributes = {key: value for key, sign, value in (each.partition("=") for each in others) if sign}
        return Arrow(name, first, source, target, attributes, shown=labels[0], is_undirected=is_undirected)
    shown_as = "|".join(labels)
    return Arrow(name, shown_as, source, target, shown=shown_as, labels=labels, is_undirected=is_undirected)


def _has_list(value: dict[str, Any], key: str) -> bool:
    return type(value.get(key)) is list


def _text(task: dict[str, Any]) -> str | None:
    """Return the text of a task: the value under "text", or the only string of its data."""
    data = dictionary(task.get("data"))
    if type(data.get("text")) is str:
        return str(data["text"])
    strings = [value for value in data.values() if type(value) is str]
    return strings[0] if len(strings) == 1 else None


def _spans(value: dict[str, Any]) -> Spans:
    """Return the span of a region: for HTML, the one in the text without tags; none if the file has no offsets."""
    place = dictionary(value.get(_GLOBAL)) or value
    start, end = place.get("start"), place.get("end")
    return ((start, end),) if type(start) is int and type(end) is int and 0 <= start <= end else ()


def _is_same(found: str, stated: str) -> bool:
    """Return whether two texts are equal except for white space. Some versions spell out line ends as letters."""
    return "".join(found.split()) in {"".join(stated.split()), "".join(stated.replace("\\n", " ").split())}


class _WithoutTags(HTMLParser):
    """Collects the text of HTML."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []

    @classmethod
    def of(cls, html: str) -> str:
        parser = cls()
        parser.feed(html)
        parser.close()
        return "".join(parser.pieces)

    def handle_data(self, data: str) -> None:
        self.pieces.append(data)


# ----------------------------------------------------------------------------------------------------
# Label Studio: results of an annotation. A note goes to the ``meta.text`` of the region that the link starts from.
#
# On the relation itself a note would be lost when the annotation is saved next.

_NEEDED = {"from_id", "to_id", "type", "labels"}
_KEYS = {*_NEEDED, "direction"}


def splices(text: str, source: Source, documents: Sequence[Document], edits: Table[str, Edits]) -> list[Splice]:
    """Return the replacements to make in a Label Studio export."""
    whole = value_at(text, 0)
    value = whole.of(text)
    tasks = items(text, whole) if text[whole.start] == "[" else [whole]
    sources = {document.id: {link.id: link.source for link in document.links} for document in documents}
    found: list[Splice] = []
    for place in places(value, source.name):
        if place.document not in edits:
            continue
        annotations = value_of(text, tasks[place.task], place.key)
        has_place = annotations is not None and place.annotation is not None
        annotation = items(text, annotations)[place.annotation] if has_place else None  # type: ignore[arg-type, index]
        results = None if annotation is None else value_of(text, annotation, "result")
        if results is not None and text[results.start] == "[":
            editor = _Editor(text, results, edits[place.document], sources[place.document])
            editor.mapping = mapping_of(source)
            found += editor.splices(place.document)
    return found


class _Editor:
    """The results of one annotation."""

    mapping: ToolMapping | None = None

    def __init__(self, text: str, results: Value, edits: Edits, sources: dict[str, str]) -> None:
        self.text = text
        self.results = results
        self.edits = edits
        self.places = items(text, results)
        self.values = records([place.of(text) for place in self.places])
        self.sources = sources  # the regions that links start from, by the ids of links
        relations = [k for k, each in enumerate(self.values) if each.get("type") == RELATION]
        self.relations = {f"rel{number}": k for number, k in enumerate(relations, 1)}

    def splices(self, document: str) -> Iterator[Splice]:
        doctimerels = {link: self._choice(link) for link in self.sources if link.startswith(DOCTIMEREL)}
        known = {**self.relations, **{link: k for link, k in doctimerels.items() if k is not None}}
        self.edits.require(known, document)
        gone = {known[link] for link in self.edits.drop}
        if gone:
            yield from removed(self.text, self.results, gone)
        for link, label in self.edits.relabel.items():
            yield from self._relabelled(link, self.places[known[link]], self.values[known[link]], label)
        if self.edits.add:
            read = [self.relations[link] for link in self.sources if link in self.relations]
            yield self._added(read, gone)
        yield from self._notes()

    def _added(self, read: Sequence[int], gone: set[int]) -> Splice:
        """Return the new relations. They come behind the last relation, so that the numbers of others stay."""
        model = arrow_of("", None, None, tuple(self.values[read[-1]]["labels"])) if read else None
        style = self.places[read[-1] if read else 0]
        keys = _NEEDED | set(self.values[read[-1]]) if read else _KEYS
        written = []
        for new in self.edits.add:
            form = form_of(new, self.mapping, model, label_is_type=True)
            label = form.type
            if form.attribute is not None:
                is_like = model is not None and model.labels is None and model.type == form.type
                before = (
                    model.shown if is_like and model is not None and model.shown else f"{form.type}:{form.attribute}="
                )
                label = _with_value(before, form.attribute, new.label)
            ends = {"from_id": new.source, "to_id": new.target}
            record = {**ends, "type": RELATION, "direction": "right", "labels": [label]}
            record = {key: value for key, value in record.items() if key in keys}
            written.append(written_like(self.text, style, record))
        last = max(self.relations.values(), default=None)
        return inserted(self.text, self.results, written, gone=gone, after=last)

    def _choice(self, link: str) -> int | None:
        """Return the position of the result that states a DocTimeRel."""
        region = link.removeprefix(DOCTIMEREL)
        rules = () if self.mapping is None else self.mapping.doctimerels
        wanted = {rule.feature for rule in rules}
        for k, value in enumerate(self.values):
            name = text_of(value.get("from_name")) or ""
            is_meant = name in wanted or (not rules and names.plain(name) == names.DOCTIMEREL)
            if is_meant and text_of(value.get("id")) == region and value.get("type") in ("choices", "textarea"):
                return k
        return None

    def _relabelled(self, link: str, place: Value, value: dict[str, Any], label: str) -> Iterator[Splice]:
        if link.startswith(DOCTIMEREL):
            key = "choices" if "choices" in dictionary(value.get("value")) else "text"
            array = value_of(self.text, place, "value", key)
        else:
            array = value_of(self.text, place, "labels")
            labels = value.get("labels")
            if type(labels) is list and len(labels) == 1 and type(labels[0]) is str:
                arrow = arrow_of(link, None, None, (labels[0],))
                if arrow.labels is None and (attribute := label_place(self.mapping, arrow).attribute) is not None:
                    label = _with_value(labels[0], attribute, label)
        written = json.dumps(label, ensure_ascii=False)
        present = items(self.text, array) if array is not None and self.text[array.start] == "[" else []
        if present:
            yield Splice(present[0].start, present[-1].end, written)
        elif array is not None:
            yield Splice(*array, f"[{written}]")
        else:
            yield with_member(self.text, place, "labels", [label])

    def _notes(self) -> Iterator[Splice]:
        """Yield the notes at the regions that links start from."""
        if not (self.edits.has_notes or self.edits.renew or self.edits.drop):
            return
        links_of: dict[str, list[str]] = {}
        for link, k in self.relations.items():
            region = self.sources.get(link) or text_of(self.values[k].get("from_id"))
            links_of.setdefault(region or "", []).append(link)
        for link, region in self.sources.items():
            if link.startswith(DOCTIMEREL):
                links_of.setdefault(region, []).append(link)
        written: set[str] = set()
        for k, value in enumerate(self.values):
            region = text_of(value.get("id")) or ""
            if region not in written and str(value.get("type")).endswith("labels"):
                written.add(region)
                yield from self._note(self.places[k], value, links_of.get(region, []))
        for link in self.edits.comment:
            if not any(link in links for region, links in links_of.items() if region in written):
                raise UsageError(f"{link}: the region that it starts from is not there to take a note")
        for new in self.edits.add:
            if new.comment and new.source not in written:
                raise UsageError(f"{new.said}: the region that it starts from is not there to take a note")

    def _note(self, place: Value, value: dict[str, Any], links: list[str]) -> Iterator[Splice]:
        texts: Any = dictionary(value.get("meta")).get("text")
        before = texts[0] if type(texts) is list and texts and type(texts[0]) is str else None
        region = text_of(value.get("id"))
        after = joined_notes(before, links, self.edits, (new for new in self.edits.add if new.source == region))
        if after == before:
            return
        array = value_of(self.text, place, "meta", "text")
        if before is None or array is None or (after is None and len(texts) == 1):
            yield from with_inner_member(self.text, place, "meta", "text", after and [after])
        elif after is None:
            yield from removed(self.text, array, {0})
        else:
            yield Splice(*items(self.text, array)[0], json.dumps(after, ensure_ascii=False))


def _with_value(label: str, attribute: str, value: str) -> str:
    """Return a label such as ``TLINK:Type=BEFORE:Source`` with another value of one of its attributes."""
    parts = label.split(":")
    return ":".join(f"{attribute}={value}" if part.startswith(f"{attribute}=") else part for part in parts)
