"""Small random changes of certificates: another number, another text, a part left out, doubled or exchanged."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from random import Random

ATOMS = ("b", "m", "o", "fi", "di", "s", "=", "si", "d", "f", "oi", "mi", "bi")


def forged(certificate: Any, rng: Random, texts: tuple[str, ...] = ()) -> Any:
    """A copy with one change at a random place. ``texts``: what other texts may become."""
    twin = copy.deepcopy(certificate)
    places: list[tuple[Any, Any]] = []
    waiting = [twin]
    for value in waiting:  # grows while it is read
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, part in items:
            places.append((value, key))
            if isinstance(part, dict | list):
                waiting.append(part)
    # Long lists would draw nearly all changes to themselves: first a kind of place, then a place.
    kinds = sorted({_kind(holder, key) for holder, key in places})
    kind = rng.choice(kinds)
    holder, key = rng.choice([place for place in places if _kind(*place) == kind])
    _change(holder, key, rng, texts)
    return twin


def _kind(holder: Any, key: Any) -> tuple[str, str, int]:
    shape = str(key) if isinstance(holder, dict) else f"{len(holder) if len(holder) < 6 else 'many'}.{min(key, 5)}"
    return shape, type(holder[key]).__name__, len(holder) if isinstance(holder, dict) else 0


def _change(holder: Any, key: Any, rng: Random, texts: tuple[str, ...]) -> None:
    value = holder[key]
    match value:
        case bool():
            holder[key] = not value
        case int():
            holder[key] = rng.choice([value + 1, value - 1, -1 - value, 0, rng.randrange(-3, 8)])
        case str():
            others = [*texts, "<", "<="]
            holder[key] = rng.choice(ATOMS if value in ATOMS else others)
        case list() if value and rng.random() < 0.8:
            place = rng.randrange(len(value))
            match rng.randrange(4):
                case 0:
                    del value[place]
                case 1:
                    value.insert(place, copy.deepcopy(rng.choice(value)))
                case 2:
                    value.reverse()
                case _:
                    if all(isinstance(each, str) and each in ATOMS for each in value):
                        chosen = {*value, rng.choice(ATOMS)}
                        value[:] = [atom for atom in ATOMS if atom in chosen]
                    else:
                        value.append(copy.deepcopy(rng.choice(value)))
        case list() | dict() | None:
            holder[key] = rng.choice([None, [], {}, 0])
