"""What follows from documents: the strongest relation of every pair of entities, and the minimal graph.

``tp.closure`` and ``temporacle closure``, ``tp.reduce`` and ``temporacle reduce``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple, Unpack

from temporacle.corpus.each import Question, unless_alone
from temporacle.corpus.observer import SILENT
from temporacle.corpus.options import Corpus, CorpusOptions, DatedOptions, Going
from temporacle.declared import About, task
from temporacle.errors import BudgetExceeded, UsageError
from temporacle.model import skipped_words
from temporacle.reasoner.judged import Judged
from temporacle.reasoner.network import Network, PairTable, point_labels
from temporacle.reasoner.oracle import Oracle as NetworkOracle
from temporacle.reasoner.points.minimal_graph import reduction_of
from temporacle.reasoner.points.searched_rows import SearchedRows
from temporacle.reasoner.proofs.certificate import accepted, certify_conflict, to_json
from temporacle.reasoner.reference.engines import ENGINES, TooLargeForEngine, engine_named, refusal_of
from temporacle.results import DocumentVerdict
from temporacle.tasks.answers import DocumentAnswer, DocumentAnswers, answers, asked, missing_values
from temporacle.tasks.certificates import CHANGED, CertificateFiles, DocumentFiles, provenance_of, require_recordable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from os import PathLike

    from temporacle.calendar.policy import Calendar
    from temporacle.corpus.inputs import Found
    from temporacle.corpus.observer import Observer
    from temporacle.model import Document, HowRead, Remark
    from temporacle.readings import Reading
    from temporacle.reasoner.network import Budget
    from temporacle.reasoner.points.large_reduction import SearchedReduction
    from temporacle.reasoner.points.minimal_graph import NodeEdge, Reduction
    from temporacle.relation import Relation


@dataclass(frozen=True, slots=True, repr=False)
class DocumentClosure(DocumentAnswer):
    """The relations that follow for each pair of entities of one document."""

    columns: ClassVar[tuple[str, ...]] = ("document", "source", "relation", "target")

    pair_table: PairTable | None = None  # None unless the document is consistent
    universal: bool = False  # whether pairs about which nothing is known are listed
    certificate_path: str | None = None  # the certificate that was written
    uncertified: str | None = None  # why none was written, although one was asked for
    decided_by: str = "exact"  # the engine
    reading: Reading | None = field(default=None, compare=False)  # of the document, for labels of relations

    def __repr__(self) -> str:
        what = self.verdict.value if self.pair_table is None else f"{len(self.pair_table.entities)} entities"
        return f"{type(self).__name__}({self.document!r}, {what}{skipped_words(self.skipped_links)})"

    def relation(self, source: str, target: str) -> Relation:
        """Return the strongest relation of two entities.

        >>> closure([("a", "MEETS", "b"), ("b", "MEETS", "c")])[0].relation("c", "a")
        Relation('bi')
        """
        table = self.pair_table or PairTable((), ())
        try:
            return table.relation(source, target)
        except KeyError:
            known = Network((), table.entities)
            known.number(source)  # UsageError with known ones
            known.number(target)
            raise

    def pairs(self) -> Iterator[tuple[str, Relation, str]]:
        """Yield each unordered pair once, in order of first mention.

        >>> list(closure([("a", "MEETS", "b"), ("b", "MEETS", "c")])[0].pairs())[-1]
        ('b', Relation('m'), 'c')
        """
        return iter(()) if self.pair_table is None else self.pair_table.pairs(universal=self.universal)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield one dict for each line that ``--output json`` prints. Other engines than exact are named."""
        named = {} if self.decided_by == "exact" else {"decided_by": self.decided_by}
        return (row | named for row in DocumentAnswer.rows(self))

    def found(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of a consistent document."""
        for source, relation, target in self.pairs():
            yield {"document": self.document, "source": source, "relation": list(relation.atoms), "target": target}

    def table(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of a frame."""
        for source, relation, target in self.pairs():
            yield {"document": self.document, "source": source, "relation": str(relation), "target": target}

    def shown(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of a notebook: a relation by the label of the document that means it, if there is one."""
        reading = self.reading
        for source, relation, target in self.pairs():
            label = str(relation) if reading is None else reading.label_for(relation)
            yield {"document": self.document, "source": source, "relation": label, "target": target}


@dataclass(frozen=True, slots=True, repr=False)
class DocumentPoints(DocumentClosure):
    """The labels that follow for each pair of endpoints of one document."""

    columns: ClassVar[tuple[str, ...]] = ("document", "left", "label", "right")

    def found(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of a consistent document."""
        if self.pair_table is not None:
            for left, label, right in point_labels(self.pair_table, universal=self.universal):
                yield {"document": self.document, "left": left, "label": label, "right": right}

    def table(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of a frame."""
        return self.found()

    shown = table


class Closures(DocumentAnswers[DocumentClosure]):
    """The closures of all documents of a source."""

    kind = DocumentClosure


@task(Closures.of)
def closure(
    source: Corpus,
    *,
    engine: Annotated[
        str, About("; ".join(f"{each.name} ({each.note})" for each in ENGINES.values()), value="ENGINE")
    ] = "exact",
    points: Annotated[bool, About("Give the order of starts and ends instead of relations.")] = False,
    all: Annotated[bool, About("Also list pairs about which nothing is known.")] = False,  # noqa: A002
    certificate: Annotated[
        str | PathLike[str] | None,
        About("Write a proof that the closure of the only document is right and complete.", value="FILE", path="file"),
    ] = None,
    certificates: Annotated[
        str | PathLike[str] | None, About("Write such a proof for each document.", value="DIR", path="folder")
    ] = None,
    observer: Observer = SILENT,
    **shared: Unpack[DatedOptions],
) -> Iterator[DocumentClosure]:
    """Return the strongest relation that each document entails for every pair of its entities.

    A document that is inconsistent, undecided or unreadable has its verdict instead of pairs. Certificates are for the
    engine exact, without calendar; ``tp.verify`` checks them.

    Args:
        observer: Gets the events of the run.

    Returns:
        A sequence with the closure of each document.

    Raises:
        UsageError: Options that do not fit together.

    Examples:
        >>> found = closure([("left", "BEFORE", "docked"), ("docked", "b|m", "unloaded")])
        >>> found
        Closures(1 document)
        >>> for source, relation, target in found[0].pairs(): print(source, relation, target)
        left b docked
        left b unloaded
        docked b|m unloaded
    """
    engine_named(engine)
    going = Going.over(source, shared)
    kind = DocumentPoints if points else DocumentClosure
    if going.calendar is not None and engine not in {"exact", "cpsat"}:
        raise UsageError(f"engine {engine!r} does not know values: with calendar choose exact or cpsat")
    ask = partial(_closed, engine=engine, calendar=going.calendar, kind=kind, universal=all)
    journal = going.journal(observer, "closure", engine, points, all, bool(certificate or certificates))
    if certificate is None and certificates is None:
        found = answers(source, asked(ask, kind, going.limit), going, observer, journal)
        return unless_alone(found, lambda answer: refusal_of(answer.reason))
    if going.calendar is not None or engine != "exact":
        raise UsageError("certificates of closures need the engine exact, without calendar: leave out the option")
    require_recordable(going.options.choices)
    question = Question(partial(_proved, ask), partial(_unproved, kind), going.limit)
    files = CertificateFiles(certificates, file=certificate)
    return _certified(answers(source, question, going, observer, journal), files)


def _closed(
    document: Document,
    budget: Budget,
    *,
    engine: str,
    calendar: Calendar | None,
    kind: type[DocumentClosure],
    universal: bool,
) -> DocumentClosure:
    if calendar is None:
        network = Network.of(document)
        try:
            found = (
                Judged(network, budget).listed() if engine == "exact" else engine_named(engine).closure(network, budget)
            )
        except TooLargeForEngine as limit:
            return replace(kind.without(document, DocumentVerdict.UNDECIDED, str(limit)), decided_by=engine)
        return replace(closure_of(document, found, kind, universal=universal), decided_by=engine)
    from temporacle.reasoner.clock.oracle import CalendarOracle

    oracle = CalendarOracle(document, calendar, budget=budget)
    if engine == "cpsat":
        from temporacle.reasoner.reference.cpsat import scaled_closure

        table = scaled_closure(oracle.problem, budget)
    else:
        table = oracle.minimal_network()
    answer = closure_of(document, table, kind, universal=universal)
    return replace(answer, notes=missing_values(document, oracle.values), decided_by=engine)


class _Proved(NamedTuple):
    """A closure with its certificate, made where it was computed."""

    answer: DocumentClosure
    form: dict[str, Any] | None = None
    how_read: HowRead | None = None

    @property
    def verdict(self) -> DocumentVerdict:
        return self.answer.verdict

    @property
    def notes(self) -> tuple[Remark, ...]:
        return self.answer.notes


def _proved(ask: Callable[[Document, Budget], DocumentClosure], document: Document, budget: Budget) -> _Proved:
    """Return a closure with its certificate, or the reason why it has none."""
    from temporacle.reasoner.proofs.closure import certify_table

    answer = ask(document, budget)
    network = Network.of(document)
    table = answer.pair_table
    try:
        found = certify_conflict(Judged(network, budget)) if table is None else certify_table(network, table, budget)
    except BudgetExceeded as limit:
        return _Proved(replace(answer, uncertified=str(limit)))
    about = provenance_of(document.id, None, document.how_read, document.dropped)  # its file is added later
    return _Proved(answer, dict(accepted(to_json(found, about))), document.how_read)


def _unproved(kind: type[DocumentClosure], found: Found, verdict: DocumentVerdict, reason: str) -> _Proved:
    return _Proved(kind.without(found, verdict, reason))


def _certified(found: Iterator[_Proved], files: CertificateFiles) -> Iterator[DocumentClosure]:
    """Yield the closures after their certificates are written."""
    documents = DocumentFiles()
    for answer, form, how_read in found:
        if form is None:
            yield answer
            continue
        about = documents.record(answer.document, answer.path, how_read, answer.dropped)
        if about is None:
            yield replace(answer, uncertified=CHANGED)
            continue
        path = files.write(answer.document, form | {"document": about}, read=[answer.path])
        yield replace(answer, certificate_path=str(path))


def closure_of(
    document: Document,
    table: PairTable | None,
    kind: type[DocumentClosure] = DocumentClosure,
    *,
    universal: bool = False,
) -> DocumentClosure:
    """Return the result for a document whose table of pairs is known. A table of None means that it is inconsistent."""
    if table is None:
        return kind.without(document, DocumentVerdict.INCONSISTENT)
    found = kind(document.id, DocumentVerdict.CONSISTENT, document.path, None, document.dropped, table, universal)
    return replace(found, reading=document.reading)


# --- the minimal graph ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, repr=False)
class DocumentReduction(DocumentAnswer):
    """The minimal graph of one document. Edges are ``(left, "<" or "<=", right)``; an endpoint stands for its node."""

    columns: ClassVar[tuple[str, ...]] = ("document", "kind", "left", "label", "right")

    graph: Reduction | SearchedReduction | None = None  # None unless the document is consistent

    def __repr__(self) -> str:
        if self.graph is None:
            what = self.verdict.value
        else:
            what = f"{len(self.nodes)} nodes, {len(self.graph.major)} major edges"
        return f"DocumentReduction({self.document!r}, {what}{skipped_words(self.skipped_links)})"

    @property
    def nodes(self) -> list[list[str]]:
        """Return the endpoints in order of time. Endpoints that must be equal are in one list."""
        return [] if self.graph is None else list(map(list, self.graph.nodes))

    @property
    def major(self) -> list[tuple[str, str, str]]:
        """Return the edges that cannot be left out."""
        return [] if self.graph is None else self._named(self.graph.major)

    @property
    def minor(self) -> list[tuple[str, str, str]]:
        """Return the edges that follow from others. There can be as many as pairs of endpoints."""
        return [] if self.graph is None else self._named(self.graph.minor())

    @property
    def trivial(self) -> list[tuple[str, str, str]]:
        """Return the edges that join the two endpoints of one entity."""
        return [] if self.graph is None else self._named(self.graph.trivial)

    def _named(self, edges: Iterable[NodeEdge]) -> list[tuple[str, str, str]]:
        names = [node[0] for node in self.nodes]
        return [(names[source], label, names[target]) for source, label, target in edges]

    def found(self) -> Iterator[dict[str, Any]]:
        """Yield the only row of a consistent document."""
        kinds = {"major": self.major, "minor": self.minor, "trivial": self.trivial}
        edges = {kind: list(map(list, found)) for kind, found in kinds.items()}
        yield {"document": self.document, "nodes": self.nodes, **edges}

    def table(self) -> Iterator[dict[str, Any]]:
        """Return the rows of a frame: one for each edge."""
        return self.edges()

    def edges(self, budget: Budget | None = None, *, only_major: bool = False) -> Iterator[dict[str, Any]]:
        """Yield one row for each edge, with all endpoints of its nodes. Raise BudgetExceeded if the time runs out."""
        if self.graph is None:
            return
        graph = self.graph
        names = [" = ".join(node) for node in graph.nodes]
        kinds: list[tuple[str, Iterable[NodeEdge]]] = [("major", graph.major)]
        if not only_major:
            kinds += (("minor", graph.minor()), ("trivial", graph.trivial))
        for kind, edges in kinds:
            for source, label, target in edges:
                if budget is not None:
                    budget.check()
                row = {"kind": kind, "left": names[source], "label": label, "right": names[target]}
                yield {"document": self.document, **row}


class Reductions(DocumentAnswers[DocumentReduction]):
    """The minimal graphs of all documents of a source."""

    kind = DocumentReduction


@task(Reductions.of)
def reduce(
    source: Corpus, *, observer: Observer = SILENT, **shared: Unpack[CorpusOptions]
) -> Iterator[DocumentReduction]:
    """Return the labelled transitive reduction of each document's endpoint graph.

    A document that is inconsistent, undecided or unreadable has its verdict instead of a graph.

    Args:
        observer: Gets the events of the run.

    Returns:
        A sequence with the reduction of each document.

    Raises:
        UsageError: Options that do not fit together.

    Examples:
        >>> found = reduce([("a", "MEETS", "b"), ("b", "BEFORE", "c"), ("a", "BEFORE", "c")])
        >>> found
        Reductions(1 document)
        >>> found[0].major
        [('b.end', '<', 'c.start')]
    """
    going = Going.over(source, shared)
    question = asked(_reduction_of, DocumentReduction, going.limit)
    return answers(source, question, going, observer, going.journal(observer, "reduce"))


def _reduction_of(document: Document, budget: Budget) -> DocumentReduction:
    table = NetworkOracle(document, budget=budget).minimal_network()
    if table is None:
        return DocumentReduction.without(document, DocumentVerdict.INCONSISTENT)
    if isinstance(table.rows, SearchedRows):
        from temporacle.reasoner.points.large_reduction import SearchedReduction

        graph: Reduction | SearchedReduction = SearchedReduction(table.entities, table.rows, budget)
    else:
        graph = reduction_of(table, budget)
    return DocumentReduction(document.id, DocumentVerdict.CONSISTENT, document.path, None, document.dropped, graph)
