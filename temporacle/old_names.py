"""Old names of options: one table, applied to command lines and keywords before the declarations are looked at.

Nothing else in the package knows an old name. The results and exit codes are those of the new name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

EVERY_COMMAND = ""
# command -> old spelling -> new spelling
OLD_OPTIONS: Mapping[str, Mapping[str, str]] = {
    EVERY_COMMAND: {"--budget": "--time-limit", "--reading": "--labels"},
    "audit": {"--limit": "--time-limit", "--answer-limit": "--time-limit"},
    "check": {"--accept": "--allow", "--samples": "--answers"},
    "convert": {"--from": "--format"},
    "compare": {"--samples": "--resamples"},
    "decode": {"--with": "--hard"},
    "report": {"--certificates": "--use-certificates"},
    "score": {"--samples": "--resamples"},
}


# function of Python -> old keyword -> new keyword, where the command line has never had the old one
_OLD_KEYWORDS: Mapping[str, Mapping[str, str]] = {
    "read": {"path": "source"},
    "report": {"output": "out"},
    "report_comparison": {"output": "out"},
}


def _from_score(arguments: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Return a command line of ``official`` or ``agree`` for one of ``score --official`` or ``score --agreement``.

    >>> _from_score(["score", "gold", "system", "--official", "--metric", "i2b2", "--mode", "oo"])[0]
    ['official', 'i2b2', 'gold', 'system', '--mode', 'oo']
    """
    flag = next((each for each in ("--official", "--agreement") if each in arguments), None)
    if flag is None:
        return list(arguments), {}
    rest = [each for each in arguments if each not in {"score", flag}]
    if flag == "--agreement":
        return ["agree", *rest], {"score --agreement": "agree"}
    program = "awareness"
    for place, each in enumerate(rest):
        if each == "--metric" and place + 1 < len(rest):
            program = rest[place + 1]
            del rest[place : place + 2]
            break
        if each.startswith("--metric="):
            program = rest.pop(place).partition("=")[2]
            break
    return ["official", program, *rest], {"score --official": f"official {program}"}


def _from_mcp(arguments: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Return a command line of ``serve mcp`` for one of ``mcp``."""
    place = list(arguments).index("mcp")
    return [*arguments[:place], "serve", *arguments[place:]], {"mcp": "serve mcp"}


# Commands whose grammar has changed: a function from a whole command line to the new one, and what it replaced.
_OLD_GRAMMAR: Mapping[str, Callable[[Sequence[str]], tuple[list[str], dict[str, str]]]] = {
    "mcp": _from_mcp,
    "score": _from_score,
}


class Moved(NamedTuple):
    """What an option was replaced by: work that another command does now."""

    command: str
    function: str
    takes_value: bool


# task -> keyword that it had -> what to call instead. Calling the task with it works through ``declared.MOVED_TO``.
MOVED: Mapping[str, Mapping[str, Moved]] = {
    "check": {
        "write": Moved("fix -o", "tp.fix(source, out=...)", takes_value=True),
        "annotate": Moved("fix --annotate", "tp.fix(source, annotate=True, out=...)", takes_value=True),
        "in_place": Moved("fix --in-place", "tp.fix(source, in_place=True)", takes_value=False),
    },
}


class Renewed(NamedTuple):
    """A command line with the new names, and the old ones that it had."""

    arguments: list[str]
    replaced: dict[str, str]
    moved: dict[str, Any]  # keywords that the task had

    @property
    def warning(self) -> str | None:
        """One line about the old names; None if there were none, or if the command line asks for no messages."""
        if not self.replaced or {"-q", "--quiet"} & set(self.arguments):
            return None
        return f"warning: {', '.join(f'{old} is now {new}' for old, new in self.replaced.items())}"


def renewed(arguments: Sequence[str]) -> Renewed:
    """Return a command line in which every old name of an option is the new one. What follows ``--`` stays.

    >>> renewed(["check", "a.tml", "--budget=5", "--", "--reading"])
    Renewed(arguments=['check', 'a.tml', '--time-limit=5', '--', '--reading'], replaced={'--budget': '--time-limit'}, \
moved={})
    """
    command = next((each for each in arguments if not each.startswith("-")), "")
    replaced: dict[str, str] = {}
    if command in _OLD_GRAMMAR:
        end = list(arguments).index("--") if "--" in arguments else len(arguments)
        changed, replaced = _OLD_GRAMMAR[command](arguments[:end])
        arguments = [*changed, *arguments[end:]]
    known = old_options(command)
    gone = {f"--{name.replace('_', '-')}": (name, each) for name, each in MOVED.get(command, {}).items()}
    found: list[str] = []
    moved: dict[str, Any] = {}
    words = iter(arguments)
    for argument in words:
        if argument == "--":
            found += [argument, *words]
            break
        name, equals, value = argument.partition("=")
        if name in gone:
            keyword, instead = gone[name]
            moved[keyword] = (value if equals else next(words, None)) if instead.takes_value else True
            replaced[f"{command} {name}"] = instead.command
            if moved[keyword] is not None:
                continue
        if name in known:
            replaced[name] = known[name]
        found.append(f"{known.get(name, name)}{equals}{value}")
    return Renewed(found, replaced, moved)


def old_options(command: str) -> dict[str, str]:
    """Return the old options of a command, each with the new one."""
    return {**OLD_OPTIONS[EVERY_COMMAND], **OLD_OPTIONS.get(command, {})}


def new_option(name: str) -> str:
    """Return the option for a keyword of Python.

    >>> new_option("budget"), new_option("in_place")
    ('--time-limit', '--in-place')
    """
    option = f"--{name.replace('_', '-')}"
    return OLD_OPTIONS[EVERY_COMMAND].get(option, option)


def moved_keywords(task: str, named: dict[str, Any]) -> dict[str, Any]:
    """Take keywords whose work another function does now out of a call, with a DeprecationWarning, and return them."""
    moved = {name: value for name in MOVED.get(task, ()) if (value := named.pop(name, None))}
    if moved and "observer" not in named:  # a command has said it in its own words
        import warnings

        for name in moved:
            warning = DeprecationWarning(f"the keyword {name} is now {MOVED[task][name].function}")
            warnings.warn(warning, stacklevel=3)
    return moved


def old_keywords(task: str) -> dict[str, str]:
    """Return the old keywords of a task, each with the new one."""
    options = {old[2:].replace("-", "_"): new[2:].replace("-", "_") for old, new in old_options(task).items()}
    return options | dict(_OLD_KEYWORDS.get(task, {}))


def new_keyword(task: str, name: str) -> str | None:
    """Return the keyword that takes the place of an old one, with a DeprecationWarning; None if the name is not known.

    >>> new_keyword("check", "repair") is None
    True
    """
    found = old_keywords(task).get(name.rstrip("_"))  # with_, because "with" is a word of Python
    if found is not None:
        import warnings

        warnings.warn(DeprecationWarning(f"the keyword {name} is now {found}"), stacklevel=3)
    return found
