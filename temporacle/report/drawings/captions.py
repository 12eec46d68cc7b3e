"""Names of entities and their ends in drawings: their words, with ids where words are missing or shared."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from temporacle.report.drawings.svg import shortened

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_LONGEST = 24  # characters of a caption
_LISTED = 24  # things that a text alternative names


class Captions:
    """Captions of the entities in one drawing.

    >>> names = Captions([("e1", "said"), ("e2", "said"), ("e3", "left")])
    >>> names.entity("e3"), names.point("e1.start"), names.point("e9.end")
    ('left', 'e1 said starts', 'e9 ends')
    """

    def __init__(self, texts: Iterable[tuple[str, str]]) -> None:
        self._texts = {entity: " ".join(text.split()) for entity, text in texts}
        self._uses = Counter(self._texts.values())

    def entity(self, name: str, most: int = _LONGEST) -> str:
        """Return the name of an entity."""
        words = self._texts.get(name, "")
        return shortened(name if not words else words if self._uses[words] == 1 else f"{name} {words}", most)

    def point(self, name: str) -> str:
        """Return an endpoint such as ``e1.start``. Only the entity is shortened, never the name of the end."""
        entity, _, end = name.rpartition(".")
        verb = f" {end}s"
        return self.entity(entity, _LONGEST - len(verb)) + verb


def listing(things: Sequence[str]) -> str:
    """Return some items for a text alternative, and the number of the others.

    >>> listing(["a", "b"])
    'a; b'
    """
    more = len(things) - _LISTED
    return "; ".join(things[:_LISTED]) + (f"; and {more} more" if more > 0 else "")
