"""The files that ``decode --certificates`` writes: ``NAME.json`` for each document.

Its claim is ``decode`` (the labels are optimal), or ``inconsistent`` if no labelling is possible.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.errors import BudgetExceeded
from temporacle.reasoner.decode.decode import Impossible
from temporacle.reasoner.network import Budget
from temporacle.reasoner.proofs.certificate import accepted, to_json
from temporacle.reasoner.proofs.optima import certify_decoding, certify_impossible
from temporacle.tasks.certificate_files import CertificateFiles

if TYPE_CHECKING:
    from temporacle.results import Certificate
    from temporacle.scored import Objective, ScoredDocument
    from temporacle.tasks.decode_results import DocumentDecoding


class OptimumFiles:
    """A folder with the proofs of all documents."""

    def __init__(self, folder: str, objective: Objective, budget: float | None) -> None:
        self._files = CertificateFiles(folder)
        self._objective = objective
        self._budget = budget

    def write(self, found: DocumentDecoding) -> str | None:
        """Write the proof of a document. Returns why there is none, None if there is one or nothing to prove.

        Raise InternalError if the proof shows that the result is wrong.
        """
        scored = found.scored
        if scored is None:
            return None
        try:
            certificate = self._certificate(found, scored)
        except BudgetExceeded as limit:
            return f"no certificate: {limit}"
        if certificate is not None:
            form = accepted(to_json(certificate, _about(scored)))
            self._files.write(scored.id, form, read=[scored.path])
        return None

    def _certificate(self, found: DocumentDecoding, scored: ScoredDocument) -> Certificate | None:
        budget = Budget(self._budget)
        if isinstance(found.found, Impossible):
            return certify_impossible(scored, self._objective, budget)
        if found.decoded is None or not found.decoded.optimal:
            return None
        return certify_decoding(found.decoded, scored.links, self._objective, budget)


def _about(scored: ScoredDocument) -> dict[str, str | None]:
    """Return what the certificates say about their document.

    Scores are not links, so no file is named as their source.
    """
    return {
        "id": scored.id,
        "path": None,
        "sha256": None,
        "format": scored.format,
        "reading": scored.reading.origin or scored.reading.name,
        "during": scored.reading.during,
        "encoding": None,
    }
