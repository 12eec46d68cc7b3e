import os
import time

import pytest

from temporacle.runner import processes

ALONE = "TEMPORACLE_TESTED_ALONE"  # set by test_runner_copies.py in a process where copies must be possible


def can_copy_soon():
    """Whether a copy is possible, perhaps after threads of the test before have ended."""
    end = time.monotonic() + (30 if ALONE in os.environ else 0)
    while not (possible := processes.can_copy()) and time.monotonic() < end:
        time.sleep(0.01)
    return possible


@pytest.fixture(params=["copies", "interpreters"])
def started_as(request, monkeypatch):
    """Both ways to start a worker. Whether copies are possible depends on the threads of the process of the tests."""
    if request.param == "interpreters":
        monkeypatch.setattr(processes, "can_copy", lambda: False)
    elif not can_copy_soon():
        (pytest.fail if ALONE in os.environ else pytest.skip)("another thread runs here")
    return request.param
