"""How the command line spells options in messages. Its worker processes load this, so it loads little."""

from __future__ import annotations

import shlex

from temporacle.old_names import new_option


def as_option(name: str, value: object = None) -> str:
    """Return how the command line spells an option.

    >>> as_option("in_place"), as_option("metric", "pairs"), as_option("calendar", "whole")
    ('--in-place', '--metric pairs', '--calendar=whole')
    >>> as_option("follow_links", True), as_option("backup", False)
    ('--follow-links', '--no-backup')
    """
    if isinstance(value, bool):
        return new_option(name if value else f"no_{name}")
    option = new_option(name)
    sign = "=" if name == "calendar" else " "  # its value may be left out
    return option if value is None else f"{option}{sign}{shlex.quote(str(value))}"
