"""The samples that come with the specification: what each file holds, and each change byte for byte."""

import json

import pytest
from shared_data import shared

import temporacle as tp
from temporacle.io.edit import Edits, changed
from temporacle.io.source import Options, Source
from temporacle.model import Document, Unreadable

pytestmark = pytest.mark.corpora
SAMPLES = shared("corpora", "annotation-tools")
EXPECTED = json.loads((SAMPLES / "expected.json").read_text("utf-8"))
CASES = json.loads((SAMPLES / "writeback" / "cases.json").read_text("utf-8"))


def options(entry):
    """How the page reads a file."""
    chosen = {}
    if "mapping" in entry:
        chosen["mapping"] = str(SAMPLES / entry["mapping"])
    reading = entry.get("reading")
    if reading is not None:
        chosen["labels"] = str(SAMPLES / reading) if reading.endswith(".toml") else reading
    return chosen


@pytest.mark.parametrize("name", EXPECTED)
def test_a_file_holds_what_the_page_says(name):
    entry = EXPECTED[name]
    found = list(tp.read_corpus(SAMPLES / name, **options(entry)))
    if "error" in entry:
        (unreadable,) = found
        assert isinstance(unreadable, Unreadable)
        assert entry["error"]["line"] in (None, unreadable.error.line)
        return
    assert len(found) == len(entry["documents"])
    for document, expected in zip(found, entry["documents"], strict=True):
        if "unreadable_line" in expected:
            assert isinstance(document, Unreadable)
            assert document.error.line == expected["unreadable_line"]
            continue
        assert (document.id, document.format) == (expected["id"], entry["format"])
        compare(document, expected)
        verdict(document, expected)
        if "doctimerel" in expected:
            again = next(
                each
                for each in tp.read_corpus(SAMPLES / name, doctimerel=True, **options(entry))
                if each.id == document.id
            )
            links = [link for link in again.links if link.id.startswith("DocTimeRel:")]
            assert len(links) == expected["doctimerel"]["links"]
            assert (tp.check(again)[0].verdict == "consistent") is expected["doctimerel"]["consistent"]


def compare(document, expected):
    entities = {
        (entity.id, entity.kind.value, entity.spans, entity.text, entity.is_dct) for entity in document.entities
    }
    assert entities == {
        (each["id"], each["kind"], tuple(map(tuple, each["spans"])), each["text"], each.get("dct", False))
        for each in expected["entities"]
    }
    links = sorted((link.id, link.source, link.label, link.target) for link in document.links)
    assert links == sorted((each["id"], each["source"], each["label"], each["target"]) for each in expected["links"])
    remarks = [(remark.code, str(remark.element or remark.line)) for remark in document.remarks]
    assert told_apart(remarks) == told_apart([(each["code"], each["at"]) for each in expected["remarks"]])


def told_apart(remarks):
    """Return the remarks, and the number of relations that were not used: the list of expectations was written when
    relations of unknown types were ignored, and now they are skipped if they stand between two events or times.
    """
    unused = sum(
        sum(int(each.rpartition(" x")[2]) for each in at.split(", ")) if code == "other-relations" else 1
        for code, at in remarks
        if code in {"other-relations", "unknown-label"}
    )
    return sorted(each for each in remarks if each[0] not in {"other-relations", "unknown-label"}), unused


def verdict(document, expected):
    (found,) = tp.check(document, repair=True)
    if document.dropped and not document.links:
        assert found.verdict == "unchecked"
        return
    assert (found.verdict == "consistent") is expected["consistent"]
    if not expected["consistent"]:
        assert len(found.conflict) == expected["smallest_conflict_size"]
        assert len(found.to_drop) == expected["repair_size"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["expected"].rpartition("/")[2])
def test_a_change_is_byte_for_byte_as_the_page_says(case):
    entry = EXPECTED[case["file"]]
    new = tp.apply(
        SAMPLES / case["file"],
        drop=case.get("drop", ()),
        relabel=case.get("relabel"),
        comment=case.get("comment"),
        document=case.get("document"),
        **options({**entry, **case}),
    )
    assert new == (SAMPLES / case["expected"]).read_bytes()
    assert [(SAMPLES / case["file"]).stat().st_size, len(new)] == case["bytes"]


@pytest.mark.parametrize("name", [name for name, entry in EXPECTED.items() if "error" not in entry])
def test_nothing_changes_where_nothing_is_asked(name):
    path = SAMPLES / name
    asked = options(EXPECTED[name])
    documents = [each for each in tp.read_corpus(path, **asked) if isinstance(each, Document)]
    chosen = Options(**{"reading" if key == "labels" else key: value for key, value in asked.items()})
    source = Source(str(path), path.read_bytes(), chosen)
    assert changed(source, {document.id: Edits(renew=True) for document in documents}) == path.read_bytes()


def test_folders_are_read_without_remarks_on_texts_and_settings(capsys):
    from temporacle.cli import run

    run(["check", str(SAMPLES / "timeset" / "dev"), "--mapping", "timeset", "--output", "json"])
    out = capsys.readouterr()
    assert len(out.out.splitlines()) == 7
    assert "skipped" not in out.err
    run(["check", str(SAMPLES / "e3c"), "--mapping", "e3c", "--output", "json"])
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert sum(row["verdict"] == "inconsistent" for row in rows) == 8
