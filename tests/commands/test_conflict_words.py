"""Conflicts as annotators get them: words, lines and sentences, in the text's order, as many as the repair resolves."""

import json

import pytest
from shared_data import shared

from temporacle.cli import run
from temporacle.tasks.check import check

STORM = """<?xml version="1.0"?>
<TimeML>
<DOCID>storm</DOCID>
<DCT><TIMEX3 tid="t0" type="DATE" value="2021-09-14" functionInDocument="CREATION_TIME">14 September</TIMEX3></DCT>
<TEXT>Officials <EVENT eid="e1">said</EVENT> two <EVENT eid="e2">deaths</EVENT> were <EVENT eid="e3">reported</EVENT>.
The storm <EVENT eid="e4">began</EVENT> at noon, they <EVENT eid="e5">said</EVENT>.

Ships <EVENT eid="e6">sank</EVENT></TEXT>
<MAKEINSTANCE eiid="ei1" eventID="e1"/><MAKEINSTANCE eiid="ei2" eventID="e2"/><MAKEINSTANCE eiid="ei3" eventID="e3"/>
<MAKEINSTANCE eiid="ei4" eventID="e4"/><MAKEINSTANCE eiid="ei5" eventID="e5"/><MAKEINSTANCE eiid="ei6" eventID="e6"/>
<TLINK lid="l1" eventInstanceID="ei6" relatedToEventInstance="ei2" relType="BEFORE"/>
<TLINK lid="l2" eventInstanceID="ei2" relatedToEventInstance="ei3" relType="BEFORE"/>
<TLINK lid="l3" eventInstanceID="ei3" relatedToEventInstance="ei6" relType="BEFORE"/>
<TLINK lid="l4" eventInstanceID="ei1" relatedToEventInstance="ei5" relType="BEFORE"/>
<TLINK lid="l5" eventInstanceID="ei5" relatedToEventInstance="ei1" relType="BEFORE"/>
<TLINK lid="l6" eventInstanceID="ei4" relatedToTime="t0" relType="BEFORE"/>
</TimeML>
"""


@pytest.fixture
def storm(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "storm.tml").write_text(STORM)
    return tmp_path


def said(capsys, *arguments):
    code = run(["check", *arguments])
    assert code == 1
    return capsys.readouterr().out


def row(capsys, *arguments):
    return json.loads(said(capsys, *arguments, "--output", "json").splitlines()[0])


def test_terminal(storm, capsys):
    out = said(capsys, "storm.tml")
    assert out.split("document  ")[0].splitlines() == [
        "storm (storm.tml): inconsistent",
        "  These 3 links contradict each other (conflict 1 of 2). Removing any one of them resolves this conflict.",
        '    l2 (line 12): "deaths" BEFORE "reported"',
        '    l1 (line 11): "sank" BEFORE "deaths"',
        '    l3 (line 13): "reported" BEFORE "sank"',
        "  Text:",
        "    Officials said two [deaths] were [reported].",
        "    Ships [sank]",
        "  Why:",
        '    ei2 "deaths" ends before ei3 "reported" starts (l2, line 12)',
        '    ei3 "reported" starts before it ends',
        '    ei3 "reported" ends before ei6 "sank" starts (l3, line 13)',
        '    ei6 "sank" starts before it ends',
        '    ei6 "sank" ends before ei2 "deaths" starts (l1, line 11)',
        '    ei2 "deaths" starts before it ends',
        '    so ei2 "deaths" would end before it ends',
        "  These 2 links contradict each other (conflict 2 of 2). Removing any one of them resolves this conflict.",
        '    l4 (line 14): "said" (ei1) BEFORE "said" (ei5)',
        '    l5 (line 15): "said" (ei5) BEFORE "said" (ei1)',
        "  Text:",
        "    Officials [said] two deaths were reported.",
        "    The storm began at noon, they [said].",
        "  Why:",
        '    ei1 "said" ends before ei5 "said" starts (l4, line 14)',
        '    ei5 "said" starts before it ends',
        '    ei5 "said" ends before ei1 "said" starts (l5, line 15)',
        '    ei1 "said" starts before it ends',
        '    so ei1 "said" would end before it ends',
        "  The document needs 2 links removed; for example l1, l4.",
        "    Remove l1 (l2 or l3 would also do)",
        "    Remove l4 (l5 would also do)",
    ]


def test_json(storm, capsys):
    found = row(capsys, "storm.tml", "--repair")
    assert [[link["id"] for link in links] for links in found["conflicts"]] == [["l2", "l1", "l3"], ["l4", "l5"]]
    assert found["conflict"] == found["conflicts"][1]
    assert len(found["conflicts"]) == len(found["repair"]) == 2
    assert found["conflicts"][0][0] == {
        "id": "l2",
        "source": "ei2",
        "relation": ["b"],
        "label": "BEFORE",
        "target": "ei3",
        "line": 12,
        "source_text": "deaths",
        "target_text": "reported",
    }
    assert [[each["text"] for each in sentences] for sentences in found["sentences"]] == [
        ["Officials said two deaths were reported.", "Ships sank"],
        ["Officials said two deaths were reported.", "The storm began at noon, they said."],
    ]
    assert found["sentences"][0][0]["entities"] == ["ei2", "ei3"]


def test_one_conflict_without_a_repair(storm, capsys):
    found = row(capsys, "storm.tml", "--no-repair")
    assert [link["id"] for link in found["conflict"]] == ["l4", "l5"]
    assert found["conflicts"] == [found["conflict"]]


def test_documents_without_text(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "links.tsv").write_text("b\tBEFORE\ta\nx\tBEFORE\ty\na\tBEFORE\tb\n")
    out = said(capsys, "links.tsv", "--repair")
    assert "    1 (line 1): b BEFORE a\n    3 (line 3): a BEFORE b\n  Why:\n" in out
    assert "Text:" not in out
    found = row(capsys, "links.tsv", "--repair")
    assert "sentences" not in found
    assert found["conflict"][0].keys() == {"id", "source", "relation", "label", "target", "line"}


def test_long_conflicts_are_short_for_people_and_whole_in_json(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    count = 3000
    (tmp_path / "ring.tsv").write_text("".join(f"e{k}\tBEFORE\te{(k + 1) % count}\n" for k in range(count)))
    out = said(capsys, "ring.tsv")
    assert len(out.splitlines()) < 60
    assert "... and 2980 more; --output json has all of them" in out
    assert "so e0 would end before it ends" in out
    found = row(capsys, "ring.tsv")
    assert (len(found["conflict"]), len(found["explanation"])) == (count, 2 * count + 1)


def test_many_conflicts_are_counted(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "many.tsv").write_text("".join(f"a{k}\tBEFORE\tb{k}\nb{k}\tBEFORE\ta{k}\n" for k in range(15)))
    out = said(capsys, "many.tsv", "--repair")
    assert "(conflict 10 of 15)" in out
    assert "5 more conflicts; --output json lists them." in out
    assert len(row(capsys, "many.tsv", "--repair")["conflicts"]) == 15


def test_notebooks_escape_the_words_of_the_text(tmp_path):
    (tmp_path / "evil.tml").write_text(STORM.replace("deaths", "&lt;b>deaths&lt;/b>"))
    html = check(str(tmp_path / "evil.tml"), repair=True)[0]._repr_html_()
    assert "<b>deaths" not in html
    assert "&lt;b&gt;deaths" in html


@pytest.mark.corpora
def test_real_documents_get_as_many_conflicts_as_their_repairs_drop():
    """Runs of many systems; a few of their entities have no words, such as empty time expressions."""
    folder = shared("corpora", "te3-systems", "TIPSemB")
    conflicts = named = silent = 0
    for found in check(str(folder), repair=True):
        assert len(found.conflicts) == len(found.to_drop)
        for links in found.conflicts:
            names = {name for link in links for name in link.entities}
            words = {name for name in names if name in found.excerpts.texts}
            quoted = {mention.entity for each in found.excerpts.quotations(names) for mention in each.mentions}
            assert quoted <= words
            conflicts += 1
            named += len(words)
            silent += len(names - words)
    assert conflicts
    assert named > 20 * silent
