"""``total``: precision, recall and F1 of many documents, from the certificates of their scores.

These stand in the same folder. Each is found by its name, recognised by its digest, and checked. Micro: counts add up,
then divide. Macro: figures of documents are averaged.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..form import as_list, check_fields, is_list, require
from .score import COUNTS, FIGURES, check_figures, check_figures_form, check_method, figures_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

VERSIONS = (3,)
TOTAL = {
    "format", "version", "claim", "metric", "options", "average", "documents", "skipped", "counts", *FIGURES,
}  # fmt: skip


def check_form(certificate: dict[str, Any]) -> None:
    """Check that every part has its place and type."""
    check_fields(certificate, TOTAL, "the certificate")
    check_method(certificate)
    check_figures_form(certificate)
    require(certificate["average"] in ("micro", "macro"), "an unknown average")
    entries = as_list(certificate["documents"], "documents")
    for entry in entries:
        require(is_list(entry, 3) and all(isinstance(part, str) for part in entry), "documents: a bad entry")
        good = entry[1] not in ("", ".", "..") and not re.search(r"[/\\\0]", entry[1])
        require(good, f"documents: {entry[1]!r} is not the name of a file in the same folder")
        require(re.fullmatch("[0-9a-f]{64}", entry[2]) is not None, "documents: not a digest")
    require(bool(entries), "a total of no documents")
    for place in (0, 1):
        require(len({entry[place] for entry in entries}) == len(entries), "documents: one is listed twice")
    for entry in as_list(certificate["skipped"], "skipped"):
        require(is_list(entry, 2) and all(isinstance(part, str) for part in entry), "skipped: a bad entry")


def check(certificate: dict[str, Any], score_in: Callable[[str, str], Mapping[str, Any]]) -> None:
    """Check the sums. ``score_in``: from the name and digest of a file to the certificate in it, which was accepted."""
    counts = dict.fromkeys(COUNTS, 0)
    sums = [Fraction(0)] * len(FIGURES)
    for document, name, sha256 in certificate["documents"]:
        score = score_in(name, sha256)
        require(score["claim"] == "score", f"{name} is not the certificate of a score")
        require(score["gold"]["document"]["id"] == document, f"{name} is not about {document!r}")
        same = all(score[field] == certificate[field] for field in ("metric", "options"))
        require(same, f"{name} has another metric, or other options")
        for each in COUNTS:
            counts[each] += score["counts"][each]
        sums = [total + Fraction(score[figure]) for total, figure in zip(sums, FIGURES, strict=True)]
    for name, count in counts.items():
        require(certificate["counts"][name] == count, f"{name} is {count}, not {certificate['counts'][name]}")
    means = [total / len(certificate["documents"]) for total in sums]
    micro = figures_of(counts, certificate["options"]["empty"])
    check_figures(certificate, micro if certificate["average"] == "micro" else tuple(means))
