"""A system scored against gold while both are read: findings in order, and what is added up."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from temporacle.commands.common import complain, complaints_about
from temporacle.commands.progress import Bar
from temporacle.commands.score_work import Finding, Strangers
from temporacle.corpus import NO_PAIR, NOT_ASKED
from temporacle.errors import UsageError
from temporacle.io import read_corpus
from temporacle.io.merge import merged
from temporacle.io.pairing import bare_name
from temporacle.io.source import STANDARD_INPUT
from temporacle.model import Document
from temporacle.results import Score, Skipped
from temporacle.runner.join import Join, Pair
from temporacle.runner.names import named, named_documents
from temporacle.runner.spread import spread
from temporacle.scoring.aggregation import Tally

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from temporacle.commands.score_work import Scored, Task
    from temporacle.corpus import Found
    from temporacle.io.source import Options
    from temporacle.model import Remark
    from temporacle.runner.names import Named
    from temporacle.runner.place import Place
    from temporacle.runner.resume import NamedJournal


class Corpus:
    """The documents of one side, as often as they are asked for."""

    def __init__(self, path: str, options: Options, *, in_parts: bool = False) -> None:
        self.path = path
        self.told = False  # complaints about it have been made
        self._options = options
        self._in_parts = in_parts  # several files may make one document: then all must be read at once
        self._kept: list[Named] | None = None

    def __iter__(self) -> Iterator[Named]:
        if self._kept is None and (self._in_parts or self.path == STANDARD_INPUT):
            self._kept = list(self._read())
        return self._read() if self._kept is None else iter(self._kept)

    def _read(self) -> Iterator[Named]:
        if not self._in_parts:
            return named_documents(self.path, self._options, bare_name, self._tell)
        documents = merged(read_corpus([self.path], self._options, report=self._tell))
        return (named(document, bare_name) for document in documents)

    def _tell(self, remark: Remark) -> None:
        if not self.told:
            complain(remark.message)


class Stream:
    """The findings about every pair of two corpora, and the totals afterwards."""

    def __init__(self, gold: Corpus, system: Corpus, task: Task, place: Place, *, folders: bool) -> None:
        self.trouble = False
        self.forward, self.backward = _Sum(task), _Sum(task)
        self.labels: Counter[tuple[int, int]] = Counter()
        self._gold, self._system = gold, system
        self._task = task
        self._place = place
        self._folders = folders
        self._warnings: list[str] = []
        self._readable = [False, False]
        self._paired = False  # a document of one side answers one of the other

    def scores(self, journal: NamedJournal[Finding] | None, part: str) -> Iterator[Score]:
        """The score of every document that has one, as soon as it is known; all else is taken note of.

        The journal keeps findings, under the name of ``part``.
        """
        with Bar.over(self._gold.path, self._system.path) as bar:
            for finding in self._findings(journal, part, bar):
                self._take(finding)
                if isinstance(finding.forward, Score):
                    yield finding.forward
        self._gold.told = True
        for message in self._warnings:
            complain(f"warning: {message}")
        for each in self.forward.skipped:
            complain(f"skipped {each.document}: {each.reason}")
            self.trouble = True
        if not self.forward.tally.documents:
            complain("no document could be scored: the total is about nothing")

    def _take(self, finding: Finding) -> None:
        self._paired = True
        for number, corpus in enumerate((self._gold, self._system)):
            self._readable[number] |= finding.readable[number]
            if finding.complaints[number]:
                self._complain(finding.complaints[number], corpus)
        self.forward.add(finding.document, finding.forward)
        self.backward.add(finding.document, finding.backward)
        for own, other, times in finding.labels:
            self.labels[own, other] += times
        if isinstance(finding.forward, Score):
            for message in finding.forward.warnings:
                complain(f"warning: {message}")

    def _complain(self, messages: Sequence[str], corpus: Corpus) -> None:
        self.trouble = True
        if not corpus.told:
            for message in messages:
                complain(message)

    def total(self) -> Score:
        """Of all documents, with the system against gold."""
        return self.forward.total(self._warnings)

    # --- findings -----------------------------------------------------------------------------------------------------

    def _findings(self, journal: NamedJournal[Finding] | None, part: str, bar: Bar) -> Iterator[Finding]:
        done: set[str] = set()
        for name, finding in journal.replay(part) if journal is not None else ():
            done.add(name)
            yield finding

        def keep(found: Sequence[tuple[Pair, Finding | Strangers]]) -> None:
            if journal is not None:
                journal.add(part, [(pair.name, each) for pair, each in found if isinstance(each, Finding)])

        def examined(pairs: Iterable[Pair]) -> Iterator[tuple[Pair, Finding | Strangers]]:
            task = self._task
            left = (pair for pair in pairs if pair.name not in done)
            for pair, found in spread(
                task.examine, left, self._place, failed=task.failed, size=_carried, load=Pair.load, keep=keep
            ):
                bar.advance(1, pair.size)
                yield pair, found

        join = Join(self._gold, self._system, folders=self._folders)
        surprises: list[tuple[Pair, list[Found], list[Found]]] = []
        for pair, found in examined(join.pairs()):
            if isinstance(found, Finding):
                yield found
            else:
                surprises.append((pair, *found))
        if surprises:
            yield from (found for _, found in examined(join.reveal(surprises)) if isinstance(found, Finding))
        yield from (found for _, found in examined(self._alone(join)) if isinstance(found, Finding))

    def _alone(self, join: Join) -> list[Pair]:
        """Those that remain without partner, once it is sure that the two corpora have to do with each other."""
        for corpus, readable, left in zip((self._gold, self._system), self._readable, join.left, strict=True):
            if not readable and not any(isinstance(each.content, Document) for each in left):
                self._complain([text for each in left for text in _complaints(each)], corpus)
                raise UsageError(f"{corpus.path}: no readable document")
        if not self._paired:
            raise UsageError(NO_PAIR)
        for unreadable in join.unreadable:
            self._complain(complaints_about(unreadable), self._system)
        self._warnings += [remark.message for remark in join.warnings]
        golds, systems = join.left
        self.forward.not_asked = [document.id for system in systems for document in system.documents()]
        return [Pair(gold, None) for gold in golds] + [Pair(None, system) for system in systems]


def _carried(pair: Pair) -> int:
    return pair.carried


def _complaints(one: Named) -> list[str]:
    return [message for document in one.documents() for message in complaints_about(document)]


class _Sum:
    """The scores of one direction, added up."""

    def __init__(self, task: Task) -> None:
        request = task.request
        self.tally = Tally(
            request.zero(), metric=request.metric, signature=task.line, empty=request.empty, average=request.average
        )
        self.skipped: list[Skipped] = []
        self.not_asked: list[str] = []

    def add(self, document: str, scored: Scored) -> None:
        if isinstance(scored, Score):
            self.tally.add(scored)
        elif scored is not None:
            self.skipped.append(Skipped(document, scored))

    def total(self, warnings: Sequence[str] = ()) -> Score:
        strangers = [Skipped(name, NOT_ASKED) for name in self.not_asked]
        return self.tally.total([*strangers, *self.skipped], warnings)
