"""The graphs an experiment works on: generated ones, or a sample of the documents of a corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.errors import BudgetExceeded, UsageError
from temporacle.reasoner.oracle import Oracle

if TYPE_CHECKING:
    from random import Random

    from temporacle.experiments.outcome import Settings
    from temporacle.model import Document

LARGEST = 60  # linked entities of a sampled document; beyond it, thousands of closures take too long
_BUDGET = 10.0  # seconds to find out whether a document is consistent


def sampled_documents(settings: Settings, random: Random, *, largest: int | None = LARGEST) -> list[Document]:
    """Return consistent documents of the corpus with links, in random order, as many as ``graphs`` says."""
    found: list[Document] = []
    for document in random.sample(settings.corpus, len(settings.corpus)):
        if len(found) == settings.graphs:
            break
        mentioned = {end for link in document.links for end in (link.source, link.target)}
        fits = len(mentioned) >= 2 and (largest is None or len(mentioned) <= largest)
        if len(document.links) >= 2 and fits and _consistent(document):
            found.append(document)
    if not found:
        size = "" if largest is None else f", up to {largest} linked entities"
        raise UsageError(f"no document of the corpus can be used: it must be consistent and have two links{size}")
    return found


def _consistent(document: Document) -> bool:
    try:
        return Oracle(document, budget=_BUDGET).is_consistent()
    except BudgetExceeded:
        return False
