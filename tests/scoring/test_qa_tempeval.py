"""Questions of QA-TempEval: exact answers, the task's scores, and bad input."""

import json
from random import Random

import pytest
from naive import brute_force
from shared_data import SHARED, shared

import temporacle as tp
from temporacle.cli import run
from temporacle.scoring.official.qa_tempeval import RELATIONS, counted
from temporacle.tasks.official import official

CASES = sorted(path.name for path in SHARED.glob("golden/qa-tempeval/*") if path.is_dir()) or ["none"]


@pytest.mark.corpora
@pytest.mark.parametrize("name", CASES)
def test_answers_are_the_right_ones(name):
    case = shared("golden", "qa-tempeval", name)
    expected = json.loads((case / "expected.json").read_text())
    answers = [each.answer for each in tp.ask(str(case), str(case))]
    assert answers == ["unreadable" if answer is None else answer for answer in expected["exact"]]


@pytest.mark.corpora
@pytest.mark.parametrize("name", CASES)
def test_scores_follow_from_the_answers_of_the_program(name):
    case = shared("golden", "qa-tempeval", name)
    expected = json.loads((case / "expected.json").read_text())
    gold = [line.split("|")[4] for line in (case / "question-set.txt").read_text().splitlines() if line.count("|") == 4]
    pairs = [*zip(gold, expected["official"], strict=False)]
    pairs += [None] * (int(expected["scores"]["questions"]) - len(pairs))
    assert counted(pairs).printed() == (case / "expected.txt").read_text().splitlines()[-1]


@pytest.mark.corpora
@pytest.mark.parametrize("name", CASES)
def test_the_lines_of_the_program_where_it_answers_rightly(name):
    case = shared("golden", "qa-tempeval", name)
    note, expected = (case / "note.txt").read_text(), (case / "expected.txt").read_text()
    found = official("qa-tempeval", str(case), str(case)).text
    if "FAULT" not in note and not name.startswith("b"):
        assert found == expected
    assert len(found.splitlines()) == len(expected.splitlines())


def test_random_questions_are_answered_as_brute_force_does():
    rng = Random(4)
    entities = ["e1", "e2", "e3"]
    seen = set()
    for _ in range(60):
        links = [(*rng.sample(entities, 2), rng.choice(list(RELATIONS))) for _ in range(2)]
        facts = [(source, tp.Relation(RELATIONS[name]), target) for source, target, name in links]
        if brute_force(facts, entities) is None:
            continue
        source, target = rng.sample(entities, 2)
        name = rng.choice(list(RELATIONS))
        (found,) = tp.ask(facts, [f"IS {source} {name.upper()} {target}"])
        asked = tp.Relation(RELATIONS[name])
        holds = brute_force([*facts, (source, asked, target)], entities) is not None
        fails = brute_force([*facts, (source, ~asked, target)], entities) is not None
        linked = {end for first, _, second in facts for end in (first, second)}
        if {source, target} <= linked:
            assert found.answer == {(True, False): "yes", (False, True): "no", (True, True): "unknown"}[holds, fails]
            seen.add(found.answer)
    assert seen == {"yes", "no", "unknown"}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "d.tsv").write_text("e1\tBEFORE\te2\ne2\tBEFORE\te3\n")
    (tmp_path / "bad.tsv").write_text("e1\tBEFORE\te2\ne2\tBEFORE\te1\n")
    lines = ["1|d.tsv|IS e1 BEFORE e3|?|yes", "2|d.tsv|IS e9 BEFORE e3|?|no", "3|other.tsv|IS e1 BEFORE e3|?|yes"]
    (tmp_path / "question-set.txt").write_text("\n".join([*lines, "4|bad.tsv|IS e1 BEFORE e2|?|yes", "nonsense"]))
    return tmp_path


def test_what_cannot_be_answered_says_why(folder, capfd):
    assert run(["ask", str(folder), str(folder), "--output", "json"]) == 3
    rows = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert [row["answer"] for row in rows[:-1]] == ["yes", "unknown", "unreadable", "inconsistent", "unreadable"]
    assert [link["id"] for link in rows[0]["because"]]
    assert all(row["reason"] for row in rows[1:-1])
    assert rows[-1]["counts"] == {"questions": 4, "answered": 1, "correct": 1, "incorrect": 0}


def test_contradictory_links_can_be_set_aside(folder):
    answers = [each.answer for each in tp.ask(str(folder), str(folder), contradictions="set-aside")]
    assert answers[3] == "yes"


def test_answers_have_proofs(folder, tmp_path):
    tp.ask(str(folder / "d.tsv"), ["IS e1 BEFORE e3", "IS e3 BEFORE e1"], certificates=str(tmp_path / "proofs"))
    proofs = sorted((tmp_path / "proofs").iterdir())
    assert len(proofs) == 2
    assert run(["verify", *map(str, proofs)]) == 0


@pytest.mark.parametrize("questions", ["nothing.txt", "IS e1", "IS e1 SOONER e2"])
def test_bad_questions_are_errors(folder, capfd, questions):
    assert run(["ask", str(folder / "d.tsv"), questions]) in (2, 3)
    assert questions.split()[-1] in capfd.readouterr().err
