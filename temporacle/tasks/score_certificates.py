"""Certificates of scores: one for each document, and one for the total, which names the others with their digests.

What can change a count is either recorded and checked, or refused (``require_certifiable``).
"""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from temporacle.checker.scores import written
from temporacle.errors import InternalError, UsageError
from temporacle.model import Action, Remark
from temporacle.reasoner.proofs.certificate import FORMAT, accepted
from temporacle.scoring.awareness import AwarenessOptions
from temporacle.scoring.awareness_proof import prove_awareness
from temporacle.scoring.options import Contradictions, Values
from temporacle.tasks.certificate_files import CHANGED, CertificateFiles, DocumentFiles
from temporacle.tasks.provenance import provenance_of, require_recordable

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike

    from temporacle.io.source import Options
    from temporacle.model import Document
    from temporacle.results import Score
    from temporacle.scoring.alignment import CommonNames
    from temporacle.tasks.score_pair import PairFinding, Request, SideFacts

_VERSION = 3
_TOTAL = "total"


def certified(
    request: Request,
    reading: Options,
    folder: str | PathLike[str] | None,
    file: str | PathLike[str] | None,
    *,
    id_map: bool,
) -> tuple[Request, ScoreCertificates | None]:
    """Return the request that asks for certificates, too, and what writes them; the same request if none are wanted.

    Raise UsageError if a certificate cannot show what is asked for.
    """
    if folder is None and file is None:
        return request, None
    require_certifiable(request, reading, id_map=id_map)
    return replace(request, certify=True), ScoreCertificates(folder, file)


def require_certifiable(request: Request, reading: Options, *, id_map: bool) -> None:
    """Refuse what a certificate of a score cannot show."""
    names = [name for name, _ in request.metrics]
    options = request.metrics[0][1]
    if names != ["awareness"] or not isinstance(options, AwarenessOptions):
        raise UsageError(f"there are certificates of scores by awareness only, not by {', '.join(names)}")
    options.require_exact("certificates")
    if options.contradictions is Contradictions.REPAIR:
        raise UsageError(
            'certificates of scores do not show that a repair has the smallest weight: omit contradictions="repair"'
        )
    if options.calendar is not Values.NONE:
        raise UsageError("certificates of scores do not cover the values of time expressions: leave out calendar")
    if id_map:
        raise UsageError("a certificate does not record an id_map: rename the entities in the files first")
    require_recordable(reading.choices)


def score_proof(common: CommonNames, system: Document, request: Request, score: Score) -> Mapping[str, Any]:
    """Return the certificate of one document's score, without its files.

    ``system``: under its own names of entities. Raise InternalError if the checker does not accept it.
    """
    options = request.metrics[0][1]
    if not isinstance(options, AwarenessOptions):
        raise InternalError("a score without a form of certificate")
    sides = prove_awareness(common.gold, common.system, options, own_links=system.links)
    for side, document in (("gold", common.gold), ("system", system)):
        sides[side]["document"] = provenance_of(document.id, None, None)
    return accepted({**_head("score", request), **sides, **_figures(score)})


def _head(claim: str, request: Request) -> dict[str, Any]:
    """Return the claim, the metric and its options."""
    name, options = request.metrics[0]
    if not isinstance(options, AwarenessOptions):
        raise InternalError("a score without a form of certificate")
    return {
        "format": FORMAT,
        "version": _VERSION,
        "claim": claim,
        "metric": name,
        "options": {
            "align": request.align.value,
            "contradictions": options.contradictions.value,
            "vague": options.vague.value,
            "empty": request.empty,
        },
    }


def _figures(score: Score) -> dict[str, Any]:
    """Return counts and exact fractions."""
    return {
        "counts": {name: int(value) for name, value in score.counts.items()},
        "precision": written(score.precision),
        "recall": written(score.recall),
        "f1": written(score.f1),
    }


class ScoreCertificates:
    """Writes the certificates of a run. ``folder``: for any number of documents; ``file``: for the only one."""

    def __init__(self, folder: str | PathLike[str] | None, file: str | PathLike[str] | None) -> None:
        self._files = CertificateFiles(folder, file=file, reserved=() if folder is None else (_TOTAL,))
        self._documents = DocumentFiles()
        self._has_total = folder is not None
        self._written: list[list[str]] = []
        self._missing = 0

    def add(self, finding: PairFinding) -> Remark | None:
        """Write the certificate of a document's score. Return a remark if there is none."""
        if finding.proof is None:
            return None
        if isinstance(finding.proof, str):
            return self._without(finding.document, finding.proof)
        form = dict(finding.proof)
        for name, facts in (("gold", finding.gold), ("system", finding.system)):
            about = self._record(form[name]["document"]["id"], facts)
            if about is None:
                return self._without(finding.document, CHANGED)
            form[name] = form[name] | {"document": about}
        read = [finding.gold.path, finding.system.path]
        path = self._files.write(finding.document, form, read=read)
        self._written.append([form["gold"]["document"]["id"], path.name, sha256(path.read_bytes()).hexdigest()])
        return None

    def finish(self, request: Request, average: str, total: Score) -> Remark | None:
        """Write the certificate of the total, if there is a folder. Return a remark if it cannot be written."""
        if not self._has_total or not total.scored:
            return None
        if self._missing:
            return self._without("total", f"{self._missing} documents have a score, and no certificate")
        form = {
            **_head("total", request),
            "average": average,
            "documents": self._written,
            "skipped": [[each.document, each.reason] for each in total.skipped],
            **_figures(total),
        }
        self._files.write_reserved(_TOTAL, form)
        return None

    def _record(self, document: str, facts: SideFacts) -> dict[str, Any] | None:
        return self._documents.record(document, facts.path, facts.how_read, facts.dropped)

    def _without(self, document: str, reason: str) -> Remark:
        self._missing += 1
        message = f"{document}: no certificate of the score: {reason}"
        return Remark("uncertified", message, action=Action.DROPPED)
