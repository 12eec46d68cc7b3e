"""Closure against the peers, of the same links: anaforatools and tieval.

They are not among the project's own requirements: rows of a peer that is not installed (``pip install
'temporacle[peers]'``) are left out, and a line says so. The peers' closures are not complete; only time is compared.
"""

from __future__ import annotations

import sys
from random import Random
from time import process_time
from typing import TYPE_CHECKING

from bench.awareness import random_document
from bench.harness import Row, in_turn
from temporacle.reasoner.oracle import Oracle

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from temporacle.model import Document

GOALS = {"anaforatools": 10, "tieval": 30}


def rows() -> Iterator[Row]:
    for shape, entities in (("sparse", 480), ("dense", 204)):
        yield from closures(random_document(Random(shape), entities, 800), shape)


def closures(document: Document, shape: str) -> Iterator[Row]:
    for name, prepare in (("anaforatools", with_anaforatools), ("tieval", with_tieval)):
        try:
            theirs = prepare(document)
        except ImportError as error:
            print(f"  left out: {name} is not installed ({error})", file=sys.stderr)
            continue
        slow, quick = in_turn([theirs, lambda: Oracle(document).minimal_network()], process_time, least=5)
        note = f"{slow:.3f} s and {quick:.4f} s"
        work = f"{name}, closure of {len(document.links)} {shape} links"
        yield Row(work, "exact closure of all pairs", slow / quick, GOALS[name], at_least=True, note=note)


def with_tieval(document: Document) -> Callable[[], object]:
    from tieval.closure import temporal_closure
    from tieval.links import TLink

    links = [TLink(link.source, link.target, link.label) for link in document.links]
    return lambda: temporal_closure(set(links))


def with_anaforatools(document: Document) -> Callable[[], object]:
    """It closes graphs only while it scores, so its scorer's own step is called, with annotations as it has them."""
    from anafora.evaluate import TemporalClosureScores

    scores = TemporalClosureScores()
    annotations = {((link.source, link.target), "TLINK", ("type", link.label)) for link in document.links}
    known = {each for each in annotations if scores._is_valid(each)}  # noqa: SLF001
    if len(known) < len(annotations):
        raise ValueError("a label that anaforatools does not know")
    return lambda: scores._closure(known)  # noqa: SLF001 - it has no public name
