"""A TimeML file as the normaliser needs it: the running text, and the elements with their place in it.

Places are counted in *characters of TEXT that are not white space*, so that two annotations of one text agree on
them however each was laid out. The parse is iterative; entity definitions are refused, so nothing can expand.
"""

from __future__ import annotations

import re
from collections.abc import Mapping  # noqa: TC003 - part of the public signature
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple
from xml.parsers import expat

from temporacle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

LINK_TAGS = ("TLINK", "SLINK", "ALINK", "RLINK")
MENTION_TAGS = ("EVENT", "TIMEX3")
_KEPT = frozenset((*LINK_TAGS, *MENTION_TAGS, "SIGNAL", "MAKEINSTANCE", "DCT", "TEXT"))
_NO_BLANKS = dict.fromkeys(map(ord, " \t\r\n"))


class Element(NamedTuple):
    """One element that carries annotation."""

    tag: str
    attributes: Mapping[str, str]
    line: int
    depth: int  # 1 is the root
    inside: str | None  # DCT or TEXT, whichever it stands in
    start: int  # its text is [start, end) of TEXT, counted without white space
    end: int
    has_children: bool = False

    @property
    def name(self) -> str:
        """Return the element's tag and id, as a person would refer to it."""
        identity = next(
            (self.attributes[key] for key in ("eid", "tid", "eiid", "lid", "sid") if key in self.attributes), ""
        )
        return f"{self.tag} {identity}".rstrip()


@dataclass(frozen=True, slots=True)
class TimemlFile:
    """The contents of one file, and its source as text."""

    source: str
    root: str
    text: str  # the content of TEXT without tags
    elements: tuple[Element, ...]  # in the order of their start tags

    def named(self, *tags: str) -> Iterator[Element]:
        """Return the elements with one of these tags, in file order."""
        return (element for element in self.elements if element.tag in tags)


def parse(data: bytes | str) -> TimemlFile:
    """Read one file. InputError with the line if it is not well-formed, or defines entities.

    >>> file = parse("<TimeML><TEXT>Ann <EVENT eid='e1'> left </EVENT></TEXT></TimeML>")
    >>> [(element.name, element.start, element.end) for element in file.named("EVENT")]
    [('EVENT e1', 3, 7)]
    """
    if isinstance(data, str):
        return _Parser("utf-8").parse(data.encode("utf-8", "surrogatepass"))
    return _Parser(None).parse(data)


class _Parser:
    def __init__(self, encoding: str | None) -> None:
        self._encoding = encoding
        self._root = ""
        self._pieces: list[str] = []
        self._length = 0
        self._elements: list[Element] = []  # in the order of their start tags, all of them
        self._path: list[int] = []  # those still open, by their index
        self._expat = expat.ParserCreate(encoding)
        self._expat.buffer_text = True
        self._expat.StartElementHandler = self._start
        self._expat.EndElementHandler = self._end
        self._expat.CharacterDataHandler = self._characters
        self._expat.XmlDeclHandler = self._declaration
        self._expat.EntityDeclHandler = self._refuse_entity
        self._expat.SkippedEntityHandler = self._unknown_entity

    def parse(self, data: bytes) -> TimemlFile:
        try:
            self._expat.Parse(data, True)
        except expat.ExpatError as error:
            raise InputError(
                f"not well-formed XML: {expat.ErrorString(error.code)}",
                line=error.lineno,
                column=error.offset + 1,
                cure="repair the file",
            ) from None
        except (LookupError, ValueError) as error:
            raise InputError(f"cannot be decoded: {error}", line=1, cure="save the file as UTF-8") from None
        encoding = "utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else self._encoding or "utf-8"
        source = data.decode(encoding, "replace").removeprefix("\ufeff")
        elements = tuple(element for element in self._elements if element.tag in _KEPT)
        return TimemlFile(source, self._root, "".join(self._pieces), elements)

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        inside = None
        if self._path:
            parent = self._elements[self._path[-1]]
            inside = parent.tag if parent.tag in ("DCT", "TEXT") else parent.inside
            if not parent.has_children:
                self._elements[self._path[-1]] = parent._replace(has_children=True)
        else:
            self._root = tag
        self._path.append(len(self._elements))
        line, depth = self._expat.CurrentLineNumber, len(self._path)
        self._elements.append(Element(tag, attributes, line, depth, inside, self._length, self._length))

    def _end(self, _tag: str) -> None:
        index = self._path.pop()
        if self._elements[index].end < self._length:
            self._elements[index] = self._elements[index]._replace(end=self._length)

    def _characters(self, data: str) -> None:
        innermost = self._elements[self._path[-1]]
        if "TEXT" in (innermost.tag, innermost.inside):
            self._pieces.append(data)
            self._length += len(data.translate(_NO_BLANKS))

    def _declaration(self, _version: str, encoding: str | None, _standalone: int) -> None:
        self._encoding = self._encoding or encoding

    def _refuse_entity(self, name: str, *_: object) -> None:
        raise InputError(
            f"defines the entity {name!r}", line=self._expat.CurrentLineNumber, cure="write the characters themselves"
        )

    def _unknown_entity(self, name: str, _is_parameter: object) -> None:
        raise InputError(
            f"uses the undefined entity &{name};",
            line=self._expat.CurrentLineNumber,
            cure="write the character itself",
        )


_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_TEXT_MARKUP = re.compile(r"<TEXT[\s>].*?</TEXT\s*>", re.DOTALL)
_REFERENCE = re.compile(r"&(?!amp;)[^;\s]*;")


def first_reference(file: TimemlFile) -> str | None:
    """Return the first character or entity reference in TEXT (other than ``&amp;``) that the official program cannot
    align.

    >>> first_reference(parse("<TimeML><TEXT>R&amp;D &lt; &#233;</TEXT></TimeML>"))
    '&lt;'
    """
    markup = _TEXT_MARKUP.search(_COMMENT.sub("", file.source))
    found = _REFERENCE.search(markup.group()) if markup else None
    return found.group() if found else None
