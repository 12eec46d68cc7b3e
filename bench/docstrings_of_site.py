"""Examples in docstrings become code blocks of the site, also without a heading of their own."""

from __future__ import annotations

import re
from typing import Any

import griffe


class Examples(griffe.Extension):
    """Fences each example of a docstring, from its first prompt to the next blank line."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change the docstring of one object before it is parsed."""
        if obj.docstring is not None:
            obj.docstring.value = re.sub(
                r"(?m)^(?: *)>>> (?:.+\n?)+", lambda found: f"```pycon\n{found[0].rstrip()}\n```\n", obj.docstring.value
            )
