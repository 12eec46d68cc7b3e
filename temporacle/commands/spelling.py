"""How the command line spells options in messages. Its worker processes load this, so it loads little."""

from __future__ import annotations

import re
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


_ARGUMENT = re.compile(r'\b([a-z_]+)="([^"]*)"')
_SWITCH = re.compile(r"\b([a-z][a-z_]*)=(True|False)\b")
# Names of options that cannot be taken for anything else in a message.
_SNAKE_CASE = re.compile(
    r"(?<![\w./'-])(?:in_place|dry_run|all_conflicts|keep_unknown|write_baseline|ordering_only|gold_ids|run_date)\b"
)


def with_flags(message: str) -> str:
    """Return a message of the library with its arguments written as command-line options.

    >>> with_flags('choose align="spans" or leave out reading="my own.toml"')
    "choose --align spans or leave out --labels 'my own.toml'"
    >>> with_flags("in_place needs repair=True; all_conflicts and explain=False cannot be combined")
    '--in-place needs --repair; --all-conflicts and --no-explain cannot be combined'
    """
    message = _ARGUMENT.sub(lambda found: f"{new_option(found[1])} {shlex.quote(found[2])}", message)
    message = _SWITCH.sub(lambda found: f"--{'no-' * (found[2] == 'False')}{found[1].replace('_', '-')}", message)
    return _SNAKE_CASE.sub(lambda found: f"--{found[0].replace('_', '-')}", message)
