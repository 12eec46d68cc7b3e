"""A worker that serves: one reply for each request, nothing left behind, and an end when the asker is gone."""

from __future__ import annotations

import json
import os
import sys
import time
from contextlib import suppress

import pytest
from runs import all_end
from test_worker import LINKS, raising, waiting

from temporacle.audit.subjects import worker

# --- serving ---------------------------------------------------------------------------------------------------------


def served(function, *requests, inconsistent=()):
    """What a worker in a fork says to requests, line by line, until the connection is closed."""
    asked, ours = os.pipe()
    replies, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(ours)
            os.close(replies)
            worker.serve(function, inconsistent, asked, theirs)
        finally:
            os._exit(0)
    os.close(asked)
    os.close(theirs)
    with os.fdopen(replies, "rb") as said:
        lines = [json.loads(said.readline())]
        for request in requests:
            data = (json.dumps(request) + "\n").encode()
            for part in (data[:5], data[5:]):  # a request may come in pieces
                os.write(ours, part)
            lines.append(json.loads(said.readline()))
        os.close(ours)
        assert said.read() == b""
    assert os.waitpid(child, 0)[1] == 0
    return lines


def test_a_worker_is_ready_answers_and_ends_with_the_connection():
    request = {"graphs": [LINKS], "seconds": 30}
    assert served(lambda links: links) == [{"ready": True}]
    assert served(lambda links: links, request, request) == [{"ready": True}, *[{"answers": [{"closure": LINKS}]}] * 2]
    assert served(raising(KeyError(1)), request, inconsistent=["KeyError"])[1] == {"answers": [{"inconsistent": True}]}


@pytest.mark.parametrize(
    ("function", "question"),
    [
        (waiting, {"graphs": [LINKS], "seconds": 600}),
        (None, {"runs": [{"arguments": ["sleep", "600"], "text": ""}], "seconds": 600}),
    ],
    ids=["function", "program"],
)
def test_a_worker_ends_in_the_middle_of_a_question_if_the_asker_is_gone(function, question):
    asked, ours = os.pipe()
    replies, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(ours)
            worker.serve(function, (), asked, theirs)
        finally:
            os._exit(0)
    os.close(asked)
    os.write(ours, (json.dumps(question) + "\n").encode())
    os.close(ours)
    assert all_end([child])
    os.waitpid(child, 0)
    os.close(replies)
    os.close(theirs)


def test_a_worker_without_a_function_runs_programs():
    runs = [{"arguments": ["cat"], "text": text} for text in ("one", "two")]
    bad = {"arguments": ["no-such-program-anywhere"], "text": ""}
    _, answers, error, again = served(
        None, {"runs": runs, "seconds": 30}, {"runs": [runs[0], bad], "seconds": 30}, {"runs": runs[:1], "seconds": 30}
    )
    assert answers == {"answers": [{"text": "one"}, {"text": "two"}]}
    assert error.keys() == {"error"}
    assert "no-such-program-anywhere" in error["error"]
    assert again == {"answers": [{"text": "one"}]}


def test_what_a_question_has_started_is_ended_before_the_next_answer(tmp_path):
    pids = tmp_path / "pids"
    script = f"(sleep 600 >/dev/null 2>&1 & echo $! >> '{pids}'); echo done"
    request = {"runs": [{"arguments": ["sh", "-c", script], "text": ""}], "seconds": 30}
    _, answers = served(None, request)
    assert answers == {"answers": [{"text": "done\n"}]}
    assert all_end([int(pids.read_text())])


def in_worker(action):
    """Return what an action says in a fork that is set up as a worker is."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            worker.be_alone()
            os.write(writing, json.dumps(action()).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as said:
        found = json.loads(said.read())
    os.waitpid(child, 0)
    return found


def sleeper():
    """Start a process in a session of its own, and return it once it is there."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.setsid()
        os.write(writing, b"!")
        for descriptor in range(writing + 20):
            with suppress(OSError):
                os.close(descriptor)  # nothing must wait for it
        time.sleep(60)
        os._exit(0)
    os.read(reading, 1)
    os.close(reading)
    os.close(writing)
    return child


def test_what_a_function_has_started_is_ended_and_taken_leave_of_after_each_question():
    def question():
        request = {"graphs": [LINKS], "seconds": 30}
        asked, _ours = os.pipe()
        connection = asked, os.dup(asked)
        (answer,) = worker._replied(lambda _: [(sleeper(), "b", "y")], request, (), connection, ())["answers"]
        try:
            os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return [int(answer["closure"][0][0]), "no child is left"]

    started, left = in_worker(question)
    assert all_end([started])
    assert left == "no child is left"


def test_what_importing_has_started_is_ended_with_the_worker():
    def serving():
        spared = sleeper()
        asked, ours = os.pipe()
        os.close(ours)
        replies, theirs = os.pipe()
        worker.serve(None, (), asked, theirs)
        return [spared, json.loads(os.read(replies, 1000))]

    spared, said = in_worker(serving)
    assert all_end([spared])
    assert said == {"ready": True}


def test_a_message_is_sent_whole_however_little_the_pipe_takes():
    reading, writing = os.pipe()
    message = {"text": "long" * 100_000}
    child = os.fork()
    if child == 0:
        try:
            worker.send(writing, message)
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as said:
        assert json.loads(said.readline()) == message
        assert said.read() == b""
    os.waitpid(child, 0)


# --- the whole process -----------------------------------------------------------------------------------------------


def run_main(monkeypatch, *arguments, request=None):
    """What the program says on its standard output, run in a fork."""
    asked, ours = os.pipe()
    replies, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            monkeypatch.setattr(sys, "argv", ["worker", *arguments])
            os.dup2(asked, 0)
            os.dup2(theirs, 1)
            for descriptor in (asked, ours, replies, theirs):
                os.close(descriptor)
            worker.main()
        finally:
            os._exit(0)
    os.close(asked)
    os.close(theirs)
    if request is not None:
        os.write(ours, (json.dumps(request) + "\n").encode())
    with os.fdopen(replies, "rb") as said:
        lines = [json.loads(said.readline()) for _ in range(1 if request is None else 2)]
        os.close(ours)
        assert said.read() == b""
    os.waitpid(child, 0)
    return lines


TALKING = """
import os, signal, sys

def close(links):
    print("hello")
    sys.stdout.flush()
    os.write(1, b"hello")
    os.write(2, b"hello")
    default = signal.getsignal(signal.SIGINT) == signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    return [(repr(os.read(0, 1)), str(default), "y")]

def raising(links):
    raise KeyError(1)
"""


def test_the_program_serves_a_function_that_may_neither_speak_nor_listen(tmp_path, monkeypatch, capfd):
    path = tmp_path / "loaded_three.py"
    path.write_text(TALKING)
    request = {"graphs": [LINKS], "seconds": 30}
    assert run_main(monkeypatch, f"{path}:close", request=request) == [
        {"ready": True},
        {"answers": [{"closure": [["b''", "True", "y"]]}]},
    ]
    assert capfd.readouterr().err == ""
    assert run_main(monkeypatch, f"{path}:raising", "KeyError", "Other", request=request)[1] == {
        "answers": [{"inconsistent": True}]
    }


def test_the_program_without_a_target_runs_programs(monkeypatch):
    request = {"runs": [{"arguments": ["cat"], "text": "one"}], "seconds": 30}
    assert run_main(monkeypatch, request=request) == [{"ready": True}, {"answers": [{"text": "one"}]}]


def test_the_program_says_why_a_function_cannot_be_imported(tmp_path, monkeypatch):
    path = tmp_path / "loaded_four.py"
    path.write_text("raise SystemExit('not today')")
    assert run_main(monkeypatch, f"{path}:close") == [{"error": "SystemExit: not today"}]
