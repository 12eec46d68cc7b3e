"""One run over a corpus, from listing to answers."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from enum import StrEnum
from time import monotonic
from typing import TYPE_CHECKING, Generic

from temporacle.errors import InputError, UsageError
from temporacle.io import sources
from temporacle.io.slices import slices
from temporacle.model import Unreadable
from temporacle.runner.chunks import Part, Result, answers_of, chunks_of
from temporacle.runner.order import number_of_cores

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

    from temporacle.io.source import Options, Source
    from temporacle.model import Remark
    from temporacle.runner.chunks import Answer, Chunk, Question
    from temporacle.runner.resume import Journal

PATIENCE = 0.5  # seconds of work in this process before other processes are started


class Backend(StrEnum):
    """Where the work is done."""

    LOCAL = "local"
    DASK = "dask"


@dataclass(frozen=True, slots=True)
class Plan:
    """How a run is carried out. Nothing here can change an answer."""

    jobs: int | None = None  # None: all cores, once the work has gone on for a while
    backend: Backend = Backend.LOCAL
    scheduler: str | None = None  # address of a Dask scheduler; None: a cluster on this machine

    def __post_init__(self) -> None:
        if self.jobs is not None and self.jobs < 1:
            raise UsageError(f"cannot work with {self.jobs} processes: give 1 or more")
        if self.scheduler is not None and self.backend is not Backend.DASK:
            raise UsageError("--scheduler belongs to --backend dask")


def run_over(
    paths: Sequence[str],
    options: Options,
    function: Question[Result],
    plan: Plan = Plan(),  # noqa: B008 - an immutable value
    *,
    settle: Callable[[Answer[Result]], Result] | None = None,
    journal: Journal[Result] | None = None,
    report: Callable[[Remark], None] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Generator[Answer[Result], None, None]:
    """The answers about every document under some paths, in the order of the corpus.

    ``settle`` is what the parent does with an answer before it counts as given, for instance writing files. ``journal``
    keeps answers for a later run, and gives those of an earlier one (they are settled again). ``report`` hears
    remarks about the corpus as a whole; ``progress`` how many documents, of how many bytes, are done since it was last
    told.
    """
    register = _Register(function)
    for answer in journal.replay() if journal is not None else ():
        register.met.setdefault(answer.document, answer.path or "")
        yield answer if settle is None else answer._replace(result=settle(answer))
    parts = (Part(piece) for source in sources(paths, options, report=report) for piece in _pieces(source))
    left = parts if journal is None else journal.left_of(parts)
    chunks = chunks_of(left)
    sizes: deque[int] = deque()
    if progress is not None:
        chunks = _measured(chunks, sizes)
    for answers in lists_of_answers(chunks, function, plan):
        given = [register.told_apart(answer) for answer in answers]
        if settle is not None:
            given = [answer._replace(result=settle(answer)) for answer in given]
        if journal is not None:
            journal.add(given)
        if progress is not None:
            progress(len(given), sizes.popleft())
        yield from given


def _measured(chunks: Iterator[Chunk], sizes: deque[int]) -> Iterator[Chunk]:
    """The same chunks; their sizes in bytes are noted."""
    for chunk in chunks:
        sizes.append(sum(part.size for part in chunk))
        yield chunk


def _pieces(source: Source | Unreadable) -> Iterable[Source | Unreadable]:
    return (source,) if isinstance(source, Unreadable) else slices(source)


def lists_of_answers(chunks: Iterator[Chunk], function: Question[Result], plan: Plan) -> Iterator[list[Answer[Result]]]:
    """The answers of each chunk in order, wherever the plan wants them worked out."""
    if plan.backend is Backend.DASK:
        from temporacle.runner.cluster import run_on_cluster

        yield from run_on_cluster(chunks, function, plan.scheduler, plan.jobs)
        return
    jobs = number_of_cores() if plan.jobs is None else plan.jobs
    if plan.jobs is None or jobs == 1:
        # Starting processes takes longer than most inputs, so work starts here; what is left soon moves to the others.
        start = monotonic()
        for chunk in chunks:
            yield answers_of(chunk, function)
            if jobs > 1 and monotonic() - start > PATIENCE:
                break
        else:
            return
    from temporacle.runner.cores import run_on_cores

    yield from run_on_cores(chunks, function, jobs)


class _Register(Generic[Result]):
    """The names of all documents met, to tell those of one name apart."""

    def __init__(self, function: Question[Result]) -> None:
        self.met: dict[str, str] = {}  # document -> path
        self._function = function

    def told_apart(self, answer: Answer[Result]) -> Answer[Result]:
        """The answer, marked if its name was met in another file.

        Within a file a name stands for one document. Readers see to that; what they cannot see is a document that came
        in an earlier slice of a large file.
        """
        if not answer.readable:
            return answer
        path = answer.path or ""
        before = self.met.get(answer.document)
        if before is None:
            self.met[answer.document] = path
            return answer
        if before != path:
            return answer._replace(twin=before)
        if answer.first_line == 1:
            return answer
        reason, cure = f"document {answer.document!r} occurs a second time", "rename or merge it"
        error = InputError(reason, path=path, cure=cure)
        return answer._replace(result=self._function(Unreadable(answer.document, path, error)), readable=False)
