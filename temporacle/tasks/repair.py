"""A document without the links that keep it from being consistent: ``tp.repair``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Unpack

from temporacle.corpus.inputs import ReadingOptions, one_document, options_for
from temporacle.errors import ContradictionError, UsageError
from temporacle.readings import canonical
from temporacle.reasoner.network import Network
from temporacle.reasoner.oracle import Oracle as NetworkOracle
from temporacle.results import Unrepairable

if TYPE_CHECKING:
    from collections.abc import Collection

    from temporacle.corpus.inputs import Inputs
    from temporacle.model import Document


def repair(
    source: Inputs,
    *,
    protect: str | Collection[str] = (),
    budget: float | None = None,
    **reading: Unpack[ReadingOptions],
) -> Document:
    """Return the document without the lightest set of links whose removal makes it consistent.

    ``source``: one document: a path, a Document, statements, or a frame.
    ``protect``: ids of links, or labels, that must not be dropped.
    ``budget``: seconds; BudgetExceeded if they are over before a best repair is known.
    ``reading``, ``during``, ``format``, ...: how to read the source.

    A consistent document comes back as it is. ContradictionError if protected links contradict each other.

    >>> from temporacle.model import Document
    >>> mended = repair(Document("d", [("a", "BEFORE", "b"), ("b", "BEFORE", "a"), ("b", "BEFORE", "c")]))
    >>> [link.id for link in mended.links]
    ['l2', 'l3']
    """
    document = one_document(source, options_for(source, reading))
    network = Network.of(document)
    found = NetworkOracle(network, budget=budget).repair(protect=protected(document, protect))
    if isinstance(found, Unrepairable):
        raise ContradictionError(document.id, found.conflict)
    if not found.dropped:
        return document
    gone = set(map(id, found.dropped))
    kept = tuple(link for link in document.links if id(link) not in gone)
    return replace(document, links=kept, entity_ids=document.entity_ids or network.entities)


def protected(document: Document, names: str | Collection[str], others: Collection[str] = ()) -> frozenset[str]:
    """Return names of links to protect, by id or by label. Raise UsageError for a name that no link has.

    ``others``: names that mean something else, and are known.
    """
    chosen = frozenset((names,) if isinstance(names, str) else names)
    known = {link.id for link in document.links} | {canonical(link.label) for link in document.links} | set(others)
    if unknown := sorted(name for name in chosen if name not in known and canonical(name) not in known):
        raise UsageError(f"protect: no link of {document.id!r} has the id or label {', '.join(map(repr, unknown))}")
    return chosen
