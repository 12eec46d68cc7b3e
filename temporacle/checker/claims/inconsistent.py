"""``inconsistent``: facts that contradict each other, and if ``needed`` is given, no fewer of them do."""

from __future__ import annotations

from typing import Any

from ..facts import Facts
from ..form import as_list, check_common, check_times, key, require
from ..models import check_model
from ..proofs import check_conflict_form, check_own_proof_form, check_proof

VERSIONS = (1, 2, 3)


def check_form(certificate: dict[str, Any]) -> None:
    """Check that every part has its place and type."""
    check_common(certificate, {"conflict", "needed", "proof"})
    needed = certificate["needed"]
    for place, model in enumerate([] if needed is None else as_list(needed, "needed")):
        check_times(model, f"needed {place}", certificate)
    check_conflict_form(certificate["conflict"], certificate)
    check_own_proof_form(certificate)


def check(certificate: dict[str, Any]) -> None:
    """Check the proof, and for each fact of the conflict times at which the others hold."""
    facts = Facts(certificate)
    conflict = [key(number) for number in certificate["conflict"]]
    check_proof(certificate["proof"], {number: facts.known[number] for number in conflict}, facts.clock)
    needed = certificate["needed"]  # null: nothing is claimed about it
    require(needed is None or len(needed) == len(conflict), "needed and conflict differ in length")
    for number, model in zip(conflict, needed, strict=True) if needed is not None else ():
        others = [facts.known[other] for other in conflict if other != number]
        check_model(model, others, f"needed for link {number}", facts.clock)
