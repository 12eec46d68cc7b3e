"""``global-zero-shot``: how its program reads the graphs that language models write, and how it votes.

Gold is a table of directed pairs for each file; the last label of a pair counts. A model's text is read piece by piece
(``read_graph``); a gold pair gets its label, else the converse of the reversed pair's, else BEFORE. With a vote, each
run has its own table, and only directed pairs that gold has and some run answered are examples.
"""

from __future__ import annotations

import re
from collections import Counter
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from temporacle.scoring.official.pairs import OriginalStopsError
from temporacle.scoring.pairs.labels import MATRES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from temporacle.scoring.pairs.labels import LabelSet

    Table = Mapping[tuple[str, str, str], str]  # (file, first, second) -> label

_OPENING = "strict graph"
_SKIPPED = len(_OPENING) + 2  # characters from the beginning of the opening words to the first edge
_FENCE = "```"
_WORD = re.compile(r'rel\s?=\s?"?([a-zA-Z_]+)"?')
_ID = re.compile(r"\((\d+)\)")
_KNOWN = {"after", "before", "equal", "vague", "same", "same_time", "simultaneous", "precede", "during"}
_KNOWN |= {"include", "included", "is_included"}
_EQUAL = dict.fromkeys(("equal", "same_time", "simultaneous"), "EQUAL")
_ALWAYS = {"before": "BEFORE", "after": "AFTER", "vague": "VAGUE", **_EQUAL}
_FOUR = {**_ALWAYS, "during": "EQUAL", "precede": "BEFORE"}
_SIX = {
    **_ALWAYS,
    "same": "EQUAL",
    "include": "INCLUDES",
    "precede": "INCLUDES",  # precede: a fault
    **dict.fromkeys(("is_included", "included", "during"), "IS_INCLUDED"),
}


class Edge(NamedTuple):
    """The edge that a piece of a graph states."""

    first: str
    label: str
    second: str


def file_of(name: str) -> str:
    """Return the gold file that a text is about. Chunks are named after it.

    >>> file_of("harbour_chunk_0.json"), file_of("harbour.json")
    ('harbour.json', 'harbour.json')
    """
    parts = name.split("_")
    return "_".join(parts[:-2]) + ".json" if "chunk" in parts else name


class Mend(Enum):
    """A fault of the program's reader that can be corrected, to see what it changes."""

    GOES_ON = "a piece without a relation ends the reading of a text"
    PRECEDES = "the word precede is read as INCLUDES"


def read_graph(text: str, labels: LabelSet, mend: Mend | None = None) -> Iterator[Edge]:
    """Yield the edges of one text. Raise OriginalStopsError where the original program ends with an error."""
    words = _FOUR if labels is MATRES else _SIX
    if mend is Mend.PRECEDES:
        words = {**words, "precede": "BEFORE"}
    for piece in _pieces(text.replace("Strict graph", _OPENING)):
        found = _WORD.search(piece)
        if found is None and mend is Mend.GOES_ON:
            continue
        if found is None:
            return  # the rest of the text is not read
        word = found[1].lower()
        if word.endswith("s") and word != "simultaneous":
            word = word[:-1]
        if word in _KNOWN and (ends := _ends(piece)) is not None:
            if word not in words:
                raise OriginalStopsError(f"the relation {found[1]!r} is not among its labels")
            yield Edge(ends[0], words[word], ends[1])


def _pieces(text: str) -> list[str]:
    start = text.find(_OPENING)
    if start < 0:
        return []
    return text[start + _SKIPPED : text.rfind(_FENCE)].split(";")  # without a fence: to the last character but one


def _ends(piece: str) -> tuple[str, str] | None:
    """Return the two ids of an edge, if it has them."""
    if "[rel=" in piece:
        piece = piece[: piece.index("[rel=")]
    parts = [part.strip() for part in piece.split("--")]
    if len(parts) < 2:
        return None
    if not parts[0]:
        raise OriginalStopsError("an edge has no first name")
    names = [part.replace('"', "") for part in parts[:2]]
    ids = [_ID.search(name) for name in parts[:2]]
    if any(name in {"", " "} for name in names) or ids[0] is None or ids[1] is None:
        return None
    return ids[0][1], ids[1][1]


def answers(
    texts: Mapping[str, str], files: frozenset[str], labels: LabelSet, mend: Mend | None = None
) -> dict[tuple[str, str, str], str]:
    """Return the table of one run, given its texts by name. Names that are not gold files are ignored."""
    return dict(each_answer(texts, files, labels, mend))


def each_answer(
    texts: Mapping[str, str], files: frozenset[str], labels: LabelSet, mend: Mend | None = None
) -> Iterator[tuple[tuple[str, str, str], str]]:
    """Yield the rows of that table, also those that a later one replaces."""
    for name, text in texts.items():
        file = file_of(name)
        if file in files:
            for edge in read_graph(text, labels, mend):
                yield (file, edge.first, edge.second), edge.label


class Confused(NamedTuple):
    """Examples by their two labels, and how many gold pairs had no answer."""

    confusion: Counter[tuple[str, str]]
    unanswered: int = 0


def confused(gold: Table, answered: Table, labels: LabelSet) -> Confused:
    """Return the examples of one run."""
    confusion: Counter[tuple[str, str]] = Counter()
    unanswered = 0
    for (file, first, second), label in gold.items():
        given = answered.get((file, first, second))
        if given is None and (other := answered.get((file, second, first))) is not None:
            given = labels.converse(other)
        unanswered += given is None
        confusion[label, given or "BEFORE"] += 1
    return Confused(confusion, unanswered)


def voted(gold: Table, runs: Sequence[Table], labels: LabelSet) -> Confused:
    """Return the examples of a vote: the label of most runs, and at a tie the first in the order of labels."""
    confusion: Counter[tuple[str, str]] = Counter()
    for pair, label in gold.items():
        votes = Counter(run[pair] for run in runs if pair in run)
        if votes:
            winner = max(labels.labels, key=lambda each: votes[each])  # the first of those with most votes
            confusion[label, winner] += 1
    return Confused(confusion, sum(all(pair not in run for run in runs) for pair in gold))
