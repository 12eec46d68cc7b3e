"""``consistent``: there are times at which every fact holds."""

from __future__ import annotations

from typing import Any

from ..facts import Facts
from ..form import check_common, check_times, has_values, require
from ..models import check_model

VERSIONS = (1, 2)


def check_form(certificate: dict[str, Any]) -> None:
    """Check that every part has its place and type."""
    check_common(certificate, {"witness"})
    check_times(certificate["witness"], "witness", certificate)
    require(certificate["version"] == 1 or has_values(certificate), "a version for clausal proofs, and no proof")


def check(certificate: dict[str, Any]) -> None:
    """Check the witness."""
    facts = Facts(certificate)
    check_model(certificate["witness"], facts.all(), "witness", facts.clock)
