"""Invented samples of every tab and JSON Lines format, and what each must be read as.

A case is a folder tests/golden/formats/FORMAT/CASE with the file (or, for formats that are folders, the files) in
``input`` and the outcome in ``expected.txt``. ``python tests/io/test_io_tab_golden.py`` writes the outcomes anew; read
every changed line before keeping it.
"""

from pathlib import Path

import pytest

from temporacle.io.formats import format_named
from temporacle.io.source import Source
from temporacle.model import Action, Document

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "formats"
FILES = ("tsv", "jsonl", "dense", "matres", "timeline", "deptree", "depgraph")
FOLDERS = ("tempeval2", "estonian")
CASES = sorted(case for name in (*FILES, *FOLDERS) for case in (GOLDEN / name).glob("*/"))


def outcome(case: Path) -> str:
    format_name, path = case.parent.name, case / "input"
    if format_name in FILES:
        (path,) = path.iterdir()
        source = Source(str(path), path.read_bytes())
    else:
        source = Source(str(path), b"")
    return "\n".join(line for found in format_named(format_name).reader()(source) for line in lines_about(found)) + "\n"


def lines_about(found):
    if not isinstance(found, Document):
        yield f"unreadable {found.id}: line {found.error.line}, column {found.error.column}: {found.error.reason}"
        return
    yield f"document {found.id}"
    assert tuple(entity.id for entity in found.entities) == found.entity_ids
    for entity in found.entities:
        extras = [entity.text, entity.spans, entity.value, "creation time" if entity.is_dct else None]
        yield "  " + " ".join(["entity", entity.id, entity.kind.value, *(repr(extra) for extra in extras if extra)])
    if found.text is not None:
        yield f"  text {found.text!r}"
    for link in found.links:
        extras = [f"weight {link.weight}" if link.weight != 1 else "", f"task {link.task}" if link.task else ""]
        words = ["link", link.id, link.source, str(link.relation), link.target, f"({link.label}, line {link.line})"]
        yield "  " + " ".join([*words, *filter(None, extras)])
    for remark in found.remarks:
        action = "dropped" if remark.action is Action.DROPPED else "warned"
        yield f"  {action} {remark.code} line {remark.line} {remark.element}"


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}-{case.name}")
def test_a_sample_is_read_as_expected(case):
    assert outcome(case) == (case / "expected.txt").read_text("utf-8")


def test_every_format_has_a_sample():
    assert {case.parent.name for case in CASES} >= {"tsv", "jsonl", "dense", "matres", "timeline", *FOLDERS}


if __name__ == "__main__":
    for each in CASES:
        (each / "expected.txt").write_text(outcome(each), "utf-8")
