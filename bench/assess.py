"""A reward for an answer of a language model, against reading the answer alone: 100 statements, with gold."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import temporacle as tp
from bench.harness import Row, in_turn
from temporacle.io.llm import document_of
from temporacle.io.source import Options, Source
from temporacle.readings import load_reading

if TYPE_CHECKING:
    from collections.abc import Iterator

LINKS = 100


def rows() -> Iterator[Row]:
    random, names = Random(1), range(1, 41)
    pairs: dict[tuple[int, int], None] = {}
    while len(pairs) < LINKS:
        first, second = sorted(random.sample(names, 2))
        pairs[first, second] = None
    gold = [(str(first), "BEFORE", str(second)) for first, second in pairs]
    consistent = "\n".join(f"left({first}) before docked({second})" for first, second in pairs)
    reading = load_reading("matres")
    for name, text in (
        ("consistent", consistent),
        ("contradictory", f"{consistent}\nb(2) before a(1)\na(1) before b(2)"),
    ):

        def read(text: str = text) -> object:
            return document_of("answer", text, None, reading, Source("answer", b"", Options()))

        def assessed(text: str = text) -> object:
            return tp.assess(text, gold)

        quick, slow = in_turn([read, assessed])
        note = f"{1000 * (slow - quick):.2f} ms beyond reading; the goal is 1 ms"
        yield Row(f"assess, {LINKS} {name} statements", "reading them", slow / quick, 1.6, note=note)
