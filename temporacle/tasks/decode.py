"""The best consistent labelling of scored documents: ``tp.decode`` and ``temporacle decode``."""

from __future__ import annotations

from contextlib import closing, nullcontext
from dataclasses import astuple, replace
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any, Unpack

from temporacle.corpus.observer import SILENT
from temporacle.corpus.options import CorpusOptions, Going
from temporacle.declared import OUTPUT, About, task
from temporacle.errors import BudgetExceeded, InputError, InternalError, UsageError
from temporacle.io.formats import WRITERS
from temporacle.io.scores import readable_twice, scored_documents, with_label_set
from temporacle.model import Action, Remark, Unreadable
from temporacle.reasoner.decode.decode import Decoded, Impossible, decode_document
from temporacle.reasoner.network import Budget
from temporacle.runner import work
from temporacle.runner.job import Applying
from temporacle.scored import Objective
from temporacle.tasks.consensus import Voting, votes
from temporacle.tasks.decode_files import OptimumFiles
from temporacle.tasks.decode_results import Decodings, DocumentDecoding
from temporacle.tasks.hard_links import HardLinks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from temporacle.corpus.inputs import Inputs, PathName
    from temporacle.corpus.observer import Observer
    from temporacle.runner import Plan
    from temporacle.runner.journal import Journal
    from temporacle.scored import ScoredDocument


@task(Decodings)
def decode(
    source: Annotated[Any, About("Files or folders with scored pairs; - is standard input.", value="SCORES...")],
    *,
    out: Annotated[
        PathName | None,
        About(
            "Write the documents: a file, a folder, or - for standard output.", value="OUT", group=OUTPUT, short="-o"
        ),
    ] = None,
    to: Annotated[
        str | None,
        About(f"{', '.join(WRITERS)}. Default: the suffix of {{out}} decides.", value="FORMAT", group=OUTPUT),
    ] = None,
    objective: Annotated[
        str | None,
        About("Sum of ln(score) (logprob, the default), of scores, or of any numbers.", choices=tuple(Objective)),
    ] = None,
    hard: Annotated[
        Sequence[str] | Inputs | None,
        About("Documents whose links hold, independently of the scores; repeatable.", value="PATH"),
    ] = None,
    alternatives: Annotated[int, About("Also find the K next best labellings.", value="K", least=0)] = 1,
    margins: Annotated[bool, About("For each pair, the score loss if it gets another label.")] = False,
    consensus: Annotated[
        bool, About("The sources are annotated files or folders, each of them a run; their links vote.")
    ] = False,
    weight: Annotated[
        Sequence[float], About("Weight of a run's votes; once for each run, in order.", value="NUMBER")
    ] = (),
    align: Annotated[
        str | None, About("Match the entities of runs by ids (default) or by text spans.", choices=("ids", "spans"))
    ] = None,
    absent: Annotated[
        float | None,
        About(
            "Share of its weight that a run puts on leaving out a pair that it does not link (0 to 1, default 0).",
            value="SHARE",
        ),
    ] = None,
    certificates: Annotated[
        str | None, About("Write the proof of each optimum: certificates to verify.", value="DIR")
    ] = None,
    explained: bool = False,
    observer: Observer = SILENT,
    **shared: Unpack[CorpusOptions],
) -> Iterator[DocumentDecoding]:
    """Return, for each document, the consistent labelling of highest total score, and proof that it is optimal.

    Sources are paths of score files, an object as in JSON Lines, several of these, triples such as
    ``("left", "docked", {"BEFORE": 0.9, "AFTER": 0.1})``, or a frame in long or wide form. Beyond the time limit a
    document has the best labelling found, and a bound. ``explained``: explain changes where documents are decoded.
    ``observer`` gets the events of the run.

    >>> found = decode([("a", "b", {"BEFORE": 0.8, "AFTER": 0.2}), ("b", "c", {"BEFORE": 0.7, "AFTER": 0.3}),
    ...                 ("c", "a", {"BEFORE": 0.6, "AFTER": 0.4})])
    >>> found[0]
    DocumentDecoding('document': optimal, objective -1.4961, 1 of 3 labels changed)
    >>> found[0].labels
    ['BEFORE', 'BEFORE', 'AFTER']
    """
    if alternatives < 0:
        raise UsageError(f"alternatives is {alternatives}: ask for 0 or more")
    if to is not None and out is None:
        raise UsageError("to is the format of the documents that out writes: give out, too")
    if consensus and objective is not None:
        raise UsageError(f'a consensus adds up the weights of the runs: leave out objective="{objective}"')
    if not consensus and (weight or align is not None or absent is not None):
        raise UsageError("weight, align and absent belong to a consensus: give consensus=True, too")
    chosen = Objective.WEIGHT if consensus else chosen_objective(objective or Objective.LOGPROB)
    voting = Voting(tuple(weight), align or "ids", absent or 0.0) if consensus else None
    going = Going.over((), shared)
    links = None if hard is None else HardLinks(hard, going.options)
    if voting is None:
        source = readable_twice(source, going.options)
        options = with_label_set(source, going.options, () if links is None else links.labels())
        given = scored_documents(source, options)
    else:
        given = votes(source, going.options, voting)
    items = given if links is None else map(links.added_to, given)
    files = None if certificates is None else OptimumFiles(certificates, chosen, going.limit)
    choices: dict[str, Any] = {"objective": chosen, "alternatives": alternatives, "margins": margins}
    question = partial(explained_decoding_of if explained else decoding_of, budget=going.limit, **choices)
    journal = going.journal(observer, "decode", sorted(choices.items()), explained)
    found = _decoded(items, question, going.plan, observer, journal)
    whole = _settled(found, files, links, observer)
    return whole if out is None else _written(whole, out, to)


def _decoded(
    items: Iterator[ScoredDocument | Unreadable],
    question: Callable[[ScoredDocument | Unreadable], DocumentDecoding],
    plan: Plan,
    observer: Observer,
    journal: Journal | None,
) -> Iterator[DocumentDecoding]:
    progress = observer.advanced if observer.wants_progress else None
    with nullcontext() if journal is None else closing(journal):
        done = work(items, Applying(question, _given_up), plan, journal=journal, key=_key, progress=progress)
        with closing(done):
            for _, results in done:
                yield from results


def _key(scored: ScoredDocument | Unreadable) -> tuple[str, str]:
    """Return the identity of a document and a digest of its content, for a checkpoint."""
    from hashlib import sha256

    content = str(scored.error) if isinstance(scored, Unreadable) else repr(astuple(scored))
    return f"{scored.path or ''}:{scored.id}", sha256(content.encode("utf-8", "surrogatepass")).hexdigest()


def _settled(
    found: Iterator[DocumentDecoding], files: OptimumFiles | None, links: HardLinks | None, observer: Observer
) -> Iterator[DocumentDecoding]:
    """Yield the decodings after their proofs are written, then say what the hard links lacked."""
    for each in found:
        yield each if files is None else _certified(each, files)
    if links is not None:
        links.report(observer.corpus_remark)


def _written(found: Iterator[DocumentDecoding], out: PathName, to: str | None) -> Iterator[DocumentDecoding]:
    """Yield the decodings, then write their documents."""
    from temporacle.tasks.convert import write

    every = Decodings(found)
    write(every.documents(), out, format=to)
    yield from every


def chosen_objective(name: str) -> Objective:
    """Return the objective of that name. Raise UsageError with the known names if there is none."""
    try:
        return Objective(name)
    except ValueError:
        raise UsageError(f"unknown objective {name!r}: choose {', '.join(Objective)}") from None


def _certified(found: DocumentDecoding, files: OptimumFiles) -> DocumentDecoding:
    """Return the decoding after its proof is written, with a remark if there is no proof.

    A result that the proof shows to be wrong is withdrawn.
    """
    try:
        problem = files.write(found)
    except InternalError as error:
        reason = f"internal error: {error}"
        return DocumentDecoding(found.document, "undecided", found.path, found.scored, None, reason, found.remarks)
    if problem is None:
        return found
    remark = Remark("uncertified", problem, element=found.document, action=Action.DROPPED)
    return replace(found, remarks=(*found.remarks, remark))


def _given_up(scored: ScoredDocument | Unreadable, reason: str) -> DocumentDecoding:
    """Return the result for a document whose work ended unexpectedly."""
    return DocumentDecoding(scored.id, "undecided", scored.path, reason=reason)


def explained_decoding_of(scored: ScoredDocument | Unreadable, objective: Objective, **how: Any) -> DocumentDecoding:
    """Return the result for one document with the explanations of its changes."""
    found = decoding_of(scored, objective, **how)
    return replace(found, explanations=found.explained())


def decoding_of(
    scored: ScoredDocument | Unreadable,
    objective: Objective,
    *,
    alternatives: int = 1,
    margins: bool = False,
    budget: float | None = None,
) -> DocumentDecoding:
    """Return the result for one document. Problems with it become part of the result, not an exception."""
    if isinstance(scored, Unreadable):
        return DocumentDecoding(scored.id, "unreadable", scored.path, reason=str(scored.error))
    start = perf_counter()
    about = DocumentDecoding(scored.id, "undecided", scored.path, scored, remarks=scored.remarks)
    try:
        found = decode_document(scored, objective, Budget(budget), alternatives=alternatives, margins=margins)
    except BudgetExceeded as limit:
        return replace(about, reason=str(limit), seconds=perf_counter() - start)
    except InternalError as error:
        return replace(about, reason=f"internal error: {error}", seconds=perf_counter() - start)
    except InputError as error:
        error.path = error.path or scored.path
        return replace(about, verdict="unreadable", reason=str(error), scored=None)
    verdict = "impossible" if isinstance(found, Impossible) else "optimal" if found.optimal else "feasible"
    reason = found.undecided.get("optimal") if isinstance(found, Decoded) else None
    return replace(about, verdict=verdict, found=found, reason=reason, seconds=perf_counter() - start)
