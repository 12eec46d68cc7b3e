"""Questions that must get the same answer. No oracle is needed: if two answers differ, one of them is wrong.

renaming     other names for the entities (in another order, some parts of each other, two alike but for their case)
order        the same links in another order
reversal     each link seen from its other end
redundancy   each link said twice, the second time reversed
state        the same question after another one
"""

from __future__ import annotations

from itertools import chain, count
from random import Random
from typing import TYPE_CHECKING, TypeAlias

from temporacle.audit.answers import AuditSubject, Closed, ClosureAnswer, Failed, Failure, SaidInconsistent
from temporacle.audit.faults import NoticedBy
from temporacle.audit.graphs import Graph, entities_of, with_names
from temporacle.audit.judge import combined
from temporacle.reasoner.algebra import ALL

if TYPE_CHECKING:
    from collections.abc import Callable

Meaning: TypeAlias = "frozenset[tuple[tuple[str, str], int]] | str"
"""What an answer says, whatever the order and direction it says it in."""


def meaning(answer: ClosureAnswer, names: dict[str, str] | None = None) -> Meaning:
    """Return the meaning of an answer; answers that say the same have the same meaning.

    ``names`` translates entities back.
    """
    match answer:
        case Closed(claims):
            said = with_names(claims, names or {})
            return frozenset(
                (pair, mask) for pair, mask in combined(said).items() if mask != ALL and pair[0] != pair[1]
            )
        case SaidInconsistent():
            return "inconsistent"
        case Failed(how=how):
            return how.value
        case _:
            return "declined"


def reordered(graph: Graph) -> list[Graph]:
    """Return the links backwards, sorted, and shuffled by a fixed seed."""
    shuffled = list(graph)
    Random(len(graph)).shuffle(shuffled)
    ways = (graph[::-1], tuple(sorted(graph, key=lambda link: (link[0], link[2], int(link[1])))), tuple(shuffled))
    return [way for way in dict.fromkeys(ways) if way != graph]


def reversed_links(graph: Graph) -> Graph:
    """Return each link from its target's point of view."""
    return tuple((target, relation.converse(), source) for source, relation, target in graph)


def repeated(graph: Graph) -> Graph:
    """Return each link again, reversed."""
    return graph + reversed_links(graph)


_NASTY_NAMES = ("X11", "x11", "x111", "x1111", "x11111", "x111111")


def other_names(graph: Graph) -> dict[str, str]:
    """Return new names in the opposite alphabetical order; two differ in case only, some are parts of others."""
    names = sorted(entities_of(graph), reverse=True)
    return dict(zip(names, chain(_NASTY_NAMES, (f"x2{number:04}" for number in count())), strict=False))


def differing_variant(
    subject: AuditSubject, check: NoticedBy, graph: Graph, base: ClosureAnswer | None = None
) -> Graph | None:
    """Return a variant of the graph with a different answer; None if there is none. ``base`` saves asking again."""
    answer = subject.ask(graph)[0] if base is None else base
    said = meaning(answer)
    if said == "declined":
        return None
    return next(
        (variant for variant in _VARIANTS[check](graph) if _differs(subject, check, graph, variant, said)), None
    )


def _differs(subject: AuditSubject, check: NoticedBy, graph: Graph, variant: Graph, said: Meaning) -> bool:
    back = {new: old for old, new in other_names(graph).items()} if check is NoticedBy.RENAMING else None
    other = meaning(subject.ask(variant)[0], back)
    return other not in (said, "declined")


def answer_after(subject: AuditSubject, history: Graph, graph: Graph) -> ClosureAnswer | None:
    """Return the answer to a graph after another graph was asked; None if that one ended the process."""
    before, after = subject.ask(history, graph)
    gone = isinstance(before, Failed) and before.how in (Failure.DIED, Failure.TIMEOUT)
    return None if gone else after


_VARIANTS: dict[NoticedBy, Callable[[Graph], list[Graph]]] = {
    NoticedBy.RENAMING: lambda graph: [with_names(graph, other_names(graph))],
    NoticedBy.ORDER: reordered,
    NoticedBy.REVERSAL: lambda graph: [reversed_links(graph)],
    NoticedBy.REDUNDANCY: lambda graph: [repeated(graph)],
}
STATELESS_CHECKS = tuple(_VARIANTS)
