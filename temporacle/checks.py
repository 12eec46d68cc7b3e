"""The results of ``check`` for documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from itertools import islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from temporacle.frames import html_table, to_frame
from temporacle.model import Action, Remark, counted, skipped_words
from temporacle.results import (
    Certificate,
    DocumentVerdict,
    HasWarnings,
    Relabelling,
    Repair,
    RepairStatus,
    Unrepairable,
    warned_words,
)
from temporacle.wording import NO_EXCERPTS, ConflictWords, Names, conflict_words, entities_of, fact_rows, statement

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from temporacle.passages import Excerpts, Quotation
    from temporacle.results import Fact

OUT_OF_TIME = "out-of-time"  # the code of the remark on a verdict without all that was asked for
REPAIR_MISSING = "repair-missing"  # the code of the remark on a repair that was asked for and could not be found
RELABEL_MISSING = "relabel-missing"  # the same for other labels of the links that the repair drops
REPAIR_UNPROVEN = "repair-unproven"  # the same for the certificate of the repair
STRICT_LABELS = "calendar-strict-labels"  # a reading that contradicts adjacent days; said once a run
FILE_CHANGED = "file-changed"  # the code of the remark on a certificate that was asked for and not written
INCOMPLETE = frozenset({OUT_OF_TIME, REPAIR_MISSING, RELABEL_MISSING, REPAIR_UNPROVEN, FILE_CHANGED})
_SHOWN = 20  # lines of one list in a notebook
_CONFLICTS_SHOWN = 10  # in a notebook
FRAME_COLUMNS = ("document", "verdict", "entities", "links", "skipped_links", "conflict", "repair")


class KnownDocument(NamedTuple):
    """What a baseline has about an inconsistent document. Links and values are recognised by what they say."""

    links: Counter[str] | None  # all of them; None: a file of an older version, which does not have them
    conflicts: Mapping[tuple[str, ...], int]  # what their links say, sorted, and how often there is such a conflict


class Compared(NamedTuple):
    """An inconsistent document, compared with a baseline."""

    said: tuple[str, ...]  # by its links and values
    still: tuple[tuple[tuple[Fact, ...], int], ...] = ()  # known conflicts that are there, and how often
    added: tuple[tuple[Fact, ...], ...] = ()  # a conflict of each added or relabelled link that is in any


@dataclass(frozen=True, slots=True, repr=False)
class Check(HasWarnings):
    """The verdict on one document, and the other results that were asked for.

    >>> Check("d1", "gold/d1.tml", DocumentVerdict.CONSISTENT, entities=12, links=20)
    Check('d1': consistent, 20 links)
    """

    document: str  # its name
    path: str | None  # the file
    verdict: DocumentVerdict  # consistent, inconsistent, undecided, unchecked or unreadable
    entities: int = 0  # how many
    links: int = 0  # how many could be used
    decided_by: str | None = None  # the engine that found the verdict
    conflict: tuple[Fact, ...] = ()  # a minimal conflict of the whole document, a smallest one where links are convex
    chain: tuple[str, ...] = ()  # why it is one, in sentences
    conflicts: tuple[tuple[Fact, ...], ...] = ()  # one for each link that the repair drops; without a repair, that one
    chains: tuple[tuple[str, ...], ...] = ()  # the same for each of them
    all_conflicts: tuple[tuple[Fact, ...], ...] | None = (
        None  # minimal ones, which may share links; None: not asked for
    )
    quoted: Excerpts | None = None  # what the text has about the links of conflicts and repair
    repair: Repair | Unrepairable | None = None  # None: not asked for, not needed, or not found (see the status)
    repair_status: RepairStatus = RepairStatus.NOT_ASKED  # whether the repair is known to be the smallest
    relabellings: tuple[Relabelling, ...] | None = None  # None: not asked for
    certificate: Certificate | None = None  # that the document is consistent or not
    certificate_path: str | None = None  # the file that the certificate was written to
    repair_certificate: Certificate | None = None  # that the repair is optimal
    repair_certificate_path: str | None = None  # the file that it was written to
    remarks: tuple[Remark, ...] = ()  # what was odd, skipped links included
    error: str | None = None  # why it is undecided or unreadable
    seconds: float = field(default=0.0, compare=False)  # how long it took
    not_minimal: bool = False  # time ran out while the last conflict was made smaller
    calendar: Mapping[str, Any] | None = None  # how values were read, and how many; None: they were not
    compared: Compared | None = None  # with a baseline; None: not asked for, or not inconsistent
    findings: tuple[Any, ...] = field(default=(), compare=False)  # for CI: what a baseline or ``allow`` lets pass

    def __reduce__(self) -> tuple[Any, ...]:
        return Check, _values(self)  # half the time of what dataclasses do

    def __repr__(self) -> str:
        what = (f"{self.links} links" if self.error is None else self.error) + skipped_words(self.skipped_links)
        if self.conflict:
            what += f", conflict {' '.join(_ids(self.conflict))}"
        if len(self.conflicts) > 1:
            what += f", {len(self.conflicts)} conflicts"
        return f"Check({self.document!r}: {self.verdict.value}, {what}{warned_words(self.remarks)})"

    @property
    def excerpts(self) -> Excerpts:
        """Return the words of the entities in conflicts and repair, and the sentences around them."""
        return self.quoted or NO_EXCERPTS

    def feedback(self) -> str:
        """Return the conflict as a sentence, to be fed back to the model or person that stated the links.

        Empty if there is none to show.
        """
        if not self.conflict:
            return ""
        stated = "; ".join(fact.said for fact in self.conflict)
        if len(self.conflict) == 1:
            return f"This statement cannot be true: {stated}. Change or remove it."
        return f"These statements contradict each other: {stated}. Change or remove at least one of them."

    @property
    def to_drop(self) -> tuple[Fact, ...]:
        """Return the links that the repair drops."""
        return self.repair.dropped if isinstance(self.repair, Repair) else ()

    @property
    def dropped(self) -> int:
        """Return how many links could not be read and were not checked."""
        return sum(remark.action is Action.DROPPED for remark in self.remarks)

    @property
    def is_plain(self) -> bool:
        """Return whether the document is consistent and there is nothing else to report about it."""
        return not self.remarks and self.verdict is DocumentVerdict.CONSISTENT

    @property
    def is_complete(self) -> bool:
        """Return whether the whole document was read and every question about it was answered."""
        return not self.remarks or not (self.dropped or any(remark.code in INCOMPLETE for remark in self.remarks))

    def to_dict(self) -> dict[str, Any]:
        """Return the line of ``check --output json``."""
        is_repaired = isinstance(self.repair, Repair) or self.verdict is DocumentVerdict.CONSISTENT
        row: dict[str, Any] = {
            "document": self.document,
            "path": self.path,
            "entities": self.entities,
            "links": self.links,
            "verdict": self.verdict.value,
            "decided_by": self.decided_by,
            "conflict": self._rows(self.conflict),
            "conflicts": [self._rows(conflict) for conflict in self.conflicts],
            "repair": self._rows(self.to_drop) if is_repaired else None,
            "alternatives": self.alternatives,
            "repair_status": self.repair_status.value,
            "certificate": self.certificate_path,
            "dropped": self.dropped,
            "skipped_links": self.skipped_links,
            "warnings": [{**remark.to_dict(), "path": self.path} for remark in self.remarks],
            "error": self.error,
            "seconds": round(self.seconds, 6),
        }
        if self.repair_certificate_path is not None:
            row["repair_certificate"] = self.repair_certificate_path
        if self.calendar is not None:
            row["calendar"] = dict(self.calendar)
        if self.not_minimal:
            row["minimal"] = False  # the last conflict may hold links that are not needed
        if self.all_conflicts is not None:
            row["all_conflicts"] = [self._rows(conflict) for conflict in self.all_conflicts]
        if self.chains:
            row["explanation"] = list(self.chain)
            row["explanations"] = [list(sentences) for sentences in self.chains]
        if self.excerpts.passages:
            row["sentences"] = [[each.to_dict() for each in self._quotations(links)] for links in self.conflicts]
        if isinstance(self.repair, Unrepairable):
            row["unrepairable"] = self._rows(self.repair.conflict)
        if self.relabellings is not None:
            row["relabel"] = [each.to_dict() for each in self.relabellings]
        return row

    @property
    def alternatives(self) -> dict[str, list[str]] | None:
        """Return the ids of links that could be dropped instead of a dropped one, at the same weight; None if unknown.

        Links without an alternative are left out.
        """
        if not isinstance(self.repair, Repair):
            return {} if self.verdict is DocumentVerdict.CONSISTENT else None
        return self.repair.alternative_ids()

    def in_words(self) -> Iterator[ConflictWords]:
        """Yield the conflicts for people: links with their words, sentences of the text, and the reasons.

        The conflicts of the list come first, then the smallest one of the document if it is not among them.
        """
        names = Names(self.excerpts)
        count = len(self.conflicts)
        for number, (facts, chain) in enumerate(zip(self.conflicts, self.chains, strict=True), 1):
            place = (number, count)
            yield conflict_words(facts, chain, self.excerpts, names, place=place, minimal=not self.not_minimal)
        if self.conflict and set(self.conflict) not in map(set, self.conflicts):  # whatever the order of its links
            yield conflict_words(self.conflict, self.chain, self.excerpts, names, minimal=not self.not_minimal)

    def _quotations(self, links: Iterable[Fact]) -> list[Quotation]:
        return self.excerpts.quotations(entities_of(links))

    def _rows(self, links: Iterable[Fact]) -> list[dict[str, Any]]:
        return fact_rows(links, self.excerpts.texts)

    def to_frame(self) -> Any:
        """Return a pandas DataFrame of one row."""
        return Checks((self,)).to_frame()

    def _repr_html_(self) -> str:
        from html import escape  # only notebooks need it

        lines = [f"<b>{escape(self.document)}</b>: {self.verdict.value}", *map(escape, filter(None, [self.error]))]
        if self.skipped_links:
            lines.append(escape(f"{counted(self.links, 'link')}{skipped_words(self.skipped_links)}"))
        lines += map(_html, islice(self.in_words(), _CONFLICTS_SHOWN))
        if len(self.conflicts) > _CONFLICTS_SHOWN:
            lines.append(f"and {len(self.conflicts) - _CONFLICTS_SHOWN} more conflicts")
        if self.to_drop:
            names = Names(self.excerpts)
            rows = [(fact.id, statement(fact, names)) for fact in self.to_drop]
            lines.append(html_table(("drop", "what it says"), rows))
        return f"<div>{'<br>'.join(lines)}</div>"

    def frame_row(self) -> dict[str, object]:
        """Return the cells of a data frame, with links by id."""
        return {
            "document": self.document,
            "verdict": self.verdict.value,
            "entities": self.entities,
            "links": self.links,
            "skipped_links": self.dropped,
            "conflict": _ids(self.conflict),
            "repair": _ids(self.to_drop),
        }


class Checks(Sequence[Check], HasWarnings):
    """The checks of several documents, in order.

    >>> checks = Checks([Check("d1", None, DocumentVerdict.CONSISTENT), Check("d2", None, DocumentVerdict.UNDECIDED)])
    >>> checks, checks[1].document
    (Checks(2 documents: 1 consistent, 0 inconsistent, 1 undecided, 0 unreadable), 'd2')
    """

    __slots__ = ("_every", "_of_run")

    def __init__(self, every: Iterable[Check], of_run: Iterable[Remark] = ()) -> None:
        self._every = tuple(every)
        self._of_run = tuple(of_run)

    def __len__(self) -> int:
        return len(self._every)

    @overload
    def __getitem__(self, index: int) -> Check: ...
    @overload
    def __getitem__(self, index: slice) -> Checks: ...
    def __getitem__(self, index: int | slice) -> Check | Checks:
        return Checks(self._every[index]) if isinstance(index, slice) else self._every[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Checks) and self._every == other._every

    def __hash__(self) -> int:
        return hash(self._every)

    def __repr__(self) -> str:
        counts = summary(Counter(each.verdict for each in self._every))
        skipped = skipped_words(self.skipped_links)
        return f"Checks({counts}{f'; links{skipped[1:]}' if skipped else ''}{warned_words(self.warnings)})"

    @property
    def warnings(self) -> tuple[Remark, ...]:
        """Return what was odd about all documents, skipped links included, and about the run as a whole."""
        return (*(remark for each in self._every for remark in each.remarks), *self._of_run)

    def to_dict(self) -> list[dict[str, Any]]:
        """Return the lines of ``check --output json``."""
        return [each.to_dict() for each in self._every]

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row per document; conflict and repair are lists of link ids."""
        return to_frame((each.frame_row() for each in self._every), FRAME_COLUMNS)

    def _repr_html_(self) -> str:
        rows = (
            [" ".join(cell) if isinstance(cell, list) else cell for cell in each.frame_row().values()]
            for each in self._every
        )
        return html_table(FRAME_COLUMNS, rows, repr(self))


def summary(verdicts: Counter[DocumentVerdict]) -> str:
    """Return how many documents there are, in total and of each verdict; unchecked ones are named if there are any."""
    total = verdicts.total()
    shown = [each for each in DocumentVerdict if each is not DocumentVerdict.UNCHECKED or verdicts[each]]
    counts = ", ".join(f"{verdicts[verdict]} {verdict.value}" for verdict in shown)
    return f"{counted(total, 'document')}: {counts}"


def _ids(links: Iterable[Fact]) -> list[str]:
    return [link.id for link in links]


def _html(conflict: ConflictWords) -> str:
    from html import escape

    def listed(tag: str, lines: Sequence[str]) -> str:
        shown = lines if len(lines) <= _SHOWN else (*lines[:_SHOWN], f"and {len(lines) - _SHOWN} more")
        return f"<{tag}>{''.join(f'<li>{escape(line)}</li>' for line in shown)}</{tag}>" if lines else ""

    quoted = listed("ul", [each.marked for each in conflict.quotations])
    steps = listed("ul" if conflict.derivation[:1] and conflict.derivation[0][0] == "1" else "ol", conflict.derivation)
    return escape(conflict.headline) + listed("ul", conflict.facts) + quoted + steps


_values = attrgetter(*(each.name for each in fields(Check)))
