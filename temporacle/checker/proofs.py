"""Proofs that facts contradict each other, of any kind: by cases, by clauses, or by choices of atoms.

list                            a tree of cases (``cases``)
variables, clauses, lemmas      clauses (``clauses``), in version 3 possibly with hints
file, sha256                    clauses with hints in a file beside the certificate (``stream``), in version 3
choices, cycles, lemmas         choices, with values (``seconds``)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import cases, clauses
from .form import as_list, has_values, is_int, key, require
from .stream import ProofFile, is_reference
from .stream import check_form as check_reference_form

if TYPE_CHECKING:
    from .clock import Clock
    from .facts import Fact


def check_conflict_form(conflict: Any, certificate: dict[str, Any], name: str = "conflict") -> None:
    """Check that a conflict lists different facts of the certificate."""
    numbers = [key(number) for number in as_list(conflict, name)]
    wrong = [number for number in numbers if not _is_fact(number, certificate)]
    require(not wrong and len(set(numbers)) == len(numbers), f"{name}: not a list of different links")


def _is_fact(number: Any, certificate: dict[str, Any]) -> bool:
    if number == "query":
        return "query" in certificate
    if isinstance(number, tuple):
        values = certificate.get("values", [])
        good = len(number) == 2 and number[0] == "value" and is_int(number[1]) and 0 <= number[1] < len(values)
        return good and values[number[1]]["fact"] is not None
    return is_int(number) and 0 <= number < len(certificate["links"])


def check_own_proof_form(certificate: dict[str, Any]) -> None:
    """Check the form of the proof of a whole certificate. In version 3 without values it may be in another file."""
    if certificate["version"] > 2 and not has_values(certificate) and is_reference(certificate["proof"]):
        check_reference_form(certificate["proof"])
    else:
        check_proof_form(certificate["proof"], certificate)


def check_proof_form(proof: Any, certificate: dict[str, Any]) -> None:
    """Check the form of a proof. Without values it is by cases in version 1, by clauses in version 2."""
    valued = has_values(certificate)
    require(bool(proof), "the proof is empty")
    if isinstance(proof, dict) and valued:
        from .seconds import check_choices_form

        check_choices_form(proof)
    elif not valued and (certificate["version"] == 2 or (certificate["version"] > 2 and isinstance(proof, dict))):
        clauses.check_form(proof, may_have_hints=certificate["version"] > 2)
    else:
        cases.check_form(proof, with_seconds=valued)


def check_proof(proof: Any, facts: dict[Any, Fact], clock: Clock | None) -> None:
    """Check that a proof refutes the given facts."""
    if isinstance(proof, ProofFile):
        proof.check(facts)
    elif not isinstance(proof, dict):
        cases.check(proof, facts, clock)
    elif clock is None:
        clauses.check(proof, facts)
    else:
        from .seconds import check_choices

        check_choices(proof, facts, clock)
