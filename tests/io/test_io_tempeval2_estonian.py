import shutil
from pathlib import Path

import pytest

from temporacle.errors import InputError
from temporacle.io import tempeval2
from temporacle.io.recognise import folder_format
from temporacle.io.source import Options, Source
from temporacle.io.tempeval2 import read_estonian
from temporacle.model import Kind

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "formats"


@pytest.fixture
def tempeval2_folder(tmp_path):
    return shutil.copytree(GOLDEN / "tempeval2" / "folder" / "input", tmp_path / "english")


@pytest.fixture
def estonian_folder(tmp_path):
    return shutil.copytree(GOLDEN / "estonian" / "folder" / "input", tmp_path / "corpus")


def read(reader, path, **options):
    return list(reader(Source(str(path), None if path.is_file() else b"", Options(**options))))


def links(documents):
    return [(document.id, link.id) for document in documents for link in document.links]


def test_other_spellings_of_the_file_names_are_understood(tempeval2_folder):
    before = read(tempeval2.read, tempeval2_folder)
    (tempeval2_folder / "timex-extents.tab").rename(tempeval2_folder / "timex3-extents.tab")
    (tempeval2_folder / "dct.txt").rename(tempeval2_folder / "dct.tab")
    assert read(tempeval2.read, tempeval2_folder) == before


def test_unknown_ids_can_be_kept(tempeval2_folder):
    document = read(tempeval2.read, tempeval2_folder, keep_unknown=True)[0]
    assert document.entity_ids[-1] == "t7"
    assert document.entities[-1].id == "t7"
    assert not document.dropped


def test_text_and_dates_may_be_missing(tempeval2_folder):
    before = links(read(tempeval2.read, tempeval2_folder))
    (tempeval2_folder / "base-segmentation.tab").unlink()
    (tempeval2_folder / "dct.txt").unlink()
    documents = read(tempeval2.read, tempeval2_folder)
    assert links(documents) == before
    assert documents[0].text is None
    assert documents[0].entities[1].spans == ()


def test_bytes_that_are_not_utf_8_stop_a_file_of_links(tempeval2_folder):
    (tempeval2_folder / "tlinks-main-events.tab").write_bytes(b"orchard\te1\te2\tb\xff\n")
    with pytest.raises(InputError, match=r"tlinks-main-events\.tab:1: byte 0xff"):
        read(tempeval2.read, tempeval2_folder)


@pytest.mark.parametrize("name", ["tlinks-main-events.tab", "event-extents.tab"])
def test_missing_columns_stop_the_folder_and_name_the_file(tempeval2_folder, name):
    with (tempeval2_folder / name).open("a") as file:
        file.write("orchard\te1\n")
    with pytest.raises(InputError) as caught:
        read(tempeval2.read, tempeval2_folder)
    assert caught.value.path.endswith(name)


def test_an_empty_file_of_links_has_no_links(tempeval2_folder):
    (tempeval2_folder / "tlinks-dct-event.tab").write_bytes(b"")
    assert not [name for _, name in links(read(tempeval2.read, tempeval2_folder)) if "dct" in name]


def test_another_folder_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"event-extents\.tab"):
        read(tempeval2.read, tmp_path)


def test_documents_without_links_are_documents(tempeval2_folder, estonian_folder):
    for reader, folder in ((tempeval2.read, tempeval2_folder), (read_estonian, estonian_folder)):
        names = [document.id for document in read(reader, folder)]
        for path in folder.glob("tlink*"):
            path.write_bytes(b"")
        assert [document.id for document in read(reader, folder)] == [name for name in names if ".ann-" not in name]


def test_a_single_estonian_file_is_read_with_the_entities_beside_it(estonian_folder):
    documents = read(read_estonian, estonian_folder / "tlink-main-events")
    assert links(documents) == [("aed", "tlink-main-events:2")]
    assert [remark.code for remark in documents[0].dropped] == ["dangling-id"]
    assert links(read(read_estonian, estonian_folder / "tlink-main-events.ann-a")) == [
        ("aed.ann-a", "tlink-main-events.ann-a:2")
    ]


def test_a_single_estonian_file_without_entities_takes_what_its_links_name(tmp_path):
    path = shutil.copy(GOLDEN / "estonian" / "folder" / "input" / "tlink-main-events", tmp_path / "tlink-main-events")
    (document,) = read(read_estonian, path)
    assert document.entity_ids == ("e1", "e2", "e5")


def test_a_single_estonian_file_of_entities_is_refused(estonian_folder):
    with pytest.raises(InputError, match="no links"):
        read(read_estonian, estonian_folder / "event-annotation")


def codes(documents):
    return [remark.code for document in documents for remark in document.remarks]


def test_without_a_file_of_times_the_linked_times_are_kept(tempeval2_folder):
    before = read(tempeval2.read, tempeval2_folder)
    kept = {link for link in links(before) if not link[1].startswith("tlinks-timex")}
    (tempeval2_folder / "timex-extents.tab").unlink()
    documents = read(tempeval2.read, tempeval2_folder)
    assert kept < set(links(documents))
    assert set(links(before)) <= set(links(documents))
    assert "missing-file" in codes(documents)
    times = {entity.id: entity for document in documents for entity in document.entities}
    assert times["t1"].kind is Kind.TIME
    assert times["t1"].text is None


def test_a_misnamed_file_of_times_is_found_by_its_content(tempeval2_folder):
    before = read(tempeval2.read, tempeval2_folder)
    (tempeval2_folder / "timex-extents.tab").rename(tempeval2_folder / "timexes-extent.tab")
    documents = read(tempeval2.read, tempeval2_folder)
    assert links(documents) == links(before)
    assert [document.entities for document in documents] == [document.entities for document in before]
    assert "misnamed-file" in codes(documents)


def test_a_folder_without_links_is_read_and_says_so(tempeval2_folder):
    before = read(tempeval2.read, tempeval2_folder)
    for path in tempeval2_folder.glob("tlinks-*"):
        path.unlink()
    assert folder_format([path.name for path in tempeval2_folder.iterdir()]) == "tempeval2"
    documents = read(tempeval2.read, tempeval2_folder)
    assert [document.id for document in documents] == [document.id for document in before]
    assert links(documents) == []
    assert codes(documents).count("missing-file") == 1


def test_one_odd_byte_does_not_cost_the_text(tempeval2_folder):
    path = tempeval2_folder / "base-segmentation.tab"
    data = path.read_bytes()
    filler = b"".join(b"filler\t0\t%d\tword\n" % number for number in range(100))
    path.write_bytes(filler + data + b"filler\t1\t0\tcaf\x85\n")
    documents = read(tempeval2.read, tempeval2_folder)
    assert documents[0].text is not None
    (remark,) = [each for document in documents for each in document.remarks if each.code == "odd-bytes"]
    line = len((filler + data).splitlines()) + 1
    assert f"base-segmentation.tab:{line}:" in remark.message
    path.write_bytes(data + bytes(range(128, 256)) * 4)
    documents = read(tempeval2.read, tempeval2_folder)
    assert documents[0].text is None
    assert "no-text" in codes(documents)
