"""UMR, Uniform Meaning Representation: graphs of sentences, and links between their concepts. One document a file.

    # :: snt1
    Words: The ferry left at dawn .
    # sentence level graph:
    (s1l / leave-01 :ARG0 (s1f / ferry) :temporal (s1d / dawn) :aspect performance)
    # alignment:
    s1l: 3-3
    # document level annotation:
    (s1s0 / sentence :temporal ((document-creation-time :before s1l) (s1d :contained s1l)))

``(parent :label child)`` states the relation of the child to the parent: here the ferry left before the document was
made. Only ``:temporal`` of the document level states links; in the graph of a sentence it is a role like any other.
``depends-on`` orders nothing, and ``root`` is not an interval. UMR 1 writes DCT, PAST_REF and so on, and a single link
without a list around it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from temporacle.errors import UsageError
from temporacle.io.builder import DocumentBuilder
from temporacle.io.edit.edits import Splice
from temporacle.io.edit.places import Value, cut_out
from temporacle.io.rows import placed_words
from temporacle.model import Body, Entity, Kind
from temporacle.printing import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from temporacle.io.edit.edits import Edits, NewLink
    from temporacle.io.formats import Sample
    from temporacle.io.source import Source
    from temporacle.model import Document

_DCT = "document-creation-time"
_ROOT = "root"
_DEPENDS_ON = "depends-on"
_CONSTANTS = {  # in both spellings
    **dict.fromkeys((_DCT, "dct"), _DCT),
    **dict.fromkeys(("past-reference", "past-ref"), "past-reference"),
    **dict.fromkeys(("present-reference", "present-ref"), "present-reference"),
    **dict.fromkeys(("future-reference", "future-ref"), "future-reference"),
    _ROOT: _ROOT,
}
_SENTENCE = re.compile(r"#+\s*+::\s*+snt\s?+\d++(.*)", re.IGNORECASE)
_PART = re.compile(r"#+\s*+(sentence level graph|alignment|document level annotation)\b", re.IGNORECASE)
_LEVEL = "document level annotation"
_UNANNOUNCED = re.compile(r"\(\s*+\w++\s*+/\s*+sentence(?![\w-])")  # the document level without its heading
_ALIGNED = re.compile(r"\s*+([^\s:]++)\s*+:\s*+([\d\s,-]++)")
_RANGE = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")
_TOKEN = re.compile(
    r"""
      \(\s*+(?:(?P<variable>[^\s()/:"]++)\s*+/\s*+(?P<concept>[^\s()"]*+))?
    | (?P<close>\))
    | "[^"\n]*+"?
    | (?P<role>:[^\s()"]++)
    | (?P<atom>[^\s()":][^\s()"]*+)
    """,
    re.VERBOSE,
)
_TEMPORAL = re.compile(r":temporal\s*+(?=\()", re.IGNORECASE)
_LISTS = re.compile(r":([^\s()\":]++)\s*+\((?=\s*+\()")
_LEVELS = frozenset({"temporal", "modal", "coref"})
_STATED = re.compile(r"\(([^()]*+)(\)?)")
_TRIPLE = re.compile(r"\s*+(\S++)\s++:(\S++)\s++(\S++)\s*+")
_TIMES = frozenset({"date-entity", "date-interval", "temporal-quantity"})
_DATE = ("year", "month", "day")
_NOT_OF_DATES = frozenset({*_DATE, "weekday"})  # a date with any other role has a meaning of its own


class _Stated(NamedTuple):
    """One ``(parent :label child)`` as the file has it."""

    name: str
    start: int
    end: int
    parent: str | None  # None: it does not have this form
    label: str
    child: str
    label_start: int  # behind the colon


class _List(NamedTuple):
    """What follows one ``:temporal`` of the document level."""

    start: int  # of the word
    opening: int  # of the first parenthesis
    end: int
    stated: list[_Stated]
    is_single: bool  # one link, without a list around it


class _Part(NamedTuple):
    """The lines below one heading of a sentence."""

    name: str
    start: int
    line: int


@dataclass(slots=True)
class _Concept:
    """A node of a graph."""

    variable: str
    name: str
    line: int
    role: str  # under which it stands
    values: dict[str, str] = field(default_factory=dict)  # of its roles, where they are not nodes

    @property
    def is_event(self) -> bool:
        return "aspect" in self.values

    @property
    def kind(self) -> Kind:
        if self.is_event:
            return Kind.EVENT
        if self.name in _TIMES or self.role in {"temporal", "duration"}:
            return Kind.TIME
        return Kind.EVENT if re.search(r"-\d\d\Z", self.name) else Kind.UNKNOWN

    @property
    def date(self) -> str | None:
        """Return the date of a ``date-entity`` that has no other parts than year, month and day."""
        if self.name != "date-entity" or not self.values.keys() <= _NOT_OF_DATES:
            return None
        parts = [self.values.get(part, "") for part in _DATE]
        given = parts[: parts.index("")] if "" in parts else parts
        if any(parts[len(given) :]) or not re.fullmatch(r"[0-9]{4}(?: [0-9]{1,2}){0,2}", " ".join(given)):
            return None
        return "-".join(part.zfill(2) for part in given)


@dataclass(slots=True)
class _Sentence:
    """One sentence: its words, its graph, what words its concepts stand for, and where its links are."""

    tokens: list[str] = field(default_factory=list)
    concepts: dict[str, _Concept] = field(default_factory=dict)
    aligned: dict[str, list[tuple[int, int]]] = field(default_factory=dict)  # first and last word, from 1
    level: tuple[int, int] | None = None  # of the document level annotation
    lists: list[_List] = field(default_factory=list)
    others: list[str] = field(default_factory=list)  # lists under names that no level of a document has


def share_that_fits(sample: Sample) -> float:
    """Return 1 for a text in which a sentence begins, otherwise 0."""
    return float(any(_SENTENCE.match(line) or _PART.match(line) for line in sample.lines))


def read(source: Source) -> Iterator[Document]:
    """Yield the one document of a file."""
    text = source.decode()
    sentences = _sentences(text)
    if not sentences and text.strip():
        cure = "every sentence begins with a line such as '# :: snt1'"
        raise source.error("not UMR: there is no sentence in it", line=1, cure=cure)
    starts = _line_starts(text)
    stated = [
        (each, bisect_right(starts, each.start))
        for sentence in sentences
        for part in sentence.lists
        for each in part.stated
    ]
    entities, body_text = _entities(sentences, [each for each, _ in stated])
    builder = DocumentBuilder(source.name, source, "umr", source.reading("umr"), [each.id for each in entities])
    concepts = {name for sentence in sentences for name in sentence.concepts}
    others: Counter[str] = Counter()
    for each, line in stated:
        if each.parent is None:
            written = shown(text[each.start : each.end])
            builder.drop("bad-link", f"{written} is not (parent :label child)", line=line, element=each.name)
        elif each.label.lower() == _DEPENDS_ON:
            others[_DEPENDS_ON] += 1
        elif _ROOT in (each.parent, each.child):
            builder.drop("root-link", f"{each.label} relates to the root", line=line, element=each.name)
        else:
            for end in (each.child, each.parent):
                if end not in concepts and end not in _CONSTANTS:
                    message = f"{shown(end)} is in no graph; kept without words"
                    builder.warn("dangling-id", message, line=line, element=each.name)
            builder.add_link(each.name, each.child, each.label, each.parent, line=line, plain_case=False)
    for sentence in sentences:
        others.update(sentence.others)
    builder.note_others(others)
    yield builder.build(Body(entities, body_text))


def _entities(sentences: Sequence[_Sentence], stated: Sequence[_Stated]) -> tuple[tuple[Entity, ...], str]:
    """Return what links mention and every event, in the order of the text, and the text."""
    used = [
        each for each in stated if each.parent is not None and each.label.lower() != _DEPENDS_ON
        and _ROOT not in (each.parent, each.child)
    ]  # fmt: skip
    mentioned = dict.fromkeys(end for each in used for end in (each.parent or "", each.child))
    found = {
        name: Entity(name, Kind.TIME, is_dct=name == _DCT, function="CREATION_TIME" if name == _DCT else None)
        for name in mentioned
        if name in _CONSTANTS
    }
    text, every = placed_words(sentence.tokens for sentence in sentences)
    for sentence, places in zip(sentences, every, strict=True):
        for name, concept in sentence.concepts.items():
            if name not in found and (concept.is_event or name in mentioned):
                spans = _spans(sentence.aligned.get(name, ()), places)
                words = " ".join(text[start:end] for start, end in spans) or concept.name
                found[name] = Entity(
                    *(name, concept.kind, words, spans), value=concept.date, line=concept.line,
                    type="DATE" if concept.date else None,
                )  # fmt: skip
    for name in mentioned:
        found.setdefault(name, Entity(name))
    return tuple(found.values()), text


def _spans(ranges: Sequence[tuple[int, int]], places: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Return the spans of ranges of words. A range outside the sentence has none; 0-0 means no word."""
    inside = sorted({(first, last) for first, last in ranges if 1 <= first <= last <= len(places)})
    return tuple((places[first - 1][0], places[last - 1][1]) for first, last in inside)


# ----------------------------------------------------------------------------------------------------
# The parts of a file, with their places.


def _line_starts(text: str) -> list[int]:
    return [0, *(match.end() for match in re.finditer("\n", text))]


def _sentences(text: str) -> list[_Sentence]:
    """Return the sentences of a file."""
    found: list[_Sentence] = []
    part = _Part("", 0, 1)
    start = 0
    stated = 0
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("#"):
            if found:
                stated = _take(text, part, start, found[-1], stated)
            part = _Part("", start, number)
            if (heading := _SENTENCE.match(line)) is not None:
                found.append(_Sentence(heading[1].split()))
            elif found and (named := _PART.match(line)) is not None:
                part = _Part(named[1].lower(), start + len(line) + 1, number + 1)
        elif found and not part.name and line.startswith("Words:"):
            found[-1].tokens = line.removeprefix("Words:").split()
        elif found and part.name != _LEVEL and _UNANNOUNCED.match(line) and text[part.start : start].strip():
            stated = _take(text, part, start, found[-1], stated)
            part = _Part(_LEVEL, start, number)
        start += len(line) + 1
    if found:
        _take(text, part, len(text), found[-1], stated)
    return found


def _take(text: str, part: _Part, end: int, sentence: _Sentence, stated: int) -> int:
    """Take a part that ends here into its sentence. Return how many links were stated so far."""
    name, start, line = part
    if name == "alignment":
        for row in text[start:end].split("\n"):
            if (match := _ALIGNED.fullmatch(row)) is not None:
                ranges = [(int(one[1]), int(one[2] or one[1])) for one in _RANGE.finditer(match[2])]
                sentence.aligned.setdefault(match[1], ranges)
    elif name == "sentence level graph":
        for concept in _concepts(text, start, end, line):
            sentence.concepts.setdefault(concept.variable, concept)
    elif name:
        sentence.level = (start, end)
        names = (match[1].lower() for match in _LISTS.finditer(text, start, end))
        sentence.others += [each for each in names if each not in _LEVELS]
        for match in _TEMPORAL.finditer(text, start, end):
            if not sentence.lists or match.start() >= sentence.lists[-1].end:
                sentence.lists.append(_list(text, match.start(), match.end(), end, stated))
                stated += len(sentence.lists[-1].stated)
    return stated


def _concepts(text: str, start: int, end: int, line: int) -> Iterator[_Concept]:
    """Yield the nodes of a graph in the order of the text."""
    opened: list[_Concept | None] = []
    roles = [""]  # that wait for their value: one for each opened node, and one outside
    counted = start
    for token in _TOKEN.finditer(text, start, end):
        if token["close"]:
            if opened:
                opened.pop()
                roles.pop()
        elif token["role"]:
            roles[-1] = token["role"][1:].lower()
            if opened and opened[-1] is not None:
                opened[-1].values.setdefault(roles[-1], "")
        elif text[token.start()] == "(":
            node = None
            if token["variable"]:
                line += text.count("\n", counted, token.start())
                counted = token.start()
                node = _Concept(token["variable"], token["concept"], line, roles[-1])
                yield node
            opened.append(node)
            roles.append("")
        elif token["atom"] and roles[-1] and opened and opened[-1] is not None:
            opened[-1].values[roles[-1]] = opened[-1].values.get(roles[-1]) or token["atom"]


def _list(text: str, start: int, opening: int, end: int, stated: int) -> _List:
    """Return the links behind a ``:temporal``. Whatever stands between them is passed over."""
    inner = re.compile(r"\s*+").match(text, opening + 1, end).end()  # type: ignore[union-attr]
    is_single = not text.startswith(("(", ")"), inner, end)
    found: list[_Stated] = []
    position = opening if is_single else inner
    while position < end:
        if text[position] == "(":
            match = _STATED.match(text, position, end)
            assert match is not None  # noqa: S101 - the parenthesis alone fits
            found.append(_statement(match, f"l{stated + len(found) + 1}"))
            position = match.end()
            if is_single:
                return _List(start, opening, position, found, is_single)
        elif text[position] == ")":
            return _List(start, opening, position + 1, found, is_single)
        elif text[position] == ":":
            break  # the list was never closed: here the next one begins
        else:
            position += 1
    return _List(start, opening, position, found, is_single)


def _statement(match: re.Match[str], name: str) -> _Stated:
    """Return what one pair of parentheses states."""
    triple = _TRIPLE.fullmatch(match[1]) if match[2] else None
    if triple is None:
        return _Stated(name, match.start(), match.end(), None, "", "", match.start())
    parent, child = (_CONSTANTS.get(end.lower().replace("_", "-"), end) for end in (triple[1], triple[3]))
    return _Stated(name, match.start(), match.end(), parent, triple[2], child, match.start(1) + triple.start(2))


# ----------------------------------------------------------------------------------------------------
# Changes of a file.


def splices(text: str, source: Source, documents: Sequence[Document], edits: Mapping[str, Edits]) -> list[Splice]:
    """Return the replacements to make in the text of a file."""
    sentences = _sentences(text)
    found: list[Splice] = []
    [document] = documents
    wanted = edits[document.id]
    lists = [part for sentence in sentences for part in sentence.lists]
    wanted.require([each.name for part in lists for each in part.stated], document.id)
    for part in lists:
        _require_closed(text, source, part)
        found += _without(text, part, wanted.drop)
        found += [
            Splice(each.label_start, each.label_start + len(each.label), wanted.relabel[each.name].strip().lower())
            for each in part.stated
            if each.name in wanted.relabel
        ]
    return [*found, *_additions(text, source, sentences, wanted)]


def _require_closed(text: str, source: Source, part: _List) -> None:
    """Refuse to change a list that is not closed: what stands next to it would become a part of it."""
    for start, end in (*((each.start, each.end) for each in part.stated), (part.start, part.end)):
        if not text.endswith(")", start, end):
            line = text.count("\n", 0, start) + 1
            raise source.error("cannot be changed: a parenthesis is not closed", line=line, cure="close it first")


def _without(text: str, part: _List, gone: frozenset[str]) -> Iterator[Splice]:
    """Yield the removals in one list. A list without links goes with its ``:temporal`` and the blanks before it."""
    places = {place for place, each in enumerate(part.stated) if each.name in gone}
    if len(places) < len(part.stated):
        yield from cut_out([Value(each.start, each.end) for each in part.stated], places)
    elif places:
        start = part.start
        while text[start - 1].isspace():
            start -= 1
        yield Splice(start, part.end)


def _additions(text: str, source: Source, sentences: Sequence[_Sentence], edits: Edits) -> Iterator[Splice]:
    """Yield what adds links: each to the later one of the sentences of its two ends."""
    home = {name: place for place, sentence in enumerate(sentences) for name in sentence.concepts}
    by_sentence: dict[int, list[str]] = {}
    for new in edits.add:
        for end in (new.source, new.target):
            if end not in home and (end not in _CONSTANTS or end == _ROOT):
                raise UsageError(f"{new.said} cannot be added: no graph of {source.path} has {shown(end)}")
        place = max(home.get(new.source, 0), home.get(new.target, 0))
        by_sentence.setdefault(place, []).append(_written(new, text))
    for place, links in by_sentence.items():
        yield _added(text, source, sentences[place], links, edits.drop)


def _written(new: NewLink, text: str) -> str:
    """Return a link as the file would write it."""
    is_first_version = f"({_DCT}" not in text and "(DCT" in text
    spelled = {_DCT: "DCT"} if is_first_version else {}
    source, target = (spelled.get(end, end) for end in (new.source, new.target))
    return f"({target} :{new.label.lower()} {source})"


def _added(text: str, source: Source, sentence: _Sentence, links: Sequence[str], gone: frozenset[str]) -> Splice:
    """Return one splice that adds links to a sentence, with the blanks that stand between its other links."""
    for part in reversed(sentence.lists):
        staying = [each for each in part.stated if each.name not in gone]
        if part.is_single or not staying:
            continue
        between = "\n" + " " * 12
        if len(part.stated) > 1:
            between = text[part.stated[-2].end : part.stated[-1].start]
        return Splice(staying[-1].end, staying[-1].end, "".join(between + link for link in links))
    opened = sentence.level and re.compile(r"\s*+\(\s*+[^\s()]++\s*+/\s*+[^\s()]++").match(text, *sentence.level)
    if not opened:
        cure = "add one, such as (s1s0 / sentence)"
        raise source.error("no link can be added: its sentence has no document level annotation", cure=cure)
    between = "\n" + " " * 15
    return Splice(opened.end(), opened.end(), f"\n    :temporal ({between.join(links)})")
