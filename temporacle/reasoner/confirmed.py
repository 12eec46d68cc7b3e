"""Certificates are checked before anyone sees them, by the checker that shares no code with the reasoner.

So no certificate is given for a false answer, whatever a solver said: the answer is withdrawn instead.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from temporacle.errors import InternalError
from temporacle.reasoner.certificates import to_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from temporacle.results import Certificate

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
