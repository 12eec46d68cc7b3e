"""From values to HTML. Jinja2 escapes everything that is not one of our own drawings or templates."""

from __future__ import annotations

import base64
import hashlib
import os
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from temporacle import __version__
from temporacle.frames import digits, signed_digits

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
        loader=PackageLoader("temporacle.report", "templates"),
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


# ----------------------------------------------------------------------------------------------------
# Names of corpora and systems on a page: no local path, and as short as they stay different.


def short_names(paths: Sequence[str]) -> list[str]:
    """Return the parts of paths in which they differ; the last part if there is only one path.

    >>> short_names(["/data/runs/a/", "/data/runs/b"]), short_names(["x/a/out", "x/b/out"])
    (['a', 'b'], ['a', 'b'])
    >>> short_names(["/c/gold"]), short_names(["a/x/out", "b/x/out", "b/y/out"])
    (['gold'], ['a/x', 'b/x', 'b/y'])
    """
    parts = [[part for part in path.replace("\\", "/").split("/") if part not in ("", ".")] or [path] for path in paths]
    if len(set(map(tuple, parts))) < len(parts):
        return list(paths)  # equal in all their parts: nothing shorter distinguishes them
    if len(parts) == 1:
        return [parts[0][-1]]
    first = 0
    while all(len(each) > first + 1 for each in parts) and len({each[first] for each in parts}) == 1:
        first += 1
    last = 0
    while all(len(each) - last > first + 1 for each in parts) and len({each[-1 - last] for each in parts}) == 1:
        last += 1
    return ["/".join(each[first : len(each) - last]) for each in parts]


def common_root(paths: Sequence[str]) -> str | None:
    """Return the folders that a page leaves out at the beginning of paths: those above the given paths; None without
    paths.

    >>> common_root(["/data/corpus"]), common_root(["runs/a", "runs/b/x"]), common_root(["a.tsv", "/b"])
    ('/data/', 'runs/', '')
    """
    if not paths:
        return None
    try:
        folder = os.path.commonpath(paths if len(paths) > 1 else [Path(paths[0]).parent])
    except ValueError:  # absolute and relative ones
        return ""
    return "" if folder in ("", ".") else f"{folder.rstrip('/')}/"


def shown_path(path: str, root: str | None) -> str:
    """Return a path without its root; if the root is not known, the last folder and the file.

    >>> shown_path("/data/corpus/a.tml", "/data/"), shown_path("/data/corpus/a.tml", None)
    ('corpus/a.tml', 'corpus/a.tml')
    """
    return "/".join(path.split("/")[-2:]) if root is None else path.removeprefix(root)


# ----------------------------------------------------------------------------------------------------
# The certificates on a page: their texts, and what is left out.


class CertificateRow(NamedTuple):
    """A certificate that the browser checks."""

    name: str  # of its file, as the page shows it
    text: str
    document: str = ""  # what it says about itself; empty if it cannot be read
    key: str | None = None  # of the document on the page that it belongs to


class PageCertificates(NamedTuple):
    """The certificates of a page."""

    rows: tuple[CertificateRow, ...] = ()
    too_large: tuple[str, ...] = ()  # names of files that would make the page too large
    unreadable: tuple[str, ...] = ()  # names of files that cannot be opened, or are not UTF-8


# ----------------------------------------------------------------------------------------------------
# Certificates on a page, which the reader's browser checks with a script of its own.


def certificates_page(certificates: PageCertificates) -> str:
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
