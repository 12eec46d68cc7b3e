"""Questions about one document: ``tp.Oracle``.

One rule for documents that contradict themselves, here and on the command line:

    consistency, repair, certificate     are about contradictions, and answer
    entails                              Verdict.INCONSISTENT                       command line: exit 3
    every other question                 raises ContradictionError with a minimal conflict

The reasoner's own ``Oracle`` stands behind it. That one takes networks, gives bare tables, and leaves the question of
contradictions to its callers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from html import escape
from typing import TYPE_CHECKING, Any, Unpack

from temporacle.corpus.inputs import is_read, one_document
from temporacle.corpus.options import ReadingFiles, chosen_calendar, reading_of, seconds_of
from temporacle.declared import keywords
from temporacle.errors import BudgetExceeded, ContradictionError, UsageError
from temporacle.model import Link, counted, skipped_words, unchecked_words
from temporacle.readings import canonical
from temporacle.reasoner.conflicts.repair import LINKS, VALUES
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.oracle import Oracle as NetworkOracle
from temporacle.reasoner.proofs.certificate import confirmed, to_json
from temporacle.results import Consistent, HasWarnings, Inconsistent, Undecided, Unrepairable, Verdict
from temporacle.tasks.certificates import provenance, write_certificate

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from os import PathLike

    from temporacle.calendar.policy import Calendar
    from temporacle.calendar.values import CalendarDate
    from temporacle.corpus.inputs import Inputs
    from temporacle.model import Document, Remark
    from temporacle.readings import Reading
    from temporacle.reasoner.clock.limits import EntityBounds
    from temporacle.reasoner.clock.oracle import CalendarOracle
    from temporacle.relation import Relation
    from temporacle.results import Certificate, Consistency, Fact, Repair, Witness
    from temporacle.tasks.closure import DocumentClosure


@keywords
def repair(
    source: Inputs,
    *,
    protect: str | Collection[str] = (),
    time_limit: float | str | None = None,
    calendar: str | bool | Calendar | None = None,
    hemisphere: str | None = None,
    zone: str | None = None,
    **reading: Unpack[ReadingFiles],
) -> Document:
    """Return the document without the smallest set of links (by weight) whose removal makes it consistent.

    With a calendar the set may also have values, which their times lose. A consistent document comes back as it is.

    Args:
        source: One document: a path, a Document, statements, or a frame.
        protect: Ids of links, or labels, that must not be removed; with a calendar also ids of values, ``"values"`` or
            ``"links"``.
        time_limit: Such as 90, ``"1m"`` or ``"1h"``.
        calendar: Use the values of time expressions: ``"within"``, ``"document"`` or ``"exact"``.
        hemisphere: With a calendar: whose seasons values name, ``"north"`` or ``"south"``.
        zone: With a calendar: the zone of values without one, such as ``"+01:00"``.

    Returns:
        The document without the links and values of the repair.

    Raises:
        BudgetExceeded: The time is over before a best repair is known.
        ContradictionError: Protected links contradict each other.

    Examples:
        >>> from temporacle.model import Document
        >>> repaired = repair(Document("d", [("a", "BEFORE", "b"), ("b", "BEFORE", "a"), ("b", "BEFORE", "c")]))
        >>> [link.id for link in repaired.links]
        ['l2', 'l3']
    """
    document = one_document(source, reading_of(source, reading))
    oracle = Oracle(document, time_limit=time_limit, calendar=calendar, hemisphere=hemisphere, zone=zone)
    found = oracle.repair(protect=protect)
    if isinstance(found, Unrepairable):
        raise ContradictionError(document.id, found.conflict)
    if not found.dropped:
        return document
    from temporacle.io.edit.edits import with_values

    gone = set(map(id, found.dropped))
    kept = tuple(link for link in document.links if id(link) not in gone)
    unset = dict.fromkeys(fact.id for fact in found.dropped if not isinstance(fact, Link))
    repaired = replace(document, links=kept, entity_ids=document.entity_ids or oracle.entities)
    return with_values(repaired, unset)


def protected(document: Document, names: str | Collection[str], others: Collection[str] = ()) -> frozenset[str]:
    """Return names of links to protect, by id or by label. Raise UsageError for a name that no link has.

    ``others``: names that mean something else, and are known.
    """
    chosen = frozenset((names,) if isinstance(names, str) else names)
    known = {link.id for link in document.links} | {canonical(link.label) for link in document.links} | set(others)
    if unknown := sorted(name for name in chosen if name not in known and canonical(name) not in known):
        raise UsageError(f"protect: no link of {document.id!r} has the id or label {', '.join(map(repr, unknown))}")
    return chosen


class Oracle(HasWarnings):
    """Answers questions about one document. It never guesses. ``tp.Oracle`` is this class.

    For a Document, ``labels`` decides what labels in questions mean; no other option about reading is allowed.

    Args:
        source: A path, a Document, statements such as ``("left", "BEFORE", "docked")``, or a frame.
        time_limit: Seconds for all questions together (or a ``tp.Budget``); None: no limit.
        engine: ``"exact"``, or ``"cpsat"`` to ask CP-SAT alone, or ``"enumeration"`` for up to 6 entities: slow, and
            independent of the endpoint graph; without repairs, certificates and calendar.
        calendar: ``"within"``, ``"document"`` or ``"exact"`` (True: within): what the values of time expressions say
            counts as well.
        hemisphere: Whose seasons values name: ``"north"`` or ``"south"``; needs ``calendar``.
        zone: The clock of values without a zone, such as ``"+01:00"``; needs ``calendar``.
        **reading: How to read the source: ``labels``, ``during``, ``format`` and the others of ``tp.read``.

    Raises:
        UsageError: Options that do not fit together, or several documents.
        InputError: The source cannot be read.

    Examples:
        >>> oracle = Oracle([("left", "BEFORE", "docked"), ("docked", "b|m", "unloaded")])
        >>> oracle
        Oracle('document', 2 links)
        >>> oracle.entails("left", "BEFORE", "unloaded")
        <Verdict.ENTAILED: 'entailed'>
    """

    @keywords
    def __init__(
        self,
        source: Inputs,
        *,
        time_limit: float | str | Budget | None = None,
        engine: str = "exact",
        calendar: str | bool | Calendar | None = None,
        hemisphere: str | None = None,
        zone: str | None = None,
        **reading: Unpack[ReadingFiles],
    ) -> None:
        options = reading_of(() if is_read(source) else source, reading)
        chosen = chosen_calendar(calendar, hemisphere, zone)
        if is_read(source) and (useless := [name for name in reading if name != "labels"]):
            raise UsageError(
                f"{', '.join(useless)}: the document has been read already; give options about reading to read()"
            )
        self.document: Document = one_document(source, options)  # the document that is asked
        if not isinstance(time_limit, Budget):
            time_limit = Budget(seconds_of(time_limit))
        self._budget = time_limit
        self._oracle: NetworkOracle | CalendarOracle
        if chosen is None:
            own = options.chosen_reading
            self._oracle = NetworkOracle(self.document, budget=self._budget, engine=engine, reading=own)
        else:
            self._oracle = _calendar_oracle(self.document, chosen, self._budget, engine, options.chosen_reading)

    def __repr__(self) -> str:
        skipped = skipped_words(self.skipped_links)
        return f"Oracle({self.document.id!r}, {counted(len(self.document.links), 'link')}{skipped})"

    @property
    def warnings(self) -> tuple[Remark, ...]:
        """Return what was odd about the document, skipped links included."""
        return self.document.remarks

    def _repr_html_(self) -> str:
        """Return HTML for a notebook: a timeline of what is certain, or the links that contradict each other."""
        from temporacle.report.notebook import conflict_html, timeline_html
        from temporacle.tasks.check import check

        try:
            self.witness()  # raises if there is none
            return f"<p>{escape(repr(self))}</p>{timeline_html(self.document)}"
        except ContradictionError:
            calendar = None if isinstance(self._oracle, NetworkOracle) else self._oracle.calendar
            return conflict_html(check(self.document, repair=False, calendar=calendar)[0])
        except BudgetExceeded as limit:
            return f"<p>{escape(str(limit))}</p>"

    @property
    def entities(self) -> tuple[str, ...]:
        """Return the ids of all entities, in the order of their first mention in a link.

        >>> Oracle([("a", "BEFORE", "b")]).entities
        ('a', 'b')
        """
        return self._oracle.network.entities

    @property
    def network(self) -> Network:
        """Return the links with entities numbered, for the functions of ``temporacle.reasoner``."""
        return self._oracle.network

    # --- consistency ------------------------------------------------------------------------------------------------

    def consistency(self, *, explain: bool = True) -> Consistency:
        """Return whether all links can be true together.

        Args:
            explain: Whether to look for a minimal conflict; without it, ``conflict`` is empty.

        Returns:
            Consistent, Inconsistent or Undecided. ``bool()`` of it raises.

        >>> answer = Oracle([("a", "BEFORE", "b"), ("b", "BEFORE", "a")]).consistency()
        >>> answer
        Inconsistent(l1 l2, decided by graph)
        """
        found = self._oracle.consistency(explain=explain)
        if self.document.is_unchecked and isinstance(found, Consistent):
            return Undecided(unchecked_words(self.document.dropped))
        return found

    def repair(self, *, protect: str | Collection[str] = ()) -> Repair | Unrepairable:
        """Return the set of links of least weight to remove so that the rest is consistent.

        Args:
            protect: Ids of links, or labels, that must not be removed; with a calendar also ids of values, ``"values"``
                or ``"links"``.

        Returns:
            The repair; Unrepairable if protected links contradict each other.

        Raises:
            BudgetExceeded: The time limit ran out before the answer was known.

        >>> oracle = Oracle([("a", "BEFORE", "b"), ("b", "BEFORE", "c"), ("c", "BEFORE", "a")])
        >>> [link.id for link in oracle.repair(protect=["l1"]).dropped]
        ['l2']
        """
        return self._oracle.repair(protect=self._protected(protect))

    def conflicts(self, limit: int | None = None) -> Iterator[tuple[Link, ...]]:
        """Yield the minimal conflicts of the links, each once. There may be very many.

        Args:
            limit: At most so many.

        Yields:
            Links that contradict each other, each of them needed.

        Raises:
            BudgetExceeded: The time limit ran out before all were found.
            UsageError: The oracle has a calendar.

        >>> oracle = Oracle([("a", "BEFORE", "b"), ("b", "BEFORE", "a"), ("a", "AFTER", "b")])
        >>> sorted([link.id for link in conflict] for conflict in oracle.conflicts())
        [['l1', 'l2'], ['l1', 'l3']]
        """
        return self._by_links().conflicts(limit)

    def repairs(self, limit: int | None = None) -> Iterator[Repair]:
        """Yield the minimal repairs, each once: sets of links to remove, each of them needed.

        Args:
            limit: At most so many.

        Yields:
            Repairs, in no order of weight.

        Raises:
            BudgetExceeded: The time limit ran out before all were found.
            UsageError: The oracle has a calendar.

        >>> oracle = Oracle([("a", "BEFORE", "b"), ("b", "BEFORE", "a"), ("a", "AFTER", "b")])
        >>> sorted([link.id for link in repair.dropped] for repair in oracle.repairs())
        [['l1'], ['l2', 'l3']]
        """
        return self._by_links().repairs(limit)

    def _by_links(self) -> NetworkOracle:
        if not isinstance(self._oracle, NetworkOracle):
            cure = "With a calendar use check(document, calendar=True, all_conflicts='all')."
            raise UsageError(f"lists of all conflicts and repairs are about links alone. {cure}")
        return self._oracle

    def repair_certificate(self, *, protect: str | Collection[str] = ()) -> DocumentCertificate:
        """Return a proof that ``repair`` makes the document consistent, and that no repair of less weight does.

        ``tp.verify`` checks it.

        Args:
            protect: As in ``repair``.

        Returns:
            The certificate, for ``tp.verify``.

        Raises:
            ContradictionError: Protected links contradict each other.
            BudgetExceeded: The time limit ran out before the answer was known.

        >>> oracle = Oracle([("a", "BEFORE", "b"), ("b", "BEFORE", "c"), ("c", "BEFORE", "a")])
        >>> oracle.repair_certificate().to_dict()["dropped"]
        [0]
        """
        found = self._oracle.repair_certificate(protect=self._protected(protect))
        if isinstance(found, Unrepairable):
            raise ContradictionError(self.document.id, found.conflict)
        return DocumentCertificate(found, provenance(self.document))

    def _protected(self, protect: str | Collection[str]) -> Collection[str]:
        """Return ids and labels that exist."""
        others: tuple[str, ...] = ()  # names that are neither ids nor labels of links
        if not isinstance(self._oracle, NetworkOracle):
            others = (LINKS, VALUES, *(fact.id for fact in self._oracle.values.facts))
        return protected(self.document, protect, others)

    def certificate(
        self, query: tuple[str | CalendarDate, str | Relation, str | CalendarDate] | None = None
    ) -> DocumentCertificate:
        """Return a proof of (in)consistency, or of what follows about ``query``, that ``tp.verify`` can check.

        Args:
            query: Source, relation and target of a question; without it, the certificate is about consistency.

        Returns:
            The certificate, for ``tp.verify``.

        Raises:
            BudgetExceeded: The time limit ran out before the answer was known.

        >>> Oracle([("a", "BEFORE", "b")]).certificate(("a", "b|m", "b")).claim
        'entailed'
        """
        if query is None:
            return DocumentCertificate(self._oracle.certificate(), provenance(self.document))
        oracle, first, second = self._with_dates(query[0], query[2])
        return DocumentCertificate(oracle.certificate((first, query[1], second)), provenance(self.document))

    def closure_certificate(self) -> DocumentCertificate:
        """Return a proof that ``closure`` is right and complete, or that the document contradicts itself.

        Returns:
            The certificate, for ``tp.verify``.

        Raises:
            BudgetExceeded: The time limit ran out, or the proof would be too large.

        >>> Oracle([("a", "BEFORE", "b"), ("b", "BEFORE", "c")]).closure_certificate().claim
        'closure'
        """
        from temporacle.reasoner.proofs.closure import certify_closure

        if not isinstance(self._oracle, NetworkOracle):
            raise UsageError("there are no certificates of closures with calendar: leave out calendar")
        self._oracle.require_exact("certificates")
        found = confirmed(certify_closure(self._oracle.judged))
        return DocumentCertificate(found, provenance(self.document))

    # --- what follows -----------------------------------------------------------------------------------------------

    def relation(self, asked: str | Relation) -> Relation:
        """Return the relation of a question: labels of the label set, or atoms, joined by ``|``.

        Args:
            asked: A label, atoms such as ``b|m``, or a Relation.

        Returns:
            The relation.

        Raises:
            LabelError: The label is not in the label set.

        >>> Oracle([("a", "BEFORE", "b")]).relation("IBEFORE|b")
        Relation('b|m')
        """
        return self._oracle.relation(asked)

    def entails(self, source: str | CalendarDate, relation: str | Relation, target: str | CalendarDate) -> Verdict:
        """Return whether ``source relation target`` holds in all models (ENTAILED), none (REFUTED), or some (OPEN).

        Args:
            source: Id of an entity; with a calendar also a date, ``tp.date("1998-02-09")``.
            relation: A label of the label set, atoms such as ``b|m``, or a Relation.
            target: Id of an entity; with a calendar also a date, ``tp.date("1998-02-09")``.

        Returns:
            The verdict. ``bool()`` of it raises. UNDECIDED if the time limit ran out first, INCONSISTENT if the
            document contradicts itself.

        >>> oracle = Oracle([("a", "b|m", "b")])
        >>> oracle.entails("a", "BEFORE", "b"), oracle.entails("b", "BEFORE", "a")
        (<Verdict.OPEN: 'open'>, <Verdict.REFUTED: 'refuted'>)
        """
        oracle, first, asked, second = self._asked(source, relation, target)
        try:
            if not self._oracle.is_consistent():
                return Verdict.INCONSISTENT
        except BudgetExceeded:
            return Verdict.UNDECIDED
        return oracle.entails(first, asked, second)

    def why(
        self, source: str | CalendarDate, relation: str | Relation, target: str | CalendarDate
    ) -> tuple[Fact, ...] | None:
        """Return the links that entail or refute ``source relation target``; None if neither is the case.

        Args:
            source: Id of an entity; with a calendar also a date, ``tp.date("1998-02-09")``.
            relation: A label of the label set, atoms such as ``b|m``, or a Relation.
            target: Id of an entity; with a calendar also a date, ``tp.date("1998-02-09")``.

        Returns:
            The smallest such set where all links are convex, as all labels of TimeML are; otherwise a set of which
            every link is needed.

        Raises:
            ContradictionError: The document contradicts itself.
            BudgetExceeded: The time limit ran out before the answer was known.

        >>> oracle = Oracle([("a", "b", "b"), ("b", "b", "c"), ("c", "b", "d"), ("a", "b", "c")])
        >>> [link.id for link in oracle.why("a", "BEFORE", "d")]
        ['l3', 'l4']
        >>> oracle.why("a", "MEETS", "a")
        ()
        >>> oracle.why("b", "INCLUDES|BEFORE|MEETS", "a") is None
        False
        """
        oracle, first, asked, second = self._asked(source, relation, target)
        self._require_consistent()
        verdict = oracle.entails(first, asked, second)
        if verdict is Verdict.OPEN:
            return None
        if verdict is Verdict.UNDECIDED:
            raise BudgetExceeded("not decided within the time limit")
        holds = asked if verdict is Verdict.ENTAILED else ~asked
        if isinstance(oracle, NetworkOracle):
            return oracle.links_behind(first, holds, second)
        return oracle.facts_behind(first, holds, second)

    def strongest(self, source: str | CalendarDate, target: str | CalendarDate) -> Relation:
        """Return the smallest relation that holds in every model.

        Args:
            source: Id of an entity; with a calendar also a date, ``tp.date("1998-02-09")``.
            target: Id of an entity; with a calendar also a date, ``tp.date("1998-02-09")``.

        Returns:
            The relation: all atoms that are possible.

        Raises:
            ContradictionError: The document contradicts itself.
            BudgetExceeded: The time limit ran out before the answer was known.

        >>> Oracle([("a", "MEETS", "b"), ("b", "BEFORE", "c")]).strongest("a", "c")
        Relation('b')
        """
        oracle, first, second = self._with_dates(source, target)
        self._require_consistent()
        return oracle.strongest(first, second)

    def closure(self) -> DocumentClosure:
        """Return the strongest relation of every pair, with ``to_frame()``.

        Returns:
            The closure, with ``to_frame()``.

        Raises:
            ContradictionError: The document contradicts itself.
            BudgetExceeded: The time limit ran out before the answer was known.

        >>> Oracle([("a", "MEETS", "b"), ("b", "BEFORE", "c")]).closure()
        DocumentClosure('document', 3 entities)
        """
        from temporacle.tasks.closure import closure_of

        self._require_consistent()
        return closure_of(self.document, self._oracle.minimal_network())

    def witness(self) -> Witness:
        """Return times (start, end) of all entities with which every link is true.

        Returns:
            Start and end of each entity.

        Raises:
            ContradictionError: The document contradicts itself.
            BudgetExceeded: The time limit ran out before the answer was known.

        >>> Oracle([("a", "BEFORE", "b")]).witness()
        {'a': (0, 1), 'b': (2, 3)}
        """
        self._require_consistent()
        return self._oracle.witness()

    def countermodel(
        self, source: str | CalendarDate, relation: str | Relation, target: str | CalendarDate
    ) -> Witness | None:
        """Return a witness in which ``source relation target`` does not hold; None if it is entailed.

        Raises as ``strongest`` does.

        Args:
            source: Id of an entity; with a calendar also a date, ``tp.date("1998-02-09")``.
            relation: A label of the label set, atoms such as ``b|m``, or a Relation.
            target: Id of an entity; with a calendar also a date, ``tp.date("1998-02-09")``.

        Returns:
            Start and end of each entity; None if the relation is entailed.

        Raises:
            ContradictionError: The document contradicts itself.
            BudgetExceeded: The time limit ran out before the answer was known.

        >>> Oracle([("a", "b|m", "b")]).countermodel("a", "BEFORE", "b")
        {'a': (0, 1), 'b': (1, 2)}
        """
        oracle, first, asked, second = self._asked(source, relation, target)
        self._require_consistent()
        return oracle.countermodel(first, asked, second)

    # --- on the calendar --------------------------------------------------------------------------------------------

    def bounds(self, entity: str) -> EntityBounds:
        """Return the earliest and latest time at which an entity can start and end; needs ``calendar``.

        Raises as ``strongest`` does.

        Args:
            entity: Id of an entity.

        Returns:
            The limits of its start and its end.

        Raises:
            UsageError: The oracle has no calendar.
            ContradictionError: The document contradicts itself.
            BudgetExceeded: The time limit ran out before the answer was known.

        >>> from temporacle.model import Document, Entity, Kind
        >>> monday = Entity("t1", Kind.TIME, value="1998-02-09")
        >>> document = Document("d", [("left", "IS_INCLUDED", "t1")], known_times=(monday,))
        >>> Oracle(document, calendar="within").bounds("left").end.latest
        Limit(seconds=887068800, attained=False)
        """
        oracle = self._require_calendar()
        self._require_known(entity)
        self._require_consistent()
        return oracle.bounds(entity)

    @property
    def unit(self) -> int | None:
        """Return how many steps of a witness are one second; None without a calendar, when times are only ranks."""
        return None if isinstance(self._oracle, NetworkOracle) else self._oracle.unit

    def _require_calendar(self) -> CalendarOracle:
        if isinstance(self._oracle, NetworkOracle):
            raise UsageError('dates need a calendar: tp.Oracle(document, calendar="within")')
        return self._oracle

    def _with_dates(
        self, source: str | CalendarDate, target: str | CalendarDate
    ) -> tuple[NetworkOracle | CalendarOracle, str, str]:
        """Return the oracle to ask, and the names of two entities or dates."""
        dates = [each for each in (source, target) if not isinstance(each, str)]
        self._require_known(*(each for each in (source, target) if isinstance(each, str)))
        names = [each if isinstance(each, str) else each.value for each in (source, target)]
        if not dates:
            return self._oracle, names[0], names[1]
        if taken := [date.value for date in dates if date.value in self._oracle.network.index]:
            raise UsageError(f"{taken[0]!r} is an entity of the document: the date cannot have its name")
        return self._require_calendar().asked_about(dates), names[0], names[1]

    def _asked(
        self, source: str | CalendarDate, relation: str | Relation, target: str | CalendarDate
    ) -> tuple[NetworkOracle | CalendarOracle, str, Relation, str]:
        """Return the oracle to ask, and the parts of a question."""
        oracle, first, second = self._with_dates(source, target)
        return oracle, first, oracle.relation(relation), second

    # --- what every question needs ----------------------------------------------------------------------------------

    def _require_known(self, *entities: str) -> None:
        for entity in entities:
            self._oracle.network.number(entity)  # UsageError with known ones

    def _require_consistent(self) -> None:
        if not self._oracle.is_consistent():
            answer = self._oracle.consistency()
            raise ContradictionError(self.document.id, answer.conflict if isinstance(answer, Inconsistent) else ())


def _calendar_oracle(
    document: Document, calendar: Calendar, budget: Budget, engine: str, reading: Reading | None
) -> CalendarOracle:
    from temporacle.reasoner.clock.oracle import CalendarOracle

    if engine != "exact":
        raise UsageError(f"engine {engine!r} does not know values: calendar needs the engine exact")
    return CalendarOracle(document, calendar, budget=budget, reading=reading)


@dataclass(frozen=True, slots=True, repr=False)
class DocumentCertificate:
    """A certificate with what it says about the document's file. ``write`` makes a file for ``temporacle verify``."""

    certificate: Certificate
    document: Mapping[str, Any]  # id, path, digest, and how the file was read

    @property
    def claim(self) -> str:
        """Return the claim: consistent, inconsistent, entailed, refuted, open, closure or repair."""
        return self.certificate.claim

    def __repr__(self) -> str:
        links = counted(len(self.certificate.links), "link")
        return f"DocumentCertificate({self.document['id']!r}: {self.claim}, {links})"

    def to_dict(self) -> dict[str, Any]:
        """Return the certificate as it is written to a file (docs/certificates.md)."""
        return to_json(self.certificate, self.document)

    def write(self, path: str | PathLike[str]) -> None:
        """Write the certificate to a file."""
        write_certificate(path, self.certificate, dict(self.document))
