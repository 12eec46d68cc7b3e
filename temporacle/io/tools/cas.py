"""A UIMA CAS (INCEpTION, WebAnno): feature structures about one or more texts, from XMI or from JSON.

Two things can be links: a *relation layer*, a span with the features Governor (the source) and Dependent (the target);
and a *link feature*, a list of small structures with role and target that belongs to the span that the links start
from. A file does not say which numbers are references, so a value is a list of links only if its numbers are ids of
such structures, or if its name says so. Ids may repeat: what an id means depends on where it stands.

Offsets count UTF-16 code units of the text.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.io.tools import mapping as names
from temporacle.io.tools.assembly import Annotation, Arrow, Assembler, Mark, Utf16
from temporacle.io.tools.json_file import json_value, records, text_of
from temporacle.io.tools.mapping import fits, mapping_of
from temporacle.io.xml import parse
from temporacle.printing import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from collections.abc import Mapping as Table

    from lxml.etree import _Element

    from temporacle.io.source import Source
    from temporacle.io.tools.mapping import LinkRule, ToolMapping
    from temporacle.model import Document

FOREIGN = ("de.tudarmstadt.ukp.dkpro.core.api.", "uima.")  # layers of syntax, and of the framework itself
SOURCE, TARGET = "Governor", "Dependent"
LINK_TARGET = "target"
OFFSETS = ("begin", "end")
_PLACES = {"sofa", *OFFSETS}


class Structure(NamedTuple):
    """A feature structure. References and numbers are text, as in XMI."""

    id: str
    type: str
    features: Table[str, str]
    line: int | None = None
    place: int = 0  # among all structures of the file

    @property
    def is_span(self) -> bool:
        return "begin" in self.features and "end" in self.features


class Sofa(NamedTuple):
    """A text: the subject of annotation."""

    id: str
    name: str
    text: str | None


def one_of_each(sofas: list[Sofa]) -> list[Sofa]:
    """Return the texts, keeping the first of each id."""
    return list({sofa.id: sofa for sofa in reversed(sofas)}.values())[::-1]


class Cas(NamedTuple):
    """The contents of a file. ``others`` finds spans of foreign layers; it is used only if a link ends there."""

    sofas: list[Sofa]
    structures: list[Structure]  # without texts, views, arrays and foreign layers
    arrays: Table[str, list[str]]
    repeated: list[tuple[str, int | None]]  # ids that stand for two things
    others: Callable[[str], Structure | None]


class LinkList(NamedTuple):
    """A link feature: its owner, its name, and the ids in it."""

    owner: Structure
    feature: str
    ids: list[str]
    is_temporal: bool  # by its name, or by the mapping


class StatedStructure(NamedTuple):
    """A relation, the structure that states it, and the list that it stands in, if it does."""

    arrow: Arrow
    structure: Structure
    found_in: LinkList | None = None


def documents(source: Source, format_name: str, cas: Cas) -> Iterator[Document]:
    """Yield one document for each text."""
    if not cas.sofas:
        raise source.error("no Sofa: the file has no text", cure="export the document again")
    parts = Parts.of(cas, mapping_of(source))
    names_taken: Counter[str] = Counter()
    for number, sofa in enumerate(cas.sofas):
        name = source.name if len(cas.sofas) == 1 else f"{source.name}#{sofa.name}"
        names_taken[name] += 1
        if names_taken[name] > 1:
            name = f"{name}~{names_taken[name]}"
        assembler = Assembler(source, format_name, name, label_is_type=False)
        if number == 0:
            _remark_on_lost(cas, parts, assembler)
            for repeated, line in cas.repeated:
                message = "the id is used for several things; what it means depends on where it stands"
                assembler.builder.warn("duplicate-id", message, line=line, element=repeated)
        if sofa.text is None:
            message = "the view has no text: offsets cannot be checked"
            assembler.builder.warn("no-text", message, element=sofa.name)
        yield assembler.document(_annotation(name, sofa, parts, cas, assembler))


def _remark_on_lost(cas: Cas, parts: Parts, assembler: Assembler) -> None:
    """Say which temporal relations have no id or belong to no text."""
    texts = {sofa.id for sofa in cas.sofas}
    for each in parts.relations:
        if not _is_temporal(each, assembler.mapping):
            continue
        if not each.id:
            place = f"structure {each.place + 1}"
            assembler.builder.drop("missing-id", "the relation has no id", line=each.line, element=place)
        elif each.features.get("sofa") not in texts:
            message = f"the relation belongs to no text: sofa is {shown(each.features.get('sofa'))}"
            assembler.builder.drop("dangling-id", message, line=each.line, element=each.id)


def _is_temporal(relation: Structure, mapping: ToolMapping | None) -> bool:
    """Return whether the type of a relation says that it is temporal."""
    if mapping is None or not mapping.links:
        return names.is_link_type(relation.type)
    return any(rule.feature is None and fits(rule.type, relation.type) for rule in mapping.links)


class Parts(NamedTuple):
    """The structures by what they are."""

    spans: list[Structure]
    relations: list[Structure]
    links: dict[str, Structure]  # elements of link features
    lists: list[LinkList]

    @classmethod
    def of(cls, cas: Cas, mapping: ToolMapping | None) -> Parts:
        rules = () if mapping is None else mapping.links
        spans: list[Structure] = []
        relations: list[Structure] = []
        links: dict[str, Structure] = {}
        for each in cas.structures:
            if _is_relation(each, rules):
                relations.append(each)
            elif not each.is_span:
                if LINK_TARGET in each.features or "role" in each.features or _has_target(each, rules):
                    links.setdefault(each.id, each)
            else:
                spans.append(each)
        return cls(spans, relations, links, list(_lists(spans, links, cas.arrays, rules)))


def _has_target(structure: Structure, rules: Iterable[LinkRule]) -> bool:
    return any(rule.feature is not None and rule.target in structure.features for rule in rules)


def _is_relation(structure: Structure, rules: Iterable[LinkRule]) -> bool:
    features = structure.features
    if SOURCE in features or TARGET in features:
        return True
    return structure.is_span and any(rule.feature is None and fits(rule.type, structure.type) for rule in rules)


def _lists(
    spans: list[Structure], links: dict[str, Structure], arrays: Table[str, list[str]], rules: Sequence[LinkRule]
) -> Iterator[LinkList]:
    for owner in spans:
        for feature, value in owner.features.items():
            if not value[:1].isdigit() or feature in _PLACES:
                continue
            ids = listed(value, arrays)
            is_list = any(map(links.__contains__, ids))
            if rules:
                is_temporal = any(rule.feature == feature and fits(rule.type, owner.type) for rule in rules)
            else:
                is_temporal = names.is_link_type(feature)
            if is_list or is_temporal:
                yield LinkList(owner, feature, ids, is_temporal)


def listed(value: str, arrays: Table[str, list[str]]) -> list[str]:
    """Return the ids that a feature lists, directly or through an array."""
    ids = value.split()
    return arrays[ids[0]] if len(ids) == 1 and ids[0] in arrays else ids


def _annotation(name: str, sofa: Sofa, parts: Parts, cas: Cas, assembler: Assembler) -> Annotation:
    marks: dict[str, Mark] = {}
    spans: dict[str, Structure] = {}
    creation_time = None
    for span in parts.spans:
        if span.features.get("sofa") == sofa.id and span.id not in marks:
            marks[span.id] = Mark(span.id, span.type, attributes=span.features, line=span.line)
            spans[span.id] = span
            if creation_time is None and names.plain(span.type) == "metadata":
                creation_time = names.attribute(span.features, "doctime") or None
    arrows = [stated.arrow for stated in relations_of(sofa, parts)]
    for each, missing in missing_links(sofa, parts):
        message = f"{each.feature} of {each.owner.id} lists a link that is not there"
        assembler.builder.drop("dangling-id", message, line=each.owner.line, element=missing)
    for arrow in arrows:  # links may end at spans of other layers
        for end in (arrow.source, arrow.target, *arrow.arguments.values()):
            other = cas.others(end) if end is not None and end not in marks and end.isdigit() else None
            if end is not None and other is not None and other.is_span and other.features.get("sofa") == sofa.id:
                marks[end] = Mark(end, other.type, attributes=other.features, line=other.line)
                spans[end] = other
    offsets = None if sofa.text is None else Utf16(sofa.text)

    def finish(mark: Mark) -> Mark:
        return _placed(mark, spans[mark.id], sofa.text, offsets, assembler)

    return Annotation(name, marks, arrows, sofa.text, creation_time=creation_time, finish=finish)


def relations_of(sofa: Sofa, parts: Parts) -> Iterator[StatedStructure]:
    """Yield everything that may be a link of a text."""
    for each in parts.lists:
        if each.owner.features.get("sofa") != sofa.id:
            continue
        for link in each.ids:
            if (found := parts.links.get(link)) is not None:
                features = found.features
                target = features.get(LINK_TARGET)
                arrow = Arrow(
                    link, each.owner.type, each.owner.id, target, features, features, found.line, each.feature
                )
                yield StatedStructure(arrow, found, each)
    for relation in parts.relations:
        features = relation.features
        if features.get("sofa") == sofa.id and relation.id:
            ends = features.get(SOURCE), features.get(TARGET)
            yield StatedStructure(Arrow(relation.id, relation.type, *ends, features, features, relation.line), relation)


def missing_links(sofa: Sofa, parts: Parts) -> Iterator[tuple[LinkList, str]]:
    """Yield the ids in lists of temporal links that no link has."""
    for each in parts.lists:
        if each.is_temporal and each.owner.features.get("sofa") == sofa.id:
            yield from ((each, link) for link in each.ids if link not in parts.links)


def _placed(mark: Mark, span: Structure, text: str | None, offsets: Utf16 | None, assembler: Assembler) -> Mark:
    """Return the mark with its position in the text, if it has one."""
    begin, end = (_number(span.features.get(key)) for key in ("begin", "end"))
    if begin is None or end is None or end < begin:
        assembler.builder.warn("bad-span", "begin and end are not numbers in order", line=mark.line, element=mark.id)
        return mark
    if text is None or offsets is None:
        return mark._replace(spans=((begin, end),))
    if offsets.is_split(begin) or offsets.is_split(end):
        message = "the span begins or ends inside a character; the entity has none"
        assembler.builder.warn("split-character", message, line=mark.line, element=mark.id)
        return mark
    start, stop = offsets.character(begin), offsets.character(end)
    if start is None or stop is None:
        message = f"the span is not in the text of {len(text)} characters; the entity has none"
        assembler.builder.warn("span-outside", message, line=mark.line, element=mark.id)
        return mark
    return mark._replace(spans=((start, stop),), text=text[start:stop] or None)


def _number(value: str | None) -> int | None:
    return int(value) if value is not None and value.isascii() and value.isdigit() and len(value) < 19 else None


# ----------------------------------------------------------------------------------------------------
# UIMA CAS in XMI: a flat list of feature structures, the text in an attribute of the element Sofa.

ID = "{http://www.omg.org/XMI}id"
_CAS = "{http:///uima/cas.ecore}"
SOFA, VIEW, ARRAY = (_CAS + name for name in ("Sofa", "View", "FSArray"))


def read_xmi(source: Source) -> Iterator[Document]:
    """Yield the documents of an XMI file, one for each Sofa."""
    yield from documents(source, "xmi", xmi_cas(parse(source)))


@lru_cache(maxsize=4096)
def type_name(tag: str) -> str:
    """Return the name of a type: ``{http:///webanno/custom.ecore}EVENT`` is ``webanno.custom.EVENT``."""
    namespace, _, name = tag[1:].rpartition("}") if tag.startswith("{") else ("", "", tag)
    package = namespace.removeprefix("http://").strip("/").removesuffix(".ecore").replace("/", ".")
    return f"{package}.{name}" if package else name


@lru_cache(maxsize=4096)
def is_foreign(tag: str) -> bool:
    """Return whether a layer belongs to syntax or to the framework."""
    return type_name(tag).startswith(FOREIGN)


def xmi_cas(root: _Element) -> Cas:
    """Return the contents of a file. Elements of foreign layers, which are the majority, are only counted."""
    sofas: list[Sofa] = []
    structures: list[Structure] = []
    arrays: dict[str, list[str]] = {}
    ids: list[str | None] = []
    foreign: dict[str, bool] = {}  # by tag: a file has thousands of elements and a few tags
    for place, element in enumerate(root.iterchildren("*")):
        tag: str = element.tag  # type: ignore[assignment]
        name = element.get(ID)
        ids.append(name)
        is_other = foreign.get(tag)
        if is_other is None:
            is_other = foreign[tag] = is_foreign(tag)
        if is_other:
            if tag == SOFA:
                sofas.append(Sofa(name or "", element.get("sofaID") or name or "", element.get("sofaString")))
            elif tag == ARRAY and name:
                arrays.setdefault(name, (element.get("elements") or "").split())
        elif name or SOURCE in element.attrib or TARGET in element.attrib:
            structures.append(xmi_structure(element, place))
    return Cas(one_of_each(sofas), structures, arrays, _repeated(root, ids), _Others(root))


def xmi_structure(element: _Element, place: int = 0) -> Structure:
    """Return the structure that an element states."""
    features = dict(element.attrib.items())
    name = features.pop(ID, "")
    return Structure(str(name), type_name(str(element.tag)), features, element.sourceline, place)


def _repeated(root: _Element, ids: list[str | None]) -> list[tuple[str, int | None]]:
    if len(set(ids)) == len(ids):
        return []
    counted = Counter(name for name in ids if name)
    lines: dict[str, int | None] = {}
    for element in root.iterchildren("*"):
        name = element.get(ID)
        if name and counted[name] > 1:
            lines[name] = element.sourceline  # of the last
    return list(lines.items())


class _Others:
    """Finds elements of foreign layers by id, when one is first asked for."""

    def __init__(self, root: _Element) -> None:
        self._root = root
        self._by_id: dict[str, _Element] | None = None

    def __call__(self, name: str) -> Structure | None:
        if self._by_id is None:
            self._by_id = {}
            for element in self._root.iterchildren("*"):
                if is_foreign(str(element.tag)) and element.get("begin") is not None and (own := element.get(ID)):
                    self._by_id.setdefault(own, element)
        found = self._by_id.get(name)
        return None if found is None else xmi_structure(found)


# ----------------------------------------------------------------------------------------------------
# UIMA CAS in JSON 0.4: the same feature structures as in XMI, with references marked by ``@``.

STRUCTURES = "%FEATURE_STRUCTURES"
ELEMENTS = "%ELEMENTS"
_ARRAY = "uima.cas.FSArray"
_SOFA = "uima.cas.Sofa"


def is_first_object(record: dict[str, Any]) -> bool:
    """Return whether a file is a CAS: its keys begin with a percent sign."""
    return bool(record) and all(key.startswith("%") for key in record)


def read_json(source: Source) -> Iterator[Document]:
    """Yield the documents of a file, one for each Sofa."""
    value = json_value(source)
    if type(value) is not dict or type(value.get(STRUCTURES)) is not list:
        raise source.error(f"no {STRUCTURES}: the file is not a CAS", cure="export UIMA CAS JSON again")
    yield from documents(source, "cas-json", json_cas(value[STRUCTURES]))


def is_array(record: dict[str, Any]) -> bool:
    """Return whether a structure is an array of structures."""
    kind = record.get("%TYPE")
    return type(kind) is str and (kind == _ARRAY or kind.endswith("[]"))


def json_cas(stated: list[Any]) -> Cas:
    """Return the contents of a file."""
    sofas: list[Sofa] = []
    structures: list[Structure] = []
    arrays: dict[str, list[str]] = {}
    foreign: dict[str, dict[str, Any]] = {}
    ids: list[str] = []
    for place, record in enumerate(records(stated)):
        name, kind = text_of(record.get("%ID")), text_of(record.get("%TYPE"))
        if kind is None or (name is None and f"@{SOURCE}" not in record and f"@{TARGET}" not in record):
            continue
        if name is None:
            structures.append(json_structure(record, place))
            continue
        ids.append(name)
        if kind == _SOFA:
            text = record.get("sofaString")
            label = text_of(record.get("sofaID")) or name
            sofas.append(Sofa(name, label, text if type(text) is str else None))
        elif is_array(record):
            elements = record.get(ELEMENTS)
            found = [text_of(each) for each in elements] if type(elements) is list else []
            arrays.setdefault(name, [each for each in found if each is not None])
        elif kind.startswith(FOREIGN):
            foreign.setdefault(name, record)
        else:
            structures.append(json_structure(record, place))
    repeated = [(name, None) for name, count in Counter(ids).items() if count > 1]

    def other(name: str) -> Structure | None:
        return json_structure(foreign[name]) if name in foreign else None

    return Cas(one_of_each(sofas), structures, arrays, list(repeated), other)


def json_structure(record: dict[str, Any], place: int = 0) -> Structure:
    """Return the structure that an object states. Numbers that are neither offsets nor references are left out."""
    features: dict[str, str] = {}
    for key, value in record.items():
        text = text_of(value)
        if text is None or key.startswith("%"):
            continue
        name = key.lstrip("@^")
        if key.startswith(("@", "^")) or name in {"begin", "end"} or type(value) is not int:
            features.setdefault(name, text)
    name, kind = text_of(record.get("%ID")) or "", text_of(record.get("%TYPE")) or ""
    return Structure(name, kind, features, None, place)
