"""A small example of each format, for people who want to see what it looks like."""

from __future__ import annotations

import os


def example_of(name: str) -> str:
    """Return the example of a format. The example of a folder format names its files after ``==>``."""
    folder = os.path.join(os.path.dirname(os.path.dirname(__file__)), "data", "examples")  # noqa: PTH118, PTH120
    with open(os.path.join(folder, f"{name}.txt"), encoding="utf-8", newline="") as file:  # noqa: PTH118, PTH123
        return file.read()
