"""Clausal proofs as lines, for a file of their own that a checker reads without holding it as a whole.

A clause is written just before the first lemma that needs it, and given up after the last one, so that few are in use
at any line. docs/checker.md has the form.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def proof_lines(proof: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of a clausal proof with hints that is in the documented form."""
    clauses, lemmas, hints = proof["clauses"], proof["lemmas"], proof["hints"]
    for left, right in proof["variables"]:
        yield _line("v", left, right)
    last_use = {number: place for place, named in enumerate(hints) for number in named}
    place_of: dict[int, int] = {}  # by number in the proof, the number in the file
    for place, (lemma, named) in enumerate(zip(lemmas, hints, strict=True)):
        for number in named:
            if number not in place_of:
                place_of[number] = len(place_of)
                yield _line("c", *clauses[number])
        yield _line("l", lemma, [place_of[number] for number in named])
        place_of[len(clauses) + place] = len(place_of)
        done = sorted(place_of[number] for number in set(named) if last_use[number] == place)
        if done and place < len(lemmas) - 1:  # the empty lemma is the last line
            yield _line("d", done)


def _line(*parts: Any) -> str:
    return json.dumps(parts, separators=(",", ":")) + "\n"
