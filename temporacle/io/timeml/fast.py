"""The graph of a plain TimeML file, read from its bytes: a fast path for ``check``, which needs no tree of elements.

Most files of a large corpus are *plain*: every tag is written as annotation tools write it, and the reader has hardly a
remark about the file. For such a file ``plain_graph`` returns what consistency depends on. For any other file it
returns None, and the reader of the format is asked (``timeml``). What it returns is always what the reader would find:

1. The file is well-formed. Expat proves it for everything but the links at the end of a file, whose expression leaves
   nothing open. What libxml2 refuses and expat accepts is not plain: other namespaces, ``xml:id``, long names and deep
   nesting. Comments, CDATA, processing instructions and a document type are not plain, so each ``<`` begins a tag.
2. An expression matches a tag from its name on, attribute by attribute, so what looks like an attribute is one.
   Values with entities or blanks do not match.
3. The expressions match every tag of their name. If one is written in another way, the values of its attributes are
   empty, and the file is not plain.

Tests compare the scan with the reader on all corpora and on thousands of mutated files.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple
from xml.parsers import expat

from temporacle.io.builder import plain_labels, without_instance
from temporacle.model import Entity, Kind, PlainGraph, PlainTimes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from temporacle.io.source import Source
    from temporacle.model import Document, Remark, Unreadable
    from temporacle.readings import Reading
    from temporacle.relation import Relation

_SUFFIXES = (".tml", ".xml")  # no other format is known by such a name alone
_LARGEST = 50_000  # bytes; libxml2 refuses longer names
_MOST_OTHERS = 200  # elements that may hold others, so that nothing is nested more deeply; libxml2 refuses 256
_SCHEMA = ("xsi", "http://www.w3.org/2001/XMLSchema-instance")
_ROOT_END = b"</TimeML>"

# Parts of expressions. What they match is never given back: a file is read once, from its beginning to its end.
_BLANKS = rb"[ \t\r\n]"
_ID = rb"[!#-%(-.0-;=?-~]++"  # printable ASCII without blanks, quotes and "&/<>"
_TEXT = rb"[ !#-%'-;=?-~]*+"  # printable ASCII that may stand in a value
_ATTRIBUTE = rb"""(?:\s++[A-Za-z]++="[^"<>]*+")"""


def _around(tag: bytes, attribute: bytes) -> re.Pattern[bytes]:
    """Return the expression for an element around a text, with the value of one attribute."""
    value = rb"""%b*?\s++%b="(%b)"%b*+\s*+>""" % (_ATTRIBUTE, attribute, _ID, _ATTRIBUTE)
    return re.compile(rb"<%b(?:%b[^<]*+</%b>)?+" % (tag, value, tag))


_START = re.compile(rb"""(?:<\?xml version="1\.0" ?(?:encoding="(?i:utf-8)" ?)?\?>)?\s*<TimeML[\s>]""")
_EVENT, _TIME = _around(rb"EVENT", rb"eid"), _around(rb"TIMEX3", rb"tid")
_OTHER = re.compile(rb"""<(?!/|EVENT\b|TIMEX3\b)(?:((?:[^<>"']++|"[^"<]*+")++)>)?+""")
_ONE_CREATION_TIME = re.compile(rb"<DCT>[^<]*+<TIMEX3[^<]*+</TIMEX3>[^<]*+</DCT>")
_SOURCE, _LABEL, _TARGET = rb"eventInstanceID|timeID", rb"relType", rb"relatedToEventInstance|relatedToTime"


class _Kind(NamedTuple):
    """The elements of one kind that stand at the end of a file, without any content."""

    tag: bytes
    used: tuple[bytes, ...]  # attributes; one of those that a bar separates
    needed: tuple[bytes, ...]  # attributes that must have a value, whichever it is
    harmless: tuple[bytes, ...]  # attributes that may stand there, too


_LINKS = _Kind(rb"<TLINK", (_SOURCE, _LABEL, _TARGET), (rb"lid",), (rb"comment", rb"origin", rb"signalID", rb"syntax"))
_INSTANCES = _Kind(
    rb"<MAKEINSTANCE",
    (rb"eiid", rb"eventID"),
    (),
    (
        *(rb"tense", rb"aspect", rb"pos", rb"polarity", rb"modality"),
        *(rb"cardinality", rb"signalID", rb"mood", rb"vform"),
    ),
)


def plain_graph(source: Source, complete: Callable[[Source], Document | Unreadable]) -> PlainGraph | None:
    """Return the graph of a plain TimeML file; None for any other file. ``complete`` reads the document.

    Raise InputError if the file cannot be opened.
    """
    if (
        not source.path.endswith(_SUFFIXES)
        or source.format not in {None, "timeml"}
        or source.options.encoding is not None
    ):
        return None
    data = source.data
    end = data.rfind(b"<")
    if len(data) > _LARGEST or _START.match(data) is None or data[end:].rstrip(b" \t\r\n") != _ROOT_END:
        return None
    links = _columns(data, end, _LINKS)
    instances = None if links is None else _columns(data, links.begin, _INSTANCES)
    if links is None or instances is None:
        return None
    text = data[: instances.begin] + _ROOT_END
    declared = _declared(text, *instances.values)
    if declared is None or not _is_well_formed(text):
        return None
    numbered = _numbered(links.values, declared.numbers, _relations(source.reading("timeml")))
    if numbered is None:
        return None
    times = None
    if source.options.values:
        times = _times(text, declared, source.reading("timeml"))
        if times is None:
            return None

    counted, document = partial(_counted, links.values[1]), partial(complete, source)
    about = source.name, source.path, declared.entities
    return PlainGraph(*about, *numbered, declared.remarks, "timeml", counted, document, times)


def _times(text: bytes, declared: _Declared, reading: Reading) -> PlainTimes | None:
    """Return the time expressions by their numbers; None if one is unusual."""
    found = plain_times(text, declared.tids)
    if found is None:
        return None
    numbers = declared.numbers
    return PlainTimes({numbers[tid]: time for tid, time in zip(declared.tids, found, strict=True)}, reading)


def _counted(labels: Sequence[bytes]) -> dict[str, int]:
    return {label.decode("ascii"): number for label, number in Counter(labels).items()}


# --- elements without content --------------------------------------------------------------------------------


class _Columns(NamedTuple):
    """The values of the attributes that are used, and where the elements begin."""

    values: Sequence[Sequence[bytes]]
    begin: int


def _columns(data: bytes, end: int, kind: _Kind) -> _Columns | None:
    """Return the elements of a kind that stand before a place; None if one is unusual or stands elsewhere."""
    begin = data.find(kind.tag)
    if begin < 0:
        return _Columns([()] * len(kind.used), end)
    names = _NAMES.findall(data, begin, data.find(b">", begin))
    order = _order(kind, tuple(names))
    if order is None:
        return None
    found = order.expression.findall(data, begin, end + 1)
    if data.count(b"<", begin, end) != len(found):  # there are others, so it is not known what stands between
        return None
    columns = tuple(zip(*found, strict=True))
    return None if b"" in columns[0] else _Columns([columns[number] for number in order.groups], begin)


_NAMES = re.compile(rb"""(?<![A-Za-z])([A-Za-z]++)="[^"]*+\"""")


class _Order(NamedTuple):
    """How the elements of a file are written: their expression, and the group of each attribute that is used."""

    expression: re.Pattern[bytes]
    groups: Sequence[int]


@lru_cache(maxsize=64)
def _order(kind: _Kind, names: tuple[bytes, ...]) -> _Order | None:
    """Return how elements are written if their attributes are in this order; None if there are others.

    The expression leaves nothing to be proven: no attribute occurs twice, all characters are allowed where they
    stand, and each element ends where the next tag begins.
    """
    role_of = {name: role for role in kind.used for name in role.split(b"|")}
    roles = [role_of.get(name, name) for name in names]
    used = [role for role in roles if role in kind.used]
    is_known = {*roles} <= {*kind.used, *kind.needed, *kind.harmless} and len({*roles}) == len(roles)
    if not is_known or not {*kind.used, *kind.needed} <= {*roles}:
        return None
    values = dict.fromkeys(kind.used, rb"""%b++(?:%b)="(%b)\"""")
    values |= dict.fromkeys(kind.needed, rb"""%b++%b="%b\"""")
    optional = rb"""(?:%b++%b="%b")?+"""
    parts = [
        values[role] % (_BLANKS, role, _ID) if role in values else optional % (_BLANKS, role, _TEXT)
        for role in dict.fromkeys((*roles, *kind.harmless))
    ]
    expression = re.compile(rb"%b(?:%b%b*+/>%b*+(?=<))?+" % (kind.tag, b"".join(parts), _BLANKS, _BLANKS))
    return _Order(expression, tuple(map(used.index, kind.used)))


# --- what they say ---------------------------------------------------------------------------------------------


class _Declared(NamedTuple):
    entities: int  # how many there are
    numbers: dict[bytes, int]  # of the entities that links may use without a second look
    remarks: tuple[Remark, ...]
    tids: Sequence[bytes]


def _declared(text: bytes, eiids: Sequence[bytes], instantiated: Sequence[bytes]) -> _Declared | None:
    """Return the declarations of a file, by its text and its instances; None if anything is unusual."""
    eids, tids = _EVENT.findall(text), _TIME.findall(text)
    events = set(eids)
    loose: list[bytes] = []
    if list(instantiated) != eids:  # as it is where instances stand in the order of their events
        used = set(instantiated)
        if not used <= events:
            return None
        loose = [eid for eid in eids if eid not in used]
    names = (*eiids, *tids)
    numbers = dict(zip(names, range(len(names)), strict=True))
    is_plain = (
        len(events) == len(eids)
        and len(numbers) == len(names)
        and numbers.keys().isdisjoint(loose)
        and b"" not in numbers
        and b"" not in events
        and _are_others_plain(text)
    )
    if not is_plain:
        return None
    remarks: tuple[Remark, ...] = ()
    if loose and eiids:
        remarks = (without_instance(loose[0].decode(), len(loose)),)
    return _Declared(len(names) + len(loose), numbers, remarks, tids)


def _are_others_plain(text: bytes) -> bool:
    """Return whether the other elements are plain, and there is at most one candidate for the creation time."""
    others = _OTHER.findall(text)
    if len(others) > _MOST_OTHERS or b"" in others or b"xml:" in b" ".join(others):
        return False
    holders = sum(other.startswith(b"DCT") for other in others)
    if holders:
        return holders == 1 and _ONE_CREATION_TIME.search(text) is not None
    if b"&#" in text:  # a value could be spelled with these
        return False
    return text.count(b"CREATION_TIME") < 2 and text.count(b"PUBLICATION_TIME") < 2


def _numbered(
    links: Sequence[Sequence[bytes]], numbers: dict[bytes, int], relations: dict[bytes, Relation]
) -> tuple[Sequence[int], Sequence[Relation], Sequence[int]] | None:
    """Return sources, relations and targets of links; None if one is unusual, or may need a remark."""
    try:
        sources = [numbers[name] for name in links[0]]
        meanings = [relations[label] for label in links[1]]
        targets = [numbers[name] for name in links[2]]
    except KeyError:
        return None
    pairs = set(zip(sources, targets, strict=True))
    if len(pairs) < len(sources) or not pairs.isdisjoint(zip(targets, sources, strict=True)) or not all(meanings):
        return None
    return sources, meanings, targets


@lru_cache(maxsize=16)
def _relations(reading: Reading) -> dict[bytes, Relation]:
    return {label.encode(): relation for label, relation in plain_labels(reading).items()}


def _is_well_formed(data: bytes) -> bool:
    """Return whether a parser accepts the data and finds nothing in it that the expressions do not know."""
    parser = expat.ParserCreate("utf-8", " ")
    parser.StartNamespaceDeclHandler = _require_schema
    parser.CommentHandler = parser.ProcessingInstructionHandler = _refuse
    parser.StartCdataSectionHandler = parser.StartDoctypeDeclHandler = _refuse
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, _NotPlainError):
        return False
    return True


class _NotPlainError(Exception):
    """The file has something that the expressions do not know."""


def _refuse(*_what: object) -> None:
    raise _NotPlainError


def _require_schema(*namespace: str | None) -> None:
    if namespace != _SCHEMA:
        raise _NotPlainError


# ----------------------------------------------------------------------------------------------------
# The time expressions of a plain TimeML file, read from its bytes like its links, without a tree.
#
# The scan has proven how each TIMEX3 is written: the attributes with quotation marks, no ``<`` or ``>`` in them, and
# nothing but text between the tags. Here a value with an entity, or with a blank that is not a space, is not plain: a
# parser would replace it.

_TAG = b"<TIMEX3"
_ATTRIBUTES = re.compile(r"""(?<![A-Za-z])([A-Za-z]++)="([^"]*+)\"""")
_REPLACED = re.compile(rb"""="[^"]*[&\t\n]""")


class _Stated(NamedTuple):
    """What a tag says besides the id."""

    value: str | None
    function: str | None
    type: str | None
    mod: str | None
    begin_point: str | None
    end_point: str | None


def plain_times(text: bytes, tids: Sequence[bytes]) -> list[Entity] | None:
    """Return the time expressions with these ids, in the order of the text, without their words; None if one is odd.

    ``text`` is the part of a plain file that has all of them, and is well-formed.
    """
    if b"\r" in text:  # lines end in several ways
        return None
    stated, lines = [], []
    end, line = 0, 1
    for tid in tids:
        begin = text.index(_TAG, end)
        before, end = end, text.index(b">", begin)
        said = _stated(text[begin + len(_TAG) : end].replace(b' tid="%b"' % tid, b""))
        if said is None:
            return None
        line += text.count(b"\n", before, end)
        stated.append(said)
        lines.append(line)
    dct = creation_time(text, tids, [each.function for each in stated])
    return [
        Entity(tid.decode(), Kind.TIME, None, (), None, value, function, place == dct, line, kind, mod, begins, ends)
        for place, tid, line, (value, function, kind, mod, begins, ends) in zip(
            range(len(tids)), tids, lines, stated, strict=True
        )
    ]


@lru_cache(maxsize=1 << 14)
def _stated(attributes: bytes) -> _Stated | None:
    """Return what attributes say. Many times of a corpus say the same."""
    if _REPLACED.search(attributes):
        return None
    get = dict(_ATTRIBUTES.findall(attributes.decode())).get
    return _Stated(
        get("value"),
        get("functionInDocument"),
        get("type") or None,
        get("mod") or None,
        get("beginPoint") or None,
        get("endPoint") or None,
    )


def creation_time(text: bytes, tids: Sequence[bytes], functions: Sequence[str | None]) -> int | None:
    """Return the number of the creation time. A plain file has at most one candidate of each kind.

    ``functions``: what ``functionInDocument`` says of each time.
    """
    holder = text.find(b"<DCT>")
    if holder >= 0:
        return text.count(_TAG, 0, holder)  # the next one after it
    for function in ("CREATION_TIME", "PUBLICATION_TIME"):
        if function in functions:
            return functions.index(function)
    unmarked = (number for number, tid in enumerate(tids) if tid == b"t0" and functions[number] is None)
    return next(unmarked, None)
