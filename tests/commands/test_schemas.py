"""The schemas that the package ships: lines of commands, certificates, baselines."""

import copy
import json
import tomllib
from contextlib import nullcontext
from inspect import signature
from pathlib import Path

import jsonschema
import pytest
import schemas

import temporacle as tp
from temporacle import cli
from temporacle.cli import COMMANDS, run
from temporacle.commands.common import Output
from temporacle.io import project
from temporacle.rules import schema_names, schema_text

LINES = {
    "agree": ["examples/gold", "examples/system"],
    "ask": ["examples/corpus/ferry.tml", "IS ei1 BEFORE ei2"],
    "audit": ["examples/audit/links.tsv", "examples/audit/closure.tsv"],
    "bounds": ["examples/calendar"],
    "check": ["examples/corpus"],
    "closure": ["examples/corpus/ferry.tml"],
    "crosscheck": ["--cases", "1", "--engine", "propagation"],
    "decode": ["examples/scores.jsonl"],
    "diff": ["examples/gold", "examples/system"],
    "entails": ["examples/corpus/ferry.tml", "ei4", "BEFORE", "ei6"],
    "explain": ["self-link"],
    "fix": ["examples/corpus", "--dry-run"],
    "formats": ["tsv"],
    "official": ["awareness", "examples/gold", "examples/system"],
    "reduce": ["examples/corpus/ferry.tml"],
    "score": ["examples/gold", "examples/system"],
    "stats": ["examples/corpus"],
    "verify": [],
}
FILES = {"baseline", "certificate", "project"}


def test_every_command_that_prints_json_has_a_schema():
    printing = {name for name in COMMANDS if "json" in outputs_of(name)}
    assert printing <= set(LINES)
    assert set(schema_names()) == set(LINES) | FILES
    assert Output.JSON == "json"


def outputs_of(name):
    option = signature(cli.command(name), eval_str=True).parameters.get("output")
    return [] if option is None else [each.value for each in option.annotation.__origin__]


@pytest.fixture
def lines(capsys, tmp_path):
    def printed(name):
        arguments = LINES[name]
        if name == "verify":
            tp.check("examples/corpus", certificates=tmp_path)
            arguments = [str(tmp_path)]
        run([name, *arguments, "--output", "json"])
        return [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    return printed


@pytest.mark.parametrize("name", LINES)
def test_lines_fit_and_a_changed_schema_does_not(name, lines):
    found = lines(name)
    schema = json.loads(schema_text(name))
    jsonschema.Draft202012Validator.check_schema(schema)
    for line in found:
        schemas.require(name, line)
    keys = {key for line in found for key in line}
    for key in keys:
        changed = copy.deepcopy(schema)
        for variant in changed.get("anyOf", [changed]):
            variant["properties"][key] = {"const": "nothing has this value"}
        validator = jsonschema.Draft202012Validator(changed)
        assert not all(validator.is_valid(line) for line in found), key


@pytest.mark.parametrize("name", LINES)
def test_every_key_that_is_printed_is_described(name, lines):
    schema = json.loads(schema_text(name))
    variants = schema.get("anyOf", [schema])
    for line in lines(name):
        fitting = [each for each in variants if jsonschema.Draft202012Validator(each).is_valid(line)]
        assert any(line.keys() <= each["properties"].keys() for each in fitting), line.keys()


def test_certificates_and_baselines_fit(tmp_path, capsys):
    tp.check("examples/corpus", certificates=tmp_path)
    kept = [*tmp_path.glob("*.json"), *Path("tests/golden/certificates").rglob("*.json")]
    assert len(kept) > 10
    for path in kept:
        schemas.require("certificate", json.loads(path.read_text(encoding="utf-8")))
    run(["check", "examples/corpus", "--write-baseline", str(tmp_path / "baseline.json")])
    schemas.require("baseline", json.loads((tmp_path / "baseline.json").read_text(encoding="utf-8")))
    capsys.readouterr()
    with pytest.raises(AssertionError, match="certificate"):
        schemas.require("certificate", {"format": "temporacle-certificate", "version": 1, "claim": "nice"})


PROJECTS = {
    'labels = "thyme"\ntime-limit = 10\n[[folder]]\npath = "b"\ncalendar = "within"': True,
    'time-limit = "1m"\njobs = 2\nallow = ["unknown-label"]\ninclude = ["gold/*.xmi"]\n[labels]\nPRECEDES = "b"': True,
    'columns = "source=e1"\nbaseline = "known.json"\nformat = "tsv"\nmapping = "e3c"': True,
    'label = "thyme"': False,
    "labels = 3": False,
    'jobs = "two"': False,
    'allow = "unknown-label"': False,
    "include = [1]": False,
    '[[folder]]\nlabels = "thyme"': False,
    '[[folder]]\npath = "b"\njobs = 2': False,
    '[folder]\npath = "b"': False,
}


@pytest.mark.parametrize("text", PROJECTS)
def test_the_schema_of_project_files_takes_what_is_read(text, tmp_path):
    path = tmp_path / "temporacle.toml"
    path.write_text(text)
    validator = schemas.validator("project")
    assert validator.is_valid(tomllib.loads(text)) is PROJECTS[text]
    with nullcontext() if PROJECTS[text] else pytest.raises(tp.UsageError):
        project.load(str(path))


def test_the_schema_of_project_files_has_all_keys():
    known = schemas.validator("project").schema["properties"]
    assert known.keys() == project._READING.keys() | project._RUN.keys() | {"folder"}
    assert known["folder"]["items"]["properties"].keys() == project._READING.keys() | {"path"}


def test_a_schema_is_printed_and_an_unknown_one_refused(capsys):
    assert run(["explain", "--schema", "check"]) == 0
    assert json.loads(capsys.readouterr().out)["title"] == "A line of temporacle check --output json"
    assert run(["explain", "--schema", "nothing"]) == 2
    assert "choose" in capsys.readouterr().err
    assert run(["explain", "self-link", "--schema", "check"]) == 2
    capsys.readouterr()
