"""Names that tell what an annotation is, where no mapping does.

Names are compared by their last part (behind the last ``.`` or ``:``), letters only, without case.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from temporacle.model import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping

_CREATION_TIMES = {"doctime", "dct", "documentcreationtime", "creationtime"}
_TIMES = {
    *("time", "date", "duration", "set", "datetime", "timeexpression", "temporalexpression", "tempex"),
    *("sectime", "sectiontime"),
    *_CREATION_TIMES,
}
_LINKS = {
    *("tlink", "timexlink", "timelink", "temporallink", "templink", "temporalrelation", "temprel", "temporalrel"),
    *("temporal", "tlinkrelation"),
}
_LABELS = (*("reltype", "relationtype", "tlinktype", "temporalrelation", "type", "label", "relation", "value", "role"),)
_FUNCTIONS = {"CREATION_TIME", "DOCTIME"}
_REMEMBERED = 4096  # names: files have a few dozen, and hostile ones must not fill the memory
_PARTS = re.compile("[.:]")
_NOT_LETTERS = re.compile(r"[\W\d_]+")
DOCTIMEREL = "doctimerel"
FUNCTION = "functionindocument"


@lru_cache(maxsize=_REMEMBERED)
def last_part(name: str) -> str:
    """Return the last part of a type's name.

    >>> last_part("webanno.custom.TIMEX3"), last_part("custom:EVENT")
    ('TIMEX3', 'EVENT')
    """
    return _PARTS.split(name)[-1]


@lru_cache(maxsize=_REMEMBERED)
def plain(name: str) -> str:
    """Return a name in the form in which names are compared.

    >>> plain("webanno.custom.TIMEX3"), plain("doc_time-Rel")
    ('timex', 'doctimerel')
    """
    return _NOT_LETTERS.sub("", last_part(name)).lower()


@lru_cache(maxsize=_REMEMBERED)
def kind_named(name: str) -> Kind | None:
    """Return the kind of a span of this type; None if the type's name does not say."""
    known = plain(name)
    if known.startswith("timex") or known in _TIMES:
        return Kind.TIME
    if known.startswith("event") or known.endswith("event"):
        return Kind.EVENT
    return None


@lru_cache(maxsize=_REMEMBERED)
def is_link_type(name: str) -> bool:
    """Return whether a relation of this type is temporal, whatever its label."""
    return plain(name) in _LINKS


def is_creation_time(name: str, attributes: Mapping[str, str]) -> bool:
    """Return whether a time is marked as the document's creation time."""
    return plain(name) in _CREATION_TIMES or attribute(attributes, FUNCTION) in _FUNCTIONS


def label_among(attributes: Mapping[str, str]) -> str | None:
    """Return the label of a link whose type says only that it is temporal: the first of the usual attributes."""
    return attribute(attributes, *_LABELS)


def label_attribute(attributes: Mapping[str, str]) -> str | None:
    """Return the attribute that holds that label."""
    return attribute_named(attributes, *_LABELS)


def attribute(attributes: Mapping[str, str], *names: str) -> str | None:
    """Return the value of the first of some attributes. Their names are given in the form for comparison."""
    name = attribute_named(attributes, *names)
    return None if name is None else attributes[name]


def attribute_named(attributes: Mapping[str, str], *names: str) -> str | None:
    """Return the first of some attributes as it is written."""
    if not attributes:
        return None
    found: dict[str, str] = {}
    for name in attributes:
        found.setdefault(plain(name), name)
    return next((found[name] for name in names if name in found), None)
