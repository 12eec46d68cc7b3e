"""What could not be used of a document, in sentences for people."""

from __future__ import annotations

from temporacle.model import Document, Unreadable


def trouble_with(found: Document | Unreadable) -> tuple[str, ...]:
    """Why a file could not be read, or which links of a document were left out, each with its place.

    >>> from temporacle.model import Action, Remark
    >>> odd = Remark("unknown-label", "unknown label 'X'", line=2, element="l7", action=Action.DROPPED)
    >>> trouble_with(Document("d", path="d.tsv", remarks=(odd,)))
    ("d.tsv:2: dropped l7: unknown label 'X'",)
    """
    if isinstance(found, Unreadable):
        return (f"unreadable: {found.error}",)
    return tuple(
        ":".join(str(part) for part in (found.path, remark.line) if part is not None)
        + f": dropped {remark.element or 'link'}: {remark.message}"
        for remark in found.dropped
    )
