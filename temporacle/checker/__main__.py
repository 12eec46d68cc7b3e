"""``python checker CERTIFICATE [DOCUMENT]``: the checker by itself, also when its folder was copied elsewhere."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any


def _checker() -> Any:
    """Return the package that this file stands in. Python does not load it when it runs a folder."""
    if __package__:
        return importlib.import_module(__package__)
    folder = Path(__file__).resolve().parent
    found = importlib.util.spec_from_file_location("checker", folder / "__init__.py")
    if found is None or found.loader is None:
        sys.exit(f"{folder} cannot be loaded")
    package = importlib.util.module_from_spec(found)
    sys.modules["checker"] = package
    found.loader.exec_module(package)
    return package


def main() -> None:
    """Print what holds, or end with the reason for rejecting it."""
    checker = _checker()
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: python checker CERTIFICATE [DOCUMENT]")
    try:
        path = Path(sys.argv[1])
        accepted = checker.verify(path.read_bytes(), *sys.argv[2:3], folder=str(path.parent))
    except (checker.Rejected, OSError) as reason:
        sys.exit(f"rejected: {reason}")
    about, count = accepted["document"], len(accepted["links"])
    left_out = f", without {len(about['dropped'])} unreadable links" if about.get("dropped") else ""
    believed = checker.trusted(accepted)
    left_out += f", trusting the values of {', '.join(believed)}" if believed else ""
    made_from = f"{count} links, reading {about['reading']}, sha256 {about['sha256']}"
    print(f"{accepted['claim']}: holds{left_out} ({made_from})")  # noqa: T201


if __name__ == "__main__":
    main()
