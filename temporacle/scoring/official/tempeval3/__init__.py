"""TempEval-3 temporal awareness: the program over its files, with or without the normaliser before it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from temporacle.errors import BudgetExceeded, UsageError
from temporacle.scoring.metric import Align, option
from temporacle.scoring.official.registry import (
    Explain,
    Layout,
    Program,
    ProgramOptions,
    ProgramRequest,
    ProgramRun,
    nothing_found,
    require,
)
from temporacle.scoring.official.tempeval3.scores import METHODS, DocumentScore, score_file, summed
from temporacle.scoring.official.tempeval3.tlinks import LinkFile, read_links

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from temporacle.model import Remark
    from temporacle.scoring.official.normalizer import NormalizedDocument


class LinkPair(NamedTuple):
    """The links of a document on both sides, ready to be scored."""

    name: str
    gold: LinkFile
    system: LinkFile | None  # None: there is no such file
    stops: str | None = None  # the error with which the original ends here


class FilePair(NamedTuple):
    """The contents of a gold file, and of the system's file that answers it if there is one."""

    name: str
    gold: bytes
    system: bytes | None


class LinkQuestions(NamedTuple):
    """The files to be scored, and what could not be read: whole documents, and links of others."""

    pairs: Sequence[FilePair | LinkPair]
    unread: tuple[tuple[str, str], ...] = ()  # names and reasons
    dropped: tuple[tuple[str, str | None, Remark], ...] = ()  # links that could not be used: side and file of each
    notes: tuple[str, ...] = ()
    warnings: tuple[Remark, ...] = ()


@dataclass(frozen=True, slots=True)
class AwarenessChoices(ProgramOptions):
    """Options of the TempEval-3 program."""

    method: str = option("default", f"How links are counted: {', '.join(METHODS)}.")
    align: Align = option(  # noqa: RUF009
        Align.IDS, "tempeval3: match and renumber entities as the TempEval-3 normaliser does. ids: as they are."
    )

    def __post_init__(self) -> None:
        require("method", self.method, METHODS)
        if self.align is Align.SPANS:
            raise UsageError(
                "the TempEval-3 program has no spans: choose ids or tempeval3", option="align", value="spans"
            )


class PreparedLinks(NamedTuple):
    """The links of a pair, and what is to be said about its files."""

    links: LinkPair
    complaints: tuple[str, ...] = ()


def prepared(pair: FilePair | LinkPair, align: Align) -> PreparedLinks:
    """Read the links of a pair. The slow work is done here, because it depends only on the pair."""
    if isinstance(pair, LinkPair):
        return PreparedLinks(pair)
    if align is Align.TEMPEVAL3:
        return _normalised(pair)
    answer = None if pair.system is None else read_links(pair.system)
    return PreparedLinks(LinkPair(pair.name, read_links(pair.gold), answer))


def _normalised(pair: FilePair) -> PreparedLinks:
    """Return a document aligned and renumbered as in TempEval-3.

    One that cannot be normalised counts as without links.
    """
    from temporacle.scoring.official.normalizer import Stage, normalize_pair

    if pair.system is None:
        return PreparedLinks(
            LinkPair(pair.name, _tags(normalize_pair(pair.gold, pair.gold, name=pair.name).gold), None)
        )
    found = normalize_pair(pair.gold, pair.system, name=pair.name)
    costly = [objection for objection in found.objections if objection.stage is not Stage.NOTE]
    stops = f"an error of the normaliser ({pair.name}: {costly[0]})" if costly else None
    # A system file that cannot be used costs the system its links, not gold.
    key = found.gold or normalize_pair(pair.gold, pair.gold, name=pair.name).gold
    complaints = tuple(f"{pair.name}: {objection}" for objection in found.objections)
    return PreparedLinks(LinkPair(pair.name, _tags(key), _tags(found.system), stops), complaints)


def _tags(document: NormalizedDocument | None) -> LinkFile:
    if document is None:
        return LinkFile()
    found = read_links(document.content)
    return found._replace(places=tuple(place._replace(line=None) for place in found.places))


class OfficialDocument(NamedTuple):
    """The score of a document, or why there is none; and what is to be said about it."""

    name: str
    links: LinkPair | None = None
    score: DocumentScore | None = None
    notes: tuple[str, ...] = ()
    reason: str | None = None


class OfficialJob(NamedTuple):
    """Scores pairs of files: a job for the runner."""

    method: str
    align: Align
    budget: float | None

    def results(self, item: FilePair | LinkPair, skip: int, tell: Callable[[str], None]) -> Iterator[OfficialDocument]:
        if not skip:
            tell(item.name)
            yield self._scored(item)

    def failed(self, item: FilePair | LinkPair, name: str | None, reason: str) -> OfficialDocument:  # noqa: ARG002
        return OfficialDocument(item.name, reason=reason)

    def _scored(self, pair: FilePair | LinkPair) -> OfficialDocument:
        links, complaints = prepared(pair, self.align)
        try:
            document = score_file(links.gold, links.system, self.method, seconds=self.budget)
        except BudgetExceeded as limit:
            return OfficialDocument(pair.name, reason=str(limit))
        remarks = (f"{pair.name}: {remark.message}" for remark in document.remarks)
        stopped = replace(document, stops=links.stops or document.stops)
        return OfficialDocument(pair.name, links, stopped, (*complaints, *remarks))


def _run(asked: LinkQuestions, choices: AwarenessChoices, request: ProgramRequest) -> ProgramRun:
    found = list(request.each(asked.pairs, OfficialJob(choices.method, choices.align, request.budget)))
    request.notes.extend((*asked.notes, *(note for each in found for note in each.notes)))
    request.warnings.extend(asked.warnings)
    scored = [(each.name, each.score) for each in found if each.score is not None]
    total = summed(choices.method, [score for _, score in scored])
    run = ProgramRun(
        b"",
        [{"document": name, **score.counts.to_dict()} for name, score in scored],
        nothing_found(),
        graph_signature(method=choices.method, align=choices.align.value),
        stops=total.stops,
        undecided=tuple((each.name, each.reason) for each in found if each.reason is not None),
        unread=asked.unread,
        dropped=asked.dropped,
        compared=[each.links for each in found if each.links is not None],
        method=choices.method,
    )
    if run.undecided:
        return run
    f1, precision, recall = total.total.digits()
    figures = {**total.total.to_dict(), "digits": {"f1": f1, "precision": precision, "recall": recall}}
    return replace(run, text=total.printed(), total=figures)


def graph_signature(**chosen: str) -> dict[str, str]:
    """Return what signatures of the TempEval programs say: the given values, and what the others have in common."""
    common = {
        "official": "yes",
        "engine": "timegraph",
        "complete": "no",
        "method": "default",
        "align": "ids",
        "scheme": "strict",
        "anchors": "yes",
        "average": "micro",
        "empty": "0",
    }
    return common | chosen


PROGRAM = Program(
    "awareness",
    "TempEval-3: temporal awareness of TimeML files",
    AwarenessChoices,
    Layout.WALKED,
    _run,
    Explain.LINKS,
)
