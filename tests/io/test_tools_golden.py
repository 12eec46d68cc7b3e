"""Invented samples of annotation tools, and what each must be read as.

A case is a folder tests/golden/formats/FORMAT/CASE with the files in ``input``, a ``mapping.toml`` if one is needed,
and the outcome in ``expected.txt``. ``python tests/io/test_tools_golden.py`` writes the outcomes anew; read every
changed line before keeping it.
"""

from pathlib import Path

import pytest
from test_io_tab_golden import lines_about

from temporacle.io import read_source
from temporacle.io.source import Options, Source

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "formats"
FORMATS = ("brat", "xmi", "cas-json", "label-studio", "mae", "prodigy", "doccano")
CASES = sorted(case for name in FORMATS for case in (GOLDEN / name).glob("*/"))


def options(case, **more):
    mapping = case / "mapping.toml"
    return Options(mapping=str(mapping) if mapping.exists() else None, **more)


def sample(case):
    return next(path for path in sorted((case / "input").iterdir()) if path.suffix != ".txt")


def outcome(case):
    lines = []
    for doctimerel in (False, True):
        source = Source(str(sample(case)), None, options(case, doctimerel=doctimerel))
        read = [line for found in read_source(source) for line in lines_about(found)]
        assert source.format == case.parent.name
        lines += [line for line in read if not doctimerel or "DocTimeRel:" in line or "doctime" in line]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}-{case.name}")
def test_a_sample_is_read_as_expected(case):
    assert outcome(case) == (case / "expected.txt").read_text("utf-8")


def test_every_tool_has_a_sample():
    assert {case.parent.name for case in CASES} == set(FORMATS)


if __name__ == "__main__":
    for each in CASES:
        (each / "expected.txt").write_text(outcome(each), "utf-8")
