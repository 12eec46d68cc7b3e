import json
from collections import Counter

import pytest
from shared_data import shared

from temporacle.errors import InputError
from temporacle.io import dense
from temporacle.io.source import Options, Source
from temporacle.model import Kind


def read(text, name="orchard.smith", **options):
    return list(dense.read(Source(name, text.encode(), Options(**options))))


def expected(name):
    return json.loads(shared("corpora", "expected.json").read_text("utf-8"))["gold"][name]


CORPORA = [
    "timebank-dense-T3",
    "caevo-alldocs.merged",
    "caevo-alldocs.finegrainvague.merged",
    "caevo-alldocs.t3.merged",
    "caevo-alldocs.t3.finegrainvague.merged",
    *(f"caevo-individual-{name}" for name in ("cassidy", "mcdowell", "chambers", "bethard")),
    *(f"caevo-individual_with_dct-{name}" for name in ("cassidy", "mcdowell", "chambers", "bethard", "adjudicated")),
]


@pytest.mark.corpora
@pytest.mark.parametrize("name", CORPORA)
def test_corpora_are_read_whole(name):
    counts = expected(name)
    paths = sorted(shared("corpora").glob(counts["path"]))
    documents = [document for path in paths for document in dense.read(Source(str(path), path.read_bytes()))]
    assert len(documents) == counts["documents"]
    assert Counter(link.label for document in documents for link in document.links) == counts["labels"]
    assert not any(document.dropped for document in documents)


@pytest.mark.corpora
def test_annotators_files_of_merged_documents_are_read():
    for path in sorted(shared("corpora", "caevo-annotators", "merged").glob("*[0-9]")):
        (document,) = dense.read(Source(str(path), path.read_bytes()))
        assert document.id == path.name
        assert document.links


@pytest.mark.corpora
def test_lists_of_pairs_are_refused():
    paths = sorted(shared("corpora", "caevo-annotators", "original_pairs").iterdir())
    assert paths
    for path in paths:
        with pytest.raises(InputError, match="no labels"):
            list(dense.read(Source(str(path), path.read_bytes())))


def test_invented_pairs_are_refused():
    with pytest.raises(InputError, match="no labels"):
        read("e1\te2\t\ne1\te3\t\n", name="orchard.tml")


def test_kinds_follow_from_the_letters():
    (document,) = read("d\te1\tt0\tb\nd\tt1\te1\ti\n")
    assert [(entity.kind, entity.is_dct) for entity in document.entities] == [
        (Kind.EVENT, False),
        (Kind.TIME, True),
        (Kind.TIME, False),
    ]


def test_one_slip_does_not_change_the_layout():
    (document,) = read("e1\te2\tb\ne1\te3\t\tv\ne2\te3\ta\n")
    assert [link.label for link in document.links] == ["b", "v", "a"]


def test_labels_nobody_knows_are_dropped_not_taken_for_a_layout():
    (document,) = read("d\te1\te2\tlater\nd\te1\te3\tsooner\n")
    assert document.id == "d"
    assert [remark.code for remark in document.dropped] == ["unknown-label", "unknown-label"]


@pytest.mark.parametrize("row", ["d\te1\te2", "d\te1\te2\tb\tx\ty"])
def test_a_row_with_other_columns_stops_a_corpus_file(row):
    with pytest.raises(InputError) as caught:
        read(f"d\te1\te2\tb\nd\te1\te3\tb\n{row}\n")
    assert caught.value.line == 3


def test_a_row_with_one_column_is_dropped_from_an_annotators_file():
    (document,) = read("e1\te2\tb\ne7\n")
    assert [(remark.code, remark.line) for remark in document.dropped] == [("missing-endpoint", 2)]


def test_a_file_of_several_documents_says_once_that_a_label_is_upper_case():
    documents = read("c\te1\te2\tB\nd\te1\te2\tA\nd\te1\te3\tB\n")
    assert [[remark.code for remark in document.remarks] for document in documents] == [["label-case"], []]
