"""``engine=`` in Python: who decides, what is refused, and what a corpus with a large document gets."""

from __future__ import annotations

import pytest

import temporacle as tp
from temporacle.cli import run
from temporacle.errors import UsageError
from temporacle.results import DocumentVerdict, Verdict
from temporacle.tasks.entails import entails

FINE = [("a", "BEFORE", "b"), ("b", "b|bi", "c"), ("a", "BEFORE", "c")]
CYCLE = [("a", "BEFORE", "b"), ("b", "BEFORE", "c"), ("c", "BEFORE", "a"), ("a", "BEFORE", "d")]
LONG = [(f"x{k}", "BEFORE", f"x{k + 1}") for k in range(7)]
OTHERS = ["cpsat", "enumeration"]


@pytest.mark.parametrize("engine", OTHERS)
def test_check(engine):
    (fine,) = tp.check(FINE, engine=engine)
    assert (fine.verdict, fine.decided_by) == (DocumentVerdict.CONSISTENT, engine)
    (wrong,) = tp.check(CYCLE, engine=engine)
    assert (wrong.verdict, wrong.decided_by) == (DocumentVerdict.INCONSISTENT, engine)
    assert [[link.id for link in conflict] for conflict in wrong.conflicts] == [["l1", "l2", "l3"]]


@pytest.mark.parametrize("engine", OTHERS)
def test_one_conflict_and_no_repair(engine):
    both = [*CYCLE, ("x", "m", "y"), ("y", "m", "x")]
    (found,) = tp.check(both, engine=engine)
    assert found.conflicts == (found.conflict,)
    assert (found.repair, found.repair_status) == (None, "not-asked")
    for more in ({"repair": True}, {"all_conflicts": 3}):
        with pytest.raises(tp.UsageError, match="exact"):
            tp.check(both, engine=engine, **more)


@pytest.mark.parametrize("engine", OTHERS)
def test_entails(engine):
    exact, found = entails(FINE, "b", "b|bi", "c"), entails(FINE, "b", "b|bi", "c", engine=engine)
    assert found.verdict is exact.verdict is Verdict.ENTAILED
    assert found.because == exact.because
    refuted = entails(FINE, "b", "BEFORE", "a", engine=engine)
    assert refuted.verdict is Verdict.REFUTED
    assert [link.id for link in refuted.because] == ["l1"]
    assert entails(FINE, "b", "BEFORE", "c", engine=engine).verdict is Verdict.OPEN


@pytest.mark.filterwarnings("ignore:the keyword write is now:DeprecationWarning")
@pytest.mark.parametrize("engine", OTHERS)
@pytest.mark.parametrize(
    "option",
    [{"repair": True}, {"relabel": True}, {"certificates": "folder"}, {"calendar": True}],
)
def test_what_only_exact_does_is_refused(engine, option):
    with pytest.raises(UsageError, match=f"the engine {engine} has no .*choose exact"):
        tp.check(CYCLE, engine=engine, **option)


@pytest.mark.parametrize("engine", ["timegraph", "nonsense"])
def test_unknown_engines(engine):
    for ask in (lambda: tp.check(FINE, engine=engine), lambda: entails(FINE, "a", "b", "b", engine=engine)):
        with pytest.raises(UsageError, match="choose exact, cpsat or enumeration"):
            ask()


def test_enumeration_of_a_large_document(tmp_path):
    with pytest.raises(UsageError, match="up to 6 entities, but there are 8: use the engine exact or cpsat"):
        tp.check(LONG, engine="enumeration")
    with pytest.raises(UsageError, match="there are 8"):
        tp.closure(LONG, engine="enumeration")
    with pytest.raises(UsageError, match="there are 8"):
        entails(LONG, "x0", "b", "x3", engine="enumeration")
    for name, links in (("large", LONG), ("small", FINE)):
        (tmp_path / f"{name}.tsv").write_text("".join("\t".join(link) + "\n" for link in links))
    found = {each.document: each for each in tp.check(str(tmp_path), engine="enumeration")}
    assert sorted(each.verdict.value for each in found.values()) == ["consistent", "undecided"]
    (undecided,) = [each for each in found.values() if each.verdict is DocumentVerdict.UNDECIDED]
    assert "there are 8" in undecided.error
    closures = {each.document: each for each in tp.closure(str(tmp_path), engine="enumeration")}
    assert closures["small"].verdict is DocumentVerdict.CONSISTENT
    assert closures["large"].reason.startswith("enumeration lists every scenario and goes up to 6 entities")


@pytest.mark.parametrize(
    "line", ["check --output table", "check --output sarif", "check --output json", "closure", "entails"]
)
def test_a_refusal_of_the_only_document_prints_nothing(line, tmp_path, capsys):
    command, *output = line.split()
    path = tmp_path / "large.tsv"
    path.write_text("".join("\t".join(link) + "\n" for link in LONG))
    question = ["x0", "BEFORE", "x3"] if command == "entails" else []
    assert run([command, str(path), *question, "--engine", "enumeration", *output]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "there are 8" in said.err


@pytest.mark.parametrize("engine", ["exact", *OTHERS])
def test_json_names_the_engine(engine):
    assert entails(FINE, "b", "BEFORE", "c", engine=engine).to_dict()["decided_by"] == engine
    for links in (FINE, CYCLE[:3]):
        for row in tp.closure(links, engine=engine).to_dict():
            assert row.get("decided_by", "exact") == engine


def test_an_oracle_without_certificates_of_closures():
    with pytest.raises(UsageError, match="the engine cpsat has no certificates"):
        tp.Oracle(FINE, engine="cpsat").closure_certificate()
