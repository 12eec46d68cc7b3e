"""The same question put to every document of a source; one that cannot be read or decided does not stop the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, Self, TypeVar, overload

from temporacle.corpus.inputs import documents, require_budget
from temporacle.errors import BudgetExceeded, InternalError
from temporacle.frames import html_table, to_frame
from temporacle.model import Document, Unreadable, skipped_links, skipped_words, unchecked_words
from temporacle.reasoner.network import Budget
from temporacle.results import DocumentVerdict

if TYPE_CHECKING:
    from collections.abc import Callable

    from temporacle.corpus.inputs import Found, Inputs
    from temporacle.io.source import Options
    from temporacle.model import Remark


@dataclass(frozen=True, slots=True, repr=False)
class DocumentAnswer:
    """The result of a job for one document. Only a consistent document has more to show than its verdict."""

    columns: ClassVar[tuple[str, ...]] = ()

    document: str
    verdict: DocumentVerdict
    path: str | None = None
    reason: str | None = None  # why it is undecided or unreadable
    dropped: tuple[Remark, ...] = ()  # links that could not be read

    @classmethod
    def without(cls, found: Found, verdict: DocumentVerdict, reason: str | None = None) -> Self:
        """Return the answer for a document without rows."""
        dropped = found.dropped if isinstance(found, Document) else ()
        return cls(found.id, verdict, found.path, reason, dropped)

    def without_more(self, verdict: DocumentVerdict, reason: str) -> Self:
        """Return the same document as one without rows."""
        return type(self)(self.document, verdict, self.path, reason, self.dropped)

    @property
    def skipped_links(self) -> dict[str, int]:
        """Return how many links could not be used, by code."""
        return skipped_links(self.dropped)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield one dict for each line that ``--output json`` prints; none for an unreadable document."""
        if self.verdict is DocumentVerdict.UNREADABLE:
            return
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

    def found(self) -> Iterator[dict[str, Any]]:
        """Return the rows of a consistent document."""
        raise NotImplementedError

    def table(self) -> Iterator[dict[str, Any]]:
        """Return the rows of a frame: like ``found``, with sets of atoms joined by ``|``."""
        return self.found()

    def to_dict(self) -> list[dict[str, Any]]:
        """Return what ``--output json`` prints: a list with one dict for each line."""
        return list(self.rows())

    def to_frame(self) -> Any:
        """Return a pandas DataFrame. Documents that are inconsistent, undecided or unreadable have no rows in it."""
        return to_frame(list(self.table()) if self.verdict is DocumentVerdict.CONSISTENT else [], self.columns)

    def _repr_html_(self) -> str:
        return DocumentAnswers((self,))._repr_html_()


Answer_co = TypeVar("Answer_co", bound=DocumentAnswer, covariant=True)


@dataclass(frozen=True, slots=True, repr=False)
class DocumentAnswers(Sequence[Answer_co], Generic[Answer_co]):
    """The answers for all documents of a source, in order."""

    kind: ClassVar[type[DocumentAnswer]] = DocumentAnswer

    documents: tuple[Answer_co, ...]

    def __len__(self) -> int:
        return len(self.documents)

    @overload
    def __getitem__(self, place: int) -> Answer_co: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Answer_co, ...]: ...
    def __getitem__(self, place: int | slice) -> Answer_co | tuple[Answer_co, ...]:
        return self.documents[place]

    def __repr__(self) -> str:
        counts = Counter(each.verdict.value for each in self.documents)
        other = "".join(f", {count} {verdict}" for verdict, count in counts.items() if verdict != "consistent")
        skipped = skipped_words(self.skipped_links)
        links = f"; links{skipped[1:]}" if skipped else ""
        return f"{type(self).__name__}({_counted(len(self), 'document')}{other}{links})"

    @property
    def skipped_links(self) -> dict[str, int]:
        """Return how many links of all documents could not be used, by code."""
        return skipped_links(remark for each in self.documents for remark in each.dropped)

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
                rows += [[row.get(column) for column in columns] for row in each.table()]
            else:
                rows.append([each.document, each.reason or each.verdict.value])
        return html_table(columns, rows, caption=skipped_words(self.skipped_links)[2:])


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


class Answered(NamedTuple, Generic[Answer_co]):
    """An answer, and the budget of its document with what is left of it."""

    answer: Answer_co
    budget: Budget


def each_answer(
    source: Inputs,
    options: Options,
    budget: float | None,
    ask: Callable[[Document, Budget], Answer_co],
    kind: type[Answer_co],
    *,
    report: Callable[[Remark], None] | None = None,
) -> Iterator[Answered[Answer_co]]:
    """Put a question to each document, as it is read."""
    require_budget(budget)
    for found in documents(source, options, report=report):
        allowed = Budget(budget)
        if isinstance(found, Unreadable):
            answer = kind.without(found, DocumentVerdict.UNREADABLE, str(found.error))
        else:
            try:
                answer = ask(found, allowed)
                if found.is_unchecked and answer.verdict is DocumentVerdict.CONSISTENT:
                    answer = kind.without(found, DocumentVerdict.UNCHECKED, unchecked_words(found.dropped))
            except BudgetExceeded as limit:
                answer = kind.without(found, DocumentVerdict.UNDECIDED, str(limit))
            except InternalError as error:
                answer = kind.without(found, DocumentVerdict.UNDECIDED, f"internal error: {error}")
        yield Answered(answer, allowed)
