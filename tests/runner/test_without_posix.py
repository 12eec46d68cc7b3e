"""Commands with one process on a system that lacks what Windows lacks: they work, or are refused by name."""

import subprocess
import sys

import pytest

WITHOUT = """
import os, signal, sys
for name in ("fcntl", "resource", "pwd", "grp", "termios", "pty", "tty"):
    sys.modules[name] = None
for name in ("fork", "getuid", "geteuid", "setsid", "killpg", "sched_getaffinity", "fchmod", "fchown", "chown", "pread",
             "pwrite", "register_at_fork", "O_DIRECTORY", "O_NOFOLLOW", "O_CLOEXEC", "O_NONBLOCK"):
    vars(os).pop(name, None)
for name in ("SIGPIPE", "SIGHUP", "SIGKILL", "SIGALRM", "SIGUSR1", "SIGQUIT", "SIGCHLD", "setitimer"):
    vars(signal).pop(name, None)
from temporacle.cli import run
codes = [int(run([*line.split(), *sys.argv[1:]])) for line in sys.stdin.read().splitlines()]
print(codes, file=sys.stderr)
"""


def said(lines, *more):
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, *more], input="\n".join(lines), capture_output=True, text=True, check=False
    )
    return done.stderr.splitlines()


@pytest.mark.skipif(sys.platform == "win32", reason="this is about systems that have what is taken away")
def test_commands_work_with_one_process(tmp_path):
    lines = {
        "check examples/corpus": 1,
        f"check examples/corpus --certificates {tmp_path}/c": 1,
        f"check examples/corpus --resume {tmp_path}/journal --time-limit 5": 1,
        f"check examples/gold --write-baseline {tmp_path}/known.json": 0,
        "score examples/gold examples/system": 0,
        "closure examples/corpus/ferry.tml": 0,
        "decode examples/scores.jsonl": 0,
        "stats examples/corpus": 0,
        f"fix examples/corpus -o {tmp_path}/fixed": 0,
        f"report examples/corpus -o {tmp_path}/page.html": 0,
        "agree examples/gold examples/system": 0,
    }
    assert said(lines, "--jobs", "1")[-1] == str(list(lines.values()))
    assert said([f"convert examples/gold {tmp_path}/out.jsonl --jobs 1", f"verify {tmp_path}/c"])[-1] == "[0, 0]"


def test_audits_are_refused_by_name():
    *_, message, codes = said(["audit --implementation examples/naive_closure.py:close --cases 1"])
    assert codes == "[2]"
    assert "need a system that copies processes" in message
