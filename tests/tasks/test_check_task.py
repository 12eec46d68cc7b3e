"""``tp.check``: the same checks in Python and on the command line, of whatever people hold, killed or resumed."""

import json
import pickle
import re
from random import Random

import pytest
from questions import first_time
from runs import line

import temporacle as tp
from temporacle.checks import Check, Checks
from temporacle.cli import run
from temporacle.corpus.observer import Observer
from temporacle.errors import UsageError
from temporacle.frames import html_table, to_frame
from temporacle.io import slices
from temporacle.model import Document, Remark, Unreadable
from temporacle.results import DocumentVerdict
from temporacle.tasks import check as task
from temporacle.tasks.check import check
from temporacle.tasks.closure import closure
from temporacle.tasks.oracle import Oracle
from temporacle.tasks.score import score

RING = [("a", "BEFORE", "b"), ("b", "BEFORE", "c"), ("c", "BEFORE", "a")]
LABELS = ("BEFORE", "AFTER", "INCLUDES", "SIMULTANEOUS")


@pytest.fixture
def corpus(tmp_path, monkeypatch):
    """Many documents that may well contradict themselves, in several files and slices; some cannot be read."""
    monkeypatch.setattr(slices, "SLICE", 3000)
    rng = Random(4)
    folder = tmp_path / "corpus"
    folder.mkdir()
    for file in range(3):
        rows = []
        for number in range(40):
            links = []
            for _ in range(6):
                source, target = rng.sample("abcde", 2)
                links.append({"source": source, "relation": rng.choice(LABELS), "target": target})
            rows.append(json.dumps({"document": f"d{file}.{number}", "links": links}) + "\n")
        (folder / f"f{file}.jsonl").write_text("".join(rows) + "{torn\n")
    (folder / "x.tml").write_text("<oops")
    monkeypatch.chdir(tmp_path)
    return "corpus"


def without_seconds(rows):
    return [{key: value for key, value in row.items() if key != "seconds"} for row in rows]


OPTIONS = [
    ({}, []),
    ({"repair": True, "relabel": True}, ["--repair", "--relabel"]),
    (
        {"all_conflicts": 3, "repair": True, "protect": ["BEFORE"]},
        ["--all-conflicts", "3", "--repair", "--protect", "BEFORE"],
    ),
    ({"explain": False, "labels": "timeml"}, ["--no-explain", "--labels", "timeml"]),
]


@pytest.mark.parametrize(("keywords", "flags"), OPTIONS)
def test_the_command_prints_what_the_function_returns(corpus, capsys, keywords, flags):
    code = run(["check", corpus, *flags, "--output", "json", "--jobs", "1"])
    printed = [json.loads(row) for row in capsys.readouterr().out.splitlines()]
    found = check(corpus, **keywords)
    assert without_seconds(found.to_dict()) == without_seconds(printed)
    assert code == 1
    assert len(found) == 3 * 41 + 1


@pytest.mark.parametrize("keywords", [keywords for keywords, _ in OPTIONS])
def test_two_processes_and_a_journal_change_nothing(corpus, tmp_path, keywords):
    journal = str(tmp_path / "journal")
    one = check(corpus, jobs=1, **keywords)
    assert check(corpus, jobs=2, **keywords) == one
    assert check(corpus, jobs=2, resume=journal, **keywords) == one
    assert check(corpus, jobs=1, resume=journal, **keywords) == one


@pytest.mark.filterwarnings("ignore:the keyword write is now:DeprecationWarning")
def test_files_are_the_same_in_two_processes_and_after_a_journal(corpus, tmp_path):
    def written(name, **how):
        check(corpus, certificates=f"{name}/c", write=f"{name}/w", **how)
        files = {path.relative_to(tmp_path / name): path.read_text() for path in (tmp_path / name).rglob("*.json*")}
        assert len(list((tmp_path / name / "c").iterdir())) > 100
        assert len(list((tmp_path / name / "w").iterdir())) > 1
        return files

    one = written("one", jobs=1)
    assert written("two", jobs=2, resume="journal") == one
    assert written("three", jobs=1, resume="journal") == one
    assert run(["verify", "one/c"]) == 0


def test_whatever_people_hold(tmp_path):
    path = tmp_path / "d.tsv"
    path.write_text("".join(f"{x}\t{r}\t{y}\n" for x, r, y in RING))
    frame = dict(zip(("source", "relation", "target"), map(list, zip(*RING, strict=True)), strict=True))
    document = Document("d", RING)
    for source in (path, str(path), [path], document, [document], RING, frame, iter([document])):
        for jobs in (1, 2):
            (found,) = check(source, repair=True, jobs=jobs) if not hasattr(source, "__next__") else check([document])
            assert found.verdict is DocumentVerdict.INCONSISTENT
            assert found.verdict == "inconsistent"
            assert len(found.conflict) == 3


def test_documents_of_one_name_are_told_apart(tmp_path):
    first, second = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    first.write_text(line("same"))
    second.write_text(line("same") + line("other"))
    found = check([first, second])
    assert [[remark.code for remark in each.remarks] for each in found] == [[], ["duplicate-document"], []]
    assert str(first) in found[1].remarks[0].message


def test_a_name_that_comes_again_in_a_later_slice_is_not_another_document(tmp_path, monkeypatch):
    monkeypatch.setattr(slices, "SLICE", 500)
    path = tmp_path / "a.jsonl"
    path.write_text("".join(line(f"d{i}", 9) for i in range(40)) + line("d3"))
    found = check(path)
    assert [each.verdict for each in found if each.document == "d3"] == ["consistent", "unreadable"]
    assert "occurs a second time" in found[-1].error


def test_a_document_that_breaks_the_program_is_undecided_and_the_others_go_on(tmp_path, monkeypatch):
    path = tmp_path / "a.jsonl"
    path.write_text(line("good") + line("bad") + line("better"))
    honest = task.check_document

    def broken(document, asked):
        if not isinstance(document, Unreadable) and document.id == "bad":
            raise KeyError("lost")
        return honest(document, asked)

    monkeypatch.setattr(task, "check_document", broken)
    found = check(path)
    assert [each.verdict for each in found] == ["consistent", "undecided", "consistent"]
    assert "internal error: KeyError: 'lost'" in found[1].error


# --- what is protected ------------------------------------------------------------------------------------------------


def test_names_are_taken_as_they_are(tmp_path, capsys):
    """An id with a comma is one name."""
    path = tmp_path / "d.jsonl"
    links = [
        {"id": "x,1", "source": "a", "relation": "b", "target": "b"},
        {"id": "y", "source": "b", "relation": "b", "target": "a"},
    ]
    path.write_text(json.dumps({"document": "d", "links": links}))
    assert [link.id for link in check(path, repair=True)[0].to_drop] == ["x,1"]
    assert [link.id for link in check(path, repair=True, protect=["x,1"])[0].to_drop] == ["y"]
    assert run(["check", str(path), "--repair", "--protect", "x,1", "--output", "json"]) == 1
    assert [link["id"] for link in json.loads(capsys.readouterr().out)["repair"]] == ["y"]


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_name_must_protect_something_in_some_document(tmp_path, jobs):
    (tmp_path / "a.tsv").write_text("a\tBEFORE\tb\n")
    (tmp_path / "b.tsv").write_text("a\tAFTER\tb\n")
    assert len(check(tmp_path, repair=True, protect=["after", "BEFORE", "1"], jobs=jobs)) == 2
    for resume in (None, str(tmp_path / "journal"), str(tmp_path / "journal")):
        with pytest.warns(UserWarning, match="no document has") as said:
            found = check(
                [tmp_path / "a.tsv", tmp_path / "b.tsv"], repair=True, protect=["BEFOR", "AFTER", "x,1"], resume=resume
            )
        assert [each.message.rpartition(" ")[2] for each in found.warnings] == ["'BEFOR'", "'x,1'"]
        assert repr(found).endswith("; warnings: unmatched-protect)")
        (once,) = said
        assert "'BEFOR', and 1 more (unmatched-protect)" in str(once.message)


STRICT = """<TimeML><DOCID>d</DOCID><TEXT><TIMEX3 tid="t1" type="DATE" value="1998-02-27">Friday</TIMEX3>
<TIMEX3 tid="t2" type="DATE" value="1998-02-28">Saturday</TIMEX3></TEXT>
<TLINK lid="l1" timeID="t1" relatedToTime="t2" relType="BEFORE"/></TimeML>"""


@pytest.mark.parametrize("as_documents", [False, True])
def test_a_warning_about_the_whole_run_is_part_of_the_result(tmp_path, as_documents):
    paths = [tmp_path / "a.tml", tmp_path / "b.tml"]
    for path in paths:
        path.write_text(STRICT)
    source = [tp.read(path) for path in paths] if as_documents else paths
    with pytest.warns(tp.InputWarning, match="calendar-strict-labels") as said:
        found = check(source, calendar="exact")
    assert [each.code for each in found.warnings].count("calendar-strict-labels") == 1
    assert "calendar-strict-labels" in repr(found)
    assert sum("calendar-strict-labels" in str(each.message) for each in said) == 1
    assert "calendar-strict-labels" not in repr(check(source, calendar="within"))


def test_the_command_says_what_protects_nothing_after_its_answers(tmp_path, capsys):
    path = tmp_path / "a.tsv"
    path.write_text("a\tBEFORE\tb\n")
    assert run(["check", str(path), "--repair", "--protect", "BEFOR", "--output", "json"]) == 3
    out, err = capsys.readouterr()
    assert json.loads(out)["verdict"] == "consistent"
    assert "'BEFOR'" in err


@pytest.mark.parametrize(
    "wrong",
    [{"protect": ["x"], "explain": False}, {"explain": False, "all_conflicts": 2}, {"all_conflicts": 0}, {"jobs": 0},
     {"backend": "cloud"}, {"scheduler": "tcp://x"}, {"certificates": "c", "keep_unknown": True}, {"labels": "x"}],
    ids=str,
)  # fmt: skip
def test_wrong_options_are_refused_before_anything_is_read(wrong):
    with pytest.raises(UsageError) as refusal:
        check("nowhere", **wrong)
    assert "--" not in str(refusal.value) or "keep" in str(refusal.value)


# --- resumed --------------------------------------------------------------------------------------------------------


def test_a_changed_file_is_checked_again_and_it_is_said(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b"):
        (tmp_path / f"{name}.tsv").write_text("x\tBEFORE\ty\n")
    command = ["check", "a.tsv", "b.tsv", "--resume", "journal", "--output", "json"]
    assert run(command) == 0
    (tmp_path / "b.tsv").write_text("x\tBEFORE\ty\ny\tBEFORE\tx\n")
    capsys.readouterr()
    assert run(command) == 1
    out, err = capsys.readouterr()
    assert [json.loads(row)["verdict"] for row in out.splitlines()] == ["consistent", "inconsistent"]
    assert "b.tsv has changed" in err
    assert "a.tsv has changed" not in err


def test_a_changed_reading_is_another_run(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.tsv").write_text("x\tTHEN\ty\ny\tTHEN\tx\n")
    command = ["check", "a.tsv", "--labels", "own.toml", "--resume", "journal"]
    (tmp_path / "own.toml").write_text('name = "own"\n[labels]\nTHEN = "b"\n')
    assert run(command) == 1
    (tmp_path / "own.toml").write_text('name = "own"\n[labels]\nTHEN = "="\n')
    assert run(command) == 2
    assert "other options" in capsys.readouterr().err
    assert run([*command[:-1], "another"]) == 0


def test_documents_in_python_resume_by_their_content(tmp_path):
    journal = str(tmp_path / "journal")
    heard = []
    first, changed = Document("d", RING[:2]), Document("d", RING)
    assert check([first], resume=journal)[0].verdict == "consistent"
    observer = Observer()
    observer.corpus_remark = heard.append
    found = check([changed], resume=journal, observer=observer)
    assert found[0].verdict == "inconsistent"
    assert [remark.code for remark in heard] == ["changed-source"]


def test_a_run_that_is_left_gives_its_journal_back(tmp_path):
    path, journal = tmp_path / "a.jsonl", str(tmp_path / "journal")
    path.write_text("".join(line(f"d{i}") for i in range(20)))
    running = check.each(str(path), resume=journal, jobs=1)
    next(running)
    running.close()
    assert len(check(path, resume=journal)) == 20


# --- values --------------------------------------------------------------------------------------------------------


def test_a_check_is_a_value():
    (found,) = check(RING, repair=True, relabel=True)
    assert pickle.loads(pickle.dumps(found)) == found
    assert repr(found) == "Check('document': inconsistent, 3 links, conflict l1 l2 l3)"
    assert repr(check(RING)) == "Checks(1 document: 0 consistent, 1 inconsistent, 0 undecided, 0 unreadable)"
    with pytest.raises(TypeError):
        bool(found.verdict)
    odd = Check("d", None, DocumentVerdict.UNDECIDED, error="too late", remarks=(Remark("odd", "x"),))
    assert repr(odd) == "Check('d': undecided, too late; warnings: odd)"


def test_checks_are_a_sequence():
    every = Checks(check(RING)[0] for _ in range(3))
    assert len(every[1:]) == 2
    assert isinstance(every[1:], Checks)
    assert every == Checks(list(every))
    assert hash(every) == hash(Checks(list(every)))
    assert every != [1]


def test_pages_show_text_as_text():
    (found,) = check([("<a>", "BEFORE", "b"), ("b", "BEFORE", "<a>")], repair=True)
    for page in (found._repr_html_(), Checks([found])._repr_html_()):
        assert "inconsistent" in page
        assert not re.search("<a>", page)
    assert "&lt;a&gt;" in found._repr_html_()
    assert html_table(["x"], [[None], [1]]).count("<td>") == 2


def test_frames_or_how_to_get_them():
    (found,) = check(RING, repair=True)
    try:
        import pandas  # noqa: F401, ICN001
    except ImportError:
        with pytest.raises(UsageError, match="pip install pandas"):
            found.to_frame()
        return
    frame = Checks([found]).to_frame()
    assert list(frame.columns) == ["document", "verdict", "entities", "links", "skipped_links", "conflict", "repair"]
    assert frame.iloc[0]["conflict"] == ["l1", "l2", "l3"]
    assert to_frame([], ["a"]).empty


def test_marks_are_made_once(tmp_path):
    """A helper of tests that processes rely on."""
    assert [first_time(tmp_path / "mark") for _ in range(2)] == [True, False]


@pytest.mark.parametrize("budget", [-1, -0.5, float("nan")])
def test_a_budget_below_zero_is_refused(budget):
    links = [("a", "BEFORE", "b")]
    with pytest.raises(UsageError, match="time_limit"):
        Oracle(links, time_limit=budget)
    with pytest.raises(UsageError, match="time_limit"):
        score(links, links, time_limit=budget)
    with pytest.raises(UsageError, match="time_limit"):
        closure(links, time_limit=budget)
    with pytest.raises(UsageError, match="time_limit"):
        check(links, time_limit=budget)


def test_the_smallest_conflict_is_not_shown_again_in_another_order():
    links = [("12", "=", "20"), ("12", "d", "15"), ("12", "=", "5"), ("20", "bi", "15"), ("20", "d", "5")]
    (found,) = tp.check([tp.Document("d", [*links, ("15", "bi", "5")])])
    assert set(found.conflict) in map(set, found.conflicts)
    assert len(list(found.in_words())) == len(found.conflicts) == 3
