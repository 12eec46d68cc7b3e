"""Third-party data beside the project; tests that need it are skipped where it is absent."""

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[1].parent / "shared"


def shared(*parts: str) -> Path:
    """A path under the shared folder; skips the calling test (or module, at import) when it is not there."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(
            f"needs ../shared/{'/'.join(parts)}, third-party data that is not part of the project",
            allow_module_level=True,
        )
    return path
