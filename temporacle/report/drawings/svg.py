"""SVG from values, escaped throughout: every attribute and every text passes through ``element``.

Colours and fonts are left to the page's style sheet, so that drawings follow light, dark and print.
"""

from __future__ import annotations

import math
import unicodedata
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

if TYPE_CHECKING:
    from collections.abc import Iterable

FONT_SIZE = 12
_CHARACTER = 6.8  # pixels, a little more than the average of common sans-serif fonts at FONT_SIZE
_LONGEST = 26  # characters of a caption


def element(name: str, *children: object, **attributes: object) -> Markup:
    """An element. Underscores in names of attributes become hyphens; None leaves an attribute out.

    >>> element("text", "a < b", x=3, text_anchor="end", class_="<q>")
    Markup('<text x="3" text-anchor="end" class="&lt;q&gt;">a &lt; b</text>')
    """
    parts = [f"<{name}"]
    for key, value in attributes.items():
        if value is not None:
            parts.append(f' {key.rstrip("_").replace("_", "-")}="{_written(value)}"')
    parts.append(">")
    parts += [child if isinstance(child, Markup) else escape(child) for child in children]
    parts.append(f"</{name}>")
    return Markup("".join(parts))  # noqa: S704 - every part is our own or escaped


def _written(value: object) -> str:
    if isinstance(value, int):
        return str(value)
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else escape(value)


def drawing(width: float, height: float, label: str, children: Iterable[Markup], *, kind: str) -> Markup:
    """A picture with its name for those who cannot see it."""
    width, height = math.ceil(width), math.ceil(height)
    return element(
        "svg",
        element("title", label),
        *children,
        class_=f"drawing {kind}",
        viewBox=f"0 0 {width} {height}",
        width=width,
        height=height,
        role="img",
        aria_label=label,
    )


def text_width(text: str) -> float:
    """An estimate in pixels, on the safe side; East Asian wide characters count twice."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text) * _CHARACTER


def shortened(text: str, most: int = _LONGEST) -> str:
    """Text in one line of limited length.

    >>> shortened("a very long name indeed", 10)
    'a very lo…'
    """
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"


def shortened_point(name: str, most: int = 20) -> str:
    """The name of an endpoint; what is cut off is the entity, never which end it is.

    >>> shortened_point("a very long name.start", 14), shortened_point("e1.end")
    ('a very…start', 'e1.end')
    """
    entity, dot, end = name.rpartition(".")
    if not dot or len(name) <= most:
        return shortened(name, most)
    return shortened(entity, max(2, most - len(end) - 1)).removesuffix("…").rstrip() + f"…{end}"


def arrow_head(x: float, y: float, angle: float, *, css: str, size: float = 7) -> Markup:
    """A triangle whose tip is at (x, y), pointing along ``angle``."""
    corners = [(x, y)]
    corners += [
        (x - size * math.cos(angle + turn), y - size * math.sin(angle + turn)) for turn in (-math.pi / 7, math.pi / 7)
    ]
    return element("polygon", points=" ".join(f"{a:.1f},{b:.1f}" for a, b in corners), class_=f"head {css}")
