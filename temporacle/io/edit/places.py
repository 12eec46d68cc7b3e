"""Find the exact position of each value in a JSON text.

The text has been parsed before, so it is known to be JSON: this only looks for the borders of values. Nothing here is
recursive, so depth does not matter; each call reads its value once.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.io.edit.edits import Splice

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from lxml.etree import _Element

_BLANK = re.compile(r"[ \t\r\n]*+")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_NESTING = re.compile(r'"(?:[^"\\]|\\.)*+"|[\[\]{}]', re.DOTALL)
_SCALAR = re.compile(r"[^\s,\]}]++")


class Value(NamedTuple):
    """The place of a value."""

    start: int
    end: int

    def of(self, text: str) -> Any:
        """Return the value itself."""
        return json.loads(text[self.start : self.end])


class Member(NamedTuple):
    """A key of an object with the place of its value."""

    key: str
    start: int  # of the key
    value: Value


def value_at(text: str, start: int) -> Value:
    """Return the value that begins here, or after the white space here.

    >>> text = ' {"a": "}"}, 2'
    >>> value_at(text, 0)
    Value(start=1, end=11)
    """
    start = _BLANK.match(text, start).end()  # type: ignore[union-attr]
    first = text[start]
    if first == '"':
        return Value(start, _STRING.match(text, start).end())  # type: ignore[union-attr]
    if first not in "[{":
        return Value(start, _SCALAR.match(text, start).end())  # type: ignore[union-attr]
    depth = 0
    for match in _NESTING.finditer(text, start):
        if match[0] in "[{":
            depth += 1
        elif match[0] in "]}":
            depth -= 1
            if not depth:
                return Value(start, match.end())
    raise ValueError("the value has no end")


def items(text: str, array: Value) -> list[Value]:
    """Return the values of an array."""
    return list(_parts(text, array))


def members(text: str, record: Value) -> list[Member]:
    """Return the keys of an object in the order of the text."""
    found = []
    for key in _parts(text, record):
        colon = _BLANK.match(text, key.end).end()  # type: ignore[union-attr]
        found.append(Member(json.loads(text[key.start : key.end]), key.start, value_at(text, colon + 1)))
    return found


def member(text: str, record: Value, name: str) -> Member | None:
    """Return the key of that name. If there are several, return the last, which is the valid one."""
    return next((each for each in reversed(members(text, record)) if each.key == name), None)


def value_of(text: str, record: Value, *path: str) -> Value | None:
    """Return the value under a key, under a key of that value, and so on; None if there is none."""
    for name in path:
        found = member(text, record, name) if text[record.start] == "{" else None
        if found is None:
            return None
        record = found.value
    return record


def _parts(text: str, whole: Value) -> Iterator[Value]:
    """Yield the values of an array, or the keys of an object."""
    is_object = text[whole.start] == "{"
    position = _BLANK.match(text, whole.start + 1).end()  # type: ignore[union-attr]
    while position < whole.end - 1:
        part = value_at(text, position)
        yield part
        end = part.end
        if is_object:
            end = value_at(text, _BLANK.match(text, end).end() + 1).end  # type: ignore[union-attr]
        position = _BLANK.match(text, end).end()  # type: ignore[union-attr]
        if text[position] == ",":
            position = _BLANK.match(text, position + 1).end()  # type: ignore[union-attr]


def removed(text: str, array: Value, gone: Collection[int]) -> Iterator[Splice]:
    """Take items, given by their positions, out of an array.

    An item goes with the comma before it, if an item that stays stands anywhere before it; otherwise with what stands
    between it and the next. If none stays, nothing is left between the brackets.
    """
    yield from _without(array, items(text, array), gone)


def without_member(text: str, record: Value, name: str) -> Iterator[Splice]:
    """Take a key out of an object, by the same rule."""
    present = members(text, record)
    gone = {position for position, each in enumerate(present) if each.key == name}
    yield from _without(record, [Value(each.start, each.value.end) for each in present], gone)


def _without(whole: Value, parts: list[Value], gone: Collection[int]) -> Iterator[Splice]:
    if len(gone) == len(parts):
        yield Splice(whole.start + 1, whole.end - 1)
    else:
        yield from cut_out(parts, gone)


def cut_out(parts: Sequence[Value], gone: Collection[int]) -> Iterator[Splice]:
    """Take some parts of a list, though not all, out of it: each with what stands before it, if an earlier part stays,
    and otherwise with what stands behind it.
    """
    one_stays = False
    for position, part in enumerate(parts):
        if position not in gone:
            one_stays = True
        elif one_stays:
            yield Splice(parts[position - 1].end, part.end)
        else:
            yield Splice(part.start, parts[position + 1].start)


def with_member(text: str, record: Value, name: str, value: object) -> Splice:
    """Return a splice that changes the value under a key.

    A new key is placed after the last one, with the white space of the first.
    """
    written = json.dumps(value, ensure_ascii=False)
    present = members(text, record)
    there = next((each for each in reversed(present) if each.key == name), None)
    if there is not None:
        return Splice(*there.value, written)
    key = json.dumps(name, ensure_ascii=False)
    if not present:
        return Splice(record.start + 1, record.start + 1, f"{key}: {written}")
    blanks = text[record.start + 1 : present[0].start]
    place = present[-1].value.end
    return Splice(place, place, f",{blanks}{key}: {written}")


def with_inner_member(text: str, record: Value, outer: str, inner: str, value: object) -> Iterator[Splice]:
    """Change the value under a key of an object under another key; None takes it out, with what it leaves empty."""
    held = value_of(text, record, outer)
    is_object = held is not None and text[held.start] == "{"
    if held is not None and value is None and is_object and len(members(text, held)) > 1:
        yield from without_member(text, held, inner)
    elif value is None:
        yield from without_member(text, record, outer)
    elif held is not None and is_object:
        yield with_member(text, held, inner, value)
    else:
        yield with_member(text, record, outer, {inner: value})


def inserted(
    text: str, array: Value, written: Sequence[str], *, gone: Collection[int] = (), after: int | None = None
) -> Splice:
    """Return a splice that puts items into an array, with the same blanks between them as before.

    ``gone``: positions of items that are taken out at the same time.
    ``after``: the position to put them behind, if that item stays; otherwise it is the last one that stays.
    """
    present = items(text, array)
    staying = [k for k in range(len(present)) if k not in gone]
    before = [k for k in staying if after is None or k <= after] or staying
    if not before:
        return Splice(array.start + 1, array.start + 1, ", ".join(written))
    last = before[-1]
    if len(present) > 1:
        first = max(last, 1)
        between = text[present[first - 1].end : present[first].start]
    else:
        between = "," + (text[array.start + 1 : present[0].start] or _blank_between(text, present[0]))
    return Splice(present[last].end, present[last].end, "".join(between + each for each in written))


def _blank_between(text: str, record: Value) -> str:
    """Return a blank if keys of the object have one between them."""
    keys = members(text, record) if text[record.start] == "{" else []
    return "" if len(keys) > 1 and keys[1].start == keys[0].value.end + 1 else " "


def written_like(text: str, model: Value | None, value: Any) -> str:
    """Return a value as JSON, with the order of keys and the blanks of another one.

    It descends as deep as the value, which is made here and small.

    >>> text = '{"a":1,  "b":[2]}'
    >>> written_like(text, value_at(text, 0), {"b": ["x"], "a": None, "c": True})
    '{"a":null,  "b":["x"],  "c":true}'
    """
    if isinstance(value, dict) and model is not None and text[model.start] == "{" and (known := members(text, model)):
        return _object_like(text, model, known, value)
    if isinstance(value, list) and value and model is not None and text[model.start] == "[":
        present = items(text, model)
        if present:
            opening, closing = text[model.start : present[0].start], text[present[-1].end : model.end]
            between = text[present[0].end : present[1].start] if len(present) > 1 else ", "
            return opening + between.join(written_like(text, present[0], each) for each in value) + closing
    return json.dumps(value, ensure_ascii=text.isascii())


def _object_like(text: str, model: Value, known: list[Member], value: dict[str, Any]) -> str:
    by_key = {each.key: each for each in known}
    opening, closing = text[model.start : known[0].start], text[known[-1].value.end : model.end]
    between = text[known[0].value.end : known[1].start] if len(known) > 1 else ", "
    colon = text[value_at(text, known[0].start).end : known[0].value.start]
    written = []
    for key in (*(each for each in by_key if each in value), *(each for each in value if each not in by_key)):
        own = by_key[key].value if key in by_key else None
        name = json.dumps(key, ensure_ascii=text.isascii())
        written.append(f"{name}{colon}{written_like(text, own, value[key])}")
    return opening + between.join(written) + closing


def lines(text: str) -> Iterator[tuple[int, Value]]:
    """Yield the lines that are not blank with their numbers, split at line feeds."""
    start, number = 0, 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        number += 1
        if not text[start:end].isspace() and end > start:
            yield number, Value(start, end)
        start = end + 1


def whole_line(text: str, place: int) -> Value:
    """Return the line that contains a place, with its line end."""
    start, end = text.rfind("\n", 0, place) + 1, text.find("\n", place)
    return Value(start, len(text) if end < 0 else end + 1)


def line_after(text: str, line: Value, written: str, *, is_first: bool = False) -> Splice:
    """Return a splice that puts a line behind another one (a whole line, from ``whole_line``).

    If that is the last line and has no line end, the new one comes before it, so that a line end comes with each new
    line; unless that line must be the first, such as a header.
    """
    is_ended = text.endswith("\n", line.start, line.end)
    last = line.end if is_ended else line.start  # behind the line end to imitate
    end = "\r\n" if text.endswith("\r\n", 0, last) else "\n"
    if is_ended or (line.start and not is_first):
        return Splice(last, last, written + end)
    return Splice(line.end, line.end, end + written)


# ----------------------------------------------------------------------------------------------------
# Find the exact position of each element in an XML text.
#
# The text has been parsed before, so it is known to be well-formed: this only looks for the borders of markup. Elements
# come in the order of their start tags, which is the order in which a parsed tree lists them.

_QUOTED = r""""[^"]*+"|'[^']*+'"""
_MARKUP = re.compile(
    rf"""
      <!--(?P<comment>.*?)-->
    | <!\[CDATA\[.*?\]\]>
    | <\?.*?\?>
    | <!DOCTYPE(?:[^\["'>]|{_QUOTED})*+(?:\[(?:(?><!--.*?-->)|(?><\?.*?\?>)|[^\]"']|{_QUOTED})*+\]\s*+)?>
    | </[^>]*+>
    | <(?P<name>[^\s/>]++)(?:[^"'>]|{_QUOTED})*+>
    """,
    re.DOTALL | re.VERBOSE,
)
_ATTRIBUTE = re.compile(r"""(\s++)([^\s=]++)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)')""")
_BLANKS = " \t\r\n"
EMPTY: Mapping[str, str] = MappingProxyType({})


class Attribute(NamedTuple):
    """An attribute of a start tag: where the white space before it, and its value, stand."""

    name: str
    start: int  # of the white space before the name
    value_start: int
    value_end: int

    @property
    def end(self) -> int:
        return self.value_end + 1  # behind the quote

    def replaced(self, value: str, text: str) -> Splice:
        """Return a splice with another value between the same quotes."""
        return Splice(self.value_start, self.value_end, in_attribute(value, text[self.value_end]))


@dataclass(slots=True)
class Tag:
    """An element: from the ``<`` of its start tag to the end of its end tag."""

    name: str  # as written, with its prefix
    start: int
    start_tag_end: int
    end: int

    @property
    def local_name(self) -> str:
        return self.name.rpartition(":")[2]

    def attributes(self, text: str) -> list[Attribute]:
        """Return the attributes in the order of the tag."""
        found = []
        position = self.start + 1 + len(self.name)
        while (match := _ATTRIBUTE.match(text, position, self.start_tag_end)) is not None:
            start, end = match.span(3) if match[3] is not None else match.span(4)
            found.append(Attribute(match[2], match.start(), start, end))
            position = match.end()
        return found

    def attribute(self, text: str, *names: str) -> Attribute | None:
        """Return the first of these attributes, with or without a prefix."""
        by_name = {each.name.rpartition(":")[2]: each for each in self.attributes(text)}
        return next((by_name[name] for name in names if name in by_name), None)

    def removed(self, text: str, *, with_blanks: bool = True) -> Splice:
        """Take the element out, and the white space before it: what stands behind it stays where it is."""
        start = self.start
        while with_blanks and start and text[start - 1] in _BLANKS:
            start -= 1
        return Splice(start, self.end)

    def without_attribute(self, text: str, name: str) -> list[Splice]:
        """Return a splice without the attribute; nothing if it is not there."""
        there = self.attribute(text, name)
        return [] if there is None else [Splice(there.start, there.end)]

    def with_attribute(self, text: str, name: str, value: str) -> Splice:
        """Return a splice with another value of the attribute. A new attribute is placed directly after the last."""
        if (there := self.attribute(text, name)) is not None:
            return there.replaced(value, text)
        attributes = self.attributes(text)
        place = attributes[-1].end if attributes else self.start + 1 + len(self.name)
        return Splice(place, place, f' {name}="{in_attribute(value)}"')


class Comment(NamedTuple):
    """A comment with its place."""

    start: int
    end: int
    content: str


class Markup(NamedTuple):
    """All elements and comments of a text."""

    tags: list[Tag]
    comments: list[Comment]


def markup(text: str) -> Markup:
    """Return the elements of a well-formed text in the order of their start tags, and its comments."""
    tags: list[Tag] = []
    comments: list[Comment] = []
    opened: list[Tag] = []
    for match in _MARKUP.finditer(text):
        name = match["name"]
        if name is not None:
            tag = Tag(name, match.start(), match.end(), match.end())
            tags.append(tag)
            if text[match.end() - 2] != "/":
                opened.append(tag)
        elif text.startswith("</", match.start()):
            opened.pop().end = match.end()
        elif (content := match["comment"]) is not None:
            comments.append(Comment(match.start(), match.end(), content))
    return Markup(tags, comments)


def tags_of(root: _Element, found: Markup) -> dict[_Element, Tag]:
    """Return the tag in the text for each element of the parsed tree."""
    from lxml import etree

    return dict(zip(root.iter(etree.Element), found.tags, strict=True))


def blanks_before(text: str, tag: Tag) -> str:
    """Return the line end and the indentation before an element, or whatever white space is there."""
    blanks = text[tag.removed(text).start : tag.start]
    line_end = max(blanks.rfind("\n"), 0)
    return blanks[line_end - blanks.endswith("\r", 0, line_end) :]


def element_like(
    text: str, model: Tag, values: Mapping[str, str], *, name: str | None = None, instead: Mapping[str, str] = EMPTY
) -> str:
    """Return an element with some attributes, written like another one: order, blanks, quotes, and how it is closed.

    ``values``: the attributes; those that the model does not have come last.
    ``instead``: for names in the model, the name of the attribute that stands in its place.
    """
    attributes = model.attributes(text)
    rest = dict(values)
    written = f"<{name or model.name}"
    for each in attributes:
        own = instead.get(each.name, each.name)
        if own in rest:
            quote = text[each.value_end]
            before = text[each.start : each.value_start].replace(each.name, own, 1)
            written += before + in_attribute(rest.pop(own), quote) + quote
    quote = text[attributes[-1].value_end] if attributes else '"'
    for own, value in rest.items():
        written += f" {own}={quote}{in_attribute(value, quote)}{quote}"
    closing = text[attributes[-1].end : model.start_tag_end] if attributes else "/>"
    return written + closing + ("" if closing.endswith("/>") else f"</{name or model.name}>")


def in_attribute(value: str, quote: str = '"') -> str:
    """Return a value for use between quotes, with only the necessary escapes."""
    value = value.replace("&", "&amp;").replace("<", "&lt;")
    value = value.replace("\t", "&#9;").replace("\n", "&#10;").replace("\r", "&#13;")
    return value.replace(quote, "&quot;" if quote == '"' else "&apos;")


def in_comment(value: str) -> str:
    """Return a text that is allowed in a comment. XML forbids two hyphens there, and one at the end.

    >>> in_comment("a--b-")
    'a- -b- '
    """
    while "--" in value:
        value = value.replace("--", "- -")
    return value + " " if value.endswith("-") else value
