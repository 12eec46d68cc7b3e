"""One way over a corpus: the same question to each document, in order, wherever the work is done.

    each(source, Question(ask, kind), going, observer)

lists the source, recognises and reads each file once, asks in this process or in others, keeps the order, keeps the
answers in a checkpoint if one is wanted, and survives a bad document and a dead process.
"""

from __future__ import annotations

from contextlib import closing, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from temporacle.corpus.inputs import Asking, key_of, pieces_of, size_of
from temporacle.errors import BudgetExceeded, InternalError, UsageError
from temporacle.model import Document, Unreadable, unchecked_words
from temporacle.reasoner.network import Budget
from temporacle.results import DocumentVerdict
from temporacle.runner import work

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from temporacle.corpus.inputs import Found, Inputs, Piece
    from temporacle.corpus.observer import Observer
    from temporacle.corpus.options import Going
    from temporacle.runner.journal import Journal

Result = TypeVar("Result")
Answer = TypeVar("Answer", bound="HasVerdict")


class HasVerdict(Protocol):
    """An answer about one document."""

    @property
    def verdict(self) -> DocumentVerdict: ...


@dataclass(frozen=True)
class Question(Generic[Answer]):
    """A question to one document, and what stands in the place of an answer that could not be had.

    It can be sent to another process: ``ask`` is a function of a module, or a partial of one.
    """

    ask: Callable[[Document, Budget], Answer]
    without: Callable[[Found, DocumentVerdict, str], Answer]
    limit: float | None = None

    def __call__(self, found: Found) -> Answer:
        """Return the answer. What is wrong with the document becomes part of it."""
        if isinstance(found, Unreadable):
            return self.without(found, DocumentVerdict.UNREADABLE, str(found.error))
        try:
            answer = self.ask(found, Budget.of_document(self.limit))
        except BudgetExceeded as limit:
            return self.without(found, DocumentVerdict.UNDECIDED, str(limit))
        except InternalError as error:
            return self.without(found, DocumentVerdict.UNDECIDED, f"internal error: {error}")
        if found.is_unchecked and answer.verdict is DocumentVerdict.CONSISTENT:
            return self.without(found, DocumentVerdict.UNCHECKED, unchecked_words(found.dropped))
        return answer


@dataclass(frozen=True)
class _AskingAll(Asking[Answer]):
    """The job. A document that could be read and not be decided is undecided."""

    def late(self, name: str, path: str, reason: str) -> Answer:
        return self.given_up(name, path, reason, read=True)

    def given_up(self, name: str, path: str, reason: str, *, read: bool) -> Answer:
        if not read or not isinstance(self.question, Question):
            return super().given_up(name, path, reason, read=read)
        found: Answer = self.question.without(Document(name, (), path=path or None), DocumentVerdict.UNDECIDED, reason)
        return found


def each(
    source: Inputs, question: Question[Answer], going: Going, observer: Observer, journal: Journal | None = None
) -> Generator[Answer, None, None]:
    """Yield the answer of each document of a source, in order."""
    for _, answer in each_piece(source, _AskingAll(question, limit=question.limit), going, observer, journal):
        yield answer


def unless_alone(
    found: Generator[Answer, None, None], refusal: Callable[[Answer], str | None]
) -> Generator[Answer, None, None]:
    """Yield answers. Raise UsageError instead if there is only one, and it is a refusal."""
    with closing(found):
        waiting = [each for each in (next(found, None),) if each is not None]
        if waiting and (why := refusal(waiting[0])) is not None:
            waiting += [each for each in (next(found, None),) if each is not None]
            if len(waiting) == 1:
                raise UsageError(why)
        yield from waiting
        yield from found


def each_piece(
    source: Inputs, job: Asking[Result], going: Going, observer: Observer, journal: Journal | None = None
) -> Generator[tuple[Piece, Result], None, None]:
    """Yield what a job finds in each piece of a source, with the piece."""
    with nullcontext() if journal is None else closing(journal):
        loaded = journal is not None or going.plan.works_elsewhere
        items = pieces_of(source, going.options, observer.corpus_remark, loaded=loaded)
        progress = observer.advanced if observer.wants_progress else None  # sizes of files are asked for if shown
        done = work(items, job, going.plan, journal=journal, key=key_of, size=size_of, progress=progress)
        with closing(done):
            for item, found in done:
                for result in found:
                    yield item, result
