"""The tokens by which the normaliser compares texts and places tags.

In the manner of the TreeTagger's tokeniser for English: words are cut at white space; brackets, quotes and
punctuation are split off at their edges, then the clitics ('s, n't, 'll ...); a full stop stays with letters that
have one each (U.S.); and a word with exactly one hyphen inside becomes three tokens. Curly quotes and dashes are
ordinary characters.

Where exactly a token ends matters only for a tag that begins or ends inside a word.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_WORD = re.compile(r"[^ \t\r\n]+")
_OPENING = frozenset("([{`\"'")
_CLOSING = frozenset(")]}`\"',;:!?%")
_CLITIC = re.compile(r"(?:'(?:s|re|ve|d|m|em|ll)|n't)\Z", re.IGNORECASE)
_LONGEST_CLITIC = 3
_ABBREVIATION = re.compile(r"(?:[^\W\d_]\.)+\Z")  # A., U.S., p.m.
_LONGEST_ABBREVIATION = 12  # keeps long runs of punctuation linear


def tokenize(text: str) -> list[str]:
    r"""Return the tokens of a text. Together they are the text without its white space.

    >>> tokenize('"Ann didn\'t see the U.S. hard-hit area," he said.')
    ['"', 'Ann', 'did', "n't", 'see', 'the', 'U.S.', 'hard', '-', 'hit', 'area', ',', '"', 'he', 'said', '.']
    """
    tokens: list[str] = []
    for word in _WORD.finditer(text):
        tokens.extend(_split(word.group()))
    return tokens


def _split(word: str) -> list[str]:
    if word.isalpha():
        return [word]
    start, end = 0, len(word)
    while end - start > 1 and word[start] in _OPENING and not _is_clitic(word, start, end):
        start += 1
    before = list(word[:start])
    after: list[str] = []  # from right to left
    while end - start > 1:
        cut = _cut(word, start, end)
        if cut == end:
            break
        after.append(word[cut:end])
        end = cut
    return [*before, *_at_hyphen(word[start:end]), *reversed(after)]


def _is_clitic(word: str, start: int, end: int) -> bool:
    """Return whether the word is a clitic that stands alone, as in texts that were tokenised before."""
    return end - start <= _LONGEST_CLITIC and _CLITIC.match(word, start, end) is not None


def _cut(word: str, start: int, end: int) -> int:
    """Return where the last token of ``word[start:end]`` begins; ``end`` if nothing is split off."""
    if end - start > len("...") and word.endswith("...", start, end):
        return end - len("...")
    clitic = _CLITIC.search(word, max(start, end - _LONGEST_CLITIC), end)
    if clitic:
        return clitic.start() if clitic.start() > start else end
    if word[end - 1] in _CLOSING:
        return end - 1
    if word[end - 1] == "." and word[end - 2] != "." and not _is_abbreviation(word, start, end):
        return end - 1
    return end


def _is_abbreviation(word: str, start: int, end: int) -> bool:
    return end - start <= _LONGEST_ABBREVIATION and _ABBREVIATION.match(word, start, end) is not None


def _at_hyphen(word: str) -> list[str]:
    left, hyphen, right = word.partition("-")
    return [left, hyphen, right] if left and right and "-" not in right else [word]


class TokenPlaces:
    """Finds the token that a character belongs to. Characters are counted without white space.

    >>> places = TokenPlaces(["hard", "-", "hit"])
    >>> [places.token_at(character) for character in (0, 3, 4, 5, 7)]
    [0, 0, 1, 2, 2]
    """

    __slots__ = ("_starts",)

    def __init__(self, tokens: Sequence[str]) -> None:
        self._starts = list(accumulate(map(len, tokens), initial=0))[:-1]

    def token_at(self, character: int) -> int:
        return bisect_right(self._starts, character) - 1
