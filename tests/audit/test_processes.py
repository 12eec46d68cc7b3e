"""Processes below a worker: they are found, told apart, ended and listened to, whatever they do with their pipes."""

from __future__ import annotations

import ctypes
import fcntl
import os
import subprocess
import time
from contextlib import suppress

import pytest
from runs import all_end

from temporacle.audit.subjects import worker
from temporacle.audit.subjects.worker import (
    AskerGoneError,
    Heard,
    Listener,
    adopt_orphans,
    descendants,
    end_descendants,
    kill,
    reap,
)


def sleeper(*inside):
    """Start a process that waits, after doing something; return it once that is done."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            for action in inside:
                action()
            os.write(writing, b"!")
            os.close(writing)
            time.sleep(60)
        finally:
            os._exit(0)
    os.close(writing)
    assert os.read(reading, 1) == b"!"
    os.close(reading)
    return child


@pytest.fixture(autouse=True)
def nothing_left():
    yield
    end_descendants(os.getpid())
    reap()


def test_descendants_are_found_at_any_depth():
    child = sleeper(lambda: sleeper(sleeper))
    found = descendants(os.getpid())
    assert found[0] == child
    assert len(found) == 3
    assert descendants(child) == found[1:]
    assert descendants(found[2]) == []
    assert descendants(os.getpid(), but=[child]) == []
    assert descendants(os.getpid(), but=[found[1]]) == [child]


def test_a_process_that_has_ended_is_no_descendant():
    child = os.fork()
    if child == 0:
        os._exit(0)
    deadline = time.monotonic() + 30
    while descendants(os.getpid()) and time.monotonic() < deadline:
        time.sleep(0.001)
    assert descendants(os.getpid()) == []  # although no process has waited for it
    assert worker._is_dead(child)
    assert not worker._is_dead(os.getpid())
    reap()
    assert worker._is_dead(child)
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_all_children_that_have_ended_are_taken_leave_of():
    children = [os.fork() for _ in range(2)]
    if 0 in children:
        os._exit(0)
    assert all_end(children)
    reap()
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


@pytest.mark.parametrize(("stat", "dead"), [("7 (a) Z) S 1", False), ("7 (a) S) Z 1", True), ("7", True)])
def test_the_state_of_a_process_is_told_from_its_name(tmp_path, monkeypatch, stat, dead):
    monkeypatch.setattr(worker, "_PROC", tmp_path)
    (tmp_path / "7").mkdir()
    (tmp_path / "7" / "stat").write_text(stat)
    assert worker._is_dead(7) is dead


def test_ending_reaches_everything_but_what_is_spared():
    spared, ended = sleeper(sleeper), sleeper(sleeper, os.setsid)
    kept = [spared, *descendants(spared)]
    gone = [ended, *descendants(ended)]
    assert len(kept) == len(gone) == 2
    end_descendants(os.getpid(), but=[spared])
    assert descendants(os.getpid()) == kept
    assert all_end(gone)
    end_descendants(os.getpid())
    assert all_end(kept)


def test_ending_what_is_below_another_process_leaves_that_process():
    child = sleeper(sleeper)
    (below,) = descendants(child)
    end_descendants(child)
    assert descendants(os.getpid()) == [child]
    assert all_end([below])


def test_killing_a_leader_kills_its_group_and_killing_nothing_is_no_error():
    leader = sleeper(os.setsid, sleeper)
    members = [leader, *descendants(leader)]
    kill(leader)
    assert all_end(members)
    os.waitpid(leader, 0)
    kill(leader)


def test_killing_a_member_of_a_group_spares_the_group():
    leader = sleeper(os.setsid, sleeper)
    (member,) = descendants(leader)
    kill(member)
    assert all_end([member])
    assert descendants(os.getpid()) == [leader]


def test_orphans_are_adopted():
    """Without that a process whose parent ends would be out of sight."""

    def in_child():
        adopt_orphans()
        between = os.fork()
        if between == 0:
            sleeper()
            os._exit(0)
        os.waitpid(between, 0)

    child = sleeper(in_child)
    assert len(descendants(child)) == 1
    end_descendants(child)
    assert descendants(child) == []


@pytest.mark.parametrize("error", [OSError, AttributeError])
def test_a_system_that_cannot_adopt_orphans_is_put_up_with(monkeypatch, error):
    def refusing(_name):
        raise error

    monkeypatch.setattr(ctypes, "CDLL", refusing)
    adopt_orphans()
    monkeypatch.setattr("sys.platform", "darwin")
    monkeypatch.setattr(ctypes, "CDLL", pytest.fail)
    adopt_orphans()


# --- listening -------------------------------------------------------------------------------------------------------


class Program:
    """A shell script, listened to."""

    def __init__(self, script):
        self.silent, self.asker = os.pipe()
        self._process = subprocess.Popen(
            ["sh", "-c", script],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        kill(self._process.pid)
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            stream.close()
        os.close(self.silent)
        os.close(self.asker)

    def heard(self, seconds=30.0, lines=None, text=None):
        listener = Listener(self._process.poll, self.silent, seconds, lines)
        output, complaints = self._process.stdout.fileno(), self._process.stderr.fileno()
        if text is None:
            return listener.listen(output, complaints)
        inlet = os.dup(self._process.stdin.fileno())
        self._process.stdin.close()
        return listener.listen(output, complaints, inlet, text)


@pytest.mark.parametrize(
    ("script", "heard"),
    [
        ("echo one", Heard(b"one\n", b"", 0, True)),
        ("echo one; echo two >&2; exit 3", Heard(b"one\n", b"two\n", 3, True)),
        ("true", Heard(b"", b"", 0, True)),
        ("exec >&-; sleep 0.1; echo late >&2; exit 2", Heard(b"", b"late\n", 2, True)),
        ("kill -9 $$", Heard(b"", b"", -9, True)),
    ],
)
def test_everything_that_is_said_is_heard(script, heard):
    with Program(script) as program:
        assert program.heard() == heard


def test_only_the_end_of_long_complaints_is_kept():
    with Program("head -c 100000 /dev/zero >&2; echo last >&2") as program:
        heard = program.heard()
    assert len(heard.complaints) == 4096
    assert heard.complaints.endswith(b"\0last\n")


def test_a_program_that_does_not_end_is_heard_until_the_limit():
    with Program("echo one; exec sleep 60") as program:
        assert program.heard(1) == Heard(b"one\n", b"", None, False)


def test_a_program_whose_output_another_one_holds_is_waited_for():
    with Program("(sleep 0.3; echo late) & echo early") as program:
        assert program.heard() == Heard(b"early\nlate\n", b"", 0, True)
    with Program("sleep 60 & echo early") as program:
        assert program.heard(1) == Heard(b"early\n", b"", 0, False)


def test_of_lines_that_are_counted_no_more_than_expected_is_waited_for():
    with Program("echo one; echo two; exec sleep 60") as program:
        heard = program.heard(30, lines=2)
    assert (heard.output, heard.in_time) == (b"one\ntwo\n", True)
    with Program("sleep 60 & echo one") as program:
        assert program.heard(30, lines=2) == Heard(b"one\n", b"", 0, True)  # it has ended: nothing more will come


class Clock:
    """Time that passes only while a process is looked at: 0.4 seconds each time."""

    def __init__(self, *said):
        self.now = 0.0
        self._said = list(said)
        self.silent, self.asker = os.pipe()
        self.reading, self._writing = os.pipe()

    def monotonic(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds

    def poll(self):
        self.now += 0.4
        if self._said:
            os.write(self._writing, self._said.pop(0))

    def heard(self, monkeypatch, seconds, lines):
        monkeypatch.setattr(worker, "time", self)
        heard = Listener(self.poll, self.silent, seconds, lines).listen(self.reading)
        for descriptor in (self.silent, self.asker, self.reading, self._writing):
            os.close(descriptor)
        return heard


def test_the_limit_is_for_each_line_if_lines_are_counted(monkeypatch):
    said = [b"1\n", b"2\n", b"3\n", b"4\n"]
    assert Clock(*said).heard(monkeypatch, 1.0, 4) == Heard(b"1\n2\n3\n4\n", b"", None, True)
    assert not Clock(*said).heard(monkeypatch, 1.0, None).in_time
    # Parts of a line give no more time.
    assert Clock(*said[0:1], b"2", b"3", b"4", b"5\n").heard(monkeypatch, 1.0, 2).in_time is False


def test_a_long_text_is_sent_while_its_answer_is_read():
    text = b"0123456789\n" * 30_000
    with Program("cat") as program:
        assert program.heard(text=text) == Heard(text, b"", 0, True)
    with Program("wc -c") as program:
        assert program.heard(text=b"").output.strip() == b"0"  # the stream ends even if there is nothing to send
    with Program("exec <&-; echo enough") as program:
        assert program.heard(text=text).output == b"enough\n"


def test_a_program_that_reads_nothing_is_not_waited_for_beyond_the_limit():
    with Program("exec sleep 60") as program:
        assert program.heard(0.2, text=b"long" * 100_000) == Heard(b"", b"", None, False)


def test_too_much_is_not_listened_to(monkeypatch):
    monkeypatch.setattr(worker, "MOST_BYTES", 100_000)
    with Program("cat /dev/zero") as program:
        heard = program.heard()
    assert 100_000 < len(heard.output) < 300_000
    assert heard.in_time


def test_an_asker_who_is_gone_is_noticed_at_once():
    with Program("sleep 60") as program:
        os.write(program.asker, b"!")
        with pytest.raises(AskerGoneError):
            program.heard()


def test_an_exit_code_is_waited_for_a_moment_after_the_last_line():
    codes = iter([None, None, 7])
    silent, asker = os.pipe()
    reading, writing = os.pipe()
    os.write(writing, b"done\n")
    heard = Listener(lambda: next(codes), silent, 30, 1).listen(reading)
    assert heard == Heard(b"done\n", b"", 7, True)
    os.write(writing, b"done\n")
    assert Listener(lambda: None, silent, 30, 1).listen(reading) == Heard(b"done\n", b"", None, True)
    for descriptor in (silent, asker, reading, writing):
        os.close(descriptor)


class Pipes:
    """Pipes that hold what was said already. Each look at the process may say more; then the process has ended."""

    def __init__(self, said=b"", complaints=b"", later=()):
        self._descriptors = [*os.pipe(), *os.pipe(), *os.pipe()]
        self.silent, _, self.output, self._saying, self.complaints, complaining = self._descriptors
        self._later = list(later)
        os.write(self._saying, said)
        os.write(complaining, complaints)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for descriptor in self._descriptors:
            os.close(descriptor)

    def poll(self):
        if not self._later:
            return 0
        os.write(self._saying, self._later.pop(0))
        return None

    def heard(self, lines):
        return Listener(self.poll, self.silent, 30, lines).listen(self.output, self.complaints)


def test_complaints_are_not_counted_as_lines():
    with Pipes(b"one\n", complaints=b"two\n", later=[b"late\n"]) as pipes:
        assert pipes.heard(lines=2) == Heard(b"one\nlate\n", b"two\n", 0, True)


def test_as_much_as_is_allowed_is_listened_to_and_then_more(monkeypatch):
    monkeypatch.setattr(worker, "MOST_BYTES", 5)
    with Pipes(b"12345", later=[b"67"]) as pipes:
        assert pipes.heard(lines=None).output == b"1234567"
    with Pipes(b"123456", later=[b"7"]) as pipes:
        assert pipes.heard(lines=None).output == b"123456"


def test_a_program_that_stops_reading_is_not_waited_for_beyond_the_limit():
    reading, inlet = os.pipe()
    os.set_blocking(inlet, False)
    with suppress(BlockingIOError):
        while os.write(inlet, b"long" * 1000):
            pass
    os.set_blocking(inlet, True)
    os.read(reading, 10_000)  # now there is room, but not for everything
    with Pipes() as pipes:
        listener = Listener(pipes.poll, pipes.silent, 0.05)
        assert listener.listen(pipes.output, None, inlet, b"long" * 100_000) == Heard(b"", b"", 0, False)
    os.close(reading)
    os.close(inlet)


@pytest.mark.skipif(not hasattr(fcntl, "F_SETPIPE_SZ"), reason="the size of a pipe can be set on Linux only")
def test_everything_that_an_ended_process_has_said_is_read():
    long = b"long" * 50_000 + b"\n"
    with Pipes() as pipes:
        fcntl.fcntl(pipes.output, fcntl.F_SETPIPE_SZ, 1 << 18)
        os.write(pipes._saying, long)
        assert pipes.heard(lines=2) == Heard(long, b"", 0, True)
