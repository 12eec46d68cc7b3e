"""Two annotators of one document made into a third version that is always consistent."""

import json
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from shared_data import shared

import temporacle as tp
from temporacle.editing.adjudication import Adjudication, Adjudications
from temporacle.editing.saving import ChangedOnDiskError
from temporacle.editing.versions import by_pair, mean_the_same, statements
from temporacle.errors import ContradictionError, UsageError
from temporacle.model import Document

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "corpus"
LABELS = ("BEFORE", "AFTER", "IBEFORE", "INCLUDES", "SIMULTANEOUS", "b|m", "o|d|=")


def two(first, second, **how):
    return Adjudication(Document("d", first), Document("d", second), **how)


def random_document(rng, entities, links):
    names = [f"e{number}" for number in range(entities)]
    triples = [(*rng.sample(names, 2), rng.choice(LABELS)) for _ in range(links)]
    return Document("d", [(source, label, target) for source, target, label in triples], entity_ids=tuple(names))


def is_consistent(links, base):
    return tp.Session(replace(base, links=tuple(links))).verdict == "consistent"


def test_labels_that_mean_the_same_agree():
    work = two(
        [("a", "BEFORE", "b"), ("b", "m", "c"), ("c", "BEFORE", "d"), ("x", "b|m", "y"), ("x", "b|o", "y")],
        [("b", "AFTER", "a"), ("c", "mi", "b"), ("c", "AFTER", "d"), ("x", "BEFORE", "y")],
    )
    assert [link.said for link in work.agreed] == ["a BEFORE b", "b m c", "x b|m y", "x b|o y"]
    (difference,) = work.differences
    assert (difference.source, difference.target) == ("c", "d")
    assert [link.label for link in (*difference.first, *difference.second)] == ["BEFORE", "AFTER"]


def test_links_that_share_an_id_are_told_apart():
    first = Document("d", [("a", "BEFORE", "b"), ("b", "BEFORE", "c")])
    first = replace(first, links=tuple(link._replace(id="l1") for link in first.links))
    work = Adjudication(first, Document("d", [("a", "BEFORE", "b"), ("b", "AFTER", "c")]))
    assert [link.said for link in work.agreed] == ["a BEFORE b"]
    assert [(each.source, each.target) for each in work.differences] == [("b", "c")]


def test_a_file_with_one_document_is_read_anew(tmp_path):
    for name in ("anna", "ben"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "ferry.tml").write_bytes((EXAMPLES / "ferry.tml").read_bytes())
    work = Adjudications(tmp_path / "anna", tmp_path / "ben")
    assert not work.open("ferry").differences
    changed = tp.apply(EXAMPLES / "ferry.tml", drop=["l1"])
    (tmp_path / "anna" / "ferry.tml").write_bytes(changed)
    assert len(work.open("ferry").differences) == 1


def test_a_difference_says_what_follows_and_what_is_possible():
    work = two(
        [("a", "BEFORE", "b"), ("b", "BEFORE", "c"), ("a", "BEFORE", "c")],
        [("a", "BEFORE", "b"), ("b", "BEFORE", "c"), ("c", "BEFORE", "d"), ("a", "AFTER", "d")],
    )
    rows = work.to_dict()
    assert rows["agreed"] == 2
    first, second, third = rows["differences"]
    assert (first["source"], first["target"], first["second"]) == ("a", "c", [])
    assert (first["first_follows"], first["second_follows"]) == (None, False)  # the second side contradicts itself
    assert (second["second_follows"], third["second_follows"]) == (False, False)
    assert all(row["possible"] == {"first": True, "second": True} for row in rows["differences"])
    work.take(1, "second")
    assert work.row(1)["taken"] == "second"
    assert work.row(2)["possible"] == {"first": True, "second": False}
    assert [link["label"] for link in work.row(2)["conflict"]["second"]] == ["BEFORE"] * 3
    with pytest.raises(ContradictionError) as refused:
        work.take(2, "second")
    assert len(refused.value.conflict) == 4
    work.take(2, "neither")
    work.take(0, "first")
    assert [row["taken"] for row in work.to_dict()["differences"]] == ["first", "second", "neither"]
    assert [link.said for link in work.document.links] == ["a BEFORE b", "b BEFORE c", "c BEFORE d", "a BEFORE c"]
    json.dumps(work.to_dict())
    assert repr(work) == "Adjudication('d', 2 agreed links, 3 differences, 3 taken)"


def test_choices_can_be_changed_and_undone():
    work = two([("a", "BEFORE", "b")], [("a", "AFTER", "b")])
    assert work.all_taken() == [None]
    work.take(0, "first")
    work.take(0, "second")
    assert [link.said for link in work.document.links] == ["a AFTER b"]
    work.session.undo()
    assert work.all_taken() == ["first"]
    work.take(0, None)
    assert work.all_taken() == [None]
    work.take(0, "neither")
    assert (work.all_taken(), work.document.links) == (["neither"], ())
    work.session.add("a", "IBEFORE", "b")  # neither of them, but a label of its own
    assert work.all_taken() == ["neither"]
    with pytest.raises(UsageError, match="there is no difference 1"):
        work.take(1, "first")
    with pytest.raises(UsageError, match="take first, second or neither"):
        work.take(0, "both")


def test_agreed_links_that_contradict_each_other_are_repaired_first():
    ring = [("a", "BEFORE", "b"), ("b", "BEFORE", "c"), ("c", "BEFORE", "a")]
    work = two([*ring, ("a", "BEFORE", "d")], [*ring, ("a", "AFTER", "d")])
    assert [link.said for link in work.conflict()] == ["a BEFORE b", "b BEFORE c", "c BEFORE a"]
    assert work.row(0)["possible"] == {"first": False, "second": False}
    assert len(work.row(0)["conflict"]["first"]) == 3
    with pytest.raises(ContradictionError, match="contradicts itself") as refused:
        work.take(0, "first")
    assert refused.value.conflict == work.conflict()  # the side is not needed for it
    with pytest.raises(ContradictionError):
        _ = work.document
    dropped = work.repair()
    assert len(dropped) == 1
    work.session.edit(remove=[link.id for link in dropped])
    assert work.conflict() == ()
    work.take(0, "second")
    assert len(work.document.links) == 3


def test_all_of_the_first_side_is_the_first_document():
    """Where a side is consistent, taking all of it gives that side back; agreements are said as the first says them."""
    rng = Random(4)
    count = 0
    while count < 60:
        documents = [random_document(rng, 6, rng.randrange(1, 9)) for _ in range(2)]
        if not all(is_consistent(each.links, each) for each in documents):
            continue
        count += 1
        for side, document in zip(("first", "second"), documents, strict=True):
            work = Adjudication(*documents)
            for each in work.differences:
                work.take(each.number, side)
            assert set(work.all_taken()) <= {side}
            found, wanted = by_pair(work.document.links), by_pair(document.links)
            assert found.keys() == wanted.keys()
            assert all(mean_the_same(found[pair], wanted[pair]) for pair in wanted)
            if side == "first":
                assert statements(work.document.links) == statements(document.links)


def test_what_is_possible_is_what_a_fresh_check_says():
    """The naive twin: the third version with the side's links, checked anew."""
    rng = Random(6)
    refused = 0
    for _ in range(40):
        work = Adjudication(random_document(rng, 5, 7), random_document(rng, 5, 7))
        for each in rng.sample(work.differences, len(work.differences)):
            present = [link for link in work.session.document.links if {*link.entities} != {each.source, each.target}]
            row = work.row(each.number)
            for side in ("first", "second"):
                expected = is_consistent(_numbered((*present, *each.side(side))), work.base)
                assert row["possible"][side] is expected
                if not expected:
                    refused += 1
                    names = {link["id"] for link in row["conflict"][side]}
                    conflict = [link for link in work.session.document.links if link.id in names]
                    assert len(conflict) == len(names)
                    assert not is_consistent(_numbered((*conflict, *each.side(side))), work.base) or not conflict
            side = rng.choice(("first", "second"))
            if row["possible"][side]:
                work.take(each.number, side)
            elif each.side(side):
                with pytest.raises(ContradictionError):
                    work.take(each.number, side)
        if not work.conflict():
            assert is_consistent(work.document.links, work.base)
    assert refused > 50


def _numbered(links):
    return [link._replace(id=str(number)) for number, link in enumerate(links)]


def test_what_follows_is_what_an_oracle_says():
    rng = Random(9)
    answers = set()
    for _ in range(40):
        first, second = (random_document(rng, 5, 6) for _ in range(2))
        work = Adjudication(first, second)
        for each in work.differences:
            for side, other in (("first", second), ("second", first)):
                links = each.side(side)
                found = work.row(each.number)[f"{side}_follows"]
                answers.add(found)
                verdicts = {tp.Oracle(other).entails(link.source, link.relation, link.target) for link in links}
                if tp.Verdict.INCONSISTENT in verdicts:
                    assert found is None
                else:
                    assert found is (bool(links) and verdicts == {tp.Verdict.ENTAILED})
    assert answers == {True, False, None}


# --- entities, labels, sentences ---

BRAT = "T1\tEVENT 4 8\tleft\nT2\tEVENT 24 30\tdocked\nT3\tTIME 34 38\tnoon\n"
OTHER = "T7\tTIME 34 38\tnoon\nT8\tEVENT 24 30\tdocked\nT1\tEVENT 4 8\tleft\nT9\tEVENT 0 3\tShe\n"
TEXT = "She left. Then the ship docked at noon."


@pytest.fixture
def annotators(tmp_path):
    """Two annotators in brat, each with ids of their own."""
    for name, marks, links in (
        ("anna", BRAT, "R1\tBEFORE Arg1:T1 Arg2:T2\nR2\tIS_INCLUDED Arg1:T2 Arg2:T3\n"),
        ("ben", OTHER, "R1\tAFTER Arg1:T8 Arg2:T1\nR2\tBEFORE Arg1:T8 Arg2:T7\nR3\tBEFORE Arg1:T9 Arg2:T1\n"),
    ):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "ship.ann").write_text(marks + links)
        (folder / "ship.txt").write_text(TEXT)
    return tmp_path


def test_entities_are_matched_by_their_places_where_ids_differ(annotators):
    work = Adjudications(annotators / "anna", annotators / "ben")
    assert (work.names, work.sides) == (("ship",), ("anna", "ben"))
    ship = work.open("ship")
    assert [link.id for link in ship.agreed] == ["R1"]
    (row,) = ship.to_dict()["differences"]
    assert (row["source"], row["target"]) == ("T2", "T3")
    assert [link["label"] for link in (*row["first"], *row["second"])] == ["IS_INCLUDED", "BEFORE"]
    assert row["first"][0]["source_text"] == "docked"
    assert row["sentence"] == "Then the ship [docked] at [noon]."
    (left_out,) = ship.left_out
    assert left_out.why == "the first document has no entity at the place of 'T9'"


def test_a_result_is_the_first_file_with_other_links(annotators):
    work = Adjudications(annotators / "anna", annotators / "ben")
    ship = work.open("ship")
    ship.take(0, "second")
    saved = work.save(ship)
    assert saved.path == str(annotators / "adjudicated" / "ship.ann")
    assert Path(saved.path).read_text() == BRAT + "R1\tBEFORE Arg1:T1 Arg2:T2\nR2\tBEFORE Arg1:T2 Arg2:T3\n"
    assert (annotators / "adjudicated" / "ship.txt").read_text() == TEXT
    ship.take(0, "neither")
    work.save(ship)  # a second time
    assert Path(saved.path).read_text() == BRAT + "R1\tBEFORE Arg1:T1 Arg2:T2\n"
    assert [path.name for path in sorted((annotators / "adjudicated").iterdir())] == ["ship.ann", "ship.txt"]


def test_several_documents_of_a_file_are_saved_one_after_the_other(tmp_path):
    for name, label in (("one", "BEFORE"), ("two", "AFTER")):
        rows = [f"{document}\ta\t{label}\tb\n{document}\tb\tBEFORE\tc\n" for document in "de"]
        (tmp_path / f"{name}.tsv").write_text("".join(rows))
    (tmp_path / "two.tsv").write_text((tmp_path / "two.tsv").read_text() + "e\tc\tBEFORE\tnew\n")
    out = tmp_path / "out"
    for name in "ed":  # as two runs of a program
        work = Adjudications(tmp_path / "one.tsv", tmp_path / "two.tsv", out=out)
        document = work.open(name)
        for each in document.differences:
            document.take(each.number, "second")
        work.save(document)
    assert (out / "one.tsv").read_text().splitlines() == [
        *("d\ta\tAFTER\tb", "d\tb\tBEFORE\tc", "e\ta\tAFTER\tb", "e\tb\tBEFORE\tc", "e\tc\tBEFORE\tnew"),
    ]


def test_labels_are_those_of_the_first_document(tmp_path):
    (tmp_path / "d.jsonl").write_text(
        '{"document": "council", "links": [{"source": "ei1", "relation": "bi", "target": "ei2"}]}'
    )
    work = Adjudication(tp.read(EXAMPLES / "council.tml"), tp.read(tmp_path / "d.jsonl"))
    difference = next(each for each in work.differences if each.second)
    assert [link.label for link in difference.second] == ["AFTER"]
    odd = Document("council", [("ei1", "b|bi", "ei2"), ("ei1", "b", "ei1"), ("ei1", "b", "nobody")])
    work = Adjudication(tp.read(EXAMPLES / "council.tml"), odd, align="ids")
    assert [each.why for each in work.left_out] == [
        "reading timeml has no label for b|bi",
        "it links an entity to itself",
        "the first document has no entity at the place of 'nobody'",
    ]
    assert len(work.to_dict()["left_out"]) == 3


def test_other_formats_are_exported(tmp_path):
    for name, label in (("one", "b"), ("two", "a")):
        (tmp_path / f"{name}.txt").write_text(f"d\te1\te2\t{label}\nd\te2\te3\tb\n")
    work = Adjudications(tmp_path / "one.txt", tmp_path / "two.txt", format="dense")
    document = work.open("d")
    document.take(0, "second")
    saved = work.save(document)
    assert saved.path == str(tmp_path / "adjudicated" / "d.jsonl")
    assert sorted(link.said for link in tp.read(saved.path).links) == ["e1 a e2", "e2 b e3"]


def test_a_first_side_that_changed_meanwhile_is_not_mixed_with_the_result(annotators):
    work = Adjudications(annotators / "anna", annotators / "ben")
    ship = work.open("ship")
    path = annotators / "anna" / "ship.ann"
    path.write_text(path.read_text().replace("R1\tBEFORE", "R1\tAFTER"))
    with pytest.raises(ChangedOnDiskError, match="was changed since it was compared"):
        work.save(ship)


def test_results_do_not_replace_what_is_read(annotators):
    with pytest.raises(UsageError, match="holds the files that are read"):
        Adjudications(annotators / "anna", annotators / "ben", out=annotators / "ben")
    with pytest.raises(UsageError, match=r"no document has the same name on both sides; first: 'ship'"):
        Adjudications(annotators / "anna", EXAMPLES)


def annotators_of_caevo(tmp_path):
    """Two annotators of the same texts, in a format that is exported."""
    for path in sorted(shared("corpora", "caevo-annotators", "individual").iterdir()):
        name, _, annotator = path.name.rpartition(".")
        if annotator in {"cassidy", "mcdowell"}:
            (tmp_path / annotator).mkdir(exist_ok=True)
            (tmp_path / annotator / f"{name}.tab").write_bytes(path.read_bytes())
    return tmp_path / "cassidy", tmp_path / "mcdowell"


def gold_and_system(_tmp_path):
    """Gold and a system that names entities in its own way, in a format that is changed in place."""
    return shared("corpora", "te3-platinum"), shared("corpora", "te3-systems", "TIPSemB")


@pytest.mark.slow
@pytest.mark.corpora
@pytest.mark.parametrize("sides", [annotators_of_caevo, gold_and_system])
def test_two_corpora_are_adjudicated_to_the_end(tmp_path, sides):
    """Whatever is taken at random, every saved version is consistent and has the links that were taken."""
    rng = Random(7)
    work = Adjudications(*sides(tmp_path), out=tmp_path / "out")
    differences = agreed = 0
    for name in work.names[:12]:
        document = work.open(name)
        if len(document.differences) > 150:
            continue
        if document.conflict():
            document.session.edit(remove=[link.id for link in document.repair()])
        for each in document.differences:
            side = rng.choice(("first", "second"))
            row = document.row(each.number)
            document.take(each.number, side if row["possible"][side] else "neither")
        assert None not in document.all_taken()
        saved = work.save(document)
        found = [each for each in tp.read_corpus(saved.path) if each.id == document.first.id]
        assert statements(found[0].links) == statements(document.document.links)
        assert tp.check(found[0])[0].verdict.value == "consistent"
        differences += len(document.differences)
        agreed += len(document.agreed)
    assert differences > 50
    assert agreed > 10
