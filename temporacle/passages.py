"""The passages of a document about some entities: their words, and the sentences around them.

A sentence is found by looking outwards from a mention, never further than a few hundred characters, so the cost does
not depend on the length of the text. The rule needs no model of the language. A sentence ends

- at a blank line;
- after . ! ? or … (and closing quotes or brackets) before white space, unless the next letter is a small one, or the
  full stop belongs to an initial, to letters such as "U.S.", or to a title such as "Mr.";
- after 。 ！ ？ and similar signs of other scripts.

A sentence that is longer than allowed, or a text without punctuation, is cut at a space; ``…`` marks the cut.
"""  # noqa: RUF002 - signs of other scripts

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.errors import UsageError, listed, nearest
from temporacle.printing import first_of, shown

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from temporacle.model import Document

REACH = 200  # characters of a sentence on either side of a mention
LONGEST = 3 * REACH  # characters of a passage with several mentions
_CUT = "…"
_CLOSING = re.escape("\"'”’»›)]}") + "」』】）"  # noqa: RUF001
# Signs are counted up to 64, so that a long row of them is not read again from each of its signs.
_END = re.compile(rf"\n[^\S\n]*\n\s*|[.!?…]{{1,64}}[{_CLOSING}]{{0,64}}\s+|[。！？｡．।؟]+[{_CLOSING}]*\s*")  # noqa: RUF001
_SPACE = re.compile(r"\s")
_ABBREVIATED = re.compile(r"\b(?:[^\W\d_]|Mr|Mrs|Ms|Dr|Prof|St|Gen|Sen|Rep|Gov|Lt|Col|Sgt|vs)$")


def no_entity(document: Document, name: str, cure: str = "") -> UsageError:
    """Return the error for a name that no entity of a document has: it names entities, with their words.

    >>> from temporacle.model import Document
    >>> print(no_entity(Document("d", [("left", "BEFORE", "docked")]), "lefd"))
    No entity 'lefd'. Did you mean left? Entities: left, docked
    """
    linked = (end for link in document.links for end in (link.source, link.target))
    words = {each.id: " ".join((each.text or "").split()) for each in document.entities}
    names = {each: f'{each} "{words[each]}"' if words.get(each) else each for each in (*linked, *document.entity_ids)}
    by_word = {word: each for each in reversed(names) for word in words.get(each, "").lower().split()}
    meant = [each for each in names if name.lower() in words.get(each, "").lower().split()]
    near = None if meant else nearest(name, [*names, *by_word], cutoff=0.7)
    meant = meant if near is None else [near if near in names else by_word[near]]
    hint = f" Did you mean {listed(names[each] for each in meant)}?" if meant else ""
    return UsageError(
        f"No entity {shown(name)}.{hint} {f'Entities: {first_of(names.values(), 8)}' if names else 'There are none'}",
        cure=cure,
    )


class Mention(NamedTuple):
    """The words of an entity, and where the text has them; no spans where it does not, as for many creation times."""

    entity: str
    text: str
    spans: tuple[tuple[int, int], ...] = ()
    passage: int | None = None  # the place of its sentence among the passages


class Passage(NamedTuple):
    """A sentence, or as much of it as is shown."""

    start: int
    end: int
    raw: str  # as it stands in the text
    begins_earlier: bool = False
    goes_on: bool = False


class Quotation(NamedTuple):
    """A passage and the entities that are mentioned in it."""

    passage: Passage
    mentions: tuple[Mention, ...]

    @property
    def text(self) -> str:
        """Return the passage on one line."""
        return self._on_one_line(self.passage.raw)

    @property
    def marked(self) -> str:
        """Return the passage on one line, with the words of the entities in brackets."""
        return self._on_one_line("".join(f"[{piece}]" if names else piece for piece, names in self.pieces()))

    def pieces(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield the passage in pieces, split where a mention begins or ends, each piece with its entities."""
        first, last = self.passage.start, self.passage.end
        inside = [
            (max(start, first), min(end, last), mention.entity)
            for mention in self.mentions
            for start, end in mention.spans
            if start < last and end > first
        ]
        for start, end in pairwise(sorted({first, last, *(place for each in inside for place in each[:2])})):
            names = dict.fromkeys(name for begin, stop, name in inside if begin <= start and end <= stop)
            yield self.passage.raw[start - first : end - first], tuple(names)

    def _on_one_line(self, text: str) -> str:
        before, after = (_CUT if cut else "" for cut in (self.passage.begins_earlier, self.passage.goes_on))
        return f"{before}{' '.join(text.split())}{after}"

    def to_dict(self) -> dict[str, Any]:
        """Return the quotation for JSON. ``start`` and ``end`` are places in the document's text."""
        entities = [mention.entity for mention in self.mentions]
        return {"text": self.text, "start": self.passage.start, "end": self.passage.end, "entities": entities}


@dataclass(frozen=True)
class Excerpts:
    """The passages of the text about some entities. Empty for documents without words."""

    mentions: tuple[Mention, ...] = ()
    passages: tuple[Passage, ...] = ()  # in the order of the text

    @cached_property
    def texts(self) -> dict[str, str]:
        """Return the words by entity."""
        return {mention.entity: mention.text for mention in self.mentions if mention.text}

    @cached_property
    def places(self) -> dict[str, int]:
        """Return the first position of each entity in the text."""
        return {mention.entity: mention.spans[0][0] for mention in self.mentions if mention.spans}

    @cached_property
    def _by_entity(self) -> dict[str, Mention]:
        return {mention.entity: mention for mention in self.mentions}

    def quotations(self, entities: Iterable[str]) -> list[Quotation]:
        """Return the passages that mention some entities, in the order of the text."""
        found: dict[int, list[Mention]] = {}
        wanted = (self._by_entity[name] for name in dict.fromkeys(entities) if name in self.places)
        for mention in sorted(wanted, key=lambda each: each.spans):
            if mention.passage is not None:
                found.setdefault(mention.passage, []).append(mention)
        return [Quotation(self.passages[number], tuple(found[number])) for number in sorted(found)]


def excerpts_of(document: Document, entities: Collection[str]) -> Excerpts:
    """Return the words of some entities and the sentences around them, as far as the document has them."""
    text = document.text or ""
    mentions = []
    for entity in document.entities:
        if entity.id in entities:
            spans = tuple((start, end) for start, end in entity.spans if 0 <= start < end <= len(text))
            if entity.text or spans:
                mentions.append(Mention(entity.id, entity.text or text[slice(*spans[0])], spans))
    around = sorted(
        (sentence_around(text, *mention.spans[0]), number) for number, mention in enumerate(mentions) if mention.spans
    )
    passages: list[Passage] = []
    for each, number in around:
        together = _joined(passages[-1], each, text) if passages else None
        if together is None:
            passages.append(each)
        else:
            passages[-1] = together
        mentions[number] = mentions[number]._replace(passage=len(passages) - 1)
    return Excerpts(tuple(mentions), tuple(passages))


def _joined(one: Passage, other: Passage, text: str) -> Passage | None:
    """Return two passages as one if they overlap and the result is short enough. ``other`` does not begin earlier."""
    longer = max(one, other, key=lambda passage: passage.end)
    if other.start >= one.end or longer.end - one.start > LONGEST:
        return None
    return Passage(one.start, longer.end, text[one.start : longer.end], one.begins_earlier, longer.goes_on)


def sentence_around(text: str, start: int, end: int) -> Passage:
    """Return the sentence that contains a stretch of text, or as much of it as may be shown.

    >>> text = "Mr. Lee sailed. The ferry docked at noon! It rained."
    >>> sentence_around(text, 26, 32).raw
    'The ferry docked at noon!'
    """
    end = min(end, start + REACH)
    first, cut_before = _first(text, start)
    last, cut_after = _last(text, start, end)
    return Passage(first, last, text[first:last], cut_before, cut_after)


def sentence_starts(text: str) -> list[int]:
    """Return where the sentences of a text begin.

    >>> sentence_starts("Mr. Lee sailed. It rained.")
    [0, 16]
    """
    return [0, *(match.end() for match in _END.finditer(text) if _is_end(text, match))]


def _first(text: str, start: int) -> tuple[int, bool]:
    """Return where a sentence begins, and whether it was cut at the beginning."""
    lowest = max(0, start - REACH)
    found = [match.end() for match in _END.finditer(text, lowest, start) if _is_end(text, match)]
    if found or lowest == 0:
        return (found[-1] if found else 0), False
    space = _SPACE.search(text, lowest, start)
    return (space.end() if space else lowest), True


def _last(text: str, start: int, end: int) -> tuple[int, bool]:
    """Return where a sentence ends, and whether it was cut at the end.

    The words themselves may end with a full stop.
    """
    highest = min(len(text), end + REACH)
    for match in _END.finditer(text, max(start, end - 3), min(len(text), highest + REACH)):
        if match.end() > end and match.start() < highest and _is_end(text, match):
            return max(end, match.start() + len(match[0].rstrip())), False
    if highest == len(text):
        return highest, False
    spaces = [space.start() for space in _SPACE.finditer(text, end, highest)]
    return (spaces[-1] if spaces else highest), True


def _is_end(text: str, match: re.Match[str]) -> bool:
    sign = match[0][0]
    if sign not in ".!?…":
        return True
    if text[match.end() : match.end() + 1].islower():
        return False
    return sign != "." or _ABBREVIATED.search(text, max(0, match.start() - 8), match.start()) is None
