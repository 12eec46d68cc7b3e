"""Certificates against the files they were made from: what must not pass, folders of both, what is opened at all."""

import json
import os
import shutil
from pathlib import Path

import pytest

import temporacle as tp
from temporacle.checker import digest
from temporacle.cli import run
from temporacle.io import read_corpus
from temporacle.tasks import binding

STORM = (
    '<TimeML><EVENT eid="e1">rose</EVENT><EVENT eid="e2">fell</EVENT><MAKEINSTANCE eiid="ei1" eventID="e1"/>'
    '<MAKEINSTANCE eiid="ei2" eventID="e2"/>'
    '<TLINK lid="l1" relType="BEFORE" eventInstanceID="ei1" relatedToEventInstance="ei2"/>'
    '<TLINK lid="l2" relType="BEFORE" eventInstanceID="ei2" relatedToEventInstance="ei1"/></TimeML>'
)
GOOD = "a\tBEFORE\tb\nb\tBEFORE\tc\n"
PARTLY = GOOD + "a\tNEAR\tb\nb\tNEAR\tc\na\tNEAR\tc\n"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)

    def write(**files):
        for name, text in files.items():
            (tmp_path / name.replace("_", ".")).write_text(text)
        return tmp_path

    return write


def forged(path, **changes):
    """A certificate with the right digest of a file that says "consistent, without links"."""
    document = {"id": path.split(".")[0], "path": path, "sha256": digest(path), "format": None, "reading": None}
    document |= {"during": "simultaneous", "encoding": None} | changes
    certificate = {"format": "temporacle-certificate", "version": 1, "claim": "consistent", "document": document}
    certificate |= {"readings": [], "links": [], "witness": {}}
    return certificate


def rejected(certificate, document):
    (check,) = tp.verify(certificate, document=document)
    assert check.valid is False
    return check.reason


# --- a binding must be about the links of the file -------------------------------------------------------------------


@pytest.mark.parametrize("reading", ["thyme", "dense", "matres", "tempeval", "allen", "links"])
def test_a_reading_that_knows_no_label_proves_nothing(here, reading):
    """Every link is dropped as unknown; or some are not, and then they are not in the certificate."""
    here(storm_tml=STORM.replace("BEFORE", "IBEFORE"))
    certificate = forged("storm.tml", format="timeml", reading=reading)
    assert tp.verify(certificate).valid is True  # about its own, empty list of links
    assert "links" in rejected(certificate, "storm.tml")


def test_the_same_through_the_command_line(here, capsys):
    folder = here(storm_tml=STORM)
    own = folder / "own.toml"
    own.write_text('name = "own"\n[labels]\nNEAR = "b"\n')
    (folder / "c.json").write_text(json.dumps(forged("storm.tml", format="timeml", reading="own.toml")))
    assert run(["verify", "c.json", "--document", "storm.tml"]) == 1
    said = capsys.readouterr().out
    assert "2 links of storm.tml cannot be read" in said
    assert "own.toml" in said


@pytest.mark.parametrize("name", ["anafora", "cat", "tsv", "jsonl", "matres", "tempeval1", "dense", "caevo", "csv"])
def test_another_format_proves_nothing(here, name):
    here(storm_tml=STORM)
    assert rejected(forged("storm.tml", format=name), "storm.tml")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-7", "cp037", "unicode_escape", "nonsense"])
@pytest.mark.parametrize("name", ["bad.tsv", "storm.tml"])
def test_another_encoding_proves_nothing(here, name, encoding):
    here(storm_tml=STORM, bad_tsv="a\tBEFORE\tb\nb\tBEFORE\ta\n")
    assert rejected(forged(name, encoding=encoding), name)


def test_dropped_links_are_listed_and_said_in_the_first_line(here, capsys):
    here(partly_tsv=PARTLY)
    run(["check", "partly.tsv", "--certificates", "proofs"])
    capsys.readouterr()
    assert run(["verify", "proofs/partly.json", "--document", "partly.tsv"]) == 0
    first = capsys.readouterr().out.splitlines()[0]
    assert first.startswith("proofs/partly.json: valid, without 3 unreadable links: partly is consistent")
    certificate = json.loads(Path("proofs/partly.json").read_text())
    assert [entry["line"] for entry in certificate["document"]["dropped"]] == [3, 4, 5]
    for change in (
        lambda entries: entries.pop(),
        lambda entries: entries.clear(),
        lambda entries: entries.append({"code": "unknown-label", "line": 6, "element": None}),
        lambda entries: entries[0].update(line=1),
    ):
        entries = [dict(entry) for entry in certificate["document"]["dropped"]]
        change(entries)
        other = {**certificate, "document": {**certificate["document"], "dropped": entries}}
        assert "lists" in rejected(other, "partly.tsv")


@pytest.mark.parametrize(
    "dropped",
    [3, {}, [3], [{}], [{"code": "x", "line": 0, "element": None}], [{"code": 1, "line": None, "element": None}]],
)
def test_a_list_of_dropped_links_has_its_form(here, dropped):
    here(good_tsv=GOOD)
    assert "dropped" in rejected(forged("good.tsv", dropped=dropped), "good.tsv")


def test_every_valid_line_says_reading_links_and_digest(here, capsys):
    here(good_tsv=GOOD, storm_tml=STORM)
    run(["check", "good.tsv", "storm.tml", "--certificates", "proofs"])
    capsys.readouterr()
    for arguments in (["proofs"], ["proofs/good.json", "--document", "good.tsv", "--no-reread"]):
        assert run(["verify", *arguments]) == 0
        said = capsys.readouterr().out
        assert f"2 links, format tsv, label set links, sha256 {digest('good.tsv')}" in said
    assert run(["verify", "proofs", "--output", "json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(row["reading"], row["links"], row["dropped"]) for row in rows] == [("links", 2, 0), ("timeml", 2, 0)]


@pytest.mark.parametrize("entity", ["source", "target"])
def test_a_query_about_an_entity_that_the_file_does_not_have(here, entity):
    here(good_tsv=GOOD)
    certificate = tp.Oracle("good.tsv").certificate(("a", "b|m", "c")).to_dict()
    assert tp.verify(certificate, document="good.tsv").valid is True
    honest = tp.Oracle("good.tsv").certificate().to_dict()
    claim = {"claim": "open", "query": {"source": "a", "relation": ["b"], "target": "c"} | {entity: "ghost"}}
    witness = {"a": [0, 1], "b": [2, 3], "c": [4, 5], "ghost": [9, 10] if entity == "target" else [2, 3]}
    countermodel = {"a": [0, 1], "b": [2, 3], "c": [4, 5], "ghost": [-9, -8] if entity == "target" else [9, 10]}
    other = honest | claim | {"witness": witness, "countermodel": countermodel}
    assert tp.verify(other).valid is True
    assert "'ghost'" in rejected(other, "good.tsv")


# --- digests of folders ----------------------------------------------------------------------------------------------


@pytest.mark.skipif(os.name != "posix", reason="other systems have no such names")
@pytest.mark.parametrize("end", ["\n", "\r"])
def test_no_name_can_pass_for_two_lines_of_a_folder(tmp_path, end):
    """One file whose name holds the row of another."""
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    (two / "a").write_text("1")
    (two / "b").write_text("2")
    row = f"{digest(str(two / 'b'))}  b"
    (one / f"a{end}{row}").write_text("1")
    assert digest(str(one)) != digest(str(two))
    (two / "a").rename(two / "a\\n")
    (two / "b").unlink()
    (one / f"a{end}{row}").rename(one / "a\n")
    assert digest(str(one)) != digest(str(two))


def test_digests_of_ordinary_folders_are_what_they_were(tmp_path):
    """SHA-256 of ``sha256sum``'s lines, sorted: certificates of version 1 stay valid."""
    import hashlib

    (tmp_path / "a.tab").write_text("1")
    line = f"{hashlib.sha256(b'1').hexdigest()}  a.tab\n"
    assert digest(str(tmp_path)) == hashlib.sha256(line.encode()).hexdigest()


# --- folders of certificates and of documents ------------------------------------------------------------------------


@pytest.fixture
def certified(here):
    """A corpus of all kinds of files, and certificates for all of it."""
    folder = here()
    (folder / "gold" / "more").mkdir(parents=True)
    (folder / "gold" / "one.tsv").write_text(GOOD)
    (folder / "gold" / "copy.tsv").write_text(GOOD)
    (folder / "gold" / "more" / "storm.tml").write_text(STORM)
    documents = [
        tp.Document(f"d{number}", [("a", "BEFORE", "b"), ("b", "BEFORE", f"c{number}")]) for number in range(3)
    ]
    tp.write(documents, folder / "gold" / "many.jsonl")
    assert run(["check", "gold", "--certificates", "proofs"]) == 1
    return folder


def verdicts(capsys, *arguments):
    capsys.readouterr()
    code = run(["verify", *arguments, "--output", "json"])
    return code, [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_every_certificate_finds_its_own_file(certified, capsys):
    code, rows = verdicts(capsys, "proofs", "--document", "gold")
    assert code == 0
    assert {row["document"] for row in rows} == {"one", "copy", "storm", "d0", "d1", "d2"}
    assert all(row["valid"] for row in rows)
    shutil.move(certified / "gold", certified / "elsewhere")
    assert verdicts(capsys, "proofs", "--document", "elsewhere")[0] == 0
    assert verdicts(capsys, "proofs/storm.json", "--document", "elsewhere")[0] == 0


def test_a_document_without_a_certificate_is_a_no(certified, capsys):
    (certified / "proofs" / "storm.json").unlink()
    code, rows = verdicts(capsys, "proofs", "--document", "gold")
    assert code == 1
    (missing,) = [row for row in rows if not row["valid"]]
    assert (missing["certificate"], missing["document"]) == (None, "storm")
    assert "no certificate" in missing["reason"]
    (certified / "gold" / "new.tsv").write_text("x\tb\ty\n")
    assert {row["document"] for row in verdicts(capsys, "proofs", "--document", "gold")[1] if not row["valid"]} == {
        "storm",
        "new",
    }


def test_a_copy_of_a_certificate_does_not_stand_for_another_document(certified, capsys):
    """Two files of equal content, and a certificate of one of them, twice."""
    shutil.copy(certified / "proofs" / "one.json", certified / "proofs" / "copy.json")
    code, rows = verdicts(capsys, "proofs", "--document", "gold")
    assert code == 1
    assert [row["document"] for row in rows if not row["valid"]] == ["copy"]


def test_a_changed_file_is_not_the_one(certified, capsys):
    (certified / "gold" / "one.tsv").write_text(GOOD + "c\tb\td\n")
    code, rows = verdicts(capsys, "proofs", "--document", "gold")
    assert code == 1
    assert {row["document"] or row["certificate"] for row in rows if row["valid"] is False} == {
        "one",
        "proofs/one.json",
    }


def test_certificates_for_a_part_are_enough_if_they_are_named(certified, capsys):
    code, rows = verdicts(capsys, "proofs/one.json", "proofs/d1.json", "--document", "gold")
    assert (code, len(rows)) == (0, 2)


def test_an_unreadable_document_leaves_the_answer_open(certified, capsys):
    (certified / "gold" / "broken.tml").write_text("<TimeML>")
    code, rows = verdicts(capsys, "proofs", "--document", "gold")
    assert code == 3
    assert [row["document"] for row in rows if row["valid"] is None] == ["broken"]


def test_files_that_need_an_option_are_covered_as_recorded(here, capsys):
    """A file that is not UTF-8, and one whose format two formats could be."""
    folder = here(amber_txt="a\tb\ts\nb\ta\ts\n")
    (folder / "gold").mkdir()
    (folder / "gold" / "old.tsv").write_bytes("caf\xe9\tb\tb\n".encode("latin-1"))
    run(["check", "gold/old.tsv", "--encoding", "latin-1", "--certificates", "proofs"])
    assert verdicts(capsys, "proofs", "--document", "gold")[0] == 0
    run(["check", "amber.txt", "--format", "dense", "--certificates", "amber"])
    assert verdicts(capsys, "amber", "--document", "amber.txt")[0] == 0


def test_a_file_of_many_documents_is_read_once(certified, capsys, monkeypatch):
    import temporacle.tasks.binding as binding

    read, paths = binding.read_corpus, []
    monkeypatch.setattr(binding, "read_corpus", lambda found, options: paths.extend(found) or read(found, options))
    certificates = [f"proofs/d{number}.json" for number in range(3)]
    assert verdicts(capsys, *certificates, "--document", "gold/many.jsonl")[0] == 0
    assert paths == ["gold/many.jsonl"]


def test_the_result_in_python(certified):
    found = tp.verify("proofs", document="gold")
    assert (found.valid, len(found)) == (True, 6)
    assert repr(found) == "Verification(6 valid)"
    assert list(found.to_frame()["valid"]) == [True] * 6
    assert found._repr_html_().startswith("<table>")
    with pytest.raises(TypeError):
        bool(found)
    with pytest.raises(TypeError):
        bool(found[0])
    with pytest.raises(tp.UsageError, match="does not exist"):
        tp.verify("proofs", document="nowhere")
    with pytest.raises(tp.UsageError, match="int"):
        tp.verify(3)


# --- what is opened at all -------------------------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="other systems have no such files")
def test_only_regular_files_are_opened(here, capsys):
    folder = here(good_tsv=GOOD)
    run(["check", "good.tsv", "--certificates", "proofs"])
    os.mkfifo(folder / "proofs" / "pipe.json")
    (folder / "proofs" / "device.json").symlink_to("/dev/zero")
    (folder / "proofs" / "link.json").symlink_to("good.json")
    (folder / "proofs" / "folder.json").mkdir()
    code, rows = verdicts(capsys, "proofs")
    assert code == 3
    assert {row["certificate"]: row["valid"] for row in rows} == {
        "proofs/device.json": None,
        "proofs/folder.json": None,
        "proofs/good.json": True,
        "proofs/link.json": True,
        "proofs/pipe.json": None,
    }
    assert verdicts(capsys, "proofs/pipe.json")[0] == 2
    with pytest.raises(tp.UsageError, match="neither a file nor a folder"):
        tp.verify("proofs/good.json", document="proofs/pipe.json")


def test_a_certificate_has_a_size_limit(here, capsys, monkeypatch):
    here(good_tsv=GOOD)
    run(["check", "good.tsv", "--certificates", "proofs"])
    monkeypatch.setattr("temporacle.tasks.verify.LARGEST", 100)
    code, (row,) = verdicts(capsys, "proofs")
    assert (code, row["valid"]) == (2, None)
    assert "larger" in row["reason"]


def test_a_folder_without_certificates_is_an_error(here, capsys):
    (here() / "certificates").mkdir()
    assert run(["verify", "certificates"]) == 2
    assert "no certificates (*.json) in certificates" in capsys.readouterr().err


# --- large files ------------------------------------------------------------------------------------------------------


def test_a_file_is_not_read_for_each_of_its_certificates(here, monkeypatch):
    """It is read once as recorded, and once to see which documents it has. The two files of scores take turns."""
    links = [{"source": "a", "relation": "BEFORE", "target": "b"}]
    lines = [json.dumps({"document": f"d{number}", "links": links}) for number in range(5)]
    here(gold_jsonl="\n".join(lines), system_jsonl="\n".join(lines[::-1]))
    assert run(["score", "gold.jsonl", "system.jsonl", "--certificates", "scores"]) == 0
    assert run(["check", "gold.jsonl", "--certificates", "verdicts"]) == 0
    files = []

    def noted(paths, options):
        files.extend(paths)
        return read_corpus(paths, options)

    monkeypatch.setattr(binding, "read_corpus", noted)
    assert run(["verify", "verdicts", "--document", "gold.jsonl", "--jobs", "1"]) == 0
    assert files == ["gold.jsonl"] * 2
    files.clear()
    assert run(["verify", "scores", "--document", "gold.jsonl", "--document", "system.jsonl", "--jobs", "1"]) == 0
    assert files == ["gold.jsonl", "system.jsonl"] * 2
