"""Saving from the workbench: the smallest change, never over the work of another program, undo across a save."""

import difflib
import json
import shutil
import signal
from pathlib import Path

import pytest
from workbench_runs import EXAMPLES, of, running

import temporacle as tp
from temporacle.workbench.journal import NAME


@pytest.fixture
def folder(tmp_path):
    shutil.copytree(EXAMPLES, tmp_path / "docs")
    return tmp_path / "docs"


def changed_lines(before, after):
    lines = difflib.ndiff(before.decode().splitlines(), after.decode().splitlines())
    return [line for line in lines if line[0] in "+-"]


def example_of(format_name):
    return next((Path(tp.__file__).parent / "data" / "examples").glob(f"{format_name}*"))


def stated(path):
    return sorted((link.source, link.label, link.target) for link in tp.read(path).links)


def test_a_file_differs_by_what_was_edited(folder):
    path = folder / "council.tml"
    before = path.read_bytes()
    with running(folder) as bench:
        shown = bench.get(of("council"))
        assert (shown["saves"], shown["why_export"]) == ("in-place", None)
        assert bench.post(of("council", "edit"), {"relabel": {"l6": "AFTER"}})["verdict"] == "consistent"
        saved = bench.post(of("council", "save"))
        assert saved["saved"] is True
        assert (saved["path"], saved["backup"]) == (str(path), f"{path}.orig")
        assert saved["unsaved"] == 0
        gone, new = changed_lines(before, path.read_bytes())
        assert ('relType="BEFORE"' in gone, 'relType="AFTER"' in new) == (True, True)
        assert (folder / "council.tml.orig").read_bytes() == before
        assert bench.get(of("council"))["unsaved"] == 0
        # Undo across a save gives the file back as it was.
        assert bench.post(of("council", "undo"))["unsaved"] == 1
        assert bench.post(of("council", "save"))["backup"] is None
        assert path.read_bytes() == before
        # A new link, and a link that is gone.
        added = bench.post(
            of("council", "edit"),
            {"add": [{"source": "ei2", "label": "BEFORE", "target": "ei4"}], "remove": ["l6"]},
        )
        assert added["verdict"] == "consistent"
        bench.post(of("council", "save"))
        assert [line[0] for line in changed_lines(before, path.read_bytes())].count("-") == 1
        assert ("ei2", "BEFORE", "ei4") in stated(path)
        assert bench.end()[0] == 0
    assert not (folder / NAME).exists()
    assert sorted(each.name for each in folder.iterdir()) == [
        "council.tml", "council.tml.orig", "ferry.tml", "puzzle.tsv", "shift.tsv",
    ]  # fmt: skip


def test_no_backup(folder):
    with running(folder, "--no-backup") as bench:
        bench.post(of("ferry", "edit"), {"remove": ["l1"]})
        assert bench.post(of("ferry", "save"))["backup"] is None
    assert not (folder / "ferry.tml.orig").exists()


def test_a_file_that_changed_on_disk_is_left_alone_and_can_be_merged(folder):
    path = folder / "puzzle.tsv"
    with running(folder) as bench:
        links = bench.get(of("puzzle"))["links"]
        bench.post(of("puzzle", "edit"), {"remove": [links[0]["id"], links[1]["id"]]})
        line = links[2]["line"] - 1
        lines = path.read_text().splitlines(keepends=True)
        lines[line] = f"{links[2]['source']}\tbi\t{links[2]['target']}\n"
        path.write_text("".join(lines))
        there = path.read_bytes()
        status, _, answer = bench.ask("POST", of("puzzle", "save"), {})
        assert status == 409
        assert json.loads(answer)["changed"] is True
        assert path.read_bytes() == there
        found = bench.get(of("puzzle", "three-way"))
        assert len(found["base"]) == len(links)
        assert len(found["mine"]) == len(links) - 2
        assert found["differences"]
        clashes = [number for number, each in enumerate(found["differences"]) if each["clash"]]
        merged = bench.post(of("puzzle", "three-way"), {"take": {str(number): "mine" for number in clashes}})
        assert merged["undo"] == 1
        wanted = sorted((link["source"], link["label"], link["target"]) for link in merged["links"])
        bench.post(of("puzzle", "save"))
        assert stated(path) == wanted
        assert (links[2]["source"], "bi", links[2]["target"]) in wanted


def test_bad_choices_for_a_merge_change_nothing(folder):
    with running(folder) as bench:
        before = bench.get(of("ferry"))
        for body in (
            {"take": []},
            {"take": {"x": "mine"}},
            {"take": {"7": "mine"}},
            {"take": {"0": "hers"}},
            {"to": 1},
        ):
            assert bench.refused("POST", of("ferry", "three-way"), body)[0] == 400
        assert bench.get(of("ferry")) == before


def test_edits_of_an_earlier_run_meet_a_changed_file(folder):
    path = folder / "shift.tsv"
    with running(folder) as bench:
        links = bench.get(of("shift"))["links"]
        bench.post(of("shift", "edit"), {"remove": [links[0]["id"]]})
        bench.end(signal.SIGKILL)
    with path.open("a") as file:
        file.write("extra1\tb\textra2\n")
    with running(folder) as bench:
        assert bench.get(of("shift"))["recovered"] == 1
        assert bench.refused("POST", of("shift", "save"), {})[0] == 409
        assert [each["clash"] for each in bench.get(of("shift", "three-way"))["differences"]] == [False, False]
        merged = bench.post(of("shift", "three-way"), {})
        assert len(merged["links"]) == len(links)
        bench.end(signal.SIGKILL)  # the merge is in the journal, too
    with running(folder) as bench:
        assert bench.get(of("shift"))["recovered"] == 1
        assert bench.post(of("shift", "save"))["saved"]
    assert ("extra1", "b", "extra2") in stated(path)
    assert len(stated(path)) == len(links)


def test_killed_after_a_save_nothing_is_unsaved(folder):
    with running(folder) as bench:
        bench.post(of("ferry", "edit"), {"remove": ["l1"]})
        bench.post(of("ferry", "save"))
        bench.post(of("ferry", "edit"), {"remove": ["l2"]})
        shown = bench.get(of("ferry"))
        bench.end(signal.SIGKILL)
    with running(folder) as bench:
        again = bench.get(of("ferry"))
        assert again["links"] == shown["links"]
        assert (again["recovered"], again["undo"]) == (1, 2)
        assert bench.post(of("ferry", "save"))["saved"]
        bench.end(signal.SIGKILL)
    with running(folder) as bench:
        assert bench.get(of("ferry"))["recovered"] == 0
        assert len(tp.read(folder / "ferry.tml").links) == len(shown["links"])


def test_several_documents_of_one_file(tmp_path):
    rows = [
        {"document": name, "links": [{"id": "l1", "source": "a", "relation": "b", "target": "b"}]}
        for name in ("x", "y")
    ]
    path = tmp_path / "two.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with running(tmp_path) as bench:
        for name in ("x", "y"):
            bench.post(of(name, "edit"), {"relabel": {"l1": "bi"}})
        bench.post(of("x", "save"))
        bench.post(of("y", "save"))  # the change of x is our own
        assert [document.links[0].label for document in tp.read_corpus(path)] == ["bi", "bi"]
        bench.post(of("y", "edit"), {"relabel": {"l1": "m"}})
        bench.post(of("x", "undo"))
        bench.post(of("x", "save"))
        bench.end(signal.SIGKILL)
    with running(tmp_path) as bench:
        assert bench.get(of("y"))["recovered"] == 1
        bench.post(of("y", "save"))
    assert [document.links[0].label for document in tp.read_corpus(path)] == ["b", "m"]


def test_what_cannot_be_saved_is_exported(tmp_path):
    shutil.copy(example_of("matres"), tmp_path / "d.tsv")
    document = next(tp.read_corpus(tmp_path))
    with running(tmp_path) as bench:
        shown = bench.get(of(document.id))
        assert shown["saves"] == "export"
        assert "matres" in shown["why_export"]
        assert bench.refused("POST", of(document.id, "save"), {})[0] == 400
        for name in shown["exports"]:
            status, headers, data = bench.ask("GET", of(document.id, "export", format=name))
            assert status in (200, 400)
            if status == 200:
                assert headers["content-disposition"].startswith("attachment;")
                assert data
        assert "choose" in bench.refused("GET", of(document.id, "export", format="nix"))[1]
        (tmp_path / "out.jsonl").write_bytes(bench.ask("GET", of(document.id, "export", format="jsonl"))[2])
    assert stated(tmp_path / "out.jsonl") == stated(tmp_path / "d.tsv")


def test_documents_of_a_folder_are_exported(tmp_path):
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "base-segmentation.tab").write_text("d\t0\t0\tleft\nd\t0\t1\tcame\n")
    (tmp_path / "set" / "event-extents.tab").write_text("d\t0\t0\tevent\te1\t1\nd\t0\t1\tevent\te2\t1\n")
    (tmp_path / "set" / "tlinks-main-events.tab").write_text("d\te1\te2\tBEFORE\n")
    with running(tmp_path) as bench:
        assert bench.get(of("d"))["saves"] == "export"
        bench.post(of("d", "edit"), {"add": [{"source": "e1", "label": "BEFORE", "target": "e2"}]})
        status, said = bench.refused("POST", of("d", "save"))
        assert (status, "export the document" in said, "another program" in said) == (400, True, False)


def test_a_name_that_the_format_cannot_hold(folder):
    before = (folder / "shift.tsv").read_bytes()
    with running(folder) as bench:
        bench.post(of("shift", "edit"), {"add": [{"source": "a\tb", "label": "b", "target": "c"}]})
        status, said = bench.refused("POST", of("shift", "save"))
        assert (status, "with these edits it could not be read again" in said, "JSON Lines" in said) == (
            400,
            True,
            True,
        )
    assert (folder / "shift.tsv").read_bytes() == before


def test_a_file_that_is_gone_is_not_written(folder):
    with running(folder) as bench:
        bench.post(of("ferry", "edit"), {"remove": ["l1"]})
        (folder / "ferry.tml").unlink()
        status, said = bench.refused("POST", of("ferry", "save"))
        assert (status, "removed or changed" in said, "export" in said) == (400, True, True)
        assert not (folder / "ferry.tml").exists()
        status, _, data = bench.ask("GET", of("ferry", "export", format="jsonl"))
        assert (status, b'"l1"' in data, b'"l2"' in data) == (200, False, True)


def test_a_link_that_leads_outside_is_not_written(tmp_path):
    (tmp_path / "docs").mkdir()
    path, victim = tmp_path / "docs" / "d.tsv", tmp_path / "victim.tsv"
    for each in (path, victim):
        each.write_text("a\tb\tb\nb\tb\tc\n")
    with running(tmp_path / "docs") as bench:
        bench.post(of("d", "edit"), {"remove": ["1"]})
        path.unlink()
        path.symlink_to(victim)
        assert "leads outside" in bench.refused("POST", of("d", "save"), {})[1]
        assert victim.read_text() == "a\tb\tb\nb\tb\tc\n"
        path.unlink()
        path.write_text("a\tb\tb\nb\tb\tc\n")
        (tmp_path / "docs" / "d.tsv.orig").symlink_to(tmp_path / "elsewhere")
        assert "not a regular file" in bench.refused("POST", of("d", "save"), {})[1]
        assert not (tmp_path / "elsewhere").exists()


def test_comments_are_saved_once(folder):
    path = folder / "ferry.tml"
    with running(folder) as bench:
        bench.post(of("ferry", "edit"), {"comment": {"l1": "first note"}})
        bench.post(of("ferry", "save"))
        bench.post(of("ferry", "edit"), {"comment": {"l2": "second note"}})
        bench.post(of("ferry", "save"))
        bench.post(of("ferry", "edit"), {"comment": {"l3": "third note"}})
        bench.end(signal.SIGKILL)
    with running(folder) as bench:
        bench.post(of("ferry", "save"))
    for note in ("first note", "second note", "third note"):
        assert path.read_text().count(note) == 1


@pytest.mark.parametrize("name", ["ferry", "puzzle"])
def test_an_export_has_the_comments(folder, tmp_path, name):
    with running(folder) as bench:
        links = bench.get(of(name))["links"]
        notes = {links[0]["id"]: 'read this <again> & "again"', links[2]["id"]: "second note"}
        bench.post(of(name, "edit"), {"comment": notes, "remove": [links[1]["id"]]})
        shown = bench.get(of(name))
        for each in shown["exports"]:
            status, _, data = bench.ask("GET", of(name, "export", format=each))
            plain = bench.ask("GET", of(name, "export", format=each, comments="0"))
            assert plain[0] == 200
            assert b"second note" not in plain[2]
            if each not in shown["exports_comments"]:
                assert (status, "have no place for comments" in json.loads(data)["error"]) == (400, True)
                continue
            assert status == 200, data
            assert data.count(b"second note") == 1
            assert len(data) > len(plain[2])
            (tmp_path / f"noted.{each}").write_bytes(data)
            (tmp_path / f"plain.{each}").write_bytes(plain[2])
            noted, without = (tp.read(tmp_path / f"{file}.{each}").links for file in ("noted", "plain"))
            assert [x._replace(line=None) for x in noted] == [x._replace(line=None) for x in without]
            assert len(noted) == len(shown["links"])
        assert {"timeml", "jsonl"} == set(shown["exports_comments"])


def test_a_merge_from_a_page_with_an_older_state_is_refused(folder):
    path = folder / "puzzle.tsv"
    with running(folder) as bench:
        links = bench.get(of("puzzle"))["links"]
        first = bench.post(of("puzzle", "edit"), {"remove": [links[0]["id"]]})
        path.write_text(path.read_text() + "\n")
        bench.post(of("puzzle", "edit"), {"remove": [links[1]["id"]]})
        status, said = bench.refused("POST", of("puzzle", "three-way"), {"take": {}, "revision": first["revision"]})
        assert (status, "edited elsewhere" in said) == (409, True)
        now = bench.get(of("puzzle"))
        assert now["undo"] == 2
        assert bench.post(of("puzzle", "three-way"), {"take": {}, "revision": now["revision"]})["undo"] == 1


def test_a_full_disk_under_a_running_server(folder):
    """No file may grow beyond a size, which is how a full disk looks to a program. What was said to be done is kept."""
    path = folder / "council.tml"
    before = path.read_bytes()
    path.write_bytes(before + b"<!-- " + b"x" * 40_000 + b" -->")
    before = path.read_bytes()
    limited = (
        "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        " resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))"
    )
    with running(folder, first=limited) as bench:
        bench.post(of("council", "edit"), {"relabel": {"l2": "AFTER"}})
        status, reason = bench.refused("POST", of("council", "edit"), {"comment": {"l2": "x" * 30_000}})
        assert (status, "cannot" in reason) == (400, True)
        status, reason = bench.refused("POST", of("council", "save"))
        assert (status, "cannot write" in reason) == (400, True)
        shown = bench.get(of("council"))
        assert (shown["unsaved"], {link["id"]: link["comment"] for link in shown["links"]}["l2"]) == (1, None)
        assert bench.end()[0] == 0
    assert path.read_bytes() == before
    assert [each.name for each in folder.iterdir() if each.name.endswith(".part")] == []
    with running(folder) as bench:  # there is room again
        assert bench.get(of("council"))["recovered"] == 1
        assert bench.post(of("council", "save"))["saved"]
    assert b'relType="AFTER"' in path.read_bytes()
