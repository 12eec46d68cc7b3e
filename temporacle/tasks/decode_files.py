"""The files that ``decode --certificates`` writes, one set for each document.

    NAME.json              the labels are consistent
    NAME.conflict-1.json   the first conflict that the optimum rests on; and so on
    NAME.optimum           which labels each conflict blocks, and what each label is worth

``temporacle verify`` checks the certificates (``.json``).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from temporacle.errors import BudgetExceeded
from temporacle.io.files import atomic
from temporacle.reasoner.decodeproof import prove, statement
from temporacle.reasoner.network import Budget
from temporacle.tasks.certificate_files import FileNames
from temporacle.tasks.provenance import write_certificate

if TYPE_CHECKING:
    from temporacle.scored import Objective, ScoredDocument
    from temporacle.tasks.decode_results import DocumentDecoding


class OptimumFiles:
    """A folder with the proofs of all documents."""

    def __init__(self, folder: str, objective: Objective, budget: float | None) -> None:
        self._folder = Path(folder)
        self._objective = objective
        self._budget = budget
        self._names = FileNames()

    def write(self, found: DocumentDecoding) -> str | None:
        """Write the proof of a document. Returns why there is none, None if there is one or nothing to prove."""
        decoded, scored = found.decoded, found.scored
        if decoded is None or scored is None or not decoded.optimal:
            return None
        try:
            proof = prove(decoded, scored.links, Budget(self._budget))
        except BudgetExceeded as limit:
            return f"no certificates: {limit}"
        stem = self._names.next(scored.id)
        names = [f"{stem}.conflict-{number}.json" for number in range(1, len(proof.conflicts) + 1)]
        about = _about(scored)
        for name, certificate in zip(names, proof.conflicts, strict=True):
            write_certificate(self._folder / name, certificate, about)
        write_certificate(self._folder / f"{stem}.json", proof.consistent, about)
        with atomic(self._folder / f"{stem}.optimum") as file:
            json.dump(statement(decoded, scored.id, self._objective.value, names), file, allow_nan=False)
            file.write("\n")
        return None


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
