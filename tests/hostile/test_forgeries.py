"""Forged certificates: both checkers give the same verdict, and what they accept is true. The long run is
``python -m fuzz.forgeries``.
"""

import json
import re
import shutil
import sys
from pathlib import Path
from random import Random

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from fuzz.forgeries.__main__ import run
from fuzz.forgeries.judging import SECOND, Judges
from fuzz.forgeries.samples import KINDS, sample
from fuzz.forgeries.truth import is_true

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="the second checker needs Node.js (node)")


@pytest.fixture(scope="module")
def judges():
    with Judges() as both:
        yield both


@needs_node
@pytest.mark.parametrize("kind", KINDS)
def test_samples_are_accepted(judges, kind):
    rng = Random(kind)
    contents = [json.dumps(sample(kind, rng)).encode() for _ in range(5)]
    assert [tuple(each) for each in judges.judge(contents)] == [(True, None)] * 5


@needs_node
@pytest.mark.parametrize("cases", [100, pytest.param(1000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", KINDS)
def test_the_checkers_agree_and_accept_nothing_false(judges, kind, cases):
    accepted, findings = run(judges, kind, cases, seed=cases)
    assert not findings
    assert 0 < accepted < cases


@needs_node
@pytest.mark.slow
def test_many_forged_repairs_by_cores(judges):
    accepted, findings = run(judges, "repair-cores", 20_000, seed=1)
    assert not findings
    assert accepted > 1000


LENIENT = [
    ("open", "does not start before it ends"),
    ("inconsistent-cases", "leaves out a case"),
    ("calendar-consistent", "says something else"),
]
LENIENT += [
    pytest.param(kind, reason, marks=pytest.mark.slow)
    for kind, reason in (
        ("inconsistent-cycle", "the cycle is not strict"),
        ("inconsistent-cases", "does not follow"),
        ("inconsistent-cases", "names a wrong step"),
        ("inconsistent-clauses", "does not follow from its link"),
        ("calendar-cases", "the circle is possible"),
        ("repair-cores", "does not add up"),
        ("repair-cores", "is not sure"),
    )
]


@needs_node
@pytest.mark.parametrize(("kind", "reason"), LENIENT)
def test_a_checker_without_a_rule_is_found_out(tmp_path, kind, reason):
    """The forgeries are good enough: a second checker that lacks a rule accepts one of them."""
    text = Path(SECOND[1]).read_text("utf-8")
    weakened = re.sub(rf"\brequire\((?=[^;]*{reason}[^;]*\);)", "((...ignored) => true)(", text)
    assert weakened != text
    program = tmp_path / "checker.js"
    program.write_text(weakened, "utf-8")
    with Judges((SECOND[0], str(program), *SECOND[2:])) as both:
        found = next(filter(None, (run(both, kind, 100, seed)[1] for seed in range(15))))
    assert all("the second checker accepts" in finding.what for finding in found)


def test_the_oracle_sees_a_false_claim():
    """If both checkers accepted anything, it would be noticed."""
    rng = Random(5)
    wrong = []
    for kind, other in (("consistent", "inconsistent"), ("entailed", "refuted"), ("open", "entailed")):
        certificate = sample(kind, rng)
        assert is_true(certificate)
        wrong.append(certificate | {"claim": other, "conflict": [], "needed": None})
    assert not any(map(is_true, wrong))
