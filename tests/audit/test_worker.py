"""The process in which foreign code runs: what a function or a program answers, and how every failure is described."""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import suppress

import pytest
from runs import all_end

from temporacle.audit.subjects import worker
from temporacle.audit.subjects.worker import descendants

LINKS = [["x", "b", "y"]]


@pytest.fixture
def asker():
    """A connection on which nothing is ever said."""
    reading, writing = os.pipe()
    yield reading
    for descriptor in (reading, writing):
        with suppress(OSError):
            os.close(descriptor)


# --- finding the function --------------------------------------------------------------------------------------------


@pytest.fixture
def own_path(monkeypatch):
    """Let ``sys.path`` and ``sys.modules`` be as before when the test is over."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if name.startswith("loaded_"):
            del sys.modules[name]


def test_a_function_of_a_file_may_import_what_stands_beside_it(tmp_path, own_path):
    (tmp_path / "loaded_beside.py").write_text("VALUE = 'beside'\n")
    path = tmp_path / "loaded_one.py"
    path.write_text(
        "import loaded_beside\n"
        "class Solver:\n"
        "    @staticmethod\n"
        "    def close(links): return loaded_beside.VALUE, __name__\n"
        "def close(links): return links\n"
    )
    assert worker.load(f"{path}:close")([]) == []
    assert worker.load(f"{path}:Solver.close")([]) == ("beside", "loaded_one")
    assert sys.path[0] == str(tmp_path)
    assert sys.modules["loaded_one"].__file__ == str(path)


def test_a_function_of_a_module_is_looked_for_in_the_current_folder_first(tmp_path, own_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loaded_two.py").write_text("def close(links): return links\n")
    assert worker.load("loaded_two:close")([1]) == [1]
    assert sys.path[0] == str(tmp_path)
    assert worker.load("os.path:join") is os.path.join


@pytest.mark.parametrize(
    ("target", "error"),
    [
        ("json:nothing_of_the_kind", AttributeError),
        ("json:decoder", TypeError),
        ("loaded_nowhere:close", ImportError),
        ("loaded_nowhere.py:close", FileNotFoundError),
    ],
)
def test_what_cannot_be_loaded(own_path, target, error):
    with pytest.raises(error):
        worker.load(target)


# --- what a function answers -----------------------------------------------------------------------------------------


class ContradictionError(ValueError):
    """What some functions say."""


def raising(error):
    def function(_links):
        raise error

    return function


class Sequence:
    """Has items, but is not iterable."""

    def __getitem__(self, place):
        raise IndexError(place)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda links: links, {"closure": LINKS}),
        (lambda links: tuple(map(list, links)), {"closure": LINKS}),
        (lambda _: (claim for claim in [(1, "b", 2)]), {"closure": [["1", "b", "2"]]}),
        (lambda _: [], {"closure": []}),
        (lambda _: None, {"inconsistent": True}),
        (lambda links: [(type(links).__name__, type(links[0]).__name__, "z")], {"closure": [["list", "tuple", "z"]]}),
        (raising(NotImplementedError("not such\nlinks")), {"declined": "NotImplementedError: not such"}),
        (raising(NotImplementedError()), {"declined": "NotImplementedError"}),
        (raising(KeyError("x")), {"failed": "exception", "reason": "KeyError: 'x'"}),
        (raising(SystemExit(3)), {"failed": "exception", "reason": "SystemExit: 3"}),
        (raising(ValueError("\n first\nsecond")), {"failed": "exception", "reason": "ValueError: first"}),
    ],
)
def test_answers_and_exceptions(function, expected):
    assert worker.answer(function, LINKS, ()) == expected


@pytest.mark.parametrize(
    ("closure", "reason"),
    [
        ("x b y", "the closure is a str, not a list of triples"),
        (b"x b y", "the closure is a bytes, not a list of triples"),
        (5, "the closure is a int, not a list of triples"),
        (Sequence(), "the closure is a Sequence, not a list of triples"),
        (["xby"], "'xby' is not a triple (source, relation, target)"),
        ([("x", "b")], "('x', 'b') is not a triple (source, relation, target)"),
        ([("x", "b", "y"), ("x", "b", "y", "z")], "('x', 'b', 'y', 'z') is not a triple (source, relation, target)"),
        ([{"x", "b", "y"}.__class__()], "set() is not a triple (source, relation, target)"),
    ],
)
def test_answers_that_are_no_closure(closure, reason):
    assert worker.answer(lambda _: closure, LINKS, ()) == {"failed": "malformed answer", "reason": reason}


def test_the_limit_of_output_is_said():
    assert worker._too_much()["reason"] == "more than 64 MiB of output"


def test_reasons_are_short():
    for function in (raising(ValueError("long" * 1000)), lambda _: ["long" * 1000]):
        assert len(worker.answer(function, LINKS, ())["reason"]) == 300


@pytest.mark.parametrize(
    ("names", "meant"),
    [
        (["ContradictionError"], True),
        ([f"{__name__}.ContradictionError"], True),
        (["ValueError"], True),  # of which it is a kind
        (["builtins.ValueError"], True),
        (["KeyError", "Exception"], True),
        (["KeyError"], False),
        (["Contradiction"], False),
        ([], False),
    ],
)
def test_exceptions_that_mean_inconsistent_are_known_by_name(names, meant):
    answer = worker.answer(raising(ContradictionError("x")), LINKS, names)
    assert ("inconsistent" in answer) == meant
    assert ("failed" in answer) != meant


# --- one question in a fork ------------------------------------------------------------------------------------------


def asked(function, asker, *graphs, seconds=30.0, private=(), inconsistent=()):
    request = {"graphs": [[list(link) for link in graph] for graph in graphs], "seconds": seconds}
    return worker.in_fork(function, request, inconsistent, asker, private)


def test_graphs_are_answered_in_one_state_that_ends_with_the_question(asker):
    seen = []

    def remembering(links):
        seen.append(links)
        return [("seen", str(len(seen)), "graphs")]

    for _ in range(2):
        answers = asked(remembering, asker, LINKS, [])
        assert answers == [{"closure": [["seen", "1", "graphs"]]}, {"closure": [["seen", "2", "graphs"]]}]
    assert seen == []


def test_exceptions_may_mean_inconsistent_in_a_fork(asker):
    assert asked(raising(KeyError(1)), asker, LINKS, inconsistent=["KeyError"]) == [{"inconsistent": True}]


def leaving(code):
    def function(links):
        if links:
            os._exit(code)
        return []

    return function


def killed(links):
    if links:
        os.kill(os.getpid(), signal.SIGKILL)
    return []


def waiting(links):
    if links:
        time.sleep(60)
    return []


NOTHING = {"closure": []}


@pytest.mark.parametrize(
    ("function", "failure"),
    [
        (leaving(3), {"failed": "died", "reason": "left with exit code 3 without an answer"}),
        (leaving(0), {"failed": "died", "reason": "left with exit code 0 without an answer"}),
        (killed, {"failed": "died", "reason": "killed by SIGKILL"}),
        (waiting, {"failed": "timeout", "reason": "no answer within 1.5 s"}),
    ],
)
def test_the_answers_before_a_failure_stand_and_the_others_are_missing(asker, function, failure):
    assert asked(function, asker, [], LINKS, [], seconds=1.5) == [NOTHING, failure, failure]


def test_too_much_output_is_a_malformed_answer(asker, monkeypatch):
    monkeypatch.setattr(worker, "MOST_BYTES", 1 << 20)
    monkeypatch.setattr(worker, "MOST_BYTES", 1 << 20)
    answers = asked(lambda _: [("x" * (1 << 21), "b", "y")], asker, LINKS, LINKS)
    assert answers == [{"failed": "malformed answer", "reason": "more than 1 MiB of output"}] * 2


def test_foreign_code_has_a_session_of_its_own_and_no_private_descriptor(asker):
    reading, writing = os.pipe()

    def looking(_links):
        def is_open(descriptor):
            with suppress(OSError):
                return bool(os.fstat(descriptor))
            return False

        return [(str(os.getsid(0) == os.getpid()), str(is_open(reading)), str(is_open(writing)))]

    try:
        assert asked(looking, asker, LINKS, private=(reading,)) == [{"closure": [["True", "False", "True"]]}]
    finally:
        os.close(reading)
        os.close(writing)


def test_no_descriptor_and_no_process_is_left(asker):
    before = os.listdir("/proc/self/fd") if os.path.isdir("/proc/self/fd") else None  # noqa: PTH112, PTH208
    for function in (lambda links: links, waiting, leaving(1)):
        asked(function, asker, LINKS, seconds=0.1)
        assert all_end(descendants(os.getpid()))
    if before is not None:
        assert len(os.listdir("/proc/self/fd")) == len(before)  # noqa: PTH208


def test_a_question_ends_when_the_asker_is_gone():
    reading, writing = os.pipe()
    os.close(writing)
    try:
        with pytest.raises(worker.AskerGoneError):
            asked(waiting, reading, LINKS)
    finally:
        os.close(reading)
        worker.reap()


# --- programs --------------------------------------------------------------------------------------------------------


def run(asker, *arguments, text="x\tb\ty\n", seconds=30.0):
    return worker.run_command({"arguments": list(arguments), "text": text}, seconds, asker)


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("cat", {"text": "x\tb\ty\n"}),
        ("echo inconsistent", {"text": "inconsistent\n"}),  # it need not read
        ("cat >/dev/null", {"text": ""}),
        ("printf 'a\\303\\244'", {"text": "a\u00e4"}),
        ("printf 'a\\377'", {"failed": "malformed answer", "reason": "the output is not UTF-8"}),
        ("exit 3", {"failed": "exception", "reason": "exit code 3"}),
        ("echo one >&2; echo two >&2; exit 3", {"failed": "exception", "reason": "exit code 3: two"}),
        ("printf 'a\\377' >&2; exit 3", {"failed": "exception", "reason": "exit code 3: a\ufffd"}),
        ("echo fine >&2; cat", {"text": "x\tb\ty\n"}),
        ("kill -9 $$", {"failed": "died", "reason": "killed by SIGKILL"}),
        ("echo gone >&2; kill -9 $$", {"failed": "died", "reason": "killed by SIGKILL: gone"}),
    ],
)
def test_programs(asker, script, expected):
    assert run(asker, "sh", "-c", script) == expected


def test_a_program_that_takes_too_long(asker):
    assert run(asker, "sleep", "60", seconds=0.1) == {"failed": "timeout", "reason": "no answer within 0.1 s"}


def test_a_program_that_says_too_much(asker, monkeypatch):
    monkeypatch.setattr(worker, "MOST_BYTES", 1 << 20)
    monkeypatch.setattr(worker, "MOST_BYTES", 1 << 20)
    answer = run(asker, "sh", "-c", "exec head -c 3000000 /dev/zero")
    assert answer == {"failed": "malformed answer", "reason": "more than 1 MiB of output"}


def test_a_program_gets_all_of_a_long_text_whether_it_answers_at_once_or_at_the_end(asker):
    text = "x\tb\ty\n" * 50_000
    assert run(asker, "cat", text=text) == {"text": text}
    assert run(asker, "wc", "-l", text=text)["text"].split() == ["50000"]
    assert run(asker, "true", text=text) == {"text": ""}


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("no-such-program-anywhere", ": No such file or directory"),
        ("null\0byte", ": embedded null byte"),
        ("/", ""),
    ],
)
def test_a_program_that_cannot_be_started(asker, program, reason):
    with pytest.raises(worker.NotStartedError, match="cannot start") as caught:
        run(asker, program)
    assert reason in str(caught.value)
    assert repr(program) in str(caught.value)


def test_a_program_has_a_session_of_its_own_and_leaves_nothing_behind(asker):
    script = "import os, sys; sys.stdout.write(str(os.getsid(0) == os.getpid()))"
    assert run(asker, sys.executable, "-S", "-c", script) == {"text": "True"}
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
    run(asker, "sleep", "60", seconds=0.05)
    run(asker, "sleep", "60", text="long" * 100_000, seconds=0.05)  # it does not read
    run(asker, "true")
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208
    assert all_end(descendants(os.getpid()))


def test_a_process_whose_end_is_not_known_left_without_an_answer():
    assert worker._end(None) == {"failed": "died", "reason": "left with exit code 0 without an answer"}


def test_signals_are_named_where_they_have_a_name():
    assert worker._signal(9) == "SIGKILL"
    assert worker._signal(250) == "signal 250"
