"""``tp.write``, ``tp.convert``, ``tp.read`` and ``tp.read_corpus``."""

import json

import pandas as pd
import pytest

import temporacle as tp

LINKS = [("a", "BEFORE", "b"), ("b", "MEETS", "c")]


@pytest.mark.parametrize("name", ["timeml", "tsv", "jsonl", "csv"])
def test_what_is_written_to_a_folder_is_read_again(tmp_path, name):
    documents = [tp.Document("one", LINKS), tp.Document("two", LINKS[:1])]
    written = tp.write(documents, tmp_path / "out", format=name)
    assert (written.documents, written.format) == (2, name)
    found = list(tp.read_corpus(tmp_path / "out"))
    assert [document.id for document in found] == ["one", "two"]
    assert [[link.relation for link in document.links] for document in found] == [
        [link.relation for link in document.links] for document in documents
    ]


@pytest.mark.parametrize(
    "source", [LINKS, tp.Document("d", LINKS), pd.DataFrame(LINKS, columns=["source", "relation", "target"])]
)
def test_everything_that_holds_documents_can_be_written(tmp_path, source):
    assert tp.write(source, tmp_path / "d.jsonl").documents == 1
    assert [link.source for link in tp.read(tmp_path / "d.jsonl").links] == ["a", "b"]


def test_the_suffix_decides_unless_a_format_is_given(tmp_path):
    assert tp.write(LINKS, tmp_path / "d.tsv").format == "tsv"
    with pytest.raises(tp.UsageError, match="choose one of timeml, eventfull, tsv") as caught:
        tp.write(LINKS, tmp_path / "out/")
    assert "--" not in str(caught.value)
    with pytest.raises(tp.UsageError, match="magic"):
        tp.write(LINKS, tmp_path / "d.tsv", format="magic")


def test_an_unreadable_document_is_an_error_for_write_and_a_note_for_convert(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "bad.tml").write_text("<TimeML>")
    (folder / "good.tsv").write_text("a\tb\tb\na\tNEAR\tb\n")
    with pytest.raises(tp.InputError):
        tp.write(tp.read_corpus(folder), tmp_path / "out.jsonl")
    assert not (tmp_path / "out.jsonl").exists()
    written = tp.convert(folder, tmp_path / "out.jsonl")
    assert written.documents == 1
    assert [each.id for each in written.unreadable] == ["bad"]
    assert [remark.code for remark in written.dropped] == ["unknown-label"]
    assert repr(written).endswith("out.jsonl', 1 documents as jsonl, 1 unreadable, 1 skipped: 1 unknown-label)")
    assert written.to_dict()["documents"] == written.to_frame()["documents"][0] == 1
    assert "unknown label" in written._repr_html_()


def test_documents_of_one_name_can_be_merged(tmp_path):
    for folder, link in (("a", "a\tb\tb\n"), ("b", "b\tb\tc\n")):
        (tmp_path / "in" / folder).mkdir(parents=True)
        (tmp_path / "in" / folder / "d.tsv").write_text(link)
    assert tp.convert(tmp_path / "in", tmp_path / "out.jsonl", merge=True).documents == 1
    assert len(tp.read(tmp_path / "out.jsonl").links) == 2


def test_reading_options_are_those_of_the_command_line(tmp_path):
    path = tmp_path / "d.jsonl"
    path.write_text(
        json.dumps({"document": "d", "links": [{"source": "a", "relation": "DURING", "target": "b"}]}) + "\n"
    )
    assert tp.read(path, during="is_included").links[0].relation == tp.Relation("d")
    assert tp.convert(path, tmp_path / "out.csv", during="is_included").documents == 1
    assert "a,d,DURING,b" in (tmp_path / "out.csv").read_text()
