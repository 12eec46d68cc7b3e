"""Certificates as a whole: their claim decides what is checked.

A claim is a module with the following names. To add one, write the module and a line in ``CLAIMS``.

    VERSIONS                    of certificates that can have the claim
    check_form(certificate)     every part has its place and type; nothing else in the certificate
    check(certificate)          the claim follows; called after ``check_form``. A claim in ``IN_FOLDERS`` rests on other
                                certificates: a second argument gives them, by the name and digest of their files
"""

from __future__ import annotations

import hashlib
import json
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .facts import Facts
from .files import digest
from .form import Rejected, is_int, require
from .stream import ProofFile, is_reference

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

CLAIMS = {
    "consistent": "consistent",
    "inconsistent": "inconsistent",
    "entailed": "entailment",
    "refuted": "entailment",
    "open": "entailment",
    "repair": "repair",
    "decode": "decode",
    "closure": "closure",
    "score": "score",
    "total": "total",
}
IN_FOLDERS = {"total"}


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
    claim = _claim(certificate["claim"])
    if certificate["claim"] in IN_FOLDERS:
        if others is None:
            raise Rejected("it rests on other certificates: check it as a file, in their folder")
        claim.check(certificate, others)
    elif is_reference(certificate.get("proof")):
        claim.check(certificate | {"proof": ProofFile(certificate["proof"], folder)})
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
