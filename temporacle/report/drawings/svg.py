"""SVG from values, escaped throughout: every attribute and every text passes through ``element``.

Colours and fonts are left to the page's style sheet, so that drawings follow light, dark and print.
"""

from __future__ import annotations

import math
import unicodedata
from functools import cache
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

if TYPE_CHECKING:
    from collections.abc import Iterable

_CHARACTER = 6.8  # pixels, a little more than the average of common sans-serif fonts at 12 pixels, as the style says
_LONGEST = 26  # characters of a caption


def element(name: str, *children: object, **attributes: object) -> Markup:
    """Return an element. Underscores in names of attributes become hyphens; None leaves an attribute out.

    >>> element("text", "a < b", x=3, text_anchor="end", class_="<q>")
    Markup('<text x="3" text-anchor="end" class="&lt;q&gt;">a &lt; b</text>')
    """
    head = "".join(
        [f' {_attribute(key)}="{_written(value)}"' for key, value in attributes.items() if value is not None]
    )
    if not children:
        return Markup(f"<{name}{head}/>")  # noqa: S704 - every part is our own or escaped
    content = "".join([child if type(child) is Markup else escape(child) for child in children])
    return Markup(f"<{name}{head}>{content}</{name}>")  # noqa: S704


@cache
def _attribute(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def _written(value: object) -> str:
    kind = type(value)
    if kind is float:
        return f"{value:.1f}".removesuffix(".0")
    return str(value) if kind is int else escape(value)


def path_points(points: Iterable[tuple[float, float]], between: str = " ") -> str:
    """Return places for a path or a polygon."""
    return between.join([f"{_written(float(x))},{_written(float(y))}" for x, y in points])


def drawing(width: float, height: float, label: str, children: Iterable[Markup], *, kind: str) -> Markup:
    """Return a picture with a text alternative: ``label`` says what it shows."""
    width, height = math.ceil(width), math.ceil(height)
    return element(
        "svg",
        *children,
        class_=f"drawing {kind}",
        viewBox=f"0 0 {width} {height}",
        width=width,
        height=height,
        role="img",
        aria_label=label,
    )


def text_width(text: str) -> float:
    """Return an upper estimate of the width in pixels. East Asian wide characters count twice."""
    if text.isascii():
        return len(text) * _CHARACTER
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text) * _CHARACTER


def shortened(text: str, most: int = _LONGEST) -> str:
    """Return text in one line of limited length.

    >>> shortened("a very long name indeed", 10)
    'a very lo…'
    """
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"


def arrow_head(x: float, y: float, angle: float, *, css: str, size: float = 7) -> Markup:
    """Return a triangle whose tip is at (x, y), pointing along ``angle``."""
    corners = [(x, y)]
    corners += [
        (x - size * math.cos(angle + turn), y - size * math.sin(angle + turn)) for turn in (-math.pi / 7, math.pi / 7)
    ]
    return element("polygon", points=path_points(corners), class_=f"head {css}")
