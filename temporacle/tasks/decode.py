"""The best consistent labelling of scored documents: ``tp.decode`` and ``temporacle decode``."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, Unpack

from temporacle.errors import BudgetExceeded, InputError, InternalError, UsageError
from temporacle.io.scores import scored_documents
from temporacle.io.source import Options
from temporacle.model import Action, Remark, Unreadable
from temporacle.reasoner.decode.decode import Decoded, Impossible, decode_document
from temporacle.reasoner.network import Budget
from temporacle.runner import Plan, work
from temporacle.runner.job import Applying
from temporacle.scored import Objective
from temporacle.tasks.consensus import Voting, votes
from temporacle.tasks.decode_files import OptimumFiles
from temporacle.tasks.decode_results import Decodings, DocumentDecoding
from temporacle.tasks.hard_links import HardLinks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from temporacle.corpus.inputs import Inputs, PathName, ReadingOptions
    from temporacle.scored import ScoredDocument


def decode(
    source: Any,
    *,
    objective: str = "logprob",
    with_: Inputs | None = None,
    alternatives: int = 1,
    margins: bool = False,
    budget: float | None = None,
    jobs: int | None = None,
    certificates: str | None = None,
    consensus: bool = False,
    weight: Sequence[float] = (),
    align: str = "ids",
    absent: float = 0.0,
    out: PathName | None = None,
    **reading: Unpack[ReadingOptions],
) -> Decodings:
    """Return, for each document, the consistent labelling of highest total score, and proof that it is optimal.

    ``source``: paths of score files, an object as in JSON Lines, several of these, triples such as
    ``("left", "docked", {"BEFORE": 0.9, "AFTER": 0.1})``, or a frame in long or wide form.
    ``objective``: logprob (sum of logarithms), prob (sum of scores) or weight (the same, also below zero).
    ``with_``: documents whose links hold whatever the scores say (hard links), matched by name.
    ``alternatives``: how many of the next best labellings to find; the first gives ``runner_up``.
    ``margins``: find out for each pair how much the objective loses if the pair must have another label.
    ``budget``: seconds per document; beyond it the best labelling found and a bound.
    ``jobs``: worker processes; None: one per core, unless the run is short.
    ``certificates``: a folder for the proofs: that the labels are consistent, and that no others score higher.
    ``consensus``: ``source`` is a list of runs (paths, documents, frames) with links instead of scores, which vote.
    ``weight``: the weight of each run, in order. ``align``: their entities are the same by ids or by spans.
    ``absent``: the share of its weight that a run puts on leaving out a pair that it does not link, from 0 to 1.
    ``out``: a file or folder for the documents with their labels, in any format that can be written.
    ``reading``, ``during``, ``format``, ...: how to read labels and hard links.

    >>> found = decode([("a", "b", {"BEFORE": 0.8, "AFTER": 0.2}), ("b", "c", {"BEFORE": 0.7, "AFTER": 0.3}),
    ...                 ("c", "a", {"BEFORE": 0.6, "AFTER": 0.4})])
    >>> found[0]
    DocumentDecoding('document': optimal, objective -1.4961, 1 of 3 labels changed)
    >>> found[0].labels
    ['BEFORE', 'BEFORE', 'AFTER']
    """
    chosen = chosen_objective(objective)
    options = Options(**reading)
    voting = Voting(tuple(weight), align, absent)
    if consensus:
        chosen = Objective.WEIGHT
    elif voting != Voting():
        raise UsageError("weight, align and absent belong to a consensus: give consensus=True, too")
    found = Decodings(
        decodings(
            source,
            options,
            objective=chosen,
            hard=with_,
            alternatives=alternatives,
            margins=margins,
            budget=budget,
            plan=Plan(jobs),
            certificates=certificates,
            voting=voting if consensus else None,
        )
    )
    if out is not None:
        from temporacle.tasks.convert import write

        write(found.documents(), out)
    return found


def chosen_objective(name: str) -> Objective:
    """Return the objective of that name. Raise UsageError with the known names if there is none."""
    try:
        return Objective(name)
    except ValueError:
        raise UsageError(f"unknown objective {name!r}: choose {', '.join(Objective)}") from None


def decodings(
    source: Any,
    options: Options = Options(),  # noqa: B008 - an immutable value
    *,
    objective: Objective = Objective.LOGPROB,
    hard: Inputs | None = None,
    alternatives: int = 1,
    margins: bool = False,
    budget: float | None = None,
    plan: Plan = Plan(),  # noqa: B008 - an immutable value
    certificates: str | None = None,
    voting: Voting | None = None,
    explained: bool = False,
    report: Callable[[Remark], None] = lambda _remark: None,
) -> Iterator[DocumentDecoding]:
    """Yield the results of ``decode`` one document at a time. With ``voting``, ``source`` is a list of runs.

    ``explained``: changes are explained where documents are decoded, for a caller who wants all explanations.
    ``report`` gets remarks about the run as a whole.
    """
    if alternatives < 0:
        raise UsageError(f"alternatives is {alternatives}: ask for 0 or more")
    links = None if hard is None else HardLinks(hard, options)
    files = None if certificates is None else OptimumFiles(certificates, objective, budget)
    given = scored_documents(source, options) if voting is None else votes(source, options, voting)
    items = given if links is None else map(links.added_to, given)
    answer = explained_decoding_of if explained else decoding_of
    question = partial(answer, objective=objective, alternatives=alternatives, margins=margins, budget=budget)
    with closing(work(items, Applying(question, _given_up), plan)) as done:
        for _, results in done:
            for found in results:
                yield found if files is None else _certified(found, files)
    if links is not None:
        links.report(report)


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
