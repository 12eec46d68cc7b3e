"""An audit on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import typer

from temporacle.commands.common import note, print_json, printable
from temporacle.commands.progress import Bar
from temporacle.tasks.audit import AuditObserver

if TYPE_CHECKING:
    from temporacle.audit.findings import Finding
    from temporacle.model import Remark
    from temporacle.report.audit_page import AuditPage

_SHOWN = 4  # findings of a group


class AuditPrinter(AuditObserver):
    """Findings printed as they come (JSON), remarks on standard error, and a progress bar."""

    def __init__(self, pieces: str, *, as_json: bool) -> None:
        self._as_json = as_json
        self._total = 0
        self._bar = Bar(lambda: self._total, pieces)

    def __enter__(self) -> Self:
        self._bar.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.__exit__(*error)

    def finding(self, finding: Finding) -> None:
        """See AuditObserver."""
        if self._as_json:
            print_json(finding.to_dict())

    def remark(self, remark: Remark) -> None:
        """See AuditObserver."""
        note(remark)

    def progress(self, _done: int, total: int) -> None:
        """See AuditObserver."""
        self._total = total
        self._bar.advance()


def show_page(page: AuditPage) -> None:
    """Print the counts, then the findings."""
    from temporacle.commands.answers import print_table

    print_table(("counted", "", "rate"), page.counted)
    show_findings(page)
    if page.clean:
        typer.echo("\nno findings")


def show_findings(page: AuditPage) -> None:
    """Print the findings, grouped by cause."""
    for title, findings in page.groups():
        typer.echo(f"\n{title}")
        for first, *rest in findings[:_SHOWN]:
            typer.echo("\n".join([f"  - {printable(first)}", *(f"    {printable(line)}" for line in rest)]))
        if len(findings) > _SHOWN:
            typer.echo(f"  and {len(findings) - _SHOWN} more: see --output json, or -o FILE")
