"""Why the exact reasoner is right about a link: a proof from as few links as possible, or a model.

entailed or refuted   a minimal set of links that decides it, and the contradiction that the opposite would be
open                  times for all entities under which all links hold; in these the link does not hold if the
                      program confirmed it, and does if the program refused it
stated                the link that says the same
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from temporacle.errors import BudgetExceeded
from temporacle.model import Link
from temporacle.reasoner.algebra import convex_pieces
from temporacle.reasoner.conflicts import minimal_conflict
from temporacle.reasoner.explanation import explain
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.oracle import Oracle
from temporacle.relation import Relation
from temporacle.scoring.official.exact import ExactJudgement, relation_of, text
from temporacle.scoring.official.tlinks import TagPlace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.results import Witness
    from temporacle.scoring.official.differences import VerdictDifference
    from temporacle.scoring.official.tlinks import LinkFile

_SUPPOSED = "supposed"


@dataclass(frozen=True, slots=True)
class VerdictEvidence:
    """The evidence for a verdict. ``model`` and ``holds`` are set if the links leave the question open."""

    premises: tuple[Link, ...] = ()
    sentences: tuple[str, ...] = ()
    model: Witness | None = None
    holds: bool | None = None  # whether the link is true in the model


def link_at(file: LinkFile, position: int) -> Link:
    """Return a link as people know it. A link that is not in a file has no id."""
    source, target, label = file.links[position]
    place = file.places[position] if file.places else TagPlace("")
    return Link(place.id, text(source), relation_of(label) or ~Relation(0), text(target), text(label), place.line)


def evidence(difference: VerdictDifference, links: Sequence[Link], budget: Budget | None = None) -> VerdictEvidence:
    """Return the evidence for one difference, from all links of the side that was asked.

    It is empty if there is nothing to show.
    """
    relation = relation_of(difference.link.label)
    if relation is None:
        return VerdictEvidence(sentences=(f"the label {text(difference.link.label)} allows every relation",))
    if difference.exact is ExactJudgement.UNDECIDED:
        return VerdictEvidence()
    if difference.stated_at is not None:
        return VerdictEvidence(premises=(links[difference.stated_at],))
    source, target = text(difference.link.source), text(difference.link.target)
    asked = Link(_SUPPOSED, source, relation, target, text(difference.link.label))
    premises = [links[position] for position in difference.premises]
    try:
        if difference.exact is ExactJudgement.OPEN:
            holds = difference.official is ExactJudgement.REFUTED
            return _model(premises, asked, budget or Budget(), holds=holds)
        return _proof(premises, asked, budget or Budget(), holds=difference.exact is ExactJudgement.ENTAILED)
    except BudgetExceeded:
        return VerdictEvidence()


def _model(premises: Sequence[Link], asked: Link, budget: Budget, *, holds: bool) -> VerdictEvidence:
    wanted = asked if holds else asked._replace(relation=~asked.relation)
    world = Oracle(Network((*premises, wanted)), budget=budget)
    if not world.is_consistent():  # the entity was not mentioned before, and the link holds of every entity
        return VerdictEvidence(sentences=(f"{asked.source} is mentioned here for the first time",))
    return VerdictEvidence(model=world.witness(), holds=holds)


def _proof(premises: Sequence[Link], asked: Link, budget: Budget, *, holds: bool) -> VerdictEvidence:
    opposite = asked._replace(relation=~asked.relation, label=f"not {asked.label}") if holds else asked
    conflict = minimal_conflict(Network((*premises, opposite)), budget)
    needed = tuple(link for link in conflict if link is not opposite)
    sentences: list[str] = []
    for piece in convex_pieces(int(opposite.relation)):
        sentences += explain((*needed, opposite._replace(relation=Relation(piece))))
    return VerdictEvidence(needed, tuple(sentences))
