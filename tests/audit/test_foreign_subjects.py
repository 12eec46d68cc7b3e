"""Foreign code as a subject: names, what becomes of replies, and a worker that is late, gone or cannot start."""

from __future__ import annotations

import functools
import os
import time
from contextlib import suppress
from pathlib import Path
from threading import Thread

import pytest
from runs import all_end

from temporacle.audit.answers import Closed, Declined, Failed, Failure, SaidInconsistent
from temporacle.audit.subjects import foreign
from temporacle.audit.subjects.foreign import (
    CommandSubject,
    PythonSubject,
    _answer,
    _Worker,
    closure_of,
    links_tsv,
    read_closure,
    substitutes,
)
from temporacle.audit.subjects.peers import PEERS
from temporacle.audit.subjects.worker import descendants
from temporacle.errors import InternalError, UsageError
from temporacle.relation import Relation


def graph(text):
    """Links written as ``x b y, y m z``."""
    links = (part.split() for part in text.split(", ") if part)
    return tuple((source, Relation(relation), target) for source, relation, target in links)


CHAIN = graph("x b y, y b z")


# --- the text that is exchanged --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("", Closed(())),
        ("x\tb\ty\n", Closed(graph("x b y"))),
        ("x\tb|m\ty", Closed(graph("x b|m y"))),
        ("\ufeffx\tb\ty\r\n\r\ny\tb\tz\r\n", Closed(CHAIN)),
        ("# by me\nSource\tRelation\tTarget\nx\tb\ty\n", Closed(graph("x b y"))),
        ("a b\tb\t#c\n", Closed((("a b", Relation("b"), "#c"),))),
        ("inconsistent", SaidInconsistent()),
        ("\ufeff# so\n\n INCONSISTENT \r\n", SaidInconsistent()),
    ],
)
def test_a_closure_as_text(text, answer):
    assert read_closure(text) == answer


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("x\tb\ty\n\nx y\n", "line 3 has 1 columns instead of 3 (source, relation, target)"),
        ("x\tb\ty\tz", "line 1 has 4 columns instead of 3 (source, relation, target)"),
        ("inconsistent\ninconsistent", "line 1 has 1 columns instead of 3 (source, relation, target)"),
        ("x\tsooner\ty", "unknown label 'sooner' in the closure"),
        ("x\t\ty", "the relation is empty in the closure"),
    ],
)
def test_a_text_that_is_no_closure(text, reason):
    assert read_closure(text) == Failed(Failure.MALFORMED, reason)


def test_labels_that_are_not_atoms_are_noted():
    answer = closure_of([("x", "BEFORE|m", "y"), ("y", "b", "z")])
    assert answer == Closed(graph("x b|m y, y b z"))
    assert answer.labels == {"BEFORE"}
    assert closure_of([]).labels == frozenset()


@pytest.mark.parametrize("name", ["#1", "a\tb", "a\nb", "\r", "\udcff"])
def test_names_that_the_text_cannot_hold_are_replaced_by_free_ones(name):
    links = ((name, Relation("b"), "name1"), ("fine#", Relation("b"), name))
    assert substitutes(links) == {name: "name2"}
    assert substitutes(links[1:]) == {name: "name1"}
    assert substitutes(CHAIN) == {}


# --- names -----------------------------------------------------------------------------------------------------------


def close(links):
    return links


class Solver:
    """Has a closure in two ways."""

    def close(self, links):
        return links

    def __call__(self, links):
        return links


@pytest.mark.parametrize(
    ("target", "name"),
    [
        (close, f"{__name__}:close"),
        (Solver().close, f"{__name__}:Solver.close"),
        (Solver(), f"{__name__}:Solver"),
        (functools.partial(close), "functools:partial"),
        ("mine:close", "mine:close"),
        ("tieval", "tieval"),
    ],
)
def test_a_subject_has_the_name_by_which_it_was_given(target, name):
    assert PythonSubject(target).name == name


def test_a_function_may_be_an_object_that_cannot_be_hashed():
    class Unhashable:
        __hash__ = None

        def __call__(self, links):
            return links

    assert PythonSubject(Unhashable()).name.endswith("Unhashable")


def test_a_function_without_a_module_still_has_a_name():
    def lost(links):
        return links

    lost.__module__ = None
    assert PythonSubject(lost).name == f"function:{lost.__qualname__}"


def test_a_name_that_is_neither_a_function_nor_a_peer_is_wrong_usage():
    with pytest.raises(UsageError, match="'nonsense' is not module:function") as caught:
        PythonSubject("nonsense")
    assert all(peer in str(caught.value) for peer in PEERS)
    assert PythonSubject("tieval").implementation.lines == (
        "from temporacle.audit.subjects.peers.tieval import closure as closure",
    )


def test_a_pasted_test_knows_exceptions_and_labels():
    subject = PythonSubject("mine:close", inconsistent=["Contradiction"])
    subject._labels.update(["BEFORE"])
    found = subject.implementation
    assert (found.lines, found.inconsistent, found.labels) == (
        ("from mine import close as closure",),
        ("Contradiction",),
        {"BEFORE"},
    )


@pytest.mark.parametrize(("command", "reason"), [("  ", "is empty"), ("", "is empty"), ("close 'links", "cannot read")])
def test_a_command_that_cannot_be_meant(command, reason):
    with pytest.raises(UsageError, match=reason):
        CommandSubject(command)


# --- replies ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ({"closure": [["x", "b", "y"]]}, Closed(graph("x b y"))),
        ({"closure": [["x", "sooner", "y"]]}, Failed(Failure.MALFORMED, "unknown label 'sooner' in the closure")),
        ({"text": "x\tb\ty\n"}, Closed(graph("x b y"))),
        ({"text": "inconsistent"}, SaidInconsistent()),
        ({"inconsistent": True}, SaidInconsistent()),
        ({"declined": "no"}, Declined("no")),
        ({"failed": "died", "reason": "so"}, Failed(Failure.DIED, "so")),
    ],
)
def test_what_replies_mean(reply, answer):
    assert _answer(reply) == answer


def test_a_reply_that_means_nothing_is_our_own_fault():
    with pytest.raises(InternalError):
        _answer({"odd": 1})


class FakeWorker:
    """Says what it was given, or raises it."""

    def __init__(self, *replies):
        self.replies = list(replies)
        self.heard = []
        self.stopped = False

    def exchange(self, request, seconds):
        self.heard.append((request, seconds))
        reply = self.replies.pop(0)
        if isinstance(reply, type):
            raise reply
        return reply(request) if callable(reply) else reply

    def stop(self):
        self.stopped = True


READY = {"ready": True}


def with_workers(subject, *workers):
    waiting = iter(workers)
    subject._start = lambda: next(waiting)
    return subject


@pytest.mark.parametrize(
    ("raised", "how", "reason"),
    [
        (TimeoutError, Failure.TIMEOUT, "no answer within 1.5 s"),
        (EOFError, Failure.DIED, "its process ended without an answer"),
        (BrokenPipeError, Failure.DIED, "its process ended without an answer"),
        (ValueError, Failure.DIED, "its process ended without an answer"),
    ],
)
def test_a_worker_that_fails_is_replaced_and_all_its_answers_are_failures(raised, how, reason):
    first, second = FakeWorker(READY, raised), FakeWorker(READY, {"answers": [{"inconsistent": True}]})
    with with_workers(PythonSubject("mine:close", seconds=1.5), first, second) as subject:
        assert subject.ask(CHAIN, ()) == (Failed(how, reason),) * 2
        assert first.stopped
        assert subject.ask(CHAIN) == (SaidInconsistent(),)
        assert not second.stopped
    assert second.stopped
    assert first.heard[1] == ({"graphs": [[["x", "b", "y"], ["y", "b", "z"]], []], "seconds": 1.5}, 1.5 * 2 + 5)
    assert second.heard[1][1] == 1.5 + 5


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (TimeoutError, "mine:close: importing it hangs or ends the process"),
        (EOFError, "mine:close: importing it hangs or ends the process"),
        ({"error": "ImportError: no"}, "cannot import mine:close: ImportError: no"),
    ],
)
def test_a_worker_that_cannot_start_is_wrong_usage(reply, reason):
    worker = FakeWorker(reply)
    with pytest.raises(UsageError) as caught, with_workers(PythonSubject("mine:close"), worker):
        pass
    assert str(caught.value) == reason
    assert worker.stopped
    assert worker.heard == [(None, 120.0)]


def test_a_program_that_cannot_be_started_is_wrong_usage():
    worker = FakeWorker(READY, {"error": "cannot start 'close'"})
    with (
        pytest.raises(UsageError, match="cannot start 'close'"),
        with_workers(CommandSubject("close"), worker) as subject,
    ):
        subject.ask(CHAIN)


def test_a_subject_that_was_never_asked_can_be_stopped():
    PythonSubject("mine:close").stop()


def test_labels_of_all_answers_are_remembered():
    replies = [{"answers": [{"closure": [["x", label, "y"]]}, {"inconsistent": True}]} for label in ("BEFORE", "AFTER")]
    with with_workers(PythonSubject("mine:close"), FakeWorker(READY, *replies)) as subject:
        subject.ask(CHAIN, ())
        subject.ask(CHAIN, ())
        assert subject.implementation.labels == {"BEFORE", "AFTER"}


def test_a_command_gets_links_as_text_and_in_a_file_where_it_wants_one():
    seen = []

    def echo(request):
        for run in request["runs"]:
            path = Path(run["arguments"][1].removeprefix("--links="))
            seen.append(path)
            assert path.read_text() == run["text"]
        return {"answers": [{"text": run["text"]} for run in request["runs"]]}

    worker = FakeWorker(READY, echo)
    with with_workers(CommandSubject("close --links={input} 'a b'", seconds=2), worker) as subject:
        assert subject.ask(CHAIN, ()) == (Closed(CHAIN), Closed(()))
    (request, seconds) = worker.heard[1]
    assert [run["arguments"][::2] for run in request["runs"]] == [["close", "a b"]] * 2
    assert [run["text"] for run in request["runs"]] == [links_tsv(CHAIN), ""]
    assert (request["seconds"], seconds) == (2, 9)
    assert len(set(seen)) == 2
    assert not any(path.exists() for path in seen)


def test_a_command_that_wants_no_file_gets_none(monkeypatch):
    monkeypatch.setattr(foreign.tempfile, "TemporaryDirectory", pytest.fail)
    worker = FakeWorker(READY, {"answers": [{"text": "inconsistent"}]})
    with with_workers(CommandSubject("close input"), worker) as subject:
        assert subject.ask(CHAIN) == (SaidInconsistent(),)
    assert worker.heard[1][0]["runs"] == [{"arguments": ["close", "input"], "text": links_tsv(CHAIN)}]


def test_names_are_replaced_in_the_question_and_restored_in_the_answer():
    odd = (("#a", Relation("b"), "name1"), ("name1", Relation("b"), "b\t"))

    def echo(request):
        (run,) = request["runs"]
        assert run["text"] == "name2\tb\tname1\nname1\tb\tname3\n"
        return {"answers": [{"text": run["text"]}]}

    with with_workers(CommandSubject("close"), FakeWorker(READY, echo)) as subject:
        assert subject.ask(odd) == (Closed(odd),)


# --- the connection --------------------------------------------------------------------------------------------------


class Connection:
    """A worker whose other end is this test. The process is a fork that only waits."""

    def __init__(self):
        self.asked, requests = os.pipe()
        replies, self.said = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            for descriptor in (self.asked, requests, replies, self.said):
                os.close(descriptor)
            time.sleep(60)
            os._exit(0)
        self.worker = _Worker(self.pid, requests, replies)
        self.descriptors = (requests, replies)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.worker.stop()
        for descriptor in (self.asked, self.said):
            with suppress(OSError):
                os.close(descriptor)


def test_replies_come_line_by_line_however_they_are_cut():
    with Connection() as ours:
        os.write(ours.said, b'{"number": 1}\n{"num')
        assert ours.worker.exchange(None, 30) == {"number": 1}
        Thread(target=lambda: [time.sleep(0.05), os.write(ours.said, b'ber": 2}\n')]).start()
        assert ours.worker.exchange(None, 30) == {"number": 2}


def test_a_request_is_one_line():
    with Connection() as ours:
        Thread(target=lambda: os.write(ours.said, os.read(ours.asked, 100))).start()
        assert ours.worker.exchange({"graphs": []}, 30) == {"graphs": []}


def test_a_long_request_is_sent_while_the_other_end_reads_slowly():
    text = "long" * 100_000

    def slow():
        data = b""
        while not data.endswith(b"\n"):
            data += os.read(ours.asked, 10_000)
        for start in range(0, len(data), 50_000):
            os.write(ours.said, data[start : start + 50_000])

    with Connection() as ours:
        Thread(target=slow).start()
        assert ours.worker.exchange({"text": text}, 60) == {"text": text}


def test_a_worker_that_says_nothing_or_only_half_a_line_is_late():
    with Connection() as ours:
        with pytest.raises(TimeoutError):
            ours.worker.exchange({"graphs": []}, 0.01)
        os.write(ours.said, b'{"half')
        with pytest.raises(TimeoutError):
            ours.worker.exchange(None, 0.01)


def test_a_worker_that_does_not_listen_is_late():
    with Connection() as ours:
        with pytest.raises(TimeoutError):
            ours.worker.exchange({"text": "long" * 100_000}, 0.1)
        os.read(ours.asked, 10_000)  # now the pipe has room for a part of what is sent at a time
        with pytest.raises(TimeoutError):
            ours.worker.exchange({"text": "long" * 100_000}, 0.1)


def test_a_worker_that_closes_the_connection_is_gone():
    with Connection() as ours:
        os.close(ours.said)
        with pytest.raises(EOFError):
            ours.worker.exchange(None, 30)


def test_stopping_ends_the_process_and_closes_the_connection():
    ours = Connection()
    ours.worker.stop()
    with pytest.raises(ChildProcessError):
        os.waitpid(ours.pid, os.WNOHANG)
    for descriptor in ours.descriptors:
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(descriptor)
    assert os.read(ours.asked, 1) == b""
    os.close(ours.asked)
    os.close(ours.said)


def test_stopping_ends_what_the_process_has_started_in_a_session_of_its_own():
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        if os.fork() == 0:
            os.setsid()
            os.write(writing, b"!")
        time.sleep(60)
        os._exit(0)
    assert os.read(reading, 1) == b"!"
    below = descendants(pid)
    assert len(below) == 1
    _Worker(pid, writing, reading).stop()
    assert all_end([pid, *below])


# --- workers ---------------------------------------------------------------------------------------------------------


def test_a_function_that_is_an_object_is_asked_in_forks():
    def looking(links):
        return [(str(os.getsid(0) == os.getpid()), "b", str(len(links)))]

    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
    with PythonSubject(looking, seconds=30) as subject:
        assert subject.ask(CHAIN, ()) == (Closed(graph("True b 2")), Closed(graph("True b 0")))
        assert subject.ask(()) == (Closed(graph("True b 0")),)
        pid = subject._worker._pid
        assert os.getsid(pid) == pid != os.getsid(0)
    assert all_end([pid])
    assert descendants(os.getpid()) == []
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208


def test_a_fork_can_neither_speak_nor_hold_our_end_of_the_connection(capfd):
    def talking(links):
        os.write(1, b"hello")
        os.write(2, b"hello")
        print("hello", flush=True)
        return links

    with PythonSubject(talking, seconds=30) as subject:
        assert subject.ask(CHAIN) == (Closed(CHAIN),)
    assert capfd.readouterr() == ("", "")


def test_a_fork_ends_with_the_process_that_asks():
    forked = _Worker.forked(lambda links: links, ())
    assert forked.exchange(None, 30) == {"ready": True}
    os.close(forked._requests)
    assert all_end([forked._pid])
    os.close(forked._replies)
    os.waitpid(forked._pid, 0)


def test_exceptions_may_mean_inconsistent_in_forks():
    def raising(_links):
        raise KeyError(1)

    with PythonSubject(raising, seconds=30, inconsistent=["KeyError"]) as subject:
        assert subject.ask(CHAIN) == (SaidInconsistent(),)


def test_a_command_is_asked_through_a_worker():
    with CommandSubject("cat", seconds=30) as subject:
        assert subject.ask(CHAIN, ()) == (Closed(CHAIN), Closed(()))


@pytest.mark.parametrize("function", [close, "examples/naive_closure.py:close"])
def test_a_system_without_forks_has_no_audits_of_functions(monkeypatch, function):
    monkeypatch.delattr(os, "fork")
    with pytest.raises(UsageError, match="copies processes"), PythonSubject(function):
        pass


def test_a_named_worker_gets_its_arguments_and_a_fixed_hash_seed(monkeypatch, tmp_path):
    module = tmp_path / "told.py"
    module.write_text(
        "import os, sys\n"
        "def close(links):\n"
        "    said = [os.environ['PYTHONHASHSEED'], os.environ['PYTHONPATH'], *sys.argv[1:]]\n"
        "    return [(said[0], 'b', '|'.join(said[1:]))]\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    library = str(Path(foreign.__file__).parents[3])
    with PythonSubject("told:close", seconds=30, inconsistent=["One", "Two"]) as subject:
        (answer,) = subject.ask(CHAIN)
        pid = subject._worker._pid
        assert os.getsid(pid) == pid
        assert os.readlink(f"/proc/{pid}/fd/2") == os.devnull  # noqa: PTH115
    assert answer.claims == (("0", Relation("b"), f"{library}{os.pathsep}{tmp_path}|told:close|One|Two"),)
