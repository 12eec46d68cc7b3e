"""Label Studio: results of an annotation. A note goes to the ``meta.text`` of the region that the link starts from.

On the relation itself a note would be lost when the annotation is saved next.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from temporacle.errors import UsageError
from temporacle.io.edit.edits import joined_notes
from temporacle.io.edit.json_text import (
    inserted,
    items,
    removed,
    value_at,
    value_of,
    with_member,
    without_member,
    written_like,
)
from temporacle.io.edit.text import Splice
from temporacle.io.edit.tool_forms import form_of
from temporacle.io.tools import names
from temporacle.io.tools.assembly import DOCTIMEREL, label_place
from temporacle.io.tools.json_file import dictionary, records, text_of
from temporacle.io.tools.label_studio import RELATION, arrow_of, places
from temporacle.io.tools.mapping import mapping_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Mapping as Table

    from temporacle.io.edit.edits import Edits
    from temporacle.io.edit.json_text import Value
    from temporacle.io.source import Source
    from temporacle.io.tools.mapping import Mapping
    from temporacle.model import Document

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

    mapping: Mapping | None = None

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
            if is_meant and text_of(value.get("id")) == region and value.get("type") in {"choices", "textarea"}:
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
        texts = dictionary(value.get("meta")).get("text")
        before = texts[0] if type(texts) is list and texts and type(texts[0]) is str else None
        region = text_of(value.get("id"))
        after = joined_notes(before, links, self.edits, (new for new in self.edits.add if new.source == region))
        if after == before:
            return
        meta = value_of(self.text, place, "meta")
        if before is not None and after is not None:
            array = value_of(self.text, place, "meta", "text")
            assert array is not None  # noqa: S101 - it was read
            yield Splice(*items(self.text, array)[0], json.dumps(after, ensure_ascii=False))
        elif before is not None and meta is not None:  # the last note goes with the keys that held it
            array = value_of(self.text, meta, "text")
            if array is not None and len(items(self.text, array)) > 1:
                yield from removed(self.text, array, {0})
            elif len(dictionary(value.get("meta"))) > 1:
                yield from without_member(self.text, meta, "text")
            else:
                yield from without_member(self.text, place, "meta")
        elif meta is not None and self.text[meta.start] == "{":
            yield with_member(self.text, meta, "text", [after])
        else:
            yield with_member(self.text, place, "meta", {"text": [after]})


def _with_value(label: str, attribute: str, value: str) -> str:
    """Return a label such as ``TLINK:Type=BEFORE:Source`` with another value of one of its attributes."""
    parts = label.split(":")
    return ":".join(f"{attribute}={value}" if part.startswith(f"{attribute}=") else part for part in parts)
