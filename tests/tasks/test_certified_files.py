"""Which file a certificate belongs to, and why it belongs to no other: one small case for each rule."""

import json
import os
import shutil
from copy import deepcopy

import pytest

import temporacle as tp
from temporacle.checker import Rejected
from temporacle.errors import UsageError
from temporacle.io.source import Options
from temporacle.tasks import verify as verifying
from temporacle.tasks.binding import Binding, CertifiedFiles, Uncertified
from temporacle.tasks.verify import certificate_files, content_of, each_check

GOOD = "a\tBEFORE\tb\nb\tBEFORE\tc\n"
OTHER = "a\tBEFORE\tb\nb\tAFTER\tc\n"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder to work in, with two files."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.tsv").write_text(GOOD)
    (tmp_path / "other.tsv").write_text(OTHER)
    return tmp_path


def certificate_of(path, **options):
    return tp.Oracle(path, **options).certificate().to_dict()


def reason(files, certificate, *, reread=True):
    with pytest.raises(Rejected) as rejected:
        CertifiedFiles(files).bind(certificate, reread=reread)
    return str(rejected.value)


# --- which file -------------------------------------------------------------------------------------------------------


def test_paths_are_files_or_folders_that_exist(here):
    with pytest.raises(UsageError, match="missing does not exist"):
        CertifiedFiles(["missing"])
    os.mkfifo("pipe")
    with pytest.raises(UsageError, match="pipe is neither a file nor a folder"):
        CertifiedFiles(["good.tsv", "pipe"])
    files = CertifiedFiles(["good.tsv", "other.tsv", "good.tsv"])
    assert (files.path, files.files) == ("good.tsv and other.tsv and good.tsv", ["good.tsv", "other.tsv"])


def test_a_certificate_finds_its_file_by_digest(here):
    certificate = certificate_of("good.tsv")
    (binding,) = CertifiedFiles(["other.tsv", "good.tsv"]).bind(certificate, reread=True)
    assert (binding.path, binding.document) == ("good.tsv", "good")
    assert binding.options.format is None  # it is recognised again
    assert CertifiedFiles(["good.tsv"]).bind(certificate, reread=False) == [Binding("good.tsv", "good", None)]


def test_among_equal_files_the_name_decides(here):
    for name in ("a/good.tsv", "b/good.tsv", "a/z.tsv"):
        (here / name).parent.mkdir(exist_ok=True)
        shutil.copy("good.tsv", name)
    certificate = certificate_of("b/good.tsv")
    bound = CertifiedFiles(["a", "b"]).bind(certificate, reread=False)[0].path
    assert bound == "b/good.tsv"
    certificate["document"]["path"] = "elsewhere/good.tsv"
    assert CertifiedFiles(["a", "b"]).bind(certificate, reread=False)[0].path == "a/good.tsv"
    certificate["document"]["path"] = None
    assert CertifiedFiles(["b", "a"]).bind(certificate, reread=False)[0].path == "a/good.tsv"
    certificate["document"]["path"] = "z.tsv"
    assert CertifiedFiles(["b", "a"]).bind(certificate, reread=False)[0].path == "a/z.tsv"


def test_a_file_with_other_bytes_is_named(here):
    certificate = certificate_of("good.tsv")
    (here / "good.tsv").write_text(OTHER)
    (here / "more.tsv").write_text(OTHER)
    said = "good.tsv is not the file that the certificate was made for: the digests differ"
    assert reason(["good.tsv"], certificate) == said
    assert reason(["more.tsv"], certificate) == said.replace("good", "more")
    assert reason(["more.tsv", "good.tsv"], certificate) == said
    certificate["document"]["path"] = "gone.tsv"
    assert reason(["more.tsv", "other.tsv"], certificate) == (
        "no file in more.tsv and other.tsv has the recorded digest of 'gone.tsv'"
    )


def test_a_certificate_without_a_file_belongs_to_none(here):
    certificate = tp.Oracle([("a", "BEFORE", "b")]).certificate().to_dict()
    assert reason(["good.tsv"], certificate) == "it was not made from a file: it has no digest"


# --- what must be the same --------------------------------------------------------------------------------------------


def changed(certificate, **document):
    forged = deepcopy(certificate)
    forged["document"] |= document
    return forged


def test_the_way_of_reading_must_be_the_recorded_one(here):
    certificate = certificate_of("good.tsv")
    assert "cannot be read in the recorded way: labels='none'" in reason(
        ["good.tsv"], changed(certificate, reading="none")
    )
    assert reason(["good.tsv"], changed(certificate, id="bad")) == "good.tsv holds no readable document 'bad'"
    assert reason(["good.tsv"], changed(certificate, format="csv")) == (
        "good.tsv is recognised as tsv, but the certificate records csv"
    )
    assert "good.tsv holds no readable document" in reason(["good.tsv"], changed(certificate, encoding="utf-16"))
    assert CertifiedFiles(["good.tsv"]).bind(changed(certificate, format=None), reread=True)


def test_a_format_that_is_not_recognised_is_read_as_recorded(here):
    (here / "odd.txt").write_text("<<<\tBEFORE\tb\n")
    certificate = certificate_of("odd.txt", format="tsv")
    (binding,) = CertifiedFiles(["odd.txt"]).bind(certificate, reread=True)
    assert binding.options.format == "tsv"


def test_links_must_be_those_of_the_file(here):
    certificate = certificate_of("good.tsv")
    certificate["links"].pop()
    assert reason(["good.tsv"], certificate) == "the links are not those of document 'good' in good.tsv"


def test_dropped_links_must_be_listed(here):
    (here / "part.tsv").write_text(GOOD + "a\tNEAR\tc\n")
    certificate = certificate_of("part.tsv")
    assert CertifiedFiles(["part.tsv"]).bind(certificate, reread=True)
    listed = certificate["document"]["dropped"]
    assert reason(["part.tsv"], changed(certificate, dropped=[])) == (
        f"1 links of part.tsv cannot be read with label set {certificate['document']['reading']!r}, "
        "but the certificate lists 0 of them"
    )
    assert reason(["part.tsv"], changed(certificate, dropped=listed * 2)).endswith("lists 2 of them or others")


def test_a_question_must_be_about_entities_of_the_file(here):
    certificate = certificate_of("good.tsv") | {"query": {"source": "a", "relation": ["b"], "target": "c"}}
    assert CertifiedFiles(["good.tsv"]).bind(certificate, reread=True)
    for end in ("source", "target"):
        forged = deepcopy(certificate)
        forged["query"][end] = "zz"
        assert reason(["good.tsv"], forged) == ("the query is about 'zz', which is not in document 'good' in good.tsv")


def test_entities_of_a_closure_must_be_those_of_the_file(here):
    certificate = certificate_of("good.tsv") | {"entities": ["a", "b", "c"]}
    assert CertifiedFiles(["good.tsv"]).bind(certificate, reread=True)
    for wrong in (["a", "b"], ["b", "a", "c"], ["a", "b", "c", "d"]):
        assert reason(["good.tsv"], certificate | {"entities": wrong}) == (
            "the entities are not those of document 'good' in good.tsv"
        )


def test_weights_must_be_those_of_the_file(here):
    links = [{"source": "a", "relation": "b", "target": "b", "weight": 0.1}]
    (here / "w.jsonl").write_text(json.dumps({"document": "w", "links": links}))
    certificate = certificate_of("w.jsonl")
    assert CertifiedFiles(["w.jsonl"]).bind(certificate | {"weights": ["1/10"]}, reread=True)
    for wrong in (["1"], ["1/10", "1"], []):
        said = reason(["w.jsonl"], certificate | {"weights": wrong})
        assert said == "the weights are not those of document 'w' in w.jsonl"


def test_during_must_mean_the_recorded_thing(here):
    (here / "during.tsv").write_text("a\tDURING\tb\n")
    certificate = certificate_of("during.tsv", labels="timeml", during="is_included")
    assert certificate["document"]["during"] == "is_included"
    assert CertifiedFiles(["during.tsv"]).bind(certificate, reread=True)
    assert "the links are not those" in reason(["during.tsv"], changed(certificate, during=None))


def test_a_question_may_be_about_a_date(here):
    values = [{"entity": "1998", "fact": None}, {"entity": "zz", "fact": "t1"}]
    query = {"source": "a", "relation": ["b"], "target": "1998"}
    certificate = certificate_of("good.tsv") | {"values": values, "query": query}
    assert CertifiedFiles(["good.tsv"]).bind(certificate, reread=True)
    certificate["query"] = query | {"target": "zz"}
    assert reason(["good.tsv"], certificate).startswith("the query is about 'zz'")


def test_values_must_be_those_of_the_file(here):
    date = {"entity": "1998", "fact": None}
    calendar = {"policy": "within", "hemisphere": None, "zone": None}
    certificate = certificate_of("good.tsv") | {"calendar": calendar, "values": [date]}
    assert CertifiedFiles(["good.tsv"]).bind(certificate, reread=True)
    certificate["values"] = [date, {"entity": "a", "fact": "t1"}]
    assert reason(["good.tsv"], certificate) == "the value of 't1' is another one in document 'good' in good.tsv"
    certificate["calendar"] = calendar | {"policy": None}
    assert reason(["good.tsv"], certificate) == "the calendar is not known in document 'good' in good.tsv"


# --- documents without a certificate ----------------------------------------------------------------------------------


def test_documents_without_a_certificate_are_listed(here):
    (here / "bad.tsv").write_bytes(b"a\tb\n")
    files = CertifiedFiles(["good.tsv", "other.tsv", "bad.tsv"])
    files.note(files.bind(certificate_of("good.tsv"), reread=True))
    found = list(files.uncertified())
    assert found[0] == Uncertified("other", "no certificate (other.tsv)", unreadable=False)
    assert (found[1].document, found[1].unreadable, len(found)) == ("bad", True, 2)
    assert found[1].reason.startswith("no certificate: it is unreadable: bad.tsv:1: ")
    files.excuse(["other", "bad"])
    assert list(files.uncertified()) == []


def test_a_file_that_needs_options_is_read_as_its_certificate_records(here):
    (here / "odd.txt").write_text("<<<\tBEFORE\tb\n")
    files = CertifiedFiles(["odd.txt"])
    assert [found.unreadable for found in files.uncertified()] == [True]
    files.note(files.bind(certificate_of("odd.txt", format="tsv"), reread=True))
    assert list(files.uncertified()) == []


def test_a_certificate_does_not_choose_how_a_readable_file_is_read(here):
    lines = [json.dumps({"document": "one", "links": []}), "{not JSON"]
    (here / "two.jsonl").write_text("\n".join(lines))
    files = CertifiedFiles(["good.tsv", "two.jsonl"])
    files.note(Binding(path, "something", Options(format="csp")) for path in files.files)
    assert [(found.document, found.unreadable) for found in files.uncertified()] == [
        ("good", False), ("one", False), ("two:2", True),
    ]  # fmt: skip


def test_a_file_that_was_not_read_again_is_read_as_it_is(here):
    (here / "odd.txt").write_text("<<<\tBEFORE\tb\n")
    files = CertifiedFiles(["odd.txt"])
    files.note(files.bind(certificate_of("odd.txt", format="tsv"), reread=False))
    assert [found.unreadable for found in files.uncertified()] == [True]


# --- verify -----------------------------------------------------------------------------------------------------------


def test_certificates_come_in_many_forms(here):
    oracle = tp.Oracle("good.tsv")
    certificate = oracle.certificate()
    certificate.write(here / "c.json")
    for given in (certificate, certificate.to_dict(), "c.json", here / "c.json", ["c.json"], [certificate, "c.json"]):
        found = tp.verify(given, document=here / "good.tsv", jobs=1)
        assert found.valid is True
        assert len(found) == (len(given) if isinstance(given, list) else 1)
    with pytest.raises(UsageError, match="cannot read certificates from a int: give a file or a folder"):
        tp.verify(3)


def test_a_check_says_what_the_certificate_was_made_from(here):
    (check,) = tp.verify(tp.Oracle("good.tsv").certificate())
    about = certificate_of("good.tsv")["document"]
    assert (check.claim, check.document, check.format, check.reading) == ("consistent", "good", "tsv", about["reading"])
    assert (check.links, check.dropped, check.sha256) == (2, 0, about["sha256"])
    assert (check.calendar, check.trusted, check.score) == (None, (), None)


def test_folders_are_searched_for_certificates(here):
    (here / "deep" / "er").mkdir(parents=True)
    for name in ("deep/b.json", "deep/a.json", "deep/er/c.json", "deep/x.txt"):
        (here / name).write_text("{}")
    assert certificate_files("deep") == ["deep/a.json", "deep/b.json", "deep/er/c.json"]
    assert certificate_files("deep/x.txt") == ["deep/x.txt"]


def test_a_folder_of_certificates_must_be_complete_and_a_file_need_not(here):
    (here / "proofs").mkdir()
    tp.Oracle("good.tsv").certificate().write(here / "proofs" / "good.json")
    files = ["good.tsv", "other.tsv"]
    assert [each.valid for each in tp.verify("proofs/good.json", document=files)] == [True]
    whole = tp.verify("proofs", document=files)
    assert [(each.certificate, each.document, each.valid) for each in whole] == [
        ("proofs/good.json", "good", True),
        (None, "other", False),
    ]
    (here / "other.tsv").write_text("a\tb\n")
    assert [each.valid for each in tp.verify("proofs", document=files)] == [True, None]


def test_digests_alone_can_be_compared(here):
    certificate = changed(certificate_of("good.tsv"), format="csv")
    assert tp.verify(certificate, document="good.tsv").valid is False
    assert tp.verify(certificate, document="good.tsv", reread=False).valid is True
    assert next(iter(each_check(certificate, document="good.tsv"))).valid is False


def test_the_number_of_processes_is_passed_on(here):
    with pytest.raises(UsageError, match="jobs is 0"):
        tp.verify(certificate_of("good.tsv"), jobs=0)


def test_files_and_folders_can_be_mixed(here):
    (here / "proofs").mkdir()
    tp.Oracle("good.tsv").certificate().write(here / "proofs" / "good.json")
    for given in ([here / "proofs"], ["proofs/good.json", "proofs"]):
        found = tp.verify(given, document=["good.tsv", "other.tsv"], jobs=1)
        assert (found[-1].document, found[-1].valid) == ("other", False)


def test_what_is_not_json_is_rejected(here):
    (check,) = tp.verify({"claim": object()})
    assert check.valid is False


def test_progress_is_counted_in_certificates_and_bytes(here):
    tp.Oracle("good.tsv").certificate().write(here / "c.json")
    heard = []
    list(each_check(["c.json", "gone.json"], progress=lambda number, size: heard.append((number, size))))
    assert sum(number for number, _ in heard) == 2
    assert sum(size for _, size in heard) == (here / "c.json").stat().st_size
    heard.clear()
    certificate = certificate_of("good.tsv")
    list(each_check(certificate, progress=lambda number, size: heard.append((number, size))))
    assert sum(size for _, size in heard) == len(json.dumps(certificate))


def test_a_certificate_of_more_than_256_mib_is_not_read(here):
    with (here / "large.json").open("wb") as file:
        file.truncate((256 << 20) + 1)  # takes no room on the disk
    with pytest.raises(OSError, match="larger than 256 MiB"):
        content_of("large.json")


def test_what_is_opened(here, monkeypatch):
    os.mkfifo("pipe")
    (here / "x.json").write_bytes(b"12345")
    assert content_of("x.json") == b"12345"
    with pytest.raises(OSError, match="not a regular file"):
        content_of("pipe")
    monkeypatch.setattr(verifying, "LARGEST", 5)
    assert content_of("x.json") == b"12345"
    monkeypatch.setattr(verifying, "LARGEST", 4)
    with pytest.raises(OSError, match="larger than 0 MiB"):
        content_of("x.json")
    monkeypatch.setattr(verifying, "LARGEST", 3 << 20)
    (here / "x.json").write_bytes(bytes((3 << 20) + 1))
    with pytest.raises(OSError, match="larger than 3 MiB"):
        content_of("x.json")


def test_what_cannot_be_opened_is_not_rejected(here, monkeypatch):
    (check,) = tp.verify("gone.json")
    assert (check.valid, check.reason) == (None, "cannot be opened: No such file or directory")
    certificate = tp.Oracle("good.tsv").certificate()

    def bind(*_arguments, **_options):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(CertifiedFiles, "bind", bind)
    (check,) = tp.verify(certificate, document="good.tsv", jobs=1)
    assert (check.valid, check.reason) == (None, "its document cannot be opened: Input/output error")


def test_a_certificate_that_fills_the_memory_is_rejected(here, monkeypatch):
    def check_claim(*_arguments, **_options):
        raise MemoryError

    certificate = tp.Oracle("good.tsv").certificate()
    monkeypatch.setattr(verifying, "check_claim", check_claim)
    (check,) = tp.verify(certificate, jobs=1)
    assert (check.valid, check.reason) == (False, "it is too large to be checked")


def test_digests_are_made_before_the_work_is_spread(here, monkeypatch):
    made = []
    monkeypatch.setattr(CertifiedFiles, "make_index", lambda files: made.append(files.path))
    assert len(tp.verify([], document="good.tsv")) == 0
    assert made == ["good.tsv"]


def test_an_empty_folder_is_a_file_of_its_own(here):
    (here / "empty").mkdir()
    files = CertifiedFiles(["empty"])
    files.make_index()
    assert list(files._by_digest.values()) == [files.files] == [["empty"]]


def test_a_check_names_the_values_that_the_checker_believed(here, monkeypatch):
    monkeypatch.setattr(verifying, "trusted", lambda _certificate: ["t2"])
    (check,) = tp.verify(certificate_of("good.tsv"), jobs=1)
    assert check.trusted == ("t2",)


@pytest.mark.parametrize(
    "source",
    [
        [("a", "BEFORE", "b")],
        {"frame": [("a", "BEFORE", "b")]},
        "source\trelation\ttarget\na\tBEFORE\tb\n",
        [{"source": "a", "relation": "BEFORE", "target": "b"}],
    ],
)
def test_a_source_without_a_file_has_no_path(source, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("frame", "document"):  # files that happen to be called as the document
        (tmp_path / name).write_text("something else")
    (found,) = tp.check(source, certificates="out")
    about = json.loads((tmp_path / found.certificate_path).read_text())["document"]
    assert (about["path"], about["sha256"]) == (None, None)
    assert repr(tp.verify("out")) == "Verification(1 valid)"
