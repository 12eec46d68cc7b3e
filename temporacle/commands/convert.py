"""``temporacle convert``: from any format that can be read to any that can be written."""

from __future__ import annotations

from temporacle.commands.common import ExitCode, complain
from temporacle.commands.options import Run, runs


@runs("convert", prints=False)
def convert(run: Run) -> int:
    """Convert documents to another format. A folder as OUT gets one file for each document.

    For example:

      temporacle convert gold/ gold.jsonl

      temporacle convert tempeval-training/ training.jsonl --merge

      temporacle convert corpus.jsonl tml/ --to timeml

      temporacle convert story.tml - --to dot
    """
    written = run.whole()
    complain(f"{written.documents} document{'s' if written.documents != 1 else ''} written as {written.format}")
    if not written.read:
        return ExitCode.USAGE
    return ExitCode.UNDECIDED if written.unreadable or written.dropped else ExitCode.YES
