"""Programs for pairwise scores with files of their own, against what they do written out step by step."""

import json
from fractions import Fraction
from itertools import product
from random import Random

import pytest

import temporacle as tp
from temporacle.cli import run
from temporacle.scoring.official.pairs import matrices
from temporacle.scoring.official.pairs.matrices import (
    _LABEL_OF,
    LinkSets,
    closure,
    maven_document,
    maven_matrix,
)
from temporacle.scoring.official.pairs.schemes import OriginalStopsError
from temporacle.scoring.pairs.labels import MATRES, MAVEN, NONE, TBDENSE, TIEVAL, ExampleRow

# --- MAVEN-ERE: every cell is made, and found by its joined ids ----------------------------------------------------


def random_maven(random):
    """A document whose ids join to the same strings now and then, and its answer."""
    ids = random.sample(["a", "b", "ab", "ba", "aa", "bab"], random.randint(1, 4))
    events = [{"id": f"E{k}", "mention": [{"id": name}]} for k, name in enumerate(ids)]
    if random.random() < 0.3:
        events[0]["mention"].append({"id": random.choice(["c", ids[-1]])})
    times = [{"id": "t"}] if random.random() < 0.5 else []
    ends = [event["id"] for event in events] + [time["id"] for time in times]
    mentions = [each["id"] for event in events for each in event["mention"]] + [time["id"] for time in times]

    def relations(names, most):
        labels = random.sample([*MAVEN.labels, "AFTER"] if random.random() < 0.05 else MAVEN.labels, 2)
        found = {}
        for label in labels:
            pairs = [random.choices(names, k=2) for _ in range(random.randint(0, most))]
            found[label] = [pair for pair in pairs if pair[0] != pair[1] or random.random() < 0.1]
        return found

    gold = {"id": "d", "events": events, "TIMEX": times, "temporal_relations": relations(ends, 3)}
    answer = {"id": "d", "temporal_relations": relations([*mentions, "E0", "z"], 4)}
    return gold, random.choice([answer, answer, {"id": "d"}, None])


def cells_written_out(gold, answer):
    """Lists of gold labels and answers over all cells; a cell is looked up by its joined ids, the last one made."""
    mentions = [each["id"] for event in gold["events"] for each in event["mention"]]
    mentions += [time["id"] for time in gold["TIMEX"]]
    ends = {event["id"]: [each["id"] for each in event["mention"]] for event in gold["events"]}
    ends |= {time["id"]: [time["id"]] for time in gold["TIMEX"]}
    place, key, given = {}, [], []
    for first, second in product(mentions, mentions):
        if first != second:
            place[first + second] = len(key)
            key.append(NONE)
            given.append(NONE)
    for label, pairs in gold["temporal_relations"].items():
        for first, second in pairs:
            for one, other in product(ends[first], ends[second]):
                assert label in MAVEN.labels
                key[place[one + other]] = label
    for label, pairs in ((answer or {}).get("temporal_relations") or {}).items():
        for first, second in pairs:
            if first in mentions and second in mentions:
                assert label in MAVEN.labels
                given[place[first + second]] = label
    return list(zip(key, given, strict=True))


def test_maven_counts_every_cell_as_written_out():
    random = Random(5)
    stopped = joined = 0
    for _ in range(600):
        gold, answer = random_maven(random)
        document = maven_document(gold, answer)
        try:
            pairs = cells_written_out(gold, answer)
        except (AssertionError, KeyError):
            stopped += 1
            with pytest.raises(OriginalStopsError):
                maven_matrix([document])
            continue
        if not pairs:
            with pytest.raises(OriginalStopsError, match="two mentions"):
                maven_matrix([document])
            continue
        matrix = maven_matrix([document])
        for label in MAVEN.labels:
            assert matrix.row(label) == sum(gold == label for gold, _ in pairs)
            assert matrix.column(label) == sum(given == label for _, given in pairs)
            assert matrix.cell(label, label) == sum(gold == given == label for gold, given in pairs)
        joined += matrix != maven_matrix([document], joined=False)
    assert stopped > 20
    assert joined > 5  # the fault shows


# --- tieval: sets -----------------------------------------------------------------------------------------------------


def test_sets_are_sets():
    random = Random(11)
    for _ in range(300):
        sides = [
            [ExampleRow(random.choice("abc"), random.choice(TIEVAL.labels), random.choice("abc")) for _ in range(5)]
            for _ in range(2)
        ]
        key, answer = ({(s, r, t) if s <= t else (t, TIEVAL.converse(r), s) for s, r, t in side} for side in sides)
        found = LinkSets.of(*sides)
        assert (found.right, len(found.gold), len(found.system)) == (len(key & answer), len(key), len(answer))


ATOMS = {
    "BEFORE": "b", "AFTER": "bi", "IBEFORE": "m", "IAFTER": "mi", "INCLUDES": "di", "IS_INCLUDED": "d", "BEGINS": "s",
    "BEGUN_BY": "si", "ENDS": "f", "ENDED_BY": "fi", "SIMULTANEOUS": "=", "OVERLAP": "o", "OVERLAPPED": "oi",
    "BEFORE-OR-OVERLAP": "b|m|o", "OVERLAP-OR-AFTER": "bi|mi|oi",
}  # fmt: skip


def test_the_closure_of_consistent_links_is_the_exact_one():
    random = Random(12)
    names = {tp.Relation(atoms): label for label, atoms in ATOMS.items()}
    inferred = 0
    for _ in range(200):
        times = {name: sorted(random.sample(range(9), 2)) for name in "abcdef"}
        rows = []
        for _ in range(6):
            source, target = random.sample("abcdef", 2)
            signs = "".join("<=>"[(x > y) - (x < y) + 1] for x in times[source] for y in times[target])
            rows.append(ExampleRow(source, _LABEL_OF[signs], target))
        exact = tp.closure([(row.source, ATOMS[row.label], row.target) for row in rows])[0]
        known = {(s, names.get(r), t) if s < t else (t, names.get(r.converse()), s) for s, r, t in exact.pairs()}
        assert {tuple(row) for row in closure(rows)} == {each for each in known if each[1] is not None}
        inferred += len(known) > len(rows)
    assert inferred > 100


def test_what_the_closure_does_not_notice():
    def closed(*statements):
        return {tuple(row) for row in closure(ExampleRow(*each.split()) for each in statements)}

    assert closed("a BEFORE b", "b BEFORE c", "c BEFORE a") == set()  # also of other links of the document
    assert closed("a BEFORE b", "b BEFORE a") == set()
    assert closed("a BEFORE b", "a SIMULTANEOUS b") == {("a", "SIMULTANEOUS", "b")}
    assert closed("a VAGUE b") == set()


def test_converses_come_in_twos():
    for labels in (MATRES, TBDENSE, TIEVAL):
        for label in labels.labels:
            assert labels.converse(labels.converse(label)) == label
    assert TIEVAL.converse("BEFORE-OR-OVERLAP") == "OVERLAP-OR-AFTER"


# --- graphs -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "edges"),
    [
        ('strict graph {"x(1)" -- "y(2)" [rel=before];}', [("1", "BEFORE", "2")]),
        ('strict graph {"x(1)" -- "y(2)" [rel = "Befores"];}', [("1", "BEFORE", "2")]),
        ('graph {"x(1)" -- "y(2)" [rel=before];}', []),
        ('strict graph {"x(1)" -- "y(2)" [rel=before]; words; "x(1)" -- "z(3)" [rel=after];}', [("1", "BEFORE", "2")]),
        ('strict graph {"x(1)" -- "y(2)" [rel=never]; "x(1)" -- "z(3)" [rel=after];}', [("1", "AFTER", "3")]),
        ('strict graph {"x(1)" "y(2)" [rel=before]; "x" -- "z(3)" [rel=after];}', []),
        ('``` strict graph {"x(1)" -- "y(2)" [rel=before];}', []),
    ],
)
def test_a_graph_is_read_piece_by_piece(text, edges):
    assert list(matrices.read_graph(text, MATRES)) == edges


def test_words_stand_for_other_labels_among_six():
    text = 'strict graph {"x(1)" -- "y(2)" [rel=precedes]; "x(1)" -- "z(3)" [rel=during]; "y(2)" -- "z(3)" [rel=same];'
    six = [edge.label for edge in matrices.read_graph(text, TBDENSE)]
    assert six == ["INCLUDES", "IS_INCLUDED", "EQUAL"]
    with pytest.raises(OriginalStopsError):
        list(matrices.read_graph(text, MATRES))
    mended = [edge.label for edge in matrices.read_graph(text, TBDENSE, matrices.Mend.PRECEDES)]
    assert mended == ["BEFORE", "IS_INCLUDED", "EQUAL"]


# --- links ------------------------------------------------------------------------------------------------------------


def score(capsys, gold, system, *options):
    code = run(["score", str(gold), str(system), "--official", "--metric", "pairs", "--output", "json", *options])
    printed = capsys.readouterr()
    return code, json.loads(printed.out.splitlines()[-1]) if printed.out else printed.err


def test_files_without_names_of_documents_are_a_pair_and_names_are_taken_seriously(capsys, tmp_path):
    (tmp_path / "one.tsv").write_text("a\tBEFORE\tb\n")
    (tmp_path / "two.tsv").write_text("b\tAFTER\ta\n")
    code, total = score(capsys, tmp_path / "one.tsv", tmp_path / "two.tsv")
    assert (code, total["accuracy"], total["counts"]["reversed"], total["documents"]) == (0, 1, 1, 1)
    (tmp_path / "named.tsv").write_text("d\ta\tBEFORE\tb\n")
    (tmp_path / "other.tsv").write_text("e\ta\tBEFORE\tb\n")
    code, message = score(capsys, tmp_path / "named.tsv", tmp_path / "other.tsv")
    assert (code, "no system document has the same name" in message) == (2, True)


def test_a_link_of_an_entity_to_itself_is_an_example_like_others(capsys, tmp_path):
    (tmp_path / "gold.tsv").write_text("d\ta\tEQUAL\ta\nd\ta\tBEFORE\tb\n")
    (tmp_path / "system.tsv").write_text("d\ta\tBEFORE\tb\nd\tc\tEQUAL\tc\n")
    _, total = score(capsys, tmp_path / "gold.tsv", tmp_path / "system.tsv")
    assert (total["counts"]["gold"], total["counts"]["missing"], total["counts"]["extra"]) == (2, 1, 1)
    assert Fraction(total["accuracy"]) == Fraction(1, 2)


def test_a_label_set_that_nothing_shows_is_mentioned(capsys, tmp_path):
    (tmp_path / "gold.tsv").write_text("d\ta\tVAGUE\tb\n")
    arguments = [str(tmp_path / "gold.tsv")] * 2
    options = ["--official", "--metric", "pairs", "--convention", "end-to-end"]
    assert run(["score", *arguments, *options]) == 0
    assert "--label-set tbdense" in capsys.readouterr().err
    assert run(["score", *arguments, *options, "--label-set", "matres"]) == 0
    assert "--label-set tbdense" not in capsys.readouterr().err


def test_a_vote_over_links(capsys, tmp_path):
    (tmp_path / "gold.tsv").write_text("d\ta\tBEFORE\tb\nd\ta\tAFTER\tc\nd\ta\tEQUAL\te\nd\ta\tVAGUE\tf\n")
    runs = []
    for number, label in enumerate(("BEFORE", "BEFORE", "AFTER")):
        path = tmp_path / f"run{number}.tsv"
        path.write_text(f"d\ta\t{label}\tb\nd\ta\tAFTER\tc\nd\ta\tEQUAL\te\nd\tf\tVAGUE\ta\n")
        runs.append(str(path))
    options = ["--official", "--metric", "pairs", "--convention", "global-zero-shot-voted"]
    assert run(["score", str(tmp_path / "gold.tsv"), *runs, *options]) == 0
    assert capsys.readouterr().out == "Prec=1.0000, Rec=1.0000, F1=1.0000, Acc=1.0000, MICRO_F1=1.0000\n"
    assert run(["score", str(tmp_path / "gold.tsv"), *runs, *options[:3], "--convention", "matres"]) == 2
