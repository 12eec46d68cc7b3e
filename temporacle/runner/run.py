"""One run over a corpus, from listing to answers."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Generic

from temporacle.errors import InputError
from temporacle.io import sources
from temporacle.io.slices import slices
from temporacle.model import Unreadable
from temporacle.runner.chunks import Part, Result, answers_of, chunks_of
from temporacle.runner.deaths import answers_despite_deaths
from temporacle.runner.place import Place, Plan

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Sequence

    from temporacle.io.source import Options, Source
    from temporacle.model import Remark
    from temporacle.runner.chunks import Answer, Chunk, Question
    from temporacle.runner.cores import Quarantine
    from temporacle.runner.resume import Journal


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
    question = partial(answers_of, function=function)

    def salvage(chunk: Chunk, quarantine: Quarantine) -> list[Answer[Result]]:
        return list(answers_despite_deaths(chunk, function, quarantine))

    with Place(plan) as place:
        for chunk, answers in place.work(chunks_of(left), question, salvage, _load):
            given = [register.told_apart(answer) for answer in answers]
            if settle is not None:
                given = [answer._replace(result=settle(answer)) for answer in given]
            if journal is not None:
                journal.add(given)
            if progress is not None:
                progress(len(given), sum(part.size for part in chunk))
            yield from given


def _load(chunk: Chunk) -> None:
    from temporacle.runner.cluster import load_source

    for part in chunk:
        load_source(part.source)


def _pieces(source: Source | Unreadable) -> Iterable[Source | Unreadable]:
    return (source,) if isinstance(source, Unreadable) else slices(source)


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
