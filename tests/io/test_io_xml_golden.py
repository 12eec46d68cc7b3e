"""Invented samples of every XML format, and what each must be read as.

Cases stand beside those of the tab formats and look the same: tests/golden/formats/FORMAT/CASE with the file in
``input`` and the outcome in ``expected.txt``. ``python tests/io/test_io_xml_golden.py`` writes the outcomes anew; read
every changed line before keeping it.
"""

from pathlib import Path

import pytest
from test_io_tab_golden import GOLDEN, lines_about

from temporacle.io import Source, read_source
from temporacle.model import Document

FORMATS = ("timeml", "tempeval1", "cat", "anafora", "caevo")
CASES = sorted(case for name in FORMATS for case in (GOLDEN / name).glob("*/"))


def documents(case: Path):
    (path,) = (case / "input").iterdir()
    return list(read_source(Source(str(path))))


def outcome(case: Path) -> str:
    return "\n".join(line for found in documents(case) for line in lines_about(found)) + "\n"


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}-{case.name}")
def test_a_sample_is_read_as_expected(case):
    assert outcome(case) == (case / "expected.txt").read_text("utf-8")


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}-{case.name}")
def test_a_sample_is_recognised_by_its_root_and_its_spans_cut_out_its_texts(case):
    for document in documents(case):
        if not isinstance(document, Document):
            continue
        assert document.format == case.parent.name
        for entity in document.entities:
            if entity.spans and document.text is not None:
                assert " ".join(document.text[start:end] for start, end in entity.spans) == entity.text


def test_every_format_has_a_sample():
    assert {case.parent.name for case in CASES} == set(FORMATS)


if __name__ == "__main__":
    for each in CASES:
        (each / "expected.txt").write_text(outcome(each), "utf-8")
