"""Certificates on a page, which the reader's browser checks with a script of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.report.pages.html import trusted, whole_page

if TYPE_CHECKING:
    from markupsafe import Markup

    from temporacle.report.values.certificates import Certificates


def certificates_page(certificates: Certificates) -> str:
    """Return a page with certificates alone."""
    return whole_page(
        "certificates_page.html", scripts=CHECKING, certificates=certificates, embedded=embedded, href=None
    )


CHECKING = ("script.js", "checker.js", "certificates.js")


def embedded(text: str) -> Markup:
    """Return the text of a certificate for a block of data. Without "<" it cannot end the block.

    Outside of a JSON string "<" is wrong in any case, and inside of it the escape means the same.
    """
    return trusted(text.replace("<", "\\u003c"))
