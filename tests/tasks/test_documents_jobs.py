"""``closure``, ``entails`` and ``reduce`` from Python and on the command line: the same answers."""

import csv
import io
import json
from random import Random

import pandas as pd
import pytest

import temporacle as tp
from temporacle.cli import run
from temporacle.reasoner.network import Budget
from temporacle.reasoner.points.minimal_graph import Reduction
from temporacle.tasks.closure import DocumentReduction
from temporacle.tasks.entails import entails

CHAIN = [("a", "MEETS", "b"), ("b", "BEFORE", "c"), ("x", "VAGUE", "a")]
CYCLE = [("a", "BEFORE", "b"), ("b", "BEFORE", "a")]


@pytest.fixture
def corpus(tmp_path):
    """A document of each kind."""
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "1good.tsv").write_text("a\tm\tb\nb\tBEFORE\tc\nx\tVAGUE\ta\n")
    (folder / "2bad.tsv").write_text("a\tb\tb\nb\tb\ta\n")
    (folder / "3broken.tml").write_text("<TimeML>")
    (folder / "4dropped.tsv").write_text("a\tb\tb\na\tNEAR\tb\n")
    return folder


def lines(capsys, *arguments):
    code = run([*map(str, arguments), "--output", "json"])
    return code, [json.loads(line) for line in capsys.readouterr().out.splitlines()]


# --- closure ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"points": True}, {"all": True}, {"engine": "timegraph"}])
def test_closure_is_what_the_command_prints(corpus, capsys, options):
    flags = [f"--{name}" if value is True else f"--{name}={value}" for name, value in options.items()]
    code, rows = lines(capsys, "closure", corpus, *flags)
    assert code == 1
    assert tp.closure(corpus, **options).to_dict() == rows


def test_closures_of_a_corpus_keep_every_document(corpus):
    found = tp.closure(corpus)
    assert [each.verdict.value for each in found] == ["consistent", "inconsistent", "unreadable", "consistent"]
    assert repr(found) == "Closures(4 documents, 1 inconsistent, 1 unreadable; links 1 skipped: 1 unknown-label)"
    assert "3broken.tml" in found[2].reason
    assert [remark.code for remark in found[3].dropped] == ["unknown-label"]
    assert [repr(each) for each in found[:2]] == [
        "DocumentClosure('1good', 4 entities)",
        "DocumentClosure('2bad', inconsistent)",
    ]


def test_closure_as_a_frame_and_in_a_notebook():
    found = tp.closure(CHAIN)
    frame = found.to_frame()
    assert list(frame.columns) == ["document", "source", "relation", "target"]
    assert frame.to_numpy().tolist() == [
        ["document", *row] for row in [("a", "m", "b"), ("a", "b", "c"), ("b", "b", "c")]
    ]
    assert tp.closure(frame).to_dict() == found.to_dict()  # a frame of a closure is a source again
    html = tp.closure([("<b>", "b|m", "b")])._repr_html_()
    assert "&lt;b&gt;" in html
    assert "<b>" not in html
    assert "inconsistent" in tp.closure(CYCLE)._repr_html_()
    assert tp.closure(CYCLE).to_frame().empty
    nothing = {"source": [], "relation": [], "target": []}
    assert list(tp.closure(nothing).to_frame().columns) == list(frame.columns)


def test_closure_without_pandas_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(tp.UsageError, match="pip install pandas"):
        tp.closure(CHAIN).to_frame()


def test_closure_beyond_the_budget_is_undecided():
    hard = [(f"x{i}", "b|bi|o|oi", f"x{j}") for i in range(9) for j in range(i)]
    (row,) = tp.closure(hard, time_limit=0).to_dict()
    assert row["verdict"] == "undecided"
    assert "budget" not in row


# --- entails ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("relation", "because"), [("BEFORE", ["1", "2"]), ("AFTER", ["1", "2"]), ("b|=", ["1", "2"])])
def test_entails_is_what_the_command_prints(corpus, capsys, relation, because):
    path = corpus / "1good.tsv"
    _, (row,) = lines(capsys, "entails", path, "a", relation, "c")
    assert entails(path, "a", relation, "c").to_dict() == row
    assert [link["id"] for link in row["because"]] == because
    assert set(row["because"][0]) == {"id", "source", "relation", "label", "target", "line"}


def test_the_table_of_entails_names_the_links(corpus, capsys):
    run(["entails", str(corpus / "1good.tsv"), "a", "BEFORE", "c"])
    shown = capsys.readouterr().out
    assert "follows from" in shown
    assert "a BEFORE c follows from these 2 links:\n  1 (line 1): a m b\n  2 (line 2): b BEFORE c\n" in shown
    assert "Strongest relation: a b c\n  b: ends before the other starts\n" in shown
    run(["entails", str(corpus / "1good.tsv"), "a", "AFTER", "c"])
    assert "contradicts" in capsys.readouterr().out
    run(["entails", str(corpus / "1good.tsv"), "a", "=", "a"])
    assert "whether or not the links hold" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("path", "relation", "verdict"), [("1good.tsv", "VAGUE", None), ("2bad.tsv", "b", "inconsistent")]
)
def test_entails_always_has_a_list_of_reasons(corpus, capsys, path, relation, verdict):
    _, (row,) = lines(capsys, "entails", corpus / path, "a", relation, "b")
    assert row["because"] == []
    assert verdict in (None, row["verdict"])


def test_an_open_question_has_no_reason(corpus, capsys):
    _, (row,) = lines(capsys, "entails", corpus / "1good.tsv", "x", "b", "a")
    assert (row["verdict"], row["because"]) == ("open", [])


def test_one_document_of_several_is_chosen_by_its_id(corpus, tmp_path):
    both = [tp.Document("one", CHAIN), tp.Document("two", CYCLE)]
    assert entails(both, "a", "BEFORE", "c", document="one").verdict is tp.Verdict.ENTAILED
    with pytest.raises(tp.UsageError, match="2 documents"):
        entails(both, "a", "BEFORE", "c")
    with pytest.raises(tp.UsageError, match="no readable document called 'three'"):
        entails(both, "a", "BEFORE", "c", document="three")
    with pytest.raises(TypeError):
        bool(entails(both, "a", "BEFORE", "c", document="one"))


# --- reduce ----------------------------------------------------------------------------------------------------------


def random_documents(count):
    rng = Random("reduce")
    for number in range(count):
        names = [f'e"{k}' if k == 1 else f"é{k}" for k in range(rng.randint(2, 6))]
        atoms = ["b", "m", "b|m", "o", "d", "=", "s", "b|bi"]
        links = [(*rng.sample(names, 2), rng.choice(atoms)) for _ in range(rng.randint(1, 7))]
        yield tp.Document(f"d{number}", [(source, label, target) for source, target, label in links])


def test_reduce_is_what_the_command_prints(tmp_path, capsys):
    """The command writes JSON and CSV edge by edge; the result makes them of its rows."""
    path = tmp_path / "all.jsonl"
    tp.write(random_documents(40), path)
    found = tp.reduce(path)
    assert lines(capsys, "reduce", path)[1] == found.to_dict()
    assert {each.verdict.value for each in found} == {"consistent", "inconsistent"}
    run(["reduce", str(path), "--output", "csv"])
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    listed = [row for row in rows if row["kind"] != "inconsistent"]
    # Two kinds of order: the command lists the kinds of a document one after the other, and so does the frame.
    assert listed == [dict(row) for each in found for row in each.edges()]
    assert found.to_frame().equals(pd.DataFrame(listed))


def test_the_table_of_reduce_leaves_minor_edges_out_unless_asked(tmp_path, capsys):
    path = tmp_path / "d.tsv"
    path.write_text("a\tb\tb\nb\tb\tc\n")
    run(["reduce", str(path)])
    said = capsys.readouterr()
    assert [line.split()[1:] for line in said.out.splitlines()[1:]] == [
        ["major", "a.end", "<", "b.start"],
        ["major", "b.end", "<", "c.start"],
    ]
    assert "A major edge follows from no other edges" in said.err
    assert "10 minor edges" in said.err
    assert "3 trivial edges" in said.err
    run(["reduce", str(path), "--all"])
    said = capsys.readouterr()
    assert (said.out.count(" minor "), said.out.count(" trivial ")) == (10, 3)
    assert not said.err


def test_reduce_makes_what_it_prints_and_no_more(tmp_path, capsys, monkeypatch):
    """A long chain has as many minor edges as pairs: the table counts them, JSON and CSV write them node by node."""
    path = tmp_path / "d.tsv"
    path.write_text("".join(f"e{k}\tb\te{k + 1}\n" for k in range(150)))

    def unwanted(*_arguments):
        raise AssertionError("every edge was made")

    monkeypatch.setattr(Reduction, "minor", unwanted)
    monkeypatch.setattr(DocumentReduction, "found", unwanted)
    count = 302 * 301 // 2 - 301  # pairs of points, without the edges between neighbours
    assert len(lines(capsys, "reduce", path)[1][0]["minor"]) == count
    assert run(["reduce", str(path), "--output", "csv"]) == 0
    assert capsys.readouterr().out.count(",minor,") == count
    monkeypatch.setattr(Reduction, "minor_rows", unwanted)
    assert run(["reduce", str(path)]) == 0
    assert f"{count} minor edges" in capsys.readouterr().err


def over_after(looks):
    """``Budget.check`` of a budget that is over after some looks at the clock."""
    left = iter(range(looks))

    def check(_budget):
        if next(left, None) is None:
            raise tp.BudgetExceeded("not decided within 1 s")

    return check


@pytest.mark.parametrize("output", ["json", "csv", "table"])
def test_reduce_gives_a_whole_document_or_says_undecided(tmp_path, capsys, monkeypatch, output):
    """Wherever the time ends: no half line, and never another answer."""
    path = tmp_path / "d.tsv"
    path.write_text("".join(f"e{k}\tb\te{k + 1}\n" for k in range(6)))
    run(["reduce", str(path), "--output", output])
    whole = capsys.readouterr().out
    ends = set()
    for looks in range(300):
        monkeypatch.setattr(Budget, "check", over_after(looks))
        code = run(["reduce", str(path), "--output", output])
        said, errors = capsys.readouterr()
        assert (said == whole) if code == 0 else (code == 3 and "undecided" in said + errors and len(said) < 150)
        ends.add(code)
        if code == 0:
            break
    assert ends == {0, 3}
    assert looks > 20  # there were many places to stop at
