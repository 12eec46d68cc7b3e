"""Files of claims: what counts as a verdict, which document a torn claim belongs to, and which place a remark names."""

from __future__ import annotations

import json

import pytest

from temporacle.audit.answers import Closed, Failed, Failure, SaidInconsistent
from temporacle.audit.claims import (
    claim_options,
    claims_in,
    claims_of,
    closure_rows,
    is_blank,
    is_closure,
    without_verdicts,
)
from temporacle.corpus.inputs import documents
from temporacle.errors import InputError, UsageError
from temporacle.io.source import Options, Source
from temporacle.model import Action, Document, Unreadable
from temporacle.readings import load_reading
from temporacle.relation import Relation

BOM = b"\xef\xbb\xbf"
B = Relation("b")
PAIR = {"source": "a", "relation": "b", "target": "b"}
CLAIM = ("a", B, "b")


def jsonl(*rows):
    return "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows)


def source(text):
    return Source("claims.jsonl", text if isinstance(text, bytes) else text.encode(), claim_options(Options(), ()))


class Read:
    """The claims of files, and the remarks that were made on the way."""

    def __init__(self, *paths):
        self.remarks = []
        self.claims = claims_in([str(path) for path in paths], claim_options(Options(), ()), self.remarks.append)

    def answer(self, document="d"):
        return self.claims.answer(document)

    @property
    def places(self):
        return [(remark.code, remark.element) for remark in self.remarks]


@pytest.fixture
def write(tmp_path):
    def write(name, text):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


# --- verdicts among links --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("data", [b"", b" \n\t\n", BOM, BOM + b"\n"])
def test_a_file_without_content_is_blank(data):
    assert is_blank(source(data))
    assert not is_blank(source(data + b"a"))


@pytest.mark.parametrize(
    "data",
    [b"inconsistent", b"Inconsistent \r\n", BOM + b"inconsistent\n", b"# by a program\n\n  inconsistent\n# end\n"],
)
def test_a_verdict_alone_is_about_the_whole_file(data):
    assert without_verdicts(data) == (b"", None)


@pytest.mark.parametrize(
    "data",
    [
        b"a\tb\tc\n",
        BOM + b"a\tb\tc\n",  # whoever reads it takes the mark away
        b"a\tb\tinconsistent\n",  # the name of an entity
        b"inconsistent-storm\tb\tc\n",
        b"inconsistent\na\tb\tc\n",  # a line that says both nothing and too much: left to the reader of links
        b"inconsistent\ninconsistent\n",
    ],
)
def test_a_file_without_verdicts_on_documents_stays_as_it_is(data):
    assert without_verdicts(data) == (data, [])


def test_lines_keep_their_numbers_when_verdicts_are_taken_out():
    kept, documents = without_verdicts(b"d1\tinconsistent\nd2\ta\tb\tc\nd\xff3\t INCONSISTENT \r\nd4\ta\tb\tc\n")
    assert kept.split(b"\n") == [b"", b"d2\ta\tb\tc", b"", b"d4\ta\tb\tc", b""]
    assert documents == ["d1", "d\ufffd3"]


# --- pairs and verdicts as JSON Lines --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (jsonl(PAIR), True),
        (BOM + b"\n " + jsonl(PAIR).encode(), True),
        (jsonl({"source": "a", "target": "b"}), True),  # a claim, although one without a relation
        (jsonl({"document": "d", "verdict": "inconsistent"}), True),
        (jsonl("{torn", PAIR), True),  # the first object that can be read decides
        (jsonl("{torn"), False),
        (jsonl({"document": "d", "links": []}), False),
        (jsonl({"document": "d", "links": [], "source": "a", "target": "b"}), False),
        (jsonl({"document": "d", "links": [], "verdict": "consistent"}), False),
        (jsonl({"source": "a"}), False),
        (jsonl({"target": "a"}), False),
        (jsonl({}), False),
        (jsonl("a\tb\tc", PAIR), False),  # links TSV with an odd line
        (jsonl([1], PAIR), False),
    ],
)
def test_recognising_a_closure(text, expected):
    assert is_closure(source(text)) is expected


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{torn", "bad JSON"),
        ("[" * 100_000, "nested too deeply"),
        ("[1]", "not an object"),
        ('"inconsistent"', "not an object"),
        (jsonl({"links": []}).strip(), "not a claim"),
        (jsonl({"source": "a"}).strip(), "not a claim"),
        (jsonl({**PAIR, "links": []}).strip(), "not a claim"),
        (jsonl({**PAIR, "source": ["a"]}).strip(), "not a claim"),
        (jsonl({**PAIR, "document": {}}).strip(), "not a claim"),
        (jsonl({**PAIR, "relation": [["b"]]}).strip(), "not a claim"),
        (jsonl({"verdict": [1]}).strip(), "not a claim"),
    ],
)
def test_a_line_that_cannot_be_read_is_named_and_spoils_no_other(line, reason):
    first, (number, error), last = closure_rows(source(jsonl(PAIR, line, PAIR)))
    assert (first, last) == ((1, PAIR), (3, PAIR))
    assert isinstance(error, InputError)
    assert (number, error.line, error.path) == (2, 2, "claims.jsonl")
    assert reason in error.reason
    assert (reason == "not a claim") == ("source, relation and target" in str(error))  # the cure


@pytest.mark.parametrize("row", [{**PAIR, "source": 1}, {**PAIR, "relation": ["b", "m"]}, {**PAIR, "document": None}])
def test_numbers_lists_of_labels_and_null_are_plain_enough(row):
    assert list(closure_rows(source(jsonl(row)))) == [(1, row)]


# --- what is claimed about which document ----------------------------------------------------------------------------


def test_claims_of_a_file_belong_to_the_documents_that_its_lines_name(write):
    other = {**PAIR, "document": "other", "relation": ["b", "m"]}
    read = Read(write("d.jsonl", jsonl(PAIR, other, {"document": "third", "verdict": "inconsistent"})))
    assert read.answer() == Closed((CLAIM,))
    assert read.answer("other") == Closed((("a", Relation("b|m"), "b"),))
    assert read.answer("third") == SaidInconsistent()
    assert read.answer("never mentioned") == Closed(())
    assert read.claims.documents == ["d", "other", "third"]
    assert read.remarks == []


def test_a_line_that_cannot_be_read_may_belong_to_any_document_of_its_file(write):
    write("claims/torn.jsonl", jsonl({**PAIR, "document": "before"}, "{torn", {**PAIR, "document": "after"}))
    folder = write("claims/whole.jsonl", jsonl({**PAIR, "document": "elsewhere"})).parent
    read = Read(folder)
    assert read.answer("before") == read.answer("after") == Closed((CLAIM,), torn=True)
    assert read.answer("elsewhere") == Closed((CLAIM,))
    assert read.answer("without claims") == Closed((), torn=True)
    assert [(code, "torn.jsonl:2" in remark.message) for remark in read.remarks for code in [remark.code]] == [
        ("unread-claim", True)
    ]


def test_nothing_is_torn_in_a_file_that_can_be_read(write):
    read = Read(write("d.jsonl", jsonl(PAIR)))
    assert read.answer() == Closed((CLAIM,), torn=False)
    assert read.answer("another") == Closed((), torn=False)


def test_a_verdict_other_than_inconsistent_leaves_the_document_open(write):
    path = write("d.jsonl", jsonl({"document": "d", "verdict": "undecided"}, {**PAIR, "document": "other"}))
    read = Read(path)
    assert read.answer() == Closed((), torn=True)
    assert read.answer("other") == Closed((CLAIM,))
    assert read.places == [("undecided-claim", f"{path}:1")]
    assert read.remarks[0].action is Action.DROPPED


def test_a_relation_that_cannot_be_read_is_named_with_file_and_line(write):
    path = write("d.jsonl", jsonl(PAIR, {"source": "a", "target": "c"}, {**PAIR, "relation": "sooner", "target": "d"}))
    read = Read(path)
    assert read.answer() == Closed((CLAIM,), frozenset({("a", "c"), ("a", "d")}))
    assert read.places == [("unread-claim", f"{path}:2"), ("unread-claim", f"{path}:3")]
    assert [remark.message.split(";")[0] for remark in read.remarks] == [
        "claim: the relation is empty",
        "claim: unknown label 'sooner'",
    ]


def test_links_of_a_document_that_were_dropped_tear_its_claims(write):
    links = [{**PAIR, "id": "good"}, {"id": "bare", "source": "a", "target": "c"}]
    path = write("c.jsonl", jsonl({"document": "d", "links": links}, {"document": "other", "links": links[:1]}))
    read = Read(path)
    assert read.answer() == Closed((CLAIM,), torn=True)
    assert read.answer("other") == Closed((CLAIM,))
    assert read.places == [("unread-claim", f"{path}:1")]
    assert read.remarks[0].message.startswith("bare: ")


def test_a_label_is_not_blamed_for_a_relation_that_cannot_be_read(write):
    link = {**PAIR, "id": "odd", "relation": "sooner", "label": "BEFORE"}
    read = Read(write("c.jsonl", jsonl({"document": "d", "links": [link]})))
    assert read.answer() == Closed((), frozenset({("a", "b")}))
    assert "unknown label 'BEFORE'" not in read.remarks[0].message
    assert "relation cannot be read" in read.remarks[0].message


TIMEML = """<?xml version="1.0" ?>
<TimeML><DOCID>d</DOCID><DCT><TIMEX3 tid="t0" type="DATE" value="2020-01-01"
 functionInDocument="CREATION_TIME">now</TIMEX3></DCT><TEXT>It <EVENT eid="e1" class="OCCURRENCE">ran</EVENT>.</TEXT>
<MAKEINSTANCE eventID="e1" eiid="ei1" tense="NONE" aspect="NONE" polarity="POS" pos="VERB"/>
<TLINK lid="l1" relType="SOONER" eventInstanceID="ei1" relatedToTime="t0"/>
</TimeML>
"""


def test_an_unknown_label_is_noticed_in_formats_with_a_reading_of_their_own(write):
    read = Read(write("d.tml", TIMEML))
    assert read.answer() == Closed((), frozenset({("ei1", "t0")}))
    assert "unknown label 'SOONER'" in read.remarks[0].message
    assert "explain --labels timeml" in read.remarks[0].message


# --- files and folders -----------------------------------------------------------------------------------------------


def test_an_empty_file_in_a_folder_claims_that_nothing_follows_from_its_document(write):
    folder = write("claims/d.tsv", "").parent
    assert Read(folder).claims.documents == ["d"]
    assert Read(folder / "d.tsv").claims.documents == []  # named alone it is about whatever the source is


def test_a_verdict_in_a_file_that_is_named_alone_is_about_everything(write):
    path = write("claims/d.tsv", "inconsistent\n")
    assert Read(path).answer("another") == SaidInconsistent()
    for several in (Read(path.parent), Read(path, write("other.tsv", "a\tb\tb\n"))):
        assert several.answer("d") == SaidInconsistent()
        assert several.answer("another") == Closed(())


def test_verdicts_and_links_in_one_file(write):
    read = Read(write("c.tsv", "d1\tinconsistent\nd2\ta\tb\tb\nd2\tbroken\n"))
    assert read.answer("d1") == SaidInconsistent()
    assert any("c.tsv:3" in remark.message for remark in read.remarks)
    assert Read(write("v.tsv", "d1\tinconsistent\n\n")).remarks == []


@pytest.mark.parametrize(
    ("first", "second", "where"),
    [
        ("a\tb\tb\n", "inconsistent\n", "1/d.tsv and 2/d.tsv"),
        ("inconsistent\n", "a\tb\tb\n", "2/d.tsv and 1/d.tsv"),
        (jsonl(PAIR), jsonl({"verdict": "inconsistent"}), "1/d.tsv and 2/d.tsv"),
    ],
)
def test_a_closure_and_a_verdict_are_named_with_both_places(write, first, second, where):
    folder = write("1/d.tsv", first).parents[1]
    write("2/d.tsv", second)
    answer = Read(folder).answer()
    assert isinstance(answer, Failed)
    assert (answer.how, answer.reason.replace(f"{folder}/", "").rpartition(" in ")[2]) == (Failure.MALFORMED, where)


def test_the_first_of_several_closures_is_named(write):
    folder = write("1/d.tsv", "a\tb\tb\n").parents[1]
    write("2/d.jsonl", jsonl(PAIR))
    write("3/d.tsv", "b\tb\tc\n")
    write("4/d.tsv", "inconsistent\n")
    assert Read(folder).answer().reason.endswith(f"in {folder}/1/d.tsv and {folder}/4/d.tsv")


def test_a_closure_and_a_verdict_in_one_file_are_named_once(write):
    path = write("d.jsonl", jsonl(PAIR, {"verdict": "inconsistent"}))
    assert Read(path).answer().reason.endswith(f"a closure, in {path}")


def test_a_folder_that_is_one_source_is_read_as_a_folder(write):
    folder = write("corpus/event-extents.tab", "note\t0\t1\tevent\te1\t1\nnote\t0\t3\tevent\te2\t1\n").parent
    write("corpus/tlinks-main-events.tab", "note\te1\te2\tBEFORE\n")
    assert Read(folder).answer("note") == Closed((("e1", Relation("b|m"), "e2"),))


def test_what_cannot_be_read_is_reported_and_may_have_been_about_its_document(write):
    folder = write("claims/good.tsv", "a\tb\tb\n").parent
    bad = write("claims/bad.tsv", "a\tb\tb\nc\n")
    read = Read(folder)
    assert read.answer("bad").torn
    assert read.answer("good") == Closed((CLAIM,))
    assert read.places == [("unreadable-claims", str(bad))]
    lines = write("claims/long.jsonl.gz", b"\x1f\x8bnot compressed")
    assert ("unreadable-claims", str(lines)) in Read(folder).places


def test_an_unreadable_file_tears_what_another_file_says_about_the_same_document(write):
    folder = write("claims/1/d.tsv", "a\tb\tb\n").parents[1]
    write("claims/2/d.tsv", "c\n")
    assert Read(folder).answer() == Closed((CLAIM,), torn=True)


def test_a_file_that_does_not_exist_is_named(tmp_path):
    missing = tmp_path / "missing.tsv"
    read = Read(missing)
    assert read.places == [("unreadable-claims", str(missing))]
    assert read.answer("missing").torn


def test_a_renamed_closure_is_torn_if_something_beside_it_could_not_be_read(write):
    folder = write("claims/good.tsv", "a\tb\tb\n").parent
    whole = Read(folder)
    write("claims/bad.tsv", "c\n")
    torn = Read(folder)
    for read, is_torn in ((whole, False), (torn, True)):
        read.claims.rename_only("d")
        assert read.answer() == Closed((CLAIM,), torn=is_torn)
        assert read.claims.documents == ["d"]


def test_what_is_passed_over_in_a_folder_is_reported(write):
    folder = write("claims/d.tsv", "a\tb\tb\n").parent
    write("claims/photo.png", b"\x89PNG\r\n")
    assert [remark.code for remark in Read(folder).remarks] != []


# --- is there anything to judge? -------------------------------------------------------------------------------------

READABLE = {
    "inconsistent\n": True,
    "a\tb\tb\n": True,
    "": True,
    jsonl({"document": "d", "verdict": "inconsistent"}, "{torn"): True,
    jsonl(PAIR, "{torn"): True,
    jsonl({**PAIR, "relation": "sooner"}): False,
    jsonl({"document": "d", "verdict": "undecided"}): False,
    jsonl({"document": "d", "links": [{"source": "a", "target": "b"}]}): False,
    jsonl(PAIR | {"links": 5}, "{torn"): False,
    "c\n": False,
}


@pytest.mark.parametrize("text", READABLE)
def test_claims_of_which_nothing_can_be_read_are_refused(write, text):
    claims = Read(write("claims.jsonl" if text.startswith("{") else "claims.tsv", text)).claims
    if READABLE[text]:
        claims.require_some("it")
    else:
        with pytest.raises(UsageError, match="it holds no readable closure"):
            claims.require_some("it")


def test_a_verdict_about_everything_is_enough_beside_something_unreadable(write):
    claims = Read(write("d.tsv", "inconsistent\n")).claims
    claims.add_document(Unreadable("other", "other.tsv", InputError("torn")))
    claims.require_some("it")


# --- documents as claims ---------------------------------------------------------------------------------------------


def test_a_document_without_a_path_is_named_by_its_id():
    remarks = []
    claims = claims_of([Document("d", [("a", "b", "b")])], remarks.append)
    claims.add_file(Source("d.jsonl", b'{"verdict": "inconsistent"}'), alone=True)
    assert claims.answer("d").reason.endswith("in d and d.jsonl")
    assert remarks == []


def test_a_claim_without_a_file_has_no_place():
    remarks = []
    options = claim_options(Options(), ())
    (document,) = documents([("a", "sooner", "b")], options)
    assert claims_of([document], remarks.append).answer(document.id) == Closed((), frozenset({("a", "b")}))
    assert [(remark.element, "sooner" in remark.message) for remark in remarks] == [(None, True)]


def test_labels_are_those_of_the_documents_if_these_agree():
    matres, timeml = load_reading("matres"), load_reading("timeml")
    options = Options(keep_unknown=True)
    alike = claim_options(options, [read_by(matres), read_by(matres)])
    assert (alike.labels_like, alike.keep_unknown) == (matres, True)
    assert claim_options(options, [read_by(matres), read_by(timeml)]).labels_like is None
    assert claim_options(options, []).labels_like is None


def read_by(reading):
    from temporacle.model import HowRead

    return Document("d", [], how_read=HowRead("tsv", reading))
