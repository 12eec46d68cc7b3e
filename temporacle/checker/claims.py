"""Whether a certificate holds as a whole: that it has its form, belongs to its file, and that its claim follows.

``CLAIMS`` lists the claims. Those about the consistency of a document, and what follows from it, are in this file:

    consistent         there are times at which every fact holds
    inconsistent       facts that contradict each other, and if ``needed`` is given, no fewer of them do
    entailed, refuted  the facts with the opposite of the query (with the query) contradict each other, and there are
                       times at which they hold with the query (without it)
    open               there are times at which the facts hold with the query, and others without it
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .calendar import CALENDAR, Calendar, check_calendar_form
from .closures import CLOSURE, check_closure, check_closure_form
from .kernel import (
    EVERY,
    Facts,
    Link,
    Rejected,
    as_atoms,
    as_list,
    check_document_form,
    check_fields,
    check_links_form,
    check_model,
    check_model_form,
    digest,
    has_values,
    is_int,
    is_text,
    key,
    link_of,
    require,
)
from .optima import (
    BOUNDED_REPAIR,
    DECODING,
    REPAIR,
    check_decoding,
    check_decoding_form,
    check_repair,
    check_repair_form,
)
from .refutations import ProofFile, check_conflict_form, check_own_proof_form, check_proof, is_reference
from .scores import SCORE, TOTAL, check_score, check_score_form, check_total, check_total_form

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

HEAD = {"format", "version", "claim"}
COMMON = {"document", "readings", "links"}  # of all claims but scores and totals

# --- certificates ----------------------------------------------------------------------------------------------------


def verify(
    text: str | bytes,
    *documents: str,
    others: Callable[[str, str], Mapping[str, Any]] | None = None,
    folder: str | None = None,
) -> dict[str, Any]:
    """Return the certificate if it holds, else raise Rejected.

    ``documents``: paths of the files it must belong to; of a score, those of gold and of the system. ``others``: gives
    accepted certificates of the same folder by name and digest, as ``in_folder`` does. ``folder``: where the
    certificate stands; its proof may be in a file beside it.
    """
    certificate = parse(text)
    if documents:
        made_from = documents_of(certificate)
        require(len(documents) == len(made_from), f"it was made from {len(made_from)} files, not {len(documents)}")
        for path, about in zip(documents, made_from, strict=True):
            require(about["sha256"] is not None, "it was not made from a file: it has no digest")
            require(digest(path) == about["sha256"], f"{path} is not the file the certificate was made for")
    claim = CLAIMS[certificate["claim"]]
    if claim.rests_on == "facts":
        in_file = is_reference(certificate.get("proof"))
        found = {"proof": ProofFile(certificate["proof"], folder)} if in_file else {}
        claim.check(certificate | found, Facts(certificate["links"], _calendar_of(certificate)))
    elif claim.rests_on == "others":
        if others is None:
            raise Rejected("it rests on other certificates: check it as a file, in their folder")
        claim.check(certificate, others)
    else:
        claim.check(certificate)
    return certificate


def in_folder(
    folder: str, read: Callable[[str], bytes] = lambda path: Path(path).read_bytes()
) -> Callable[[str, str], Mapping[str, Any]]:
    """Return a function that gives a certificate of a folder if its file has the digest, and if it holds.

    ``read`` gives the content of a file.
    """

    def other(name: str, sha256: str) -> Mapping[str, Any]:
        try:
            content = read(str(Path(folder) / name))
        except (OSError, ValueError) as error:  # ValueError: a name that no file can have
            raise Rejected(f"{name} cannot be opened: {getattr(error, 'strerror', None) or error}") from None
        require(hashlib.sha256(content).hexdigest() == sha256, f"{name} has another digest")
        try:
            return verify(content)
        except Rejected as reason:
            raise Rejected(f"{name}: {reason}") from None

    return other


def documents_of(certificate: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what a certificate records about the files that it was made from."""
    if "document" in certificate:
        return [certificate["document"]]
    return [certificate[side]["document"] for side in ("gold", "system") if side in certificate]


def trusted(certificate: dict[str, Any]) -> list[str]:
    """Return the facts of an accepted certificate that were trusted, because the checker has no rules for them."""
    calendar = _calendar_of(certificate)
    return [] if calendar is None else calendar.trusted


def _calendar_of(certificate: dict[str, Any]) -> Calendar | None:
    return Calendar(certificate) if has_values(certificate) else None


def parse(text: str | bytes) -> dict[str, Any]:
    """Return a certificate of the right form. Raise Rejected for anything else."""
    try:
        decoded = text if isinstance(text, str) else text.decode("utf-8")  # by itself, json would accept UTF-16, too
        certificate: dict[str, Any] = json.loads(decoded, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        raise Rejected(f"not a JSON certificate: {error}") from None
    require(isinstance(certificate, dict), "not a JSON object")
    require(certificate.get("format") == "temporacle-certificate", "not a certificate of this program")
    version, name = certificate.get("version"), certificate.get("claim")
    require(is_int(version) and version in (1, 2, 3, 4), "a version this program cannot check")
    require(isinstance(name, str) and name in CLAIMS, "an unknown claim")
    claim = CLAIMS[certificate["claim"]]
    require(version in claim.versions, f"the claim {name} does not exist in version {version}")
    if claim.rests_on == "facts":
        valued = has_values(certificate)
        fields = BOUNDED_REPAIR if version == 4 else claim.fields
        check_fields(certificate, HEAD | COMMON | fields | (CALENDAR if valued else set()), "the certificate")
        check_document_form(certificate["document"])
        check_links_form(certificate)
        if valued:
            check_calendar_form(certificate)
    else:
        check_fields(certificate, HEAD | claim.fields, "the certificate")
    claim.check_form(certificate)
    return certificate


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is given twice")
    return found


# --- consistent, inconsistent ----------------------------------------------------------------------------------------


def check_consistent_form(certificate: dict[str, Any]) -> None:
    """Check that every part has its place and type."""
    check_model_form(certificate["witness"], "witness", certificate)
    _check_version_without_proof(certificate)


def _check_version_without_proof(certificate: dict[str, Any]) -> None:
    require(certificate["version"] == 1 or has_values(certificate), "a version for clausal proofs, and no proof")


def check_consistent(certificate: dict[str, Any], facts: Facts) -> None:
    """Check the witness."""
    check_model(certificate["witness"], facts.all(), "witness", facts.clock)


def check_inconsistent_form(certificate: dict[str, Any]) -> None:
    """Check that every part has its place and type."""
    needed = certificate["needed"]
    for place, model in enumerate([] if needed is None else as_list(needed, "needed")):
        check_model_form(model, f"needed {place}", certificate)
    check_conflict_form(certificate["conflict"], certificate)
    check_own_proof_form(certificate)


def check_inconsistent(certificate: dict[str, Any], facts: Facts) -> None:
    """Check the proof, and for each fact of the conflict times at which the others hold."""
    conflict = [key(number) for number in certificate["conflict"]]
    check_proof(certificate["proof"], {number: facts.known[number] for number in conflict}, facts.clock)
    needed = certificate["needed"]  # null: nothing is claimed about it
    require(needed is None or len(needed) == len(conflict), "needed and conflict differ in length")
    for number, model in zip(conflict, needed, strict=True) if needed is not None else ():
        others = [facts.known[other] for other in conflict if other != number]
        check_model(model, others, f"needed for link {number}", facts.clock)


# --- entailed, refuted, open -----------------------------------------------------------------------------------------


def _check_query_form(certificate: dict[str, Any]) -> None:
    check_fields(certificate["query"], {"source", "relation", "target"}, "query")
    require(is_text(certificate["query"], "source", "target"), "query: source and target are texts")
    as_atoms(certificate["query"]["relation"], "query")
    check_model_form(certificate["witness"], "witness", certificate)


def _asked_and_negated(certificate: dict[str, Any]) -> tuple[Link, Link]:
    """Return the query, and its opposite: all other atoms."""
    source, relation, target = link_of(certificate["query"])
    known = {source, target} <= set(certificate["witness"])
    require(known, "the query is about an entity that is not in the document")
    return (source, relation, target), (source, EVERY - relation, target)


def check_answer_form(certificate: dict[str, Any]) -> None:
    """Check that every part has its place and type."""
    _check_query_form(certificate)
    check_conflict_form(certificate["conflict"], certificate)
    check_own_proof_form(certificate)


def check_answer(certificate: dict[str, Any], facts: Facts) -> None:
    """Check the witness of what holds, and the proof against its opposite."""
    asked, negated = _asked_and_negated(certificate)
    shown, refuted = (asked, negated) if certificate["claim"] == "entailed" else (negated, asked)
    check_model(certificate["witness"], [*facts.all(), shown], "witness", facts.clock)
    allowed = facts.known | {"query": refuted}
    conflict = [*map(key, certificate["conflict"]), *(facts.clock.dates if facts.clock is not None else ())]
    check_proof(certificate["proof"], {number: allowed[number] for number in conflict}, facts.clock)


def check_open_form(certificate: dict[str, Any]) -> None:
    """Check that every part has its place and type."""
    _check_query_form(certificate)
    check_model_form(certificate["countermodel"], "countermodel", certificate)
    _check_version_without_proof(certificate)


def check_open(certificate: dict[str, Any], facts: Facts) -> None:
    """Check the witness and the countermodel."""
    asked, negated = _asked_and_negated(certificate)
    check_model(certificate["witness"], [*facts.all(), asked], "witness", facts.clock)
    check_model(certificate["countermodel"], [*facts.all(), negated], "countermodel", facts.clock)


# --- the registry ----------------------------------------------------------------------------------------------------


class Claim(NamedTuple):
    """What is checked of a claim. ``check`` is called after ``check_form``.

    ``fields``: those of the claim alone; a certificate has no others but the common ones. ``rests_on``: what ``check``
    is given beside the certificate. "facts": the facts of its document; "others": a function that gives other
    certificates of its folder; "itself": nothing.
    """

    versions: tuple[int, ...]
    fields: set[str]
    check_form: Callable[[dict[str, Any]], None]
    check: Callable[..., None]
    rests_on: str = "facts"


_ANSWER = Claim((1, 2, 3), {"query", "witness", "conflict", "proof"}, check_answer_form, check_answer)
CLAIMS = {
    "consistent": Claim((1, 2), {"witness"}, check_consistent_form, check_consistent),
    "inconsistent": Claim((1, 2, 3), {"conflict", "needed", "proof"}, check_inconsistent_form, check_inconsistent),
    "entailed": _ANSWER,
    "refuted": _ANSWER,
    "open": Claim((1, 2), {"query", "witness", "countermodel"}, check_open_form, check_open),
    "closure": Claim((3,), CLOSURE, check_closure_form, check_closure),
    "repair": Claim((3, 4), REPAIR, check_repair_form, check_repair),
    "decode": Claim((3,), DECODING, check_decoding_form, check_decoding),
    "score": Claim((3,), SCORE, check_score_form, check_score, "itself"),
    "total": Claim((3,), TOTAL, check_total_form, check_total, "others"),
}
