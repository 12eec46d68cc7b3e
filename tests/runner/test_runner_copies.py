"""Workers that are copies: their tests need a process without other threads, which pytest-xdist does not give them."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

FILES = ("test_runner.py", "test_runner_uneven.py", "test_runner_workers.py")
ALONE = {"TEMPORACLE_TESTED_ALONE": "1", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="workers are copies on Linux only")
def test_the_tests_of_copies_pass_in_a_process_without_threads(tmp_path):
    """There conftest.py lets a test fail, rather than skip it, where no copy of the process is possible."""
    command = [sys.executable, "-m", "pytest", "-p", "no:xdist", "-p", "no:cacheprovider", "-k", "copies"]
    command += [f"--basetemp={tmp_path / 'base'}", *(str(Path(__file__).with_name(name)) for name in FILES)]
    done = subprocess.run(command, env=os.environ | ALONE, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout[-3000:]
    assert int(re.search(r"(\d+) passed", done.stdout).group(1)) >= 10
