"""Label Studio, export "JSON": a list of tasks, each with annotations. Each annotation is a document.

Results that share an id describe one region: one of them marks the span, the others (choices, text areas) are its
attributes. Relations have no ids: they are called rel1, rel2, ... in their order. Offsets count characters.
"""

from __future__ import annotations

from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.io.tools.assembly import Annotation, Arrow, Assembler, Mark
from temporacle.io.tools.json_file import dictionary, json_value, records, text_of
from temporacle.io.tools.names import kind_named
from temporacle.printing import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from temporacle.io.source import Source
    from temporacle.io.tools.assembly import Spans
    from temporacle.model import Document

RELATION = "relation"
KEYS = ("annotations", "completions")  # completions: files of old versions
_GLOBAL = "globalOffsets"


class Place(NamedTuple):
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
        results = records(stated.get("result"))
        yield assembler.document(_Reader(assembler, results, task).annotation(place.document))


def tasks_of(value: Any) -> list[dict[str, Any]] | None:
    """Return the tasks of a file; None if it holds none."""
    if type(value) is dict:
        return [value]
    return records(value) if type(value) is list and value and all(type(each) is dict for each in value) else None


def places(value: Any, stem: str) -> Iterator[Place]:
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
            yield Place(document, number, key, k, skipped)


class _Reader:
    """One annotation."""

    def __init__(self, assembler: Assembler, results: list[dict[str, Any]], task: dict[str, Any]) -> None:
        self.assembler = assembler
        self.builder = assembler.builder
        self.results = results
        self.text = _text(task)

    def annotation(self, name: str) -> Annotation:
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
            if region in found:
                message = f"{shown(region)} is declared a second time; the first counts"
                self.builder.warn("duplicate-id", message, element=region)
            else:
                found[region] = value, label
        return found

    def _attributes(self) -> dict[str, dict[str, str]]:
        """Return choices and text areas by region and by the name of their control."""
        found: dict[str, dict[str, str]] = {}
        for result in self.results:
            region, name = text_of(result.get("id")), text_of(result.get("from_name"))
            value = dictionary(result.get("value"))
            for key in ("choices", "text"):
                stated = value.get(key) if result.get("type") in {"choices", "textarea"} else None
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
