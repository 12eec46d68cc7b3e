"""Find the exact position of each element in an XML text.

The text has been parsed before, so it is known to be well-formed: this only looks for the borders of markup. Elements
come in the order of their start tags, which is the order in which a parsed tree lists them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from temporacle.io.edit.text import Splice

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lxml.etree import _Element

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
