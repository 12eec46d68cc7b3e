"""Certificates: an answer together with what is needed to check it without trusting the reasoner.

    consistent     a witness
    inconsistent   a minimal conflict with its proof, and for each of its links a model of the others: each is needed
                   (left out for very long conflicts)
    entailed       a witness of the links, and a proof that the links and the negated query contradict each other
    refuted        a witness of the links, and a proof that the links and the query contradict each other
    open           a witness in which the query holds, and a countermodel in which it does not
    closure        for each pair, a model of each atom and reasons against the others (``proofs.closure``)
    repair         a witness of what is kept, and conflicts that no lighter repair resolves (``proofs.cheapest``)
    decode         a witness of the labels, and conflicts that no better labelling meets (``proofs.cheapest``)

Building one can raise BudgetExceeded. The checker, ``temporacle.checker``, shares no code with what is here.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from temporacle.errors import InternalError
from temporacle.model import Link
from temporacle.reasoner.conflicts.conflicts import conflict_numbers, conflict_of, is_matter_for_search, subnetwork
from temporacle.reasoner.disjunctions.cases import refute
from temporacle.reasoner.disjunctions.sat import is_available
from temporacle.reasoner.judged import Judged
from temporacle.reasoner.network import Network
from temporacle.results import Certificate, ClausalProof, ProofCycle, ProofSplit, ProofStep

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from temporacle.reasoner.network import Budget
    from temporacle.relation import Relation
    from temporacle.results import Witness

FORMAT = "temporacle-certificate"
VERSION_OF = {"closure": 3, "repair": 3, "decode": 3}  # others have version 3 with clauses, 2 with values, else 1
_FEW_BRANCHINGS = 32  # in a proof by cases of many disjunctions; beyond that clauses are shorter
_MANY_BRANCHINGS = 500  # the same of few disjunctions
MOST_NEEDED = 64  # links of a conflict; the models that show each to be needed take quadratic space


def certify(judged: Judged) -> Certificate:
    """Return a certificate of consistency or of inconsistency."""
    if judged.is_consistent():
        return Certificate("consistent", judged.network.links, witness=judged.witness())
    return certify_conflict(judged)


def certify_conflict(judged: Judged, conflict: Sequence[int] | None = None) -> Certificate:
    """Return a certificate that the links contradict each other, by their own conflict if none is given."""
    network, budget = judged.network, judged.budget
    numbers, proof = refutation_of(network, budget, conflict_of(judged) if conflict is None else conflict)
    needed = []
    for number in numbers if len(numbers) <= MOST_NEEDED else ():
        model = model_of(subnetwork(network, [other for other in numbers if other != number]), budget)
        if model is None:
            raise InternalError("a conflict is not minimal")
        needed.append(model)
    return Certificate(
        "inconsistent", network.links, conflict=tuple(numbers), needed=tuple(needed) or None, proof=proof
    )


def certify_entailment(judged: Judged, source: str, relation: Relation, target: str) -> Certificate:
    """Return a certificate about ``source relation target``, or of the contradiction if the links contradict each
    other.
    """
    network, budget = judged.network, judged.budget
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
    return certify_conflict(judged)


def _with(network: Network, query: Link) -> Network:
    return Network((*network.links, query), network.entities)


def model_of(network: Network, budget: Budget) -> Witness | None:
    """Return times at which all links hold; None if there are none."""
    judged = Judged(network, budget)
    return judged.witness() if judged.is_consistent() else None


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
        from temporacle.reasoner.proofs.clausal import refute_by_clauses

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
    if certificate.form is not None and "bound" in certificate.form:
        return 4
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


# ----------------------------------------------------------------------------------------------------
# Certificates are checked before anyone sees them, by the checker that shares no code with the reasoner.
#
# So no certificate is given for a false answer, whatever a solver said: the answer is withdrawn instead.

_NO_DOCUMENT = dict.fromkeys(("path", "sha256", "format", "reading", "during", "encoding")) | {"id": ""}


def confirmed(certificate: Certificate) -> Certificate:
    """Return a certificate that the checker accepts, whatever its document. Raise InternalError for any other."""
    accepted(to_json(certificate, _NO_DOCUMENT))
    return certificate


def accepted(form: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a whole certificate, as it is written, that the checker accepts. Raise InternalError for any other."""
    from temporacle.checker import Rejected, verify

    try:
        verify(json.dumps(form, allow_nan=False))
    except Rejected as reason:
        raise InternalError(f"a certificate does not hold: {reason}; please report this document") from None
    return form
