import pytest

from temporacle.errors import InputError
from temporacle.io import read_source, tables
from temporacle.io.source import Options, Source


def read(text, **options):
    return list(tables.read_tsv(Source("folder/links.tsv", text.encode(), Options(**options))))


def relations(text, **options):
    return [str(link.relation) for document in read(text, **options) for link in document.links]


def test_without_a_document_column_the_file_is_the_document():
    (document,) = read("left\tBEFORE\tdocked\n")
    assert document.id == "links"
    assert document.path == "folder/links.tsv"


def test_interleaved_documents_come_in_the_order_of_first_mention():
    documents = read("two\ta\tb\tc\none\ta\tb\tc\ntwo\tc\tb\td\n")
    assert [(document.id, [link.id for link in document.links]) for document in documents] == [
        ("two", ["1", "3"]),
        ("one", ["2"]),
    ]


@pytest.mark.parametrize("header", ["source\trelation\ttarget", "SOURCE\tRelation\ttarget "])
def test_a_header_is_skipped_in_any_case(header):
    assert relations(f"{header}\na\tb\tc\n") == ["b"]


def test_a_header_counts_only_before_the_first_link():
    (document,) = read("a\tb\tc\nsource\trelation\ttarget\n")
    assert [remark.code for remark in document.dropped] == ["unknown-label"]


@pytest.mark.parametrize(
    ("text", "line"),
    [("a\tb\n", 1), ("a\tb\tc\td\te\n", 1), ("a\tb\tc\n# note\nd\ta\tb\tc\n", 3), ("d\ta\tb\tc\n\na\tb\tc\n", 3)],
)
def test_a_wrong_number_of_columns_stops_the_file_and_names_the_line(text, line):
    with pytest.raises(InputError, match="column") as caught:
        read(text)
    assert caught.value.line == line
    assert caught.value.path == "folder/links.tsv"


@pytest.mark.parametrize("text", ["", "\n\n", "  \n"])
def test_an_empty_file_is_refused(text):
    with pytest.raises(InputError, match="file is empty"):
        read(text)


def test_an_empty_document_name_is_refused():
    with pytest.raises(InputError, match="document column is empty"):
        read(" \ta\tb\tc\n")


def test_atoms_are_understood_beside_the_labels_of_any_reading():
    text = "a\tBEFORE\tc\na\toi\tc\na\tb|MEETS\tc\n"
    assert relations(text) == ["b", "oi", "b|m"]
    assert relations(text, reading="matres") == ["b|m|o|fi|di", "oi", "b|m"]
    assert relations(text, reading="timeml-loose") == ["b|m", "oi", "b|m"]


def test_the_allen_reading_has_atoms_and_allens_names_only():
    documents = read("a\tDURING\tc\na\tIS_INCLUDED\tc\na\tmi\tc\n", reading="allen")
    assert [str(link.relation) for link in documents[0].links] == ["d", "mi"]
    assert [remark.code for remark in documents[0].remarks if remark.code != "contradictory-pair"] == ["unknown-label"]


def test_the_dense_reading_keeps_its_s():
    assert relations("a\ts\tc\n", reading="dense") == ["="]
    assert relations("a\ts\tc\n") == ["s"]


def during_remarks(documents):
    return [remark for document in documents for remark in document.remarks if remark.code == "during-is-timeml"]


def test_during_is_remarked_once_a_file_with_its_meaning():
    text = "one\ta\tDURING\tc\none\tc\tduring_inv|b\td\ntwo\ta\tDURING\tc\n"
    (remark,) = during_remarks(read(text))
    assert remark.line == 1
    assert "'='" in remark.message
    (remark,) = during_remarks(read(text, during="is_included"))
    assert "'d' (see during=)" in remark.message


@pytest.mark.parametrize("reading", ["timeml", "allen"])
def test_who_chose_a_reading_is_not_told_about_during(reading):
    assert during_remarks(read("a\tDURING\tc\n", reading=reading)) == []


def test_blanks_in_names_are_kept_and_remarked_once():
    (document,) = read("a \tb\tc\n d\tb\ta \n")
    assert document.entity_ids == ("a ", "c", " d")
    assert [(remark.code, remark.line) for remark in document.remarks] == [("name-blanks", 1)]


def test_blanks_around_the_name_of_a_document_are_remarked():
    first, second = read("d \ta\tb\tc\nd\tc\tb\ta\n")
    assert (first.id, second.id) == ("d ", "d")
    assert [remark.code for remark in first.remarks] == ["name-blanks"]


def test_blanks_behind_the_commas_of_csv_are_remarked():
    """Two names that look alike are two entities: nobody may take that for consistent without a word."""
    (document,) = read_source(Source("x.csv", b"source,relation,target\na, BEFORE, c\nc,BEFORE,a\n"))
    assert document.entity_ids == ("a", " c", "c")
    assert next((remark.code, remark.line) for remark in document.remarks) == ("name-blanks", 2)


def test_other_line_ends_do_not_cut_a_line():
    (document,) = read("a\u2028x\tb\tc\x85y\r\n")
    assert document.entity_ids == ("a\u2028x", "c\x85y")


def test_bytes_that_are_not_utf_8_stop_the_file_unless_an_encoding_is_given():
    data = "caf\u00e9\tb\tbar\n".encode("latin-1")
    with pytest.raises(InputError, match="0xe9"):
        list(tables.read_tsv(Source("x.tsv", data)))
    (document,) = tables.read_tsv(Source("x.tsv", data, Options(encoding="latin-1")))
    assert document.entity_ids == ("caf\u00e9", "bar")


def test_entities_are_made_when_asked_for():
    (document,) = read("a\tb\tc\n")
    assert [entity.id for entity in document.entities] == ["a", "c"]


@pytest.mark.parametrize(("name", "comma"), [("d.tsv", "\t"), ("d.csv", ",")])
def test_a_nul_character_is_refused_with_its_line(name, comma):
    text = f"a{comma}BEFORE{comma}b\na{comma}BEFORE{comma}c\0d\n"
    (found,) = read_source(Source(name, text.encode()))
    assert str(found.error).startswith(f"{name}:2: there is a NUL character in the line; ")
    assert "encoding='utf-16'" in str(found.error)
