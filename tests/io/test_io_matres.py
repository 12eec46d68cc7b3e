import json
from collections import Counter

import pytest
from shared_data import shared

from temporacle.errors import InputError
from temporacle.io import dense
from temporacle.io.source import Options, Source


def read(text, **options):
    return list(dense.read_matres(Source("starts.txt", text.encode(), Options(**options))))


@pytest.mark.corpora
@pytest.mark.parametrize("name", ["matres-timebank", "matres-aquaint", "matres-platinum"])
def test_the_corpus_is_read_whole(name):
    counts = json.loads(shared("corpora", "expected.json").read_text("utf-8"))["gold"][name]
    path = shared("corpora", counts["path"])
    documents = list(dense.read_matres(Source(str(path), path.read_bytes())))
    assert len(documents) == counts["documents"]
    assert Counter(link.label for document in documents for link in document.links) == counts["labels"]
    assert not any(document.dropped for document in documents)


def test_labels_compare_start_points_unless_another_reading_is_chosen():
    text = "d\tx\ty\t1\t2\tBEFORE\n"
    assert str(read(text)[0].links[0].relation) == "b|m|o|fi|di"
    assert str(read(text, reading="timeml")[0].links[0].relation) == "b"


@pytest.mark.parametrize("row", ["d\tx\ty\t1\t2", "d\tx\ty\t1\t2\tBEFORE\tz", "d x y 1 2 BEFORE"])
def test_other_columns_stop_the_file(row):
    with pytest.raises(InputError) as caught:
        read(f"d\tx\ty\t1\t2\tBEFORE\n{row}\n")
    assert caught.value.line == 2


@pytest.mark.parametrize("number", ["ei1", "", "-1", "1.5", "\u0663"])
def test_an_id_that_is_no_number_drops_the_link(number):
    (document,) = read(f"d\tx\ty\t{number}\t2\tBEFORE\n")
    assert [remark.code for remark in document.dropped] == ["bad-id"]
    assert document.entity_ids == ()


def test_lower_case_is_remarked():
    (document,) = read("d\tx\ty\t1\t2\tbefore\nd\tx\ty\t1\t3\tafter\n")
    assert [remark.code for remark in document.remarks] == ["label-case"]
    assert len(document.links) == 2


def test_a_file_without_documents_is_refused():
    with pytest.raises(InputError, match="empty"):
        read("\n")
    with pytest.raises(InputError, match="document column"):
        read("\tx\ty\t1\t2\tBEFORE\n")
