"""A TimeML file as the normaliser needs it: the running text, and the elements with their place in it.

Places are counted in *characters of TEXT that are not white space*, so that two annotations of one text agree on
them however each was laid out. The parse is iterative; entity definitions are refused, so nothing can expand.

Its TLINK tags are rewritten for the common numbers.

Event-event and time-time links run from the smaller number to the larger, time-event links from the event to the
time; turning a link round inverts its label. IDENTITY, DURING and DURING_INV become SIMULTANEOUS, except in links that
were event to time in the file, which keep their label.

The official program edits text: it finds a tag by ``lid="..."`` and an attribute by ``name="..."``. Tags without lid
and attributes in single quotes keep what they say. That is done here in the same way, for the scorer behind it reads
text by patterns too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple
from xml.parsers import expat

from temporacle.errors import InputError
from temporacle.model import Remark

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


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


_TEXT_BEGINS = re.compile(r"<TEXT[\s>]")
_TEXT_ENDS = re.compile(r"</TEXT\s*+>")
_RUN = re.compile(r"[^;\s]++;?")  # a reference lies in one run, and its semicolon ends the run
_REFERENCE = re.compile(r"&(?!amp;).*", re.DOTALL)


def first_reference(file: TimemlFile) -> str | None:
    """Return the first character or entity reference in TEXT (other than ``&amp;``) that the official program cannot
    align.

    >>> first_reference(parse("<TimeML><TEXT>R&amp;D &lt; &#233;</TEXT></TimeML>"))
    '&lt;'
    """
    source = _without_comments(file.source)
    begin = _TEXT_BEGINS.search(source)
    end = _TEXT_ENDS.search(source, begin.end()) if begin else None
    if begin is None or end is None:
        return None
    runs = (run.group() for run in _RUN.finditer(source, begin.start(), end.end()))
    found = (_REFERENCE.search(run) for run in runs if run.endswith(";"))
    return next((each.group() for each in found if each), None)


def _without_comments(source: str) -> str:
    parts, place = [], 0
    while (begin := source.find("<!--", place)) >= 0 and (end := source.find("-->", begin + 4)) >= 0:
        parts.append(source[place:begin])
        place = end + 3
    return "".join((*parts, source[place:]))


# ----------------------------------------------------------------------------------------------------
# The schema that every file must satisfy before the official normaliser touches any file of the run.
#
#     one DCT with one TIMEX3, one TEXT, below a root TimeML
#     no markup inside EVENT and TIMEX3
#     eid, tid, eiid and sid are there and unique; lid is unique where it is given
#     what is referred to exists; events, timexes and signals count only directly below a child of the root
#     the label of a TLINK is one of a list in upper case

_ROOT = "TimeML"
_LABELS = (
    *("BEFORE", "AFTER", "INCLUDES", "IS_INCLUDED", "DURING", "DURING_INV", "SIMULTANEOUS", "IAFTER", "IBEFORE"),
    *("IDENTITY", "BEGINS", "ENDS", "BEGUN_BY", "ENDED_BY", "OVERLAP", "BEFORE-OR-OVERLAP", "OVERLAP-OR-AFTER"),
    *("VAGUE", "NONE"),
)
_KEYS = {"EVENT": "eid", "TIMEX3": "tid", "MAKEINSTANCE": "eiid", "SIGNAL": "sid"}
_KEY_DEPTH = 3  # root, TEXT or DCT or TITLE, mention
_REFERENCES = {
    "eventID": "EVENT",
    **dict.fromkeys(("eventInstanceID", "relatedToEventInstance"), "MAKEINSTANCE"),
    **dict.fromkeys(("timeID", "relatedToTime", "anchorTimeID", "beginPoint", "endPoint"), "TIMEX3"),
    "signalID": "SIGNAL",
}


def violations(file: TimemlFile) -> Iterator[Remark]:
    """Yield everything in a file that the schema forbids."""
    yield from _frame(file)
    yield from _content(file)
    keys: dict[str, set[str]] = {tag: set() for tag in _KEYS}
    for element in file.named(*_KEYS):
        yield from _register(element, keys[element.tag])
    for element in file.elements:
        yield from _dangling(element, keys)
    yield from _links(file)


def _frame(file: TimemlFile) -> Iterator[Remark]:
    if file.root != _ROOT:
        yield Remark("wrong-root", f"the root element is {file.root}, not {_ROOT}", 1)
    yield from _unless_one(file, "dct-count", "DCT")
    yield from _unless_one(file, "text-count", "TEXT")
    inside_dct = sum(1 for timex in file.named("TIMEX3") if timex.inside == "DCT")
    if inside_dct != 1:
        yield Remark("dct-timex-count", f"DCT must hold exactly one TIMEX3; here it holds {inside_dct or 'none'}")


def _unless_one(file: TimemlFile, code: str, tag: str) -> Iterator[Remark]:
    count = sum(1 for _ in file.named(tag))
    if count != 1:
        yield Remark(code, f"there must be exactly one {tag}; this file has {count or 'none'}")


def _content(file: TimemlFile) -> Iterator[Remark]:
    for element in file.named(*MENTION_TAGS):
        if element.has_children:
            yield _remark("nested-markup", "must hold text only, no other element", element)


def _register(element: Element, known: set[str]) -> Iterator[Remark]:
    key = _KEYS[element.tag]
    identity = element.attributes.get(key)
    if identity is None:
        yield _remark("missing-id", f"has no {key}", element)
    elif identity in known:
        yield _remark("duplicate-id", f"the {key} {identity!r} is used twice", element)
    elif element.tag == "MAKEINSTANCE" or element.depth == _KEY_DEPTH:
        known.add(identity)


def _dangling(element: Element, keys: dict[str, set[str]]) -> Iterator[Remark]:
    for attribute, identity in element.attributes.items():
        tag = _REFERENCES.get(attribute)
        if tag is not None and identity not in keys[tag]:
            where = "in this file" if tag == "MAKEINSTANCE" else "directly below TEXT, DCT or TITLE"
            yield _remark("dangling-id", f"{attribute} {identity!r} names no {tag} {where}", element)


def _links(file: TimemlFile) -> Iterator[Remark]:
    known: set[str] = set()
    for link in file.named(*LINK_TAGS):
        lid = link.attributes.get("lid")
        if lid in known:
            yield _remark("duplicate-id", f"the lid {lid!r} is used twice", link)
        if lid is not None:
            known.add(lid)
        label = link.attributes.get("relType")
        if link.tag == "TLINK" and label is not None and label not in _LABELS:
            yield _remark("unknown-label", f"the relType {label!r} is none of {', '.join(_LABELS)}", link)


def _remark(code: str, message: str, element: Element) -> Remark:
    return Remark(code, message, element.line, element.name)


NO_INVERSE = "null"
_INVERSES = {
    "BEFORE": "AFTER",
    "IBEFORE": "IAFTER",
    "INCLUDES": "IS_INCLUDED",
    "BEGINS": "BEGUN_BY",
    "ENDS": "ENDED_BY",
    "SIMULTANEOUS": "SIMULTANEOUS",
}
_INVERSES |= {inverse: label for label, inverse in _INVERSES.items()}
_EQUALITIES = frozenset(("IDENTITY", "DURING", "DURING_INV"))
EVENT, TIME = "ei", "t"
_SOURCES = {EVENT: "eventInstanceID", TIME: "timeID"}
_TARGETS = {EVENT: "relatedToEventInstance", TIME: "relatedToTime"}
_TAG = re.compile(r"<TLINK[^>]*+(?:>|\Z)")  # without >, it is not a tag: searching on would take quadratic time
_ATTRIBUTE = re.compile(r"""(?<=\s)([\w:.-]+)=("[^"]*"|'[^']*')""")


class NormalizedLink(NamedTuple):
    """``source label target``"""

    source: str
    label: str
    target: str


class Numbers(NamedTuple):
    """The common numbers of one side, by the ids in its file."""

    instances: Mapping[str, int]
    times: Mapping[str, int]  # the DCT is 0


class End(NamedTuple):
    """An argument of a link under its new number. Events sort before times."""

    prefix: str  # EVENT or TIME
    number: int

    def __str__(self) -> str:
        return f"{self.prefix}{self.number}"


class Rewriting(NamedTuple):
    """The TLINK tags of a file in file order, and what was odd about them."""

    tags: tuple[str, ...]
    remarks: tuple[Remark, ...]


def oriented(source: End, label: str, target: End) -> tuple[End, str, End]:
    """Return the link in the direction and with the label that the official program gives it.

    >>> source, label, target = oriented(End(TIME, 4), "INCLUDES", End(EVENT, 7))
    >>> print(source, label, target)
    ei7 IS_INCLUDED t4
    """
    if (source.prefix, target.prefix) == (EVENT, TIME):
        return source, label, target
    if label in _EQUALITIES:
        label = "SIMULTANEOUS"
    if source > target:
        return target, _INVERSES.get(label, NO_INVERSE), source
    return source, label, target


def rewrite(file: TimemlFile, numbers: Numbers) -> Rewriting:
    """Return all TLINK tags of a file, rewritten where the official program finds them by their lid."""
    links = {link.attributes["lid"]: link for link in file.named("TLINK") if "lid" in link.attributes}
    tags: list[str] = []
    remarks: list[Remark] = []
    line, counted = 1, 0
    for found in _TAG.finditer(file.source):
        tag = found.group()
        if not tag.endswith(">"):
            break
        line, counted = line + file.source.count("\n", counted, found.start()), found.start()
        editable = _double_quoted(tag)
        link = links.get(editable.get("lid", ""))
        changes = _changes(link, numbers) if link is not None else {}
        untouched = changes.keys() - editable.keys()
        if changes.get("relType") == ("relType", NO_INVERSE):
            remarks.append(Remark("no-inverse", f"the label has no inverse; it becomes '{NO_INVERSE}'", line, tag))
        if not changes or untouched:
            remarks.append(Remark("not-rewritten", _why_not(link, untouched), line, tag))
        tags.append(_edited(tag, changes))
    return Rewriting(tuple(tags), tuple(remarks))


def links_in(tags: tuple[str, ...]) -> Iterator[NormalizedLink]:
    r"""Yield the content of the tags, in either kind of quotes. Tags without two arguments and a label are skipped.

    >>> list(links_in(('<TLINK relType="BEFORE" eventInstanceID="ei1" relatedToTime=\'t0\'/>', "<TLINK/>")))
    [NormalizedLink(source='ei1', label='BEFORE', target='t0')]
    """
    for tag in tags:
        attributes = {name: value[1:-1] for name, value in _ATTRIBUTE.findall(tag)}
        source, target = _argument(attributes, _SOURCES), _argument(attributes, _TARGETS)
        if source and target and "relType" in attributes:
            yield NormalizedLink(attributes[_SOURCES[source]], attributes["relType"], attributes[_TARGETS[target]])


def obstacles(file: TimemlFile, numbers: Numbers) -> Iterator[Remark]:
    """Yield the links that cannot be rewritten: a time expression has no number, or an argument is given twice."""
    for link in file.named("TLINK"):
        for attribute in (_SOURCES[TIME], _TARGETS[TIME]):
            time = link.attributes.get(attribute)
            if time is not None and time not in numbers.times:
                message = f"the TIMEX3 {time!r} is empty or stands outside TEXT and DCT; unlink it"
                yield Remark("time-without-text", message, link.line, link.name)
        for names in (_SOURCES, _TARGETS):
            if all(name in link.attributes for name in names.values()):
                message = f"gives both {' and '.join(names.values())}; keep one of them"
                yield Remark("two-arguments", message, link.line, link.name)


def _changes(link: Element, numbers: Numbers) -> dict[str, tuple[str, str]]:
    """Return, for each attribute that is rewritten, its new name and value; empty for links without an argument or a
    label.
    """
    attributes = link.attributes
    source, target = _argument(attributes, _SOURCES), _argument(attributes, _TARGETS)
    if source is None or target is None or "relType" not in attributes:
        return {}
    number = {EVENT: numbers.instances, TIME: numbers.times}
    new_source, label, new_target = oriented(
        End(source, number[source][attributes[_SOURCES[source]]]),
        attributes["relType"],
        End(target, number[target][attributes[_TARGETS[target]]]),
    )
    return {
        _SOURCES[source]: (_SOURCES[new_source.prefix], str(new_source)),
        _TARGETS[target]: (_TARGETS[new_target.prefix], str(new_target)),
        "relType": ("relType", label),
    }


def _argument(attributes: Mapping[str, str], names: Mapping[str, str]) -> str | None:
    """Return the kind of argument that is given. If both are given, it is a time, as the scorer reads it."""
    return next((prefix for prefix in (TIME, EVENT) if names[prefix] in attributes), None)


def _double_quoted(tag: str) -> dict[str, str]:
    return {name: value[1:-1] for name, value in _ATTRIBUTE.findall(tag) if value[0] == '"'}


def _edited(tag: str, changes: Mapping[str, tuple[str, str]]) -> str:
    def edit(attribute: re.Match[str]) -> str:
        name, quoted = attribute.groups()
        if quoted[0] != '"' or name not in changes:
            return attribute.group()
        new_name, value = changes[name]
        return f'{new_name}="{value}"'

    return _ATTRIBUTE.sub(edit, tag)


def _why_not(link: Element | None, untouched: set[str]) -> str:
    if untouched:
        return f'{", ".join(sorted(untouched))}: not written as name="value", so left alone; use double quotes'
    if link is None:
        return 'the link keeps its old ids and label: it has no lid="value" in double quotes, or stands in a comment'
    return "the link lacks an argument or its relType"
