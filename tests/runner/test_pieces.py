"""Pieces of a corpus: what a journal knows them by, and what stands in for one that cannot be read."""

import gzip
from dataclasses import replace

import pytest
from runs import line

from temporacle.checker import digest
from temporacle.corpus import inputs
from temporacle.corpus.inputs import Asking, Register, documents_of, key_of, load, pieces, size_of
from temporacle.errors import InputError
from temporacle.io.source import Options, Source
from temporacle.model import Document, PlainGraph, Remark, Unreadable
from temporacle.runner.job import DIED

LINKS = b"a\tb\tb\nb\tb\tc\n"


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "d.tsv"
    path.write_bytes(LINKS)
    return path


def identity(document):
    return document


def raising(document):
    """Fail on documents, and return what stands in for them."""
    if isinstance(document, Unreadable):
        return document
    raise RuntimeError("odd")


# --- what a journal knows a piece by ---------------------------------------------------------------------------------


def test_a_file_has_the_same_key_whether_or_not_it_was_loaded(table):
    plain, loaded = Source(str(table)), load(Source(str(table)))
    assert (plain.carried, loaded.carried) == (0, len(LINKS))
    assert key_of(plain) == key_of(loaded) == (f"{table}:1", digest(str(table)))
    assert plain.carried == 0  # its digest was made from the file, which was not kept


def test_the_content_that_was_loaded_counts_and_not_the_file(table):
    loaded = load(Source(str(table)))
    before = key_of(loaded)
    table.write_bytes(b"x\tb\ty\n")
    assert key_of(loaded) == before
    assert key_of(Source(str(table))) != before


def test_slices_of_a_file_have_keys_of_their_own():
    first, second = Source("d.jsonl", b"x", first_line=1), Source("d.jsonl", b"x", first_line=7)
    assert key_of(first)[0] == "d.jsonl:1"
    assert key_of(second)[0] == "d.jsonl:7"
    assert key_of(first)[1] == key_of(second)[1]


def test_standard_input_is_known_by_its_content():
    assert key_of(Source("-", b"")) != key_of(Source("-", b"x"))
    assert key_of(Source("-", b""))[0] == "-:1"


def test_a_document_is_known_by_everything_that_can_change_an_answer():
    document = Document("d", [("a", "BEFORE", "b")])
    name, content = key_of(document)
    assert name == "document d"
    assert key_of(replace(document)) == (name, content)
    others = [
        Document("d", [("a", "AFTER", "b")]),
        replace(document, path="d.tsv"),
        replace(document, remarks=(Remark("odd", "a remark"),)),
        replace(document, entity_ids=("a", "b", "c")),
    ]
    assert all(key_of(other)[0] == name for other in others)
    assert len({content, *(key_of(other)[1] for other in others)}) == 5


def test_an_unreadable_file_is_known_by_its_reason():
    bad = Unreadable("d", "d.tsv", InputError("cut off", path="d.tsv"))
    worse = Unreadable("d", "d.tsv", InputError("empty", path="d.tsv"))
    assert key_of(bad)[0] == key_of(worse)[0] == "d.tsv"
    assert key_of(bad)[1] != key_of(worse)[1]


# --- pieces -----------------------------------------------------------------------------------------------------------


def test_only_loaded_pieces_carry_their_content(table):
    assert [piece.carried for piece in pieces([str(table)], Options())] == [0]
    assert [piece.carried for piece in pieces([str(table)], Options(), loaded=True)] == [len(LINKS)]


def test_what_is_missing_or_broken_becomes_an_unreadable_piece(tmp_path):
    (tmp_path / "cut.tsv.gz").write_bytes(gzip.compress(LINKS)[:-9])
    (tmp_path / "gone.tsv").symlink_to(tmp_path / "nothing")
    for piece in pieces([str(tmp_path)], Options(), loaded=True):
        assert isinstance(piece, Unreadable)
        assert key_of(piece)[0] == piece.path
        assert load(piece) is piece


def test_files_that_are_passed_over_are_reported(table):
    (table.parent / ".hidden").write_text("nothing")
    remarks = []
    assert len(list(pieces([str(table.parent)], Options(), report=remarks.append))) == 1
    assert [remark.code for remark in remarks] == ["skipped-junk"]


def test_only_sources_have_a_size(table):
    assert size_of(Source(str(table))) == len(LINKS)
    assert size_of(Document("d", [("a", "BEFORE", "b")])) == 0


# --- asking -----------------------------------------------------------------------------------------------------------


def answers(job, item, skip=0):
    told = []
    return list(job.results(item, skip, told.append)), told


def test_answers_begin_where_they_are_asked_to():
    source = Source("d.jsonl", "".join(line(f"d{number}", 1) for number in range(4)).encode())
    found, told = answers(Asking(identity), source, 2)
    assert [document.id for document in found] == told == ["d2", "d3"]
    assert [document.id for document in documents_of(source)] == ["d0", "d1", "d2", "d3"]


def test_plain_graphs_are_read_only_for_questions_that_can_use_them():
    source = Source("d.jsonl", line("d", 2).encode())
    (document,), _ = answers(Asking(identity), source)
    (graph,), _ = answers(Asking(identity, graphs=True), source)
    assert isinstance(document, Document)
    assert isinstance(graph, PlainGraph)


def test_documents_in_memory_are_asked_as_they_are():
    document = Document("d", [("a", "BEFORE", "b")])
    found, told = answers(Asking(identity), document)
    assert found[0] is document
    assert told == ["d"]


def test_a_question_that_fails_is_asked_about_the_failure():
    (given_up,), _ = answers(Asking(raising), Source("d.tsv", LINKS))
    assert (given_up.id, given_up.path) == ("d", "d.tsv")
    assert str(given_up.error) == "d.tsv: internal error: RuntimeError: odd; please report this document"
    (given_up,), _ = answers(Asking(raising), Document("e", [("a", "BEFORE", "b")]))
    assert (given_up.id, given_up.path, given_up.error.path) == ("e", "", None)


def test_a_reader_that_fails_makes_the_file_unreadable(monkeypatch):
    def broken(_source):
        raise RuntimeError("odd")

    monkeypatch.setattr(inputs, "read_source", broken)
    (found,) = documents_of(Source("d.tsv", LINKS))
    assert (found.id, found.path, found.error.path) == ("d", "d.tsv", "d.tsv")
    assert "internal error: RuntimeError: odd; please report" in str(found.error)


@pytest.mark.parametrize(("name", "shown"), [(None, "d"), ("d7", "d7")])
def test_what_a_process_died_over_is_named(name, shown):
    job = Asking(identity)
    found = job.failed(Source("x/d.tsv", LINKS), name, DIED)
    assert (found.id, found.path, found.error.reason) == (shown, "x/d.tsv", DIED)
    assert "check it alone" in str(found.error)
    found = job.failed(Document("d", [("a", "BEFORE", "b")]), name, "odd")
    assert (found.id, found.path, found.error.path) == (shown, "", None)
    assert "please report" in str(found.error)


def test_given_up_says_whether_the_document_had_been_read():
    class Noting(Asking):
        def given_up(self, name, path, reason, *, read):
            return name, path, reason, read

    job = Noting(raising)
    assert answers(job, Source("d.tsv", LINKS))[0] == [("d", "d.tsv", "internal error: RuntimeError: odd", True)]
    assert job.failed(Source("d.tsv", LINKS), "d", "odd") == ("d", "d.tsv", "odd", True)
    assert job.failed(Source("d.tsv", LINKS), None, "odd") == ("d", "d.tsv", "odd", False)


def test_a_name_is_met_once():
    register = Register()
    assert register.before("d", "a.tsv") is None
    assert register.before("d", "b.tsv") == "a.tsv"
    assert register.before("d", "c.tsv") == "a.tsv"
    assert register.before("e", "c.tsv") is None
