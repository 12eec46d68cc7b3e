"""A format, a metric and a label set for Temporacle. ``temporacle.plugins`` has the protocols that they implement.

A file of arrows begins with ``#arrows``. It has one link on each line:

    #arrows
    left -> docked
    docked == moored
"""

from __future__ import annotations

_FIRST = b"#arrows"


class ArrowLabels:
    """What the arrows mean."""

    protocol = 1
    about = "arrows: before, after, at the same time"
    labels = {"->": "b|m", "<-": "bi|mi", "==": "="}  # noqa: RUF012 - never changed
    extends = None


class Arrows:
    """The format."""

    protocol = 1
    about = "links as arrows"
    suffixes = (".arrows",)
    label_set = "arrow-labels"

    @staticmethod
    def recognises(start: bytes, path: str) -> bool:  # noqa: ARG004 - the name does not matter
        """Return whether a file begins as one of arrows."""
        return start.startswith(_FIRST)

    @staticmethod
    def read(content: bytes, name: str):  # noqa: ANN205
        """Return the one document of a file. Temporacle skips and counts what is not a whole link."""
        links = []
        for line in content.decode().splitlines()[1:]:
            source, label, target = (*line.split(), None, None, None)[:3]
            if line.strip():
                links.append({"source": source, "relation": label, "target": target})
        return [{"document": name, "links": links}]

    @staticmethod
    def write(document) -> str:  # noqa: ANN001
        """Return a document as arrows."""
        arrows = {meaning: arrow for arrow, meaning in ArrowLabels.labels.items()}
        lines = [f"{link.source} {arrows[str(link.relation)]} {link.target}" for link in document.links]
        return "\n".join((_FIRST.decode(), *lines, ""))


class EqualLinks:
    """The metric: links with the same ends and the same relation."""

    protocol = 1
    about = "links that both sides state"

    @staticmethod
    def count(gold, system):  # noqa: ANN001, ANN205
        """Return what is right of the system's, how much it says, what is found of gold's, and how much gold says."""
        asked = {(link.source, link.relation, link.target) for link in gold.links}
        said = {(link.source, link.relation, link.target) for link in system.links}
        return len(said & asked), len(said), len(said & asked), len(asked)
