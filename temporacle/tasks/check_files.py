"""The certificates that ``check`` writes, one for each document."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from temporacle.checks import FILE_CHANGED
from temporacle.model import Action, Remark
from temporacle.reasoner.proofs.certificate import to_json
from temporacle.tasks.certificate_files import CHANGED, CertificateFiles, DocumentFiles

if TYPE_CHECKING:
    from temporacle.checks import Check
    from temporacle.model import HowRead


class Certificates:
    """A folder with one certificate for each checked document, and one for its repair (``NAME.repair.json``)."""

    def __init__(self, folder: str) -> None:
        self._files = CertificateFiles(folder)
        self._documents = DocumentFiles()

    def write(self, check: Check, how_read: HowRead | None) -> Check:
        """Return the check with the path of its certificate."""
        if check.certificate is None:
            return check
        dropped = [remark for remark in check.remarks if remark.action is Action.DROPPED]
        about = self._documents.record(check.document, check.path, how_read, dropped)
        if about is None:
            return replace(
                check,
                certificate=None,
                repair_certificate=None,
                remarks=(*check.remarks, Remark(FILE_CHANGED, CHANGED)),
            )
        path = self._files.write(check.document, to_json(check.certificate, about), read=[check.path])
        if check.repair_certificate is None:
            return replace(check, certificate_path=str(path))
        form = to_json(check.repair_certificate, about)
        proof = self._files.write(f"{check.document}.repair", form, read=[check.path])
        return replace(check, certificate_path=str(path), repair_certificate_path=str(proof))
