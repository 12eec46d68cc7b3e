"""The names by which ``check`` knows ``temporacle.tasks.provenance``, until it is a task itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from temporacle.tasks import provenance as _task
from temporacle.tasks.provenance import a_moment, changed_since, write_certificate

if TYPE_CHECKING:
    from temporacle.io.source import Options
    from temporacle.model import Document

__all__ = ["a_moment", "changed_since", "provenance", "require_recordable", "write_certificate"]


def require_recordable(options: Options) -> None:
    """Refuse options that a certificate has no place for."""
    _task.require_recordable(options.choices)


def provenance(document: Document, _options: Options, known_digest: str | None = None) -> dict[str, Any]:
    """What a certificate says about the document's file."""
    return _task.provenance(document, known_digest)
