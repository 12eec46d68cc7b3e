"""Features of a CAS that refer to something that shall go: then the file is left alone, or it would break.

In JSON a reference is marked. In XMI a number may be anything, so references are known only by the type system, if its
file (``TypeSystem.xml``) stands beside the document.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from temporacle.errors import InputError, UsageError
from temporacle.io.source import Source
from temporacle.io.xml import parse

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from temporacle.io.edit.cas_plan import Plan
    from temporacle.io.tools import cas

_TYPE_SYSTEM = "TypeSystem.xml"
_VALUES = ("uima.cas.String", "uima.cas.Integer", "uima.cas.Float", "uima.cas.Boolean", "uima.cas.Double")
_MORE_VALUES = ("uima.cas.Long", "uima.cas.Short", "uima.cas.Byte")
_MOST_SUPERTYPES = 50


class Reference(NamedTuple):
    """A feature that names another structure."""

    place: int
    owner: str
    feature: str
    target: str


def refuse_broken(references: Iterable[Reference], plan: Plan, gone: Collection[str]) -> None:
    """Raise UsageError if a structure that stays refers to a removed one, except in the lists that are changed."""
    for each in references:
        is_changed = each.target in plan.from_features.get((each.place, each.feature), ())
        if each.target in gone and each.place not in plan.gone and not is_changed:
            raise UsageError(
                f"{each.target} cannot be removed: feature {each.feature} of {each.owner} refers to it;"
                " remove that in the annotation tool first"
            )


def by_type_system(path: str, structures: Iterable[cas.Structure]) -> list[Reference]:
    """Return the references in an XMI file, if its type system is available."""
    beside = Path(path).with_name(_TYPE_SYSTEM)
    if not beside.is_file():
        return []
    try:
        features = _reference_features(Source(str(beside)))
    except InputError:
        return []
    found = []
    for each in structures:
        for feature, value in each.features.items():
            if feature in features.get(each.type, ()) and feature != "sofa":
                found += [Reference(each.place, each.id, feature, target) for target in value.split()]
    return found


def _reference_features(source: Source) -> dict[str, set[str]]:
    """Return, by type, the features that refer to other structures, including those of its supertypes."""
    own: dict[str, set[str]] = {}
    above: dict[str, str] = {}
    for described in parse(source).iter("{*}typeDescription"):
        name = (described.findtext("{*}name") or "").strip()
        above[name] = (described.findtext("{*}supertypeName") or "").strip()
        own[name] = {
            (feature.findtext("{*}name") or "").strip()
            for feature in described.iter("{*}featureDescription")
            if (feature.findtext("{*}rangeTypeName") or "").strip() not in (*_VALUES, *_MORE_VALUES)
        }
    found = {}
    for name, stated in own.items():
        features, current = set(stated), name
        for _ in range(_MOST_SUPERTYPES):
            current = above.get(current, "")
            if current not in own:
                break
            features |= own[current]
        found[name] = features
    return found
