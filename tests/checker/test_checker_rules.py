"""Each rule of docs/checker.md, with a change that breaks it: both checkers must reject it, and for that reason."""

import base64
import json
import shutil
import subprocess
from importlib.resources import files

import pytest
import rules_circles
import rules_clauses
import rules_decodings
import rules_meanings
import rules_plain
import rules_reasons
import rules_repairs
import rules_scores
import rules_values
import rules_walks
from changes import faults

PROGRAM = str(files("temporacle") / "data" / "checker.js")
MODULES = (
    rules_circles,
    rules_clauses,
    rules_decodings,
    rules_meanings,
    rules_plain,
    rules_reasons,
    rules_repairs,
    rules_scores,
    rules_values,
    rules_walks,
)
TABLES = [table for module in MODULES for table in module.TABLES]


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_each_rule(table):
    assert faults(table) == []


@pytest.mark.skipif(shutil.which("node") is None, reason="the second checker needs Node.js (node)")
def test_the_second_checker_gives_the_same_verdicts():
    rows = [(table.name, "unchanged", True, table.certificate) for table in TABLES]
    rows += [(table.name, row.name, row.words is None, row.certificate) for table in TABLES for row in table.rows]
    lines = b"\n".join(base64.b64encode(json.dumps(row[3]).encode()) for row in rows)
    done = subprocess.run(["node", PROGRAM, "--lines"], input=lines, capture_output=True, check=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(rows)
    assert [
        (*row[:3], answer["reason"]) for row, answer in zip(rows, answers, strict=True) if answer["valid"] is not row[2]
    ] == []
