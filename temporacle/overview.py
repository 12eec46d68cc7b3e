"""The page of ``temporacle --help``: all commands, the options before them, and the exit codes.

It is printed without the library that reads command lines, so it costs little more than starting Python.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ABOUT = "Exact temporal reasoning over annotated text: certify, score, validate."

# What the list of commands says about each: the first line of its docstring, without loading it (a test compares).
COMMAND_GROUPS = {
    "Certify": {
        "check": "Certify that documents are consistent, or show which links of each contradict each other.",
        "fix": "Change files so that their documents are consistent: remove the links of the smallest repair.",
        "diff": "Compare two versions of a corpus: which links differ, and what that changes in meaning.",
        "stats": "Count what a corpus holds: entities, links by label and kind, what follows, and conflicts.",
        "verify": "Re-check certificates with a small checker that shares no code with the reasoner.",
        "report": "Write a page about a corpus, or about systems and a gold standard."
        " It opens from disk and needs no network.",
        "workbench": "Show a corpus in the browser, judge every edit of its links while it is made, and save the"
        " files.",
    },
    "Score": {
        "score": "Score SYSTEM against GOLD with complete inference; every score carries its signature.",
        "official": "Print what the program of a shared task or paper prints, byte for byte, including its bugs.",
        "agree": "Show how far two or more annotators agree: scores in both directions, kappa and alpha.",
    },
    "Ask": {
        "entails": "Decide whether the document entails SOURCE RELATION TARGET.",
        "closure": "Print the strongest relation that each document entails for every pair of entities.",
        "reduce": "Print the labelled transitive reduction of each document's endpoint graph.",
        "bounds": "Print the earliest and latest calendar time at which each entity can start and end.",
        "ask": "Answer questions about the order of events: yes, no or open.",
    },
    "Models": {
        "decode": "Find the labelling of highest total score that is consistent, and prove that it is optimal.",
        "serve": "Serve the reasoner inside other tools: language models (mcp), Label Studio, INCEpTION.",
    },
    "Validate": {
        "audit": "Check another closure: which claims do not follow, and what follows but is not claimed.",
        "crosscheck": "Compare all engines with each other on random graphs, and the certificates with their checker.",
    },
    "Files": {
        "apply": "Add, remove, relabel or comment links of a file, or set values of times. No other byte of the file"
        " changes.",
        "convert": "Convert documents to another format. A folder as OUT gets one file for each document.",
        "formats": "List the formats: what is read, written and changed in place, with an example of each.",
        "init": "Write a project file, temporacle.toml, from what a folder holds. It never replaces a file.",
        "explain": "Explain a message: what it means, an example, and what to do about it.",
        "docs": "Open the documentation that is on this machine, or print its address.",
    },
    "Papers": {
        "experiment": "Repeat an experiment of Tannier & Muller (2011) or UzZaman & Allen (2011).",
    },
}
COMMANDS = {name: line for group in COMMAND_GROUPS.values() for name, line in group.items()}

OPTIONS = {
    "--version": "Print the version and stop.",
    "--config FILE": "Use this project file, not temporacle.toml above the inputs (anywhere).",
    "--no-config": "Use no project file (anywhere on the line).",
    "--debug": "Show the traceback of an error (anywhere on the line).",
    "--install-completion": "Install completion for the current shell.",
    "--show-completion": "Show completion for the current shell, to copy it or customize the installation.",
    "-h, --help": "Show this message and exit.",
}


class ExitCode(IntEnum):
    """The exit codes of all commands, with examples. Help and pages take them from here."""

    meaning: str
    examples: str

    def __new__(cls, number: int, meaning: str, examples: str) -> Self:
        code = int.__new__(cls, number)
        code._value_, code.meaning, code.examples = number, meaning, examples
        return code

    YES = (
        0,
        "yes, or nothing to complain about",
        "consistent; entailed; all certificates are valid; a score was printed",
    )
    NO = (
        1,
        "no",
        (
            "inconsistent; refuted or open; a certificate is rejected; new findings beyond the baseline;"
            " diff found a change of meaning; fix --dry-run would change something"
        ),
    )
    USAGE = (
        2,
        "the command could not do its work",
        (
            "wrong usage; no such path; nothing readable; an unknown entity; inputs that do not fit together;"
            " a missing extra"
        ),
    )
    UNDECIDED = (
        3,
        'part of the input has no answer, and nothing is "no"',
        "skipped links; an unchecked, undecided or unreadable document",
    )
    INTERRUPTED = 130, "interrupted", "Ctrl-C; SIGTERM gives 143"
    BROKEN_PIPE = 141, "the reader of the output has closed it", "temporacle closure corpus/ piped into head"


def page(width: int | None = None) -> str:
    """Return the page, as wide as the terminal."""
    from textwrap import wrap

    if width is None:
        from shutil import get_terminal_size

        width = max(get_terminal_size().columns, 52) - 2
    exits = {str(int(code)): f"{code.meaning}: {code.examples}" for code in ExitCode}
    sections: dict[str, Mapping[str, str]] = {"Options": OPTIONS, **COMMAND_GROUPS, "Exit codes": exits}
    lines = ["Usage: temporacle [OPTIONS] COMMAND [ARGS]...", ""]
    lines += [f"  {line}" for line in wrap(ABOUT, width - 2)]
    for title, rows in sections.items():
        lines += ["", f"{title}:", *_table(rows, width)]
    return "\n".join(lines) + "\n"


def _table(rows: Mapping[str, str], width: int) -> Iterator[str]:
    from textwrap import wrap

    left = max(map(len, rows))
    for name, text in rows.items():
        first, *others = wrap(text, width - left - 4)
        yield f"  {name:{left}}  {first}"
        yield from (f"{'':{left + 4}}{line}" for line in others)
