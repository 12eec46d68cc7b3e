"""Real corpora and real bad input, where they are at hand: every document, link and label is accounted for."""

import csv
import json
import tarfile
from collections import Counter

import pytest
from shared_data import SHARED, shared

import temporacle as tp
from temporacle.io import read_corpus
from temporacle.model import Document, Unreadable
from temporacle.reasoner.oracle import Oracle
from temporacle.results import Consistent, Inconsistent

pytestmark = pytest.mark.corpora


def expectations():
    path = SHARED / "corpora" / "expected.json"
    if not path.exists():
        return {}
    found = json.loads(path.read_text("utf-8"))
    sets = {**found["gold"], **found["systems"]}
    return {name: counts for name, counts in sets.items() if "path" in counts and " + " not in counts["path"]}


EXPECTED = expectations()


@pytest.mark.parametrize("name", EXPECTED)
def test_every_document_link_and_label_is_there(name):
    counts = EXPECTED[name]
    paths = sorted(shared("corpora").glob(counts["path"]))
    assert paths
    documents = list(read_corpus(paths))
    assert not [document for document in documents if isinstance(document, Unreadable)]
    dropped = sum(len(document.dropped) for document in documents)
    assert len(documents) == counts["documents"]
    assert sum(len(document.links) for document in documents) + dropped == counts["links"]
    assert dropped == counts.get("links_dropped_if_unknown_ids_are_rejected", 0)
    if not dropped:
        assert Counter(link.label for document in documents for link in document.links) == counts["labels"]


def bad_input():
    path = SHARED / "corpora" / "bad-input-expected.tsv"
    if not path.exists():
        return []
    lines = (line for line in path.read_text("utf-8").splitlines() if not line.startswith("#"))
    return list(csv.DictReader(lines, delimiter="\t"))


@pytest.mark.parametrize("row", bad_input(), ids=lambda row: row["file"])
def test_bad_input_has_the_outcome_laid_down(row):
    (found,) = read_corpus(shared("corpora", "bad-input", row["file"]))
    if row["action"] == "stop":
        assert isinstance(found, Unreadable)
        assert found.path in str(found.error)
        words = {
            "AppleDouble": "AppleDouble",
            "not XML": "not XML",
            "XML cut off": "not well-formed",
            "empty file": "empty",
        }
        assert words[row["remark"]] in found.error.reason
    else:
        assert isinstance(found, Document)
        assert len(found.links) == int(row["links_kept"])
        assert len(found.dropped) == int(row["links_dropped"])
        assert all(remark.line is not None and remark.element for remark in found.dropped)


@pytest.mark.parametrize("row", [row for row in bad_input() if row["action"] == "read"], ids=lambda row: row["file"])
def test_bad_input_that_can_be_read_has_the_verdict_laid_down(row):
    answer = Oracle(tp.read(shared("corpora", "bad-input", row["file"]))).consistency()
    if row["verdict"] == "consistent":
        assert isinstance(answer, Consistent)
    else:
        assert isinstance(answer, Inconsistent)
        assert row["verdict"] == f"inconsistent, smallest conflict {len(answer.conflict)}"


def test_a_folder_of_bad_input_is_read_to_its_end():
    folder = shared("corpora", "bad-input")
    notes = []
    found = list(read_corpus(folder, report=notes.append))
    names = {path.name for path in folder.iterdir()}
    assert len(found) == len(names)  # none of them is hidden: the AppleDouble file has another name here
    assert sum(isinstance(each, Document) for each in found) == sum(row["action"] == "read" for row in bad_input())


def test_the_packed_corpus_of_three_links_each(tmp_path):
    with tarfile.open(shared("corpora", "cavat-testcorpus", "test_corpus.tar.gz")) as archive:
        archive.extractall(tmp_path, filter="data")
    with shared("corpora", "cavat-testcorpus", "labels.tsv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader((line for line in file if not line.startswith("#")), delimiter="\t")
    links = {row[0].rsplit("/", 1)[-1]: row for row in rows}
    documents = [each for each in read_corpus(tmp_path) if each.path.rsplit("/", 1)[-1] in links]
    assert len(documents) == len(links) == 2724
    column = next(number for number, name in enumerate(header) if "links" in name and not name.startswith("link "))
    for document in documents:
        row = links[document.path.rsplit("/", 1)[-1]]
        assert isinstance(document, Document)
        assert len(document.links) + len(document.dropped) == int(row[column])


def test_real_files_survive_a_round_through_timeml(tmp_path):
    from temporacle.io.writers import write

    documents = [each for each in read_corpus(shared("corpora", "te3-platinum")) if isinstance(each, Document)]
    write(documents, tmp_path / "out", "timeml")
    again = list(read_corpus(tmp_path / "out"))
    assert len(again) == len(documents) == 20
    for first, second in zip(documents, again, strict=True):
        assert second.text == first.text
        assert [link[:5] for link in second.links] == [link[:5] for link in first.links]
        described = [{entity._replace(line=None) for entity in each.entities} for each in (first, second)]
        assert described[0] == described[1]
