"""Writes constraint networks in the format of GQR (``csp``). It holds relations between numbered entities only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.errors import InputError
from temporacle.io.csp import SYMBOLS
from temporacle.io.writer_helpers import entities_of
from temporacle.model import Remark
from temporacle.relation import EQUAL, EVERYTHING, Relation

if TYPE_CHECKING:
    from temporacle.io.formats import Report
    from temporacle.model import Document


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
