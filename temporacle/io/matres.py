"""MATRES: tab text with six columns: document, word 1, word 2, id 1, id 2, label. Labels compare start points only.

Ids are bare integers: the entity is the event instance ``ei`` + integer of the TimeML file of that document. The words
are for people. There are no times and no spans.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from temporacle.io.rows import Builders, rows, with_body, wrong_columns
from temporacle.io.signs import is_integer, knows, share
from temporacle.model import Body, Entity, Kind
from temporacle.printing import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from temporacle.io.signs import Sample
    from temporacle.io.source import Source
    from temporacle.model import Document


def share_that_fits(sample: Sample) -> float:
    """Return the share of lines with a document, two words, two bare integers and a label."""
    return share(
        sample.rows,
        lambda row: len(row) == 6 and is_integer(row[3]) and is_integer(row[4]) and knows("matres", row[5]),
    )


def read(source: Source) -> Iterator[Document]:
    """Yield the documents of the file, in the order of first mention."""
    builders = Builders(source, "matres", source.reading("matres"))
    words: dict[str, dict[str, str]] = {}
    for row in rows(source):
        if len(row.fields) != 6:
            raise wrong_columns(source, row, "6 (document, word, word, id, id, label)")
        document, *_, label = row.fields
        document = document.strip()
        if not document:
            raise source.error("the document column is empty", line=row.line, cure="name the document")
        builder = builders.of(document)
        numbers = [field.strip() for field in row.fields[3:5]]
        if not all(number.isascii() and number.isdigit() for number in numbers):
            message = f"{shown(numbers[0])} and {shown(numbers[1])} must be the numbers of event instances"
            builder.drop("bad-id", message, line=row.line, element=str(row.line))
            continue
        first, second = (f"ei{number}" for number in numbers)
        builder.add_link(str(row.line), first, label, second, line=row.line)
        known = words.setdefault(document, {})
        known.setdefault(first, row.fields[1])
        known.setdefault(second, row.fields[2])
    for found in builders.build():
        yield with_body(found, partial(_events, words.get(found.id, {})))


def _events(words: Mapping[str, str], ids: tuple[str, ...]) -> Body:
    return Body(tuple(Entity(name, Kind.EVENT, words.get(name)) for name in ids))
