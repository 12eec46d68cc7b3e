"""Print remarks on standard error: a few of each code, without those that the user has ignored.

A command that reads documents has the options ``--select``, ``--ignore``, ``--quiet`` and ``--verbose`` (they come with
``reads_documents``), and everything it says about its input goes through the one ``RemarkPrinter`` of its run. What is
hidden is only not printed: a dropped link counts in summaries and exit codes all the same.
"""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING

from temporacle.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from temporacle.model import Remark
    from temporacle.rules import RuleKind

SHOWN = 3  # remarks of one code that are printed without --verbose


class RemarkPrinter:
    """Prints the first remarks of each code as they come, and at the end how many more there were."""

    def __init__(
        self,
        select: Iterable[str] = (),
        ignore: Iterable[str] = (),
        *,
        quiet: bool = False,
        verbose: bool = False,
    ) -> None:
        from temporacle.rules import RuleKind, codes_in, rules

        self._selected, self._ignored = codes_in(select), codes_in(ignore)
        for code in sorted(self._ignored):
            if rules()[code].kind is RuleKind.ERROR:
                raise UsageError(f"{code} cannot be ignored: it is an error; a baseline can accept known ones")
        if quiet and (verbose or self._selected):
            raise UsageError(f"--quiet and {'--verbose' if verbose else '--select'} cannot be combined")
        self.quiet = quiet
        self._verbose = verbose
        self._said: Counter[tuple[RuleKind, str]] = Counter()

    def wants(self, remark: Remark) -> bool:
        """Return whether a remark is to be shown, by its code."""
        return remark.code not in self._ignored and (not self._selected or remark.code in self._selected)

    def show(self, path: str | None, remark: Remark) -> None:
        """Print a remark about a file, unless it is unwanted or one too many. Errors are always printed."""
        from temporacle.commands.common import complain
        from temporacle.rules import RuleKind
        from temporacle.trouble import Trouble

        trouble = Trouble(path, remark)
        kind = trouble.kind
        if kind is RuleKind.ERROR:
            complain(str(trouble))
        elif not self.quiet and self.wants(remark):
            self._said[kind, remark.code] += 1
            if self._verbose or self._said[kind, remark.code] <= SHOWN:
                complain(str(trouble))

    def finish(self) -> None:
        """Say how many remarks of each code were not printed."""
        from temporacle.commands.common import complain

        for (kind, code), count in self._said.items():
            if not self._verbose and count > SHOWN:
                complain(f"{kind}[{code}]: and {count - SHOWN} more; --verbose lists them")
        self._said.clear()


_current: list[RemarkPrinter] = []


def remarks() -> RemarkPrinter:
    """Return the printer of the current command."""
    return _current[-1] if _current else RemarkPrinter(verbose=True)


@contextmanager
def printing(printer: RemarkPrinter) -> Iterator[None]:
    """Use a printer while a command runs."""
    _current.append(printer)
    try:
        yield
    finally:
        printer.finish()
        _current.remove(printer)
