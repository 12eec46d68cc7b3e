"""The signature of a task is the only declaration: commands, Python, docstrings and schemas follow from it."""

import ast
import gc
import inspect
import re
import shutil
from pathlib import Path

import pytest
import typer
from runs import line

import temporacle as tp
from temporacle.cli import COMMANDS, command, run
from temporacle.declared import documented, parameters_of
from temporacle.errors import UsageError
from temporacle.scoring.metric import WITH_EXACT_SCORE
from temporacle.tasks import TASKS, task_named
from temporacle.tasks.score_request import of_metrics, of_programs

# What only printing needs, in all commands.
PRINTING = {"out", "output", "select", "ignore", "quiet", "verbose"}
# Tasks that a command runs under another name.
ALSO = {"audit": "audit_claims", "report": "report_comparison", "score": "compare"}
COMMANDS_OF_TASKS = sorted(TASKS.keys() - set(ALSO.values()))
# What only printing needs, in one command.
SHOWN = {
    "agree": {"counts"},
    "check": {"from_hook", "show_all"},
    "diff": {"pairs"},
    "report": {"kind", "name"},
    "official": {"list_programs"},
    "reduce": {"every", "calendar"},
    "score": {"by", "compare", "counts", "name", "pairs", "seeds"},
    "stats": {"by"},
}
# What a command does not print: it writes files, or reads no documents.
UNPRINTED = {
    "apply": {"output"},
    "convert": {"output"},
    "crosscheck": {"select", "ignore", "quiet", "verbose"},
    "report": {"output"},
    "verify": {"select", "ignore", "quiet", "verbose"},
}
FILES = {"one.tsv": "a\tb\tb\nb\tb|m\tc\n", "two.tsv": "a\tb\tb\nb\tb\ta\n", "zero.tsv": "x\tNEAR\ty\n"}
# What stands behind the command, for each that asks every document.
LINES = {
    "bounds": ["gold"],
    "check": ["gold"],
    "closure": ["gold"],
    "decode": ["scores.jsonl"],
    "reduce": ["gold"],
    "stats": ["gold"],
}


@pytest.mark.parametrize("name", COMMANDS_OF_TASKS)
def test_parameters_of_a_command_are_those_of_its_task_and_of_printing(name):
    has = set(inspect.signature(command(name)).parameters)
    both = [*parameters_of(task_named(name)).values()]
    both += [
        each
        for each in parameters_of(task_named(ALSO.get(name, name))).values()
        if not each.is_positional or each.about.place
    ]
    declared = {each.name for each in both if not each.about.only_python}
    assert has == declared | PRINTING - UNPRINTED.get(name, set()) | SHOWN.get(name, set())


@pytest.mark.parametrize("name", TASKS)
def test_python_calls_the_function_that_the_command_streams(name):
    assert getattr(tp, name) is task_named(name)


@pytest.mark.parametrize("name", COMMANDS_OF_TASKS)
def test_every_parameter_is_in_help_and_docstring(name, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    assert run([name, "--help"]) == 0
    said = capsys.readouterr().out
    for metric in of_metrics() | of_programs(WITH_EXACT_SCORE) if name in {"score", "agree"} else ():
        run([name, "--metric", metric, "--help"])
        said += capsys.readouterr().out
    for each in parameters_of(task_named(name)).values():
        if each.about.hidden:
            continue
        is_of_others = each.name in (task_named(name).more or dict)()
        assert each.is_positional or each.about.only_python or re.search(rf"{each.option}\b", said), each.name
        assert is_of_others or f"\n    {each.name}: " in documented(task_named(name)).__doc__
        assert each.schema()["description"]


@pytest.mark.parametrize("name", TASKS)
def test_an_unknown_keyword_is_refused_with_the_nearest(name):
    known = list(parameters_of(task_named(name)))[-1]
    given = [] if name == "crosscheck" else [[("a", "BEFORE", "b")]]
    with pytest.raises(UsageError, match=rf"no keyword {known}x; did you mean {known}"):
        task_named(name)(*given, **{f"{known}x": 3})


def test_a_keyword_near_an_old_one_is_named_by_the_new():
    with pytest.raises(UsageError, match="no keyword readng; did you mean labels"):
        tp.Oracle([("a", "BEFORE", "b")], readng="allen")


def test_old_keywords_work_with_a_warning():
    refused = pytest.raises(UsageError, match="time_limit is -1")
    with pytest.warns(DeprecationWarning, match="budget is now time_limit"), refused:
        tp.closure([("a", "BEFORE", "b")], budget=-1)
    with pytest.warns(DeprecationWarning, match="now"), pytest.raises(UsageError, match="no keyword budget"):
        tp.closure([("a", "BEFORE", "b")], budget=0, time_limit=1)


@pytest.mark.parametrize("old", [{"write": "out"}, {"annotate": "out"}, {"in_place": True, "repair": True}])
def test_keywords_that_belong_to_fix_now_are_warned_about(old, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ring.tsv").write_text("a\tBEFORE\tb\nb\tBEFORE\ta\n")
    with pytest.warns(DeprecationWarning, match=rf"the keyword {next(iter(old))} is now tp\.fix\(source, "):
        assert tp.check("ring.tsv", **old)[0].verdict == "inconsistent"
    assert len(list(tmp_path.rglob("*.*"))) == 1 + ("in_place" not in old)


def test_time_limits_are_written_as_on_the_command_line():
    links = [("a", "BEFORE", "b")]
    assert tp.closure(links, time_limit="1m")[0].verdict.value == "consistent"
    assert tp.score(links, links, time_limit="90", allow="same-input").f1 == 1
    assert isinstance(tp.Oracle(links, time_limit="1h").consistency(), tp.Consistent)
    assert "consistent" in repr(tp.Session(links, time_limit="1m"))
    for ask in (tp.closure, tp.Oracle, tp.Session, tp.repair, tp.check, tp.stats):
        with pytest.raises(UsageError, match="'1 day' is not a time: give seconds, minutes or hours"):
            ask(links, time_limit="1 day")


# What is not a function of Python under its own name.
NO_FUNCTIONS = {"docs", "experiment", "explain", "formats", "init", "serve", "workbench"}


def test_every_command_is_a_function_of_python_with_a_task():
    assert COMMANDS.keys() - NO_FUNCTIONS == set(COMMANDS_OF_TASKS)


@pytest.mark.parametrize("name", COMMANDS_OF_TASKS)
def test_a_command_has_at_most_15_options_of_its_own(name):
    described = [each.annotation.__metadata__[0] for each in inspect.signature(command(name)).parameters.values()]
    options = [each for each in described if isinstance(each, typer.models.OptionInfo) and not each.hidden]
    assert len([each for each in options if not each.rich_help_panel]) <= 15


def test_no_message_below_the_commands_spells_an_option():
    """The mouths spell them. Advice that is a whole command line is for the command line."""
    spelled = []
    package = Path(tp.__file__).parent
    mouths = {"cli.py", "commands", "overview.py", "servers", "web.py", "workbench"}
    for path in sorted(package.rglob("*.py")):
        if path.relative_to(package).parts[0] in mouths:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Raise):
                texts = [each.value for each in ast.walk(node) if isinstance(each, ast.Constant)]
                spelled += [text for text in texts if isinstance(text, str) and re.search(r"(?<!\w)--[a-z]", text)]
    assert [text for text in spelled if "temporacle " not in text] == []


# --- one way over a corpus: the same output with one process, with two, and after an end ------------------------------


@pytest.fixture
def corpus(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("gold").mkdir()
    for name, text in FILES.items():
        Path("gold", name).write_text(text)
    Path("gold", "many.jsonl").write_text("".join(line(f"d{k}", 2 + k % 3) for k in range(20)))
    Path("gold", "broken.tsv").write_text("a\tb\n")
    pairs = '[["a", "b", {"BEFORE": 0.9, "AFTER": 0.1}], ["b", "a", {"BEFORE": 0.6, "AFTER": 0.4}]]'
    Path("scores.jsonl").write_text("".join(f'{{"document": "d{k}", "pairs": {pairs}}}\n' for k in range(25)))


def outcome(capsys, *arguments):
    code = run(list(arguments))
    said = capsys.readouterr()
    return code, re.sub(r'"seconds": [^,}]*', "", said.out), re.sub(r"[0-9.]+ s$", "", said.err, flags=re.MULTILINE)


@pytest.mark.parametrize("name", LINES)
@pytest.mark.usefixtures("corpus")
def test_the_output_is_the_same_with_one_process_with_two_and_after_an_end(name, capsys, monkeypatch):
    words = [name, *LINES[name], "--output", "json"]
    alone = outcome(capsys, *words, "--jobs", "1")
    assert alone[1].count("\n") > 20
    assert outcome(capsys, *words, "--jobs", "2") == alone
    # The first run ends after some documents, as if it were killed.
    from temporacle.commands import options

    written = []

    def cut(self):
        for number, answer in enumerate(whole(self)):
            if number == 5:
                raise KeyboardInterrupt
            written.append(answer)
            yield answer

    whole = options.Run.__iter__
    with monkeypatch.context() as patch:
        patch.setattr(options.Run, "__iter__", cut)
        assert run([*words, "--resume", "done.journal", "--jobs", "1"]) == 130
    assert len(written) == 5
    gc.collect()  # a process that was killed would hold nothing any more
    capsys.readouterr()
    again = outcome(capsys, *words, "--resume", "done.journal")
    assert again == alone
    assert outcome(capsys, *words, "--resume", "done.journal") == alone


# Tasks whose answers are printed together.
WHOLE = {
    "agree": "gold other --align ids --empty 1",
    "ask": "gold questions.txt",
    "audit": "gold/many.jsonl gold/many.jsonl",
    "diff": "gold other",
    "fix": "gold --dry-run",
    "report": "gold -o page.html",
    "score": "gold other --empty 1",
}


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.usefixtures("corpus")
def test_whole_answers_are_the_same_with_one_process_with_two_and_with_a_checkpoint(name, capsys):
    shutil.copytree("gold", "other")
    Path("other/many.jsonl").write_text("".join(line(f"d{k}", 2 + k % 4) for k in range(20)))
    lines = "".join(f"{k + 1}|d{k}|IS e0 BEFORE e1||yes\n" for k in range(20))
    Path("questions.txt").write_text(f"{lines}21|zero|IS x BEFORE y||\n22|broken|IS x AFTER y||\n")
    words = [name, *WHOLE[name].split(), *(["--output", "json"] if "output" in signature_of(name) else [])]
    alone = outcome(capsys, *words, "--jobs", "1")
    assert alone[0] in {0, 1, 3}
    assert outcome(capsys, *words, "--jobs", "2") == alone
    for _ in range(2):
        assert outcome(capsys, *words, "--resume", "done.journal", "--jobs", "2") == alone


def signature_of(name):
    return inspect.signature(command(name)).parameters


@pytest.mark.usefixtures("corpus")
def test_each_is_the_iterator():
    found = tp.each("closure", "gold", jobs=1)
    assert next(found).document == "broken"
    with pytest.raises(UsageError, match=r"unknown task .clsoure.: .* Did you mean closure"):
        tp.each("clsoure", "gold")


# What each task is called with, for a first answer.
CALLS = {
    "agree": (LINKS := [("a", "BEFORE", "b"), ("b", "BEFORE", "c")], LINKS),
    "apply": ("gold/one.tsv",),
    "ask": (LINKS, "IS a BEFORE c"),
    "audit": (lambda links: links,),
    "audit_claims": ("gold/one.tsv", "gold/one.tsv"),
    "compare": (LINKS, {"x": LINKS, "y": LINKS}),
    "convert": ("gold/one.tsv", "one.jsonl"),
    "crosscheck": (),
    "decode": ("scores.jsonl",),
    "diff": (LINKS, LINKS),
    "entails": (LINKS, "a", "BEFORE", "c"),
    "official": ("awareness", "gold/one.tsv", "gold/one.tsv"),
    "report_comparison": (LINKS, LINKS),
    "score": (LINKS, LINKS),
    "verify": ("c.json",),
}
NAMED = {
    "apply": {"drop": ["1"]},
    "audit": {"cases": 1},
    "crosscheck": {"cases": 1},
    "fix": {"dry_run": True},
    "report": {"out": "page.html"},
    "report_comparison": {"out": "page.html"},
}


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.usefixtures("corpus")
def test_each_is_an_iterator_for_every_task(name):
    tp.Oracle(LINKS).certificate().write("c.json")
    found = tp.each(name, *CALLS.get(name, (LINKS,)), **NAMED.get(name, {}))
    assert next(found) is not None
