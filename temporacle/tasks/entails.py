"""Ask one document about one relation, with reasons: the job of ``temporacle entails``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, Unpack

from temporacle.corpus.inputs import documents, paths_of
from temporacle.corpus.observer import SILENT
from temporacle.corpus.options import FileOptions, Going
from temporacle.declared import About, whole_task
from temporacle.errors import BudgetExceeded, LabelError, UsageError, spelled
from temporacle.frames import html_table, to_frame
from temporacle.model import Document, Unreadable, skipped_words
from temporacle.passages import excerpts_of, no_entity
from temporacle.printing import first_of
from temporacle.reasoner.reference.engines import DECIDING, require_exact
from temporacle.relation import NOTHING
from temporacle.results import HasWarnings, Verdict
from temporacle.rules import trouble_with
from temporacle.tasks.answers import missing_values
from temporacle.tasks.certificates import require_recordable
from temporacle.tasks.oracle import Oracle
from temporacle.wording import NO_EXCERPTS, entities_of, fact_rows, in_text_order

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike

    from temporacle.calendar.policy import Calendar
    from temporacle.calendar.values import CalendarDate
    from temporacle.corpus.inputs import Inputs
    from temporacle.corpus.observer import Observer
    from temporacle.io.source import Options
    from temporacle.model import Remark
    from temporacle.passages import Excerpts
    from temporacle.relation import Relation
    from temporacle.results import Fact, Witness

FEW_ENTITIES = 20  # of a timeline that people read whole
COLUMNS = ("document", "source", "relation", "target", "verdict", "strongest")


@dataclass(frozen=True, slots=True, repr=False)
class Entailment(HasWarnings):
    """A verdict, and what there is to say about it. What the budget left undone is None, and ``notes`` says so."""

    document: str
    source: str
    relation: str  # as it was asked
    target: str
    verdict: Verdict
    strongest: Relation | None = None  # what does follow about the pair
    witness: Witness | None = None  # times of which every link is true, and the relation is not
    because: tuple[Fact, ...] | None = None  # the links it follows from, or that refute it; empty if it is open
    notes: tuple[str, ...] = ()
    unit: int | None = None  # steps of the witness in a second, counted from 1970; None: times are ranks
    excerpts: Excerpts = NO_EXCERPTS  # what the text has about the two entities and about these links
    warnings: tuple[Remark, ...] = ()  # links of the document that could not be used
    decided_by: str = "exact"  # the engine

    def __bool__(self) -> NoReturn:
        raise TypeError("an Entailment is not a yes or no: compare its verdict with one of Verdict's values")

    def __repr__(self) -> str:
        skipped = skipped_words(self.skipped_links)
        return f"Entailment({self.source} {self.relation} {self.target}: {self.verdict.value}{skipped})"

    def to_dict(self) -> dict[str, Any]:
        """Return what ``--output json`` prints."""
        row = {
            "verdict": self.verdict.value,
            "strongest": None if self.strongest is None else list(self.strongest.atoms),
            "witness": None if self.witness is None else {name: list(times) for name, times in self.witness.items()},
            "because": None if self.because is None else fact_rows(self.because, self.excerpts.texts),
            "decided_by": self.decided_by,
            "skipped_links": self.skipped_links,
        }
        return row if self.unit is None or self.witness is None else row | {"unit": self.unit}

    def _cells(self) -> list[object]:
        strongest = None if self.strongest is None else str(self.strongest)
        return [self.document, self.source, self.relation, self.target, self.verdict.value, strongest]

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row."""
        return to_frame([dict(zip(COLUMNS, self._cells(), strict=True))], COLUMNS)

    def _repr_html_(self) -> str:
        reasons = [[fact.id, fact.said] for fact in self.because or ()]
        follows = html_table(("because", "it says"), reasons) if reasons else ""
        return html_table(COLUMNS, [self._cells()], repr(self)) + follows


@whole_task
def entails(
    source: Annotated[Inputs, About("A document; - is standard input.", value="PATH", path="read")],
    first: Annotated[str, About("Id of an entity, or with {calendar} a date.", value="SOURCE")],
    relation: Annotated[str | Relation, About("A label, atoms such as b|m, or both.", value="RELATION")],
    second: Annotated[str, About("Id of an entity, or with {calendar} a date.", value="TARGET")],
    *,
    document: Annotated[str | None, About("Which document, where the source holds several.", value="ID")] = None,
    certificate: Annotated[
        str | PathLike[str] | None, About("Write a proof of the answer, for verify.", value="FILE", path="file")
    ] = None,
    engine: Annotated[
        str,
        About(
            "What decides. cpsat and enumeration (up to 6 entities) are slow, and share no code with exact.",
            choices=DECIDING,
        ),
    ] = "exact",
    observer: Observer = SILENT,
    **shared: Unpack[FileOptions],
) -> Entailment:
    """Return whether one document entails ``first relation second``, and why or why not.

    The time limit is for the answer and its reasons together.

    Args:
        observer: Gets what could not be used.

    Returns:
        The verdict, with the links that it follows from or a timeline on which the relation does not hold.

    Raises:
        UsageError: The document lacks an entity, or the label set lacks the relation.
        InputError: The source cannot be read.

    Examples:
        >>> found = entails([("a", "MEETS", "b"), ("b", "BEFORE", "c")], "a", "BEFORE", "c")
        >>> found, [link.id for link in found.because]
        (Entailment(a BEFORE c: entailed), ['l1', 'l2'])
    """
    going = Going.over(source, shared)
    options, chosen = going.options, going.calendar
    if certificate is not None:
        require_exact(engine, "certificates")
        require_recordable(options.choices)
    meant = _named(source, options, document, observer)
    oracle = Oracle(meant, time_limit=going.limit, engine=engine, calendar=chosen)
    if chosen is not None:
        from temporacle.calendar.facts import values_of

        for remark in missing_values(oracle.document, values_of(oracle.document, chosen)):
            observer.corpus_remark(remark)
    try:
        asked = oracle.relation(relation)
    except LabelError as error:
        raise UsageError(str(error)) from None
    ends = [_entity_or_date(each, oracle, chosen) for each in (first, second)]
    answer = _answer(oracle, ends[0], asked, ends[1], str(relation))
    answer = replace(_quoted(answer, oracle.document), decided_by=engine)
    if certificate is not None and answer.verdict is not Verdict.UNDECIDED:
        try:
            oracle.certificate((ends[0], asked, ends[1])).write(certificate)
        except BudgetExceeded as limit:
            return _noted(answer, f"no certificate: {limit}")
    return answer


def _named(source: Inputs, options: Options, name: str | None, observer: Observer) -> Document:
    """Return the document that is meant."""
    found: list[Document] = []
    for each in documents(source, options, report=observer.corpus_remark):
        if isinstance(each, Unreadable):
            _observed(each, observer)
        elif name is None or each.id == name:
            found.append(each)
    if len(found) == 1:
        _observed(found[0], observer)
        return found[0]
    place = ", ".join(paths_of(source) or ["the source"])
    if not found:
        raise UsageError(f"{place} holds no readable document{f' called {name!r}' if name else ''}")
    several = f"{place} holds {len(found)} documents"
    ids = first_of((each.id for each in found), 8)
    if name:
        raise UsageError(f"{several} called {name!r}")
    raise UsageError(f"{several}, choose one: {ids}", option="document")


def _observed(found: Document | Unreadable, observer: Observer) -> None:
    for trouble in trouble_with(found):
        observer.unusable(*trouble)


def _entity_or_date(name: str, oracle: Oracle, calendar: Calendar | None) -> str | CalendarDate:
    """Return what a question names: an entity, or with a calendar a date that is not the name of an entity."""
    if name in oracle.network.index:
        return name
    from temporacle.calendar.values import BadValue, CalendarDate, Span, read_value

    value = read_value(name, "unknown" if calendar is None else calendar.hemisphere)
    if isinstance(value, Span) and calendar is not None:
        return CalendarDate(name)
    cure = ""
    if isinstance(value, Span):
        cure = f"To ask about a date, add {spelled('calendar', 'within')}."
    elif calendar is not None and value == BadValue("value-impossible"):
        cure = "There is no such date."
    raise no_entity(oracle.document, name, cure)


def _answer(
    oracle: Oracle, source: str | CalendarDate, relation: Relation, target: str | CalendarDate, asked: str
) -> Entailment:
    """Return the answer.

    The verdict comes first; other results are left out if the budget runs out before they are known.
    """
    verdict = oracle.entails(source, relation, target)
    names = [each if isinstance(each, str) else each.value for each in (source, target)]
    said = (oracle.document.id, names[0], asked, names[1], verdict)
    if verdict is Verdict.UNDECIDED:
        return Entailment(*said, notes=("not decided within the time limit",))
    if verdict is Verdict.INCONSISTENT:
        return Entailment(*said, strongest=NOTHING, because=())
    answer = Entailment(*said, because=() if verdict is Verdict.OPEN else None)
    steps: list[Callable[[], dict[str, Any]]] = [
        lambda: {"witness": oracle.countermodel(source, relation, target), "unit": oracle.unit},
        lambda: {"strongest": oracle.strongest(source, target)},
        lambda: {"because": oracle.why(source, relation, target)},
    ]
    for step in steps[verdict is Verdict.ENTAILED : 2 if verdict is Verdict.OPEN else 3]:
        try:
            answer = replace(answer, **step())
        except BudgetExceeded as limit:
            answer = _noted(answer, str(limit))
    return answer


def _quoted(answer: Entailment, document: Document) -> Entailment:
    """Return the answer with the words of the text, and its links in the text's order."""
    reasons = answer.because or ()
    others = answer.witness if answer.witness is not None and len(answer.witness) <= FEW_ENTITIES else ()
    excerpts = excerpts_of(document, {answer.source, answer.target, *entities_of(reasons), *others})
    because = None if answer.because is None else in_text_order(reasons, excerpts)
    return replace(answer, because=because, excerpts=excerpts, warnings=document.dropped)


def _noted(answer: Entailment, note: str) -> Entailment:
    return answer if note in answer.notes else replace(answer, notes=(*answer.notes, note))
