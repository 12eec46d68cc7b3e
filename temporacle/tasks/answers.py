"""The same question put to every document of a source; one that cannot be read or decided does not stop the others."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, TypeVar

from temporacle.corpus.each import Question
from temporacle.corpus.each import each as asked_of_each
from temporacle.frames import html_table, to_frame
from temporacle.model import Document, Remark, counted, skipped_words
from temporacle.results import DocumentVerdict, HasWarnings, OfDocuments, warned_words

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator

    from temporacle.calendar.facts import DocumentValues
    from temporacle.corpus.inputs import Found, Inputs
    from temporacle.corpus.observer import Observer
    from temporacle.corpus.options import Going
    from temporacle.reasoner.network import Budget
    from temporacle.runner.journal import Journal

_MOST_SHOWN = 20  # rows in a notebook


_LOOKS = 64  # rows between two looks at the clock


@dataclass(frozen=True, slots=True, repr=False)
class DocumentAnswer(HasWarnings):
    """The result of a job for one document. Only a consistent document has more to show than its verdict."""

    columns: ClassVar[tuple[str, ...]] = ()

    document: str
    verdict: DocumentVerdict
    path: str | None = None
    reason: str | None = None  # why it is undecided or unreadable
    dropped: tuple[Remark, ...] = ()  # links that could not be read
    notes: tuple[Remark, ...] = field(default=(), kw_only=True)  # what else there is to say
    allowed: Budget | None = field(default=None, kw_only=True, compare=False)  # what is left of the time limit
    left: float | None = field(default=None, kw_only=True, compare=False)  # seconds that are left to list the rows

    @classmethod
    def without(cls, found: Found, verdict: DocumentVerdict, reason: str | None = None) -> Self:
        """Return the answer for a document without rows."""
        dropped = found.dropped if isinstance(found, Document) else ()
        return cls(found.id, verdict, found.path, reason, dropped)

    def without_more(self, verdict: DocumentVerdict, reason: str) -> Self:
        """Return the document as one without rows."""
        return type(self)(self.document, verdict, self.path, reason, self.dropped)

    @property
    def warnings(self) -> tuple[Remark, ...]:
        """Return the skipped links, and what else there is to say."""
        return (*self.dropped, *self.notes)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield one dict for each line that ``--output json`` prints."""
        if self.verdict is DocumentVerdict.CONSISTENT:
            yield from self.found()
            if self.dropped:
                yield {"document": self.document, "skipped_links": self.skipped_links}
            return
        row: dict[str, Any] = {"document": self.document, "verdict": self.verdict.value}
        if self.reason is not None:
            row["reason"] = self.reason
        if self.dropped:
            row["skipped_links"] = self.skipped_links
        yield row

    def rows_in_time(self) -> Iterator[dict[str, Any]]:
        """Yield the rows as far as the time limit allows. If it runs out, the last row says how many were listed."""
        until = None if self.left is None else monotonic() + self.left
        for number, row in enumerate(self.rows()):
            if until is not None and number % _LOOKS == 0 and monotonic() > until:
                yield {"document": self.document, "verdict": DocumentVerdict.UNDECIDED.value, "listed": number}
                return
            yield row

    def found(self) -> Iterator[dict[str, Any]]:
        """Return the rows of a consistent document."""
        raise NotImplementedError

    def table(self) -> Iterator[dict[str, Any]]:
        """Return the rows of a frame: like ``found``, with sets of atoms joined by ``|``."""
        return self.found()

    def shown(self) -> Iterator[dict[str, Any]]:
        """Return the rows of a notebook: like ``table``, in words where there are any."""
        return self.table()

    def to_dict(self) -> list[dict[str, Any]]:
        """Return what ``--output json`` prints: a list with one dict for each line."""
        return list(self.rows())

    def to_frame(self) -> Any:
        """Return a pandas DataFrame. Documents that are inconsistent, undecided or unreadable have no rows in it."""
        return to_frame(list(self.table()) if self.verdict is DocumentVerdict.CONSISTENT else [], self.columns)

    def _repr_html_(self) -> str:
        return DocumentAnswers((self,))._repr_html_()


Answer = TypeVar("Answer", bound=DocumentAnswer)
Answer_co = TypeVar("Answer_co", bound=DocumentAnswer, covariant=True)


@dataclass(frozen=True, slots=True, repr=False)
class DocumentAnswers(OfDocuments[Answer_co]):
    """The answers for all documents of a source, in order."""

    kind: ClassVar[type[DocumentAnswer]] = DocumentAnswer

    documents: tuple[Answer_co, ...]

    @classmethod
    def of(cls, found: Iterable[Answer_co]) -> Self:
        """Return all answers of a run."""
        return cls(tuple(found))

    def __repr__(self) -> str:
        counts = Counter(each.verdict.value for each in self.documents)
        other = "".join(f", {count} {verdict}" for verdict, count in counts.items() if verdict != "consistent")
        skipped = skipped_words(self.skipped_links)
        links = f"; links{skipped[1:]}" if skipped else ""
        return f"{type(self).__name__}({counted(len(self), 'document')}{other}{links}{warned_words(self.warnings)})"

    def _columns(self) -> tuple[str, ...]:
        return self.documents[0].columns if self.documents else self.kind.columns

    def to_dict(self) -> list[dict[str, Any]]:
        """Return what ``--output json`` prints: a list with one dict for each line."""
        return [row for each in self.documents for row in each.rows()]

    def to_frame(self) -> Any:
        """Return a pandas DataFrame. Documents that are inconsistent, undecided or unreadable have no rows in it."""
        columns = self._columns()
        shown = (each for each in self.documents if each.verdict is DocumentVerdict.CONSISTENT)
        return to_frame([row for each in shown for row in each.table()], columns)

    def _repr_html_(self) -> str:
        columns = self._columns()
        rows: list[list[object]] = []
        for each in self.documents:
            if each.verdict is DocumentVerdict.CONSISTENT:
                rows += [[row.get(column) for column in columns] for row in each.shown()]
            else:
                rows.append([each.document, each.reason or each.verdict.value])
        count = f"{counted(len(rows), 'row')} of {counted(len(self), 'document')}"
        caption = count + skipped_words(self.skipped_links)
        return html_table(columns, rows, caption, most=_MOST_SHOWN)


class HasNotes(Protocol):
    """An answer, and what there is to say about it."""

    @property
    def verdict(self) -> DocumentVerdict:
        """Return the verdict about the answer."""

    @property
    def notes(self) -> tuple[Remark, ...]:
        """Return the messages about the answer."""


Noted = TypeVar("Noted", bound=HasNotes)


def answers(
    source: Inputs,
    question: Question[Noted],
    going: Going,
    observer: Observer,
    journal: Journal | None = None,
) -> Generator[Noted, None, None]:
    """Yield the answer of each document, after what is to be said about it."""
    for answer in asked_of_each(source, question, going, observer, journal):
        for remark in answer.notes:
            observer.corpus_remark(remark)
        yield answer


def asked(ask: Callable[[Document, Budget], Answer], kind: type[Answer], limit: float | None) -> Question[Answer]:
    """Return the question whose answers are of a kind."""
    return Question(partial(_timed, ask), kind.without, limit)


def _timed(ask: Callable[[Document, Budget], Answer], document: Document, budget: Budget) -> Answer:
    answer = ask(document, budget)
    return answer if budget.seconds is None else replace(answer, allowed=budget, left=budget.remaining())


def missing_values(document: Document, values: DocumentValues) -> tuple[Remark, ...]:
    """Return what there is to say about a document whose values were asked for: that it has none."""
    if values.values:
        return ()
    from temporacle.reasoner.clock.check import SILENT_VALUES

    return (Remark("no-values", f"{document.id}: {SILENT_VALUES}"),)
