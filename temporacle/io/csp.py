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

from temporacle.errors import InputError
from temporacle.io.builder import DocumentBuilder, new_link
from temporacle.io.rows import links_reading, plain_entities, require_content, with_body
from temporacle.io.writers import entities_of
from temporacle.model import Remark, Unreadable
from temporacle.relation import ATOMS, EQUAL, EVERYTHING, NOTHING, Relation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from temporacle.io.formats import Report, Sample
    from temporacle.io.source import Source
    from temporacle.model import Document

HEADER = re.compile(r"\s*+(\d{1,9}+)\s*+(?:#(.*))?")
CONSTRAINT = re.compile(r"\s*+(\d{1,4000}+)\s++(\d{1,4000}+)\s++\((.*)\)\s*")
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
    name = (header[2] or "").strip() or name
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

    >>> from temporacle.io.formats import Sample
    >>> [share_that_fits(Sample(lines)) for lines in (["3 #a", " 0 1 ( < )"], ["0", "."], ["3", "4"])]
    [1.0, 1.0, 0.0]
    """
    lines = sample.lines
    return float(
        len(lines) > 1
        and HEADER.fullmatch(lines[0]) is not None
        and (lines[1].strip() == "." or CONSTRAINT.fullmatch(lines[1]) is not None)
    )


# ----------------------------------------------------------------------------------------------------
# Writes constraint networks in the format of GQR (``csp``). It holds relations between numbered entities only.


def text(document: Document, report: Report) -> str:
    """Return the network of a document: a line for each pair with a link, with the intersection of all links on it."""
    names = list(entities_of(document))
    if not names:
        raise InputError(f"document {document.id!r} has no entities, and a csp network has at least one")
    numbers = _numbers(names)
    if any(str(number) != name for name, number in numbers.items()):
        report(Remark("renamed-entities", f"{document.id}: entities have numbers instead of names in the csp file"))
    if any(link.weight != 1 for link in document.links):
        report(Remark("no-weights", f"{document.id}: weights are not in the csp file"))
    relations: dict[tuple[int, int], Relation] = {}
    for link in document.links:
        first, second = numbers[link.source], numbers[link.target]
        if first == second:
            if not link.relation & EQUAL:
                raise InputError(f"{link.id} contradicts itself, which a csp network cannot express", line=link.line)
            continue
        pair, relation = (
            ((first, second), link.relation) if first < second else ((second, first), link.relation.converse())
        )
        relations[pair] = relations.get(pair, EVERYTHING) & relation
    lines = [f"{len(names) - 1} #{' '.join(document.id.split())}"]
    for (first, second), relation in sorted(relations.items()):
        lines.append(f" {first} {second} ( {' '.join(SYMBOLS[atom] for atom in relation.atoms)} )")
    return "\n".join([*lines, ".\n"])


def _numbers(names: list[str]) -> dict[str, int]:
    """Return a number for each name. Names that are the numbers from 0 on keep them; others are numbered in order."""
    if {str(number) for number in range(len(names))} == set(names):
        return {name: int(name) for name in names}
    return {name: number for number, name in enumerate(names)}
