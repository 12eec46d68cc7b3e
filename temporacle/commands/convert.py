"""``temporacle convert``: from any format that can be read to any that can be written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from temporacle.commands.common import (
    ExitCode,
    complain,
    complain_about,
    note,
)
from temporacle.commands.reading import Options, reads_documents
from temporacle.model import Action

if TYPE_CHECKING:
    from collections.abc import Iterator

    from temporacle.io.source import Options
    from temporacle.model import Document, Remark


@reads_documents(
    format_name=Annotated[
        str | None, typer.Option("--from", "--format", help="Read as this format instead of recognising it.")
    ]
)
def convert(
    source: Annotated[str, typer.Argument(metavar="IN", help="A file or folder; - is standard input.")],
    target: Annotated[str, typer.Argument(metavar="OUT", help="A file, a folder, or - for standard output.")],
    *,
    to_format: Annotated[
        str | None, typer.Option("--to", help="timeml, tsv, jsonl, dot or csv; otherwise the suffix of OUT decides.")
    ] = None,
    options: Options,
    merge: Annotated[
        bool, typer.Option("--merge", help="Join documents of the same name, such as the tasks of TempEval-1.")
    ] = False,
) -> None:
    """Convert documents to another format. A folder as OUT gets one file for each document.

    For example:

      temporacle convert gold/ gold.jsonl

      temporacle convert tempeval-training/ training.jsonl --merge

      temporacle convert corpus.jsonl tml/ --to timeml

      temporacle convert story.tml - --to dot
    """
    from temporacle.io.writers import write, writer_for, writer_named

    writer = writer_named(to_format) if to_format else writer_for(target)
    reader = _Reader(source, options, merge=merge)
    count = write(reader.documents(), target, writer.name, reader.note)
    complain(f"{count} document{'s' if count != 1 else ''} written as {writer.name}")
    raise typer.Exit(reader.exit_code())


class _Reader:
    """Reads what is to be converted and remembers what went wrong."""

    def __init__(self, path: str, options: Options, *, merge: bool) -> None:
        self.path = path
        self.options = options
        self.merge = merge
        self.read = 0
        self.trouble = 0

    def documents(self) -> Iterator[Document]:
        """The readable documents; the others are complained about."""
        from temporacle.io import read_corpus
        from temporacle.io.merge import merged
        from temporacle.model import Unreadable

        found = read_corpus([self.path], self.options, report=note)
        for document in merged(found) if self.merge else found:
            self.trouble += complain_about(document)
            if not isinstance(document, Unreadable):
                self.read += 1
                yield document

    def note(self, remark: Remark) -> None:
        """Tell what a reader or writer has to say about its work as a whole."""
        self.trouble += remark.action is Action.DROPPED
        note(remark)

    def exit_code(self) -> ExitCode:
        """Links or documents that were lost count as trouble; nothing readable at all is wrong usage."""
        if not self.read:
            return ExitCode.USAGE
        return ExitCode.UNDECIDED if self.trouble else ExitCode.YES
