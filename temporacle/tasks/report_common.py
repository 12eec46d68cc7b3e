"""What both kinds of reports do with their arguments and with trouble."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from temporacle.errors import UsageError
from temporacle.runner import Backend

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from temporacle.corpus.observer import Observer
    from temporacle.trouble import Trouble

    Chosen = TypeVar("Chosen")

LAYOUTS = {"auto": None, "single": False, "linked": True}


def heard(trouble: Iterable[Trouble], observer: Observer) -> tuple[Trouble, ...]:
    """Return what could not be used, after the observer has heard of it."""
    every = tuple(trouble)
    for each in every:
        observer.unusable(*each)
    return every


def chosen_from(argument: str, value: str, choices: Mapping[str, Chosen]) -> Chosen:
    """Return the choice of a name. Raise UsageError for other names."""
    if value not in choices:
        raise UsageError(f"{argument}={value!r} is unknown: choose {', '.join(choices)}")
    return choices[value]


def backend_named(name: str) -> Backend:
    """Return the backend of a name."""
    return chosen_from("backend", name, {each.value: each for each in Backend})
