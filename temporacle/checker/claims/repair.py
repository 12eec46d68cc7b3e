"""``repair``: without the dropped facts the rest can be true, and no lighter set of facts can be dropped instead.

Each conflict has a proof of its own that its facts contradict each other, so every repair drops one of them that is
not protected. What that costs at least is proven by ``bounds``: a fact is kept, at no cost, or dropped at its weight.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ..bounds import as_fraction, check_parts_form, lower_bound
from ..facts import Facts
from ..form import as_list, check_common, check_fields, check_times, key, require
from ..models import check_model
from ..proofs import check_conflict_form, check_proof, check_proof_form

VERSIONS = (3,)
PARTS = {"weights", "protected", "dropped", "weight", "witness", "conflicts", "parts"}
KEEP, DROP = "keep", "drop"


def check_form(certificate: dict[str, Any]) -> None:
    """Check that every part has its place and type."""
    check_common(certificate, PARTS)
    facts = len(certificate["links"]) + len(certificate.get("values", ()))
    require(len(as_list(certificate["weights"], "weights")) == facts, "weights: not one for each link and value")
    for weight in [*certificate["weights"], certificate["weight"]]:
        require(as_fraction(weight, "weights") >= 0, "weights: a negative one")
    for name in ("protected", "dropped"):
        check_conflict_form(certificate[name], certificate, name)
    check_times(certificate["witness"], "witness", certificate)
    for place, conflict in enumerate(as_list(certificate["conflicts"], "conflicts")):
        check_fields(conflict, {"conflict", "proof"}, f"conflict {place}")
        check_conflict_form(conflict["conflict"], certificate, f"conflict {place}")
        check_proof_form(conflict["proof"], certificate)
    check_parts_form(certificate["parts"])


def check(certificate: dict[str, Any]) -> None:
    """Check the witness of what is kept, the conflicts, and that no lighter repair meets them."""
    facts = Facts(certificate)
    weights = dict(zip(facts.known, (Fraction(text) for text in certificate["weights"]), strict=True))
    dropped, protected = ({key(fact) for fact in certificate[name]} for name in ("dropped", "protected"))
    require(dropped.isdisjoint(protected), "a protected fact is dropped")
    stated = Fraction(certificate["weight"])
    require(sum(weights[fact] for fact in dropped) == stated, "the dropped facts have another weight")
    kept = [fact for number, fact in facts.known.items() if number not in dropped]
    check_model(certificate["witness"], kept, "witness", facts.clock)
    conflicts = []
    for conflict in certificate["conflicts"]:
        numbers = [key(number) for number in conflict["conflict"]]
        check_proof(conflict["proof"], {number: facts.known[number] for number in numbers}, facts.clock)
        conflicts.append({number: frozenset({KEEP}) for number in numbers if number not in protected})
    costs = {number: {KEEP: Fraction(0), DROP: weight} for number, weight in weights.items() if number not in protected}
    bound = lower_bound(certificate["parts"], costs, conflicts)
    require(bound >= stated, f"a repair may weigh {bound} only")
