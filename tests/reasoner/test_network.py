"""Links as the reasoner sees them, and the time it has."""

import pytest

from temporacle.errors import BudgetExceeded
from temporacle.model import Document, Link
from temporacle.reasoner.network import Budget, Network
from temporacle.relation import Relation


def test_links_given_as_triples():
    labelled, plain = Network.of([("a", "before", "b"), ("b", Relation.of("m", "b"), "c")]).links
    assert (labelled.id, labelled.label, labelled.relation) == ("l1", "before", Relation.of("b"))
    assert (plain.id, plain.label, plain.relation) == ("l2", "b|m", Relation.of("b", "m"))


def test_entities_are_numbered_in_order_of_mention():
    """Those of links first, whatever the document declares."""
    document = Document("d", (Link("1", "c", Relation.of("b"), "a"),), ("z", "a", "b"))
    assert Network.of(document).entities == ("c", "a", "z", "b")


def test_a_budget_ends_when_it_is_over_and_not_before():
    Budget().check()
    Budget(1000).check()
    assert Budget().remaining() is None
    assert 900 < Budget(1000).remaining() <= 1000
    with pytest.raises(BudgetExceeded, match="within -1 s"):
        Budget(-1).check()
