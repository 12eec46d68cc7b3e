"""Certificates: an answer together with what is needed to check it without trusting the reasoner.

    consistent     a witness
    inconsistent   a minimal conflict with its proof, and for each of its links a model of the others: each is needed
                   (left out for very long conflicts)
    entailed       a witness of the links, and a proof that the links and the negated query contradict each other
    refuted        a witness of the links, and a proof that the links and the query contradict each other
    open           a witness in which the query holds, and a countermodel in which it does not
    closure        for each pair, a model of each atom and reasons against the others (``closureproof``)
    repair         a witness of what is kept, and conflicts that no lighter repair resolves (``repairproof``)
    decode         a witness of the labels, and conflicts that no better labelling meets (``decodeproof``)

Building one can raise BudgetExceeded. The checker, ``temporacle.checker``, shares no code with what is here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from temporacle.errors import InternalError
from temporacle.model import Link
from temporacle.reasoner.cdcl import is_available
from temporacle.reasoner.conflicts import conflict_numbers, is_matter_for_search, subnetwork
from temporacle.reasoner.network import Network
from temporacle.reasoner.proofs import refute
from temporacle.results import Certificate, ClausalProof, ProofCycle, ProofSplit, ProofStep

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from temporacle.reasoner.network import Budget, PairTable
    from temporacle.relation import Relation
    from temporacle.results import Witness

FORMAT = "temporacle-certificate"
VERSION_OF = {
    "closure": 3,
    "repair": 3,
    "decode": 3,
}  # other certificates have version 3 with clauses, 2 with values, else 1
_FEW_BRANCHINGS = 32  # in a proof by cases of many disjunctions; beyond that clauses are shorter
_MANY_BRANCHINGS = 500  # the same of few disjunctions
MOST_NEEDED = 64  # links of a conflict; the models that show each to be needed take quadratic space


def certify(network: Network, budget: Budget) -> Certificate:
    """Return a certificate of consistency or of inconsistency."""
    model = model_of(network, budget)
    return (
        certify_conflict(network, budget) if model is None else Certificate("consistent", network.links, witness=model)
    )


def certify_conflict(network: Network, budget: Budget, conflict: Sequence[int] | None = None) -> Certificate:
    """Return a certificate that the links contradict each other.

    ``conflict`` is a minimal one if it is already known.
    """
    numbers, proof = refutation_of(network, budget, conflict)
    needed = []
    for number in numbers if len(numbers) <= MOST_NEEDED else ():
        model = model_of(subnetwork(network, [other for other in numbers if other != number]), budget)
        if model is None:
            raise InternalError("a conflict is not minimal")
        needed.append(model)
    return Certificate(
        "inconsistent", network.links, conflict=tuple(numbers), needed=tuple(needed) or None, proof=proof
    )


def certify_closure(network: Network, budget: Budget) -> Certificate:
    """Return a certificate of the strongest relation of every pair, or of the contradiction if there is one."""
    from temporacle.reasoner.oracle import Oracle

    table = Oracle(network, budget=budget).minimal_network()
    if table is None:
        return certify_conflict(network, budget)
    return certify_table(network, table, budget)


def certify_table(network: Network, table: PairTable, budget: Budget) -> Certificate:
    """Return a certificate that a table has the strongest relation of every pair of a consistent network."""
    from temporacle.reasoner.closureproof import prove_closure

    return Certificate("closure", network.links, form=prove_closure(network, table, budget))


def certify_entailment(network: Network, source: str, relation: Relation, target: str, budget: Budget) -> Certificate:
    """Return a certificate about ``source relation target``, or of the contradiction if the links contradict each
    other.
    """
    query = Link("query", source, relation, target, str(relation))
    without = _with(network, query._replace(relation=~relation))
    holding, failing = model_of(_with(network, query), budget), model_of(without, budget)
    if holding is not None and failing is not None:
        return Certificate("open", network.links, query, witness=holding, countermodel=failing)
    if holding is not None:
        numbers, proof = refutation_of(without, budget)
        return Certificate("entailed", network.links, query, holding, conflict=tuple(numbers), proof=proof)
    if failing is not None:
        numbers, proof = refutation_of(_with(network, query), budget)
        return Certificate("refuted", network.links, query, failing, conflict=tuple(numbers), proof=proof)
    return certify_conflict(network, budget)


def _with(network: Network, query: Link) -> Network:
    return Network((*network.links, query), network.entities)


def model_of(network: Network, budget: Budget) -> Witness | None:
    """Return times at which all links hold; None if there are none."""
    from temporacle.reasoner.oracle import Oracle

    oracle = Oracle(network, budget=budget)
    return oracle.witness() if oracle.is_consistent() else None


def refutation_of(
    network: Network, budget: Budget, conflict: Sequence[int] | None = None
) -> tuple[list[int], tuple[ProofStep, ...] | ClausalProof]:
    """Return a minimal conflict and a proof from it alone, in positions of the whole; by cases if few are enough."""
    numbers = list(conflict_numbers(network, budget) if conflict is None else conflict)
    part = subnetwork(network, numbers)
    branchings = None  # as many as it takes, if there is no other way
    if is_available():
        branchings = _FEW_BRANCHINGS if is_matter_for_search(part) else _MANY_BRANCHINGS
    refutation = refute(part, budget, branchings)
    if refutation is not None:
        return numbers, tuple(_renumbered(step, numbers) for step in refutation.steps)
    proof = None
    if branchings is not None:
        from temporacle.reasoner.clausalproof import refute_by_clauses

        proof = refute_by_clauses(part, budget)
    if proof is None:
        raise InternalError("a conflict without a proof")
    clauses = tuple((clause, None if link is None else numbers[link]) for clause, link in proof.clauses)
    return numbers, proof._replace(clauses=clauses)


def refutation_to_json(
    network: Network, budget: Budget, names: Sequence[int | str]
) -> tuple[list[int | str], list[Any] | dict[str, Any]]:
    """Return facts that contradict each other, and a proof of it, as JSON values.

    ``names`` has what each link of the network is called there.
    """
    quick = refute(network, budget, _FEW_BRANCHINGS)
    if quick is not None:
        return [names[number] for number in quick.used], [_step(step, names) for step in quick.steps]
    numbers, proof = refutation_of(network, budget)
    return [names[number] for number in numbers], proof_form(proof, names)


def _renumbered(step: ProofStep, numbers: Sequence[int]) -> ProofStep:
    if isinstance(step, ProofSplit):
        return step._replace(link=numbers[step.link])
    return ProofCycle(
        tuple(edge if edge.link is None else edge._replace(link=numbers[edge.link]) for edge in step.edges)
    )


# --- the documented form ---------------------------------------------------------------------------------------------


def to_json(certificate: Certificate, document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the certificate as JSON values.

    ``document`` describes its document: id, path, digest and how it was read.
    """
    links = certificate.links
    form: dict[str, Any] = {
        "format": FORMAT,
        "version": _version(certificate),
        "claim": certificate.claim,
        "document": dict(document),
        **links_to_json(links),
    }
    if certificate.query is not None:
        query = certificate.query
        form["query"] = {"source": query.source, "relation": list(query.relation.atoms), "target": query.target}
    if certificate.form is not None:
        return form | dict(certificate.form)
    names: list[int | str] = [*range(len(links)), "query"]  # the query comes after the links
    for name, model in (("witness", certificate.witness), ("countermodel", certificate.countermodel)):
        if model is not None:
            form[name] = times_form(model)
    if certificate.conflict is not None:
        form["conflict"] = [names[number] for number in certificate.conflict]
    if certificate.claim == "inconsistent":
        form["needed"] = None if certificate.needed is None else [times_form(model) for model in certificate.needed]
    if certificate.proof is not None:
        form["proof"] = proof_form(certificate.proof, names)
    return form


def links_to_json(links: Sequence[Link]) -> dict[str, Any]:
    """Return links, and what their labels mean."""
    readings = sorted({(link.label, link.relation.atoms) for link in links})
    return {
        "readings": [[label, list(atoms)] for label, atoms in readings],
        "links": [
            {
                "id": link.id,
                "source": link.source,
                "relation": list(link.relation.atoms),
                "label": link.label,
                "target": link.target,
                "line": link.line,
            }
            for link in links
        ],
    }


def _version(certificate: Certificate) -> int:
    if certificate.claim in VERSION_OF:
        return VERSION_OF[certificate.claim]
    if isinstance(certificate.proof, ClausalProof):
        return 3
    return 1 if certificate.form is None else 2


def proof_form(proof: tuple[ProofStep, ...] | ClausalProof, names: Sequence[int | str]) -> Any:
    """Return a proof in the documented form; ``names`` has what each link is called there."""
    if isinstance(proof, ClausalProof):
        return _clausal(proof, names)
    return [_step(step, names) for step in proof]


def _clausal(proof: ClausalProof, names: Sequence[int | str]) -> dict[str, Any]:
    return {
        "variables": [list(points) for points in proof.variables],
        "clauses": [[list(clause), None if link is None else names[link]] for clause, link in proof.clauses],
        "lemmas": [list(lemma) for lemma in proof.lemmas],
        "hints": [list(hints) for hints in proof.hints],
    }


def times_form(model: Witness) -> dict[str, list[int]]:
    """Return times in the documented form."""
    return {name: list(times) for name, times in model.items()}


def _step(step: ProofStep, names: Sequence[int | str]) -> dict[str, Any]:
    if isinstance(step, ProofSplit):
        return {
            "split": names[step.link],
            "cases": [[list(relation.atoms), place] for relation, place in step.cases],
        }
    return {
        "cycle": [
            [
                edge.left,
                "<" if edge.strict else "<=",
                edge.right,
                None if edge.link is None else names[edge.link],
            ]
            for edge in step.edges
        ]
    }
