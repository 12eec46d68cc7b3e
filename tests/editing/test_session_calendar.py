"""``tp.Session`` with a calendar: the values of times count as links do, and are edited like them."""

import json
import pickle
from pathlib import Path
from random import Random

import pytest

import temporacle as tp
from temporacle.editing.saving import OpenFile
from temporacle.model import Body

TEXT = """<?xml version="1.0"?><TimeML><DOCID>d</DOCID><TEXT>On <TIMEX3 tid="t1" type="DATE"
value="1998-02-06">Friday</TIMEX3> and <TIMEX3 tid="t2" type="DATE" value="1998-02-09">Monday</TIMEX3> he <EVENT
eid="e1" class="OCCURRENCE">left</EVENT>.</TEXT><MAKEINSTANCE eiid="ei1" eventID="e1"/>
<TLINK lid="l1" timeID="t2" relatedToTime="t1" relType="BEFORE"/>
<TLINK lid="l2" eventInstanceID="ei1" relatedToTime="t1" relType="IS_INCLUDED"/></TimeML>
"""


@pytest.fixture
def path(tmp_path):
    (tmp_path / "d.tml").write_text(TEXT)
    return tmp_path / "d.tml"


def ids(facts):
    return {fact.id for fact in facts}


def test_values_take_part_in_conflicts_and_reasons(path):
    assert tp.Session(path).verdict == "consistent"
    session = tp.Session(path, calendar=True)
    assert session.verdict == "inconsistent"
    assert [ids(conflict) for conflict in session.conflicts] == [{"t1", "l1", "t2"}]
    assert session.repair().alternative_ids() == {"l1": ["t1", "t2"]}
    assert ids(session.values) == {"t1", "t2"}
    assert ids(session.pair("ei1", "t2").because) == {"l2", "t1", "t2"}
    assert ids(session.why_not("t2", "BEFORE", "ei1")) == {"l2", "t1", "t2"}


def test_a_value_is_judged_set_undone_and_removed(path):
    session = tp.Session(path, calendar="within")
    judged = session.judge(set_value={"t2": "1998-02-02"})
    assert judged.verdict == "consistent"
    assert session.verdict == "inconsistent"
    session.edit(set_value={"t2": "1998-02-02"})
    assert session.last_edit == judged
    assert len(judged.resolved_conflicts) == 1
    assert ids(judged.redundant) == {"l1"}
    assert session.edits.values == {"t2": "1998-02-02"}
    assert session.changes_count == 1
    session.edit(set_value={"t2": "1998-02-27"})
    assert [ids(conflict) for conflict in session.last_edit.new_conflicts] == [{"t1", "l1", "t2"}]
    session.undo()
    session.undo()
    assert session.edits.values == {}
    session.remove("t2")
    assert session.verdict == "consistent"
    assert session.edits.values == {"t2": None}
    assert pickle.loads(pickle.dumps(session)).document.times[1].value is None


@pytest.mark.parametrize(("value", "said"), [({"t9": "1998"}, "no time 't9'"), ({"t1": " "}, "such as 1998-02-09")])
def test_what_cannot_be_set_is_refused(path, value, said):
    session = tp.Session(path, calendar=True)
    with pytest.raises(tp.UsageError, match=said):
        session.edit(set_value=value)
    assert session.undo_count == 0


def test_values_are_saved_and_nothing_else_changes(path):
    session = tp.Session(path, calendar=True)
    file = OpenFile(path)
    session.edit(set_value={"t2": "1998-02-02"})
    file.save("d", session.document)
    assert path.read_text() == TEXT.replace("1998-02-09", "1998-02-02")
    session.edit(set_value={"t2": None})
    file.save("d", session.document)
    assert path.read_text() == TEXT.replace(' value="1998-02-09"', "")
    session.undo()
    session.undo()
    file.save("d", session.document)
    assert path.read_text() == TEXT


def test_values_are_saved_in_json_lines(tmp_path):
    file = tmp_path / "d.jsonl"
    tp.write([tp.read(Path(_written(tmp_path)))], file, format="jsonl")
    before = json.loads(file.read_text())
    opened = OpenFile(file)
    session = tp.Session(opened.document("d"), calendar=True)
    session.edit(set_value={"t1": "1998-03-06", "t2": None})
    opened.save("d", session.document)
    after = json.loads(file.read_text())
    values = {each["id"]: each.get("value") for each in after["entities"]}
    assert (values["t1"], values["t2"]) == ("1998-03-06", None)
    for document in (before, after):
        for each in document["entities"]:
            each.pop("value", None)
    assert before == after


def _written(folder):
    (folder / "d.tml").write_text(TEXT)
    return folder / "d.tml"


VALUES = ("1998-02-06", "1998-02-09", "1998-02", "1998-03", "1998", "P1D", "P2M", "199X", None)
LABELS = ("BEFORE", "AFTER", "INCLUDES", "IS_INCLUDED", "SIMULTANEOUS", "IBEFORE")


def random_document(rng):
    names = [f"t{number}" for number in range(rng.randint(2, 4))] + ["e0", "e1"]
    entities = tuple(
        tp.Entity(name, tp.Kind.TIME if name[0] == "t" else tp.Kind.EVENT, name, value=None) for name in names
    )
    links = [(*rng.sample(names, 2), rng.choice(LABELS)) for _ in range(rng.randint(2, 6))]
    return tp.Document(
        "d",
        tuple((source, label, target) for source, target, label in links),
        tuple(names),
        body=Body(
            tuple(each._replace(value=rng.choice(VALUES[:-1])) for each in entities if each.id[0] == "t")
            + tuple(each for each in entities if each.id[0] == "e")
        ),
    )


@pytest.mark.parametrize("seed", range(25))
def test_every_step_is_what_a_fresh_check_says(seed):
    """The simple twin: ``tp.check`` and ``tp.Oracle`` of the document as it stands after each step."""
    rng = Random(seed)
    session = tp.Session(random_document(rng), calendar=True)
    times = [each.id for each in session.document.times]
    for _ in range(8):
        step(session, rng, times)
        document = session.document
        check = tp.check(document, calendar=True)[0]
        assert session.verdict == check.verdict
        repair = session.repair().dropped if session.verdict == "inconsistent" else ()
        assert len(repair) == len(check.to_drop or ())
        assert len(session.conflicts) == len(repair)
        if not session.state().repair_kept:
            assert [ids(each) for each in session.conflicts] == [ids(each) for each in check.conflicts]
        for conflict in session.conflicts:
            assert not is_consistent(document, conflict)
            assert all(is_consistent(document, conflict[:k] + conflict[k + 1 :]) for k in range(len(conflict)))
        if session.verdict == "consistent":
            oracle = tp.Oracle(document, calendar=True)
            source, target = rng.sample(document.entity_ids, 2)
            assert session.possible(source, target) == oracle.strongest(source, target)
            assert ids(session.state().redundant) == {
                link.id
                for link in document.links
                if tp.Oracle(without(document, link), calendar=True).entails(link.source, link.relation, link.target)
                is tp.Verdict.ENTAILED
            }


def step(session, rng, times):
    links = [link.id for link in session.document.links]
    chosen = rng.random()
    if chosen < 0.4:
        session.edit(set_value={rng.choice(times): rng.choice(VALUES)})
    elif chosen < 0.55:
        source, target = rng.sample(session.document.entity_ids, 2)
        session.add(source, rng.choice(LABELS), target)
    elif chosen < 0.7 and links:
        session.remove(rng.choice(links))
    elif chosen < 0.8 and links:
        session.relabel(rng.choice(links), rng.choice(LABELS))
    elif session.undo_count:
        before = session.document, session.verdict, session.conflicts
        session.undo()
        session.redo()
        assert (session.document, session.verdict, session.conflicts) == before
        session.undo()


def without(document, link):
    return tp.Document(
        document.id, tuple(each for each in document.links if each != link), document.entity_ids, body=document.body
    )


def is_consistent(document, facts):
    """Whether some facts alone can be true: a document of them, decided by a fresh oracle."""
    kept = ids(facts)
    entities = tuple(
        each if each.id in kept or each.value is None else each._replace(value=None) for each in document.entities
    )
    alone = tp.Document(
        "alone",
        tuple(link for link in document.links if link in facts),
        document.entity_ids,
        body=Body(entities, document.text),
    )
    return isinstance(tp.Oracle(alone, calendar=True).consistency(), tp.Consistent)
