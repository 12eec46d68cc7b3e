"""TimeML and TempEval-1: TLINK elements.

A dropped link goes with the white space before it, unless that is part of the document's text. A note is an XML
comment directly behind the link.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.io.edit.edits import NOTE, plain_note
from temporacle.io.edit.text import Splice
from temporacle.io.edit.timeml_new import NewElements, Stated
from temporacle.io.edit.xml_tags import in_comment, markup, tags_of
from temporacle.io.source import Source
from temporacle.io.timeml import name_of, traced_tree
from temporacle.io.timeml_body import text_element
from temporacle.io.xml import parse, qualified

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lxml.etree import _Element

    from temporacle.io.edit.edits import Edits
    from temporacle.io.edit.xml_tags import Comment, Tag
    from temporacle.model import Document

_READINGS = {"timeml": "timeml", "tempeval1": "tempeval"}


def splices(text: str, source: Source, documents: Sequence[Document], edits: Mapping[str, Edits]) -> list[Splice]:
    """Return the replacements in the text of a TimeML file."""
    name = source.format or "timeml"
    again = Source(source.path, source.data, source.options, format=name)
    root = parse(again)
    document, used = traced_tree(again, root, name, _READINGS[name])
    links = {link.id: element for link, element in zip(document.links, used, strict=True)}
    readable = set(used)
    for element in root.iter(qualified(root, "TLINK")):
        if element not in readable:  # it can be dropped, or fixed by another label
            links.setdefault(name_of(element, has_tasks=name == "tempeval1"), element)
    wanted = edits[documents[0].id]
    wanted.require(links, document.id)
    found = markup(text)
    tags = tags_of(root, found)
    notes = _notes(found.comments)
    inside = text_element(root)
    result: list[Splice] = []
    for link, element in links.items():
        result += _changes(text, link, tags[element], notes, wanted, is_in_text=_is_in(element, inside))
    if wanted.add:
        result += NewElements(text, root, found, list(map(Stated, document.links, used))).splices(wanted.add)
    return result


def _changes(
    text: str, link: str, tag: Tag, notes: Mapping[int, Comment], edits: Edits, *, is_in_text: bool
) -> Iterator[Splice]:
    """Yield the changes to one link."""
    if link in edits.drop:
        yield tag.removed(text, with_blanks=not is_in_text)
    if (label := edits.relabel.get(link)) is not None:
        yield tag.with_attribute(text, "relType", label)
    end = tag.end
    while (note := notes.get(end)) is not None and edits.replaces(link):  # comments directly behind the link
        yield Splice(note.start, note.end)
        end = note.end
    if (comment := edits.comment.get(link)) is not None:
        yield Splice(tag.end, tag.end, f"<!-- {in_comment(plain_note(comment))} -->")


def _notes(comments: Sequence[Comment]) -> dict[int, Comment]:
    """Return Temporacle's notes by the place where they begin."""
    return {comment.start: comment for comment in comments if comment.content.lstrip().startswith(NOTE)}


def _is_in(element: _Element, other: _Element) -> bool:
    return any(above is other for above in element.iterancestors())
