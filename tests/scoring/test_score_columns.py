"""Tables with several columns of labels: the caller chooses; the same input on both sides is a warning."""

import pandas as pd
import pytest

import temporacle as tp
from temporacle.cli import run

ROWS = [("a", "b", "BEFORE", "BEFORE"), ("b", "c", "AFTER", "BEFORE")]
TABLE = pd.DataFrame(ROWS, columns=["source", "target", "gold", "pred"])


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "both.csv"
    TABLE.to_csv(path, index=False)
    return str(path)


@pytest.mark.parametrize(
    "names", [("gold", "pred"), ("relation", "pred"), ("truth", "mine"), ("label", "system_label")]
)
def test_two_columns_of_labels_are_refused(names, tmp_path, capsys):
    frame = TABLE.set_axis(["source", "target", *names], axis=1)
    path = tmp_path / "both.tsv"
    frame.to_csv(path, index=False, sep="\t")
    for source in (frame, path):
        for metric in ("pairs", "awareness"):
            with pytest.raises(tp.UsageError, match=f"{names[0]}.*{names[1]}.*gold_columns="):
                tp.score(source, source, metric=metric)
    assert run(["score", str(path), str(path)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert f"--gold-columns relation={names[0]}" in err
    assert f"--system-columns relation={names[1]}" in err


def test_columns_of_each_side(table, capsys):
    expected = tp.score([("a", "BEFORE", "b"), ("b", "AFTER", "c")], [("a", "BEFORE", "b"), ("b", "BEFORE", "c")])
    for source in (TABLE, table):
        found = tp.score(source, source, gold_columns={"relation": "gold"}, system_columns={"relation": "pred"})
        assert (found.f1, found.warnings) == (expected.f1, ())
        turned = tp.score(source, source, gold_columns="relation=pred", system_columns="relation=gold")
        assert turned.recall == found.precision
    arguments = ["--gold-columns", "relation=gold", "--system-columns", "relation=pred", "--output", "json"]
    assert run(["score", table, table, *arguments]) == 0
    assert f'"f1": {float(expected.f1)}' in capsys.readouterr().out
    assert run(["score", table, table, "--gold-columns", "relation=god", "--system-columns", "relation=pred"]) == 2


def test_other_columns_are_no_labels():
    frame = TABLE.rename(columns={"gold": "relation"}).assign(pred=["sure", "not sure"], label=["BEFORE", "AFTER"])
    frame = frame.rename(columns={"pred": "remark"})
    assert tp.score(frame, frame.copy()).f1 == 1


def test_the_same_input_is_told(tmp_path, capsys):
    path = tmp_path / "links.tsv"
    path.write_text("a\tBEFORE\tb\n")
    rows = [("a", "BEFORE", "b")]
    for source in (rows, path):
        with pytest.warns(tp.InputWarning, match="same-input"):
            found = tp.score(source, source)
        assert found.f1 == 1
        assert "same-input" in repr(found)
        assert tp.score(source, source, allow="same-input").warnings == ()
    assert tp.score(rows, list(rows)).warnings == ()
    assert run(["score", str(path), str(path)]) == 0
    assert "same-input" in capsys.readouterr().err
    assert run(["score", str(path), str(path), "--allow", "same-input"]) == 0
    assert "same-input" not in capsys.readouterr().err


@pytest.mark.parametrize("command", ["score", "agree", "official matres"])
@pytest.mark.parametrize("output", ["table", "json"])
def test_a_table_among_others_is_refused_before_the_first_row(command, output, tmp_path, capsys):
    for side in ("gold", "system"):
        (tmp_path / side).mkdir()
        TABLE[["source", "target", "gold"]].to_csv(tmp_path / side / "a.csv", index=False)
        TABLE.to_csv(tmp_path / side / "b.csv", index=False)
    sides = [str(tmp_path / side) for side in ("gold", "system")]
    assert run([*command.split(), *sides, "--output", output]) == 2
    told = capsys.readouterr()
    assert not told.out
    assert "b.csv" in told.err
    assert "several columns of labels: 'gold', 'pred'; choose one" in told.err
    chosen = ["--gold-columns", "relation=gold", "--system-columns", "relation=gold"]
    if command == "score":
        assert run([*command.split(), *sides, *chosen, "--output", output]) == 0
