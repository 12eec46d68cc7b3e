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
from temporacle.commands.reading import Options, as_keywords, reads_documents
from temporacle.io.formats import WRITERS
from temporacle.model import Document, Remark

if TYPE_CHECKING:
    from temporacle.model import Unreadable


@reads_documents(
    prints=False,
    format_name=Annotated[
        str | None, typer.Option("--format", metavar="FORMAT", help="Read as this format instead of recognising it.")
    ],
)
def convert(
    source: Annotated[str, typer.Argument(metavar="IN", help="A file or folder; - is standard input.")],
    target: Annotated[
        str | None, typer.Argument(metavar="[OUT]", help="A file, a folder, or - for standard output.")
    ] = None,
    *,
    out: Annotated[str | None, typer.Option("-o", "--out", metavar="OUT", help="The same as OUT.")] = None,
    to_format: Annotated[
        str | None, typer.Option("--to", help=f"{', '.join(WRITERS)}. Default: the suffix of OUT decides.")
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
    from temporacle.errors import UsageError
    from temporacle.tasks.convert import convert as convert_documents

    place = target if out is None else out
    if place is None or (target is not None and out is not None):
        raise UsageError("name one place to write to: OUT, or -o OUT")
    read = 0

    def report(said: Document | Unreadable | Remark) -> None:
        nonlocal read
        if isinstance(said, Remark):
            note(said)
        else:
            complain_about(said)
            read += isinstance(said, Document)

    written = convert_documents(source, place, to=to_format, merge=merge, report=report, **as_keywords(options))
    complain(f"{written.documents} document{'s' if written.documents != 1 else ''} written as {written.format}")
    if not read:
        raise typer.Exit(ExitCode.USAGE)
    raise typer.Exit(ExitCode.UNDECIDED if written.unreadable or written.dropped else ExitCode.YES)
