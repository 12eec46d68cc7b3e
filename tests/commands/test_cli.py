"""The command line: start-up cost, exit codes, and the commands of the reasoner on small files."""

import json
import subprocess
import sys

import pytest

from temporacle.cli import run

HEAVY = ("ortools", "numpy", "pandas", "lxml", "joblib", "jinja2", "matplotlib", "dask", "constraint")


def loaded_by(*arguments, among=HEAVY):
    """Heavy packages that a command line loads, in a process of its own."""
    script = (
        "import sys; from temporacle.cli import run; run(sys.argv[1:]);"
        f"print('\\nloaded:', *[name for name in {among!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True)
    return done.stdout.rsplit("loaded:", 1)[1].split()


@pytest.fixture
def links(tmp_path):
    def write(text, name="links.tsv"):
        path = tmp_path / name
        path.write_text(text)
        return str(path)

    return write


def answers(capsys, *arguments):
    """Exit code and JSON lines of a command."""
    code = run([*arguments, "--output", "json"])
    return code, [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize("arguments", [["--help"], ["closure", "--help"], ["entails", "--help"], ["--version"]])
def test_help_loads_nothing_heavy(arguments):
    assert loaded_by(*arguments) == []


def test_a_short_check_loads_only_what_it_needs(links):
    """Neither what journals and tables of findings need, nor what several processes need."""
    not_needed = (*HEAVY, "sqlite3", "rich", "concurrent.futures", "multiprocessing", "logging")
    assert loaded_by("check", links("a\tb\tb\nb\tb\tc\n"), among=not_needed) == []


def test_a_convex_document_needs_no_solver(links):
    assert "ortools" not in loaded_by("entails", links("a\tb\tb\nb\tb\tc\n"), "a", "b", "c")


def test_closure_lists_each_related_pair_once_in_order_of_mention(capsys, links):
    code, rows = answers(capsys, "closure", links("b\tBEFORE\ta\na\tb|m\tc\nx\tVAGUE\tb\n"))
    assert code == 0
    assert rows == [
        {"document": "links", "source": "b", "relation": ["b"], "target": "a"},
        {"document": "links", "source": "b", "relation": ["b"], "target": "c"},
        {"document": "links", "source": "a", "relation": ["b", "m"], "target": "c"},
    ]
    _, rows = answers(capsys, "closure", "--all", links("b\tBEFORE\ta\na\tb|m\tc\nx\tVAGUE\tb\n"))
    assert len(rows) == 6


def test_closure_of_points(capsys, links):
    code, rows = answers(capsys, "closure", "--points", links("a\tm\tb\n"))
    assert code == 0
    assert {(row["left"], row["label"], row["right"]) for row in rows} == {
        ("a.start", "<", "a.end"),
        ("a.start", "<", "b.start"),
        ("a.start", "<", "b.end"),
        ("a.end", "=", "b.start"),
        ("a.end", "<", "b.end"),
        ("b.start", "<", "b.end"),
    }


def test_closure_of_an_inconsistent_document_is_no(capsys, links):
    code, rows = answers(capsys, "closure", links("d\ta\tb\tb\nd\tb\tb\ta\nok\ta\tb\tb\n"))
    assert code == 1
    assert rows[0] == {"document": "d", "verdict": "inconsistent"}
    assert rows[1]["document"] == "ok"


@pytest.mark.parametrize(
    "engine", ["exact", "cpsat", "enumeration", "propagation", "path-consistency", "ord-horn", "timegraph"]
)
def test_every_engine_answers(capsys, links, engine):
    code, rows = answers(capsys, "closure", links("a\tb|m\tb\nb\tdi\tc\n"), "--engine", engine)
    assert code == 0
    assert {(row["source"], "|".join(row["relation"]), row["target"]) for row in rows} >= {
        ("a", "b", "c"),
        ("b", "di", "c"),
    }


def test_the_incomplete_engine_says_so(capsys, links):
    run(["closure", links("a\tb\tb\n"), "--engine", "propagation"])
    assert "not complete" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("relation", "verdict", "code"), [("b", "entailed", 0), ("bi", "refuted", 1), ("b|m", "entailed", 0)]
)
def test_entails(capsys, links, relation, verdict, code):
    path = links("a\tb|m\tb\nb\tBEFORE\tc\n")
    said, (row,) = answers(capsys, "entails", path, "a", relation, "c")
    assert [link["id"] for link in row.pop("because")] == ["1", "2"]
    witness = None if code == 0 else {"a": [0, 1], "b": [2, 3], "c": [4, 5]}
    expected = {"verdict": verdict, "strongest": ["b"], "witness": witness, "decided_by": "exact", "skipped_links": {}}
    assert (said, row) == (code, expected)


def test_entails_open_gives_a_model_in_which_it_fails(capsys, links):
    code, rows = answers(capsys, "entails", links("a\tb|m\tb\n"), "a", "b", "b")
    assert code == 1
    assert rows[0]["verdict"] == "open"
    assert rows[0]["witness"]["a"][1] == rows[0]["witness"]["b"][0]


def test_an_inconsistent_document_entails_nothing(capsys, links):
    code, rows = answers(capsys, "entails", links("a\tb\tb\nb\tb\ta\n"), "a", "b", "b")
    assert code == 3
    assert rows[0]["verdict"] == "inconsistent"


def test_out_of_budget_is_undecided(capsys, links):
    hard = "".join(f"x{i}\tb|bi|o|oi\tx{j}\n" for i in range(9) for j in range(i))
    code, rows = answers(capsys, "entails", links(hard), "x0", "b", "x1", "--time-limit", "0")
    assert code == 3
    assert rows[0]["verdict"] == "undecided"
    code, rows = answers(capsys, "closure", links(hard), "--time-limit", "0")
    assert code == 3
    assert rows[0]["verdict"] == "undecided"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\tFOO\tb\na\tb\tb\n", "unknown label 'FOO'"),
        ("a\t\tb\na\tb\tb\n", ":1"),
    ],
)
def test_a_bad_link_is_dropped_with_file_and_line_and_the_rest_answered(capsys, links, text, message):
    path = links(text)
    code = run(["closure", path, "--output", "json"])
    captured = capsys.readouterr()
    assert code == 3
    answered, skipped = map(json.loads, captured.out.splitlines())
    assert answered["relation"] == ["b"]
    assert sum(skipped["skipped_links"].values()) == 1
    assert f"{path}:1" in captured.err
    assert message in captured.err


@pytest.mark.parametrize("text", ["a\tb\n", "a\tb\tc\td\te\n", b"\xff\xfe\xff"])
def test_a_bad_file_is_named_and_the_rest_of_the_corpus_answered(capsys, tmp_path, text):
    (tmp_path / "bad.tsv").write_bytes(text if isinstance(text, bytes) else text.encode())
    (tmp_path / "good.tsv").write_text("a\tb\tb\n")
    code = run(["closure", str(tmp_path), "--output", "json"])
    captured = capsys.readouterr()
    assert code == 3
    bad, good = map(json.loads, captured.out.splitlines())
    assert (bad["document"], bad["verdict"], good["document"]) == ("bad", "unreadable", "good")
    assert "bad.tsv" in captured.err
    assert run(["closure", str(tmp_path / "bad.tsv")]) == 2  # nothing readable at all


@pytest.mark.parametrize(
    "arguments",
    [
        ["closure", "no-such-file"],
        ["closure", "x", "--engine", "magic"],
        ["closure", "x", "--labels", "magic"],
        ["closure", "x", "--format", "magic"],
        ["closure", "x", "--during", "magic"],
        ["nonsense"],
    ],
)
def test_wrong_usage_is_exit_2_without_traceback(capsys, arguments):
    assert run(arguments) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_unknown_entity_in_a_question(capsys, links):
    assert run(["entails", links("a\tb\tb\n"), "zz", "b", "b"]) == 2
    assert "'zz'" in capsys.readouterr().err


def test_debug_shows_the_traceback(links):
    from temporacle.errors import UsageError

    with pytest.raises(UsageError):
        run(["--debug", "entails", links("a\tb\tb\n"), "zz", "b", "b"])


def test_standard_input(links):
    command = [sys.executable, "-m", "temporacle", "closure", "-", "--output", "json"]
    done = subprocess.run(command, input="a\tb\tb\n", capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["relation"] == ["b"]


def test_a_closed_pipe_is_no_error(links):
    path = links("".join(f"e{k}\tb\te{k + 1}\n" for k in range(300)))
    command = f"{sys.executable} -m temporacle closure {path} --output json | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["source"] == "e0"
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


def test_terminal_commands_in_ids_are_shown_not_obeyed(capsys, links):
    run(["closure", links("a\x1b[31m\tb\tb\n")])
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\\x1b[31m" in out


def test_csv_is_harmless_in_a_spreadsheet(capsys, links):
    run(["closure", links("=1+1\tb\tb\n"), "--output", "csv"])
    assert capsys.readouterr().out.splitlines() == ["document,source,relation,target", "links,'=1+1,b,b"]


def test_the_list_of_commands_says_what_the_commands_say():
    from temporacle.cli import COMMANDS, command

    for name, line in COMMANDS.items():
        assert command(name).__doc__.strip().splitlines()[0] == line


@pytest.mark.parametrize("command", ["check", "report", "closure", "reduce"])
def test_files_that_were_skipped_are_reported(command, tmp_path, capfd):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "x.tsv").write_text("a\tBEFORE\tb\n")
    (tmp_path / "in" / ".hidden").write_text("nothing")
    more = ["-o", str(tmp_path / "page.html")] if command == "report" else []
    assert run([command, str(tmp_path / "in"), *more]) == 0
    assert "note[skipped-junk]: skipped 1 file hidden" in capfd.readouterr().err
