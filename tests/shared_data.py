"""Third-party data beside the project; tests that need it are skipped where it is absent."""

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[1].parent / "shared"
running: list[pytest.Item] = []  # the test that runs now; conftest.py sets it


def shared(*parts: str) -> Path:
    """A path under the shared folder; skips the calling test (or module, at import) when it is not there.

    The calling test must carry the mark ``corpora``: without it ``make test`` would run it, and ``make test-all`` not.
    """
    if running and not running[-1].get_closest_marker("corpora"):
        pytest.fail("a test that reads ../shared carries @pytest.mark.corpora")
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(
            f"needs ../shared/{'/'.join(parts)}, third-party data that is not part of the project",
            allow_module_level=True,
        )
    return path
