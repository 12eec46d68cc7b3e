"""Tokens of the normaliser."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from temporacle.scoring.official.normalizer import TokenPlaces, tokenize


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", ""),
        ("It rained.", "It rained ."),
        ("(It rained!)", "( It rained ! )"),
        ('"Stop," she said;', '" Stop , " she said ;'),
        ("didn't we'll it's they've I'm he'd", "did n't we 'll it 's they 've I 'm he 'd"),
        ("did n't we 'll", "did n't we 'll"),
        ("DIDN'T", "DID N'T"),
        ("dogs' bark", "dogs ' bark"),
        ("the U.S. at 5 p.m.", "the U.S. at 5 p.m."),
        ("wait... what", "wait ... what"),
        ("...", "..."),
        ("hard-hit, well-to-do -5 five- - --", "hard - hit , well-to-do -5 five- - --"),
        ("hard - hit", "hard - hit"),
        ("5% of $3.50 and 1,000", "5 % of $3.50 and 1,000"),
        ("“Zoë” left—today", "“Zoë” left—today"),
        ("'s n't ' . ,", "'s n't ' . ,"),
    ],
)
def test_tokens(text, tokens):
    assert tokenize(text) == tokens.split()


@given(st.text(alphabet="ab.,'\"()-s nt\n", max_size=40))
def test_tokens_are_the_text_without_white_space(text):
    tokens = tokenize(text)
    assert "".join(tokens) == "".join(text.split())
    assert all(tokens)
    assert tokenize(text.replace(" ", "\n")) == tokens


@given(st.lists(st.text(alphabet="ab", min_size=1, max_size=4), min_size=1))
def test_places_count_the_characters(tokens):
    places = TokenPlaces(tokens)
    naive = [index for index, token in enumerate(tokens) for _ in token]
    assert [places.token_at(character) for character in range(len(naive))] == naive


@pytest.mark.parametrize("piece", [")", ".", "?.", "'s", "(", "-", "a.", "'"])
def test_long_runs_without_a_blank(piece):
    text = piece * (50_000 // len(piece))
    assert "".join(tokenize(text)) == text
