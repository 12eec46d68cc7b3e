"""``entails`` says why: links with words and lines, sentences, and what atoms mean."""

import json
from itertools import product
from pathlib import Path

import pytest

from temporacle.cli import run
from temporacle.relation import ATOM_WORDS, ATOMS, atom_holding

FERRY = str(Path(__file__).parents[2] / "examples" / "corpus" / "ferry.tml")


def said(capsys, *arguments):
    code = run(["entails", *arguments])
    return code, capsys.readouterr().out


def test_entailed(capsys):
    code, out = said(capsys, FERRY, "ei4", "BEFORE", "ei6")
    assert code == 0
    assert out.splitlines() == [
        "ei4 BEFORE ei6: entailed",
        '"failed" BEFORE "docked" follows from these 2 links:',
        '  l5 (line 19): "failed" IBEFORE "repaired"',
        '  l6 (line 20): "repaired" BEFORE "docked"',
        "Text:",
        "  During the crossing an engine [failed], and the crew [repaired] it before the ship [docked].",
        'Strongest relation: "failed" b "docked"',
        "  b: ends before the other starts",
    ]


def test_refuted(capsys):
    code, out = said(capsys, FERRY, "ei1", "AFTER", "ei6")
    assert code == 1
    assert '"left" AFTER "docked" contradicts these 2 links:\n  l2 (line 16): "left" BEGINS "crossing"\n' in out
    assert "  m: ends when the other starts\n" in out
    assert "A timeline on which every link holds, and AFTER does not:\n" in out
    assert "ei6     docked" in out


def test_open(capsys):
    code, out = said(capsys, FERRY, "t0", "BEFORE", "ei6")
    assert code == 1
    assert "t0 BEFORE ei6: open\nThe links allow it, and they do not require it.\n" in out
    assert 'Strongest relation: none. Every relation between "14 September 2021" and "docked" is possible.' in out


def test_json_has_the_links_with_their_words(capsys):
    assert run(["entails", FERRY, "ei4", "BEFORE", "ei6", "--output", "json"]) == 0
    row = json.loads(capsys.readouterr().out)
    assert [(link["id"], link["source_text"], link["target_text"]) for link in row["because"]] == [
        ("l5", "failed", "repaired"),
        ("l6", "repaired", "docked"),
    ]


def test_long_answers_are_shortened_for_people(tmp_path, capsys):
    path = tmp_path / "chain.tsv"
    path.write_text("".join(f"e{k}\tBEFORE\te{k + 1}\n" for k in range(300)))
    code, out = said(capsys, str(path), "e0", "BEFORE", "e300")
    assert code == 0
    assert "... and 280 more; --output json has all of them" in out
    code, out = said(capsys, str(path), "e0", "AFTER", "e300")
    assert "299 more entities; --output json has all of them." in out
    assert len(out.splitlines()) < 40


@pytest.mark.parametrize("atom", ATOMS)
def test_the_words_of_an_atom_are_true_of_it_and_of_no_other(atom):
    """The words, read as orderings of endpoints, against the definition on all pairs of small intervals."""
    intervals = [(start, end) for start, end in product(range(5), repeat=2) if start < end]
    holds = {(x, y) for x, y in product(intervals, repeat=2) if atom_holding(x, y) == atom}
    assert {(x, y) for x, y in product(intervals, repeat=2) if meant(ATOM_WORDS[atom], x, y)} == holds


def meant(words, x, y):
    """Whether words such as "ends before the other starts" are true of two intervals."""
    compare = {"before": int.__lt__, "after": int.__gt__, "when": int.__eq__}
    own = {"starts": x[0], "ends": x[1]}
    other = {"starts": y[0], "ends": y[1]}
    verb, last = "", 0
    for clause in words.replace(",", "").replace(" and ", ", ").split(", "):
        *verbs, how, _ = (clause if clause.split()[-1] == "that" else clause.replace(" the other", "")).split()
        verb = verbs[0] if verbs else verb
        last = last if clause.endswith("that") else other[clause.split()[-1]]
        if not compare[how](own[verb], last):
            return False
    return True
