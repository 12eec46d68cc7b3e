"""Every remark has a rule, every rule has a remark, and the page of rules says what the rules say."""

import ast
import json
import re
from importlib import import_module
from pathlib import Path

import pytest

from temporacle.checks import DocumentVerdict
from temporacle.cli import run
from temporacle.errors import UsageError
from temporacle.rules import RENAMED, RuleKind, codes_in, rule_named, rule_of, rules

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "temporacle"


def modules():
    for path in sorted(PACKAGE.rglob("*.py")):
        if "peers" not in path.parts:
            yield path, ast.parse(path.read_text("utf-8"))


def called(node):
    """The name of the function that a call names."""
    function = node.func
    return function.id if isinstance(function, ast.Name) else getattr(function, "attr", None)


def makers(trees):
    """Functions that make a remark of a code they are given, and the place of that argument among the others.

    Remark itself, and whichever function passes its parameter ``code`` on to one of them.
    """
    found = {"Remark": 0}
    while True:
        before = dict(found)
        for tree in trees:
            for function in ast.walk(tree):
                if not isinstance(function, ast.FunctionDef):
                    continue
                names = [argument.arg for argument in function.args.args if argument.arg != "self"]
                if "code" in names and any(
                    isinstance(node, ast.Call) and called(node) in found and is_code(node, found)
                    for node in ast.walk(function)
                ):
                    found[function.name] = names.index("code")
        if found == before:
            return found


def is_code(node, found):
    place = found[called(node)]
    return len(node.args) > place and isinstance(node.args[place], ast.Name) and node.args[place].id == "code"


def raised_codes():
    """Every code that the package makes remarks of, and the first place of it."""
    trees = dict(modules())
    known = makers(trees.values())
    assert {"warn", "drop", "warn_once", "Remark"} <= known.keys()
    found = {}
    for path, tree in trees.items():
        place = path.relative_to(ROOT)
        module = ".".join(place.with_suffix("").parts).removesuffix(".__init__")
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or called(node) not in known or len(node.args) <= known[called(node)]:
                continue
            argument = node.args[known[called(node)]]
            if ast.unparse(node.func) == "warnings.warn":
                continue  # Python's own
            if isinstance(argument, ast.Constant):
                code = argument.value
            elif isinstance(argument, ast.Name) and argument.id.isupper():
                code = getattr(import_module(module), argument.id)
            elif isinstance(argument, ast.Name) and argument.id == "code":
                continue  # passed on
            elif isinstance(argument, ast.Attribute) and (
                argument.attr == "code" or ast.unparse(argument).endswith(".verdict.value")
            ):
                continue  # of a remark made elsewhere, or a verdict
            elif isinstance(argument, ast.Call):
                continue  # another function of that name: its argument is a remark, not a code
            else:
                pytest.fail(f"{place}:{node.lineno}: write the code of a remark as a literal: {ast.unparse(node)}")
            if isinstance(code, str) and re.fullmatch(r"[a-z]+(-[a-z]+)*", code):
                found.setdefault(code, f"{place}:{node.lineno}")
    return found


def test_every_remark_has_a_rule_and_every_rule_a_remark():
    raised = raised_codes()
    missing = {code: place for code, place in raised.items() if code not in rules()}
    assert not missing, "add these codes to temporacle/data/rules/"
    verdicts = {"inconsistent"}  # of check, which makes findings of it
    assert set(rules()) - verdicts == set(raised)


@pytest.mark.parametrize("rule", rules().values(), ids=rules())
def test_a_rule_is_written_in_full(rule):
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", rule.code)
    for text in (rule.summary, rule.meaning, rule.cure):
        assert text == text.strip()
        assert text.endswith(".")
        assert "\n" not in text
    assert len(rule.summary) <= 100
    assert (rule.file is None) == (rule.example is None)


def test_every_verdict_that_is_reported_has_a_rule():
    assert {each.value for each in DocumentVerdict} - rules().keys() == {"consistent"}


@pytest.mark.parametrize("rule", [rule for rule in rules().values() if rule.file], ids=lambda rule: rule.code)
def test_the_example_of_a_rule_shows_it(rule, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path(rule.file).write_text(rule.example.removeprefix("\n"), "utf-8")
    code = run(["check", rule.file, "--output", "json"])
    row = json.loads(capsys.readouterr().out)
    actions = {each["code"]: each["action"] for each in row["warnings"]}
    if rule.kind is RuleKind.ERROR:
        assert row["verdict"] == rule.code
        assert code == {"inconsistent": 1, "unreadable": 2, "unchecked": 3}[rule.code]
    else:
        assert actions[rule.code] == {RuleKind.SKIPPED: "dropped", RuleKind.WARNING: "warned"}[rule.kind]
    if rule.kind is RuleKind.SKIPPED:
        assert code == 3
        assert row["dropped"] == 1
    run(["check", rule.file])
    found = capsys.readouterr()
    assert (f": {rule.kind}[{rule.code}]: " in found.err) == (rule.kind is not RuleKind.ERROR)  # verdicts: on stdout


def test_the_page_lists_the_rules(capsys):
    assert run(["explain", "--output", "markdown"]) == 0
    page = (ROOT / "docs" / "rules.md").read_text("utf-8")
    assert page == capsys.readouterr().out, "temporacle explain --output markdown > docs/rules.md"


def test_explain_one_rule(capsys):
    assert run(["explain", "self-link"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("warning[self-link]: ")
    assert rules()["self-link"].cure in out
    assert "l1,left,SIMULTANEOUS,left" in out


def test_explain_lists_all_rules(capsys):
    assert run(["explain"]) == 0
    out = capsys.readouterr().out
    assert all(re.search(rf"^  {code} +{rule.kind} ", out, re.MULTILINE) for code, rule in rules().items())
    assert run(["explain", "--output", "json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["code"] for row in rows] == list(rules())
    assert rows[0].keys() == {"code", "kind", "summary", "meaning", "cure", "family", "file", "example"}


def test_an_unknown_code_gets_the_nearest_one(capsys):
    assert run(["explain", "self-lnk"]) == 2
    assert "did you mean 'self-link'?" in capsys.readouterr().err
    with pytest.raises(UsageError, match="'zzz'"):
        rule_named("zzz")


def test_codes_come_repeated_and_in_lists():
    assert codes_in(["self-link, label-case", "no-links"]) == {"self-link", "label-case", "no-links"}
    assert codes_in([]) == frozenset()


def test_codes_of_earlier_versions_are_understood(tmp_path, capsys):
    (tmp_path / "d.tsv").write_text("a\tb\tb\n")
    for old, code in RENAMED.items():
        assert old not in rules()
        assert run(["check", str(tmp_path), "--ignore", old]) == 0
        capsys.readouterr()
        assert run(["explain", old]) == 0
        assert code in capsys.readouterr().out


def test_a_single_rule_is_found_without_reading_all():
    assert all(rule_of(code) is rule for code, rule in rules().items())
    assert rule_of("no-such-rule") is None
