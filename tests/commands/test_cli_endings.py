"""How a command line ends: exit codes, messages and streams, tried in this process with streams of its own."""

import errno
import os
import signal
import stat
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
import typer

from temporacle import __version__, cli
from temporacle.errors import InternalError, UsageError

needs_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")


@pytest.fixture
def handler():
    """Restore the reaction to a termination signal, and the environment."""
    before, environment = signal.getsignal(signal.SIGTERM), dict(os.environ)
    yield
    signal.signal(signal.SIGTERM, before)
    os.environ.clear()
    os.environ.update(environment)


@pytest.fixture
def links(tmp_path):
    path = tmp_path / "d.tsv"
    path.write_text("a\tb\tb\nb\tb\tc\n")
    return str(path)


def ended(*arguments):
    """The exit code with which the program ends."""
    with pytest.raises(SystemExit) as leaving:
        cli.main(list(arguments))
    return leaving.value.code


@pytest.fixture
def stream():
    """Makes a stream that writes to a device or a descriptor."""
    opened = []

    def make(target):
        descriptor = target if isinstance(target, int) else os.open(target, os.O_WRONLY | os.O_CREAT)
        opened.append(os.fdopen(descriptor, "w", encoding="utf-8"))
        return opened[-1]

    yield make
    for each in opened:
        with suppress(OSError):
            each.close()


def pipe_without_reader():
    reader, writer = os.pipe()
    os.close(reader)
    return writer


def writes_nowhere(file):
    """Whether a stream was turned to the device that takes everything."""
    return os.path.samestat(os.fstat(file.fileno()), Path(os.devnull).stat())


def fails_with(monkeypatch, error):
    """Let every command fail with an error."""

    def application(_arguments):
        def program(**_settings):
            raise error

        return program

    monkeypatch.setattr(cli, "application", application)


# --- exit codes -------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("handler")
def test_the_program_ends_with_the_code_of_the_command(links, capfd, monkeypatch):
    assert ended("entails", links, "a", "b", "c") == 0
    assert ended("entails", links, "c", "b", "a") == 1
    monkeypatch.setattr(sys, "argv", ["temporacle", "--version"])
    capfd.readouterr()
    with pytest.raises(SystemExit) as leaving:
        cli.main()
    assert leaving.value.code == 0
    assert capfd.readouterr().out == f"temporacle {__version__}\n"


@pytest.mark.usefixtures("handler")
def test_numpy_gets_one_thread_unless_the_user_chose_another_number(monkeypatch):
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    ended("--version")
    assert os.environ["OPENBLAS_NUM_THREADS"] == "1"
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "3")
    ended("--version")
    assert os.environ["OPENBLAS_NUM_THREADS"] == "3"


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (UsageError("no"), 2),
        (InternalError("no"), 3),
        (ZeroDivisionError("no"), 3),
        (SystemExit(7), 7),
        (SystemExit("no"), 3),
        (KeyboardInterrupt(), 130),
        (typer.Abort(), 130),
        (typer.BadParameter("no"), 2),
        (BrokenPipeError(), 141),
        (OSError(errno.ENOSPC, "No space left on device"), 3),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else str(value),
)
@pytest.mark.parametrize("debug", [(), ("--debug",)], ids=["", "debug"])
@pytest.mark.usefixtures("handler")
def test_each_kind_of_failure_has_its_code(monkeypatch, stream, error, code, debug):
    monkeypatch.setattr(sys, "stdout", stream(os.devnull))
    fails_with(monkeypatch, error)
    assert ended("check", *debug) == code


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (UsageError("no spans here", option="align", value="spans"), "temporacle: --align spans: no spans here.\n"),
        (KeyboardInterrupt(), "interrupted\n"),
        (typer.BadParameter("too odd"), "temporacle: Invalid value: too odd\n"),
        (BrokenPipeError(), ""),
        (
            MemoryError("malloc"),
            "temporacle: out of memory: nothing was decided; use fewer documents or --jobs 1\n",
        ),
        (OSError(errno.ENOSPC, "No space left on device"), "temporacle: No space left on device\n"),
        (OSError(errno.EIO, "Input/output error", "x.tsv"), "temporacle: x.tsv: Input/output error\n"),
        (
            OSError("odd"),
            "temporacle: internal error: OSError: odd; please report it with the traceback that --debug prints\n",
        ),
        (
            ValueError("odd"),
            "temporacle: internal error: ValueError: odd; please report it with the traceback that --debug prints\n",
        ),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
def test_the_message_of_a_failure_is_one_line(monkeypatch, capsys, stream, error, message):
    monkeypatch.setattr(sys, "stdout", stream(os.devnull))
    fails_with(monkeypatch, error)
    cli.run(["check"])
    assert capsys.readouterr().err == message


@pytest.mark.parametrize("error", [InternalError("no"), ZeroDivisionError("no"), OSError("no")], ids=repr)
@pytest.mark.usefixtures("handler")
def test_debug_prints_the_traceback(monkeypatch, capsys, stream, error):
    monkeypatch.setattr(sys, "stdout", stream(os.devnull))
    fails_with(monkeypatch, error)
    ended("check")
    assert "Traceback" not in capsys.readouterr().err
    ended("check", "--debug")
    assert "Traceback" in capsys.readouterr().err


def test_an_exit_because_of_a_broken_pipe_is_not_a_no(monkeypatch, stream):
    """Typer turns a broken pipe into an exit with code 1."""
    monkeypatch.setattr(sys, "stdout", stream(os.devnull))
    leaving = SystemExit(1)
    leaving.__context__ = BrokenPipeError()
    fails_with(monkeypatch, leaving)
    assert cli.run(["check"]) == 141


def test_what_was_printed_before_a_failure_is_not_kept(monkeypatch, tmp_path, stream):
    """Half an answer must not look like a whole one."""
    monkeypatch.setattr(sys, "stdout", stream(tmp_path / "out.txt"))
    fails_with(monkeypatch, ZeroDivisionError("no"))
    sys.stdout.write("half an ans")
    assert cli.run(["check"]) == 3
    sys.stdout.flush()
    assert (tmp_path / "out.txt").read_text() == ""


def test_a_termination_signal_is_an_exit_and_a_second_one_ends_at_once():
    before = signal.signal(signal.SIGUSR1, lambda _number, _frame: None)
    try:
        with pytest.raises(SystemExit) as leaving:
            cli._leave_tidily(signal.SIGUSR1, None)
        assert leaving.value.code == 128 + signal.SIGUSR1
        assert signal.getsignal(signal.SIGUSR1) is signal.SIG_DFL
    finally:
        signal.signal(signal.SIGUSR1, before)


@pytest.mark.usefixtures("handler")
def test_the_program_listens_to_termination_signals():
    ended("--version")
    assert signal.getsignal(signal.SIGTERM) is cli._leave_tidily


# --- streams ----------------------------------------------------------------------------------------------------------


@needs_full
@pytest.mark.parametrize("name", ["stdout", "stderr"])
@pytest.mark.usefixtures("handler")
def test_a_full_device_is_undecided(links, monkeypatch, stream, name):
    full = stream("/dev/full")
    monkeypatch.setattr(sys, name, full)
    assert ended("entails", links, "a", "b", "c") == 3
    assert writes_nowhere(full)


@needs_full
@pytest.mark.parametrize(("code", "then"), [(0, 3), (1, 3), (2, 3), (127, 3), (128, 128), (130, 130), (143, 143)])
def test_a_signal_is_reported_even_if_the_output_is_full(monkeypatch, stream, code, then):
    monkeypatch.setattr(sys, "stdout", stream("/dev/full"))
    assert cli.code_after_flushing(code) == then


@pytest.mark.parametrize("name", ["stdout", "stderr"])
def test_a_reader_that_has_left_is_141(monkeypatch, stream, name):
    left = stream(pipe_without_reader())
    monkeypatch.setattr(sys, name, left)
    left.write("some text")
    assert cli.code_after_flushing(0) == 141
    assert writes_nowhere(left)


def test_a_reader_that_leaves_while_the_command_prints_is_141(links, monkeypatch, stream):
    left = stream(pipe_without_reader())
    monkeypatch.setattr(sys, "stdout", left)
    assert cli.run(["entails", links, "a", "b", "c"]) == 141
    assert writes_nowhere(left)


@needs_full
def test_a_complaint_that_cannot_be_written_is_undecided(monkeypatch, stream, tmp_path):
    out, full = stream(tmp_path / "out.txt"), stream("/dev/full")
    full.reconfigure(line_buffering=True)
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", full)
    (tmp_path / "empty.tsv").touch()
    assert cli.run(["closure", str(tmp_path / "empty.tsv")]) == 3
    assert writes_nowhere(out)
    with pytest.raises(OSError, match="No space left"):
        cli.run(["closure", str(tmp_path / "empty.tsv"), "--debug"])


@needs_full
def test_what_was_printed_before_such_a_complaint_is_not_kept(monkeypatch, stream, tmp_path):
    out, full = stream(tmp_path / "out.txt"), stream("/dev/full")
    full.reconfigure(line_buffering=True)
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", full)
    fails_with(monkeypatch, UsageError("no"))
    assert cli.run(["check"]) == 3
    assert writes_nowhere(out)


def test_a_complaint_to_a_reader_that_has_left_is_141(monkeypatch, stream):
    out, left = stream(os.devnull), stream(pipe_without_reader())
    left.reconfigure(line_buffering=True)
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", left)
    fails_with(monkeypatch, UsageError("no"))
    assert cli.run(["check"]) == 141
    cli._give_up(left)


@pytest.mark.parametrize("code", [0, 1, 3])
def test_streams_in_order_keep_the_code(monkeypatch, tmp_path, stream, code):
    monkeypatch.setattr(sys, "stdout", stream(tmp_path / "out.txt"))
    sys.stdout.write("an answer")
    assert cli.code_after_flushing(code) == code
    assert (tmp_path / "out.txt").read_text() == "an answer"


@pytest.mark.parametrize(
    ("name", "said"), [("stdout", "standard output is closed"), ("stderr", "standard error is closed")]
)
@pytest.mark.usefixtures("handler")
def test_a_stream_that_was_closed_at_the_start_is_undecided(monkeypatch, capfd, name, said):
    monkeypatch.setattr(sys, name, None)
    assert ended("--version") == 3
    getattr(sys, name).flush()
    told = capfd.readouterr()
    assert told.out == ""
    assert told.err == f"temporacle: {said}; redirect it, for example to /dev/null\n"


@pytest.mark.parametrize(("number", "name"), [(1, "stdout"), (2, "stderr")])
def test_no_other_file_takes_the_place_of_a_closed_stream(monkeypatch, number, name):
    kept = os.dup(number)
    monkeypatch.setattr(sys, name, None)
    os.close(number)
    try:
        assert cli.open_missing_streams() == {"stdout": "standard output", "stderr": "standard error"}[name]
        assert os.path.samestat(os.fstat(number), Path(os.devnull).stat())
        assert getattr(sys, name).fileno() == number
        assert getattr(sys, name).encoding == "utf-8"
        getattr(sys, name).close()
        assert stat.S_ISCHR(os.fstat(number).st_mode)  # closing the stream leaves its place taken
    finally:
        os.dup2(kept, number)
        os.close(kept)


def test_the_first_of_two_closed_streams_is_named(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    assert cli.open_missing_streams() == "standard output"


def test_open_streams_stay(monkeypatch, capsys):
    before = sys.stdout, sys.stderr
    assert cli.open_missing_streams() is None
    assert (sys.stdout, sys.stderr) == before


def test_output_that_is_left_in_the_buffer_counts(monkeypatch, stream):
    left = stream(pipe_without_reader())
    monkeypatch.setattr(sys, "stdout", left)
    monkeypatch.setattr(cli, "application", lambda _arguments: lambda **_settings: left.write("an answer"))
    assert cli.run(["check"]) == 141


def test_a_complaint_is_tried_once_more(monkeypatch, stream):
    class Recovering:
        """A stream that fails once."""

        text, failures = "", 1

        def write(self, text):
            if self.failures:
                self.failures -= 1
                raise OSError(errno.EIO, "Input/output error")
            self.text += text

    monkeypatch.setattr(sys, "stdout", stream(os.devnull))
    monkeypatch.setattr(sys, "stderr", Recovering())
    fails_with(monkeypatch, UsageError("no"))
    assert cli.run(["check"]) == 3
    assert sys.stderr.text == "temporacle: Input/output error\n"


# --- the end of the process -------------------------------------------------------------------------------------------


def process(before, *arguments):
    """The program in a process of its own, which does something before."""
    code = f"import sys\n{before}\nfrom temporacle.cli import program\nprogram()"
    command = [sys.executable, "-W", "error", "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("target", "code"), [("c", 0), ("a", 1), ("nowhere", 2)])
def test_the_process_ends_with_the_exit_code_and_all_output(target, code, links):
    done = process("", "entails", links, "b", "b", target)
    assert done.returncode == code
    assert done.stdout or done.stderr


@pytest.mark.parametrize(
    "before",
    [
        "import atexit; atexit.register(print, 'said at the end')",
        "import threading as t; t.Thread(target=lambda: (t.main_thread().join(), print('said at the end'))).start()",
    ],
    ids=["exit function", "thread"],
)
def test_what_libraries_do_at_the_end_is_done(before, links):
    done = process(before, "entails", links, "c", "b", "a")
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.endswith("said at the end\n")
