"""``tp.Session``: editing, undo and redo, and what can be asked."""

import pytest

import temporacle as tp
from temporacle.io.edit import Edits
from temporacle.reasoner import judged, network

EVERYTHING = ~tp.Relation("")
FERRY = [("left", "BEFORE", "docked"), ("docked", "BEFORE", "unloaded")]


def ids(links):
    return [link.id for link in links]


@pytest.fixture
def session():
    return tp.Session(FERRY)


@pytest.fixture
def declared():
    return tp.Session(tp.Document("ferry", FERRY, ("left", "docked", "unloaded", "sank")))


def everything(session):
    """All that a session shows."""
    return (
        session.document,
        session.verdict,
        session.conflicts,
        session.state(),
        session.edits,
        session.comments,
        session.changes_count,
        session.undo_count,
    )


def test_links_are_added_removed_and_relabelled(session):
    assert session.add("unloaded", "AFTER", "left") == "l3"
    session.relabel("l1", "MEETS")
    session.remove("l2")
    assert [(link.id, link.label) for link in session.document.links] == [("l1", "MEETS"), ("l3", "AFTER")]
    assert session.document.links[0].relation == tp.Relation("m")
    assert session.undo_count == 3
    for _ in range(3):
        session.undo()
    assert session.document == tp.Session(FERRY).document
    assert (session.undo_count, session.redo_count) == (0, 3)
    for _ in range(3):
        session.redo()
    assert ids(session.document.links) == ["l1", "l3"]


def test_an_edit_is_one_step(session):
    before = everything(session)
    assert session.edit(add=[("left", "BEFORE", "unloaded")], remove=["l2"], comment={"l1": "sure?"}) == ["l3"]
    assert session.comments == {"l1": "sure?"}
    assert session.undo_count == 1
    session.undo()
    assert everything(session) == before


def test_ids_of_removed_links_are_not_used_again(session):
    session.remove("l2")
    assert session.add("left", "BEFORE", "unloaded") == "l3"
    session.remove("l3")
    assert session.add("left", "BEFORE", "unloaded") == "l4"


@pytest.mark.parametrize("name", ["l" + "9" * 5000, "l²", "link", "l", "", "L7"])
def test_odd_ids_do_not_count(name):
    odd = tp.Link(name, "a", tp.Relation("b"), "b", "BEFORE")
    assert tp.Session(tp.Document("d", (odd,))).add("a", "BEFORE", "c") == "l1"


def test_two_links_of_one_id_get_different_ids():
    twice = [tp.Link("l1", "a", tp.Relation("b"), end, "BEFORE") for end in "bc"]
    session = tp.Session(tp.Document("d", tuple(twice)))
    assert len(set(ids(session.document.links))) == 2
    session.remove("l1")
    assert [link.target for link in session.document.links] == ["c"]


def test_a_link_comes_back_to_its_place(session):
    session.remove("l1")
    session.add("left", "BEFORE", "unloaded")
    session.undo()
    session.undo()
    assert ids(session.document.links) == ["l1", "l2"]


def test_a_new_edit_ends_redo(session):
    session.remove("l1")
    session.undo()
    session.remove("l2")
    assert session.redo_count == 0
    with pytest.raises(tp.UsageError, match="nothing to redo"):
        session.redo()


def test_judge_changes_nothing_and_equals_edit(session):
    before = everything(session)
    change = {"add": [("unloaded", "BEFORE", "left")], "relabel": {"l1": "BEFORE|AFTER"}}
    judged = session.judge(**change)
    assert everything(session) == before
    session.edit(**change)
    assert session.change() == judged


def test_conflicts_and_what_mends_them(session):
    session.add("unloaded", "BEFORE", "left")
    assert session.verdict == "inconsistent"
    assert [ids(conflict) for conflict in session.conflicts] == [["l1", "l2", "l3"]]
    assert session.why_not("docked", "BEFORE", "left") == ()  # without l1, which the repair removes
    assert ids(session.why_not("left", "BEFORE", "unloaded")) == ["l3"]
    with pytest.raises(tp.ContradictionError):
        session.possible("left", "docked")
    pair = session.pair("left", "docked")
    assert ids(pair.in_repair) == ["l1"]
    assert [row.label for row in pair.labels if row.possible] == ["AFTER"]
    assert pair.follows == ("AFTER",)
    assert session.witness() is None
    assert ids(session.repair().dropped) == ["l1"]
    relabelled = session.pair("unloaded", "left", without=["l3"])
    assert all(row.possible for row in relabelled.labels)  # without l3, and without the repair
    session.relabel("l3", "AFTER")
    assert session.verdict == "consistent"
    assert ids(session.change().redundant) == ["l3"]


def conflicts_of(found):
    return [ids(conflict) for conflict in found]


def test_an_edit_tells_what_became_of_the_conflicts():
    session = tp.Session([("a", "BEFORE", "b"), ("b", "BEFORE", "a"), ("c", "BEFORE", "d"), ("d", "BEFORE", "c")])
    assert session.last_edit is None
    assert session.add("e", "BEFORE", "a") == "l5"
    edit = session.last_edit
    assert conflicts_of(edit.remaining_conflicts) == conflicts_of(edit.conflicts) == [["l1", "l2"], ["l3", "l4"]]
    assert edit.new_conflicts == edit.resolved_conflicts == ()
    session.remove("l2")
    edit = session.last_edit
    assert (edit.verdict, conflicts_of(edit.resolved_conflicts)) == ("inconsistent", [["l1", "l2"]])
    assert conflicts_of(edit.remaining_conflicts) == [["l3", "l4"]]
    assert edit.new_conflicts == ()
    session.undo()
    assert conflicts_of(session.last_edit.new_conflicts) == [["l1", "l2"]]
    session.relabel("l4", "MEETS")
    assert conflicts_of(session.last_edit.remaining_conflicts) == [["l1", "l2"], ["l3", "l4"]]
    session.relabel("l4", "AFTER")
    assert conflicts_of(session.last_edit.resolved_conflicts) == [["l3", "l4"]]


def test_an_added_link_that_the_list_does_not_show_is_still_a_new_conflict():
    session = tp.Session([("a", "BEFORE", "b"), ("b", "BEFORE", "a")])
    session.add("a", "BEFORE", "b")
    assert conflicts_of(session.conflicts) == [["l1", "l2"]]
    assert conflicts_of(session.last_edit.new_conflicts) == [["l2", "l3"]]


def test_the_repair_is_kept_as_long_as_none_is_lighter():
    session = tp.Session([("a", "BEFORE", "b"), ("b", "BEFORE", "a"), ("c", "AFTER", "d")])
    assert ids(session.repair().dropped) == ["l1"]
    session.add("d", "BEFORE", "c")
    assert not session.last_edit.repair_kept
    other = tp.Session([("a", "BEFORE", "b"), ("b", "BEFORE", "a"), ("a", "BEFORE", "b")])
    assert ids(other.repair().dropped) == ["l2"]
    other.remove("l3")
    assert ids(other.repair().dropped) == ["l2"]  # a session that is opened now would say l1
    assert other.last_edit.repair_kept
    assert other.last_edit.to_dict()["repair_kept"] is True
    assert ids(tp.Session(other.document).repair().dropped) == ["l1"]


def test_redundant_names_links_that_an_edit_makes_redundant():
    session = tp.Session([("a", "BEFORE", "c"), ("a", "BEFORE", "b")])
    judged = session.judge(add=[("b", "BEFORE", "c")])
    assert ids(judged.redundant) == ["l1"]
    session.add("b", "BEFORE", "c")
    assert ids(session.judge(add=[("b", "BEFORE", "c")]).redundant) == ["l3", "l4"]
    assert ids(session.state().redundant) == ["l1"]
    assert session.judge(add=[("b", "AFTER", "c")]).redundant == ()


def test_json_is_as_documented(session):
    judged = session.judge(add=[("unloaded", "BEFORE", "left")]).to_dict()
    about_edits = {"resolved_conflicts", "remaining_conflicts", "new_conflicts"}
    assert set(judged) == {"verdict", "conflicts", "redundant", "repair_kept"} | about_edits
    assert set(session.state().to_dict()) == set(judged) - about_edits
    assert judged["conflicts"][0][2] == {
        "id": "l3",
        "source": "unloaded",
        "relation": ["b"],
        "label": "BEFORE",
        "target": "left",
        "line": None,
    }
    pair = session.pair("left", "unloaded").to_dict()
    assert set(pair) == {"stated", "strongest", "because", "labels", "follows", "in_repair"}
    assert pair["strongest"] == ["b"]
    assert pair["labels"][0] == {"label": "BEFORE", "possible": True, "conflict": []}
    assert [row["id"] for row in pair["labels"][1]["conflict"]] == ["l1", "l2"]


def test_words_of_entities_are_in_json():
    session = tp.Session("examples/corpus/ferry.tml")
    assert session.pair("ei4", "ei6").to_dict()["because"][0]["source_text"]


def test_entities_without_links_can_be_linked():
    session = tp.Session(tp.Document("d", [("a", "BEFORE", "b")], ("a", "b", "c")))
    assert session.possible("a", "c") == EVERYTHING
    session.add("b", "BEFORE", "c")
    assert session.possible("a", "c") == tp.Relation("b")
    session.remove("l1")
    session.remove("l2")
    session.add("c", "BEFORE", "a")
    assert session.possible("a", "c") == tp.Relation("bi")


def test_a_link_of_an_entity_with_itself_is_judged_as_in_a_file(tmp_path):
    session = tp.Session([("a", "BEFORE", "b")])
    assert [[link.id for link in each] for each in session.judge(add=[("a", "BEFORE", "a")]).conflicts] == [["l2"]]
    assert session.add("a", "BEFORE", "a") == "l2"
    assert session.verdict == "inconsistent"
    assert [link.id for link in session.repair().dropped] == ["l2"]
    session.relabel("l2", "SIMULTANEOUS")
    assert session.verdict == "consistent"
    assert [link.id for link in session.state().redundant] == ["l2"]
    assert session.possible("a", "a") == tp.Relation("=")
    path = tmp_path / "d.tsv"
    path.write_text("a\tBEFORE\tb\n")
    path.write_bytes(tp.apply(path, add=[("a", "SIMULTANEOUS", "a")]))
    assert [link.target for link in tp.read(path).links] == ["b", "a"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"remove": ["l9"]}, "no link 'l9'; its links: l1, l2"),
        ({"relabel": {"l9": "BEFORE"}}, "no link 'l9'"),
        ({"relabel": {"l1": "SOMETIME"}}, "unknown label 'SOMETIME'"),
        ({"add": [("left", "BEFORE", "nowhere")]}, "no entity 'nowhere'; its entities: left, docked, unloaded, sank"),
        ({"add": [("left", "BEFORE")]}, "expected a triple"),
        ({"add": ["abc"]}, "expected a triple"),
        ({"add": [("left", None, "docked")]}, "a label must be a text"),
        ({"remove": ["l1"], "relabel": {"l1": "AFTER"}}, "cannot be removed and also relabelled"),
    ],
)
def test_what_cannot_be_done_is_refused_and_changes_nothing(declared, change, said):
    session = declared
    before = everything(session)
    with pytest.raises(tp.UsageError, match=said):
        session.edit(**change)
    with pytest.raises(tp.UsageError, match=said):
        session.judge(**change)
    assert everything(session) == before


def test_nothing_to_undo(session):
    with pytest.raises(tp.UsageError, match="nothing to undo"):
        session.undo()


@pytest.mark.parametrize("ask", ["pair", "possible"])
def test_questions_about_unknown_entities_are_refused(declared, ask):
    with pytest.raises(tp.UsageError, match="nowhere"):
        getattr(declared, ask)("left", "nowhere")


def test_a_session_can_begin_with_nothing():
    session = tp.Session([])
    assert session.possible("a", "b") == EVERYTHING
    assert session.add("a", "BEFORE", "b") == "l1"
    assert session.add("b", "BEFORE", "c") == "l2"
    assert session.judge(add=[("c", "BEFORE", "a"), ("c", "BEFORE", "d")]).verdict == "inconsistent"
    assert session.possible("a", "c") == tp.Relation("b")
    assert session.possible("x", "c") == session.possible("x", "y") == EVERYTHING
    assert session.possible("x", "x") == tp.Relation("=")
    assert all(each.possible for each in session.pair("x", "a").labels)
    assert session.why_not("x", "BEFORE", "a") == ()
    assert session.document.entity_ids == ("a", "b", "c")
    assert set(session.witness()) == {"a", "b", "c"}
    session.remove("l2")
    assert session.document.entity_ids == ("a", "b", "c")
    session.undo()
    session.undo()
    assert session.document.entity_ids == ("a", "b")
    session.redo()
    assert session.document.entity_ids == ("a", "b", "c")


def test_a_session_with_nothing_has_the_labels_that_were_asked_for():
    session = tp.Session([], labels="matres")
    assert session.labels == tp.Session([("a", "BEFORE", "b")], labels="matres").labels
    session.add("a", "BEFORE", "b")
    assert session.possible("a", "b") == tp.Oracle([("a", "BEFORE", "b")], labels="matres").strongest("a", "b")
    with pytest.raises(tp.UsageError, match="unknown label"):
        tp.Session([], labels="matres").add("a", "IBEFORE", "b")


def test_what_is_not_a_question_is_refused():
    with pytest.raises(tp.UsageError, match="time_limit"):
        tp.Session([], time_limit=-1)
    with pytest.raises(tp.UsageError, match="the id of a link must be a text"):
        tp.Session([("a", "BEFORE", "b")]).remove(1)
    with pytest.raises(TypeError, match="compare its verdict"):
        bool(tp.Session([]).state())


def test_a_session_with_nothing_can_be_asked_first():
    session = tp.Session([])
    assert session.state().verdict == "consistent"
    assert session.witness() == {}
    assert session.possible("a", "b") == EVERYTHING
    session.add("a", "BEFORE", "b")
    assert session.change().verdict == "consistent"


@pytest.mark.parametrize("name", ["", " ", None, 3])
def test_a_new_entity_needs_a_name(session, name):
    with pytest.raises(tp.UsageError, match="name of an entity"):
        session.add("left", "BEFORE", name)


def test_files_that_declare_entities_take_no_others(tmp_path):
    with pytest.raises(tp.UsageError, match="no entity 'e99'"):
        tp.Session("examples/corpus/ferry.tml").add("ei4", "BEFORE", "e99")
    table = tmp_path / "links.tsv"
    table.write_text("left\tBEFORE\tdocked\n", "utf-8")
    assert tp.Session(table).add("docked", "BEFORE", "unloaded")


def test_edits_say_what_differs_from_the_opened_document(session):
    session.relabel("l1", "MEETS")
    session.comment("l1", "or BEFORE?")
    session.remove("l2")
    assert session.edits.drop == {"l2"}
    assert session.edits.relabel == {"l1": "MEETS"}
    assert session.edits.comment == {"l1": "or BEFORE?"}
    assert session.changes_count == 2
    session.undo()
    session.relabel("l1", "BEFORE")
    session.comment("l1", "")
    assert not session.edits
    assert session.changes_count == 0
    new = session.add("left", "BEFORE", "unloaded")
    session.comment(new, "follows")
    assert session.edits == Edits(add=[("left", "BEFORE", "unloaded", "l3", "follows")])
    assert session.changes_count == 1
    session.remove(new)
    assert not session.edits


def test_labels_are_spelled_as_in_the_document():
    assert tp.Session([("a", "b", "c")], labels="dense").labels[:4] == ("b", "a", "i", "ii")
    assert tp.Session([("x", "m", "y")], labels="allen").labels == tuple(
        "b m o fi di s = si d f oi mi bi".split()  # noqa: SIM905
    )
    assert tp.Session([("x", "OVERLAP", "y")]).labels.count("OVERLAP") == 1
    assert tp.Session([("x", "b|m", "y")]).labels[0] == "BEFORE"
    assert tp.Session([("x", "b|m", "y"), ("x", "oi", "z")]).labels[-1] == "oi"
    assert "OVERLAP" not in tp.Session([("x", "BEFORE", "y")]).labels


def test_an_answer_that_takes_too_long_is_undecided():
    session = tp.Session([*FERRY, ("unloaded", "b|bi", "left")], time_limit=0)
    assert session.verdict == session.state().verdict == "undecided"
    assert session.state().unfinished
    with pytest.raises(tp.BudgetExceeded):
        session.pair("left", "docked")


def test_a_wrong_model_is_never_a_verdict(session, monkeypatch):
    assert session.verdict == "consistent"
    session.add("unloaded", "AFTER", "left")
    monkeypatch.setattr(judged.Judged, "model", [0, 1] * len(session.document.entity_ids))
    session.relabel("l1", "MEETS")
    assert session.verdict == "undecided"
    monkeypatch.undo()
    assert session.verdict == "consistent"


def test_each_answer_gets_the_whole_time_unless_the_budget_is_for_all(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(network, "monotonic", lambda: now[0])
    links = [*FERRY, ("unloaded", "b|bi", "left")]
    each, together = tp.Session(links, time_limit=1), tp.Session(links, time_limit=tp.Budget(1))
    now[0] = 5.0
    assert each.verdict == "consistent"
    assert together.verdict == "undecided"


def test_judgements_are_tables_in_a_notebook():
    pytest.importorskip("pandas")
    session = tp.Session([("a", "BEFORE", "b"), ("b", "BEFORE", "c"), ("a", "BEFORE", "<i>")])
    judgement = session.judge(add=[("c", "BEFORE", "a")])
    assert list(judgement.to_frame()["found"]) == ["conflict 1"] * 3
    assert list(judgement.to_frame()["id"]) == ["l1", "l2", "l4"]
    assert list(session.judge(add=[("a", "BEFORE", "c")]).to_frame()["found"]) == ["redundant"]
    pair = session.pair("c", "a").to_frame().set_index("label")
    assert pair.loc["BEFORE", "conflict"] == "l1 l2"
    assert list(pair.index[pair["possible"]]) == ["AFTER"]
    assert "conflict 1" in judgement._repr_html_()
    assert "&lt;i&gt;" in session.pair("a", "<i>")._repr_html_()
