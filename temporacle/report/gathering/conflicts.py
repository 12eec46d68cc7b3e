"""Conflicts and repairs as a page shows them: links with words, sentences, derivations, and arrows to draw."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from temporacle.model import Link
from temporacle.reasoner.cycles import shortest_strict_cycle
from temporacle.reasoner.network import Network
from temporacle.report.gathering.entities import link_row, link_rows
from temporacle.report.values import limits
from temporacle.report.values.document import Arrow, Conflict, FactRow, LinkRow, Piece
from temporacle.wording import Names

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from temporacle.checks import Check
    from temporacle.passages import Quotation
    from temporacle.report.values.document import EntityRow
    from temporacle.results import Fact

_NO_ROWS: Mapping[str, EntityRow] = MappingProxyType({})


def conflicts_of(check: Check, rows: Mapping[str, EntityRow]) -> tuple[Conflict, ...]:
    """Return the first conflicts of a check. Only the first links and steps of a long conflict are written out."""
    shown = zip(check.conflicts[: limits.CONFLICTS], check.in_words(), strict=False)
    return tuple(
        _drawable(facts, rows)._replace(
            headline=words.headline,
            facts=fact_rows(facts[: limits.FACTS], check, rows),
            more_facts=max(0, len(facts) - limits.FACTS),
            sentences=tuple(sentence_pieces(each, rows) for each in words.quotations[: limits.FACTS]),
            derivation=shortened_steps(words.derivation),
        )
        for facts, words in shown
    )


def _drawable(facts: Sequence[Fact], rows: Mapping[str, EntityRow]) -> Conflict:
    """Return the conflict with its arrows. Links alone do not show why they contradict values: then there are none."""
    links = tuple(fact for fact in facts if isinstance(fact, Link))
    if len(links) < len(facts):
        return Conflict(link_rows(links), (), is_cycle=False)
    return conflict_of(links, rows)


def fact_rows(facts: Iterable[Fact], check: Check, rows: Mapping[str, EntityRow]) -> tuple[FactRow, ...]:
    """Return links and values with the words of their entities."""
    names = Names(check.excerpts)
    return tuple(_fact_row(fact, names, rows) for fact in facts)


def _fact_row(fact: Fact, names: Names, rows: Mapping[str, EntityRow]) -> FactRow:
    if isinstance(fact, Link):
        source, target = fact.source, fact.target
        return FactRow(link_row(fact), rows[source], rows[target], names[source], names[target])
    label = fact.label if fact.attribute == "value" else f"{fact.attribute} {fact.label}"
    row = LinkRow(fact.id, fact.entity, label, "", fact.entity, fact.line)
    return FactRow(row, rows[fact.entity], None, names[fact.entity])


def sentence_pieces(quotation: Quotation, rows: Mapping[str, EntityRow]) -> tuple[Piece, ...]:
    """Return a sentence of the text with the entities that it is quoted for."""
    pieces = [Piece(text, tuple(rows[name] for name in names)) for text, names in quotation.pieces()]
    before, after = quotation.passage.begins_earlier, quotation.passage.goes_on
    return (*([Piece("…")] if before else []), *pieces, *([Piece("…")] if after else []))


def shortened_steps(sentences: Sequence[str]) -> tuple[str, ...]:
    """Return the first steps and the last one, which is the conclusion."""
    hidden = len(sentences) - limits.FACTS - 1
    if hidden <= 0:
        return tuple(sentences)
    return (*sentences[: limits.FACTS], f"… and {hidden} more steps …", sentences[-1])


def conflict_of(links: tuple[Link, ...], rows: Mapping[str, EntityRow] = _NO_ROWS) -> Conflict:
    """Return a minimal conflict as arrows: its strict cycle over endpoints, or one arrow per link if it has no cycle.

    ``rows`` are the entities of the document, for their words. The hulls of a minimal conflict have a strict cycle or
    none; if they have one, it needs all of its links.
    """
    network = Network(links)
    texts = tuple((name, rows[name].text) for name in network.entities if name in rows and rows[name].text)
    possible = all(mask for _, mask, _ in network.constraints)  # an empty relation has no endpoints to draw
    cycle = shortest_strict_cycle(len(network.entities), network.constraints) if possible else None
    if cycle is None:
        arrows = [Arrow(link.source, link.label or str(link.relation), link.target, link_row(link)) for link in links]
        return Conflict(link_rows(links), tuple(arrows), is_cycle=False, texts=texts)

    def point(number: int) -> str:
        return f"{network.entities[number >> 1]}.{'end' if number & 1 else 'start'}"

    return Conflict(
        link_rows(links),
        tuple(
            Arrow(
                point(edge.from_point),
                "<" if edge.strict else "<=",
                point(edge.to_point),
                None if edge.link is None else link_row(links[edge.link]),
            )
            for edge in cycle
        ),
        is_cycle=True,
        texts=texts,
    )
