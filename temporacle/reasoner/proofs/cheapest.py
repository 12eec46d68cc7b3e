"""Certificates of optimal repairs: what is kept can be true, and nothing lighter can be dropped instead.

    witness      times at which all kept links hold
    conflicts    those that the bound rests on, each with a proof of its own
    parts        the proof that every set of links that hits these conflicts weighs at least as much (``least_cost``)

Repairs of many disjunctions rest on too many conflicts for that. Their bound is found again by core-guided search
(``optimise.core_guided``), with a solver that writes down what it learns: each core is a lemma with hints, and what the
cores cost together is the bound. If the time ends before the bound is reached, the certificate has the bound of the
cores so far, or of some conflicts, and does not say that the repair is optimal.

docs/certificates.md has the form.
"""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from itertools import chain
from typing import TYPE_CHECKING, Any

from temporacle.errors import BudgetExceeded, InternalError
from temporacle.reasoner.conflicts.conflicts import impossible_links
from temporacle.reasoner.conflicts.repair import whole_weights
from temporacle.reasoner.decode.ranked import RankedPair, all_ranks
from temporacle.reasoner.disjunctions.cores import SelectedLinks
from temporacle.reasoner.judged import Judged
from temporacle.reasoner.network import Network
from temporacle.reasoner.optimise.core_guided import Count, least_cost
from temporacle.reasoner.proofs.certificate import certify_conflict, model_of, proof_form, refutation_of, times_form
from temporacle.reasoner.proofs.clausal import Derivation, RecordingCdcl, variables_of
from temporacle.reasoner.proofs.least_cost import (
    CoverPart,
    CoverProblem,
    Dual,
    OptionNames,
    conflicts_of,
    parts_form,
    prove_bound,
)
from temporacle.results import Certificate

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from contextlib import AbstractContextManager

    from temporacle.model import Link
    from temporacle.reasoner.conflicts.repair import GroundedRepair
    from temporacle.reasoner.decode.decode import Decoded
    from temporacle.reasoner.decode.ranked import Conflict
    from temporacle.reasoner.network import Budget
    from temporacle.reasoner.proofs.clausal import Hinted
    from temporacle.results import Fact
    from temporacle.scored import Objective, ScoredDocument

REPAIR_CLAIM = "repair"
_KEEP, _DROP = 0, 1
_OPTIONS = ("keep", "drop")
_COUNT = "count"


def certify_repair(network: Network, grounds: GroundedRepair, budget: Budget) -> Certificate:
    """Return a certificate of a repair. Raise BudgetExceeded if not even a part of the proof is found in time."""
    gone = set(grounds.dropped)
    kept = Network(link for number, link in enumerate(network.links) if number not in gone)
    model = model_of(kept, budget)
    if model is None:
        raise InternalError("a repaired document is not consistent")
    if grounds.conflicts is None:
        form = _form_by_cores(network, grounds, times_form(model), budget)
        return Certificate(REPAIR_CLAIM, network.links, form=form)
    names = range(len(network.links))

    def proof(conflict: Sequence[int]) -> Any:
        return proof_form(refutation_of(network, budget, conflict)[1], names)

    form = repair_form(grounds, network.links, times_form(model), (lambda number: number, proof), budget)
    return Certificate(REPAIR_CLAIM, network.links, form=form)


def repair_form(
    grounds: GroundedRepair,
    facts: Sequence[Fact],
    witness: dict[str, list[int]],
    say: tuple[Callable[[int], Any], Callable[[Sequence[int]], Any]],
    budget: Budget,
) -> dict[str, Any]:
    """Return the fields of the certificate. ``say``: a fact's name in it, and the proof of a conflict."""
    name, proof = say
    if grounds.conflicts is None:
        raise InternalError("a certificate of a repair was asked for without its conflicts")
    found = grounds.conflicts
    weights, unit = whole_weights(facts)
    costs = {number: (0, weight) for number, weight in weights.items() if number not in grounds.protected}
    conflicts = [
        dict.fromkeys((number for number in conflict if number not in grounds.protected), 1 << _KEEP)
        for conflict in found
    ]
    chosen = dict.fromkeys(costs, _KEEP) | dict.fromkeys(grounds.dropped, _DROP)
    problem = CoverProblem(costs, conflicts)
    try:
        with _half(budget):
            parts = prove_bound(problem, chosen, budget)
    except BudgetExceeded:
        parts = _packed(problem)
    used = conflicts_of(parts)
    names = OptionNames(
        {number: name(number) for number in costs},
        dict.fromkeys(costs, _OPTIONS),
        {conflict: place for place, conflict in enumerate(used)},
        unit,
    )
    bound = sum(part.bound for part in parts) * unit
    proof_parts = {
        "conflicts": [
            {
                "conflict": [name(number) for number in found[conflict]],
                "proof": proof(found[conflict]),
            }
            for conflict in used
        ],
        "parts": parts_form(parts, names),
    }
    form = _stated(grounds, facts, witness, name)
    is_closed = bound == Fraction(form["weight"])
    return form | (proof_parts if is_closed else {"bound": str(bound), "proof": proof_parts})


def _stated(
    grounds: GroundedRepair, facts: Sequence[Fact], witness: dict[str, list[int]], name: Callable[[int], Any]
) -> dict[str, Any]:
    """Return the fields that say what is dropped, and that the rest can be true."""
    weights, unit = whole_weights(facts)
    return {
        "weights": [str(weight * unit) for weight in weights.values()],
        "protected": [name(number) for number in sorted(grounds.protected)],
        "dropped": [name(number) for number in grounds.dropped],
        "weight": str(sum(weights[number] for number in grounds.dropped) * unit),
        "witness": witness,
    }


def _half(budget: Budget) -> AbstractContextManager[None]:
    """Return a context with half of the time that is left, so that the rest can be written down."""
    left = budget.remaining()
    return budget.at_most(None if left is None else left / 2)


def _packed(problem: CoverProblem) -> tuple[CoverPart, ...]:
    """Return a simple bound: conflicts, one after another, pay what the cheapest of their links still has left."""
    left = {slot: costs[_DROP] for slot, costs in problem.costs.items()}
    prices = []
    for number, conflict in enumerate(problem.conflicts):
        price = min(left[slot] for slot in conflict)
        if price:
            prices.append((number, Fraction(price)))
            left.update((slot, left[slot] - price) for slot in conflict)
    bound = int(sum(price for _, price in prices))
    return (CoverPart(bound, tuple(number for number, _ in prices), (Dual(tuple(prices)),)),) if prices else ()


# ----------------------------------------------------------------------------------------------------
# The bound by cores: "not all of these links can be kept", and so on with counts of links that are not kept.


class _Trace:
    """What a search for cores does: clauses, what the solver learns from them, and cores, in their order."""

    def __init__(self, solver: RecordingCdcl) -> None:
        self._solver = solver
        self.steps: list[tuple[list[tuple[int, ...]], tuple[int, ...], int]] = []  # lemmas, core, what it costs
        self.meanings: dict[int, Count] = {}
        self.sure: list[tuple[int, int]] = []  # wishes, and the number of cores before

    def found(self, core: Sequence[int], step: int) -> None:
        self.steps.append((list(self._solver.learnt()), tuple(-wish for wish in core), step))

    def counts(self, variable: int, count: Count) -> None:
        self.meanings[variable] = count

    def hardened(self, wish: int) -> None:
        self.sure.append((wish, len(self.steps)))


def _form_by_cores(
    network: Network, grounds: GroundedRepair, witness: dict[str, list[int]], budget: Budget
) -> dict[str, Any]:
    """Return the fields of a certificate whose bound rests on cores."""
    form = _stated(grounds, network.links, witness, lambda number: number)
    weights, unit = whole_weights(network.links)
    enough = sum(weights[number] for number in grounds.dropped)
    bound, proof = prove_by_cores(network, weights, grounds.protected, enough, budget)
    return form | {"bound": str(bound * unit), "proof": proof}


def prove_by_cores(
    network: Network, weights: Mapping[int, int], protected: Collection[int], enough: int, budget: Budget
) -> tuple[int, dict[str, Any]]:
    """Return what every repair weighs at least, as far as it is found in time, and the proof in the documented form."""
    solver = RecordingCdcl(budget)
    trace = _Trace(solver)
    links = SelectedLinks(len(network.entities), network.constraints, budget, solver)
    try:
        impossible = [links.selector(number) for number in impossible_links(network)]
        solver.add([-selector] for selector in impossible)
        for number in protected:
            links.keep(number)
        costs = {
            links.selector(number): weights[number]
            for number in range(len(network.links))
            if weights[number] and number not in protected
        }
        with suppress(BudgetExceeded), _half(budget):
            found = least_cost(links, costs, trace, enough)
            if found is None or found.cost != enough:
                raise InternalError("there is a lighter repair than the one that was found")
    finally:
        links.close()
    written = _Written(network, links, trace, protected)
    noted = {core for _, core, _ in trace.steps} | {(wish,) for wish, _ in trace.sure}
    noted -= {(-selector,) for selector in impossible}
    clauses = list(dict.fromkeys(written.justified(clause) for clause in solver.clauses if tuple(clause) not in noted))
    derivation = Derivation(max(trace.meanings, default=links.selector(len(network.links))))
    targets: list[int] = []
    bound = 0
    with suppress(BudgetExceeded):
        for number, (clause, _) in enumerate(clauses):
            if number % 1024 == 0:
                budget.check()
            derivation.add_clause(clause)
        for lemmas, core, step in trace.steps:
            for wish, after in trace.sure:
                if after == len(targets):
                    derivation.add_clause((wish,))
            for lemma in lemmas:
                budget.check()
                derivation.add_lemma(written.without_protected(lemma))
            targets.append(derivation.add_target(core))
            bound += step
    return bound, written.form(derivation.needed(targets), clauses)


class _Written:
    """How a proof by cores is written: variables of endpoints come first, then one for each link, then counts."""

    def __init__(self, network: Network, links: SelectedLinks, trace: _Trace, protected: Collection[int]) -> None:
        self._network = network
        self._links = links
        self._trace = trace
        self._protected = {links.selector(number) for number in protected}
        self._first, self._after = links.selector(0), links.selector(len(network.links))

    def justified(self, clause: Sequence[int]) -> tuple[tuple[int, ...], int | str | None]:
        """Return a clause with the number of its link, "count" if it is about counts, None if it always holds."""
        why: int | str | None = None
        if any(abs(literal) >= self._after for literal in clause):
            why = _COUNT
        else:
            why = next((-literal - self._first for literal in clause if -literal >= self._first), None)
        return self.without_protected(clause), why

    def without_protected(self, clause: Sequence[int]) -> tuple[int, ...]:
        """Return a clause without saying that a protected link may be dropped."""
        return tuple(literal for literal in clause if -literal not in self._protected)

    def form(self, proof: Hinted, clauses: Sequence[tuple[tuple[int, ...], int | str | None]]) -> dict[str, Any]:
        """Return the documented form, in which the clause of a link does not name its link's variable."""
        kept = [clauses[number] for number in proof.clauses if number < len(clauses)]
        sure = [self._trace.sure[number - len(clauses)] for number in proof.clauses if number >= len(clauses)]
        shown = chain(*(clause for clause, _ in kept), *proof.lemmas, (wish for wish, _ in sure))
        used = sorted(set(map(abs, shown)))
        ends = [variable for variable in used if variable < self._first]
        counts = [variable for variable in used if variable >= self._after]
        place = {variable: number for number, variable in enumerate(ends, 1)}
        place |= {self._first + link: len(ends) + 1 + link for link in range(len(self._network.links))}
        place |= {variable: number for number, variable in enumerate(counts, len(place) + 1)}
        meanings = variables_of(self._network, self._links.order, self._links.triangles)

        def numbered(clause: Sequence[int]) -> list[int]:
            return [place[literal] if literal > 0 else -place[-literal] for literal in clause]

        return {
            "variables": [list(meanings[variable - 1]) for variable in ends],
            "counts": [list(self._trace.meanings[variable]) for variable in counts],
            "clauses": [
                [numbered([each for each in clause if why == _COUNT or abs(each) < self._first]), why]
                for clause, why in kept
            ],
            "sure": [[*numbered([wish]), cores] for wish, cores in sure],
            "lemmas": [numbered(lemma) for lemma in proof.lemmas],
            "hints": [list(hints) for hints in proof.hints],
            "cores": proof.targets,
        }


# ----------------------------------------------------------------------------------------------------
# Certificates of decodings: the labels can all be true, and no others are worth more.
#
#     witness      times at which the chosen labels and the hard links hold
#     conflicts    those that the bound rests on, each with a proof: its hard links, and "one of the blocked labels"
#     for
#                  each of its pairs, contradict each other
#     parts        the proof that every labelling that meets these conflicts loses at least as much (``least_cost``)
#
# If no labelling is possible, the certificate has the claim inconsistent: its links are the hard ones, and "one of its
# labels" for each pair. docs/certificates.md has the form.

DECODE_CLAIM = "decode"


def certify_decoding(decoded: Decoded, hard: Sequence[Link], objective: Objective, budget: Budget) -> Certificate:
    """Return a certificate that a labelling is optimal. Raise BudgetExceeded if a proof is not found in time."""
    concerned = sorted({pair for conflict in decoded.conflicts for pair in conflict.blocked})
    problem = CoverProblem(
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
    return Certificate(DECODE_CLAIM, tuple(hard), form=form)


def certify_impossible(scored: ScoredDocument, objective: Objective, budget: Budget) -> Certificate:
    """Return a certificate that no labelling is consistent."""
    pairs = [RankedPair.of(pair, objective) for pair in scored.pairs]
    return certify_conflict(Judged(Network([*scored.links, *(pair.any_of(all_ranks(pair)) for pair in pairs)]), budget))


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
