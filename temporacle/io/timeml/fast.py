"""The graph of a plain TimeML file, read from its bytes: a fast path for ``check``, which needs no tree of elements.

Most files of a large corpus are *plain*: every tag is written as annotation tools write it, and the reader has hardly a
remark about the file. For such a file ``plain_graph`` returns what consistency depends on. For any other file it
returns None, and the reader of the format is asked (``timeml``). What it returns is always what the reader would
find, and so is the whole document that ``timeml_plain`` makes of it on demand:

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
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple
from xml.parsers import expat

from temporacle.io.builder import DocumentBuilder, new_link, plain_labels, time_entity, without_instance
from temporacle.model import Body, Entity, Kind, PlainGraph, PlainTimes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from temporacle.io.source import Source
    from temporacle.model import Document, Extras, Remark, Unreadable
    from temporacle.readings import Reading
    from temporacle.relation import Relation

    _Spans = tuple[tuple[int, int], ...]
    _Element = tuple[str | None, _Spans, int, str]  # content, spans, line, attributes

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

    def document() -> Document | Unreadable:

        labels, remarks = links.values[1], declared.remarks
        eiids, eids = instances.values
        scan = Scan(*declared.found, eiids, eids, *numbered, labels, remarks, instances.begin, links.begin)
        return plain_document(source, scan) or complete(source)

    return PlainGraph(
        source.name,
        source.path,
        declared.entities,
        *numbered,
        declared.remarks,
        "timeml",
        lambda: _counted(links.values[1]),
        document,
        times,
    )


def _times(text: bytes, declared: _Declared, reading: Reading) -> PlainTimes | None:
    """Return the time expressions by their numbers; None if one is unusual."""
    _, tids, _ = declared.found
    found = plain_times(text, tids)
    if found is None:
        return None
    numbers = declared.numbers
    return PlainTimes({numbers[tid]: time for tid, time in zip(tids, found, strict=True)}, reading)


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
    found: tuple[Sequence[bytes], Sequence[bytes], Sequence[bytes]]  # eids, tids, and the eids without an instance


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
    return _Declared(len(names) + len(loose), numbers, remarks, (eids, tids, loose))


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
# The time expressions of a plain TimeML file, read from its bytes like its links (``timeml_scan``), without a tree.
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


# ----------------------------------------------------------------------------------------------------
# The document of a plain TimeML file, made without a tree of elements.
#
# ``timeml_scan`` proves that a file is plain, and knows the ids of its events, instances, times and links. This module
# adds what people want to see: the ids and lines of links, the text, and the entities with their spans. It is asked for
# documents with a remark or a contradiction, which are many in some corpora.
#
# A file in which lines or characters would need more care is left to the reader of the format (``timeml``): one with
# carriage returns, numeric character references, or tags that go over several lines. Tests compare the two.

# Elements on one line, with the blanks behind them. No other value of a link can follow what looks like its id.
_LINK = re.compile(rb"""<TLINK[^>\n]*?[ \t]lid="([!#-%(-.0-;=?-~]++)"[^>\n]*+>(\s*+)""")
_INSTANCE = re.compile(rb"<MAKEINSTANCE[^>\n]*+>(\s*+)")
_TEXT_TAG = re.compile(r"</?TEXT[^>]*+(?:>|\Z)")  # the end, so that a tag without > is looked at once
# An event or a time with its attributes and its content, or any other tag.
_MARKUP = re.compile(
    r"""<(EVENT|TIMEX3)((?:[ ]++[A-Za-z]++="[^"<>\t\n]*+")++)[ ]*+>([^<]*+)</\1>"""
    r"""|<[^<>"\n]*+(?:"[^"<\n]*+"[^<>"\n]*+)*+>"""
)
_PLAIN_ATTRIBUTE = re.compile(r"""(?<![A-Za-z])([A-Za-z]++)="([^"]*+)\"""")
_PLAIN_EVENT = Kind.EVENT  # looking it up takes time
_new_entity: Callable[[tuple[object, ...]], Entity] = partial(tuple.__new__, Entity)  # see ``new_link``


class Scan(NamedTuple):
    """What the scan knows about a plain file."""

    eids: Sequence[bytes]  # in the order of the text
    tids: Sequence[bytes]
    loose: Sequence[bytes]  # eids of events without an instance
    eiids: Sequence[bytes]  # of instances, in the order of the file
    instantiated: Sequence[bytes]  # the eids of the same
    sources: Sequence[int]  # of links: an instance or a time, by its number among the instances and times
    relations: Sequence[Relation]
    targets: Sequence[int]
    labels: Sequence[bytes]
    remarks: tuple[Remark, ...]
    instances_begin: int  # where in the file; before it stands the text
    links_begin: int


def plain_document(source: Source, scan: Scan) -> Document | None:
    """Return the document of a plain file; None if the reader should make it."""
    data = source.data
    found = _LINK.findall(data, scan.links_begin)
    if b"\r" in data or len(found) != len(scan.labels):
        return None
    eiids, loose, tids = _decoded(scan.eiids), _decoded(scan.loose), _decoded(scan.tids)
    names = eiids + tids
    links = zip(
        _decoded([name for name, _ in found]),
        [names[number] for number in scan.sources],
        scan.relations,
        [names[number] for number in scan.targets],
        _decoded(scan.labels),
        _lines(data, scan.links_begin, [blanks for _, blanks in found]),
        strict=True,
    )
    builder = DocumentBuilder(source.name, source, "timeml", source.reading("timeml"), (*eiids, *loose, *tids))
    builder.links = [new_link((*link, 1, None)) for link in links]
    builder.remarks.extend(scan.remarks)
    return builder.build(partial(_body, source, scan))


def _decoded(names: Sequence[bytes]) -> list[str]:
    """Return ids and labels as text. They are ASCII without blanks."""
    return b" ".join(names).decode("ascii").split()


def _lines(data: bytes, begin: int, blanks: Sequence[bytes]) -> list[int]:
    """Return the lines of elements from a place on, by the blanks behind each of them."""
    first = data.count(b"\n", 0, begin) + 1
    return list(accumulate([each.count(b"\n") for each in blanks[:-1]], initial=first)) if blanks else []


def _body(source: Source, scan: Scan) -> Body:
    """Return the text and the entities, as ``read.body`` finds them."""
    data = source.data
    marked = _marked(data[: scan.instances_begin].decode())
    blanks = _INSTANCE.findall(data, scan.instances_begin, scan.links_begin)
    found = None if marked is None else (len(marked.events), len(marked.times), len(blanks))
    if marked is None or found != (len(scan.eids), len(scan.tids), len(scan.eiids)):
        from temporacle.io.timeml.read import body_of

        return body_of(source)
    events = dict(zip(_decoded(scan.eids), marked.events, strict=True))
    lines = _lines(data, scan.instances_begin, blanks)
    named = [*zip(_decoded(scan.eiids), _decoded(scan.instantiated), lines, strict=True)]
    named += [(eid, eid, events[eid][2]) for eid in _decoded(scan.loose)]
    entities = [
        _new_entity((name, _PLAIN_EVENT, content, spans, eid, None, None, False, line, None, None, None, None))
        for name, eid, line in named
        for content, spans, _, _ in (events[eid],)
    ]
    given = [_attributes(attributes) for _, _, _, attributes in marked.times]
    functions = [time.get("functionInDocument") for time in given]
    dct = creation_time(data[: scan.instances_begin], scan.tids, functions)
    entities += [
        time_entity(given[number].get, content, spans, is_dct=number == dct, line=line)
        for number, (content, spans, line, _) in enumerate(marked.times)
    ]
    return Body(tuple(entities), marked.text or None, partial(_extras, source))


def _extras(source: Source) -> Extras | None:
    from temporacle.io.timeml.read import extras_of  # only writers need it

    return extras_of(source)


def _attributes(written: str) -> dict[str, str]:
    return {name: _unescaped(value) for name, value in _PLAIN_ATTRIBUTE.findall(written)}


# --- the text ----------------------------------------------------------------------------------------------------


class _Text(NamedTuple):
    """The text, with the events and times in it and around it, in order."""

    text: str
    events: list[_Element]
    times: list[_Element]


def _marked(head: str) -> _Text | None:
    """Return the text of a file, and its events and times; None if the tags need more care."""
    if _TEXT_TAG.findall(head) != ["<TEXT>", "</TEXT>"]:
        return None
    texts: list[str] = []
    found: dict[str, list[_Element]] = {"EVENT": [], "TIMEX3": []}
    first_line = 1
    for part, is_text in zip(_TEXT_TAG.split(head), (False, True, False), strict=True):
        split = _MARKUP.split(part)
        characters = [""] * (len(split) // 2 + 1)  # before and inside of each element, in turn, and behind the last one
        characters[::2], characters[1::2] = split[::4], [content or "" for content in split[3::4]]
        text = "".join(characters)
        if "<" in text or ("&" in part and "&#" in part):
            return None
        if "&" in text:
            characters = [*map(_unescaped, characters)]
            text = "".join(characters)
        places = [*accumulate(map(len, characters))]
        lines = [*accumulate([each.count("\n") for each in characters], initial=first_line)]
        columns = split[1::4], split[2::4], characters[1::2], places[:-1:2], places[1::2], lines[1:-1:2]
        for tag, attributes, content, begin, end, line in zip(*columns, strict=True):
            if tag:
                spans = ((begin, end),) if is_text and content else ()
                found[tag].append((content or None, spans, line, attributes))
        first_line = lines[-1]
        texts.append(text)
    return _Text(texts[1], found["EVENT"], found["TIMEX3"])


def _unescaped(text: str) -> str:
    """Return the characters that a text in XML without numeric references stands for."""
    if "&" not in text:
        return text
    text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"').replace("&apos;", "'")
    return text.replace("&amp;", "&")
