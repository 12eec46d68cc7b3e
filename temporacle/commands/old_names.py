"""Old names of options: one table, applied to a command line before the declarations of options are looked at.

Nothing else in the package knows an old name. The results and exit codes are those of the new name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

EVERY_COMMAND = ""
# command -> old spelling -> new spelling
OLD_OPTIONS: Mapping[str, Mapping[str, str]] = {
    EVERY_COMMAND: {"--budget": "--time-limit", "--reading": "--labels"},
    "check": {"--accept": "--allow"},
    "convert": {"--from": "--format"},
}


class Renewed(NamedTuple):
    """A command line with the new names, and the old ones that it had."""

    arguments: list[str]
    replaced: dict[str, str]

    @property
    def warning(self) -> str | None:
        """One line about the old names; None if there were none, or if the command line asks for no messages."""
        if not self.replaced or {"-q", "--quiet"} & set(self.arguments):
            return None
        return f"warning: {', '.join(f'{old} is now {new}' for old, new in self.replaced.items())}"


def renewed(arguments: Sequence[str]) -> Renewed:
    """Return a command line in which every old name of an option is the new one. What follows ``--`` stays.

    >>> renewed(["check", "a.tml", "--budget=5", "--", "--reading"])
    Renewed(arguments=['check', 'a.tml', '--time-limit=5', '--', '--reading'], replaced={'--budget': '--time-limit'})
    """
    command = next((each for each in arguments if not each.startswith("-")), "")
    known = {**OLD_OPTIONS[EVERY_COMMAND], **OLD_OPTIONS.get(command, {})}
    replaced: dict[str, str] = {}
    found: list[str] = []
    for place, argument in enumerate(arguments):
        if argument == "--":
            found += arguments[place:]
            break
        name, equals, value = argument.partition("=")
        if name in known:
            replaced[name] = known[name]
        found.append(f"{known.get(name, name)}{equals}{value}")
    return Renewed(found, replaced)


def new_option(name: str) -> str:
    """Return the option for a keyword of Python.

    >>> new_option("budget"), new_option("in_place")
    ('--time-limit', '--in-place')
    """
    option = f"--{name.replace('_', '-')}"
    return OLD_OPTIONS[EVERY_COMMAND].get(option, option)
