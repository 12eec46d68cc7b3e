"""A document that is edited link by link, with every edit judged at once: ``tp.Session``."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, Unpack

from temporacle.corpus.inputs import ReadingOptions, one_document, options_for, require_budget
from temporacle.editing.history import History
from temporacle.errors import BudgetExceeded, ContradictionError, InternalError
from temporacle.frames import html_table, to_frame
from temporacle.model import Link, skipped_words
from temporacle.passages import excerpts_of
from temporacle.readings import canonical
from temporacle.reasoner.editor import Judge, Listing
from temporacle.reasoner.network import Budget
from temporacle.relation import ATOMS, Relation
from temporacle.results import DocumentVerdict
from temporacle.wording import entities_of, in_text_order

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from temporacle.corpus.inputs import Inputs
    from temporacle.editing.history import Step, Triple
    from temporacle.io.edit import Edits
    from temporacle.model import Document
    from temporacle.reasoner.editor import Moment
    from temporacle.results import Repair, Witness


class Session:
    """One document whose links are added, removed and relabelled, with exact answers after each edit.

    ``source``: a path, a Document, statements such as ``("left", "BEFORE", "docked")``, or a frame.
    ``budget``: seconds for each answer (or a ``tp.Budget`` for all together); None: no limit. Beyond it the verdict is
    ``"undecided"``; questions that have no such answer raise BudgetExceeded.
    ``reading``, ``during``, ``format``, ...: how to read the source.

    >>> session = Session([("left", "BEFORE", "docked"), ("docked", "BEFORE", "unloaded")])
    >>> session.judge(add=[("unloaded", "BEFORE", "left")])
    Judgement(inconsistent, 1 conflicts, 0 redundant)
    >>> session.add("left", "BEFORE", "unloaded")
    'l3'
    >>> session.change().redundant[0].id
    'l3'
    >>> session.undo()
    >>> session
    Session('document', 2 links, consistent)
    """

    def __init__(
        self, source: Inputs, *, budget: float | Budget | None = None, **reading: Unpack[ReadingOptions]
    ) -> None:
        if not isinstance(budget, Budget):
            require_budget(budget)
        self._history = History(one_document(source, options_for(source, reading)))
        self._budget = budget if isinstance(budget, Budget) else Budget(budget)
        self._restarts = self._budget is not budget
        self._judge = Judge(self._budget)
        self._now = self._moment()
        self._before = self._now
        self._last: Step | None = None
        self._past: list[frozenset[str]] = []  # the repairs that were shown before each edit that can be undone
        self._future: list[frozenset[str]] = []  # the same for edits that were undone

    def __repr__(self) -> str:
        skipped = skipped_words(self.skipped_links)
        return f"Session({self._history.opened.id!r}, {len(self._now.links)} links{skipped}, {self.verdict})"

    # --- editing ----------------------------------------------------------------------------------------------------

    def add(self, source: str, label: str, target: str) -> str:
        """Add a link between two entities of the document and return its id. Raise UsageError for unknown names."""
        return self.edit(add=[(source, label, target)])[0]

    def remove(self, link: str) -> None:
        """Remove the link of an id."""
        self.edit(remove=[link])

    def relabel(self, link: str, label: str) -> None:
        """Give the link of an id another label."""
        self.edit(relabel={link: label})

    def comment(self, link: str, text: str) -> None:
        """Put a comment at the link of an id; an empty text takes it away."""
        self.edit(comment={link: text})

    def edit(
        self,
        *,
        add: Iterable[Triple] = (),
        remove: Iterable[str] = (),
        relabel: Mapping[str, str] | None = None,
        comment: Mapping[str, str] | None = None,
    ) -> list[str]:
        """Make several changes as one step and return the ids of the new links. All are made, or UsageError is raised.

        ``add``: triples of source, label and target. ``remove``: ids. ``relabel``: labels by id. ``comment``: texts by
        id.

        >>> session = Session([("a", "BEFORE", "b"), ("b", "BEFORE", "c")])
        >>> session.edit(add=[("a", "BEFORE", "c")], remove=["l1"])
        ['l3']
        >>> session.undo_count
        1
        """
        step = self._history.step(add, remove, relabel, comment)
        self._history.take(step)
        self._past.append(self._now.keep)
        self._future.clear()
        self._move(step, self._now.shown_repair)
        return list(step.added)

    def undo(self) -> None:
        """Take the last edit back. Raise UsageError if there is none."""
        step = self._history.undo()
        self._future.append(self._now.keep)
        self._move(step, self._past.pop())

    def redo(self) -> None:
        """Make the edit again that was undone last. Raise UsageError if there is none."""
        step = self._history.redo()
        self._past.append(self._now.keep)
        self._move(step, self._future.pop())

    # --- judgements -------------------------------------------------------------------------------------------------

    def judge(
        self,
        *,
        add: Iterable[Triple] = (),
        remove: Iterable[str] = (),
        relabel: Mapping[str, str] | None = None,
    ) -> Judgement:
        """Return what these changes would lead to: what ``last_edit`` says once they are made. Nothing is changed.

        ``redundant`` has the links that follow from all other links after the changes and did not before, and added or
        relabelled links that follow from all others. Nothing follows from an inconsistent document.

        >>> session = Session([("a", "BEFORE", "b"), ("b", "BEFORE", "c")])
        >>> [link.id for link in session.judge(add=[("c", "BEFORE", "a")]).conflicts[0]]
        ['l1', 'l2', 'l3']
        """
        step = self._history.step(add, remove, relabel)
        with suppress(BudgetExceeded, InternalError), self._answering():
            _ = self._now.listing  # its repair is the one to keep
        return self._judgement(self._moment(step, keep=self._now.shown_repair), self._now, step.touched)

    def state(self) -> Judgement:
        """Return the judgement of the present links; ``redundant`` has all that follow from all others."""
        return self._judgement(self._now, None, frozenset())

    def change(self) -> Judgement:
        """Return the judgement of the last edit, undo or redo: what ``judge`` would have answered before it."""
        return self._judgement(self._now, self._before, self._last.touched if self._last else frozenset())

    @property
    def last_edit(self) -> Judgement | None:
        """Return the judgement of the last edit, undo or redo; None if there was none.

        ``resolved_conflicts``: conflicts of the list before the edit that are no contradiction of present links any
        more. ``remaining_conflicts``: those that still are. ``new_conflicts``: conflicts with a link that the edit
        added or relabelled; there are none after a removal.

        >>> session = Session([("a", "BEFORE", "b"), ("b", "BEFORE", "c"), ("c", "BEFORE", "a")])
        >>> session.remove("l2")
        >>> [[link.id for link in links] for links in session.last_edit.resolved_conflicts]
        [['l1', 'l2', 'l3']]
        """
        return None if self._last is None else self.change()

    @property
    def verdict(self) -> str:
        """Return whether the present links can all be true: consistent, inconsistent or undecided.

        It is unchecked if the document has links of which none could be used.
        """
        try:
            with self._answering():
                consistent = self._now.is_consistent
        except (BudgetExceeded, InternalError):
            return DocumentVerdict.UNDECIDED.value
        if consistent and self.document.is_unchecked:
            return DocumentVerdict.UNCHECKED.value
        return (DocumentVerdict.CONSISTENT if consistent else DocumentVerdict.INCONSISTENT).value

    @property
    def conflicts(self) -> tuple[tuple[Link, ...], ...]:
        """Return the conflicts of the document: one for each link that ``repair`` removes, as ``tp.check`` lists them.

        At least one if no repair is proven in time.
        """
        with self._answering():
            return self._in_text_order(self._now.listing.conflicts)

    # --- questions --------------------------------------------------------------------------------------------------

    def possible(self, source: str, target: str) -> Relation:
        """Return the smallest relation that holds in every model: all atoms that are possible for two entities.

        Raise ContradictionError if the document contradicts itself, BudgetExceeded if undecided.

        >>> Session([("a", "MEETS", "b"), ("b", "BEFORE", "c")]).possible("a", "c")
        Relation('b')
        """
        self._history.require_entity(source)
        self._history.require_entity(target)
        moment = self._knowing(source, target)
        with self._answering():
            if not moment.is_consistent:
                raise ContradictionError(self._history.opened.id, moment.listing.conflicts[0])
            return moment.strongest(source, target)

    def why_not(self, source: str, label: str, target: str) -> tuple[Link, ...]:
        """Return the smallest set of links that ``source label target`` would contradict; () if it is possible.

        A document that contradicts itself is asked without the links of its repair. The set is of the smallest size
        where all links are convex; otherwise every link of it is needed.

        >>> session = Session([("a", "BEFORE", "b"), ("b", "BEFORE", "c")])
        >>> [link.id for link in session.why_not("c", "BEFORE", "a")]
        ['l1', 'l2']
        """
        self._history.require_pair(source, target)
        stated = self._history.meaning(label)
        moment = self._repaired(source, target)
        with self._answering():
            if stated & moment.strongest(source, target):
                return ()
            return moment.reasons(source, target).behind(~stated)

    def pair(self, source: str, target: str, *, without: Collection[str] = ()) -> PairJudgement:
        """Return what is stated about two entities, what follows and from which links, and which labels are possible.

        ``without``: ids of links that the judgement leaves out: what would be possible if they were not there. The
        links that ``repair`` removes are left out, too; ``in_repair`` has those of this pair.

        Each link in ``because`` is needed. Conflicts of impossible labels are those of ``why_not``.

        >>> session = Session([("a", "BEFORE", "b"), ("b", "BEFORE", "c")])
        >>> pair = session.pair("a", "c")
        >>> pair
        PairJudgement('a' b 'c', 1 of 14 labels possible)
        >>> [link.id for link in pair.because]
        ['l1', 'l2']
        """
        self._history.require_pair(source, target)
        stated = tuple(link for link in self._now.links if {source, target} == set(link.entities))
        moment = self._repaired(source, target, without)
        with self._answering():
            strongest = moment.strongest(source, target)
            reasons = moment.reasons(source, target)
            because = reasons.short_of(strongest)
            labels = []
            for label in self.labels:
                meaning = self._history.meaning(label)
                possible = bool(meaning & strongest)
                labels.append(LabelJudgement(label, possible, () if possible else reasons.behind(~meaning)))
            follows = tuple(each for each in self.labels if not strongest & ~self._history.meaning(each))
        gone = {link.id for link in stated}.difference(link.id for link in moment.links).difference(without)
        in_repair = tuple(link for link in stated if link.id in gone)
        return PairJudgement(source, target, stated, strongest, because, tuple(labels), self._texts, follows, in_repair)

    def repair(self) -> Repair:
        """Return the lightest set of links to remove so that the rest is consistent. BudgetExceeded if undecided.

        It is the first of the document, or the one that was shown before an edit as long as no lighter one exists.

        >>> Session([("a", "BEFORE", "b"), ("b", "BEFORE", "a")]).repair()
        Repair(l1, weight 1)
        """
        with self._answering():
            return self._now.chosen.repair

    def witness(self) -> Witness | None:
        """Return times (start, end) of all entities with which every link is true; None if inconsistent.

        >>> Session([("a", "BEFORE", "b")]).witness()
        {'a': (0, 1), 'b': (2, 3)}
        """
        with self._answering():
            return self._now.witness

    # --- the document -----------------------------------------------------------------------------------------------

    @property
    def document(self) -> Document:
        """Return the document with its present links."""
        return replace(self._history.opened, links=self._now.links, entity_ids=self._history.entities)

    @property
    def skipped_links(self) -> dict[str, int]:
        """Return how many links of the source could not be used, by code."""
        return self._history.opened.skipped_links

    @property
    def comments(self) -> Mapping[str, str]:
        """Return the comments made in this session, by the ids of their links."""
        return dict(self._history.comments)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Return the labels that a link can get, in the order of the reading, spelled as the document spells them.

        >>> Session([("a", "BEFORE", "b")]).labels[:3]
        ('BEFORE', 'AFTER', 'IBEFORE')
        """
        opened = self._history.opened
        reading = opened.reading
        alone = [link.label for link in reversed(opened.links) if link.label and "|" not in link.label]
        used = {canonical(label): label for label in alone}
        own = [label for label in reading.labels if label in used or label not in reading.foreign] or list(ATOMS)
        known = [label for name, label in used.items() if name in reading.labels]
        lower = bool(known) and all(label == label.lower() for label in known)
        spelled = {canonical(label): label.lower() if lower else label for label in own}
        return tuple(dict.fromkeys((spelled | used).values()))

    @property
    def edits(self) -> Edits:
        """Return the changes against the document as it was opened, as ``tp.apply`` makes them in a file."""
        return self._history.edits()

    @property
    def changes_count(self) -> int:
        """Return how many links were added, removed, relabelled or commented."""
        edits = self.edits
        return len(edits.links) + len(edits.add)

    @property
    def undo_count(self) -> int:
        """Return how many edits can be undone."""
        return len(self._history.done)

    @property
    def redo_count(self) -> int:
        """Return how many edits can be made again."""
        return len(self._history.undone)

    # --- inside -----------------------------------------------------------------------------------------------------

    @contextmanager
    def _answering(self) -> Iterator[None]:
        """Give a question the whole time, unless the caller's own budget is for all together."""
        if self._restarts:
            self._budget.restart()
        try:
            yield
        except (BudgetExceeded, InternalError):  # something may have stopped halfway: nothing of it is used again
            self._judge = Judge(self._budget)
            self._now = self._moment(keep=self._now.keep)
            self._before = self._judge.moment(self._before.links, self._history.entities, self._before.keep)
            raise

    def _moment(
        self, step: Step | None = None, entities: Iterable[str] = (), keep: frozenset[str] = frozenset()
    ) -> Moment:
        return self._judge.moment(self._history.links(step), (*self._history.entities, *entities), keep)

    def _knowing(self, source: str, target: str, without: Collection[str] = ()) -> Moment:
        """Return the present links, or some of them, with two entities that may be new."""
        step = self._history.step(remove=without) if without else None
        known = self._now.network.index
        return (
            self._now if step is None and source in known and target in known else self._moment(step, (source, target))
        )

    def _repaired(self, source: str, target: str, without: Collection[str] = ()) -> Moment:
        """Return the links without those of the repair, and without some more."""
        with self._answering():
            dropped = () if self._now.is_consistent else self._now.chosen.repair.dropped
        return self._knowing(source, target, tuple(dict.fromkeys((*without, *(link.id for link in dropped)))))

    def _move(self, step: Step, keep: frozenset[str]) -> None:
        self._before, self._now, self._last = self._now, self._moment(keep=keep), step

    def _judgement(self, after: Moment, before: Moment | None, touched: frozenset[str]) -> Judgement:
        """Return the judgement of some links; before: the links that they are compared with, if any."""
        verdict = DocumentVerdict.UNDECIDED
        listing = Listing()
        redundant: tuple[Link, ...] = ()
        changed = None if before is None else _Changed()
        unfinished = None
        try:
            with self._answering():
                consistent = after.is_consistent
                verdict = DocumentVerdict.CONSISTENT if consistent else DocumentVerdict.INCONSISTENT
                if consistent:
                    old = before.redundant - touched if before is not None else frozenset()
                    new = after.redundant - old
                    redundant = tuple(link for link in after.links if link.id in new)
                listing = after.listing
                unfinished = listing.unfinished
                if before is not None:
                    changed = self._changed(after, before, touched)
                    changed = self._with_new_of_each(changed, after, touched)
        except (BudgetExceeded, InternalError) as limit:
            unfinished = str(limit)
        return Judgement(
            verdict.value,
            self._in_text_order(listing.conflicts),
            redundant,
            unfinished,
            self._texts,
            None if changed is None else self._in_text_order(changed.resolved_conflicts),
            None if changed is None else self._in_text_order(changed.remaining_conflicts),
            None if changed is None else self._in_text_order(changed.new_conflicts),
            repair_kept=listing.chosen is not None and listing.chosen.is_kept,
        )

    def _changed(self, after: Moment, before: Moment, touched: frozenset[str]) -> _Changed:
        """Return what became of the conflicts of the list before, and the conflicts that the edit brought."""
        present = {link.id: link for link in after.links}
        resolved: list[tuple[Link, ...]] = []
        remaining: list[tuple[Link, ...]] = []
        for conflict in before.listing.conflicts:
            now = tuple(present[link.id] for link in conflict if link.id in present)
            is_there = len(now) == len(conflict) and (now == conflict or not self._judge.moment(now, ()).is_consistent)
            (remaining if is_there else resolved).append(now if is_there else conflict)
        known = set(map(_ids, remaining))
        listed = after.listing.conflicts
        new = [each for each in listed if _ids(each) not in known and not touched.isdisjoint(_ids(each))]
        return _Changed(tuple(resolved), tuple(remaining), tuple(new))

    def _with_new_of_each(self, changed: _Changed, after: Moment, touched: frozenset[str]) -> _Changed:
        """Return the same with a conflict for each added or relabelled link that is in any, listed or not."""
        for link in after.links if touched and not after.is_consistent else ():
            told = (*changed.new_conflicts, *changed.remaining_conflicts)
            if link.id in touched and not any(link.id in _ids(conflict) for conflict in told):
                found = after.conflict_with(link.id)
                if found is not None:
                    changed = changed._replace(new_conflicts=(*changed.new_conflicts, found))
        return changed

    def _in_text_order(self, conflicts: Iterable[tuple[Link, ...]]) -> tuple[tuple[Link, ...], ...]:
        conflicts = tuple(conflicts)
        if not conflicts:
            return ()
        excerpts = excerpts_of(self._history.opened, entities_of(link for links in conflicts for link in links))
        return tuple(tuple(_links(in_text_order(links, excerpts))) for links in conflicts)

    @cached_property
    def _texts(self) -> Mapping[str, str]:
        """Return the words of entities, as far as they are known."""
        return {entity.id: entity.text for entity in self._history.opened.entities if entity.text}


# ----------------------------------------------------------------------------------------------------
# The answers of ``tp.Session``.

Conflicts = tuple[tuple["Link", ...], ...]
_FOUND = ("found", "id", "source", "label", "target")
_LABELS = ("label", "possible", "conflict")


@dataclass(frozen=True, slots=True, repr=False)
class Judgement:
    """What is known about the links of a document, or about the links after a change."""

    verdict: str  # consistent, inconsistent or undecided
    conflicts: Conflicts = ()  # minimal, one for each link that the repair removes
    redundant: tuple[Link, ...] = ()
    unfinished: str | None = None  # why an answer is missing although the verdict is known; None: nothing is missing
    texts: Mapping[str, str] = field(default_factory=dict, compare=False)  # the words of entities, for JSON
    resolved_conflicts: Conflicts | None = None  # of the list before, no longer contradictions; None: of no edit
    remaining_conflicts: Conflicts | None = None  # of the list before, still contradictions
    new_conflicts: Conflicts | None = None  # each with a link that the edit added or relabelled
    repair_kept: bool = False  # the list is told by the repair before the edit, and not by the first of the document

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
            "repair_kept": self.repair_kept,
        }
        for name in _Changed._fields:
            found: Conflicts | None = getattr(self, name)
            if found is not None:
                row[name] = [_rows(conflict, self.texts) for conflict in found]
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


class _Changed(NamedTuple):
    """What an edit does to conflicts."""

    resolved_conflicts: Conflicts = ()
    remaining_conflicts: Conflicts = ()
    new_conflicts: Conflicts = ()


class LabelJudgement(NamedTuple):
    """Whether a label can be stated for a pair. If not, ``conflict`` has the links that it would contradict."""

    label: str
    possible: bool
    conflict: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class PairJudgement:
    """What is stated about two entities, what follows, and which labels are possible.

    A document that contradicts itself is judged without the links that its repair removes.
    """

    source: str
    target: str
    stated: tuple[Link, ...]  # in either direction
    strongest: Relation
    because: tuple[Link, ...]  # the links from which the strongest relation follows
    labels: tuple[LabelJudgement, ...]
    texts: Mapping[str, str] = field(default_factory=dict, compare=False)
    follows: tuple[str, ...] = ()  # labels that already follow from the other links
    in_repair: tuple[Link, ...] = ()  # stated links that the repair removes

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
            "follows": list(self.follows),
            "in_repair": _rows(self.in_repair, self.texts),
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


def _links(facts: Iterable[object]) -> list[Link]:
    return [fact for fact in facts if isinstance(fact, Link)]


def _ids(links: Iterable[Link]) -> frozenset[str]:
    return frozenset(link.id for link in links)


def _rows(links: Iterable[Link], texts: Mapping[str, str]) -> list[dict[str, Any]]:
    return [link.to_dict(texts) for link in links]
