"""Blind mutation of bytes, for where the guided fuzzer is not installed, and for the bounded run in the tests."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from random import Random

# What parsers trip over.
TOKENS = (
    b"\0",
    b"\xff",
    b"\xed\xa0\x80",
    b"\xe2\x80\xa8",
    b"\xef\xbb\xbf",
    b"\r",
    b"\t",
    b"\n",
    b"\n\n",
    b"|",
    b"-1",
    b"0",
    b"999999999999999999999",
    b"1e999",
    b"NaN",
    b"null",
    b"true",
    b"{}",
    b"[]",
    b'""',
    b"<a>",
    b"</TimeML>",
    b"<!--",
    b"]]>",
    b"<![CDATA[",
    b"&amp;",
    b"&x;",
    b"&#0;",
    b"<!DOCTYPE x>",
    b"BEFORE",
    b"=",
    b"*",
    b"t0",
    b"#",
    b"\\ud800",
    b"{http://x}",
)


def mutated(rng: Random, seeds: Sequence[bytes], *, largest: int = 20_000) -> bytes:
    """A seed after some small accidents: bytes lost, doubled, swapped, foreign tokens, two seeds spliced."""
    data = bytearray(rng.choice(seeds)[:largest])
    for _ in range(rng.choice((1, 1, 2, 3, 8))):
        place = rng.randrange(len(data) + 1)
        length = rng.choice((1, 1, 2, 5, 20, 100))
        match rng.randrange(7):
            case 0:
                del data[place : place + length]
            case 1:
                data[place:place] = data[place : place + length] * rng.choice((1, 2, 5))
            case 2:
                data[place : place + 1] = bytes([rng.randrange(256)])
            case 3:
                data[place : place + rng.choice((0, length))] = rng.choice(TOKENS)
            case 4:
                other = rng.choice(seeds)
                data[place:] = other[rng.randrange(len(other) + 1) :]
            case 5:
                del data[place:]
            case _:
                lines = bytes(data).split(b"\n")
                rng.shuffle(lines)
                data = bytearray(b"\n".join(lines))
    return bytes(data[:largest])


def mutated_json(rng: Random, seeds: Sequence[bytes]) -> bytes:
    """A seed in JSON whose form is left alone: values are exchanged, changed a little, doubled or lost."""
    record = json.loads(rng.choice(seeds))
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        places = list(_places(record))
        holder, key = rng.choice(places)
        donor, other = rng.choice(places)
        value = holder[key]
        if isinstance(value, int) and rng.random() < 0.7:
            holder[key] = value + rng.choice((-2, -1, 1, 2))
        elif isinstance(holder, list) and rng.random() < 0.4:
            if rng.random() < 0.5:
                del holder[key]
            else:
                holder.insert(key, json.loads(json.dumps(value)))
        else:
            holder[key] = json.loads(json.dumps(donor[other]))
    return json.dumps(record).encode()


def _places(record: Any) -> Iterator[tuple[Any, Any]]:
    """Every value of a JSON record, as its container and its key there."""
    waiting = [record]
    while waiting:
        holder = waiting.pop()
        for key, value in list(holder.items() if isinstance(holder, dict) else enumerate(holder)):
            yield holder, key
            if isinstance(value, dict | list):
                waiting.append(value)


def variant(rng: Random, name: str, seeds: Sequence[bytes]) -> bytes:
    """An input for a target. Certificates keep their form three times out of four, or few would get past the parser."""
    if name == "certificate" and rng.random() < 0.75:
        return mutated_json(rng, seeds)
    return mutated(rng, seeds)
