"""Every exception Temporacle raises on purpose, as one tree.

    TemporacleError
    ├── UsageError            the call cannot be meant: unknown name, wrong option          exit 2
    ├── InputError            a file cannot be used, with file, line and cure               exit 2 or 3
    │   ├── LabelError        a label that the label set does not know
    │   └── AmbiguousFormatError    two formats fit: the user must say which is meant
    ├── ContradictionError    the document contradicts itself, so the question has no answer
    ├── BudgetExceeded        time ran out: the answer is UNDECIDED, never a guess          exit 3
    └── InternalError         a self-check failed (a solver lied): never shown as a verdict exit 3

``InputWarning`` is a warning of Python: the caller should know something about the input of a result.

That a document is inconsistent is a result. Only a question that has no answer then (the strongest relations, a model)
raises ContradictionError. Exceptions carry data; ``str()`` is for people.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections import Counter
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from contextvars import Token
    from enum import StrEnum

    from temporacle.results import Fact


FAILURES = (Exception, SystemExit)  # what code that is not ours may raise
_COMPARED = 2000  # names that a wrong one is compared with: it takes time for each
_LONGEST = 200  # characters of a name that are compared


class TemporacleError(Exception):
    """Base of all errors raised on purpose."""


def nearest(name: str, known: Iterable[str], *, cutoff: float = 0.6) -> str | None:
    """Return the known name that may be meant, or None.

    >>> nearest("timml", ["thyme", "timeml"]), nearest("whole", ["within", "exact"])
    ('timeml', None)
    """
    from difflib import get_close_matches  # only errors need it

    names = {each.lower(): each for each in reversed([*known][:_COMPARED])}
    found = get_close_matches(name[:_LONGEST].lower(), names, n=1, cutoff=cutoff)
    return names[found[0]] if found else None


def listed(names: Iterable[str], last: str = "or") -> str:
    """Return names for a sentence.

    >>> listed(["within", "document", "exact"])
    'within, document or exact'
    """
    *others, end = names
    return f"{', '.join(others)} {last} {end}" if others else end


def unknown(what: str, name: object, known: Iterable[str], cure: str = "") -> UsageError:
    """Return the error for a name that is none of the known ones. It names the nearest.

    >>> print(unknown("format", "jsnl", ["tsv", "jsonl"]))
    unknown format 'jsnl': choose tsv or jsonl. Did you mean jsonl?
    """
    names = tuple(known)
    near = nearest(str(name), names)
    hint = f" Did you mean {near}?" if near else ""
    return UsageError(f"unknown {what} {name!r:.80}: choose {listed(names)}.{hint}{f' {cure}' if cure else ''}")


def without_extra(what: str, extra: str) -> UsageError:
    """Return the error for something that needs packages which are not installed.

    >>> print(without_extra("serve", "serve"))
    serve needs the extra serve: pip install 'temporacle[serve]'
    """
    return UsageError(f"{what} needs the extra {extra}: pip install 'temporacle[{extra}]'")


def as_keyword(name: str, value: object = None) -> str:
    """Return how Python spells an option.

    >>> as_keyword("in_place"), as_keyword("in_place", True)
    ('in_place=', 'in_place=True')
    """
    return f"{name}={'' if value is None else repr(value)}"


_spell: Callable[..., str] = as_keyword


def spelled(name: str, value: object = None) -> str:
    """Return an option, alone or with a value, as the user of this process writes it: see ``spelling``.

    >>> spelled("encoding", "utf-16")
    "encoding='utf-16'"
    """
    return _spell(name, value)


@contextmanager
def spelling(spell: Callable[..., str]) -> Iterator[None]:
    """Let messages of this process, in all its threads, spell options so. Only a user interface says how."""
    global _spell  # noqa: PLW0603 - a message may be made in any thread
    before, _spell = _spell, spell
    try:
        yield
    finally:
        _spell = before


def current_spelling() -> Callable[..., str]:
    """Return how messages of this process spell options, for the processes that it starts."""
    return _spell


class UsageError(TemporacleError):
    """The caller asked for something that does not exist or cannot be combined.

    What is wrong is data. Of ``needs``, one is enough; "metric=pairs" names a value as well. Python spells an option
    ``in_place=``, the command line ``--in-place``: see ``spelling``.

    >>> print(UsageError(option="zone", needs=["calendar"]))
    zone= has an effect only with calendar=. Add calendar=, or leave out zone=.
    >>> print(UsageError(option="labels", value="timml", allowed=["thyme", "timeml"]))
    labels='timml': choose thyme or timeml. Did you mean timeml?
    """

    def __init__(
        self,
        reason: str = "",
        *,
        option: str | None = None,
        value: object = None,
        allowed: Iterable[str] = (),
        needs: Iterable[str] = (),
        cure: str = "",
    ) -> None:
        super().__init__(reason)
        self.reason = reason  # what is wrong
        self.option = option  # the keyword
        self.value = value  # what was given for it
        self.allowed = tuple(allowed)  # what could be given
        self.needs = tuple(needs)  # options without which it has no effect
        self.cure = cure  # what to do

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.reason,), vars(self)

    def __str__(self) -> str:
        if self.option is None:
            return f"{self.reason}{f'. {self.cure}' if self.cure else ''}"
        said = f"{spelled(self.option)}: {self.reason}" if self.reason else ""
        if self.value is not None:
            near = nearest(str(self.value), self.allowed)
            what = self.reason or f"choose {listed(self.allowed)}"
            said = f"{spelled(self.option, self.value)}: {what}.{f' Did you mean {near}?' if near else ''}"
        if self.needs:
            others = listed(
                spelled(name, value or None) for name, _, value in (each.partition("=") for each in self.needs)
            )
            own = spelled(self.option, self.value)
            add = others if len(self.needs) == 1 else "one of them"
            said = f"{own} has an effect only with {others}. Add {add}, or leave out {own}."
        return f"{said}{f' {self.cure}' if self.cure else ''}"


def one_of(kind: type[StrEnum], value: str, name: str) -> Any:
    """Return the member with that name from a closed set of names. Raise UsageError with all names if there is none."""
    try:
        return kind(value)
    except ValueError:
        raise UsageError(option=name, value=value, allowed=kind) from None


class InputError(TemporacleError):
    """A file, or one element of it, cannot be used.

    >>> str(InputError("wrong number of columns", path="a.tsv", line=3, cure="use 3 or 4"))
    'a.tsv:3: wrong number of columns; use 3 or 4'
    """

    def __init__(
        self,
        reason: str,
        *,
        path: str | None = None,
        line: int | None = None,
        column: int | None = None,
        element: str | None = None,
        cure: str | None = None,
    ) -> None:
        super().__init__(reason)
        self.reason = reason  # what is wrong
        self.path = path  # the file
        self.line = line  # counted from 1
        self.column = column  # counted from 1
        self.element = element  # the id of the link or entity
        self.cure = cure  # what to do

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.path, self.line, self.column) if part is not None)
        element = f"{self.element}: " if self.element else ""
        cure = f"; {self.cure}" if self.cure else ""
        return f"{place + ': ' if place else ''}{element}{self.reason}{cure}"


class LabelError(InputError):
    """A relation label that cannot be read."""


class AmbiguousFormatError(InputError):
    """A file that could be in more than one format."""


class ContradictionError(TemporacleError):
    """A document contradicts itself. ``conflict`` holds links that cannot all be true, each of them needed.

    ``conflict`` is empty if the time ended before a conflict was found.
    """

    def __init__(self, document: str, conflict: tuple[Fact, ...] = ()) -> None:
        super().__init__(document, conflict)
        self.document = document  # its name
        self.conflict = conflict  # links that contradict each other

    def __str__(self) -> str:
        shown = [f"{fact.said} ({fact.id})" for fact in self.conflict[:6]]
        more = f", and {len(self.conflict) - 6} more" if len(self.conflict) > 6 else ""
        what = "links" if all(hasattr(fact, "source") for fact in self.conflict) else "links and values"
        because = f": these {what} cannot all be true: {', '.join(shown)}{more}" if shown else ""
        return f"{self.claim}{because}"

    @property
    def claim(self) -> str:
        """Return what is wrong, without the reason."""
        return f"document {self.document!r} contradicts itself"


class TimeLimitError(InputError):
    """The time limit ran out while a document was read."""


class BudgetExceeded(TemporacleError):  # noqa: N818 - it is a condition, not a mistake
    """The time allowed for a document ran out before the question was decided."""


class InternalError(TemporacleError):
    """A self-check failed. No verdict may be drawn from what was computed."""


class InputWarning(UserWarning):
    """Something about the input of a result: rows that were skipped, pairs without an answer, documents left out."""


def warn_caller(warning: Warning) -> None:
    """Issue a warning at the line of the caller's code that called this package."""
    frame = sys._getframe(1)  # noqa: SLF001 - warnings itself does so
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "temporacle":
        frame = frame.f_back
    module = frame.f_globals.get("__name__") or "__main__"  # None would be taken for the end of the program: no warning
    told = frame.f_globals.setdefault("__warningregistry__", {})
    warnings.warn_explicit(warning, type(warning), frame.f_code.co_filename, frame.f_lineno, module, told)


class WarningOnce:
    """Issues one warning of Python for each code while a call runs, whatever the number of its sources.

    A call within another one belongs to it.
    """

    def __init__(self) -> None:
        self.codes: set[str] = set()  # of warnings that have been issued
        self.rows: dict[str, tuple[int, int, str]] = {}  # by code: how many are skipped, of how many, why the first
        self._token: Token[WarningOnce | None] | None = None

    def __enter__(self) -> None:
        if _CALL.get() is None:
            self._token = _CALL.set(self)

    def __exit__(self, *_error: object) -> None:
        if self._token is not None:
            _CALL.reset(self._token)
            for code, rows in self.rows.items():
                warn_of_rows(code, *rows)


_CALL: ContextVar[WarningOnce | None] = ContextVar("call", default=None)


def warn_of_rows(code: str, number: int, rows: int, why: str) -> None:
    """Issue a warning of Python for rows of a value that are skipped, or let the end of the call do so."""
    call = _CALL.get()
    if call is not None:
        before = call.rows.get(code, (0, 0, why))
        call.rows[code] = (before[0] + number, before[1] + rows, before[2])
        return
    unusable = f"{number} of {rows} row{'s' if rows != 1 else ''} cannot be used"
    were = "were" if number > 1 else "was"
    warn_caller(InputWarning(f"{unusable} and {were} skipped, the first because {why} ({code})"))


def warn_of_skipped(counts: Iterable[Mapping[str, int]], sources: Iterable[object]) -> None:
    """Issue a warning of Python for each code of skipped links, if a source is a file or the content of one.

    Values have been warned of where they were read, and so have documents.
    """
    if any(isinstance(each, str | bytes | os.PathLike) or hasattr(each, "read") for each in firsts_of(sources)):
        for code, number in sum(map(Counter, counts), Counter[str]()).items():
            call = _CALL.get()
            if call is not None:
                call.rows.pop(code, None)  # they are among these links
            links = "1 link could not be used and was" if number == 1 else f"{number} links could not be used and were"
            warn_caller(InputWarning(f"{links} skipped ({code})"))


def firsts_of(sources: Iterable[object]) -> list[object]:
    """Return the sources; of a list its first item."""
    return [each[0] if isinstance(each, list | tuple) and each else each for each in sources]


def warn_of_others(said: Iterable[Any], allowed: Iterable[str] = ()) -> None:
    """Issue a warning of Python for each code of remarks (``model.Remark``) that are not about skipped links."""
    told: dict[str, list[Any]] = {}
    for remark in said:
        if remark.action.value != "dropped" and remark.code not in allowed:
            told.setdefault(remark.code, []).append(remark)
    call = _CALL.get()
    for code, remarks in told.items():
        if call is not None:
            if code in call.codes:
                continue
            call.codes.add(code)
        more = f", and {len(remarks) - 1} more" if len(remarks) > 1 else ""
        warn_caller(InputWarning(f"{remarks[0].sentence()}{more} ({code})"))
