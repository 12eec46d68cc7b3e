"""TempEval-1 (2007) XML, and TimeBankPT which shares its root.

The elements are TimeML's, but links name events (``eventID``, ``relatedToEvent``), not instances, and carry a task. A
document comes as two files, for tasks A and B and for task C, each numbering its links from ``l1``: links are named
``A:l1`` so that the two can be merged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.io.timeml import read_tree
from temporacle.io.xml import parse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from temporacle.io.source import Source
    from temporacle.model import Document


def read(source: Source) -> Iterator[Document]:
    """Yield the only document of a TempEval-1 file."""
    yield read_tree(source, parse(source), "tempeval1", "tempeval")
