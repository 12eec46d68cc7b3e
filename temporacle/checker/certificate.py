"""Certificates as a whole: their claim decides what is checked.

A claim is a module with the following names. To add one, write the module and a line in ``CLAIMS``.

    VERSIONS                    of certificates that can have the claim
    check_form(certificate)     every part has its place and type; nothing else in the certificate
    check(certificate)          the claim follows; called after ``check_form``
"""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

from .facts import Facts
from .files import digest
from .form import Rejected, is_int, require
from .stream import ProofFile, is_reference

CLAIMS = {
    "consistent": "consistent",
    "inconsistent": "inconsistent",
    "entailed": "entailment",
    "refuted": "entailment",
    "open": "entailment",
    "repair": "repair",
    "decode": "decode",
    "closure": "closure",
}


def verify(text: str | bytes, document: str | None = None, folder: str | None = None) -> dict[str, Any]:
    """Return the certificate if it holds, else raise Rejected.

    ``document``: path of the file it must belong to. ``folder``: where the certificate stands; its proof may be in a
    file beside it.
    """
    certificate = parse(text)
    if document is not None:
        require(certificate["document"]["sha256"] is not None, "it was not made from a file: it has no digest")
        require(
            digest(document) == certificate["document"]["sha256"],
            f"{document} is not the file the certificate was made for",
        )
    judged = certificate
    if is_reference(certificate.get("proof")):
        judged = certificate | {"proof": ProofFile(certificate["proof"], folder)}
    _claim(certificate["claim"]).check(judged)
    return certificate


def trusted(certificate: dict[str, Any]) -> list[str]:
    """Return the facts of an accepted certificate that were trusted, because the checker has no rules for them."""
    clock = Facts(certificate).clock if "calendar" in certificate else None
    return [] if clock is None else clock.trusted


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
    require(is_int(version) and version in (1, 2, 3), "a version this program cannot check")
    require(isinstance(name, str) and name in CLAIMS, "an unknown claim")
    claim = _claim(certificate["claim"])
    require(version in claim.VERSIONS, f"the claim {name} does not exist in version {version}")
    claim.check_form(certificate)
    return certificate


def _claim(name: str) -> Any:
    return import_module(f".claims.{CLAIMS[name]}", __package__)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is given twice")
    return found
