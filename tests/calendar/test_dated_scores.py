"""Scores with values: what is set aside and verified, compared with the reference fact by fact."""

from random import Random

import pytest
from calendar_documents import random_document, random_options
from library import options_of, read
from naive_calendar import ATOMS, calendar_of, is_consistent, link_fact

import temporacle as tp
from temporacle.calendar.policy import calendar_of as chosen
from temporacle.reasoner.network import Budget
from temporacle.scoring.awareness import DatedAnnotation
from temporacle.scoring.metric import Contradictions, Vague
from temporacle.scoring.side import Side


def greedy(calendar, before, names):
    """The names that are consistent with those kept before them."""
    kept = list(before)
    for name in names:
        if is_consistent(calendar, [*kept, name]):
            kept.append(name)
    return kept


class Reference:
    """One side by the reference: the links that are kept, and which links of the other side follow."""

    def __init__(self, record, policy, options):
        self.calendar = calendar_of(record, policy, **options)
        plain = Side(read(record), Budget())
        self.stated = {(link.source, link.relation, link.target) for link in plain.network.links}
        self.counted = [plain.link(position) for position in plain.counted]
        self.values = greedy(self.calendar, [], self.calendar.values)
        self.kept = greedy(self.calendar, self.values, [plain.link(position).id for position in plain.kept])
        linked = {name for link in plain.network.links for name in link.entities}
        self.known = linked | {name.partition(".")[0] for name in self.values}

    def verifies(self, link):
        if (link.source, link.relation, link.target) in self.stated:
            return True
        if (link.target, link.relation.converse(), link.source) in self.stated:
            return True
        if not {link.source, link.target} <= self.known or link.relation.is_universal:
            return False
        rest = tuple(atom for atom in ATOMS if atom not in link.relation.atoms)
        return not is_consistent(self.calendar, self.kept, (link_fact("?", link.source, rest, link.target),))


@pytest.mark.parametrize("seed", range(60))
def test_scores_agree_with_the_reference(seed):
    rng = Random(f"scores-{seed}")
    policy, options = rng.choice(("within", "document", "exact")), random_options(rng)
    records = [random_document(rng, entities=4, kinds=("atom", "convex")) for _ in range(2)]
    calendar = chosen(policy, **options_of(**options))
    sides = [
        DatedAnnotation(read(record), Budget(), calendar, Contradictions.SET_ASIDE, Vague.IGNORE) for record in records
    ]
    twins = [Reference(record, policy, options) for record in records]
    for side, twin in zip(sides, twins, strict=True):
        assert [side.link(position).id for position in side.counted] == [link.id for link in twin.counted]
        assert {side.link(position).id for position in side.kept} == set(twin.kept) - set(twin.values)
    for (side, twin), other in zip(zip(sides, twins, strict=True), reversed(sides), strict=True):
        expected = [position for position in other.counted if twin.verifies(other.link(position))]
        assert side.verified(other) == expected


def test_a_score_with_itself_is_one():
    found = tp.score("examples/calendar/harbour.tml", "examples/calendar/harbour.tml", calendar="exact")
    assert found.f1 == 1
    assert "|calendar:exact|" in found.signature
