"""Foreign code that forks, leaves its process group and holds pipes open: the audit neither waits for it nor leaves it.

Every process that escapes here would live for ten minutes; nothing in these tests may take that long.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from runs import all_end, environment
from shares import few

from temporacle.audit.answers import Closed, Failed, Failure
from temporacle.audit.subjects.foreign import CommandSubject, PythonSubject
from temporacle.relation import Relation
from temporacle.tasks.audit import audit

CHAIN = (("x", Relation("b"), "y"),)

ESCAPING = """
import os, sys, time

def escape():
    '''Leave a process behind, in a session of its own, that holds everything it has inherited.'''
    child = os.fork()
    if child == 0:
        os.setsid()
        if os.fork() == 0:
            with open({pids!r}, "a") as file:
                file.write(f"{{os.getpid()}}\\n")
            time.sleep(600)
        os._exit(0)
    os.waitpid(child, 0)
    while not os.path.exists({pids!r}) or not open({pids!r}).read().endswith("\\n"):
        time.sleep(0.001)

def answers(links):
    escape()
    return links

def hangs(links):
    escape()
    time.sleep(600)

def dies(links):
    escape()
    os._exit(1)

def main(name):
    if name == "answers":
        escape()
        print(sys.stdin.read(), end="")
    else:
        {{"hangs": hangs, "dies": dies}}[name]([])

if sys.argv[0].endswith("escaping.py"):
    main(sys.argv[1])
"""


@pytest.fixture
def escaping(tmp_path):
    path = tmp_path / "escaping.py"
    path.write_text(ESCAPING.format(pids=str(tmp_path / "pids")), encoding="utf-8")
    return path


def escaped(escaping):
    """The processes that got away."""
    found = [int(line) for line in (escaping.parent / "pids").read_text().split()]
    assert found
    return found


@pytest.mark.parametrize(
    ("name", "failure"), few([("answers", None), ("hangs", Failure.TIMEOUT), ("dies", Failure.DIED)])
)
def test_a_function(escaping, name, failure):
    with PythonSubject(f"{escaping}:{name}", seconds=5.0) as subject:
        (answer,) = subject.ask(CHAIN)
        assert all_end(escaped(escaping))  # as soon as it has answered
    if failure is None:
        assert answer == Closed(CHAIN)
    else:
        assert isinstance(answer, Failed)
        assert answer.how is failure


# A command that ends may have left its output to another process, which is waited for until the limit.
@pytest.mark.parametrize("name", few(["answers", "hangs", "dies"]))
def test_a_command(escaping, name):
    with CommandSubject(f"'{sys.executable}' '{escaping}' {name}", seconds=3.0) as subject:
        (answer,) = subject.ask(CHAIN)
        assert all_end(escaped(escaping))
    assert isinstance(answer, Failed)
    assert answer.how is Failure.TIMEOUT


@pytest.mark.slow
def test_a_function_that_is_given_as_an_object(escaping):
    sys.path.insert(0, str(escaping.parent))
    try:
        import escaping as module
    finally:
        sys.path.pop(0)
        sys.modules.pop("escaping", None)
    found = audit(module.answers, cases=3, large=0, vary=False, time_limit=5)
    assert found.counts["crashes"] == 0
    assert all_end(escaped(escaping))


@pytest.mark.slow
def test_what_importing_has_started_lives_as_long_as_the_audit(tmp_path):
    path = tmp_path / "serving.py"
    path.write_text(
        "import subprocess, sys\n"
        "server = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "def alive(links):\n"
        "    import os\n"
        "    os.kill(server.pid, 0)\n"
        f"    open({str(tmp_path / 'pids')!r}, 'w').write(str(server.pid))\n"
        "    return links\n",
        encoding="utf-8",
    )
    with PythonSubject(f"{path}:alive", seconds=20.0) as subject:
        assert [subject.ask(CHAIN) for _ in range(3)] == [(Closed(CHAIN),)] * 3
    assert all_end([int((tmp_path / "pids").read_text())])


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
@pytest.mark.parametrize("how", ["--implementation", "--command"])
def test_a_signal_ends_the_audit_and_everything_it_has_started(escaping, how, number):
    target = f"{escaping}:hangs" if how == "--implementation" else f"'{sys.executable}' '{escaping}' hangs"
    arguments = ["audit", how, target, "--limit", "600", "--cases", "3"]
    process = subprocess.Popen(
        [sys.executable, "-m", "temporacle", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        start_new_session=True,
    )
    pids = escaping.parent / "pids"
    deadline = time.monotonic() + 120
    while not (pids.exists() and pids.read_text().endswith("\n")) and time.monotonic() < deadline:
        time.sleep(0.01)
    below = everything_below(process.pid)
    os.kill(process.pid, number)
    process.communicate(timeout=60)  # ends only when no process holds its output
    assert process.returncode == {signal.SIGTERM: 143, signal.SIGINT: 130, signal.SIGKILL: -9}[number]
    assert all_end([*below, *escaped(escaping)])


def everything_below(pid):
    from temporacle.audit.subjects.worker import descendants

    found = descendants(pid)
    assert len(found) >= 2
    return found


def test_the_command_line_reports_the_limit(escaping):
    command = f"'{sys.executable}' '{escaping}' hangs"
    arguments = ["audit", "--command", command, "--limit", "1", "--cases", "1", "--no-vary", "--output", "json"]
    done = subprocess.run(
        [sys.executable, "-m", "temporacle", *arguments],
        capture_output=True,
        env=environment(),
        timeout=300,
        check=False,
    )
    finding, summary = map(json.loads, done.stdout.splitlines())
    assert (done.returncode, finding["kind"], summary["crashes"]) == (1, "crash", 1)
    assert all_end(escaped(escaping))
