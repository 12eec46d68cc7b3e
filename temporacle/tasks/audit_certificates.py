"""Certificates of the findings of an audit: others can check that a finding is right, without trusting the reasoner."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from temporacle.audit.judge import certificate_for, network_of
from temporacle.reasoner.network import Budget
from temporacle.reasoner.proofs.certificate import accepted
from temporacle.tasks.certificate_files import CertificateFiles, DocumentFiles

if TYPE_CHECKING:
    from os import PathLike

    from temporacle.audit.findings import Finding
    from temporacle.model import Document


class AuditCertificates:
    """A folder with one certificate for each finding, named by its document or case, and its kind."""

    def __init__(self, folder: str | PathLike[str]) -> None:
        self._files = CertificateFiles(folder)
        self._documents = DocumentFiles()
        self._records: dict[str, dict[str, Any] | None] = {}

    def about(self, document: Document) -> None:
        """Take note of the file of a document that is audited."""
        self._records[document.id] = self._documents.record(
            document.id, document.path, document.how_read, document.dropped
        )

    def of_claim(self, finding: Finding) -> Finding:
        """Return a finding about a document with the path of its certificate, if it has one."""
        record = self._records.get(finding.document or "")
        if finding.certificate is None or record is None:
            return replace(finding, certificate=None)
        form = dict(finding.certificate) | {"document": record}
        return self._written(finding, form, finding.document or "", record["path"])

    def of_case(self, finding: Finding, budget: float | None) -> Finding:
        """Return a finding about a generated graph with the path of its certificate, if it has one."""
        form = certificate_for(network_of(finding.graph), finding.fault, Budget(budget))
        return finding if form is None else self._written(finding, dict(form), f"case-{finding.case}")

    def _written(self, finding: Finding, form: dict[str, Any], name: str, read: str | None = None) -> Finding:
        path = self._files.write(f"{name}.{finding.kind.value}", accepted(form), read=[read])
        return replace(finding, certificate=None, certificate_path=str(path))
