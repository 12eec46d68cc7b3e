"""Questions about one document: ``tp.Oracle``.

One rule for documents that contradict themselves, here and on the command line:

    consistency, repair, certificate     are about contradictions, and answer
    entails                              Verdict.INCONSISTENT                       command line: exit 3
    every other question                 raises ContradictionError with a minimal conflict

The reasoner's own ``Oracle`` stands behind it. That one takes networks, gives bare tables, and leaves the question of
contradictions to its callers.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, Unpack

from temporacle.errors import BudgetExceeded, ContradictionError, UsageError
from temporacle.io.source import Options
from temporacle.reasoner.network import Budget
from temporacle.reasoner.oracle import Oracle as NetworkOracle
from temporacle.results import Inconsistent, Verdict
from temporacle.tasks.inputs import ReadingOptions, is_read, one_document
from temporacle.tasks.provenance import provenance, write_certificate

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from os import PathLike

    from temporacle.model import Document, Link
    from temporacle.reasoner.network import Network
    from temporacle.relation import Relation
    from temporacle.results import Certificate, Consistency, Repair, Unrepairable, Witness
    from temporacle.tasks.closure import DocumentClosure
    from temporacle.tasks.inputs import Inputs


class DocumentOracle:
    """Answers questions about one document, exactly or not at all. ``tp.Oracle`` is this class.

    ``source``: a path, a Document, statements such as ``("left", "BEFORE", "docked")``, or a frame.
    ``budget``: seconds for all questions together (or a ``tp.Budget``); None: no limit.
    ``engine``: ``"exact"``, or ``"cpsat"`` to ask CP-SAT alone: slow, and independent of the endpoint graph.
    ``reading``, ``during``, ``format``, ...: how to read the source. For a Document that has been read already, only
    ``reading`` is allowed: it decides what labels in questions mean. Without it they mean what they mean in the
    document.

    >>> oracle = DocumentOracle([("left", "BEFORE", "docked"), ("docked", "b|m", "unloaded")])
    >>> oracle
    Oracle('document', 2 links)
    >>> oracle.entails("left", "BEFORE", "unloaded")
    <Verdict.ENTAILED: 'entailed'>
    """

    def __init__(
        self,
        source: Inputs,
        *,
        budget: float | Budget | None = None,
        engine: str = "exact",
        **reading: Unpack[ReadingOptions],
    ) -> None:
        options = Options(**reading)
        if is_read(source) and (useless := [name for name in reading if name != "reading"]):
            raise UsageError(
                f"{', '.join(useless)}: the document has been read already; give options about reading to read()"
            )
        self.document: Document = one_document(source, options)
        self._budget = budget if isinstance(budget, Budget) else Budget(budget)
        self._oracle = NetworkOracle(self.document, budget=self._budget, engine=engine, reading=options.chosen_reading)

    def __repr__(self) -> str:
        return f"Oracle({self.document.id!r}, {len(self.document.links)} links)"

    def _repr_html_(self) -> str:
        """In a notebook: one timeline on which every link holds, or the links that contradict each other."""
        from temporacle.report.notebook import conflict_html, timeline_html
        from temporacle.tasks.check import check

        try:
            return timeline_html(self.document, self.witness())
        except ContradictionError:
            return conflict_html(check(self.document)[0])
        except BudgetExceeded as limit:
            return f"<p>{escape(str(limit))}</p>"

    @property
    def entities(self) -> tuple[str, ...]:
        """The ids of all entities, in the order of their first mention in a link.

        >>> DocumentOracle([("a", "BEFORE", "b")]).entities
        ('a', 'b')
        """
        return self._oracle.network.entities

    @property
    def network(self) -> Network:
        """The links with entities numbered, for the functions of ``temporacle.reasoner``."""
        return self._oracle.network

    # --- consistency ------------------------------------------------------------------------------------------------

    def consistency(self, *, explain: bool = True) -> Consistency:
        """Whether all links can be true together: Consistent, Inconsistent or Undecided. ``bool()`` of it raises.

        ``explain=False`` saves the search for a minimal conflict: ``conflict`` is empty then.

        >>> answer = DocumentOracle([("a", "BEFORE", "b"), ("b", "BEFORE", "a")]).consistency()
        >>> answer
        Inconsistent(l1 l2, decided by graph)
        """
        return self._oracle.consistency(explain=explain)

    def repair(self, *, protect: str | Collection[str] = ()) -> Repair | Unrepairable:
        """The lightest links to drop so that the rest is consistent.

        ``protect``: ids of links, or labels, that must not be dropped. If protected links contradict each other the
        answer is Unrepairable, with these links. Raises BudgetExceeded when undecided.

        >>> oracle = DocumentOracle([("a", "BEFORE", "b"), ("b", "BEFORE", "c"), ("c", "BEFORE", "a")])
        >>> [link.id for link in oracle.repair(protect=["l1"]).dropped]
        ['l2']
        """
        from temporacle.tasks.repair import protected

        return self._oracle.repair(protect=protected(self.document, protect))

    def certificate(self, query: tuple[str, str | Relation, str] | None = None) -> DocumentCertificate:
        """A proof of (in)consistency, or of what follows about ``query``, that ``tp.verify`` can check.

        Raises BudgetExceeded when undecided.

        >>> DocumentOracle([("a", "BEFORE", "b")]).certificate(("a", "b|m", "b")).claim
        'entailed'
        """
        return DocumentCertificate(self._oracle.certificate(query), provenance(self.document))

    # --- what follows -----------------------------------------------------------------------------------------------

    def relation(self, asked: str | Relation) -> Relation:
        """What a question means: labels of the document's reading, or atoms, joined by ``|``. LabelError if unknown.

        >>> DocumentOracle([("a", "BEFORE", "b")]).relation("IBEFORE|b")
        Relation('b|m')
        """
        return self._oracle.relation(asked)

    def entails(self, source: str, relation: str | Relation, target: str) -> Verdict:
        """Whether ``source relation target`` holds in every model (ENTAILED), in none (REFUTED), or in some (OPEN).

        UNKNOWN if the budget ended before that was decided, INCONSISTENT if the document contradicts itself. ``bool()``
        of a verdict raises.

        >>> oracle = DocumentOracle([("a", "b|m", "b")])
        >>> oracle.entails("a", "BEFORE", "b"), oracle.entails("b", "BEFORE", "a")
        (<Verdict.OPEN: 'open'>, <Verdict.REFUTED: 'refuted'>)
        """
        asked = self._asked(source, relation, target)
        try:
            if not self._oracle.is_consistent():
                return Verdict.INCONSISTENT
        except BudgetExceeded:
            return Verdict.UNKNOWN
        return self._oracle.entails(source, asked, target)

    def why(self, source: str, relation: str | Relation, target: str) -> tuple[Link, ...] | None:
        """The links that ``source relation target`` follows from, or that refute it; None if neither is the case.

        The smallest such set where all links of the document are convex, as all labels of TimeML are; otherwise a set
        of which every link is needed. It is checked by solving again. Raises BudgetExceeded when undecided.

        >>> oracle = DocumentOracle([("a", "b", "b"), ("b", "b", "c"), ("c", "b", "d"), ("a", "b", "c")])
        >>> [link.id for link in oracle.why("a", "BEFORE", "d")]
        ['l3', 'l4']
        >>> oracle.why("a", "MEETS", "a")
        ()
        >>> oracle.why("b", "INCLUDES|BEFORE|MEETS", "a") is None
        False
        """
        from temporacle.reasoner.reasons import links_behind

        asked = self._asked(source, relation, target)
        self._require_consistent()
        verdict = self._oracle.entails(source, asked, target)
        if verdict is Verdict.OPEN:
            return None
        if verdict is Verdict.UNKNOWN:
            raise BudgetExceeded("not decided within the budget")
        holds = asked if verdict is Verdict.ENTAILED else ~asked
        return links_behind(self._oracle.network, source, holds, target, self._budget)

    def strongest(self, source: str, target: str) -> Relation:
        """The smallest relation that holds in every model.

        Raises BudgetExceeded when undecided, ContradictionError if the document contradicts itself.

        >>> DocumentOracle([("a", "MEETS", "b"), ("b", "BEFORE", "c")]).strongest("a", "c")
        Relation('b')
        """
        self._require_known(source, target)
        self._require_consistent()
        return self._oracle.strongest(source, target)

    def closure(self) -> DocumentClosure:
        """The strongest relation of every pair, with ``to_frame()``. Raises as ``strongest`` does.

        >>> DocumentOracle([("a", "MEETS", "b"), ("b", "BEFORE", "c")]).closure()
        DocumentClosure('document', 3 entities)
        """
        from temporacle.tasks.closure import closure_of

        self._require_consistent()
        return closure_of(self.document, self._oracle.minimal_network())

    def witness(self) -> Witness:
        """Times (start, end) of all entities of which every link is true. Raises as ``strongest`` does.

        >>> DocumentOracle([("a", "BEFORE", "b")]).witness()
        {'a': (0, 1), 'b': (2, 3)}
        """
        self._require_consistent()
        return self._oracle.witness()

    def countermodel(self, source: str, relation: str | Relation, target: str) -> Witness | None:
        """A witness in which ``source relation target`` does not hold; None if it is entailed.

        Raises as ``strongest`` does.

        >>> DocumentOracle([("a", "b|m", "b")]).countermodel("a", "BEFORE", "b")
        {'a': (0, 1), 'b': (1, 2)}
        """
        asked = self._asked(source, relation, target)
        self._require_consistent()
        return self._oracle.countermodel(source, asked, target)

    # --- what every question needs ----------------------------------------------------------------------------------

    def _asked(self, source: str, relation: str | Relation, target: str) -> Relation:
        self._require_known(source, target)
        return self._oracle.relation(relation)

    def _require_known(self, *entities: str) -> None:
        for entity in entities:
            self._oracle.network.number(entity)  # UsageError with known ones

    def _require_consistent(self) -> None:
        if not self._oracle.is_consistent():
            answer = self._oracle.consistency()
            raise ContradictionError(self.document.id, answer.conflict if isinstance(answer, Inconsistent) else ())


@dataclass(frozen=True, slots=True, repr=False)
class DocumentCertificate:
    """A certificate with what it says about the document's file. ``write`` makes a file for ``temporacle verify``."""

    certificate: Certificate
    document: Mapping[str, Any]  # id, path, digest, and how the file was read

    @property
    def claim(self) -> str:
        """What is claimed: consistent, inconsistent, entailed, refuted or open."""
        return self.certificate.claim

    def __repr__(self) -> str:
        return f"DocumentCertificate({self.document['id']!r} is {self.claim}, {len(self.certificate.links)} links)"

    def to_dict(self) -> dict[str, Any]:
        """The certificate as its file holds it (docs/certificates.md)."""
        from temporacle.reasoner.certificates import to_json

        return to_json(self.certificate, self.document)

    def write(self, path: str | PathLike[str]) -> None:
        """Write the certificate to a file."""
        write_certificate(path, self.certificate, dict(self.document))
