"""Until the report calls ``work`` itself: a function asked about every document under some paths."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from temporacle.errors import InputError
from temporacle.io.source import Source
from temporacle.model import Unreadable
from temporacle.runner.chunks import Answer, Question, Result
from temporacle.runner.documents import Asking, Found, Register, pieces, size_of
from temporacle.runner.plan import Plan
from temporacle.runner.run import work

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence

    from temporacle.io.source import Options
    from temporacle.model import Remark
    from temporacle.runner.resume import Journal


class Part(NamedTuple):
    """The documents of a source from number ``start`` on."""

    source: Source | Unreadable
    start: int = 0

    @property
    def path(self) -> str:
        return self.source.path

    @property
    def first_line(self) -> int:
        return self.source.first_line if isinstance(self.source, Source) else 1


class _Named(NamedTuple):
    """A result with the name of its document."""

    document: str
    readable: bool
    result: object


@dataclass(frozen=True)
class _Question:
    function: Question[object]

    def __call__(self, found: Found) -> _Named:
        result = self.function(found)
        return _Named(found.id, not isinstance(found, Unreadable), result)


class _Parts(Asking[_Named]):
    def results(self, item: Part, skip: int, tell: Callable[[str], None]) -> Iterator[_Named]:  # type: ignore[override]
        return super().results(item.source, item.start + skip, tell)

    def failed(self, item: Part, name: str | None, reason: str) -> _Named:  # type: ignore[override]
        return super().failed(item.source, name, reason)


def run_over(
    paths: Sequence[str],
    options: Options,
    function: Question[Result],
    plan: Plan = Plan(),  # noqa: B008 - an immutable value
    *,
    journal: Journal[Result] | None = None,
    report: Callable[[Remark], None] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Generator[Answer[Result], None, None]:
    """The answers about every document under some paths, in the order of the corpus."""
    register = Register()
    for answer in journal.replay() if journal is not None else ():
        register.before(answer.document, answer.path or "")
        yield answer
    every = (Part(piece) for piece in pieces(paths, options, report, loaded=plan.works_elsewhere))
    left = every if journal is None else journal.left_of(every)
    job = _Parts(_Question(function))
    for part, found in work(left, job, plan, size=lambda part: size_of(part.source), progress=progress):
        answers: list[Answer[Result]] = []
        for position, (document, readable, result) in enumerate(found, part.start):
            last = position == part.start + len(found) - 1
            answer = Answer(document, part.path, result, part.first_line, position, last, readable)  # type: ignore[arg-type]
            before = register.before(document, part.path) if readable else None
            if before is not None and before != part.path:
                answer = answer._replace(twin=before)
            elif before is not None and part.first_line > 1:
                error = InputError(
                    f"document {document!r} occurs a second time", path=part.path, cure="rename or merge it"
                )
                answer = answer._replace(result=function(Unreadable(document, part.path, error)), readable=False)
            answers.append(answer)
        if journal is not None:
            journal.add(answers)
        yield from answers
