"""Certificates of decodings: the labels can all be true, and no others are worth more.

    witness      times at which the chosen labels and the hard links hold
    conflicts    those that the bound rests on, each with a proof: its hard links, and "one of the blocked labels" for
                 each of its pairs, contradict each other
    parts        the proof that every labelling that meets these conflicts loses at least as much (``optimum``)

If no labelling is possible, the certificate has the claim inconsistent: its links are the hard ones, and "one of its
labels" for each pair. docs/certificates.md has the form.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from temporacle.reasoner.certificates import certify_conflict, proof_form, refutation_of, times_form
from temporacle.reasoner.decodeproblem import RankedPair, all_ranks
from temporacle.reasoner.network import Network
from temporacle.reasoner.optimum import OptionNames, Problem, conflicts_of, parts_form, prove_bound
from temporacle.results import Certificate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.model import Link
    from temporacle.reasoner.decode import Decoded
    from temporacle.reasoner.decodeproblem import Conflict
    from temporacle.reasoner.network import Budget
    from temporacle.scored import Objective, ScoredDocument

CLAIM = "decode"


def certify_decoding(decoded: Decoded, hard: Sequence[Link], objective: Objective, budget: Budget) -> Certificate:
    """Return a certificate that a labelling is optimal. Raise BudgetExceeded if a proof is not found in time."""
    concerned = sorted({pair for conflict in decoded.conflicts for pair in conflict.blocked})
    problem = Problem(
        {pair: decoded.pairs[pair].costs for pair in concerned}, [conflict.blocked for conflict in decoded.conflicts]
    )
    parts = prove_bound(problem, decoded.ranks, budget)
    used = conflicts_of(parts)
    names = OptionNames(
        {pair: pair for pair in concerned},
        {pair: range(len(decoded.pairs[pair].labels)) for pair in concerned},
        {conflict: place for place, conflict in enumerate(used)},
        Fraction(1),
    )
    form = {
        "objective": objective.value,
        "pairs": [_pair_form(pair, decoded.ranks[number]) for number, pair in enumerate(decoded.pairs)],
        "value": str(decoded.value),
        "witness": times_form(decoded.witness),
        "conflicts": [_conflict_form(decoded.conflicts[conflict], decoded, hard, budget) for conflict in used],
        "parts": parts_form(parts, names),
    }
    return Certificate(CLAIM, tuple(hard), form=form)


def certify_impossible(scored: ScoredDocument, objective: Objective, budget: Budget) -> Certificate:
    """Return a certificate that no labelling is consistent."""
    pairs = [RankedPair.of(pair, objective) for pair in scored.pairs]
    return certify_conflict(Network([*scored.links, *(pair.any_of(all_ranks(pair)) for pair in pairs)]), budget)


def _pair_form(pair: RankedPair, chosen: int) -> dict[str, Any]:
    return {
        "id": pair.pair.id,
        "source": pair.pair.source,
        "target": pair.pair.target,
        "line": pair.pair.line,
        "labels": [
            [label.label, list(label.relation.atoms), str(Fraction(repr(label.score))), str(pair.best - cost)]
            for label, cost in zip(pair.labels, pair.costs, strict=True)
        ],
        "chosen": chosen,
    }


def _conflict_form(conflict: Conflict, decoded: Decoded, hard: Sequence[Link], budget: Budget) -> dict[str, Any]:
    """Return a conflict with its proof, in which the pairs are numbered after the hard links."""
    names = [*conflict.hard, *(len(hard) + pair for pair in conflict.blocked)]
    network = Network(conflict_links(conflict, decoded, hard))
    _, proof = refutation_of(network, budget, range(len(names)))
    return {
        "links": list(conflict.hard),
        "blocked": [
            [pair, [rank for rank in range(len(decoded.pairs[pair].labels)) if bits >> rank & 1]]
            for pair, bits in conflict.blocked.items()
        ],
        "proof": proof_form(proof, names),
    }


def conflict_links(conflict: Conflict, decoded: Decoded, hard: Sequence[Link]) -> list[Link]:
    """Return the links that contradict each other: hard ones, and "one of the blocked labels" for each pair."""
    widened = [decoded.pairs[pair].any_of(bits) for pair, bits in conflict.blocked.items()]
    return [*(hard[number] for number in conflict.hard), *widened]
