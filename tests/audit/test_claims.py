"""What files, documents and frames claim: claims hold together, and what cannot be read is never a finding."""

from __future__ import annotations

import json

import pytest

import temporacle as tp
from temporacle.cli import run
from temporacle.errors import UsageError
from temporacle.io import read_corpus
from temporacle.model import Action, Document
from temporacle.tasks.audit import AuditObserver, audit_claims


@pytest.fixture
def write(tmp_path):
    def write(name, *rows):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(row.replace(" ", "\t") + "\n" for row in rows), encoding="utf-8")
        return path

    return write


def found_in(audit):
    """The kinds of findings by document and pair."""
    return {(each.document, each.fault.pair): each.kind.value for each in audit.findings}


def codes(audit):
    return {remark.code for remark in audit.remarks}


# --- several files of one document -----------------------------------------------------------------------------------


def test_claims_in_two_files_hold_together(write):
    source = write("source/d1.tsv", "a b b", "b b c")
    write("claims/first/d1.tsv", "a b b", "b b c")
    claims = write("claims/second/d1.tsv", "a b c").parents[1]
    assert audit_claims(source, claims).clean


def test_a_wrong_claim_in_the_first_of_two_files_is_found(write, capsys):
    source = write("source/d1.tsv", "a b b")
    write("claims/first/d1.tsv", "a bi b")
    claims = write("claims/second/d1.tsv", "a b b").parents[1]
    assert run(["audit", str(source), str(claims), "--output", "json"]) == 1
    finding, summary = map(json.loads, capsys.readouterr().out.splitlines())
    assert (finding["kind"], finding["pair"], finding["claimed"]) == ("unsound", ["a", "b"], [])
    assert not summary["clean"]


@pytest.mark.parametrize("order", [("inconsistent", "a b b"), ("a b b", "inconsistent")])
@pytest.mark.parametrize("links", [("a b b",), ("a b b", "b b a")])
def test_a_verdict_and_claims_exclude_each_other(write, order, links):
    source = write("source/d1.tsv", *links)
    for number, text in enumerate(order):
        claims = write(f"claims/{number}/d1.tsv", text).parents[1]
    audit = audit_claims(source, claims)
    assert [(each.kind.value, each.document) for each in audit.findings] == [("crash", "d1")]
    assert not audit.clean


def test_a_verdict_and_claims_in_one_file_exclude_each_other(write):
    source = write("source.tsv", "d1 a b b", "d2 a b b")
    claims = write("claims.tsv", "d1 a b b", "d1 inconsistent", "d2 a b b")
    assert {each.document: each.kind.value for each in audit_claims(source, claims).findings} == {"d1": "crash"}


def test_a_folder_may_hold_verdicts_and_empty_closures(write):
    source = write("source.tsv", "d1 a b b", "d1 b b a", "d2 a VAGUE b").parent / "source.tsv"
    write("claims/d1.tsv", "inconsistent")
    claims = write("claims/d2.tsv").parent
    assert audit_claims(source, claims).clean


def test_two_documents_of_one_name_cannot_be_told_apart(write):
    write("source/first/d1.tsv", "a b b")
    source = write("source/second/d1.tsv", "a b c").parents[1]
    with pytest.raises(UsageError, match="d1"):
        audit_claims(source, write("claims.tsv", "a b b"))


# --- what cannot be read ---------------------------------------------------------------------------------------------

UNREADABLE = {
    "claims.tsv": "a\tb\tb\nb\tb\tc\na\tsooner\tc\n",
    "claims.csv": "source,relation,target\na,b,b\nb,b,c\nc,sooner,a\n",
    "pairs.jsonl": '{"source": "a", "relation": ["b"], "target": "b"}\n'
    '{"source": "b", "relation": "b", "target": "c"}\n'
    '{"source": "a", "relation": ["sooner"], "target": "c"}\n',
    "documents.jsonl": '{"document": "source", "links": [{"source": "a", "relation": "b", "target": "b"},'
    '{"source": "b", "relation": "b", "target": "c"}, {"source": "a", "relation": "sooner", "target": "c"}]}\n',
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_pair_with_an_unreadable_claim_is_not_incomplete_as_well(write, tmp_path, capsys, name):
    source = write("source.tsv", "a b b", "b b c")
    claims = tmp_path / name
    claims.write_text(UNREADABLE[name], encoding="utf-8")
    audit = audit_claims(source, claims)
    assert (audit.findings, audit.clean, audit.whole) == ((), True, False)
    assert [remark.code for remark in audit.remarks if remark.action is Action.DROPPED] == ["unread-claim"]
    assert run(["audit", str(source), str(claims)]) == 3
    assert "sooner" in capsys.readouterr().err


def test_other_pairs_are_still_held_complete_and_readable_claims_sound(write):
    source = write("source.tsv", "a b b", "b b c", "c b d")
    claims = write("claims.tsv", "a b b", "b b c", "c b d", "a sooner d", "b bi d")
    assert found_in(audit_claims(source, claims)) == {
        ("source", ("a", "c")): "incomplete",
        ("source", ("b", "d")): "unsound",
    }


def test_an_unsound_claim_beside_an_unreadable_one_is_found(write):
    source = write("source.tsv", "a b b")
    assert found_in(audit_claims(source, write("claims.tsv", "a sooner b", "a bi b"))) == {
        ("source", ("a", "b")): "unsound"
    }


def test_a_document_whose_claims_are_torn_is_not_incomplete(write, tmp_path):
    source = write("source.tsv", "d1 a b b", "d2 a b b")
    claims = tmp_path / "claims.jsonl"
    good = {"document": "d1", "links": [{"source": "a", "relation": "b", "target": "b"}]}
    claims.write_text(json.dumps(good) + "\n{torn\n", encoding="utf-8")
    audit = audit_claims(source, claims)
    assert (audit.findings, audit.whole) == ((), False)
    assert "unreadable-claims" in codes(audit)


@pytest.mark.parametrize("order", ["ab", "ba"])
def test_an_unreadable_file_of_a_document_may_have_said_what_is_missing(write, order):
    source = write("source/d1.tsv", "a b b", "b b c")
    write(f"claims/{order[0]}/d1.tsv", "a b b", "b b c")
    claims = write(f"claims/{order[1]}/d1.tsv", "a b").parents[1]
    audit = audit_claims(source, claims)
    assert (audit.findings, audit.whole) == ((), False)


DEEP = "[" * 100_000 + "]" * 100_000
NESTED = "[" * 900 + "]" * 900


@pytest.mark.parametrize("nested", [DEEP, NESTED], ids=["deep", "nested"])
@pytest.mark.parametrize("key", ["document", "source", "relation", "target", "verdict"])
def test_deep_claims_are_an_error_of_the_input(write, tmp_path, capsys, key, nested):
    source = write("source.tsv", "a b b")
    row = {"source": '"a"', "relation": '"b"', "target": '"b"'} | {key: nested}
    line = "{" + ", ".join(f'"{name}": {value}' for name, value in row.items()) + "}\n"
    claims = tmp_path / "claims.jsonl"
    claims.write_text(line, encoding="utf-8")
    assert run(["audit", str(source), str(claims)]) == 2
    err = capsys.readouterr().err
    assert "internal error" not in err
    assert "claims.jsonl:1" in err
    claims.write_text('{"source": "a", "relation": "b", "target": "b"}\n' + line, encoding="utf-8")
    assert run(["audit", str(source), str(claims)]) == 3
    assert "claims.jsonl:2" in capsys.readouterr().err


def test_labels_of_claims_mean_what_they_mean_in_the_documents(write, tmp_path):
    reading = tmp_path / "mine.toml"
    reading.write_text('name = "mine"\n[labels]\nBEFORE = "b|m"\n', encoding="utf-8")
    source = next(read_corpus(write("source.tsv", "a BEFORE b"), options_with(reading)))
    assert str(source.links[0].relation) == "b|m"
    assert audit_claims(source, write("claims.tsv", "a BEFORE b")).clean
    assert audit_claims(source, write("claims.tsv", "a b|m b")).clean
    assert found_in(audit_claims(source, write("claims.tsv", "a b b"))) == {("source", ("a", "b")): "unsound"}


def options_with(reading):
    from temporacle.io.source import Options

    return Options(reading=str(reading))


# --- what people hold ------------------------------------------------------------------------------------------------


def test_claims_as_statements_documents_and_frames():
    links = [("a", "BEFORE", "b"), ("b", "BEFORE", "c")]
    frame = {"source": ["a", "b"], "relation": ["b", "b"], "target": ["b", "c"]}
    for source in (links, Document("d", links), frame):
        for claimed in (links, [Document("d", links)], frame):
            audit = audit_claims(source, claimed)
            assert [each.fault.pair for each in audit.findings] == [("a", "c")]
            assert repr(audit).count("\n") == 0
            assert audit.of_claims


def test_rows_are_what_the_command_prints(write, capsys):
    source, claims = write("source.tsv", "a b b", "b b c"), write("claims.tsv", "a bi b", "x b a")
    audit = audit_claims(str(source), str(claims))
    assert run(["audit", str(source), str(claims), "--output", "json"]) == 1
    assert list(map(json.loads, capsys.readouterr().out.splitlines())) == json.loads(json.dumps(audit.rows()))
    assert audit.to_dict() == {"summary": audit.rows()[-1], "findings": audit.rows()[:-1]}
    assert audit.counts["findings"] == len(audit.findings) == len(audit.to_dict()["findings"])


def test_frame_and_html(write):
    pytest.importorskip("pandas")
    audit = audit_claims([("a", "b", "<b>"), ("<b>", "b", "c")], [("a", "bi", "<b>")])
    frame = audit.to_frame()
    assert list(frame.columns) == ["document", "kind", "source", "target", "claimed", "exact", "manner"]
    assert len(frame) == len(audit.findings) == 3
    assert "<b>" not in audit._repr_html_()
    assert list(audit_claims([("a", "b", "b")], [("a", "b", "b")]).to_frame()["kind"]) == []


def test_an_observer_hears_everything(write):
    class Observer(AuditObserver):
        def __init__(self):
            self.findings, self.remarks, self.done = [], [], []

        def finding(self, finding):
            self.findings.append(finding)

        def remark(self, remark):
            self.remarks.append(remark)

        def progress(self, done, total):
            self.done.append((done, total))

    observer = Observer()
    source = write("source.tsv", "d1 a b b", "d2 a b b")
    audit = audit_claims(source, write("claims.tsv", "d1 a bi b", "d9 a b b"), observer=observer)
    assert tuple(observer.findings) == audit.findings
    assert tuple(observer.remarks) == audit.remarks
    assert observer.done == [(1, 2), (2, 2)]
    assert codes(audit) == {"no-claims", "unknown-document"}


@pytest.mark.parametrize("wrong", [{"backend": "cloud"}, {"jobs": 0}, {"scheduler": "tcp://host:1"}])
def test_wrong_arguments(wrong):
    with pytest.raises(UsageError):
        audit_claims([("a", "b", "b")], [("a", "b", "b")], **wrong)
    with pytest.raises(UsageError):
        audit_claims(5, [("a", "b", "b")])


# --- the journal -----------------------------------------------------------------------------------------------------


def test_what_has_changed_since_the_journal_is_judged_again(write, tmp_path):
    journal = tmp_path / "journal"
    source, claims = write("source.tsv", "d1 a b b", "d2 a b b"), write("claims.tsv", "d1 a b b", "d2 a bi b")
    first = audit_claims(source, claims, resume=str(journal))
    again = audit_claims(source, claims, resume=str(journal))
    assert again.rows() == first.rows()
    assert again.findings == first.findings
    assert "changed" not in codes(again)
    write("claims.tsv", "d1 a bi b", "d2 a bi b")
    changed = audit_claims(source, claims, resume=str(journal))
    assert [each.document for each in changed.findings] == ["d1", "d2"]
    assert "changed" in codes(changed)
    write("source.tsv", "d1 b b a", "d2 b b a")
    assert audit_claims(source, claims, resume=str(journal)).clean
    with pytest.raises(UsageError):
        audit_claims(source, claims, resume=str(journal), determined_only=True)


def test_audit_takes_source_and_claimed_as_the_command_does(write):
    source, claims = write("links.tsv", "a b b", "b b c"), write("claims.tsv", "a b b", "b b c", "a bi c")
    assert tp.audit(source, claims).to_dict() == audit_claims(source, claims).to_dict()
    assert len(tp.audit(source, claims).findings) == 1
    for wrong in ({"command": "x"}, {"source": source}, {"cases": 3}):
        with pytest.raises(UsageError):
            tp.audit(source, claims, **wrong)
    with pytest.raises(UsageError, match="resume=: only for a closure in files"):
        tp.audit(lambda links: links, resume="x")
