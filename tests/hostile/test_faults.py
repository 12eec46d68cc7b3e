"""An unlucky user: full disks, closed pipes, signals, rivals. What was written before is whole, the exit code right."""

import json
import os
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from temporacle.cli import run
from temporacle.io.files import atomic

CLASH = "a\tb\tb\nb\tb\tc\nc\tb\ta\n"


def command(*arguments, **options):
    """A command line in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "temporacle", *map(str, arguments)],
        stdout=options.pop("stdout", subprocess.PIPE),
        stderr=subprocess.PIPE,
        **options,
    )


def finished(process):
    """Its exit code and complaints."""
    _, complaints = process.communicate(timeout=120)
    return process.returncode, complaints.decode()


@pytest.fixture
def corpus(tmp_path):
    """Many small documents in one file."""
    path = tmp_path / "corpus.jsonl"
    links = [{"source": f"e{k}", "relation": "b", "target": f"e{k + 1}"} for k in range(20)]
    path.write_text("".join(json.dumps({"document": f"d{k}", "links": links}) + "\n" for k in range(300)))
    return path


def small_files_only():
    """In the child: no file may grow beyond 4 kB, which is how a full disk looks to a program."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))


# --- standard output --------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("arguments", [["closure", "--output", "json"], ["check", "--all"], ["convert"]])
def test_standard_output_on_a_full_disk(corpus, arguments):
    name, *options = arguments
    target = ["-", "--to", "tsv"] if name == "convert" else []
    with Path("/dev/full").open("wb") as full:
        code, complaints = finished(command(name, corpus, *target, *options, stdout=full))
    assert code == 3
    assert "No space left on device" in complaints
    assert "Traceback" not in complaints
    assert "Exception ignored" not in complaints


def test_a_closed_pipe_ends_the_run_quietly(corpus):
    with command("closure", corpus, "--output", "json") as process:
        assert process.stdout.readline().startswith(b"{")
        process.stdout.close()
        complaints = process.stderr.read().decode()
    assert process.returncode == 141
    assert complaints == ""


# --- files ------------------------------------------------------------------------------------------------------------


def test_a_disk_that_fills_up_leaves_no_half_file(corpus, tmp_path):
    out = tmp_path / "out.tsv"
    out.write_text("what was here before\n")
    code, complaints = finished(command("convert", corpus, out, preexec_fn=small_files_only))
    assert code == 2
    assert f"cannot write {out}" in complaints
    assert out.read_text() == "what was here before\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["corpus.jsonl", "out.tsv"]


def test_a_disk_that_fills_up_leaves_no_half_certificate(tmp_path):
    small, large = tmp_path / "a.tsv", tmp_path / "b.tsv"
    small.write_text("x\tb\ty\n")
    large.write_text("".join(f"x{k}\tb\tx{k + 1}\n" for k in range(200)))
    folder = tmp_path / "certificates"
    code, complaints = finished(
        command("check", small, large, "--certificates", folder, "--jobs", "1", preexec_fn=small_files_only)
    )
    assert code == 2
    assert "cannot write" in complaints
    assert [path.name for path in folder.iterdir()] == ["a.json"]
    assert run(["verify", str(folder / "a.json"), "--document", str(small)]) == 0


@pytest.mark.parametrize(
    "arguments", [["check", "--certificates"], ["check", "--write"], ["convert"], ["report", "-o"]]
)
def test_a_folder_that_cannot_be_written(tmp_path, arguments, capsys):
    """A file stands where a folder is wanted: not even root can write below it."""
    source = tmp_path / "d.tsv"
    source.write_text(CLASH)
    (tmp_path / "file").write_text("x")
    below = str(tmp_path / "file" / "below")
    name, *option = arguments
    target = below + ".html" if name == "report" else below
    extra = ["--to", "tsv"] if name == "convert" else []
    assert run([name, str(source), *option, target, *extra]) == 2
    assert "cannot" in capsys.readouterr().err
    assert (tmp_path / "file").read_text() == "x"


def test_after_an_exception_a_file_is_as_before(tmp_path):
    path = tmp_path / "x.json"
    path.write_text("old")

    def interrupted():
        with atomic(path) as file:
            file.write("new" * 100_000)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_rival_that_prepared_the_temporary_name_is_not_followed(tmp_path, monkeypatch):
    """A link under the name of the temporary file is not written through: another name is taken."""
    names = iter(["planted", "fresh"])
    monkeypatch.setattr("secrets.token_hex", lambda _size: next(names))
    victim = tmp_path / "victim"
    victim.write_text("precious")
    path = tmp_path / "x.json"
    planted = tmp_path / ".x.json.planted.part"
    planted.symlink_to(victim)
    with atomic(path) as file:
        file.write("new")
    assert victim.read_text() == "precious"
    assert path.read_text() == "new"
    assert planted.is_symlink()
    assert len(list(tmp_path.iterdir())) == 3


def test_a_link_under_the_final_name_is_replaced_not_followed(tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("precious")
    path = tmp_path / "x.json"
    path.symlink_to(victim)
    with atomic(path) as file:
        file.write("new")
    assert victim.read_text() == "precious"
    assert path.read_text() == "new"
    assert not path.is_symlink()


# --- signals ----------------------------------------------------------------------------------------------------------

SLOW_WRITER = """
import sys, time
from temporacle import cli
from temporacle.io.files import atomic

def run(arguments):
    with atomic(arguments[0]) as file:
        file.write("half a file" * 100_000)
        file.flush()
        print("half", flush=True)
        time.sleep(60)

cli.run = run
cli.main()
"""


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGINT, -signal.SIGINT), (signal.SIGTERM, 143), (signal.SIGKILL, -signal.SIGKILL)],
)
def test_a_signal_in_the_middle_of_writing(tmp_path, number, code):
    path = tmp_path / "x.json"
    path.write_text("old")
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW_WRITER, str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout.readline() == b"half\n"
    process.send_signal(number)
    process.communicate(timeout=60)
    assert process.returncode == code
    assert path.read_text() == "old"
    left = [file.name for file in tmp_path.iterdir() if file != path]
    if (
        number == signal.SIGKILL
    ):  # nobody is left to tidy up; what stays is hidden, and no reader takes it for a document
        assert all(name.startswith(".") and name.endswith(".part") for name in left)
    else:
        assert left == []


BOTH_POLITE_SIGNALS = pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])


TELLING_WHEN_IT_BEGINS = """
from temporacle import cli

honest = cli.run

def run(arguments):
    print("begun", flush=True)
    return honest(arguments)

cli.run = run
cli.main()
"""


# A hundred entities at the phase transition keep any solver busy for longer than this test lasts.
@pytest.mark.slow
@BOTH_POLITE_SIGNALS
def test_a_signal_in_the_middle_of_reasoning(tmp_path, number, code):
    from graphs import phase_transition

    hard = tmp_path / "hard.tsv"
    hard.write_text("".join(f"{x}\t{r}\t{y}\n" for x, r, y in phase_transition(100, 8.5, 6.5, seed=1)))
    command = [sys.executable, "-c", TELLING_WHEN_IT_BEGINS, "closure", hard, "--output", "json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout.readline() == b"begun\n"
    time.sleep(3)  # on a busy machine it may still be reading: that must end as tidily
    assert process.poll() is None
    process.send_signal(number)
    found, complaints = finished(process)
    assert found == code
    assert "Traceback" not in complaints


# The solver tells when it begins; a random formula of this size keeps it busy for longer than this test lasts.
IN_THE_SOLVER = """
import random
from temporacle import cli
from temporacle.reasoner.optimise import solver as cpsolver
from temporacle.reasoner.network import Budget

def run(arguments):
    rng, model = random.Random(1), cpsolver.load_solver().CpModel()
    variables = [model.new_bool_var("") for _ in range(700)]
    for _ in range(3000):
        model.add_bool_or([x if rng.random() < 0.5 else ~x for x in rng.sample(variables, 3)])
    print("begun", flush=True)
    try:
        cpsolver.run_solver(model, Budget(), presolve=True)
    except KeyboardInterrupt:
        return 130

cli.run = run
cli.main()
"""


@BOTH_POLITE_SIGNALS
def test_a_signal_while_the_solver_searches(number, code):
    process = subprocess.Popen([sys.executable, "-c", IN_THE_SOLVER], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout.readline() == b"begun\n"
    time.sleep(1)
    assert process.poll() is None
    process.send_signal(number)
    assert finished(process)[0] == code


DISTURBED_WHILE_LOADING = """
import os, sys
from temporacle import cli
from temporacle.reasoner.optimise import solver as cpsolver

class Disturber:
    def find_spec(self, name, *_):
        if name == "ortools.sat.python.cp_model_helper":
            os.kill(os.getpid(), int(sys.argv[1]))
            print("loading goes on", flush=True)

def run(_):
    try:
        cpsolver.load_solver()
    except KeyboardInterrupt:
        return 130

sys.meta_path.insert(0, Disturber())
cli.run = run
cli.main()
"""


@BOTH_POLITE_SIGNALS
def test_a_signal_while_the_solver_is_loaded(number, code):
    """It waits: the solver's compiled parts would take it for a fault of their own, and nobody for an interrupt."""
    script = [sys.executable, "-c", DISTURBED_WHILE_LOADING, str(int(number))]
    process = subprocess.Popen(script, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    printed, complaints = process.communicate(timeout=120)
    assert printed == b"loading goes on\n"
    assert b"Traceback" not in complaints
    assert process.returncode == code


DISTURBED_AT_AN_IMPORT = """
import os, sys
number, place = int(sys.argv.pop(1)), int(sys.argv.pop(1))
met = 0

class Disturber:
    def find_spec(self, *_):
        global met
        met += 1
        if met == place:
            os.kill(os.getpid(), number)

sys.meta_path.insert(0, Disturber())
from temporacle.__main__ import program
try:
    program()
finally:
    print(met, "imports")
"""


def disturbed_at_an_import(tmp_path, number, place):
    (tmp_path / "d.tsv").write_text(CLASH)
    script = [sys.executable, "-c", DISTURBED_AT_AN_IMPORT, str(int(number)), str(place)]
    process = subprocess.Popen([*script, "check", tmp_path / "d.tsv", "--jobs", "1"], stderr=subprocess.PIPE)
    return finished(process)


# There are some 250 imports; the first thirty are over before the program has begun.
@pytest.mark.parametrize("place", [pytest.param(each, marks=pytest.mark.slow) for each in range(40, 241, 25)] + [200])
@BOTH_POLITE_SIGNALS
def test_a_signal_during_an_import(tmp_path, number, code, place):
    found, complaints = disturbed_at_an_import(tmp_path, number, place)
    assert found == code
    assert "Traceback" not in complaints


TAKEN_FOR_A_FAULT = """
import os, signal, sys
from temporacle import cli

def run(_):
    try:
        os.kill(os.getpid(), signal.SIGTERM)
    except SystemExit:
        raise ImportError("a library says so")

cli._run = lambda arguments, debug: run(arguments)
cli.main()
"""


def test_a_termination_that_a_library_takes_for_a_fault_of_its_own():
    found, _ = finished(subprocess.Popen([sys.executable, "-c", TAKEN_FOR_A_FAULT], stderr=subprocess.PIPE))
    assert found == 143


def test_being_terminated_ends_the_workers_and_keeps_the_journal(tmp_path):
    """What Ctrl-C does is tested with the journal."""
    links = [{"source": f"e{k}", "relation": "b", "target": f"e{k + 1}"} for k in range(40)]
    large, journal = tmp_path / "large.jsonl", tmp_path / "journal"
    large.write_text("".join(json.dumps({"document": f"d{k}", "links": links}) + "\n" for k in range(8000)))
    arguments = ["check", large, "--jobs", "2", "--output", "json", "--resume", journal]
    process = command(*arguments, stdout=subprocess.DEVNULL)
    wait_until(lambda: journal.exists() and journal.stat().st_size > 20_000)
    workers = children_of(process.pid)
    process.terminate()
    found, complaints = finished(process)
    assert found == 143
    assert "Traceback" not in complaints
    assert workers
    wait_until(lambda: not any(map(alive, workers)))
    with closing(sqlite3.connect(journal)) as file:
        assert file.execute("SELECT count(*) FROM items").fetchone()[0] > 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["journal", "large.jsonl"]


def wait_until(condition):
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def children_of(process):
    """The processes that a process has started."""
    threads = list(Path(f"/proc/{process}/task").glob("*/children"))
    if not threads:
        pytest.skip("needs /proc")
    return [int(child) for thread in threads for child in thread.read_text().split()]


def alive(process):
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"  # dead, waiting for whoever asks


# --- rivals and changing files --------------------------------------------------------------------------------------


def test_two_runs_writing_one_folder(corpus, tmp_path):
    folder = tmp_path / "certificates"
    runs = [command("check", corpus, "--certificates", folder, "--jobs", "1") for _ in range(2)]
    assert [finished(process)[0] for process in runs] == [0, 0]
    assert len(list(folder.iterdir())) == 300
    assert run(["verify", str(folder), "--output", "json"]) == 0


def test_a_file_that_changes_while_it_is_checked_gets_no_certificate(tmp_path, monkeypatch, capsys):
    from temporacle.tasks import check

    path = tmp_path / "d.tsv"
    path.write_text("a\tb\tb\n")
    honest = check.check_document

    def rewriting(document, asked):
        path.write_text("a\tbi\tb\n")  # read already, not certified yet
        return honest(document, asked)

    monkeypatch.setattr(check, "check_document", rewriting)
    folder = tmp_path / "certificates"
    assert run(["check", str(path), "--certificates", str(folder), "--jobs", "1", "--output", "json"]) == 3
    row = json.loads(capsys.readouterr().out)
    assert row["verdict"] == "consistent"
    assert row["certificate"] is None
    assert [remark["code"] for remark in row["warnings"]] == ["file-changed"]
    assert not list(Path(folder).glob("*"))


def test_a_file_that_does_not_change_gets_one(tmp_path, capsys):
    path = tmp_path / "d.tsv"
    for _ in range(3):  # written just before
        path.write_text("a\tb\tb\n")
        assert run(["check", str(path), "--certificates", str(tmp_path / "c"), "--jobs", "1"]) == 0
    assert run(["verify", str(tmp_path / "c" / "d.json"), "--document", str(path)]) == 0


def test_a_file_that_goes_away_is_unreadable(tmp_path):
    from temporacle import closure

    good = tmp_path / "good.tsv"
    good.write_text("a\tb\tb\n")
    gone, other = closure([str(tmp_path / "gone.tsv"), str(good)])
    assert (gone.verdict, other.document, other.verdict) == ("unreadable", "good", "consistent")
    assert "no such file" in gone.reason


def test_a_pipe_in_a_folder_is_not_waited_for(tmp_path, capsys):
    os.mkfifo(tmp_path / "trap.tml")
    os.mkfifo(tmp_path / "trap")
    (tmp_path / "good.tsv").write_text("a\tb\tb\n")
    assert run(["closure", str(tmp_path), "--output", "json"]) == 3
    out, err = capsys.readouterr()
    good, trap = map(json.loads, out.splitlines())
    assert (good["document"], trap["verdict"]) == ("good", "unreadable")
    assert "is not a regular file" in err


def test_links_to_folders_are_not_followed(tmp_path, capsys):
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "d.tsv").write_text("a\tb\tb\n")
    (tmp_path / "dangling.tsv").symlink_to(tmp_path / "nothing")
    assert run(["closure", str(tmp_path), "--output", "json"]) == 3
    out, err = capsys.readouterr()
    assert [json.loads(line)["document"] for line in out.splitlines()] == ["d", "dangling"]
    assert "dangling.tsv: error[unreadable]: cannot be opened" in err


# --- what nobody foresaw --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [MemoryError(), RecursionError("too deep"), KeyError("x")])
def test_an_unforeseen_exception_is_no_verdict_and_no_traceback(tmp_path, monkeypatch, capsys, error):
    def fail(*_):
        raise error

    path = tmp_path / "d.tsv"
    path.write_text("a\tb\tb\n")
    monkeypatch.setattr("temporacle.reasoner.network.Network.of", fail)
    assert run(["closure", str(path), "--output", "json"]) == 3
    out, err = capsys.readouterr()
    row = json.loads(out)
    assert (row["document"], row["verdict"]) == ("d", "undecided")
    assert f"internal error: {type(error).__name__}" in row["reason"]
    assert "Traceback" not in err
