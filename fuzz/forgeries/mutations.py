"""Changes of a certificate's content. Most keep its form, so that a checker has to look at the meaning."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from fuzz.forgeries.meanings import (
    change_claim,
    change_core,
    change_link,
    change_value,
    mend_readings,
    move_times,
    rename,
)
from fuzz.forgeries.places import change_list, change_place, exchange, exchange_all, redirect_case, toggle_atom

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

Json = Any


def forged(rng: Random, original: str) -> tuple[Json, str]:
    """Return a certificate that differs from the original, and its text. The original is what ``json.dumps`` writes."""
    while True:
        copy = _changed(rng, json.loads(original))
        text = json.dumps(copy)
        if text != original:
            return copy, text


def _changed(rng: Random, copy: Json) -> Json:
    by_cores = "bound" in copy
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        names, weights = zip(*CHANGES, *([(change_core, 4)] if by_cores else []), strict=True)
        with suppress(ArithmeticError, LookupError, TypeError, AttributeError, ValueError):  # after a change of types
            rng.choices(names, weights)[0](rng, copy)
    if rng.random() < 0.9:
        mend_readings(copy)
    return copy


CHANGES: list[tuple[Callable[[Random, Json], None], int]] = [
    (exchange, 10),
    (exchange_all, 2),
    (toggle_atom, 6),
    (change_list, 5),
    (change_place, 3),
    (redirect_case, 1),
    (rename, 2),
    (change_link, 4),
    (change_claim, 2),
    (move_times, 3),
    (change_value, 3),
]
