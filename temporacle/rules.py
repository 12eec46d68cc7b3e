"""Every remark that Temporacle makes, as a rule with a stable code: what it means and what to do about it.

A remark (``model.Remark``) carries the code of its rule. ``temporacle explain CODE`` prints a rule, ``check --select``
and ``--ignore`` choose between them, and ``docs/rules.md`` lists all of them.

To add a rule:

1. Raise the remark with a literal code: ``builder.warn("label-case", ...)``. Codes are kebab-case. One that must
   change stays understood (``RENAMED``).
2. Add a table ``[label-case]`` to the file in ``data/rules/`` that fits: ``kind``, ``summary`` (one line), ``meaning``,
   ``cure``; and, for whatever a document alone can show, ``file`` and ``example``: the name and the content of a
   smallest file about which ``check`` makes this remark.
3. Write the list again: ``temporacle explain --output markdown > docs/rules.md``.

``tests/io/test_rules.py`` compares the code, these files and the page, and checks every example.

People read a remark as ``x.tml:101: warning[self-link]: l54 links e3 to itself and has no effect``, in every command:
place, kind and code, sentence (``Trouble``).
"""

from __future__ import annotations

import os
import re
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.errors import TimeLimitError, UsageError, nearest
from temporacle.model import Action, Document, Remark, Unreadable
from temporacle.printing import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


_FAMILIES = (
    "skipped",
    "links",
    "warnings",
    "tools",
    "calendar",
    "checking",
    "writing",
    "scoring",
    "official",
    "decoding",
    "audit",
)
_SCHEMAS = os.path.join(os.path.dirname(__file__), "data", "schemas")  # noqa: PTH118, PTH120
RENAMED = {"no-certificate": "uncertified"}
"""Codes that earlier versions used. They are still understood wherever a code can be given."""


class RuleKind(StrEnum):
    """The effect of a remark on the result."""

    ERROR = "error"  # the document has no answer, or a bad one
    SKIPPED = "skipped"  # something was left out: exit code 3
    WARNING = "warning"  # accepted or mended; the exit code stays
    NOTE = "note"  # about a run or a corpus as a whole


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of remark."""

    code: str
    kind: RuleKind
    summary: str
    meaning: str
    cure: str
    family: str  # the title of the group that it belongs to
    file: str | None = None  # the name of a file that shows it
    example: str | None = None  # the content of that file

    def to_dict(self) -> dict[str, Any]:
        """Return the rule as ``explain --output json`` prints it."""
        return {**asdict(self), "kind": self.kind.value}


@cache
def rules() -> Mapping[str, Rule]:
    """Return all rules by code, in the order of the page."""
    return {code: rule for family in _FAMILIES for code, rule in _rules_of(family).items()}


@cache
def rule_of(code: str) -> Rule | None:
    """Return the rule with a code, if there is one. Families are read until it is found: most remarks are warnings."""
    families = map(_rules_of, ("warnings", *_FAMILIES))
    return next((family[code] for family in families if code in family), None)


@cache
def _rules_of(family: str) -> Mapping[str, Rule]:
    return {rule.code: rule for rule in _load(family)}


def _load(family: str) -> Iterator[Rule]:
    import tomllib

    folder = os.path.join(os.path.dirname(__file__), "data", "rules")  # noqa: PTH118, PTH120 - pathlib costs start-up time
    with open(os.path.join(folder, f"{family}.toml"), "rb") as file:  # noqa: PTH118, PTH123
        table = tomllib.load(file)
    title = table.pop("title")
    for code, values in table.items():
        yield Rule(code, family=title, **{**values, "kind": RuleKind(values["kind"])})


def rule_named(code: str) -> Rule:
    """Return the rule with this code. Raise UsageError, with the nearest code, if there is none.

    >>> rule_named("self-link").kind
    <RuleKind.WARNING: 'warning'>
    >>> rule_named("no-certificate").code  # as it was called before
    'uncertified'
    >>> rule_named("self-lnk")
    Traceback (most recent call last):
    temporacle.errors.UsageError: unknown code 'self-lnk': did you mean 'self-link'? "temporacle explain" lists all
    """
    found = rules().get(RENAMED.get(code, code))
    if found is None:
        near = nearest(code, rules())
        hint = f"did you mean {near!r}? " if near else ""
        raise UsageError(f'unknown code {shown(code)}: {hint}"temporacle explain" lists all')
    return found


def codes_in(values: Iterable[str]) -> frozenset[str]:
    """Return the codes that an option names, repeated or as lists with commas. Raise UsageError for an unknown one.

    >>> sorted(codes_in(["self-link,label-case", " no-links "]))
    ['label-case', 'no-links', 'self-link']
    """
    names = (part.strip() for value in values for part in value.split(","))
    return frozenset(rule_named(name).code for name in names if name)


# "duplicate-id" may be about an entity, or, where the first of two links counts, about a skipped link.
_ALSO_ALLOWED = frozenset({"same-input", "duplicate-id"})


def allowed_codes(values: str | Iterable[str] | None) -> frozenset[str]:
    """Return the codes that ``allow`` names. Raise UsageError for one that is not about skipped links.

    >>> sorted(allowed_codes("unknown-label,same-input"))
    ['same-input', 'unknown-label']
    >>> allowed_codes(["unchecked"])
    Traceback (most recent call last):
    temporacle.errors.UsageError: unchecked cannot be allowed: only skipped links can; see temporacle explain unchecked
    """
    found = codes_in((values,) if isinstance(values, str) else values or ())
    for code in sorted(found):
        if rules()[code].kind is not RuleKind.SKIPPED and code not in _ALSO_ALLOWED:
            raise UsageError(f"{code} cannot be allowed: only skipped links can; see temporacle explain {code}")
    return found


# ----------------------------------------------------------------------------------------------------
# Schemas of what is printed and written as JSON: one for each command, for certificates and for baselines.


def schema_names() -> tuple[str, ...]:
    """Return the names of all schemas: those of commands with ``--output json``, and of files."""
    return tuple(sorted(name.removesuffix(".json") for name in os.listdir(_SCHEMAS)))  # noqa: PTH208


def schema_text(name: str) -> str:
    """Return a JSON Schema as text. Raise UsageError with the known names if there is none."""
    if name not in schema_names():
        raise UsageError(option="schema", value=name, allowed=schema_names())
    with open(os.path.join(_SCHEMAS, f"{name}.json"), encoding="utf-8") as file:  # noqa: PTH118, PTH123
        return file.read()


UNREADABLE = "unreadable"
UNDECIDED = "undecided"
UNCHECKED = "unchecked"
_ERRORS = {UNREADABLE, UNDECIDED, UNCHECKED}


class Trouble(NamedTuple):
    """A remark, and the file that it is about.

    >>> str(Trouble("d.tsv", Remark("unknown-label", "unknown label 'X'", 2, "l7", Action.DROPPED)))
    "d.tsv:2: skipped[unknown-label]: l7: unknown label 'X'"
    >>> str(Trouble(None, Remark("undecided", "the time limit of 1 s ran out", element="d1")))
    'd1: error[undecided]: the time limit of 1 s ran out'
    >>> str(Trouble("d.tsv", Remark("unreadable", "d.tsv:2: 5 columns where 3 are expected")))
    'd.tsv:2: error[unreadable]: 5 columns where 3 are expected'
    """

    path: str | None
    remark: Remark

    @property
    def kind(self) -> RuleKind:
        """Return the effect of the remark on the result."""
        if self.remark.code in _ERRORS:
            return RuleKind.ERROR
        if self.remark.action is Action.DROPPED:
            return RuleKind.SKIPPED
        rule = rule_of(self.remark.code)
        return RuleKind.WARNING if rule is None or rule.kind is RuleKind.SKIPPED else rule.kind

    def __str__(self) -> str:
        """Return a line for people."""
        place, sentence = self._parts()
        return f"{place + ': ' if place else ''}{self.kind}[{self.remark.code}]: {sentence}"

    def _parts(self) -> tuple[str, str]:
        """Return the place, and the message about it."""
        remark = self.remark
        if self.path is None or remark.code in _ERRORS:  # about a document as a whole
            place, sentence = self.path or remark.element or "", remark.message
            if place and (named := re.match(re.escape(place) + r"(:\d+)*(?=: )", sentence)):
                place, sentence = named[0], sentence[named.end() + 2 :]  # the message of an InputError has its place
        else:
            place, sentence = self.path, remark.sentence()
        return (place if remark.line is None else f"{place}:{remark.line}" if place else ""), sentence

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {**self.remark.to_dict(), "path": self.path}


def trouble_with(found: Document | Unreadable) -> tuple[Trouble, ...]:
    """Return the reason why a file could not be read, or the links of a document that were left out."""
    if isinstance(found, Unreadable):
        code = UNDECIDED if isinstance(found.error, TimeLimitError) else UNREADABLE
        return (Trouble(found.path, Remark(code, str(found.error), element=found.id)),)
    return tuple(Trouble(found.path, remark) for remark in found.dropped)
