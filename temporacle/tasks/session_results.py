"""The answers of ``tp.Session``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from temporacle.frames import html_table, to_frame
from temporacle.relation import Relation  # noqa: TC001 - part of the public signature

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from temporacle.model import Link

_FOUND = ("found", "id", "source", "label", "target")
_LABELS = ("label", "possible", "conflict")


@dataclass(frozen=True, slots=True, repr=False)
class Judgement:
    """What is known about the links of a document, or about the links after a change."""

    verdict: str  # consistent, inconsistent or undecided
    conflicts: tuple[tuple[Link, ...], ...] = ()  # minimal; no two share a link; a smallest one first
    redundant: tuple[Link, ...] = ()
    unfinished: str | None = None  # why an answer is missing although the verdict is known; None: nothing is missing
    texts: Mapping[str, str] = field(default_factory=dict, compare=False)  # the words of entities, for JSON

    def __bool__(self) -> NoReturn:
        raise TypeError("a Judgement is not a yes or no: compare its verdict")

    def __repr__(self) -> str:
        return f"Judgement({self.verdict}, {len(self.conflicts)} conflicts, {len(self.redundant)} redundant)"

    def to_dict(self) -> dict[str, Any]:
        """Return the judgement as the workbench sends it."""
        row: dict[str, Any] = {
            "verdict": self.verdict,
            "conflicts": [_rows(conflict, self.texts) for conflict in self.conflicts],
            "redundant": _rows(self.redundant, self.texts),
        }
        return row if self.unfinished is None else {**row, "unfinished": self.unfinished}

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with the links that are mentioned: ``found`` says where."""
        return to_frame(self._table(), _FOUND)

    def _repr_html_(self) -> str:
        return html_table(_FOUND, (tuple(row.values()) for row in self._table()), caption=repr(self))

    def _table(self) -> list[dict[str, str]]:
        found = [(f"conflict {number}", links) for number, links in enumerate(self.conflicts, 1)]
        return [
            {"found": name, "id": link.id, "source": link.source, "label": link.label, "target": link.target}
            for name, links in (*found, ("redundant", self.redundant))
            for link in links
        ]


class LabelJudgement(NamedTuple):
    """Whether a label can be stated for a pair. If not, ``conflict`` has the links that it would contradict."""

    label: str
    possible: bool
    conflict: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class PairJudgement:
    """What is stated about two entities, what follows, and which labels are possible."""

    source: str
    target: str
    stated: tuple[Link, ...]  # in either direction
    strongest: Relation  # empty if the document is inconsistent
    because: tuple[Link, ...]  # the links from which the strongest relation follows
    labels: tuple[LabelJudgement, ...]
    texts: Mapping[str, str] = field(default_factory=dict, compare=False)

    def __repr__(self) -> str:
        possible = sum(each.possible for each in self.labels)
        return (
            f"PairJudgement({self.source!r} {self.strongest} {self.target!r},"
            f" {possible} of {len(self.labels)} labels possible)"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the judgement as the workbench sends it."""
        return {
            "stated": _rows(self.stated, self.texts),
            "strongest": list(self.strongest.atoms),
            "because": _rows(self.because, self.texts),
            "labels": [
                {"label": each.label, "possible": each.possible, "conflict": _rows(each.conflict, self.texts)}
                for each in self.labels
            ],
        }

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row for each label; ``conflict`` has the ids of links."""
        return to_frame(self._table(), _LABELS)

    def _repr_html_(self) -> str:
        return html_table(_LABELS, (tuple(row.values()) for row in self._table()), caption=repr(self))

    def _table(self) -> list[dict[str, object]]:
        return [
            {"label": label, "possible": possible, "conflict": " ".join(link.id for link in conflict)}
            for label, possible, conflict in self.labels
        ]


def _rows(links: Iterable[Link], texts: Mapping[str, str]) -> list[dict[str, Any]]:
    return [link.to_dict(texts) for link in links]
