"""The best consistent labelling of scored documents: ``tp.decode`` and ``temporacle decode``."""

from __future__ import annotations

from contextlib import closing, nullcontext
from dataclasses import astuple, replace
from functools import partial
from itertools import chain
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any, Unpack
from warnings import catch_warnings, simplefilter

from temporacle.corpus.inputs import documents
from temporacle.corpus.observer import SILENT
from temporacle.corpus.options import CorpusOptions, Going
from temporacle.corpus.references import bare_name
from temporacle.declared import OUTPUT, About, task
from temporacle.errors import BudgetExceeded, InputError, InputWarning, InternalError, UsageError, spelled
from temporacle.io.formats import WRITERS
from temporacle.io.scores import readable_twice, scored_documents, with_label_set
from temporacle.model import Action, Document, Remark, Unreadable, counted, skipped_links, unchecked_words
from temporacle.readings import load_reading
from temporacle.reasoner.decode.decode import Decoded, Impossible, decode_document
from temporacle.reasoner.network import Budget
from temporacle.reasoner.proofs.certificate import accepted, to_json
from temporacle.reasoner.proofs.cheapest import certify_decoding, certify_impossible
from temporacle.runner import work
from temporacle.runner.job import Applying
from temporacle.scored import Objective
from temporacle.tasks.certificates import CertificateFiles
from temporacle.tasks.decodings import Decodings, DocumentDecoding, Voting, votes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from temporacle.corpus.inputs import Inputs, PathName
    from temporacle.corpus.observer import Observer
    from temporacle.io.source import Options
    from temporacle.readings import Reading
    from temporacle.results import Certificate
    from temporacle.runner import Plan
    from temporacle.runner.journal import Journal
    from temporacle.scored import ScoredDocument


class HardLinks:
    """Links that hold whatever the scores say, by the name of their document."""

    def __init__(self, source: Inputs, options: Options) -> None:
        self._source = source
        self._options = options
        self._by_name: dict[str, Document] | None = None
        self._used: set[str] = set()

    def added_to(self, scored: ScoredDocument | Unreadable) -> ScoredDocument | Unreadable:
        """Return the document with its hard links, their ids marked so that they differ from those of pairs."""
        if isinstance(scored, Unreadable):
            return scored
        known = self._read(scored.reading)
        name = bare_name(scored.id)
        if name not in known:
            return scored
        self._used.add(name)
        given = known[name]
        links = tuple(link._replace(id=f"with:{link.id}") for link in given.links)
        return replace(scored, links=(*scored.links, *links), remarks=(*scored.remarks, *_located(given)))

    def _read(self, reading: Reading) -> dict[str, Document]:
        """Return the reading for formats without a reading of their own: that of the scores."""
        if self._by_name is None:
            self._by_name = {}
            for found in documents(self._source, replace(self._options, labels_like=reading)):
                if isinstance(found, Unreadable):
                    raise found.error
                name = bare_name(found.id)
                if name in self._by_name:
                    raise UsageError(f"two documents with hard links are called {name!r}: merge or rename them")
                self._by_name[name] = found
        return self._by_name

    def labels(self) -> set[str]:
        """Return the labels in files of formats without a reading of their own: those that the scores decide about.

        What cannot be used is said when the links are read.
        """
        own = load_reading("links", self._options.during)
        every = replace(own, name="labels", labels={**load_reading("matres").labels, **own.labels})
        with catch_warnings():
            simplefilter("ignore", InputWarning)
            found = documents(self._source, replace(self._options, labels_like=every, on_error="skip"))
            return {
                link.label
                for each in found
                if isinstance(each, Document) and each.reading.name == every.name
                for link in each.links
            }

    def added_to_all(self, given: Iterator[ScoredDocument | Unreadable]) -> Iterator[ScoredDocument | Unreadable]:
        """Return the documents with their hard links. Raise UsageError at once if no document has any."""
        first = []
        for each in given:
            first.append(self.added_to(each))
            if self._used:
                break
        else:
            if names := list(self._by_name or {}):
                raise UsageError(
                    f"no document with hard links has the name of a scored document: {', '.join(names[:4])}, ...;"
                    " rename them"
                )
        return chain(first, map(self.added_to, given))

    def report(self, report: Callable[[Remark], None]) -> None:
        """Report which documents with hard links were not used."""
        unused = [name for name in self._by_name or {} if name not in self._used]
        if unused:
            named = ", ".join(unused[:4])
            message = f"hard links of {len(unused)} documents were not used: no scored document is called {named}, ..."
            report(Remark("unused-hard-links", message))


def _located(given: Document) -> Iterator[Remark]:
    """Yield what was dropped from hard links with their own file: other remarks are about the file of the scores."""
    for remark in given.dropped:
        place = given.path or given.id
        where = place if remark.line is None else f"{place}:{remark.line}"
        yield remark._replace(message=f"{remark.message} (hard link, {where})", line=None)


class OptimumFiles:
    """A folder with the proofs of all documents."""

    def __init__(self, folder: str, objective: Objective, budget: float | None) -> None:
        self._files = CertificateFiles(folder)
        self._objective = objective
        self._budget = budget

    def write(self, found: DocumentDecoding) -> str | None:
        """Write the proof of a document. Returns why there is none, None if there is one or nothing to prove.

        Raise InternalError if the proof shows that the result is wrong.
        """
        scored = found.scored
        if scored is None:
            return None
        try:
            certificate = self._certificate(found, scored)
        except BudgetExceeded as limit:
            return f"no certificate: {limit}"
        if certificate is not None:
            form = accepted(to_json(certificate, _about(scored)))
            self._files.write(scored.id, form, read=[scored.path])
        return None

    def _certificate(self, found: DocumentDecoding, scored: ScoredDocument) -> Certificate | None:
        budget = Budget(self._budget)
        if isinstance(found.found, Impossible):
            return certify_impossible(scored, self._objective, budget)
        if found.decoded is None or not found.decoded.optimal:
            return None
        return certify_decoding(found.decoded, scored.links, self._objective, budget)


def _about(scored: ScoredDocument) -> dict[str, str | None]:
    """Return what the certificates say about their document.

    Scores are not links, so no file is named as their source.
    """
    return {
        "id": scored.id,
        "path": None,
        "sha256": None,
        "format": scored.format,
        "reading": scored.reading.origin or scored.reading.name,
        "during": scored.reading.during,
        "encoding": None,
    }


@task(Decodings)
def decode(
    source: Annotated[
        Any, About("Files or folders with scored pairs; - is standard input.", value="SCORES...", path="read")
    ],
    *,
    out: Annotated[
        PathName | None,
        About(
            "Write the documents: a file, a folder, or - for standard output.",
            value="OUT",
            group=OUTPUT,
            short="-o",
            path="place",
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
        About("Documents whose links hold, independently of the scores; repeatable.", value="PATH", path="read"),
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
        str | None, About("Write the proof of each optimum: certificates to verify.", value="DIR", path="folder")
    ] = None,
    explained: bool = False,
    observer: Observer = SILENT,
    **shared: Unpack[CorpusOptions],
) -> Iterator[DocumentDecoding]:
    """Return, for each document, the consistent labelling of highest total score, and proof that it is optimal.

    Sources are paths of score files, an object as in JSON Lines, several of these, triples such as
    ``("left", "docked", {"BEFORE": 0.9, "AFTER": 0.1})``, or a frame in long or wide form. Beyond the time limit a
    document has the best labelling found, and a bound.

    Args:
        explained: Explain changes where documents are decoded.
        observer: Gets the events of the run.

    Returns:
        A sequence with the labelling of each document.

    Raises:
        UsageError: Options that do not fit together, or labels that no label set knows.

    Examples:
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
        raise UsageError("to is the format of the documents that out writes, so it needs out")
    if consensus and objective is not None:
        raise UsageError(f"a consensus adds up the weights of the runs: leave out {spelled('objective', objective)}")
    if not consensus and (weight or align is not None or absent is not None):
        raise UsageError(f"weight, align and absent have an effect only with {spelled('consensus', True)}")
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
    items = given if links is None else links.added_to_all(given)
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
        raise UsageError(option="objective", value=name, allowed=Objective) from None


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
    remarks = (*scored.remarks, *_above_one(scored, objective))
    about = DocumentDecoding(scored.id, "undecided", scored.path, scored, remarks=remarks)
    if not (scored.pairs or scored.links) and skipped_links(scored.remarks):
        return replace(about, verdict="unchecked", reason=unchecked_words(scored.remarks))
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


def _above_one(scored: ScoredDocument, objective: Objective) -> Iterator[Remark]:
    """Yield a remark if scores are taken for probabilities and one is above 1: it may be a logit."""
    above = [pair for pair in scored.pairs if any(label.score > 1 for label in pair.labels)]
    if above and objective is Objective.LOGPROB:
        said = f"{counted(len(above), 'pair')} of {scored.id} with a score above 1, taken for a probability"
        yield Remark("above-one", f"{said}: logits need softmax, or objective weight", above[0].line, above[0].id)
