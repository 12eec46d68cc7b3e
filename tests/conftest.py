"""Shared set-up of all tests."""

import os
import signal
from pathlib import Path

import pytest
import schemas
import shared_data
from hypothesis import HealthCheck, settings

settings.register_profile(
    "ci", derandomize=True, deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("long", deadline=None, max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

# A shell starts programs in the background with SIGINT ignored, and programs that they start inherit that. Tests that
# send SIGINT to a program must not depend on how they were started themselves.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


schemas.watch()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark cases whose files are in ../shared, and tests that need a browser."""
    for item in items:
        values = item.callspec.params.values() if hasattr(item, "callspec") else ()
        if any(isinstance(value, Path) and value.is_relative_to(shared_data.SHARED) for value in values):
            item.add_marker("corpora")
        if "driver" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")


def pytest_runtest_setup(item):
    shared_data.running[:] = [item]
