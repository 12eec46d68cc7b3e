"""What ``check`` tells people and programs, and the files it writes."""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import typer

from temporacle.commands.answers import harmless, print_table
from temporacle.commands.common import ExitCode, Output, complain, link_json, print_json, printable, remark_json
from temporacle.model import Document, Remark, Unreadable
from temporacle.results import DocumentVerdict, Repair, Unrepairable

if TYPE_CHECKING:
    from temporacle.io.source import Options
    from temporacle.model import Link
    from temporacle.reasoner.check import CheckOptions
    from temporacle.results import Certificate, CheckResult

_COLUMNS = ("document", "path", "entities", "links", "verdict", "decided_by", "conflict", "repair", "certificate")
_COLUMNS_FOR_PROGRAMS = (*_COLUMNS, "error", "seconds")
_COLUMNS_FOR_PEOPLE = ("document", "verdict", "entities", "links", "conflict", "repair")


class CheckReport:
    """Prints results as they come and counts them."""

    def __init__(
        self,
        output: Output,
        asked: CheckOptions,
        options: Options,
        *,
        certificates: str | None,
        repaired: str | None,
        show_all: bool,
    ) -> None:
        self._output = output
        self._asked = asked
        self._options = options
        self._certificates = None if certificates is None else _CertificateFolder(certificates, options)
        self._repaired = None if repaired is None else _RepairedFolder(repaired)
        self._show_all = show_all
        self._verdicts: Counter[DocumentVerdict] = Counter()
        self._incomplete = 0  # documents that were not read whole, or not answered whole
        self._rows: list[list[str]] = []
        self._started = perf_counter()
        if output is Output.CSV:
            self._print_csv(_COLUMNS_FOR_PROGRAMS)

    def add(self, document: Document | Unreadable, result: CheckResult) -> None:
        """Report one document."""
        self._verdicts[result.verdict] += 1
        path = None
        if isinstance(document, Document):
            self._incomplete += bool(document.dropped) or len(result.warnings) > len(document.remarks)
            if self._certificates is not None and result.certificate is not None:
                path = self._certificates.write(document, result.certificate)
            if self._repaired is not None and isinstance(result.repair, Repair):
                self._repaired.write(document, result.repair)
        if self._output is Output.JSON:
            print_json(self._json(result, path))
            return
        self._complain(result)
        if self._output is Output.CSV:
            row = self._json(result, path)
            row["conflict"] = [link["id"] for link in row["conflict"]]
            row["repair"] = None if row["repair"] is None else [link["id"] for link in row["repair"]]
            self._print_csv([harmless(_cell(row[column])) for column in _COLUMNS_FOR_PROGRAMS])
            return
        if result.verdict is not DocumentVerdict.CONSISTENT:
            _explain(result)
        if self._show_all or result.verdict is not DocumentVerdict.CONSISTENT:
            self._rows.append(_row(result))

    def finish(self) -> None:
        """The table, and one line that sums up."""
        if self._rows:
            print_table(_COLUMNS_FOR_PEOPLE, self._rows)
        total = self._verdicts.total()
        counts = ", ".join(f"{self._verdicts[verdict]} {verdict.value}" for verdict in DocumentVerdict)
        line = f"{total} document{'s' if total != 1 else ''}: {counts}; {perf_counter() - self._started:.2f} s"
        if self._output is Output.TABLE:
            sys.stdout.write(line + "\n")
        else:
            complain(line)

    def exit_code(self) -> ExitCode:
        """NO wins; then whatever is not known; nothing readable at all is wrong usage."""
        if self._verdicts[DocumentVerdict.INCONSISTENT]:
            return ExitCode.NO
        if self._verdicts[DocumentVerdict.UNREADABLE] == self._verdicts.total():
            return ExitCode.USAGE
        trouble = self._verdicts[DocumentVerdict.UNREADABLE] + self._verdicts[DocumentVerdict.UNDECIDED]
        return ExitCode.UNDECIDED if trouble or self._incomplete else ExitCode.YES

    def _json(self, result: CheckResult, certificate: str | None) -> dict[str, Any]:
        row: dict[str, Any] = {
            "document": result.document,
            "path": result.path,
            "entities": result.entities,
            "links": result.links,
            "verdict": result.verdict.value,
            "decided_by": result.decided_by,
            "conflict": _links(result.conflicts[0]) if result.conflicts else [],
            "repair": None if isinstance(result.repair, Unrepairable) else _links(dropped(result)),
            "certificate": certificate,
            "warnings": [remark_json(remark, result.path) for remark in result.warnings],
            "error": result.error,
            "seconds": round(result.seconds, 6),
        }
        if result.chains:
            row["explanation"] = list(result.chains[0])
        if self._asked.conflicts > 1:
            row["conflicts"] = [_links(conflict) for conflict in result.conflicts]
        if isinstance(result.repair, Unrepairable):
            row["unrepairable"] = _links(result.repair.conflict)
        if self._asked.relabel:
            row["relabel"] = [
                {"id": entry.link.id, "possible": list(entry.possible.atoms), "labels": list(entry.labels)}
                for entry in result.relabellings
            ]
        return row

    def _complain(self, result: CheckResult) -> None:
        """What was odd about a document goes to standard error, located."""
        for remark in result.warnings:
            where = ":".join(str(part) for part in (result.path or result.document, remark.line) if part is not None)
            element = f"{remark.element}: " if remark.element else ""
            complain(f"{where}: {remark.action.value}: {element}{remark.message}")

    def _print_csv(self, cells: Any) -> None:
        import csv

        csv.writer(sys.stdout, lineterminator="\n").writerow(cells)


def dropped(result: CheckResult) -> tuple[Link, ...]:
    """The links of the repair, if there is one."""
    return result.repair.dropped if isinstance(result.repair, Repair) else ()


def _links(links: tuple[Link, ...]) -> list[dict[str, Any]]:
    return [link_json(link) for link in links]


def _cell(value: object) -> str:
    if value is None:
        return ""
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def _row(result: CheckResult) -> list[str]:
    conflict = " ".join(link.id for link in result.conflicts[0]) if result.conflicts else ""
    repair = "none" if isinstance(result.repair, Unrepairable) else " ".join(link.id for link in dropped(result))
    return [result.document, result.verdict.value, str(result.entities), str(result.links), conflict, repair]


def _explain(result: CheckResult) -> None:
    """A document that is not consistent, in words."""
    colour = typer.colors.RED if result.verdict is DocumentVerdict.INCONSISTENT else typer.colors.YELLOW
    place = "" if result.path is None else f" ({result.path})"
    typer.secho(printable(f"{result.document}{place}: {result.verdict.value}"), fg=colour, bold=True)
    lines = [result.error] if result.error else []
    for conflict, sentences in zip(result.conflicts, result.chains, strict=True):
        count = len(conflict)
        lines.append(f"{count} links cannot all be true:" if count > 1 else "a link that cannot be true:")
        lines += [f"  {sentence}" for sentence in sentences]
    if isinstance(result.repair, Unrepairable):
        names = ", ".join(link.id for link in result.repair.conflict)
        lines.append(f"no repair: the protected links {names} contradict each other")
    for link in dropped(result):
        line = "" if link.line is None else f" (line {link.line})"
        lines.append(f"drop {link.id}: {link.source} {link.label or link.relation} {link.target}{line}")
        lines += [
            f"  or relabel it as one of {', '.join(entry.labels) or 'no label of this reading'}"
            for entry in result.relabellings
            if entry.link is link
        ]
    for line in lines:
        typer.echo(printable(f"  {line}"))


class _Names:
    """File names for documents, different even where ids are not."""

    def __init__(self) -> None:
        self._taken: Counter[str] = Counter()

    def next(self, document: Document) -> str:
        from temporacle.io.files import safe_name

        stem = safe_name(document.id)
        self._taken[stem.casefold()] += 1
        number = self._taken[stem.casefold()]
        return stem if number == 1 else f"{stem}~{number}"


class _CertificateFolder:
    """Writes one certificate for each document, bound to the document's file by digest."""

    def __init__(self, folder: str, options: Options) -> None:
        self._folder = Path(folder)
        self._options = options
        self._names = _Names()
        self._digests: dict[str | None, str | None] = {}  # by path: a file may hold many documents

    def write(self, document: Document, certificate: Certificate) -> str:
        from temporacle.commands.provenance import provenance
        from temporacle.io.files import atomic
        from temporacle.reasoner.certificates import to_json

        about = provenance(document, self._options, self._digests.get(document.path))
        self._digests[document.path] = about["sha256"]
        path = self._folder / f"{self._names.next(document)}.json"
        with atomic(path) as file:
            json.dump(to_json(certificate, about), file, allow_nan=False)
            file.write("\n")
        return str(path)


class _RepairedFolder:
    """Writes repaired documents in their own format where it can be written, else as JSON Lines."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)
        self._names = _Names()

    def write(self, document: Document, repair: Repair) -> None:
        from temporacle.io.files import atomic
        from temporacle.io.writers import WRITERS

        gone = set(map(id, repair.dropped))
        mended = replace(document, links=tuple(link for link in document.links if id(link) not in gone))
        writer = WRITERS.get(document.format or "", WRITERS["jsonl"])

        def tell(remark: Remark) -> None:
            complain(f"note: {document.id}: {remark.message}")

        with atomic(self._folder / (self._names.next(document) + writer.suffixes[0])) as file:
            file.write(writer.header + writer.text(mended, tell))
