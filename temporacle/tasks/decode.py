"""The best consistent labelling of scored documents: ``tp.decode`` and ``temporacle decode``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, Unpack, overload

from temporacle.errors import BudgetExceeded, InputError, InternalError, UsageError
from temporacle.frames import html_table, to_frame
from temporacle.io.scores import scored_documents
from temporacle.io.source import Options
from temporacle.model import Action, Body, Document, Entity, HowRead, Remark, Unreadable
from temporacle.reasoner.decode import Decoded, Impossible, decode_document
from temporacle.reasoner.explanation import explain
from temporacle.reasoner.network import Budget
from temporacle.scored import Objective, ScoredDocument, as_number
from temporacle.tasks.consensus import LEFT_OUT, Voting, votes
from temporacle.tasks.decode_files import OptimumFiles
from temporacle.tasks.inputs import ReadingOptions, documents
from temporacle.tasks.references import bare_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from temporacle.model import Link
    from temporacle.readings import Reading
    from temporacle.reasoner.decode import Change
    from temporacle.tasks.inputs import Inputs, Path

_COLUMNS = ("document", "source", "label", "target", "score")
_VERDICTS = ("optimal", "feasible", "impossible", "undecided", "unreadable")


@dataclass(frozen=True, slots=True, repr=False)
class DocumentDecoding:
    """What was found out about one scored document."""

    document: str
    verdict: str  # optimal; feasible: the best one found in time; impossible; undecided; unreadable
    path: str | None = None
    scored: ScoredDocument | None = None
    found: Decoded | Impossible | None = None
    reason: str | None = None  # why it is not optimal
    remarks: tuple[Remark, ...] = ()
    seconds: float = 0.0

    def __repr__(self) -> str:
        if not isinstance(self.found, Decoded):
            return f"DocumentDecoding({self.document!r}: {self.verdict})"
        changed = len(self.found.changes)
        return (
            f"DocumentDecoding({self.document!r}: {self.verdict}, objective {self.objective:.4f},"
            f" {changed} of {len(self.found.pairs)} labels changed)"
        )

    @property
    def decoded(self) -> Decoded | None:
        """The labelling, if there is one."""
        return self.found if isinstance(self.found, Decoded) else None

    @property
    def objective(self) -> float | None:
        """The value of the labelling."""
        return None if self.decoded is None else as_number(self.decoded.value)

    @property
    def optimal(self) -> bool:
        """Whether the labelling is proven to be the best one."""
        return self.verdict == "optimal"

    @property
    def labels(self) -> list[str]:
        """The label of every pair, in order."""
        return [] if self.decoded is None else [link.label for link in self.decoded.links()]

    @property
    def is_complete(self) -> bool:
        """Whether everything that was asked for is known, and nothing was lost in reading."""
        lost = any(remark.action is Action.DROPPED for remark in self.remarks)
        return self.verdict in {"optimal", "impossible"} and not lost and not (self.decoded and self.decoded.undecided)

    def to_document(self) -> Document:
        """The document with its labels as links, hard links first. Pairs that a consensus leaves out are not in it.

        UsageError if there is no labelling.
        """
        if self.decoded is None or self.scored is None:
            raise UsageError(f"document {self.document!r} has no labelling: it is {self.verdict}")
        return _as_document(self.scored, self.decoded)

    def to_dict(self) -> dict[str, Any]:
        """The line of ``decode --output json``."""
        row: dict[str, Any] = {"document": self.document, "verdict": self.verdict, "optimal": self.optimal}
        if isinstance(self.found, Impossible):
            row["because"] = [link.to_dict() for link in self.found.because]
        elif self.decoded is not None:
            row |= _values(self.decoded)
        if self.reason is not None:
            row["reason"] = self.reason
        return row | {"seconds": round(self.seconds, 6)}

    def rows(self) -> list[dict[str, Any]]:
        """A row for each pair, for frames."""
        return [] if self.decoded is None else [{"document": self.document, **each} for each in _links(self.decoded)]

    def to_frame(self) -> Any:
        """A pandas DataFrame with one row a pair."""
        return to_frame(self.rows(), _COLUMNS)

    def _repr_html_(self) -> str:
        return html_table(_COLUMNS, [[row[column] for column in _COLUMNS] for row in self.rows()], repr(self))


def _values(decoded: Decoded) -> dict[str, Any]:
    others = decoded.alternatives
    row: dict[str, Any] = {
        "objective": as_number(decoded.value),
        "argmax_objective": as_number(decoded.argmax),
        "bound": as_number(decoded.bound),
        "links": _links(decoded),
        "changed": [_change(decoded, change) for change in decoded.changes],
        "runner_up": as_number(others[0].value) if others else None,
        "decided_by": decoded.decided_by,
    }
    if others is not None and len(others) > 1:
        row["alternatives"] = [
            {
                "objective": as_number(other.value),
                "differs": [
                    {"source": pair.pair.source, "target": pair.pair.target, "label": pair.labels[rank].label}
                    for number, rank in sorted(other.ranks.items())
                    for pair in (decoded.pairs[number],)
                ],
            }
            for other in others
        ]
    if decoded.undecided:
        row["undecided"] = dict(decoded.undecided)
    return row


def _links(decoded: Decoded) -> list[dict[str, Any]]:
    rows = []
    for number, pair in enumerate(decoded.pairs):
        label = pair.labels[decoded.ranks[number]]
        row = {"source": pair.pair.source, "label": label.label, "target": pair.pair.target, "score": label.score}
        if decoded.margins is not None:
            margin = decoded.margins[number]
            row["margin"] = None if margin is None else as_number(margin)
        rows.append(row)
    return rows


def _change(decoded: Decoded, change: Change) -> dict[str, Any]:
    pair = decoded.pairs[change.pair]
    return {
        "source": pair.pair.source,
        "target": pair.pair.target,
        "from": pair.labels[0].label,
        "to": pair.labels[change.rank].label,
        "price": as_number(pair.costs[change.rank]),
        "because": [link.to_dict() for link in change.because],
        "explanation": explain(change.because) if change.because else [],
    }


def _as_document(scored: ScoredDocument, decoded: Decoded) -> Document:
    names = dict.fromkeys(entity.id for entity in scored.entities)
    links: list[Link] = list(scored.links)
    for number, pair in enumerate(decoded.pairs):
        chosen = pair.labels[decoded.ranks[number]]
        names |= dict.fromkeys((pair.pair.source, pair.pair.target))
        if chosen.label != LEFT_OUT or scored.format != "consensus":
            links.append(pair.pair.link(chosen))
    names |= dict.fromkeys(end for link in scored.links for end in (link.source, link.target))
    known = {entity.id: entity for entity in scored.entities}
    body = Body(tuple(known.get(name) or Entity(name) for name in names), scored.text)
    return Document(
        scored.id, tuple(links), tuple(names), scored.path, HowRead(scored.format, scored.reading), scored.remarks, body
    )


class Decodings(Sequence[DocumentDecoding]):
    """The decodings of several documents, in order."""

    __slots__ = ("_every",)

    def __init__(self, every: Iterable[DocumentDecoding]) -> None:
        self._every = tuple(every)

    def __len__(self) -> int:
        return len(self._every)

    @overload
    def __getitem__(self, index: int) -> DocumentDecoding: ...
    @overload
    def __getitem__(self, index: slice) -> Decodings: ...
    def __getitem__(self, index: int | slice) -> DocumentDecoding | Decodings:
        return Decodings(self._every[index]) if isinstance(index, slice) else self._every[index]

    def __repr__(self) -> str:
        counts = Counter(each.verdict for each in self._every)
        verdicts = ", ".join(f"{counts[verdict]} {verdict}" for verdict in _VERDICTS if counts[verdict])
        return f"Decodings({len(self)} document{'s' if len(self) != 1 else ''}{': ' + verdicts if verdicts else ''})"

    def documents(self) -> list[Document]:
        """The documents that have a labelling."""
        return [each.to_document() for each in self._every if each.decoded is not None]

    def to_dict(self) -> list[dict[str, Any]]:
        """The lines of ``decode --output json``."""
        return [each.to_dict() for each in self._every]

    def to_frame(self) -> Any:
        """A pandas DataFrame with one row a pair."""
        return to_frame((row for each in self._every for row in each.rows()), _COLUMNS)

    def _repr_html_(self) -> str:
        columns = ("document", "verdict", "objective", "argmax", "changed")
        rows = [
            [each.document, each.verdict, each.objective, as_number(each.decoded.argmax), len(each.decoded.changes)]
            if each.decoded is not None
            else [each.document, each.verdict, None, None, None]
            for each in self._every
        ]
        return html_table(columns, rows)


def decode(
    source: Any,
    *,
    objective: str = "logprob",
    hard: Inputs | None = None,
    alternatives: int = 1,
    margins: bool = False,
    budget: float | None = None,
    certificates: str | None = None,
    consensus: bool = False,
    weight: Sequence[float] = (),
    align: str = "ids",
    absent: float = 0.0,
    out: Path | None = None,
    **reading: Unpack[ReadingOptions],
) -> Decodings:
    """The labelling of highest total score that is consistent, for each document, and proof that it is optimal.

    ``source``: paths of score files, an object as in JSON Lines, several of these, triples such as
    ``("left", "docked", {"BEFORE": 0.9, "AFTER": 0.1})``, or a frame in long or wide form.
    ``objective``: logprob (sum of logarithms), prob (sum of scores) or weight (the same, also below zero).
    ``hard``: documents whose links hold whatever the scores say, matched by name (``--with`` on the command line).
    ``alternatives``: how many of the next best labellings to find; the first gives ``runner_up``.
    ``margins``: find out for each pair how much the objective loses if the pair must have another label.
    ``budget``: seconds per document; beyond it the best labelling found and a bound.
    ``certificates``: a folder for the proofs: that the labels are consistent, and that each conflict is one.
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
            hard=hard,
            alternatives=alternatives,
            margins=margins,
            budget=budget,
            certificates=certificates,
            voting=voting if consensus else None,
        )
    )
    if out is not None:
        from temporacle.tasks.convert import write

        write(found.documents(), out)
    return found


def chosen_objective(name: str) -> Objective:
    """The objective of that name; UsageError with the known names otherwise."""
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
    certificates: str | None = None,
    voting: Voting | None = None,
    report: Callable[[Remark], None] = lambda _remark: None,
) -> Iterator[DocumentDecoding]:
    """The same one document at a time. With ``voting``, ``source`` is a list of runs.

    ``report`` hears remarks about the run as a whole.
    """
    if alternatives < 0:
        raise UsageError(f"alternatives is {alternatives}: ask for 0 or more")
    links = None if hard is None else _HardLinks(hard, options)
    files = None if certificates is None else OptimumFiles(certificates, objective, budget)
    for scored in scored_documents(source, options) if voting is None else votes(source, options, voting):
        given = scored if links is None or isinstance(scored, Unreadable) else links.added_to(scored)
        found = decoding_of(given, objective, alternatives=alternatives, margins=margins, budget=budget)
        yield found if files is None else _certified(found, files)
    if links is not None:
        links.report(report)


def _certified(found: DocumentDecoding, files: OptimumFiles) -> DocumentDecoding:
    """The decoding, once its proof is written; with a remark if there is none."""
    problem = files.write(found)
    if problem is None:
        return found
    remark = Remark("no-certificate", problem, element=found.document, action=Action.DROPPED)
    return replace(found, remarks=(*found.remarks, remark))


def decoding_of(
    scored: ScoredDocument | Unreadable,
    objective: Objective,
    *,
    alternatives: int = 1,
    margins: bool = False,
    budget: float | None = None,
) -> DocumentDecoding:
    """The result for one document. No exception about it gets out."""
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


class _HardLinks:
    """Links that hold whatever the scores say, by the name of their document."""

    def __init__(self, source: Inputs, options: Options) -> None:
        self._source = source
        self._options = options
        self._by_name: dict[str, Document] | None = None
        self._used: set[str] = set()

    def added_to(self, scored: ScoredDocument) -> ScoredDocument:
        """The document with its hard links, their ids marked so that they differ from those of pairs."""
        known = self._read(scored.reading)
        name = bare_name(scored.id)
        if name not in known:
            return scored
        self._used.add(name)
        given = known[name]
        links = tuple(link._replace(id=f"with:{link.id}") for link in given.links)
        return replace(scored, links=(*scored.links, *links), remarks=(*scored.remarks, *given.dropped))

    def _read(self, reading: Reading) -> dict[str, Document]:
        """Labels in formats that do not say what they mean are read as those of the scores."""
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

    def report(self, report: Callable[[Remark], None]) -> None:
        """Say which documents with hard links were of no use. UsageError if none was of any."""
        unused = [name for name in self._by_name or {} if name not in self._used]
        if self._by_name and not self._used:
            raise UsageError(
                f"no document with hard links has the name of a scored document: {', '.join(unused[:4])}, ...;"
                " rename them"
            )
        if unused:
            named = ", ".join(unused[:4])
            message = f"hard links of {len(unused)} documents were not used: no scored document is called {named}, ..."
            report(Remark("unused-hard-links", message))
