"""The changes of a CAS file, whatever it is written in.

Structures are given by their places, things in lists by their ids.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class NewValue(NamedTuple):
    """A feature of a structure, given by its place, with another value; None takes it away."""

    place: int
    feature: str
    value: str | None


class NewStructure(NamedTuple):
    """A structure to add behind another one, and written like it."""

    id: str
    features: Mapping[str, str]
    like: int


class NewArray(NamedTuple):
    """An array to add for a list of links, in a file that keeps such lists in arrays."""

    id: str
    owner: int
    feature: str
    elements: list[str]
    like: str  # the id of another array


class NewMember(NamedTuple):
    """A structure to list in the view of a text, if the one that it is written like stands there."""

    sofa: str
    id: str
    like: str


@dataclass
class Plan:
    """The changes of a file."""

    gone: set[int] = field(default_factory=set)
    from_features: dict[tuple[int, str], set[str]] = field(default_factory=dict)
    from_arrays: dict[str, set[str]] = field(default_factory=dict)
    from_views: set[str] = field(default_factory=set)
    values: list[NewValue] = field(default_factory=list)
    new: list[NewStructure] = field(default_factory=list)
    to_features: dict[tuple[int, str], list[str]] = field(default_factory=dict)
    to_arrays: dict[str, list[str]] = field(default_factory=dict)
    new_arrays: dict[tuple[int, str], NewArray] = field(default_factory=dict)
    members: list[NewMember] = field(default_factory=list)
