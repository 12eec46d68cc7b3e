"""What a certificate states: its links, and the constraints of its values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .form import has_values

if TYPE_CHECKING:
    from .clock import Clock

Fact = Any  # a link (source, atoms, target), or the list of a value's constraints


class Facts:
    """Facts by key: the position of a link, or ("value", position)."""

    def __init__(self, certificate: dict[str, Any]) -> None:
        self.clock: Clock | None = None  # None: the certificate has no values
        self.known: dict[Any, Fact] = {place: link_of(link) for place, link in enumerate(certificate["links"])}
        if has_values(certificate):
            from .clock import Clock

            self.clock = Clock(certificate)
            self.known |= self.clock.values

    def all(self) -> list[Fact]:
        """Return all facts."""
        return list(self.known.values())


def link_of(link: dict[str, Any]) -> tuple[str, frozenset[str], str]:
    """Return a link, or a query, as source, atoms and target."""
    return link["source"], frozenset(link["relation"]), link["target"]
