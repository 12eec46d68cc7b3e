"""A document that is edited link by link, with every edit judged at once: ``tp.Session``."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeAlias, Unpack

from temporacle.corpus.inputs import one_document
from temporacle.corpus.options import ReadingFiles, chosen_calendar, reading_of, seconds_of
from temporacle.declared import keywords
from temporacle.editing.history import History
from temporacle.errors import BudgetExceeded, ContradictionError, InternalError
from temporacle.frames import html_table, to_frame
from temporacle.model import Link, counted, skipped_words
from temporacle.passages import excerpts_of
from temporacle.readings import canonical
from temporacle.reasoner.editor import Judge, LinkListing
from temporacle.reasoner.network import Budget
from temporacle.relation import ATOMS, Relation
from temporacle.results import DocumentVerdict, HasWarnings
from temporacle.wording import entities_of, fact_rows, in_text_order

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from temporacle.calendar.facts import CalendarFact
    from temporacle.calendar.policy import Calendar
    from temporacle.corpus.inputs import Inputs
    from temporacle.editing.history import Step, Triple
    from temporacle.io.edit import Edits
    from temporacle.model import Document, Remark
    from temporacle.reasoner.editor import Moment
    from temporacle.results import Fact, Repair, Witness


class Session(HasWarnings):
    """One document whose links are added, removed and relabelled, with exact answers after each edit.

    Conflicts and repairs may have values if there is a calendar. Beyond the time limit the verdict is ``"undecided"``;
    questions that have no such answer raise BudgetExceeded.

    Args:
        source: A path, a Document, statements such as ``("left", "BEFORE", "docked")``, or a frame.
        time_limit: Seconds for each answer (or a ``tp.Budget`` for all together); None: no limit.
        calendar: ``"within"``, ``"document"`` or ``"exact"`` (True: within): the values of times count as links do.
        hemisphere: Whose seasons values name: ``"north"`` or ``"south"``; needs ``calendar``.
        zone: The clock of values without a zone, such as ``"+01:00"``; needs ``calendar``.
        **reading: How to read the source: ``labels``, ``during``, ``format`` and the others of ``tp.read``.

    Raises:
        UsageError: Options that do not fit together, or several documents.
        InputError: The source cannot be read.

    Examples:
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

    @keywords
    def __init__(
        self,
        source: Inputs,
        *,
        time_limit: float | str | Budget | None = None,
        calendar: str | bool | Calendar | None = None,
        hemisphere: str | None = None,
        zone: str | None = None,
        **reading: Unpack[ReadingFiles],
    ) -> None:
        self.calendar = chosen_calendar(calendar, hemisphere, zone)  # how values are read; None: they are not
        self._history = History(one_document(source, reading_of(source, reading)))
        self.budget = time_limit if isinstance(time_limit, Budget) else Budget(seconds_of(time_limit))  # for answers
        self._restarts = self.budget is not time_limit
        self._judge = Judge(self.budget)
        self._now = self._moment()
        self._before = self._now
        self._last: Step | None = None
        self._past: list[frozenset[str]] = []  # the repairs that were shown before each edit that can be undone
        self._future: list[frozenset[str]] = []  # the same for edits that were undone
        self._moves: list[Step | bool] = []  # edits; True: an undo; False: a redo

    def __repr__(self) -> str:
        links = counted(len(self._now.links), "link") + skipped_words(self.skipped_links)
        return f"Session({self._history.opened.id!r}, {links}, {self.verdict})"

    # --- editing ----------------------------------------------------------------------------------------------------

    def add(self, source: str, label: str, target: str) -> str:
        """Add a link between two entities of the document and return its id.

        Args:
            source: Id of an entity.
            label: A label of the document's label set.
            target: Id of an entity.

        Returns:
            The id of the new link.

        Raises:
            UsageError: An id or the label is unknown.
        """
        return self.edit(add=[(source, label, target)])[0]

    def remove(self, link: str) -> None:
        """Remove the link of an id.

        Args:
            link: Id of the link.

        Raises:
            UsageError: No link has this id.
        """
        self.edit(remove=[link])

    def relabel(self, link: str, label: str) -> None:
        """Give the link of an id another label.

        Args:
            link: Id of the link.
            label: A label of the document's label set.

        Raises:
            UsageError: The id or the label is unknown.
        """
        self.edit(relabel={link: label})

    def comment(self, link: str, text: str) -> None:
        """Put a comment at the link of an id; an empty text takes it away.

        Args:
            link: Id of the link.
            text: The comment.

        Raises:
            UsageError: No link has this id.
        """
        self.edit(comment={link: text})

    def edit(
        self,
        *,
        add: Iterable[Triple] = (),
        remove: Iterable[str] = (),
        relabel: Mapping[str, str] | None = None,
        comment: Mapping[str, str] | None = None,
        set_value: Mapping[str, str | None] | None = None,
    ) -> list[str]:
        """Make several changes as one step and return the ids of the new links.

        Args:
            add: Triples of source, label and target.
            remove: Ids of links or values.
            relabel: New labels by id.
            comment: Comments by id.
            set_value: New values of times by id; None takes a value away.

        Returns:
            The ids of the new links.

        Raises:
            UsageError: An id or a label is unknown; then nothing is changed.

        >>> session = Session([("a", "BEFORE", "b"), ("b", "BEFORE", "c")])
        >>> session.edit(add=[("a", "BEFORE", "c")], remove=["l1"])
        ['l3']
        >>> session.undo_count
        1
        """
        step = self._history.step(add, remove, relabel, comment, set_value)
        self._take(step)
        return list(step.added)

    def _take(self, step: Step) -> None:
        self._history.take(step)
        self._past.append(self._now.keep)
        self._future.clear()
        self._move(step, self._now.shown_repair)
        self._moves.append(step)

    def undo(self) -> None:
        """Take the last edit back. Raise UsageError if there is none."""
        step = self._history.undo()
        self._future.append(self._now.keep)
        self._move(step, self._past.pop())
        self._moves.append(True)

    def redo(self) -> None:
        """Make the edit again that was undone last. Raise UsageError if there is none."""
        step = self._history.redo()
        self._past.append(self._now.keep)
        self._move(step, self._future.pop())
        self._moves.append(False)

    # --- copies in other processes ----------------------------------------------------------------------------------

    def moved(self) -> list[Step | bool]:
        """Return the moves since this was last called, for ``follow`` of a copy."""
        moves, self._moves = self._moves, []
        return moves

    def follow(self, moves: Iterable[Step | bool]) -> None:
        """Make the moves that the session made of which this is a copy."""
        for move in moves:
            if not isinstance(move, bool):
                self._take(move)
            elif move:
                self.undo()
            else:
                self.redo()
        self._moves.clear()

    @contextmanager
    def together(self) -> Iterator[None]:
        """Give all questions inside this block together the time of one."""
        restarts, self._restarts = self._restarts, False
        if restarts:
            self.budget.restart()
        try:
            yield
        finally:
            self._restarts = restarts

    @property
    def shown_repair(self) -> frozenset[str]:
        """The ids of the repair that was shown last: the next one is as much like it as can be."""
        return self._now.shown_repair

    @shown_repair.setter
    def shown_repair(self, ids: frozenset[str]) -> None:
        self._now.keep = ids

    # --- judgements -------------------------------------------------------------------------------------------------

    def judge(
        self,
        *,
        add: Iterable[Triple] = (),
        remove: Iterable[str] = (),
        relabel: Mapping[str, str] | None = None,
        set_value: Mapping[str, str | None] | None = None,
    ) -> Judgement:
        """Return what these changes would lead to: what ``last_edit`` says once they are made. Nothing is changed.

        ``redundant`` has the links that follow from all other links after the changes and did not before, and added or
        relabelled links that follow from all others. Nothing follows from an inconsistent document.

        Args:
            add: Triples of source, label and target.
            remove: Ids of links or values.
            relabel: New labels by id.
            set_value: New values of times by id; None takes a value away.

        Returns:
            The judgement.

        Raises:
            UsageError: An id or a label is unknown.

        >>> session = Session([("a", "BEFORE", "b"), ("b", "BEFORE", "c")])
        >>> [link.id for link in session.judge(add=[("c", "BEFORE", "a")]).conflicts[0]]
        ['l1', 'l2', 'l3']
        """
        step = self._history.step(add, remove, relabel, set_value=set_value)
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

        ``resolved_conflicts``: conflicts of the list before the edit whose links no longer contradict each other.
        ``remaining_conflicts``: those that still do. ``new_conflicts``: conflicts with a link that the edit
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
    def conflicts(self) -> Conflicts:
        """Return the conflicts of the document: one for each link that ``repair`` removes, as ``tp.check`` lists them.

        At least one if no repair is proven in time.
        """
        with self._answering():
            return self._in_text_order(self._now.listing.conflicts)

    # --- questions --------------------------------------------------------------------------------------------------

    def possible(self, source: str, target: str) -> Relation:
        """Return the smallest relation that holds in every model: all atoms that are possible for two entities.

        Args:
            source: Id of an entity.
            target: Id of an entity.

        Returns:
            The relation.

        Raises:
            ContradictionError: The document contradicts itself.
            BudgetExceeded: The time limit ran out before the answer was known.

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

    def why_not(self, source: str, label: str, target: str) -> tuple[Fact, ...]:
        """Return the smallest set of facts that ``source label target`` would contradict; () if it is possible.

        A document that contradicts itself is asked without the links of its repair. The set is of the smallest size
        where all links are convex; otherwise every link of it is needed.

        Args:
            source: Id of an entity.
            label: A label of the document's label set.
            target: Id of an entity.

        Returns:
            The links.

        Raises:
            BudgetExceeded: The time limit ran out before the answer was known.

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

        The links that ``repair`` removes are also left out; ``in_repair`` has those of this pair.

        Each link in ``because`` is needed. Conflicts of impossible labels are those of ``why_not``.

        Args:
            source: Id of an entity.
            target: Id of an entity.
            without: Ids of links that the judgement leaves out.

        Returns:
            The judgement about the two.

        Raises:
            BudgetExceeded: The time limit ran out before the answer was known.

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
            because = reasons.behind(strongest)
            labels = []
            for label in self.labels:
                meaning = self._history.meaning(label)
                possible = bool(meaning & strongest)
                labels.append(LabelJudgement(label, possible, () if possible else reasons.behind(~meaning)))
            follows = tuple(each for each in self.labels if not strongest & ~self._history.meaning(each))
        gone = {link.id for link in stated}.difference(link.id for link in moment.links).difference(without)
        in_repair = tuple(link for link in stated if link.id in gone)
        return PairJudgement(source, target, stated, strongest, because, tuple(labels), self.texts, follows, in_repair)

    def repair(self) -> Repair:
        """Return the links of least total weight to remove. Raise BudgetExceeded if undecided.

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
        return self._history.document()

    @property
    def warnings(self) -> tuple[Remark, ...]:
        """Return what was odd about the source, skipped links included."""
        return self._history.opened.remarks

    @property
    def values(self) -> Sequence[CalendarFact]:
        """Return what the values of times say, as far as it constrains something; nothing without ``calendar``."""
        return self._now.values

    @property
    def value_remarks(self) -> tuple[Remark, ...]:
        """Return what is odd about the values; nothing without ``calendar``."""
        return self._now.inquiry.remarks

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
    def set_values(self) -> Mapping[str, str | None]:
        """Return the values of times that were set, by their ids; None: taken away."""
        return dict(self._history.set_values)

    @property
    def changes_count(self) -> int:
        """Return how many links were added, removed, relabelled or commented."""
        edits = self.edits
        return len(edits.links) + len(edits.add) + len(edits.values)

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
            self.budget.restart()
        try:
            yield
        except (BudgetExceeded, InternalError):  # something may have stopped halfway: nothing of it is used again
            self._judge = Judge(self.budget)
            self._now = self._moment(keep=self._now.keep)
            self._before = self._of(self._before.links, self._before.values, self._before.keep)
            raise

    def _moment(
        self,
        step: Step | None = None,
        entities: Iterable[str] = (),
        keep: frozenset[str] = frozenset(),
        without: Collection[Fact] = (),
    ) -> Moment:
        """Return the present links and values, or those after a step."""
        gone = {(type(fact), fact.id) for fact in without}
        links = self._history.links(step)
        if gone:
            links = tuple(link for link in links if (Link, link.id) not in gone)
        names = (*self._history.entities, *entities)
        if self.calendar is None:
            return self._judge.moment(links, names, keep)
        from temporacle.calendar.facts import values_of

        document = self._history.document(step, entities)
        values = values_of(document, self.calendar)
        kept = tuple(fact for fact in values.facts if (type(fact), fact.id) not in gone)
        return self._judge.dated(replace(document, links=links), self.calendar, values._replace(facts=kept), keep)

    def _of(self, links: Iterable[Link], values: Sequence[CalendarFact], keep: frozenset[str] = frozenset()) -> Moment:
        """Return some links and values that may not be the present ones."""
        if self.calendar is None:
            return self._judge.moment(links, self._history.entities, keep)
        from temporacle.calendar.facts import DocumentValues

        document = replace(self._history.document(), links=tuple(links))
        said = DocumentValues(tuple(values), (), len(values), len(values))
        return self._judge.dated(document, self.calendar, said, keep)

    def _knowing(self, source: str, target: str, without: Collection[Fact] = ()) -> Moment:
        """Return the present facts, or some of them, with two entities that may be new."""
        known = self._now.network.index
        is_now = not without and source in known and target in known
        return self._now if is_now else self._moment(None, (source, target), without=without)

    def _repaired(self, source: str, target: str, without: Collection[str] = ()) -> Moment:
        """Return the facts without those of the repair, and without some more links."""
        self._history.require(without)
        with self._answering():
            dropped = () if self._now.is_consistent else self._now.chosen.repair.dropped
        links = (link for link in self._now.links if link.id in without)
        return self._knowing(source, target, tuple(dict.fromkeys((*links, *dropped))))

    def _move(self, step: Step, keep: frozenset[str]) -> None:
        self._before, self._now, self._last = self._now, self._moment(keep=keep), step

    def _judgement(self, after: Moment, before: Moment | None, touched: frozenset[str]) -> Judgement:
        """Return the judgement of some facts; before: the facts that they are compared with, if any.

        ``touched``: ids of links that are new or changed.
        """
        verdict = DocumentVerdict.UNDECIDED
        listing = LinkListing()
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
                    old_values = set(before.values)
                    new_values = [fact for fact in after.values if fact not in old_values]
                    keys = frozenset((*((Link, name) for name in touched), *map(_key, new_values)))
                    changed = self._changed(after, before, keys)
                    changed = self._with_new_of_each(changed, after, keys)
        except (BudgetExceeded, InternalError) as limit:
            unfinished = str(limit)
        return Judgement(
            verdict.value,
            self._in_text_order(listing.conflicts),
            redundant,
            unfinished,
            self.texts,
            None if changed is None else self._in_text_order(changed.resolved_conflicts),
            None if changed is None else self._in_text_order(changed.remaining_conflicts),
            None if changed is None else self._in_text_order(changed.new_conflicts),
            repair_kept=listing.chosen is not None and listing.chosen.is_kept,
        )

    def _changed(self, after: Moment, before: Moment, touched: frozenset[_Key]) -> _Changed:
        """Return what became of the conflicts of the list before, and the conflicts that the edit brought."""
        present: dict[_Key, Fact] = {_key(fact): fact for fact in _all(after)}
        resolved: list[tuple[Fact, ...]] = []
        remaining: list[tuple[Fact, ...]] = []
        for conflict in before.listing.conflicts:
            now = tuple(present[key] for key in map(_key, conflict) if key in present)
            is_there = len(now) == len(conflict) and (now == conflict or not self._can_be(now))
            (remaining if is_there else resolved).append(now if is_there else conflict)
        known = set(map(_keys, remaining))
        listed = after.listing.conflicts
        new = [each for each in listed if _keys(each) not in known and not touched.isdisjoint(_keys(each))]
        return _Changed(tuple(resolved), tuple(remaining), tuple(new))

    def _can_be(self, facts: Sequence[Fact]) -> bool:
        """Return whether some facts alone can all be true."""
        links = [fact for fact in facts if isinstance(fact, Link)]
        if self.calendar is None:
            return self._judge.moment(links, ()).is_consistent
        return self._of(links, [fact for fact in facts if not isinstance(fact, Link)]).is_consistent

    def _with_new_of_each(self, changed: _Changed, after: Moment, touched: frozenset[_Key]) -> _Changed:
        """Return the change with a conflict for each fact that is new or changed and in any, listed or not."""
        for fact in _all(after) if touched and not after.is_consistent else ():
            told = (*changed.new_conflicts, *changed.remaining_conflicts)
            if _key(fact) in touched and not any(_key(fact) in _keys(conflict) for conflict in told):
                found = after.conflict_with(fact)
                if found is not None:
                    changed = changed._replace(new_conflicts=(*changed.new_conflicts, found))
        return changed

    def _in_text_order(self, conflicts: Iterable[tuple[Fact, ...]]) -> Conflicts:
        conflicts = tuple(conflicts)
        if not conflicts:
            return ()
        excerpts = excerpts_of(self._history.opened, entities_of(link for links in conflicts for link in links))
        return tuple(in_text_order(links, excerpts) for links in conflicts)

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """Return the words of entities, as far as they are known."""
        return {entity.id: entity.text for entity in self._history.opened.entities if entity.text}


# ----------------------------------------------------------------------------------------------------
# The answers of ``tp.Session``.

Conflicts: TypeAlias = "tuple[tuple[Fact, ...], ...]"
_Key: TypeAlias = tuple[type, str]  # whether it is a link or a value, and its id
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
    repair_kept: bool = False  # the list follows the repair before the edit, not the first one of the document

    def __bool__(self) -> NoReturn:
        raise TypeError("a Judgement is not a yes or no: compare its verdict")

    def __repr__(self) -> str:
        return f"Judgement({self.verdict}, {len(self.conflicts)} conflicts, {len(self.redundant)} redundant)"

    def to_dict(self) -> dict[str, Any]:
        """Return the judgement as the workbench sends it."""
        row: dict[str, Any] = {
            "verdict": self.verdict,
            "conflicts": [fact_rows(conflict, self.texts) for conflict in self.conflicts],
            "redundant": fact_rows(self.redundant, self.texts),
            "repair_kept": self.repair_kept,
        }
        for name in _Changed._fields:
            found: Conflicts | None = getattr(self, name)
            if found is not None:
                row[name] = [fact_rows(conflict, self.texts) for conflict in found]
        return row if self.unfinished is None else {**row, "unfinished": self.unfinished}

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with the links that are mentioned: ``found`` says where."""
        return to_frame(self._table(), _FOUND)

    def _repr_html_(self) -> str:
        return html_table(_FOUND, (tuple(row.values()) for row in self._table()), caption=repr(self))

    def _table(self) -> list[dict[str, str]]:
        found = [(f"conflict {number}", links) for number, links in enumerate(self.conflicts, 1)]
        return [
            {"found": name, "id": fact.id, "source": fact.entities[0], "label": fact.label, "target": fact.entities[-1]}
            for name, facts in (*found, ("redundant", self.redundant))
            for fact in facts
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
    conflict: tuple[Fact, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class PairJudgement:
    """What is stated about two entities, what follows, and which labels are possible.

    A document that contradicts itself is judged without the links that its repair removes.
    """

    source: str
    target: str
    stated: tuple[Link, ...]  # in either direction
    strongest: Relation
    because: tuple[Fact, ...]  # the links and values from which the strongest relation follows
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
            "stated": fact_rows(self.stated, self.texts),
            "strongest": list(self.strongest.atoms),
            "because": fact_rows(self.because, self.texts),
            "labels": [
                {"label": each.label, "possible": each.possible, "conflict": fact_rows(each.conflict, self.texts)}
                for each in self.labels
            ],
            "follows": list(self.follows),
            "in_repair": fact_rows(self.in_repair, self.texts),
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


def _all(moment: Moment) -> list[Fact]:
    return [*moment.links, *moment.values]


def _key(fact: Fact) -> _Key:
    return type(fact), fact.id


def _keys(facts: Iterable[Fact]) -> frozenset[_Key]:
    return frozenset(map(_key, facts))
