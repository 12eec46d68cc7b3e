"""Mappings: what they change, what is wrong with one, and where they show."""

import json
import pickle

import pytest

import temporacle as tp
from temporacle.cli import run
from temporacle.errors import UsageError
from temporacle.io.source import Options
from temporacle.io.tools.mapping import BUILT_IN, kind_named, load_mapping

ANN = "T1\tevent 0 1\ta\nT2\tevent 2 3\tb\nT3\tthing 4 5\tc\nR1\tAFTER Arg1:T1 Arg2:T2\nR2\tCOEX Arg1:T1 Arg2:T3\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.ann").write_text(ANN)
    (tmp_path / "x.txt").write_text("a b c")
    return tmp_path


def mapping(folder, text):
    (folder / "m.toml").write_text(text)
    return "m.toml"


def links(**options):
    return [(link.source, link.label, link.target) for link in tp.read("x.ann", **options).links]


def test_a_mapping_can_turn_links_round(folder):
    assert links() == [("T1", "AFTER", "T2")]
    assert links(mapping="timeset") == [("T2", "AFTER", "T1")]
    document = tp.read("x.ann", mapping="timeset")
    assert [(remark.code, remark.element) for remark in document.dropped] == [("not-an-entity", "R2")]
    assert str(document.links[0].relation) == "mi|bi"
    assert str(tp.read("x.ann", mapping="timeset", labels="timeml").links[0].relation) == "bi"


def test_an_entity_may_need_attributes_and_a_link(folder):
    rules = """
        name = "mine"
        [[entity]]
        type = "event"
        kind = "event"
        when = { Real = "yes" }
        [[entity]]
        type = "thing"
        kind = "time"
        only_linked = true
        value = "Iso"
        dct = { Role = "creation" }
        [[link]]
        type = "COEX"
        means = "SIMULTANEOUS"
    """
    (folder / "x.ann").write_text(ANN + "A1\tReal T1 yes\nA2\tIso T3 2020\nA3\tRole T3 creation\nT4\tthing 0 1\ta\n")
    document = tp.read("x.ann", mapping=mapping(folder, rules))
    assert [(entity.id, entity.kind.value, entity.value, entity.is_dct) for entity in document.entities] == [
        ("T1", "event", None, False),
        ("T3", "time", "2020", True),
    ]
    assert [(link.id, link.label) for link in document.links] == [("R2", "SIMULTANEOUS")]
    assert [remark.element for remark in document.remarks if remark.code == "other-relations"] == ["AFTER x1"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('nam = "x"', "unknown key 'nam': a mapping has name, .*, entity, link, doctimerel"),
        ('[[link]]\ntype = "x"\nsorce = "a"', r"unknown key 'sorce': \[\[link\]\] has type, feature"),
        ('[[link]]\nfeature = "x"', r"a \[\[link\]\] has no type"),
        ('[link]\ntype = "x"', r"write \[\[link\]\], with two brackets"),
        ('[[entity]]\ntype = "x"\nkind = "place"', "must be event or time"),
        ('[[entity]]\ntype = "x"\nkind = "event"\nwhen = { a = 1 }', "compare attributes with strings"),
        ('[[entity]]\ntype = "x"\nkind = "event"\nonly_linked = "yes"', "must be a bool"),
        ('[[link]]\ntype = "x"\nlabel = "a"\nmeans = "b"', "both label and means"),
        ('[[doctimerel]]\ntype = "x"', "has no feature"),
        ('[[doctimerel]]\ntype = "x"\nfeature = "f"\n[doctimerel.labels]\nA = "zz"', "not a set of atoms"),
        ('labels = "nonsense"', "labels='nonsense': choose timeml"),
        ('reading = "nonsense"', "labels='nonsense': choose timeml"),
        ('labels = "thyme"\nreading = "thyme"', "labels and reading .* cannot be combined"),
        ("name = ", "not a valid TOML mapping"),
    ],
)
def test_what_is_wrong_with_a_mapping_is_said(folder, text, reason):
    with pytest.raises(UsageError, match=reason):
        tp.read("x.ann", mapping=mapping(folder, text))


def test_unknown_mappings_are_refused_with_the_known_ones(folder, capsys):
    assert run(["check", "x.ann", "--mapping", "e4c"]) == 2
    assert "--mapping e4c: choose e3c, timeset or a .toml file. Did you mean e3c?" in capsys.readouterr().err
    assert run(["check", "x.ann", "--mapping", "gone.toml"]) == 2


def test_a_rule_about_a_type_that_no_file_has_is_reported_once(folder, capsys):
    (folder / "y.ann").write_text(ANN)
    entities = "".join(f'[[entity]]\ntype = "{name}"\nkind = "event"\n' for name in ("event", "thng"))
    text = entities + '[[link]]\ntype = "AFTER"'
    run(["check", ".", "--mapping", mapping(folder, text)])
    said = capsys.readouterr().err
    assert said.count("'thng'") == 1
    assert "unused-rule" in said
    (folder / "z.ann").write_text("T1\ttimex 0 1\ta\n")
    run(["check", ".", "--mapping", "timeset"])
    assert "unused-rule" not in capsys.readouterr().err


def test_a_mapping_is_part_of_how_a_document_was_read(folder, capsys):
    first = tp.read("x.ann", mapping="timeset")
    assert any(choice.startswith("mapping-timeset@") for choice in first.how_read.choices)
    assert pickle.loads(pickle.dumps(first)).how_read == first.how_read
    assert tp.apply(first, drop=["R1"]).decode() == ANN.replace("R1\tAFTER Arg1:T1 Arg2:T2\n", "")
    mapping(folder, 'name = "m"\n[[link]]\ntype = "COEX"\n')
    (folder / "n.toml").write_text('name = "m"\n[[link]]\ntype = "AFTER"\n')
    signed = {load_mapping(name).signed for name in ("m.toml", "n.toml")}
    assert len(signed) == 2
    run(["score", "x.ann", "x.ann", "--mapping", "timeset", "--output", "json"])
    assert "mapping-timeset@" in json.loads(capsys.readouterr().out.splitlines()[-1])["signature"]
    assert run(["check", "x.ann", "--mapping", "timeset", "--certificates", "c"]) == 2
    assert "does not record" in capsys.readouterr().err


@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in_mappings_are_in_order(name):
    found = load_mapping(name)
    assert found.entities
    assert found.links
    assert found.reading is not None
    assert hash(found) == hash(load_mapping(name))
    assert Options(mapping=name).mapping == found


def test_names_decide_without_a_mapping():
    times = ["TIMEX3", "custom:Timex", "Time", "a.b.DATE", "sec_time", "DCT", "DocumentCreationTime", "TempEx"]
    events = ["EVENT", "event-1", "MyEvent", "x.Event_Mention", "eventive"]
    assert {kind_named(name).value for name in times} == {"time"}
    assert {kind_named(name).value for name in events} == {"event"}
    assert not [name for name in ("Person", "Setting", "Timeline", "Preventing") if kind_named(name) is not None]


def test_a_task_whose_annotations_were_all_cancelled_is_reported(folder):
    task = {"id": 1, "data": {"text": "x"}, "annotations": [{"id": 2, "was_cancelled": True, "result": []}]}
    (folder / "t.json").write_text(json.dumps([task]))
    document = tp.read("t.json")
    assert [(remark.code, remark.element) for remark in document.remarks] == [("skipped-annotation", "1")]
    assert (document.text, document.entities) == ("x", ())


CORPUS = "T1\tEVENT 0 4\tleft\nT2\tEVENT 5 11\tdocked\nT3\tShip 12 17\tferry\n"


def test_an_unknown_type_between_two_events_is_skipped_unless_the_mapping_ignores_it(folder):
    (folder / "x.txt").write_text("left docked ferry")
    relations = "R1\tPRECEDES Arg1:T1 Arg2:T2\nR2\tFOLLOWS Arg1:T1 Arg2:T2\nR3\tAgent Arg1:T1 Arg2:T3\n"
    (folder / "x.ann").write_text(CORPUS + relations)
    (found,) = tp.check("x.ann")
    assert found.verdict == "unchecked"
    assert found.skipped_links == {"unknown-label": 2}
    assert [each.element for each in found.remarks if each.code == "other-relations"] == ["Agent x1"]
    (found,) = tp.check("x.ann", mapping=mapping(folder, 'ignore = ["precedes", "FOLLOWS"]'))
    assert (found.verdict, found.skipped_links) == ("consistent", {})
    listed = [each.element for each in found.remarks if each.code == "other-relations"]
    assert listed == ["Agent x1, FOLLOWS x1, PRECEDES x1"]


def test_the_built_in_mapping_that_would_read_more_is_named(folder):
    (folder / "x.txt").write_text("left docked ferry")
    (folder / "x.ann").write_text(CORPUS + "R1\tCOEX Arg1:T1 Arg2:T2\nR2\tAFTER Arg1:T1 Arg2:T2\n")
    (remark,) = [each for each in tp.read("x.ann").remarks if each.code == "unknown-label"]
    assert "the mapping timeset would read 2 links of this file: give mapping='timeset'" in remark.message
