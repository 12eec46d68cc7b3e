"""What ``check`` tells people and programs, and the files it writes."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import typer

from temporacle.commands.answers import print_table
from temporacle.commands.check_rows import Outcome
from temporacle.commands.common import ExitCode, Output, complain, printable, remark_json
from temporacle.model import Action, Remark
from temporacle.printing import spreadsheet_cell
from temporacle.results import DocumentVerdict

if TYPE_CHECKING:
    from temporacle.commands.check_rows import Row
    from temporacle.io.source import Options
    from temporacle.model import Document
    from temporacle.results import Certificate, Repair
    from temporacle.runner import Answer

_COLUMNS = ("document", "path", "entities", "links", "verdict", "decided_by", "conflict", "repair", "certificate")
_COLUMNS_FOR_PROGRAMS = (*_COLUMNS, "error", "seconds")
_CHANGED = "the file changed while it was being checked: no certificate was written; check it again"
_COLUMNS_FOR_PEOPLE = ("document", "verdict", "entities", "links", "conflict", "repair")


class CheckReport:
    """Prints rows as they come and counts them."""

    def __init__(
        self, output: Output, options: Options, *, certificates: str | None, repaired: str | None, show_all: bool
    ) -> None:
        self._output = output
        self._certificates = None if certificates is None else _CertificateFolder(certificates, options)
        self._repaired = None if repaired is None else _RepairedFolder(repaired)
        self._show_all = show_all
        self._verdicts: Counter[str] = Counter()
        self._incomplete = 0  # documents that were not read whole, or not answered whole
        self._rows: list[list[str]] = []
        self._started = perf_counter()
        if output is Output.CSV:
            self._print_csv(_COLUMNS_FOR_PROGRAMS)

    def settle(self, answer: Answer[Outcome]) -> Outcome:
        """Write the files of a document; what remains is its row."""
        found = answer.result
        if answer.twin is None and self._certificates is None and self._repaired is None:
            return found
        row, document = found.row, found.document
        if answer.twin is not None:
            remark = Remark("duplicate-document", f"document {answer.document!r} was also read from {answer.twin}")
            row["warnings"].append(remark_json(remark, answer.path))
        if document is None:
            self._skip_names(row)
            return Outcome.of(row)
        if self._certificates is not None and found.certificate is not None:
            row["certificate"] = self._certificates.write(document, found.certificate)
            if row["certificate"] is None:
                remark = Remark("file-changed", _CHANGED, action=Action.DROPPED)
                row["warnings"].append(remark_json(remark, answer.path))
        if self._repaired is not None and found.repair is not None:
            self._repaired.write(document, found.repair)
        return Outcome.of(row)

    def _skip_names(self, row: Row) -> None:
        """A row of an earlier run has its files already: no other document may take their names."""
        if self._certificates is not None and row["certificate"] is not None:
            self._certificates.names.next(row["document"])
        if self._repaired is not None and row["repair"]:
            self._repaired.names.next(row["document"])

    def add(self, found: Outcome) -> None:
        """Report one document."""
        self._verdicts[found.verdict] += 1
        self._incomplete += not found.complete
        if self._output is Output.JSON:
            sys.stdout.write(found.text + "\n")
        elif self._output is Output.CSV or self._show_all or found.remarkable:
            self._tell(found.row)

    def _tell(self, row: Row) -> None:
        _complain(row)
        if self._output is Output.CSV:
            cells = {**row, "conflict": _ids(row["conflict"]), "repair": _ids(row["repair"])}
            self._print_csv([spreadsheet_cell(_cell(cells[column])) for column in _COLUMNS_FOR_PROGRAMS])
            return
        consistent = row["verdict"] == DocumentVerdict.CONSISTENT.value
        if not consistent:
            _explain(row)
        if self._show_all or not consistent:
            repair = "none" if row["repair"] is None else " ".join(_ids(row["repair"]))
            numbers = (str(row["entities"]), str(row["links"]))
            self._rows.append([row["document"], row["verdict"], *numbers, " ".join(_ids(row["conflict"])), repair])

    def finish(self) -> None:
        """The table, and one line that sums up."""
        if self._rows:
            print_table(_COLUMNS_FOR_PEOPLE, self._rows)
        total = self.total
        counts = ", ".join(f"{self._verdicts[verdict.value]} {verdict.value}" for verdict in DocumentVerdict)
        line = f"{total} document{'s' if total != 1 else ''}: {counts}; {perf_counter() - self._started:.2f} s"
        if self._output is Output.TABLE:
            sys.stdout.write(line + "\n")
        else:
            complain(line)

    @property
    def total(self) -> int:
        """How many documents there were."""
        return self._verdicts.total()

    def exit_code(self) -> ExitCode:
        """NO wins; then whatever is not known; nothing readable at all is wrong usage."""
        if self._verdicts[DocumentVerdict.INCONSISTENT.value]:
            return ExitCode.NO
        unreadable = self._verdicts[DocumentVerdict.UNREADABLE.value]
        if unreadable == self.total:
            return ExitCode.USAGE
        trouble = unreadable + self._verdicts[DocumentVerdict.UNDECIDED.value]
        return ExitCode.UNDECIDED if trouble or self._incomplete else ExitCode.YES

    def _print_csv(self, cells: Any) -> None:
        import csv

        csv.writer(sys.stdout, lineterminator="\n").writerow(cells)


def _ids(links: list[Row] | None) -> list[str]:
    return [link["id"] for link in links or ()]


def _cell(value: object) -> str:
    if value is None:
        return ""
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def _complain(row: Row) -> None:
    """What was odd about a document goes to standard error, located."""
    for remark in row["warnings"]:
        where = ":".join(str(part) for part in (row["path"] or row["document"], remark["line"]) if part is not None)
        element = f"{remark['element']}: " if remark["element"] else ""
        complain(f"{where}: {remark['action']}: {element}{remark['message']}")


def _explain(row: Row) -> None:
    """A document that is not consistent, in words."""
    colour = typer.colors.RED if row["verdict"] == DocumentVerdict.INCONSISTENT.value else typer.colors.YELLOW
    place = "" if row["path"] is None else f" ({row['path']})"
    typer.secho(printable(f"{row['document']}{place}: {row['verdict']}"), fg=colour, bold=True)
    lines = [row["error"]] if row["error"] else []
    first = ([row["conflict"]], [row["explanation"]]) if "explanation" in row else ([], [])
    conflicts, explanations = row.get("conflicts", first[0]), row.get("explanations", first[1])
    for conflict, sentences in zip(conflicts, explanations, strict=True):
        count = len(conflict)
        lines.append(f"{count} links cannot all be true:" if count > 1 else "a link that cannot be true:")
        lines += [f"  {sentence}" for sentence in sentences]
    if "unrepairable" in row:
        names = ", ".join(_ids(row["unrepairable"]))
        lines.append(f"no repair: the protected links {names} contradict each other")
    for link, better in zip_longest(row["repair"] or (), row.get("relabel", ())):
        line = "" if link["line"] is None else f" (line {link['line']})"
        relation = link["label"] or "|".join(link["relation"])
        lines.append(f"drop {link['id']}: {link['source']} {relation} {link['target']}{line}")
        if better is not None:
            lines.append(f"  or relabel it as one of {', '.join(better['labels']) or 'no label of this reading'}")
    for line in lines:
        typer.echo(printable(f"  {line}"))


class _Names:
    """File names for documents, different even where ids are not."""

    def __init__(self) -> None:
        self._taken: Counter[str] = Counter()

    def next(self, document: str) -> str:
        from temporacle.io.files import safe_name

        stem = safe_name(document)
        self._taken[stem.casefold()] += 1
        number = self._taken[stem.casefold()]
        return stem if number == 1 else f"{stem}~{number}"


class _CertificateFolder:
    """Writes one certificate for each document, bound to the document's file by digest.

    The digest is taken after the file was read. A file that has changed since this run began gets no certificate: it
    might be bound to what the file says now, while it is about what the file said before.
    """

    def __init__(self, folder: str, options: Options) -> None:
        from temporacle.commands.provenance import a_moment

        self._folder = Path(folder)
        self._options = options
        self.names = _Names()
        self._began = a_moment()
        self._digests: dict[str | None, str | None] = {}  # by path: a file may hold many documents

    def write(self, document: Document, certificate: Certificate) -> str | None:
        """The path of the certificate; None if the document's file has changed."""
        from temporacle.commands.provenance import changed_since, provenance, write_certificate

        about = provenance(document, self._options, self._digests.get(document.path))
        self._digests[document.path] = about["sha256"]
        if about["sha256"] is not None and changed_since(document.path or "", self._began):
            return None
        path = self._folder / f"{self.names.next(document.id)}.json"
        write_certificate(path, certificate, about)
        return str(path)


class _RepairedFolder:
    """Writes repaired documents in their own format where it can be written, else as JSON Lines."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)
        self.names = _Names()

    def write(self, document: Document, repair: Repair) -> None:
        from temporacle.io.files import atomic
        from temporacle.io.writers import WRITERS

        gone = set(map(id, repair.dropped))
        mended = replace(document, links=tuple(link for link in document.links if id(link) not in gone))
        writer = WRITERS.get(document.format or "", WRITERS["jsonl"])

        def tell(remark: Remark) -> None:
            complain(f"note: {document.id}: {remark.message}")

        with atomic(self._folder / (self.names.next(document.id) + writer.suffixes[0])) as file:
            file.write(writer.header + writer.text(mended, tell))
