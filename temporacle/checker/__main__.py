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
    sys.path[:] = [path for path in sys.path if Path(path).resolve() != folder]  # its calendar is not Python's
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
    if len(sys.argv) not in (2, 3, 4):
        sys.exit("usage: python checker CERTIFICATE [DOCUMENT | GOLD SYSTEM]")
    path = Path(sys.argv[1])
    try:
        folder = str(path.parent)
        others = checker.in_folder(folder)
        accepted = checker.verify(path.read_bytes(), *sys.argv[2:], others=others, folder=folder)
    except (checker.Rejected, OSError) as reason:
        sys.exit(_printable(f"rejected: {reason}"))
    made_from = checker.documents_of(accepted)
    dropped = sum(len(about.get("dropped", ())) for about in made_from)
    left_out = f", without {dropped} unreadable links" if dropped else ""
    believed = checker.trusted(accepted)
    left_out += f", trusting the values of {', '.join(believed)}" if believed else ""
    files = "; ".join(f"label set {about['reading']}, sha256 {about['sha256']}" for about in made_from)
    print(_printable(f"{accepted['claim']}: holds{left_out} ({_content(accepted)}{files})"))  # noqa: T201


def _printable(text: str) -> str:
    """Return a text without characters that a terminal would obey or cannot show: names come from the certificate."""
    return text.encode("unicode_escape").decode("ascii")


def _content(accepted: Any) -> str:
    """Return the figures of a score, and how much a certificate is about."""
    said = "".join(f"{name} {accepted[name]}, " for name in ("precision", "recall", "f1") if name in accepted)
    if "documents" in accepted:
        skipped = f", without {len(accepted['skipped'])} skipped documents" if accepted["skipped"] else ""
        return f"{said}{accepted['average']} average of {len(accepted['documents'])} documents{skipped}"
    sides = [accepted] if "links" in accepted else [accepted["gold"], accepted["system"]]
    return f"{said}{' and '.join(str(len(side['links'])) for side in sides)} links, "


if __name__ == "__main__":
    main()
