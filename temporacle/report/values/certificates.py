"""The certificates on a page: their texts, and what is left out."""

from __future__ import annotations

from typing import NamedTuple


class CertificateRow(NamedTuple):
    """A certificate that the browser checks."""

    name: str  # of its file, as the page shows it
    text: str
    document: str = ""  # what it says about itself; empty if it cannot be read
    key: str | None = None  # of the document on the page that it belongs to


class Certificates(NamedTuple):
    """The certificates of a page."""

    rows: tuple[CertificateRow, ...] = ()
    too_large: tuple[str, ...] = ()  # names of files that would make the page too large
    unreadable: tuple[str, ...] = ()  # names of files that cannot be opened, or are not UTF-8
