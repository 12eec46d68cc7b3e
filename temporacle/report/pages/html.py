"""From values to HTML. Jinja2 escapes everything that is not one of our own drawings or templates."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from temporacle import __version__
from temporacle.figures import digits, signed_digits

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

_PLACES = 3  # decimals of a score


def render(template: str, **values: Any) -> str:
    """Return a template filled with values."""
    return _environment().get_template(template).render(**values)


@cache
def _environment() -> Environment:
    """Return the environment of the templates. Everything is escaped."""
    found = Environment(
        loader=PackageLoader("temporacle.report.pages", "templates"),
        autoescape=True,
        auto_reload=False,  # templates do not change while a report is made
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters["digits"] = _shown
    found.filters["signed_digits"] = _shown_signed
    return found


def _shown(value: Fraction | float | None, places: int = _PLACES) -> str:
    return digits(value, places)


def _shown_signed(value: Fraction | float) -> str:
    return signed_digits(value, _PLACES)


@cache
def _style() -> str:
    """Return the style sheet of a page without comments, because every page contains it."""
    text = re.sub(
        r"/\*.*?\*/",
        "",
        "".join(map(_asset, ("colours.css", "dark.css", "drawings.css", "style.css"))),
        flags=re.DOTALL,
    )
    return re.sub(r"\s*([{};,])\s*|(:)\s+|\s+", lambda found: found[1] or found[2] or " ", text).replace(";}", "}")


@cache
def _asset(name: str) -> str:
    """Return one of Temporacle's style sheets or scripts."""
    loader = _environment().loader
    assert loader is not None  # noqa: S101 - narrows the type only
    source, _, _ = loader.get_source(_environment(), name)
    return source


@cache
def _script(name: str) -> str:
    """Return a script of the templates, or the checker of certificates."""
    if name == "checker.js":
        from importlib.resources import files  # most pages have no certificates

        return (files("temporacle") / "data" / name).read_text("utf-8")
    return _asset(name)


def trusted(text: str) -> Markup:
    """Return HTML from Temporacle's own templates and drawings, which is escaped already, for use inside other HTML."""
    return Markup(text)  # noqa: S704 - see above


def whole_page(template: str, *, scripts: Sequence[str], **values: Any) -> str:
    """Return a whole page with some of Temporacle's own scripts.

    Its content security policy allows only these, which it names by their hash.
    """
    script = "\n".join(map(_script, scripts))
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return render(
        template,
        style=trusted(_style()),
        script=trusted(script),
        script_source=trusted(f"'sha256-{digest}'" if script else "'none'"),
        version=__version__,
        **values,
    )


def fragment_style() -> Markup:
    """Return the style sheet of a fragment inside another page. It does not affect elements outside the fragment."""
    return trusted(_asset("colours.css").replace(":root", ".temporacle") + _asset("drawings.css"))
