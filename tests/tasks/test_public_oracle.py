"""``tp.Oracle``: every kind of source, one rule for contradictory documents, answers that are never bools."""

import json
import pickle

import pandas as pd
import polars as pl
import pytest

import temporacle as tp
from temporacle.cli import run

CHAIN = [("left", "BEFORE", "docked"), ("docked", "b|m", "unloaded")]
CYCLE = [("a", "BEFORE", "b"), ("b", "BEFORE", "c"), ("c", "BEFORE", "a"), ("c", "BEFORE", "d")]
HARD = [(f"x{i}", "b|bi|o|oi", f"x{j}") for i in range(9) for j in range(i)]
COLUMNS = {"source": ["left", "docked"], "relation": ["BEFORE", "b|m"], "target": ["docked", "unloaded"]}


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "trip.tsv"
    path.write_text("".join("\t".join(link) + "\n" for link in CHAIN))
    return path


@pytest.mark.parametrize(
    "source",
    [
        CHAIN,
        tuple(CHAIN),
        iter(CHAIN),
        [list(link) for link in CHAIN],
        tp.Document("trip", CHAIN),
        [tp.Document("trip", CHAIN)],
        COLUMNS,
        pd.DataFrame(COLUMNS),
        pl.DataFrame(COLUMNS),
    ],
    ids=lambda source: type(source).__name__,
)
def test_every_kind_of_source(source):
    oracle = tp.Oracle(source)
    assert oracle.entails("left", "BEFORE", "unloaded") is tp.Verdict.ENTAILED
    assert oracle.entities == ("left", "docked", "unloaded")


def test_a_path_is_a_source(file):
    for path in (file, str(file), [str(file)]):
        assert tp.Oracle(path).strongest("docked", "unloaded") == tp.Relation("b|m")


def test_options_about_reading_are_keywords(tmp_path):
    path = tmp_path / "d.jsonl"
    path.write_text(
        json.dumps({"document": "d", "links": [{"source": "a", "relation": "DURING", "target": "b"}]}) + "\n"
    )
    assert tp.Oracle(path).strongest("a", "b") == tp.Relation("=")
    oracle = tp.Oracle(path, during="is_included")
    assert oracle.strongest("a", "b") == tp.Relation("d")
    assert oracle.entails("a", "DURING", "b") is tp.Verdict.ENTAILED
    assert tp.Oracle([("a", "DURING", "b")], during="is_included").strongest("a", "b") == tp.Relation("d")


def test_options_about_reading_come_too_late_for_a_document(file):
    document = tp.read(file)
    with pytest.raises(tp.UsageError, match="during"):
        tp.Oracle(document, during="is_included")
    with pytest.raises(tp.UsageError, match="encoding"):
        tp.closure([document], encoding="latin-1")


@pytest.mark.parametrize(
    ("source", "error"),
    [
        ([tp.Document("a", CHAIN), tp.Document("b", CHAIN)], tp.UsageError),
        ({**COLUMNS, "document": ["x", "y"]}, tp.UsageError),
        ("no-such-file.tml", tp.InputError),
        ([("a", "NONSENSE", "b")], tp.LabelError),
        (3, tp.UsageError),
        ([("a", "b")], tp.UsageError),
    ],
    ids=["two documents", "two documents in a frame", "no file", "label", "number", "pair"],
)
def test_a_source_that_is_not_one_document(source, error):
    with pytest.raises(error):
        tp.Oracle(source)


def test_unknown_engine_entity_and_label_are_refused_with_the_known_ones():
    with pytest.raises(tp.UsageError, match="exact, cpsat or enumeration"):
        tp.Oracle(CHAIN, engine="magic")
    oracle = tp.Oracle(CHAIN)
    for ask in (oracle.entails, oracle.why, oracle.countermodel):
        with pytest.raises(tp.UsageError, match=r"'sank'.*left, docked, unloaded"):
            ask("left", "BEFORE", "sank")
        with pytest.raises(tp.LabelError, match=r"'NEAR'.*BEFORE"):
            ask("left", "NEAR", "docked")
    with pytest.raises(tp.UsageError, match=r"'sank'.*left, docked, unloaded"):
        oracle.strongest("sank", "left")


# --- answers that are never bools ------------------------------------------------------------------------------------


def test_consistency_has_three_answers_and_is_never_a_bool():
    answers = [
        tp.Oracle(CHAIN).consistency(),
        tp.Oracle(CYCLE).consistency(),
        tp.Oracle(HARD, time_limit=0).consistency(),
    ]
    assert [type(answer) for answer in answers] == [tp.Consistent, tp.Inconsistent, tp.Undecided]
    for answer in answers:
        with pytest.raises(TypeError):
            bool(answer)
        assert "\n" not in repr(answer)
        assert len(repr(answer)) < 100
        assert pickle.loads(pickle.dumps(answer)) == answer


@pytest.mark.parametrize(
    ("links", "budget", "verdict"),
    [
        (CHAIN, None, tp.Verdict.ENTAILED),
        ([("left", "BEFORE", "docked")], None, tp.Verdict.ENTAILED),
        ([("docked", "BEFORE", "left")], None, tp.Verdict.REFUTED),
        ([("left", "b|m", "docked")], None, tp.Verdict.OPEN),
        ([*CYCLE, *CHAIN], None, tp.Verdict.INCONSISTENT),
        ([*HARD, *CHAIN], 0, tp.Verdict.UNKNOWN),
    ],
)
def test_entails_has_five_answers_and_is_never_a_bool(links, budget, verdict):
    answer = tp.Oracle(links, time_limit=budget).entails("left", "BEFORE", "docked")
    assert answer is verdict
    with pytest.raises(TypeError):
        bool(answer)


# --- documents that contradict themselves ----------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["exact", "cpsat"])
def test_one_rule_for_documents_that_contradict_themselves(engine):
    oracle = tp.Oracle(CYCLE, engine=engine)
    assert isinstance(oracle.consistency(), tp.Inconsistent)
    assert oracle.entails("a", "BEFORE", "b") is tp.Verdict.INCONSISTENT
    assert oracle.entails("a", "AFTER", "b") is tp.Verdict.INCONSISTENT
    if engine == "exact":
        assert [link.id for link in oracle.repair().dropped] == ["l1"]
        assert oracle.certificate().claim == oracle.certificate(("a", "b", "b")).claim == "inconsistent"
    else:
        for refused in (oracle.repair, oracle.certificate):
            with pytest.raises(tp.UsageError, match="choose exact"):
                refused()
    questions = [
        lambda: oracle.strongest("a", "b"),
        oracle.closure,
        oracle.witness,
        lambda: oracle.countermodel("a", "BEFORE", "b"),
        lambda: oracle.why("a", "BEFORE", "b"),
    ]
    for question in questions:
        with pytest.raises(tp.ContradictionError) as caught:
            question()
        assert {link.id for link in caught.value.conflict} == {"l1", "l2", "l3"}
        assert caught.value.document == "document"
        assert "a BEFORE b (l1)" in str(caught.value)
    assert pickle.loads(pickle.dumps(caught.value)).conflict == caught.value.conflict


def test_the_same_rule_on_the_command_line(tmp_path, capsys):
    path = tmp_path / "d.tsv"
    path.write_text("a\tb\tb\nb\tb\ta\n")
    assert run(["entails", str(path), "a", "b", "b", "--output", "json"]) == 3
    assert json.loads(capsys.readouterr().out)["verdict"] == tp.Oracle(path).entails("a", "b", "b").value
    assert run(["closure", str(path), "--output", "json"]) == 1
    assert json.loads(capsys.readouterr().out) == tp.closure(path).to_dict()[0]


# --- what follows ----------------------------------------------------------------------------------------------------


def test_questions_take_labels_atoms_and_relations():
    oracle = tp.Oracle([("a", "b|m", "b")])
    for asked in ("BEFORE", "b", tp.Relation("b")):
        assert oracle.entails("a", asked, "b") is tp.Verdict.OPEN
        model = oracle.countermodel("a", asked, "b")
        assert model["a"][1] == model["b"][0]
    assert oracle.countermodel("a", "b|m", "b") is None
    assert oracle.why("a", "b", "b") is None


def test_relations_round_trip():
    assert eval(repr(tp.Relation("b|m")), {"Relation": tp.Relation}) == tp.Relation("m|b")


def test_witness_and_closure():
    oracle = tp.Oracle(CHAIN)
    assert oracle.witness() == oracle.consistency().witness
    closure = oracle.closure()
    assert closure.relation("unloaded", "left") == tp.Relation("bi")
    assert closure.to_dict() == tp.closure(CHAIN).to_dict()
    with pytest.raises(tp.UsageError, match="sank"):
        closure.relation("sank", "left")


def test_out_of_budget_is_an_exception_where_there_is_no_unknown():
    oracle = tp.Oracle(HARD, time_limit=0)
    for question in (oracle.closure, oracle.witness, oracle.certificate, lambda: oracle.why("x0", "b", "x1")):
        with pytest.raises(tp.BudgetExceeded):
            question()


def test_a_budget_can_be_shared():
    budget = tp.Budget(100)
    assert tp.Oracle(CHAIN, time_limit=budget).entails("left", "BEFORE", "docked") is tp.Verdict.ENTAILED


# --- repair and certificates -----------------------------------------------------------------------------------------


def test_the_repaired_document_is_consistent_and_keeps_its_entities():
    document = tp.Document("d", CYCLE)
    mended = tp.repair(document)
    assert isinstance(tp.Oracle(mended).consistency(), tp.Consistent)
    assert [link.id for link in mended.links] == ["l2", "l3", "l4"]
    assert set(tp.Oracle(mended).entities) == set(tp.Oracle(document).entities)
    assert tp.repair(mended) is mended


def test_repair_never_drops_what_is_protected():
    assert [link.id for link in tp.repair(CYCLE, protect="l1").links] == ["l1", "l3", "l4"]
    assert tp.Oracle(CYCLE).repair(protect=["l1", "l2"]).dropped[0].id == "l3"
    with pytest.raises(tp.ContradictionError) as caught:
        tp.repair(CYCLE, protect="before")
    assert len(caught.value.conflict) == 3
    with pytest.raises(tp.UsageError, match=r"'l9'"):
        tp.repair(CYCLE, protect=["l1", "l9"])


def test_certificates_can_be_verified_and_written(file, tmp_path):
    oracle = tp.Oracle(file)
    certificate = oracle.certificate()
    assert certificate.claim == "consistent"
    assert tp.verify(certificate).valid is True
    assert tp.verify(certificate.to_dict()).valid is True
    certificate.write(tmp_path / "c.json")
    assert json.loads((tmp_path / "c.json").read_text()) == certificate.to_dict()
    (check,) = tp.verify(tmp_path / "c.json", document=file)
    assert (check.valid, check.links, check.reading) == (True, 2, "links")
    assert "\n" not in repr(certificate)


def test_options_that_a_certificate_cannot_record_are_refused(tmp_path):
    path = tmp_path / "d.jsonl"
    path.write_text(json.dumps({"document": "d", "links": [{"source": "a", "relation": "b", "target": "b"}]}) + "\n")
    with pytest.raises(tp.UsageError, match="keep_unknown"):
        tp.Oracle(path, keep_unknown=True).certificate()


def test_a_notebook_shows_a_timeline_or_the_conflict():
    consistent = tp.Oracle([("left", "BEFORE", "docked")])._repr_html_()
    assert consistent.count("<rect") == 2
    contradictory = tp.Oracle([("left", "BEFORE", "<b>docked"), ("<b>docked", "BEFORE", "left")])._repr_html_()
    assert "<b>" not in contradictory
    assert "l1" in contradictory
    assert "<p>not decided" in tp.Oracle([("a", "b|bi", "b"), ("b", "b|bi", "c")], time_limit=0)._repr_html_()


def test_lists_of_conflicts_and_repairs_are_about_links_alone():
    oracle = tp.Oracle([("a", "BEFORE", "b"), ("b", "BEFORE", "a"), ("a", "AFTER", "b")])
    assert len(list(oracle.conflicts(1))) == 1
    assert {len(each.dropped) for each in oracle.repairs()} == {1, 2}
    with pytest.raises(tp.UsageError, match="all_conflicts"):
        tp.Oracle([("a", "BEFORE", "b")], calendar=True).conflicts()
