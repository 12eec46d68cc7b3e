"""The metric ``pairs``: against a definition written out, and what it does with files of all kinds."""

import json
from fractions import Fraction
from random import Random

import pytest

import temporacle as tp
from temporacle.cli import run
from temporacle.errors import UsageError
from temporacle.results import harmonic_mean
from temporacle.scoring.official.pairs import schemes
from temporacle.scoring.official.pairs.schemes import MEASURES, OriginalStopsError, exact_figures, faults
from temporacle.scoring.pairs.conventions import CONVENTIONS, Matrix
from temporacle.scoring.pairs.labels import LABEL_SETS, MATRES, NONE, TBDENSE, ExampleRow, Missing, examples

OVER_ROWS = [name for name, each in CONVENTIONS.items() if each.pairing.value == "rows" and not each.votes]
CONVERSE = {"BEFORE": "AFTER", "AFTER": "BEFORE", "INCLUDES": "IS_INCLUDED", "IS_INCLUDED": "INCLUDES"}


def random_rows(random, labels, most=12):
    """Links with repetitions, reversals and self-links; some labels are never used."""
    used = random.sample(labels.labels, random.randint(1, len(labels.labels)))
    names = "abcd"
    return [
        ExampleRow(random.choice(names), random.choice(used), random.choice(names))
        for _ in range(random.randint(0, most))
    ]


# --- the definition, written out --------------------------------------------------------------------------------------


def answers_to(row, system):
    """The labels of a pair in the order of rows: as stated in this direction, and in the other one turned round."""
    same = [each.label for each in system if (each.source, each.target) == (row.source, row.target)]
    other = [each.label for each in system if (each.target, each.source) == (row.source, row.target)]
    return same, [] if row.source == row.target else [CONVERSE.get(label, label) for label in other]


def listed_exactly(gold, system, missing, order, *, with_extra):
    """Gold labels and predictions: two different answers to a pair are wrong."""
    pairs = []
    for row in gold:
        given = sorted({label for side in answers_to(row, system) for label in side}, key=order.index)
        if given:
            pairs.append((row.label, given[0] if len(given) == 1 or given[0] != row.label else given[1]))
        elif with_extra or missing != "skip":
            pairs.append((row.label, NONE if with_extra else missing.upper()))
    seen = [{row.source, row.target} for row in gold]
    for row in system if with_extra else ():
        if {row.source, row.target} not in seen:
            seen.append({row.source, row.target})
            pairs.append((NONE, min((label for side in answers_to(row, system) for label in side), key=order.index)))
    return pairs


def listed(gold, system, missing, *, with_extra):
    """Gold labels and predictions as the programs take them, found by looking through all rows for each pair."""
    pairs = []
    for row in gold:
        same = [each.label for each in system if (each.source, each.target) == (row.source, row.target)]
        other = [each.label for each in system if (each.target, each.source) == (row.source, row.target)]
        if same:
            pairs.append((row.label, same[-1]))
        elif other:
            pairs.append((row.label, CONVERSE.get(other[-1], other[-1])))
        elif with_extra:
            pairs.append((row.label, NONE))
        elif missing != "skip":
            pairs.append((row.label, missing.upper()))
    if with_extra:
        seen = [{row.source, row.target} for row in gold]
        for row in system:
            if {row.source, row.target} not in seen:
                seen.append({row.source, row.target})
                last = [each.label for each in system if (each.source, each.target) == (row.source, row.target)][-1]
                pairs.append((NONE, last))
    return pairs


def defined(name, label_set, pairs):
    """Precision, recall, F1 and accuracy of two lists of labels, by what the page says about the convention."""
    relations = set(LABEL_SETS[label_set].labels)
    if (
        name.startswith(("matres", "global"))
        or name == "tbdense-no-vague"
        or (name, label_set) == ("end-to-end", "matres")
    ):
        relations -= {"VAGUE"}
    if name == "matres-gold-nonvague":
        pairs = [pair for pair in pairs if pair[0] != "VAGUE"]
    if name in {"matres-econet", "matres-gold-nonvague"}:
        relations |= {"VAGUE"}
    right = sum(gold == given and gold in relations for gold, given in pairs)
    predicted = sum(given in relations for _, given in pairs)
    asked = sum(gold in relations for gold, _ in pairs)
    precision = Fraction(right, predicted) if predicted else Fraction(0)
    recall = Fraction(right, asked) if asked else Fraction(0)
    accuracy = Fraction(sum(gold == given for gold, given in pairs), len(pairs)) if pairs else Fraction(0)
    return {"precision": precision, "recall": recall, "f1": harmonic_mean(precision, recall), "accuracy": accuracy}


def write(tmp_path, name, rows, document="d"):
    path = tmp_path / f"{name}.tsv"
    path.write_text(
        "document\tsource\trelation\ttarget\n" + "".join(f"{document}\t{s}\t{r}\t{t}\n" for s, r, t in rows)
    )
    return str(path)


@pytest.mark.parametrize("name", OVER_ROWS)
def test_every_convention_counts_what_its_definition_says(name):
    random = Random(name.value)
    rules_of = CONVENTIONS[name]
    for _ in range(300):
        labels = random.choice(rules_of.label_sets)
        gold, system = random_rows(random, labels), random_rows(random, labels)
        missing = random.choice(list(Missing))
        counted = rules_of.unanswered_counts
        policy = None if counted else missing
        printed = examples(gold, system, labels, rules_of.pairing, policy, as_program=True)
        assert sorted(printed.confusion.elements()) == sorted(listed(gold, system, missing.value, with_extra=counted))
        found = examples(gold, system, labels, rules_of.pairing, policy)
        pairs = listed_exactly(gold, system, missing.value, labels.labels, with_extra=counted)
        assert sorted(found.confusion.elements()) == sorted(pairs)
        random.shuffle(system)
        again = examples(gold, system, labels, rules_of.pairing, policy)
        assert [each for each in again.every if each.gold != NONE] == [
            each for each in found.every if each.gold != NONE
        ]
        assert len(again.every) == len(found.every)  # an extra pair is shown in the direction of its first row
        asked = {frozenset((row.source, row.target)) for row in gold}
        given = [[label for side in answers_to(row, system) for label in side] for row in gold]
        answered = {frozenset((row.source, row.target)) for row, each in zip(gold, given, strict=True) if each}
        assert (found.asked, found.answered) == (len(asked), len(answered))
        assert found.answered_twice == len(
            {
                frozenset((row.source, row.target))
                for row in gold
                if max(map(len, sides := answers_to(row, system))) > 1 or len({*sides[0], *sides[1]}) > 1
            }
        )
        matrix = Matrix.of(rules_of.matrix_labels(labels), found.confusion)
        assert exact_figures(name, matrix, labels) == defined(name.value, labels.name, pairs)


@pytest.mark.parametrize("name", OVER_ROWS)
def test_where_a_program_differs_from_the_exact_score_a_fault_is_named_and_nowhere_else(name):
    random = Random(f"faults of {name.value}")
    differed = 0
    for _ in range(300):
        labels = random.choice(CONVENTIONS[name].label_sets)
        used = random.sample(labels.labels, random.randint(1, len(labels.labels)))
        confusion = {(g, p): random.choice((0, 0, 1, 3)) for g in used for p in used}
        matrix = Matrix.of(CONVENTIONS[name].matrix_labels(labels), confusion)
        stops = found = None
        try:
            found = schemes.figures(name, matrix, labels)
            schemes.printed(name, matrix, labels)
        except OriginalStopsError as error:
            stops = str(error)
        named = {fault.measure: fault for fault in faults(name, matrix, labels, found, stops)}
        exact = exact_figures(name, matrix, labels)
        if found is None:
            assert set(named) == set(MEASURES)
            continue
        for measure, official in zip(MEASURES, found, strict=True):
            differs = official != pytest.approx(float(exact[measure]), abs=1e-12)
            differed += differs
            assert not differs or named[measure].cause, (measure, official, exact)
            if measure in named and named[measure].official is not None:
                assert differs
    faulty = {"matres", "matres-compact", "matres-jcl", "global-zero-shot"}
    assert (differed > 0) == (name.value in faulty)


# --- laws -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("labels", [MATRES, TBDENSE], ids=lambda each: each.name)
def test_laws_of_pairs(labels):
    random = Random(labels.name)
    for _ in range(100):
        gold, system = random_rows(random, labels), random_rows(random, labels)
        convention = "matres" if labels is MATRES else "tbdense"
        options = {"metric": "pairs", "convention": convention, "details": True}

        def figures(key, answer, options=options):
            sides = [tp.Document("d", [(f"e{s}", "b", f"e{t}") for s, _, t in rows]) for rows in (key, answer)]
            documents = [
                tp.Document(
                    "d", tuple(link._replace(label=row.label) for link, row in zip(side.links, rows, strict=True))
                )
                for side, rows in zip(sides, (key, answer), strict=True)
            ]
            try:
                found = tp.score(*documents, **options)
            except UsageError as error:  # two sides that have nothing to do with each other
                return str(error).partition(" in any document")[0]
            return found.precision, found.recall, found.f1, found.confused

        def turned(rows, labels=labels):
            return [ExampleRow(row.target, labels.converse(row.label), row.source) for row in rows]

        once = list({frozenset((row.source, row.target)): row for row in system if row.source != row.target}.values())
        assert figures(gold, once) == figures(gold, turned(once))
        renamed = dict(zip("abcd", "dbca", strict=True))
        sides = [[ExampleRow(renamed[s], r, renamed[t]) for s, r, t in rows] for rows in (gold, system)]
        assert figures(*sides) == figures(gold, system)
        if once and any(row.label != "VAGUE" for row in once):
            assert figures(once, once)[:3] == (1, 1, 1)
        answered = [row._replace(label=random.choice(labels.labels)) for row in once]
        if once:
            forward, backward = figures(once, answered), figures(answered, once)
            assert (forward[0], forward[1], forward[2]) == (backward[1], backward[0], backward[2])


# --- files ------------------------------------------------------------------------------------------------------------


def total(capsys, *arguments, code=0):
    assert run(["score", *arguments, "--metric", "pairs", "--output", "json"]) == code
    return json.loads(capsys.readouterr().out.splitlines()[-1])


def test_the_total_has_accuracy_matrix_and_a_signature_that_says_everything(capsys, tmp_path):
    gold = write(tmp_path, "gold", [("a", "BEFORE", "b"), ("b", "VAGUE", "c"), ("a", "AFTER", "c")])
    system = write(tmp_path, "system", [("a", "BEFORE", "b"), ("b", "BEFORE", "c")])
    found = total(capsys, gold, system, "--missing", "skip")
    assert (found["precision_exact"], found["recall_exact"], found["accuracy_exact"]) == ("1/2", "1", "1/2")
    assert found["labels"] == ["BEFORE", "AFTER", "EQUAL", "VAGUE"]
    assert found["matrix"] == [[1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [1, 0, 0, 0]]
    assert found["counts"] == {
        "correct": 1,
        "predicted": 2,
        "gold": 1,
        "agreed": 1,
        "examples": 2,
        "missing": 1,
        "extra": 0,
        "reversed": 0,
        "repeated": 0,
        "asked": 3,
        "answered": 2,
        "answered_twice": 0,
    }
    assert "|coverage:2/3|" in found["signature"]
    assert "|convention:matres|label-set:matres|missing:skip|" in found["signature"]
    assert (
        "|convention:end-to-end|label-set:matres|missing:none|"
        in total(capsys, gold, system, "--convention", "end-to-end")["signature"]
    )


def test_answers_about_documents_that_gold_does_not_have_count_end_to_end_only(capsys, tmp_path):
    gold = write(tmp_path, "gold", [("a", "BEFORE", "b")], "one")
    system = tmp_path / "system.tsv"
    system.write_text("one\ta\tBEFORE\tb\ntwo\ta\tBEFORE\tb\n")
    found = total(capsys, gold, str(system), "--convention", "end-to-end")
    assert (found["precision_exact"], found["counts"]["extra"], found["skipped"]) == ("1/2", 1, [])
    found = total(capsys, gold, str(system), code=3)
    assert (found["precision_exact"], [each["document"] for each in found["skipped"]]) == ("1", ["two"])
    official = ["--official", "--convention", "end-to-end"]
    assert total(capsys, gold, str(system), *official)["precision"] == 0.5


def test_labels_may_be_letters_on_one_side_and_words_on_the_other(capsys, tmp_path):
    gold = tmp_path / "gold.txt"
    gold.write_text("d1\te1\te2\tb\nd1\te2\te3\tii\nd1\te3\tt1\ts\nd1\te3\te4\tv\n")
    system = tmp_path / "system.csv"
    system.write_text(
        "document,source,relation,target\nd1,e1,BEFORE,e2\nd1,e2,IS_INCLUDED,e3\nd1,e3,SIMULTANEOUS,t1\nd1,e3,before,e4\n"
    )
    found = total(capsys, str(gold), str(system), "--convention", "tbdense")
    assert (found["accuracy_exact"], found["counts"]["missing"]) == ("3/4", 0)


def test_gold_decides_about_the_label_set(capsys, tmp_path):
    four = write(tmp_path, "four", [("a", "BEFORE", "b"), ("a", "VAGUE", "c")])
    six = write(tmp_path, "six", [("a", "BEFORE", "b"), ("a", "VAGUE", "c"), ("b", "INCLUDES", "c")])
    for gold, labels, recall in ((four, "matres", "1"), (six, "tbdense", "1")):
        found = total(capsys, gold, gold, "--convention", "end-to-end")
        assert (f"label-set:{labels}" in found["signature"], found["recall_exact"]) == (True, recall)
    assert len(total(capsys, four, four, "--convention", "end-to-end", "--label-set", "tbdense")["labels"]) == 7


def test_python_gives_a_score_or_a_list(tmp_path):
    gold = write(tmp_path, "gold", [("a", "BEFORE", "b"), ("b", "EQUAL", "c")])
    found = tp.score(gold, gold, metric="pairs", convention="matres-econet")
    assert (found.f1, found.convention, found.title) == (1, "matres-econet", "pairs matres-econet")
    several = tp.score(gold, gold, metric="pairs", convention=["matres", "end-to-end"])
    assert [each.title for each in several] == ["pairs matres", "pairs end-to-end"]
    mixed = tp.score([("a", "BEFORE", "b")], [("a", "BEFORE", "b")], metric=["awareness", "pairs"], convention="matres")
    assert [each.title for each in mixed] == ["awareness", "pairs matres"]
    rankings = tp.compare(gold, {"ours": gold}, metric=["pairs"], convention=["matres", "matres-econet"])
    assert [each.title for each in rankings] == ["pairs matres", "pairs matres-econet"]


def test_by_label_shows_every_label_in_order(capsys, tmp_path):
    gold = write(tmp_path, "gold", [("a", "EQUAL", "b"), ("a", "BEFORE", "c")])
    system = write(tmp_path, "system", [("a", "EQUAL", "b"), ("a", "AFTER", "c")])
    assert run(["score", gold, system, "--metric", "pairs", "--by", "label"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "gold \\ system  BEFORE  AFTER  EQUAL  VAGUE" in lines
    assert "EQUAL   1.0000  1.0000  1.0000" in lines


# --- bad input --------------------------------------------------------------------------------------------------------

GOOD = [("a", "BEFORE", "b")]
REFUSED = {
    "a label that nobody knows": ([("a", "SOMETIMES", "b")], [], "SOMETIMES"),
    "a label of six in four": ([("a", "INCLUDES", "b")], [], "--convention tbdense"),
    "a disjunction": ([("a", "BEFORE|AFTER", "b")], [], "BEFORE|AFTER"),
    "an atom": ([("a", "mi", "b")], [], "mi"),
    "missing where missing pairs are errors": (GOOD, ["--convention", "end-to-end", "--missing", "skip"], "leave out"),
    "another label set": (GOOD, ["--label-set", "tbdense"], "leave out --label-set tbdense"),
    "an unknown convention": (GOOD, ["--convention", "bleu"], "bleu"),
    "an option of another metric": (GOOD, ["--relaxed"], "relaxed"),
}


@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.parametrize("flags", [[], ["--official"]], ids=["exact", "official"])
def test_bad_input_is_refused_with_the_reason(capsys, tmp_path, case, flags):
    rows, options, reason = REFUSED[case]
    files = [write(tmp_path, "gold", GOOD), write(tmp_path, "system", rows)]
    for sides in (files, files[::-1]):
        assert run(["score", *sides, "--metric", "pairs", *options, *flags]) == 2
        printed = capsys.readouterr()
        assert printed.out == ""
        assert reason in printed.err


def test_allens_starts_is_not_taken_for_simultaneous(capsys, tmp_path):
    """Beside other metrics, labels of a link file are read as always: there s is Allen's starts."""
    path = write(tmp_path, "gold", [("a", "s", "b")])
    assert run(["score", path, path, "--metric", "awareness", "--metric", "pairs"]) == 2
    assert "--labels dense" in capsys.readouterr().err
    assert run(["score", path, path, "--metric", "pairs"]) == 0


FILES = {
    "maven-ere": [
        ("not json\n", "{}\n", "gold:1: not JSON"),
        ('{"id": "d"}\n', '{"id": "d"}\n', "has not the form of MAVEN-ERE"),
        ("[1]\n", '{"id": "d"}\n', "an object with an id"),
    ],
    "tieval": [("x\tNEVER\ty\n", "x\tBEFORE\ty\n", "NEVER"), ("", "a\tBEFORE\tb\n", "empty")],
    "narrativetime": [("a\tEQUAL\tb\nb\tEQUAL\ta\n", "a\tBEFORE\tb\nb\tAFTER\ta\n", "EQUAL")],
    "matres": [("a\tBEFORE\n", "a\tBEFORE\tb\n", "no labels"), ("a\tBEFORE\tb\n", "\x00\x01", "system")],
}


@pytest.mark.parametrize(
    ("convention", "gold", "system", "reason"),
    [(name, *case) for name, cases in FILES.items() for case in cases],
)
def test_files_that_no_program_can_read_are_refused(capsys, tmp_path, convention, gold, system, reason):
    for name, text in (("gold", gold), ("system", system)):
        (tmp_path / name).write_text(text)
    files = [str(tmp_path / name) for name in ("gold", "system")]
    assert run(["score", *files, "--official", "--metric", "pairs", "--convention", convention]) == 2
    printed = capsys.readouterr()
    assert (printed.out, reason in printed.err) == ("", True), printed.err


def test_graphs_need_gold_of_their_form(capsys, tmp_path):
    (tmp_path / "gold").mkdir()
    (tmp_path / "gold" / "d.json").write_text('{"pairs": []}')
    (tmp_path / "run.json").write_text('{"d.json": "text"}')
    options = ["--official", "--metric", "pairs", "--convention", "global-zero-shot"]
    files = [str(tmp_path / "gold"), str(tmp_path / "run.json")]
    assert run(["score", *files, *options]) == 2
    assert "allPairs" in capsys.readouterr().err
    (tmp_path / "gold" / "d.json").write_text('{"allPairs": []}')
    assert run(["score", *files, *options]) == 2
    assert "target" in capsys.readouterr().err


# --- faults -----------------------------------------------------------------------------------------------------------


def explained(capsys, *arguments, code=0):
    assert (
        run(["score", *arguments, "--official", "--metric", "pairs", "--explain-difference", "--output", "json"])
        == code
    )
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    return {row["measure"]: row for row in rows if "measure" in row}


def test_without_equal_vague_counts_as_a_relation(capsys, tmp_path):
    gold = write(tmp_path, "gold", [("a", "BEFORE", "b"), ("b", "VAGUE", "c"), ("a", "AFTER", "c")])
    system = write(tmp_path, "system", [("a", "BEFORE", "b"), ("b", "VAGUE", "c"), ("a", "BEFORE", "c")])
    found = explained(capsys, gold, system, "--convention", "matres-compact")
    assert "VAGUE counts as a relation" in found["f1"]["cause"]
    assert (found["f1"]["official"], found["f1"]["exact_fraction"]) == (pytest.approx(2 / 3), "1/2")
    assert explained(capsys, gold, system, "--convention", "matres") == {}
    assert run(["score", gold, system, "--official", "--metric", "pairs", "--explain-difference"]) == 0
    assert "No fault of the program changed a number." in capsys.readouterr().out


def test_faults_of_programs_with_files_of_their_own(capsys):
    from scoring.test_pairs_golden import GOLDEN

    maven = [str(GOLDEN / "m11_joined_ids" / name) for name in ("test.jsonl", "test_prediction.jsonl")]
    assert "joined ids" in explained(capsys, *maven, "--convention", "maven-ere")["recall"]["cause"]
    sets = [str(GOLDEN / "t02_macro_recall" / f"{side}.tsv") for side in ("gold", "system")]
    assert explained(capsys, *sets, "--convention", "tieval")["macro recall"]["exact_fraction"] == "5/12"
    diagonal = [str(GOLDEN / "n01_diagonal" / f"annotator{k}.tsv") for k in (1, 2)]
    assert explained(capsys, *diagonal, "--convention", "narrativetime")["accuracy"]["exact"] == 0
    graph = [str(GOLDEN / "g20_precede_is_includes" / name) for name in ("gold", "system-0.json")]
    causes = {
        row["cause"]
        for row in explained(capsys, *graph, "--convention", "global-zero-shot", "--label-set", "tbdense").values()
    }
    assert any("precede" in cause for cause in causes)


# --- coverage ---------------------------------------------------------------------------------------------------------

ASKED = [(f"e{k}", "BEFORE", f"e{k + 1}") for k in range(8)]


@pytest.mark.parametrize("turned", [False, True])
def test_a_pair_with_two_answers_is_wrong_whatever_their_order(turned):
    twice = [("e0", "AFTER", "e1"), ("e0", "BEFORE", "e1")]
    system = [*ASKED[:3], *(twice[::-1] if turned else twice)]
    with pytest.warns(tp.InputWarning):
        found = tp.score(ASKED, system, metric="pairs")
    assert (found.recall, found.precision) == (Fraction(2, 8), Fraction(2, 3))
    assert found.counts.coverage() == {"asked": 8, "answered": 3, "answered_twice": 1}
    row = found.to_dict()
    assert (row["asked"], row["answered"], row["answered_twice"]) == (8, 3, 1)
    assert "coverage:3/8" in found.signature
    assert "3 of 8 pairs answered" in repr(found)
    said = " ".join(map(str, row["warnings"]))
    assert "e0 e1 is answered with BEFORE and AFTER" in said
    assert "3 of 8 pairs that gold asks about are answered; the other 5 count as VAGUE" in said


def test_the_same_answer_twice_is_one_answer():
    found = tp.score(ASKED[:2], [*ASKED[:2], ("e1", "AFTER", "e0"), ASKED[1]], metric="pairs")
    assert (found.f1, found.counts.answered_twice) == (1, 1)
    assert found.warnings == ()


@pytest.mark.parametrize("name", ["end-to-end", "tieval", "maven-ere"])
def test_coverage_is_signed_only_if_the_score_does_not_show_it(name):
    with pytest.warns(tp.InputWarning):
        found = tp.score(ASKED, ASKED[:2], metric="pairs", convention=name)
    assert found.to_dict()["answered"] == 2
    assert "coverage:" not in found.signature


def test_programs_tell_what_is_missing(capsys, tmp_path):
    gold, system = write(tmp_path, "gold", ASKED), write(tmp_path, "system", ASKED[:2])
    assert run(["official", "matres", gold, system, "--explain-difference", "--output", "json"]) == 0
    out, err = capsys.readouterr()
    *rows, found = map(json.loads, out.splitlines())
    assert (found["asked"], found["answered"], found["answered_twice"]) == (8, 2, 0)
    assert "coverage:2/8" in found["signature"]
    assert "2 of 8 pairs that gold asks about are answered; the other 6 count as VAGUE" in err
    assert any("the other 6" in row["cause"] for row in rows)
    assert run(["score", gold, system, "--metric", "pairs"]) == 0
    out, err = capsys.readouterr()
    assert "2/8" in out.splitlines()[1]
    assert "the other 6 count as VAGUE" in err
