"""Write a set of links for people: links with the words of the text, their sentences, their order.

One place for terminal, pages and JSON. A *fact* is one entry of a conflict, of a repair or of a reason: a link, or the
value of a time expression. Both have an ``id``, a ``line`` and ``entities``.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.errors import listed
from temporacle.model import Link
from temporacle.passages import Excerpts
from temporacle.relation import ATOM_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from temporacle.calendar.facts import CalendarFact
    from temporacle.passages import Quotation
    from temporacle.relation import Relation

    Fact = Link | CalendarFact

LONGEST_WORDS = 40  # characters of an entity's words in a line
NO_EXCERPTS = Excerpts()
_MOST_REMOVED = 12  # ids of links in one sentence


def entities_of(facts: Iterable[Fact]) -> dict[str, None]:
    """Return the entities that facts are about, in order of mention."""
    return dict.fromkeys(name for fact in facts for name in fact.entities)


def in_text_order(facts: Sequence[Fact], excerpts: Excerpts) -> tuple[Fact, ...]:
    """Return facts in the order in which the text mentions their entities. Facts that it does not mention come last.

    Facts of one place keep the order of their lines.
    """
    places = excerpts.places

    def key(fact: Fact) -> tuple[bool, list[int], int]:
        mentioned = sorted(places[name] for name in fact.entities if name in places)
        return not mentioned, mentioned, fact.line or 0

    return tuple(sorted(facts, key=key))


class Names:
    """Entities as sentences for people call them: by their words, by their id where words are missing or not unique.

    >>> from temporacle.passages import Excerpts, Mention
    >>> names = Names(Excerpts((Mention("e1", "left"), Mention("e2", "said"), Mention("e3", "said"))))
    >>> names["e1"], names["e2"], names["e9"]
    ('"left"', '"said" (e2)', 'e9')
    """

    def __init__(self, excerpts: Excerpts = NO_EXCERPTS) -> None:
        self._words = {name: words(text) for name, text in excerpts.texts.items()}
        self._uses = Counter(self._words.values())

    def __getitem__(self, entity: str) -> str:
        found = self._words.get(entity)
        if found is None:
            return entity
        return f'"{found}"' if self._uses[found] == 1 else f'"{found}" ({entity})'


def words(text: str) -> str:
    """Return the words of an entity on one line, shortened."""
    line = " ".join(text[: 20 * LONGEST_WORDS].split())
    return line if len(line) <= LONGEST_WORDS else line[: LONGEST_WORDS - 1] + "…"


def statement(fact: Fact, names: Names) -> str:
    """Return the statement of a fact: ``"left" BEFORE "docked"``, or for a value ``"Friday" = 1998-02-06``."""
    if not isinstance(fact, Link):
        name = names[fact.entity]
        return f"{name} = {fact.label}" if fact.attribute == "value" else f"{fact.attribute} of {name} = {fact.label}"
    return f"{names[fact.source]} {fact.label or fact.relation or '(no relation)'} {names[fact.target]}"


def in_words(source: str, relation: Relation, target: str) -> str:
    """Say what a relation means for two entities; one of several atoms is written as it is.

    >>> from temporacle.relation import Relation
    >>> in_words("x", Relation("fi"), "y"), in_words("x", Relation("b|m"), "y")
    ('x starts before y starts, and ends when y ends', 'x b|m y')
    """
    if len(relation.atoms) != 1:
        return f"{source} {relation} {target}"
    return f"{source} {ATOM_WORDS[relation.atoms[0]].replace('the other', target)}"


def fact_line(fact: Fact, names: Names) -> str:
    """Return a fact with its id and its line in the file.

    >>> from temporacle.model import as_link
    >>> fact_line(as_link(("a", "BEFORE", "b"), 8)._replace(line=71), Names())
    'l8 (line 71): a BEFORE b'
    """
    return f"{fact.id}{'' if fact.line is None else f' (line {fact.line})'}: {statement(fact, names)}"


def headline(facts: Sequence[Fact], *, place: tuple[int, int] | None = None, minimal: bool = True) -> str:
    """Return a sentence that introduces a conflict. ``place``: its number, and how many there are.

    >>> from temporacle.model import as_link
    >>> headline([as_link(("a", "BEFORE", "b"), 1), as_link(("b", "BEFORE", "a"), 2)], place=(1, 3))
    'These 2 links contradict each other (conflict 1 of 3). Removing any one of them resolves this conflict.'
    """
    which = "" if place is None or place[1] == 1 else f" (conflict {place[0]} of {place[1]})"
    if len(facts) == 1:
        return f"This {'link' if isinstance(facts[0], Link) else 'value'} contradicts itself{which}."
    what = kind_of(facts)
    if not minimal:
        return f"Among these {len(facts)} {what} are some that contradict each other."
    return f"These {len(facts)} {what} contradict each other{which}. Removing any one of them resolves this conflict."


def needs_removed(dropped: Sequence[Fact]) -> str:
    """Return a sentence on the repair as a whole.

    >>> from temporacle.model import as_link
    >>> needs_removed([as_link(("a", "BEFORE", "b"), 1)])
    'The document needs 1 link removed; for example l1.'
    """
    shown = ", ".join(fact.id for fact in dropped[:_MOST_REMOVED])
    more = f" and {len(dropped) - _MOST_REMOVED} more" if len(dropped) > _MOST_REMOVED else ""
    return f"The document needs {counted(dropped)} removed; for example {shown}{more}."


def to_remove(fact: Fact, instead: Sequence[Fact]) -> str:
    """Return what to remove, and what could be removed as well.

    >>> from temporacle.model import as_link
    >>> to_remove(*[as_link(("a", "BEFORE", "b"), 1)], [as_link(("b", "BEFORE", "a"), n) for n in (2, 3)])
    'Remove l1 (l2 or l3 would also do)'
    """
    others = would_also_do(instead)
    return f"Remove {fact.id}" + (f" ({others})" if others else "")


def would_also_do(instead: Sequence[Fact]) -> str:
    """Return what could be removed instead of something; empty if there is nothing."""
    return f"{listed(other.id for other in instead)} would also do" if instead else ""


def kind_of(facts: Iterable[Fact]) -> str:
    """Return the plural name for facts: links, values, or both."""
    kinds = {isinstance(fact, Link) for fact in facts}
    return "links and values" if len(kinds) > 1 else "values" if kinds == {False} else "links"


def counted(facts: Sequence[Fact]) -> str:
    """Return how many links and values there are.

    >>> from temporacle.model import as_link
    >>> counted([as_link(("a", "BEFORE", "b"), 1)])
    '1 link'
    """
    links = sum(isinstance(fact, Link) for fact in facts)
    parts = [(links, "link"), (len(facts) - links, "value")]
    return " and ".join(f"{count} {what}{'' if count == 1 else 's'}" for count, what in parts if count)


class ConflictWords(NamedTuple):
    """A conflict for people."""

    headline: str
    facts: tuple[str, ...]
    quotations: tuple[Quotation, ...]
    derivation: tuple[str, ...]  # a proof by cases has numbers of its own


def conflict_words(
    facts: Sequence[Fact],
    derivation: Sequence[str],
    excerpts: Excerpts,
    names: Names,
    *,
    place: tuple[int, int] | None = None,
    minimal: bool = True,
) -> ConflictWords:
    """Return the links of a conflict in text order, their sentences, and why they contradict each other."""
    return ConflictWords(
        headline(facts, place=place, minimal=minimal),
        tuple(fact_line(fact, names) for fact in facts),
        tuple(excerpts.quotations(entities_of(facts))),
        tuple(derivation),
    )


def fact_rows(facts: Iterable[Fact], texts: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return facts in JSON, with the words of their entities."""
    return [fact.to_dict(texts) for fact in facts]
