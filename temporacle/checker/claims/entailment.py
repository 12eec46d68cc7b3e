"""``entailed``, ``refuted`` and ``open``: what follows about one query."""

from __future__ import annotations

from typing import Any

from ..atoms import ATOMS
from ..facts import Facts, link_of
from ..form import as_atoms, check_common, check_fields, check_times, has_values, is_text, key, require
from ..models import check_model
from ..proofs import check_conflict_form, check_own_proof_form, check_proof

VERSIONS = (1, 2, 3)
QUERY = {"source", "relation", "target"}


def check_form(certificate: dict[str, Any]) -> None:
    """Check that every part has its place and type."""
    is_open = certificate["claim"] == "open"
    check_common(certificate, {"query", "witness"} | ({"countermodel"} if is_open else {"conflict", "proof"}))
    check_fields(certificate["query"], QUERY, "query")
    require(is_text(certificate["query"], "source", "target"), "query: source and target are texts")
    as_atoms(certificate["query"]["relation"], "query")
    check_times(certificate["witness"], "witness", certificate)
    if is_open:
        check_times(certificate["countermodel"], "countermodel", certificate)
        good = certificate["version"] == 1 or (certificate["version"] == 2 and has_values(certificate))
        require(good, "a version for clausal proofs, and no proof")
    else:
        check_conflict_form(certificate["conflict"], certificate)
        check_own_proof_form(certificate)


def check(certificate: dict[str, Any]) -> None:
    """Check the witness; and the proof, or the countermodel."""
    claim, facts = certificate["claim"], Facts(certificate)
    asked = link_of(certificate["query"])
    negated = (asked[0], frozenset(ATOMS) - asked[1], asked[2])
    require(
        {asked[0], asked[2]} <= set(certificate["witness"]), "the query is about an entity that is not in the document"
    )
    shown = negated if claim == "refuted" else asked
    check_model(certificate["witness"], [*facts.all(), shown], "witness", facts.clock)
    if claim == "open":
        check_model(certificate["countermodel"], [*facts.all(), negated], "countermodel", facts.clock)
        return
    allowed = facts.known | {"query": negated if claim == "entailed" else asked}
    conflict = [*map(key, certificate["conflict"]), *(facts.clock.dates if facts.clock is not None else ())]
    check_proof(certificate["proof"], {number: allowed[number] for number in conflict}, facts.clock)
