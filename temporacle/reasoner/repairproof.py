"""Certificates of optimal repairs: what is kept can be true, and nothing lighter can be dropped instead.

    witness      times at which all kept links hold
    conflicts    those that the bound rests on, each with a proof of its own
    parts        the proof that every set of links that hits these conflicts weighs at least as much (``optimum``)

docs/certificates.md has the form.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from temporacle.errors import InternalError
from temporacle.reasoner.certificates import model_of, proof_form, refutation_of, times_form
from temporacle.reasoner.network import Network
from temporacle.reasoner.optimum import OptionNames, Problem, conflicts_of, parts_form, prove_bound
from temporacle.reasoner.repair import whole_weights
from temporacle.results import Certificate

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from temporacle.reasoner.network import Budget
    from temporacle.reasoner.repair import GroundedRepair
    from temporacle.results import Fact

CLAIM = "repair"
_KEEP, _DROP = 0, 1
_OPTIONS = ("keep", "drop")


def certify_repair(network: Network, grounds: GroundedRepair, budget: Budget) -> Certificate:
    """Return a certificate of a repair. Raise BudgetExceeded if a proof is not found in time."""
    gone = set(grounds.dropped)
    kept = Network(link for number, link in enumerate(network.links) if number not in gone)
    model = model_of(kept, budget)
    if model is None:
        raise InternalError("a repaired document is not consistent")
    names = range(len(network.links))

    def proof(conflict: Sequence[int]) -> Any:
        return proof_form(refutation_of(network, budget, conflict)[1], names)

    form = repair_form(grounds, network.links, times_form(model), (lambda number: number, proof), budget)
    return Certificate(CLAIM, network.links, form=form)


def repair_form(
    grounds: GroundedRepair,
    facts: Sequence[Fact],
    witness: dict[str, list[int]],
    say: tuple[Callable[[int], Any], Callable[[Sequence[int]], Any]],
    budget: Budget,
) -> dict[str, Any]:
    """Return the fields of the certificate. ``say``: a fact's name in it, and the proof of a conflict."""
    name, proof = say
    weights, unit = whole_weights(facts)
    costs = {number: (0, weight) for number, weight in weights.items() if number not in grounds.protected}
    conflicts = [
        dict.fromkeys((number for number in conflict if number not in grounds.protected), 1 << _KEEP)
        for conflict in grounds.conflicts
    ]
    chosen = dict.fromkeys(costs, _KEEP) | dict.fromkeys(grounds.dropped, _DROP)
    parts = prove_bound(Problem(costs, conflicts), chosen, budget)
    used = conflicts_of(parts)
    names = OptionNames(
        {number: name(number) for number in costs},
        dict.fromkeys(costs, _OPTIONS),
        {conflict: place for place, conflict in enumerate(used)},
        unit,
    )
    return {
        "weights": [str(weight * unit) for weight in weights.values()],
        "protected": [name(number) for number in sorted(grounds.protected)],
        "dropped": [name(number) for number in grounds.dropped],
        "weight": str(sum(weights[number] for number in grounds.dropped) * unit),
        "witness": witness,
        "conflicts": [
            {
                "conflict": [name(number) for number in grounds.conflicts[conflict]],
                "proof": proof(grounds.conflicts[conflict]),
            }
            for conflict in used
        ],
        "parts": parts_form(parts, names),
    }
