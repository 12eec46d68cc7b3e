"""What each address of the workbench answers."""

import json
import re
import shutil
import signal
import subprocess
import sys
import time
from random import Random

import pytest
from shares import few
from workbench_runs import EXAMPLES, of, running

import temporacle as tp
from temporacle.cli import run
from temporacle.reasoner.network import Network
from temporacle.report.layout import places_of
from temporacle.workbench.http import static_files


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    here = tmp_path_factory.mktemp("corpus")
    shutil.copytree(EXAMPLES, here / "docs")
    odd = [
        {"document": name, "links": [{"source": "a", "relation": "b", "target": "b"}]}
        for name in ("a/b", "../../etc/passwd", "ümläut 100%", "edit", "..")
    ]
    (here / "docs" / "odd.jsonl").write_text("".join(json.dumps(each) + "\n" for each in odd))
    (here / "docs" / "broken.tml").write_text("<TimeML><TLINK")
    return here / "docs"


@pytest.fixture(scope="module")
def bench(corpus):
    with running(corpus) as found:
        yield found


# --- the list --------------------------------------------------------------------------------------------------------


def test_the_list_says_what_check_says(bench, corpus):
    rows = {row["id"]: row for row in bench.get("/api/documents")}
    for check in tp.check(corpus):
        row = rows[check.document if check.document != ".." else f"{check.document}~2"]
        assert (row["verdict"], row["links"], row["entities"]) == (check.verdict.value, check.links, check.entities)
        assert row["path"] == check.path
        assert row["unsaved"] == 0
        assert (row["error"] is None) == (check.error is None)
    assert len(rows) == len(tp.check(corpus))


def test_progress_ends_with_the_number_of_documents(bench):
    status, headers, data = bench.ask("GET", "/api/progress")
    lines = [json.loads(line) for line in data.splitlines()]
    assert (status, headers["content-type"]) == (200, "application/x-ndjson")
    assert lines[-1] == {"done": True, "documents": len(lines) - 1}
    assert {line["id"] for line in lines[:-1]} == {row["id"] for row in bench.get("/api/documents")}


def test_files_are_pending_until_they_are_read(tmp_path):
    for number in range(30):
        (tmp_path / f"d{number:02}.tsv").write_text("a\tb\tb\n")
    with running(tmp_path) as bench:
        rows = bench.get("/api/documents?wait=0")
        assert [row["id"] for row in rows] == [f"d{number:02}" for number in range(30)]
        assert {row["verdict"] for row in rows} <= {"pending", "consistent"}
        assert bench.get(of("d29"))["verdict"] == "consistent"  # also before it is listed
        assert {row["verdict"] for row in bench.get("/api/documents")} == {"consistent"}


def test_a_long_list_is_complete(tmp_path):
    names = [f"d{number}" for number in range(1001)]
    rows = ({"document": name, "links": [{"source": "a", "relation": "b", "target": "b"}]} for name in names)
    (tmp_path / "many.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with running(tmp_path) as bench:
        assert bench.get(of(names[-1]))["id"] == names[-1]  # waits until it is known
        assert [row["id"] for row in bench.get("/api/documents")] == names
        lines = bench.ask("GET", "/api/progress")[2].splitlines()
        assert [json.loads(line)["id"] for line in lines[:-1]] == names


@pytest.mark.parametrize("name", ["a/b", "../../etc/passwd", "ümläut 100%", "edit", "..~2"])
def test_any_id_can_be_asked_about(bench, name):
    assert bench.get(of(name))["id"] == name
    assert bench.get(of(name, "pair", source="a", target="b"))["strongest"] == ["b"]


def test_two_documents_of_one_name_can_be_told_apart(tmp_path):
    for folder, relation in (("one", "b"), ("two", "bi")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "d.tsv").write_text(f"a\t{relation}\tb\n")
    with running(tmp_path) as bench:
        assert [row["id"] for row in bench.get("/api/documents")] == ["d", "d~2"]
        assert [bench.get(of(name))["links"][0]["label"] for name in ("d", "d~2")] == ["b", "bi"]


def test_a_second_document_of_one_name_in_a_file_is_unreadable(tmp_path):
    line = {"document": "d", "links": [{"source": "a", "relation": "b", "target": "b"}]}
    (tmp_path / "two.jsonl").write_text(2 * f"{json.dumps(line)}\n")
    with running(tmp_path) as bench:
        assert [(row["id"], row["verdict"]) for row in bench.get("/api/documents")] == [
            ("d", "consistent"),
            ("d~2", "unreadable"),
        ]
        for method, action in (("GET", ""), ("POST", "edit"), ("POST", "save")):
            status, said = bench.refused(method, of("d~2", action), {"remove": ["1"]} if action == "edit" else None)
            assert (status, "occurs a second time" in said) == (400, True)
        assert bench.get(of("d"))["undo"] == 0


def test_links_can_be_added_to_an_empty_document(tmp_path):
    (tmp_path / "d.jsonl").write_text('{"document": "d", "links": []}\n')
    with running(tmp_path) as bench:
        assert bench.get(of("d"))["verdict"] == "consistent"
        assert len(bench.get(of("d", "pair", source="a", target="b"))["strongest"]) == 13
        assert bench.post(of("d", "edit"), {"add": [{"source": "a", "label": "b", "target": "b"}]})["added"] == ["l1"]
        assert bench.post(of("d", "save"))["saved"]
    assert [link.label for link in tp.read(tmp_path / "d.jsonl").links] == ["b"]


# --- one document ----------------------------------------------------------------------------------------------------


def test_a_document_is_shown_as_it_was_read(bench, corpus):
    found, read = bench.get(of("council")), tp.read(corpus / "council.tml")
    assert found["text"] == read.text
    for entity in found["entities"]:
        if entity["start"] is not None:
            assert found["text"][entity["start"] : entity["end"]] == entity["text"]
    assert [link["id"] for link in found["links"]] == [link.id for link in read.links]
    assert found["verdict"] == "inconsistent"
    (conflict,) = found["conflicts"]
    check = tp.check(corpus / "council.tml")[0]
    assert {link["id"] for link in conflict} == {link.id for link in check.conflict}
    assert check.chains[0][0] in found["words"][0]
    assert "[voted]" in found["words"][0]
    assert found["read_only"] is False


def test_the_timeline_has_the_certain_places(bench, corpus):
    """Those of the report; of an inconsistent document, without the links of its repair."""
    for name in ("ferry", "council"):
        document = tp.read(corpus / f"{name}.tml")
        gone = set(bench.get(of(name)).get("repair_ids", ()))
        kept = Network([link for link in document.links if link.id not in gone], Network.of(document).entities)
        expected = {each: {**place._asdict(), "words": place.words} for each, place in places_of(kept).items()}
        assert bench.get(of(name))["timeline"] == expected


def test_answers_are_those_of_the_library(bench, corpus):
    """Over HTTP come the same judgements as from ``tp.Session``, for documents, pairs, changes and repairs."""
    random = Random(22)
    for name in ("council", "ferry"):
        session = tp.Session(corpus / f"{name}.tml")
        shown = bench.get(of(name))
        names = [entity["id"] for entity in shown["entities"]]
        for _ in range(6):
            source, target = random.sample(names, 2)
            label, link = random.choice(shown["labels"]), random.choice(shown["links"])["id"]
            asked = {"add": [(source, label, target)], "remove": [link]}
            body = {"add": [{"source": source, "label": label, "target": target}], "remove": [link]}
            assert bench.post(of(name, "judge"), body) == session.judge(**asked).to_dict()
            pair = bench.get(of(name, "pair", source=source, target=target, without=link))
            assert pair == session.pair(source, target, without=[link]).to_dict()
        repair = [link.id for link in session.repair().dropped]
        assert [link["id"] for link in bench.get(of(name, "repair"))["repair"]] == repair


def test_edits_undo_and_redo(bench):
    name = "puzzle"
    before = bench.get(of(name))
    gone = bench.get(of(name, "repair"))["repair"][0]
    mended = bench.post(of(name, "edit"), {"remove": [gone["id"]], "revision": before["revision"]})
    assert (mended["verdict"], mended["undo"], mended["unsaved"]) == ("consistent", 1, 1)
    assert bench.refused("POST", of(name, "edit"), {"remove": ["l2"], "revision": before["revision"]})[0] == 409
    new = {"source": gone["source"], "label": gone["label"], "target": gone["target"]}
    added = bench.post(of(name, "edit"), {"add": [new], "comment": {before["links"][-1]["id"]: "see <b>"}})
    assert added["verdict"] == "inconsistent"
    links = bench.get(of(name))["links"]
    assert links[-1]["id"] == added["added"][0]
    assert [link["comment"] for link in links].count("see <b>") == 1
    assert [row["unsaved"] for row in bench.get("/api/documents") if row["id"] == name] == [added["unsaved"]]
    assert bench.post(of(name, "undo"))["verdict"] == "consistent"
    assert bench.post(of(name, "undo"))["unsaved"] == 0
    assert bench.get(of(name))["links"] == before["links"]
    assert bench.refused("POST", of(name, "undo"))[0] == 400
    assert bench.post(of(name, "redo"))["redo"] == 1
    assert bench.post(of(name, "discard"))["links"] == before["links"]


def test_a_page_with_discarded_edits_cannot_edit_what_came_after_them(tmp_path):
    (tmp_path / "d.tsv").write_text("a\tb\tb\nb\tb\tc\n")
    with running(tmp_path) as bench:
        stale = bench.post(of("d", "edit"), {"remove": ["1"], "revision": 0})["revision"]
        bench.post(of("d", "discard"))
        now = bench.get(of("d"))["revision"]
        assert bench.post(of("d", "edit"), {"remove": ["2"], "revision": now})["undo"] == 1
        status, said = bench.refused("POST", of("d", "edit"), {"relabel": {"1": "bi"}, "revision": stale})
        assert (status, "edited elsewhere" in said) == (409, True)


@pytest.mark.parametrize("action", few(["undo", "redo", "discard"]))
def test_two_tabs_cannot_undo_the_work_of_each_other(tmp_path, action):
    (tmp_path / "d.tsv").write_text("a\tb\tb\nb\tb\tc\n")
    with running(tmp_path) as bench:
        seen = bench.post(of("d", "edit"), {"remove": ["1"], "revision": 0})["revision"]  # what the first tab knows
        bench.post(of("d", "edit"), {"remove": ["2"], "revision": seen})  # made in the second tab
        if action == "redo":
            bench.post(of("d", "undo"))
        before = bench.get(of("d"))
        status, said = bench.refused("POST", of("d", action), {"revision": seen})
        assert (status, "edited elsewhere" in said) == (409, True)
        assert bench.get(of("d")) == before
        assert bench.post(of("d", action), {"revision": before["revision"]})["revision"] > before["revision"]


def test_new_files_are_listed_when_the_list_is_asked_for_again(tmp_path):
    (tmp_path / "d.tsv").write_text("a\tb\tb\n")
    with running(tmp_path) as bench:
        assert [row["id"] for row in bench.get("/api/documents")] == ["d"]
        (tmp_path / "deeper").mkdir()
        (tmp_path / "deeper" / "e.tsv").write_text("a\tb\tb\nb\tb\ta\n")
        rows = asked_until(bench, 2)
        assert {row["id"]: row["verdict"] for row in rows} == {"d": "consistent", "e": "inconsistent"}
        assert len(bench.get(of("e"))["links"]) == 2
        bench.post(of("e", "edit"), {"remove": ["2"]})
        assert bench.post(of("e", "save"))["saved"]
        (tmp_path / "f.tsv").write_text("a\tb\tb\n")
        (tmp_path / "deeper" / "d.tsv").write_text("a\tbi\tb\n")
        assert [row["id"] for row in asked_until(bench, 4)] == ["d", "e", "f", "d~2"]
        assert json.loads(bench.ask("GET", "/api/progress")[2].splitlines()[-1]) == {"done": True, "documents": 4}


def asked_until(bench, count):
    """Return the list when it is so long. Between two looks at a folder there is a short pause."""
    end = time.monotonic() + 30
    while len(rows := bench.get("/api/documents")) < count and time.monotonic() < end:
        time.sleep(0.05)
    return rows


def test_many_random_edits_over_http_equal_a_session(tmp_path):
    random = Random(7)
    (tmp_path / "d.tsv").write_text("".join(f"e{i}\tb\te{i + 1}\n" for i in range(6)))
    session = tp.Session(tmp_path / "d.tsv")
    with running(tmp_path) as bench:
        for _ in range(40):
            kind = random.choice(["add", "add", "remove", "relabel", "undo", "redo"])
            links = [link.id for link in session.document.links]
            if kind == "add":
                source, target = random.sample([f"e{i}" for i in range(7)], 2)
                label = random.choice(session.labels)
                got = bench.post(of("d", "edit"), {"add": [{"source": source, "label": label, "target": target}]})
                assert got["added"] == [session.add(source, label, target)]
            elif kind == "remove" and links:
                link = random.choice(links)
                session.remove(link)
                got = bench.post(of("d", "edit"), {"remove": [link]})
            elif kind == "relabel" and links:
                link, label = random.choice(links), random.choice(session.labels)
                session.relabel(link, label)
                got = bench.post(of("d", "edit"), {"relabel": {link: label}})
            elif kind == "undo" and session.undo_count:
                session.undo()
                got = bench.post(of("d", "undo"))
            elif kind == "redo" and session.redo_count:
                session.redo()
                got = bench.post(of("d", "redo"))
            else:
                continue
            assert got["verdict"] == session.verdict
            assert got["conflicts"] == session.change().to_dict()["conflicts"]
            assert (got["undo"], got["redo"]) == (session.undo_count, session.redo_count)


@pytest.mark.parametrize(
    ("action", "body", "said"),
    [
        ("judge", {"add": {}}, "add must be a list"),
        ("judge", {"add": [{"source": "ei1"}]}, "add must have objects"),
        ("judge", {"remove": [3]}, "expected a text"),
        ("judge", {"remove": ["l99"]}, "no link"),
        ("judge", {"relabel": {"l1": "SOON"}}, "SOON"),
        ("judge", {"relabel": ["l1"]}, "relabel must be an object"),
        ("judge", {"drop": ["l1"]}, "known keys"),
        ("judge", {"add": [{"source": "ei1", "label": "BEFORE", "target": "nix"}]}, "no entity"),
        ("edit", {"revision": "1"}, "revision must be a number"),
        ("edit", b"{", "not JSON"),
        ("edit", b"[" * 100_000, "not JSON"),
        ("edit", [], "send an object"),
    ],
)
def test_a_body_that_is_not_understood(bench, action, body, said):
    status, sentence = bench.refused("POST", of("ferry", action), body)
    assert status == 400
    assert said in sentence


def test_questions_that_have_no_answer(bench):
    assert bench.refused("GET", of("nix"))[0] == 404
    assert bench.refused("GET", of("nix", "pair", source="a", target="b"))[0] == 404
    assert bench.refused("POST", of("nix", "edit"), {"remove": ["l1"]})[0] == 404
    assert bench.refused("GET", of("ferry", "nix"))[0] == 404
    assert bench.refused("GET", of("ferry", "edit"))[0] == 405
    assert bench.refused("POST", of("ferry", "pair"))[0] == 405
    assert "source=" in bench.refused("GET", of("ferry", "pair"))[1]
    assert "broken.tml" in bench.refused("GET", of("broken"))[1]


# --- files -----------------------------------------------------------------------------------------------------------


def test_every_file_of_the_pages_is_served(bench):
    for name, file in static_files(bench.token).items():
        status, headers, data = bench.ask("GET", f"/static/{name}?token={bench.token}", token=None)
        assert (status, headers["content-type"], data) == (200, file.media_type, file.data)
    assert bench.refused("GET", "/static/nix.js")[0] == 404


# --- the command -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", few([signal.SIGINT, signal.SIGTERM]))
def test_it_ends_with_exit_code_0_and_leaves_nothing_behind(tmp_path, how):
    (tmp_path / "d.tsv").write_text("a\tb\tb\n")
    with running(tmp_path) as bench:
        assert bench.address.startswith("http://127.0.0.1:")
        code, errors = bench.end(how)
    assert code == 0
    assert "Traceback" not in errors
    assert [path.name for path in tmp_path.iterdir()] == ["d.tsv"]


def test_what_cannot_be_opened_is_an_error(bench, tmp_path, capsys):
    (tmp_path / "d.tsv").write_text("a\tb\tb\n")
    (tmp_path / "empty").mkdir()
    port = bench.place.partition(":")[2]
    for arguments, said in (
        ([tmp_path, "--port", port], f"port {port}.*choose another --port"),
        ([tmp_path / "nix"], "no such file or folder: .*nix"),
        ([tmp_path / "empty"], "no document under"),
        (["-"], "standard input"),
        ([tmp_path, "--port", "70000"], "70000"),
    ):
        assert run(["workbench", *map(str, arguments), "--no-browser"]) == 2
        assert re.search(said, capsys.readouterr().err)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["d.tsv", "empty"]


def test_without_the_extra_it_says_what_to_install(tmp_path):
    for missing in ("starlette", "uvicorn"):
        program = f"import sys; sys.modules[{missing!r}] = None; from temporacle.cli import main; main(sys.argv[1:])"
        command = [sys.executable, "-c", program, "workbench", str(tmp_path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert done.stderr.strip() == "temporacle: the workbench needs the extra serve: pip install 'temporacle[serve]'"
        assert done.stdout == ""


def test_it_opens_the_browser(tmp_path):
    (tmp_path / "d.tsv").write_text("a\tb\tb\n")
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {tmp_path}/asked.part && mv {tmp_path}/asked.part {tmp_path}/asked\n')
    browser.chmod(0o700)
    with running(tmp_path / "d.tsv", browser=browser) as bench:
        deadline = time.monotonic() + 60
        while not (tmp_path / "asked").exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        assert (tmp_path / "asked").read_text().strip() == bench.address


def test_read_only_edits_nothing(tmp_path):
    (tmp_path / "d.tsv").write_text("a\tb\tb\n")
    tmp_path.chmod(0o500)
    with running(tmp_path, "--read-only") as bench:
        assert bench.get(of("d"))["read_only"] is True
        assert bench.post(of("d", "judge"), {"remove": ["1"]})["verdict"] == "consistent"
        for action in ("edit", "undo", "redo", "discard"):
            assert bench.refused("POST", of("d", action), {})[0] == 403
        assert [path.name for path in tmp_path.iterdir()] == ["d.tsv"]
    tmp_path.chmod(0o700)
