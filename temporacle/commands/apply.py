"""``temporacle apply``: change links of a file, or values of its times, and nothing else in it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from temporacle.commands.common import complain
from temporacle.commands.reading import Options, reads_documents
from temporacle.errors import InputError, UsageError

if TYPE_CHECKING:
    from temporacle.io.edit import Edits, NewLink

_STANDARD_OUTPUT = "-"


@reads_documents(prints=False)
def apply(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The file that holds the links.")],
    *,
    drop: Annotated[
        list[str] | None, typer.Option("--drop", metavar="ID", help="Remove this link; repeatable.")
    ] = None,
    relabel: Annotated[
        list[str] | None,
        typer.Option("--relabel", metavar="ID=LABEL", help="Give this link another label; repeatable."),
    ] = None,
    comment: Annotated[
        list[str] | None,
        typer.Option("--comment", metavar="ID=TEXT", help="Leave a note at this link; repeatable."),
    ] = None,
    add: Annotated[
        list[str] | None,
        typer.Option("--add", metavar="'SOURCE LABEL TARGET'", help="Add this link; repeatable."),
    ] = None,
    set_value: Annotated[
        list[str] | None,
        typer.Option("--set-value", metavar="T=VALUE", help="Give this time another calendar value; repeatable."),
    ] = None,
    document: Annotated[
        str | None, typer.Option("--document", metavar="ID", help="The document, if the file holds several.")
    ] = None,
    out: Annotated[
        str | None, typer.Option("-o", "--out", metavar="OUT", help="The file to write; - is standard output.")
    ] = None,
    in_place: Annotated[bool, typer.Option("--in-place", help="Change FILE itself.")] = False,
    options: Options,
) -> None:
    """Add, remove, relabel or comment links of a file, or set values of times. No other byte of the file changes.

    A new link joins two entities of the document and is written like its other links. Separate its parts by blanks, or
    by tabs if a name has blanks in it.

    The result is read again before it is written: text, entities and all other links must be the same as before.
    `temporacle formats` lists the formats that can be changed.

    For example:

      temporacle apply story.tml --drop l3 -o fixed.tml

      temporacle apply story.tml --add "ei1 BEFORE ei4" --add "ei4 IS_INCLUDED t2" --in-place

      temporacle apply story.tml --set-value t3=1998-02-09 --in-place

      temporacle apply notes.ann --relabel R2=AFTER --comment "R3=see R2" --in-place

      temporacle apply tasks.json --document tasks#7 --drop rel2 -o tasks.fixed.json
    """
    from temporacle.editing.saving import applied
    from temporacle.io.edit import Edits

    if (out is None) is not in_place:
        raise UsageError("say where to write: give -o OUT, or --in-place to change the file itself")
    new = tuple(map(_new_link, add or ()))
    edits = Edits(
        frozenset(drop or ()),
        _pairs(relabel, "--relabel"),
        _pairs(comment, "--comment"),
        add=new,
        values=_pairs(set_value, "--set-value"),
    )
    if not edits:
        raise UsageError("nothing to do: give --add, --drop, --relabel, --comment or --set-value")
    try:
        found = applied(file, edits, document, options)
    except InputError as error:
        if _is_unreadable(file, options):
            raise UsageError(str(error)) from error
        raise
    if out == _STANDARD_OUTPUT:
        sys.stdout.buffer.write(found.original.packed(found.data))
        return
    target = file if out is None else out
    if out is not None and found.original.is_at(out):
        raise UsageError(f"{out} is the file itself: give --in-place if it shall be changed")
    found.write(target)
    complain(f"wrote {target}: {_summary(edits)}")


def _is_unreadable(file: str, options: Options) -> bool:
    """Return whether nothing in a file can be read."""
    from temporacle.io import read_source
    from temporacle.io.source import Source
    from temporacle.model import Unreadable

    return all(isinstance(each, Unreadable) for each in read_source(Source(file, None, options)))


def _pairs(given: list[str] | None, option: str) -> dict[str, str]:
    """Return ``ID=VALUE`` options as a dictionary. The value may contain equals signs."""
    pairs: dict[str, str] = {}
    for each in given or ():
        name, sign, value = each.partition("=")
        if not name or not sign or not value.strip():
            example = "t3=1998-02-09" if option == "--set-value" else "l3=AFTER"
            raise UsageError(f"{option} {each!r}: write ID=VALUE, such as {example}")
        if name in pairs:
            raise UsageError(f"{option}: {name!r} is given twice")
        pairs[name] = value
    return pairs


def _new_link(given: str) -> NewLink:
    """Return the link of an ``--add`` option."""
    from temporacle.io.edit import NewLink

    parts = given.split("\t") if "\t" in given else given.split()
    if len(parts) != len(("source", "label", "target")) or not all(map(str.strip, parts)):
        raise UsageError(f"--add {given!r}: write 'SOURCE LABEL TARGET', such as 'ei1 BEFORE ei2'")
    return NewLink(*parts)


def _summary(edits: Edits) -> str:
    parts = (("added", edits.add), ("removed", edits.drop), ("relabelled", edits.relabel), ("commented", edits.comment))
    counted = [f"{len(links)} link{'s' if len(links) > 1 else ''} {what}" for what, links in parts if links]
    if edits.values:
        counted.append(f"{len(edits.values)} value{'s' if len(edits.values) > 1 else ''} set")
    return ", ".join(counted)
