"""``apply --set-value``: another calendar value of a time, and no other byte."""

from pathlib import Path

import pytest

import temporacle as tp
from temporacle.cli import run

TEXT = """<?xml version="1.0"?>\r\n<TimeML><DOCID>d</DOCID>
<TEXT>On <TIMEX3 tid="t1" type="DATE" value='1998-02-06'>Friday</TIMEX3> and
<TIMEX3 tid="t2" type="DATE" >Monday</TIMEX3></TEXT>
<TLINK lid="l1" timeID="t2" relatedToTime="t1" relType="BEFORE"/></TimeML>
"""


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("d.tml").write_bytes(TEXT.encode())
    return "d.tml"


def test_a_value_is_replaced_or_added(path, capsys):
    changed = tp.apply(path, set_value={"t1": "1998-02-09", "t2": "1998-02-06"}).decode()
    assert changed == TEXT.replace("'1998-02-06'", "'1998-02-09'").replace('"DATE" >', '"DATE" value="1998-02-06" >')
    assert run(["apply", path, "--set-value", "t2=1998-02-09", "--in-place"]) == 0
    assert "wrote d.tml: 1 value set" in capsys.readouterr().err
    assert [time.value for time in tp.read(path).times] == ["1998-02-06", "1998-02-09"]
    found = tp.check(path, calendar=True)[0]
    assert {fact.id for fact in found.conflict} == {"l1", "t1", "t2"}
    assert len(found.conflicts) == len(found.to_drop) == 1
    assert run(["apply", path, "--set-value", "t2=1998-02-02", "-o", "other.tml"]) == 0
    assert tp.check("other.tml", calendar=True)[0].verdict == "consistent"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("t9=1998", "has no time 't9'"),
        ("t1", "such as t3=1998-02-09"),
        ("t1= ", "such as t3=1998-02-09"),
        ("l1=1", "l1"),
    ],
)
def test_what_cannot_be_set_is_refused(path, capsys, given, said):
    before = Path(path).read_bytes()
    assert run(["apply", path, "--set-value", given, "--in-place"]) == 2
    assert said in capsys.readouterr().err
    assert Path(path).read_bytes() == before


def test_other_formats_are_refused(path, capsys):
    Path("d.tsv").write_text("source\trelation\ttarget\na\tBEFORE\tb\n")
    assert run(["apply", "d.tsv", "--set-value", "a=1998", "-o", "-"]) == 2
    assert "values are set in TimeML and JSON Lines files only" in capsys.readouterr().err
