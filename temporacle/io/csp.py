"""Constraint networks in the format of GQR and other qualitative reasoners (``.csp``).

    3 #name             the largest number of an entity, and the network's name
     0  1 ( < m )       two entities and the atoms that can hold between them
    .                   the end; another network may follow

Entities are the numbers from 0 on; all of them count, with or without a link. Atoms are ``< > = m mi o oi s si d di f
fi``. A network without a name takes its file's name, with a number if the file holds several.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from temporacle.io.builder import DocumentBuilder, new_link
from temporacle.io.rows import links_reading, plain_entities, require_content, with_body
from temporacle.model import Unreadable
from temporacle.relation import ATOMS, NOTHING, Relation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from temporacle.errors import InputError
    from temporacle.io.signs import Sample
    from temporacle.io.source import Source
    from temporacle.model import Document

HEADER = re.compile(r"\s*(\d{1,9})\s*(?:#\s*(.*?)\s*)?")
CONSTRAINT = re.compile(r"\s*(\d+)\s+(\d+)\s+\(\s*(.*?)\s*\)\s*")
SYMBOLS = {atom: {"b": "<", "bi": ">"}.get(atom, atom) for atom in ATOMS}
_ATOM = {symbol: atom for atom, symbol in SYMBOLS.items()}
_MOST_ENTITIES = 1_000_000


def read(source: Source) -> Iterator[Document | Unreadable]:
    """Yield the networks of a file. If one cannot be read, the others still are."""
    require_content(source)
    lines = [(number, line) for number, line in source.lines() if line.strip()]
    first = 0
    count = 0
    while first < len(lines):
        last = next((k for k in range(first, len(lines)) if lines[k][1].strip() == "."), len(lines))
        count += 1
        is_only = count == 1 and last >= len(lines) - 1
        yield _network(
            source, lines[first:last], source.name if is_only else f"{source.name}-{count}", last == len(lines)
        )
        first = last + 1


def _network(source: Source, lines: list[tuple[int, str]], name: str, unfinished: bool) -> Document | Unreadable:  # noqa: FBT001
    number, line = lines[0] if lines else (None, ".")
    header = HEADER.fullmatch(line)
    if header is None:
        return Unreadable(name, source.path, _error(source, number, "a network begins with a line like '4 #name'"))
    name = header[2] or name
    size = int(header[1]) + 1
    if size > _MOST_ENTITIES:
        return Unreadable(name, source.path, _error(source, number, f"{size:,} entities are too many"))
    builder = DocumentBuilder(name, source, "csp", links_reading(source.options), map(str, range(size)))
    for number, line in lines[1:]:
        problem = _add(builder, number, line, size)
        if problem is not None:
            return Unreadable(name, source.path, _error(source, number, problem))
    if unfinished:
        builder.warn("no-end", "the network has no line '.' at its end")
    return with_body(builder.build(), plain_entities)


def _add(builder: DocumentBuilder, number: int, line: str, size: int) -> str | None:
    """Add a link; what is wrong with its line otherwise."""
    found = CONSTRAINT.fullmatch(line)
    if found is None:
        return f"{line.strip()[:40]!r} is not a constraint like '0 1 ( < m )'"
    first, second = int(found[1]), int(found[2])
    if max(first, second) >= size:
        return f"entity {max(first, second)} is larger than the number {size - 1} in the first line"
    symbols = found[3].split()
    unknown = [symbol for symbol in symbols if symbol not in _ATOM]
    if unknown:
        return f"unknown atom {unknown[0]!r} (atoms: {' '.join(_ATOM)})"
    relation = Relation.of(*(_ATOM[symbol] for symbol in symbols)) if symbols else NOTHING
    label = str(relation)
    builder.links.append(new_link((str(number), str(first), relation, str(second), label, number, 1, None)))
    return None


def _error(source: Source, line: int | None, reason: str) -> InputError:
    return source.error(reason, line=line)


def share_that_fits(sample: Sample) -> float:
    """Return 1 if these are the first lines of such a file, otherwise 0.

    >>> from temporacle.io.signs import Sample
    >>> [share_that_fits(Sample(lines)) for lines in (["3 #a", " 0 1 ( < )"], ["0", "."], ["3", "4"])]
    [1.0, 1.0, 0.0]
    """
    lines = sample.lines
    return float(
        len(lines) > 1
        and HEADER.fullmatch(lines[0]) is not None
        and (lines[1].strip() == "." or CONSTRAINT.fullmatch(lines[1]) is not None)
    )
