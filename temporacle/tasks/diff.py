"""Two versions of a corpus: which links differ, and what that changes in meaning. ``tp.diff``, ``temporacle diff``.

Two documents mean the same if the same timelines make all links true. For consistent documents that is so exactly if
the strongest relation of every pair of entities is the same. An inconsistent document has no closure to compare. Then
the meaning counts as the same only if the other version is inconsistent, too, and no link states another relation.
"""

from __future__ import annotations

import os
from collections import Counter
from contextlib import closing, nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple, TypeAlias, Unpack

from temporacle.corpus.inputs import paths_of
from temporacle.corpus.observer import SILENT
from temporacle.corpus.options import CorpusOptions, Going
from temporacle.corpus.pairing import pair_up
from temporacle.corpus.references import references
from temporacle.declared import About, task
from temporacle.editing.versions import LinkChanges, link_changes, pair_of, suggested_alignment
from temporacle.errors import BudgetExceeded, InternalError, TimeLimitError, UsageError
from temporacle.frames import html_table, to_frame
from temporacle.model import Document, Remark, Unreadable, counted, skipped_links, skipped_words
from temporacle.reasoner.conflicts.conflicts import conflict_of
from temporacle.reasoner.conflicts.reasons import links_behind
from temporacle.reasoner.judged import Judged
from temporacle.reasoner.network import Budget, Network, document_time
from temporacle.relation import EVERYTHING, Relation
from temporacle.results import DocumentVerdict, OfDocuments, warned_words
from temporacle.rules import trouble_with
from temporacle.runner import work
from temporacle.scoring.alignment import ids_look_aligned, known_ids, renamed, with_common_names
from temporacle.scoring.metric import Align

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from temporacle.corpus.inputs import Inputs
    from temporacle.corpus.observer import Observer
    from temporacle.corpus.pairing import Pair
    from temporacle.model import Link
    from temporacle.rules import Trouble
    from temporacle.runner import Plan
    from temporacle.runner.journal import Journal

Status: TypeAlias = Literal["same", "different", "added", "removed", "undecided", "unreadable"]
_NO_CHANGES = LinkChanges((), (), (), ())
COLUMNS = ("document", "change", "old", "new", "why")


class PairChange(NamedTuple):
    """Two entities whose strongest relation is not what it was."""

    source: str
    target: str
    old: Relation
    new: Relation
    old_because: tuple[Link, ...] | None = None  # what the old relation followed from; None: it still follows
    new_because: tuple[Link, ...] | None = None  # what the new relation follows from; None: it followed before

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object."""
        row: dict[str, Any] = {"source": self.source, "target": self.target}
        row |= {"old": list(self.old.atoms), "new": list(self.new.atoms)}
        for name, links in (("old_because", self.old_because), ("new_because", self.new_because)):
            if links is not None:
                row[name] = [link.id for link in links]
        return row


@dataclass(frozen=True, slots=True, repr=False)
class DocumentDiff:
    """What differs between two versions of one document."""

    columns: ClassVar[tuple[str, ...]] = COLUMNS

    document: str
    status: Status
    old_verdict: DocumentVerdict | None = None  # None: there is no such document
    new_verdict: DocumentVerdict | None = None
    links: LinkChanges = _NO_CHANGES
    entities_added: tuple[str, ...] = ()
    entities_removed: tuple[str, ...] = ()
    pairs: tuple[PairChange, ...] | None = ()  # None: a version has no closure, or it was not found in time
    conflicts: Mapping[str, tuple[Link, ...]] = field(default_factory=dict)  # "old", "new": a smallest conflict
    reason: str | None = None  # why it is undecided, or why reasons are missing
    troubles: tuple[Trouble, ...] = field(default=(), repr=False)  # what could not be read
    skipped_links: Mapping[str, Mapping[str, int]] = field(default_factory=dict)  # "old", "new": by code
    doubts: tuple[Remark, ...] = ()  # whether ids mean the same in both versions
    pairing: tuple[Remark, ...] = ()  # about the names of its files

    @property
    def same_meaning(self) -> bool | None:
        """Whether both versions mean the same; None if that is not known."""
        return {"same": True, "undecided": None, "unreadable": None}.get(self.status, False)

    @property
    def no_closure(self) -> tuple[str, ...]:
        """The versions that are inconsistent, so that nothing follows from them."""
        verdicts = {"old": self.old_verdict, "new": self.new_verdict}
        return tuple(side for side, verdict in verdicts.items() if verdict is DocumentVerdict.INCONSISTENT)

    def __repr__(self) -> str:
        skipped = skipped_words(skipped_links(each.remark for each in self.troubles))
        return f"DocumentDiff({self.document!r}, {self.status}{skipped}{warned_words(self.warnings)})"

    @property
    def warnings(self) -> tuple[Remark, ...]:
        """Return what could not be read of both versions, and what else there is to say about them."""
        return (*self.pairing, *(each.remark for each in self.troubles), *self.doubts)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object that ``--output json`` prints."""
        changes = self.links
        row: dict[str, Any] = {
            "document": self.document,
            "status": self.status,
            "same_meaning": self.same_meaning,
            "old_verdict": _value(self.old_verdict),
            "new_verdict": _value(self.new_verdict),
            "no_closure": list(self.no_closure),
            "added": [link.to_dict() for link in changes.added],
            "removed": [link.to_dict() for link in changes.removed],
            "relabelled": [_both(*each) for each in changes.relabelled],
            "reworded": [_both(*each) for each in changes.reworded],
            "entities_added": list(self.entities_added),
            "entities_removed": list(self.entities_removed),
            "pairs": None if self.pairs is None else [each.to_dict() for each in self.pairs],
        }
        if self.conflicts:
            row["conflicts"] = {side: [link.to_dict() for link in links] for side, links in self.conflicts.items()}
        if self.reason is not None:
            row["reason"] = self.reason
        if any(self.skipped_links.values()):
            row["skipped_links"] = {side: dict(codes) for side, codes in self.skipped_links.items()}
        if self.troubles:
            row["troubles"] = [each.to_dict() for each in self.troubles]
        if self.doubts:
            row["warnings"] = [each.sentence() for each in self.doubts]
        return row

    def rows(self, most_pairs: int | None = None) -> Iterator[dict[str, str]]:
        """Yield the rows of the table.

        ``most_pairs``: further pairs are only counted, and so are reworded links of a document that means the same.
        """
        reworded = self.links.reworded if most_pairs is None or self.status != "same" else ()
        if self.status in {"added", "removed", "unreadable"}:
            old, new = (_counted(links) for links in (self.links.removed, self.links.added))
            yield self._row(f"document {self.status}", old, new, self.reason or "")
            return
        if self.old_verdict != self.new_verdict:
            found = [f"{side}: {' '.join(each.id for each in links)}" for side, links in self.conflicts.items()]
            why = f"conflict in {', '.join(found)}" if found else ""
            yield self._row("verdict", _value(self.old_verdict) or "", _value(self.new_verdict) or "", why)
        elif self.status == "undecided":
            yield self._row("undecided", why=self.reason or "")
        for link in self.links.removed:
            yield self._row("removed", _shown(link))
        for link in self.links.added:
            yield self._row("added", new=_shown(link))
        for change, links in (("relabelled", self.links.relabelled), ("reworded", reworded)):
            for one, other in links:
                yield self._row(change, _shown(one), _shown(other))
        for change, entities in (("entity removed", self.entities_removed), ("entity added", self.entities_added)):
            for entity in entities:
                yield self._row(change, *((entity, "") if change == "entity removed" else ("", entity)))
        if self.no_closure and self.status != "same":
            yield self._row("pairs", *("no closure" if each in self.no_closure else "" for each in ("old", "new")))
        yield from self._pair_rows(most_pairs)

    def _pair_rows(self, most: int | None) -> Iterator[dict[str, str]]:
        pairs = self.pairs or ()
        known = _Culprits(self.links)
        for each in pairs[:most]:
            old, new = (f"{each.source} {_relation(relation)} {each.target}" for relation in (each.old, each.new))
            yield self._row("pair", old, new, known.of(each))
        if most is not None and len(pairs) > most:
            yield self._row("pair", why=f"and {len(pairs) - most} more pairs")

    def _row(self, change: str, old: str = "", new: str = "", why: str = "") -> dict[str, str]:
        return dict(zip(COLUMNS, (self.document, change, old, new, why), strict=True))

    def to_frame(self) -> Any:
        """Return a pandas DataFrame: one row for each change."""
        return to_frame(list(self.rows()), COLUMNS)

    def _repr_html_(self) -> str:
        return Diff((self,))._repr_html_()


@dataclass(frozen=True, slots=True, repr=False)
class Diff(OfDocuments[DocumentDiff]):
    """What differs between two versions of a corpus."""

    documents: tuple[DocumentDiff, ...]

    @property
    def same_meaning(self) -> bool | None:
        """Whether all documents mean the same in both versions; None if that is not known."""
        found = [each.same_meaning for each in self.documents]
        return False if False in found else None if None in found else True

    def __repr__(self) -> str:
        totals = DiffTotals()
        for each in self.documents:
            totals.add(each)
        return f"Diff({totals}{warned_words(self.warnings)})"

    def to_dict(self) -> list[dict[str, Any]]:
        """Return what ``--output json`` prints: one dict for each document."""
        return [each.to_dict() for each in self.documents]

    def to_frame(self) -> Any:
        """Return a pandas DataFrame: one row for each change."""
        return to_frame([row for each in self.documents for row in each.rows()], COLUMNS)

    def _repr_html_(self) -> str:
        rows = [[row[column] for column in COLUMNS] for each in self.documents for row in each.rows()]
        return html_table(COLUMNS, rows, repr(self))


class DiffTotals:
    """Counts changes over a corpus. Its text is the last line of the table."""

    def __init__(self) -> None:
        self.statuses: Counter[str] = Counter()
        self.links: Counter[str] = Counter()  # by what became of them
        self.skipped: Counter[str] = Counter()
        self.verdicts = self.pairs = 0

    def add(self, found: DocumentDiff) -> None:
        """Count the changes of a document."""
        self.statuses[found.status] += 1
        self.links.update({name: len(getattr(found.links, name)) for name in LinkChanges._fields})
        if found.status in {"same", "different"}:
            self.verdicts += found.old_verdict != found.new_verdict
        self.pairs += len(found.pairs or ())
        self.skipped.update(skipped_links(each.remark for each in found.troubles))

    def __str__(self) -> str:
        found = ", ".join(f"{count} {status}" for status, count in self.statuses.items()) or "none"
        links = ", ".join(f"{self.links[name]} {name}" for name in LinkChanges._fields) + skipped_words(self.skipped)
        meaning = f"changed verdicts: {self.verdicts}, changed pairs: {self.pairs}"
        return f"{counted(self.statuses.total(), 'document')}: {found}; links: {links}; {meaning}"


def _whole(found: Iterator[DocumentDiff]) -> Diff:
    return Diff(tuple(found))


@task(_whole)
def diff(
    old: Annotated[Inputs, About("A file or folder: the version before.", value="OLD", path="read")],
    new: Annotated[Inputs, About("A file or folder: the version after.", value="NEW", path="read")],
    *,
    align: Annotated[
        str | None,
        About(
            "How entities are matched. Default: by ids, unless these stand for other places of the text.",
            choices=("ids", "spans"),
        ),
    ] = None,
    why: Annotated[bool, About("Find the links behind each change of a pair.")] = True,
    most_explained: int | None = None,
    observer: Observer = SILENT,
    **shared: Unpack[CorpusOptions],
) -> Iterator[DocumentDiff]:
    """Compare two versions of a corpus or of a document: links, verdicts, and what follows.

    Documents are paired by name.

    Args:
        most_explained: How many pairs of a document get their reasons; None: all.
        observer: Gets the messages about the sources.

    Returns:
        A sequence with the differences of each document; ``same_meaning`` says whether there are none.

    Raises:
        UsageError: Options that do not fit together.

    Examples:
        >>> found = diff([("a", "BEFORE", "b"), ("b", "BEFORE", "c")], [("a", "BEFORE", "b"), ("b", "MEETS", "c")])
        >>> found.same_meaning, [(each.source, str(each.old), str(each.new), each.target) for each in found[0].pairs]
        (False, [('b', 'b', 'm', 'c')])
    """
    if align not in {None, Align.IDS, Align.SPANS}:
        raise UsageError(option="align", value=align, allowed=["ids", "spans"])
    goings = [Going.over(side, shared) for side in (old, new)]
    sides = [references(side, how.options, observer) for side, how in zip((old, new), goings, strict=True)]
    for name, side in (("old", sides[0]), ("new", sides[1])):
        if not side:
            raise UsageError(f"the {name} side has no document")
        first = side[0].content
        if len(side) == 1 and isinstance(first, Unreadable):
            raise UsageError(str(first.error))
    is_folder = any(os.path.isdir(path) for side in (old, new) for path in paths_of(side) or ())  # noqa: PTH112
    try:
        pairing = pair_up(*sides, by_name=is_folder)
    except UsageError as error:  # its words are those of scores
        message = str(error).replace("the gold side", "the old side").replace("the system side", "the new side")
        raise UsageError(message.replace("give each run as a separate system, or rename", "rename")) from None
    job = _Comparing(align, goings[0].limit, why, most_explained if why else 0)
    journal = goings[0].journal(observer, "diff", goings[1].options, job)
    found = _each(pairing.asked, job, goings[0].plan, journal, observer)
    return (replace(each, pairing=_by_docid(pair, observer) if is_folder else ()) for pair, each in found)


@dataclass(frozen=True)
class _Comparing:
    """Reads and compares pairs: a job for the runner."""

    align: str | None
    limit: float | None
    why: bool
    explained: int | None  # pairs

    def results(self, item: Pair, skip: int, tell: Callable[[str], None]) -> Iterator[DocumentDiff]:
        """Yield the only difference of a pair."""
        if not skip:
            tell(item.name)
            with document_time(self.limit):
                try:
                    found = _compared(item, self, Budget.of_document(self.limit))
                except BudgetExceeded as limit:
                    found = self.failed(item, None, str(limit))
            yield found

    def failed(self, item: Pair, name: str | None, reason: str) -> DocumentDiff:  # noqa: ARG002 - the runner calls it
        """Return what stands for a pair on which the work failed."""
        return DocumentDiff(item.name, "undecided", None, None, pairs=None, reason=reason)


def _each(
    pairs: Iterable[Pair], job: _Comparing, plan: Plan, journal: Journal | None, observer: Observer
) -> Iterator[tuple[Pair, DocumentDiff]]:
    """Yield the difference of each pair, in order, wherever the work is done."""
    with nullcontext() if journal is None else closing(journal):
        if plan.works_elsewhere or journal is not None:  # else lines are read where they are compared
            pairs = (pair.loaded() for pair in pairs)
        done = work(
            pairs, job, plan, journal=journal, key=_key, size=lambda pair: pair.size, progress=observer.advanced
        )
        with closing(done):
            for pair, found in done:
                yield from ((pair, each) for each in found)


def _key(pair: Pair) -> tuple[str, str]:
    return pair.name, "|".join("" if side is None else side.digest() for side in (pair.gold, pair.system))


def _by_docid(pair: Pair, observer: Observer) -> tuple[Remark, ...]:
    """Return what there is to say about two files of different names."""
    if not (pair.gold and pair.system and pair.gold.name != pair.system.name):
        return ()
    message = f"old {pair.gold.name!r} and new {pair.system.name!r} are paired by their DOCID, not by name"
    remark = Remark("paired-by-docid", message)
    observer.warning(remark)
    return (remark,)


def _compared(pair: Pair, job: _Comparing, budget: Budget) -> DocumentDiff:
    old, new = (None if side is None else side.read() for side in (pair.gold, pair.system))
    troubles = tuple(trouble for side in (old, new) if side is not None for trouble in trouble_with(side))
    skipped = {
        name: side.skipped_links if isinstance(side, Document) else {} for name, side in (("old", old), ("new", new))
    }
    unread = next((side for side in (old, new) if isinstance(side, Unreadable)), None)
    if unread is not None:
        first, second = (DocumentVerdict.UNREADABLE if isinstance(side, Unreadable) else None for side in (old, new))
        reason = str(unread.error)
        if isinstance(unread.error, TimeLimitError):
            return DocumentDiff(pair.name, "undecided", None, None, pairs=None, reason=reason, skipped_links=skipped)
        return DocumentDiff(
            pair.name, "unreadable", first, second, reason=reason, troubles=troubles, skipped_links=skipped
        )
    if not isinstance(old, Document) or not isinstance(new, Document):
        return replace(_alone(pair.name, old, new, budget), troubles=troubles, skipped_links=skipped)
    old, new, doubts = _in_common_names(old, new, job.align)
    found = _changed(pair.name, old, new, budget, job)
    return replace(found, troubles=troubles, skipped_links=skipped, doubts=doubts)


def _alone(
    name: str, old: Document | Unreadable | None, new: Document | Unreadable | None, budget: Budget
) -> DocumentDiff:
    """Return what is said about a document that only one version has."""
    only = new if old is None else old
    assert isinstance(only, Document)  # noqa: S101 - narrows the type only
    links = tuple(only.links)
    try:
        verdict = _verdict(only, Judged(Network.of(only), budget))
    except BudgetExceeded:
        verdict = DocumentVerdict.UNDECIDED
    if old is None:
        return DocumentDiff(name, "added", None, verdict, LinkChanges(links, (), (), ()), pairs=None)
    return DocumentDiff(name, "removed", verdict, None, LinkChanges((), links, (), ()), pairs=None)


def _in_common_names(old: Document, new: Document, align: str | None) -> tuple[Document, Document, tuple[Remark, ...]]:
    """Return both versions with the old version's ids of entities, and doubts about that."""
    chosen = suggested_alignment(old, new) if align is None else Align(align)
    common = with_common_names(old, new, chosen)
    warnings = [each for each in common.warnings if each.code != "ids-not-aligned"]
    if chosen is Align.IDS and new.links and old.links and not ids_look_aligned(old, common.system):
        message = "less than half of the ids in the links of the new version occur in the old one"
        warnings.append(Remark("ids-not-aligned", message, element=new.id))
    taken = known_ids(old) | known_ids(common.system)
    alone = () if common.unmatched is None else common.unmatched.system  # their names begin with "system:" now
    fresh = {f"system:{name}": f"new:{name}" for name in alone if f"new:{name}" not in taken}
    return old, renamed(common.system, fresh) if fresh else common.system, tuple(warnings)


def _changed(name: str, old: Document, new: Document, budget: Budget, job: _Comparing) -> DocumentDiff:
    budget.check()
    changes = link_changes(old.links, new.links)
    budget.check()
    before, after = known_ids(old), known_ids(new)
    found = DocumentDiff(
        name,
        "same",
        links=changes,
        entities_added=tuple(each for each in dict.fromkeys(_ids(new)) if each not in before),
        entities_removed=tuple(each for each in dict.fromkeys(_ids(old)) if each not in after),
    )
    judged = [Judged(Network.of(old), budget)]
    judged += [Judged(Network.of(new), budget)] if changes.change_a_relation else judged
    verdicts: list[DocumentVerdict] = []
    try:
        verdicts += map(_verdict, (old, new), judged)
        pairs = _changed_pairs(*judged) if changes.change_a_relation else ()
    except (BudgetExceeded, InternalError) as limit:
        verdicts += [DocumentVerdict.UNDECIDED] * (2 - len(verdicts))
        is_known = DocumentVerdict.UNDECIDED not in verdicts and verdicts[0] != verdicts[1]
        status: Status = "different" if is_known else "undecided"
        return replace(
            found, status=status, old_verdict=verdicts[0], new_verdict=verdicts[1], pairs=None, reason=str(limit)
        )
    is_same = verdicts[0] == verdicts[1] and (not changes.change_a_relation if pairs is None else not pairs)
    found = replace(
        found,
        status="same" if is_same else "different",
        old_verdict=verdicts[0],
        new_verdict=verdicts[1],
        pairs=None if DocumentVerdict.INCONSISTENT in verdicts else pairs,
    )
    if job.why and verdicts[0] != verdicts[1]:
        found = _with_conflicts(found, judged)
    return _with_reasons(found, pairs, judged, budget, job.explained) if found.pairs and pairs else found


def _with_conflicts(found: DocumentDiff, judged: Sequence[Judged]) -> DocumentDiff:
    """Return the difference with a smallest conflict of the version that is inconsistent, if the time allows."""
    sides = [(side, each) for side, each in zip(("old", "new"), judged, strict=True) if side in found.no_closure]
    try:
        links = {side: tuple(each.network.links[place] for place in conflict_of(each)) for side, each in sides}
    except (BudgetExceeded, InternalError) as limit:
        return replace(found, reason=f"no conflict was found: {limit}")
    return replace(found, conflicts=links)


def _with_reasons(
    found: DocumentDiff, pairs: tuple[PairChange, ...], judged: Sequence[Judged], budget: Budget, most: int | None
) -> DocumentDiff:
    """Return the difference with the links behind the first changed pairs, as far as the time allows."""
    old, new = (each.network for each in judged)
    explained: list[PairChange] = []
    try:
        explained.extend(_explained(each, old, new, budget) for each in pairs[:most])
    except (BudgetExceeded, InternalError) as limit:
        found = replace(found, reason=f"no further reasons: {limit}")
    return replace(found, pairs=(*explained, *pairs[len(explained) :]))


def _ids(document: Document) -> Iterator[str]:
    yield from document.entity_ids
    for link in document.links:
        yield from link.entities


def _verdict(document: Document, judged: Judged) -> DocumentVerdict:
    if document.is_unchecked:
        return DocumentVerdict.UNCHECKED
    return DocumentVerdict.CONSISTENT if judged.is_consistent() else DocumentVerdict.INCONSISTENT


def _changed_pairs(old: Judged, new: Judged) -> tuple[PairChange, ...] | None:
    """Return the pairs whose strongest relation differs; None if a version is inconsistent.

    Nothing is known about an entity that a version does not have, as about one without links.
    """
    if not old.is_consistent() or not new.is_consistent():
        return None
    before, after = _strongest(old), _strongest(new)
    found = []
    for pair, (source, one, target) in before.items():
        start, other, _ = after.pop(pair, (source, EVERYTHING, target))
        other = other if start == source else other.converse()
        if one != other:
            found.append(PairChange(source, target, one, other))
    found += [PairChange(source, target, EVERYTHING, other) for source, other, target in after.values()]
    return tuple(found)


def _strongest(judged: Judged) -> dict[tuple[str, str], tuple[str, Relation, str]]:
    """Return what is known about each pair of entities, by the pair without direction."""
    table = judged.table()
    assert table is not None  # noqa: S101 - the caller has asked for consistency
    return {pair_of(source, target): (source, relation, target) for source, relation, target in table.pairs()}


def _explained(change: PairChange, old: Network, new: Network, budget: Budget) -> PairChange:
    """Return a change with the links behind what is lost and what is gained."""
    source, target = change.source, change.target
    lost, gained = change.new & ~change.old, change.old & ~change.new
    return change._replace(
        old_because=links_behind(old, source, change.old, target, budget) if lost else None,
        new_because=links_behind(new, source, change.new, target, budget) if gained else None,
    )


class _Culprits:
    """Tells which changed links are among those behind a change of a pair."""

    def __init__(self, changes: LinkChanges) -> None:
        self._removed = dict.fromkeys(changes.removed, "removed")
        self._removed |= {old: "relabelled" for old, _ in changes.relabelled}
        self._added = dict.fromkeys(changes.added, "added")
        self._added |= {new: "relabelled" for _, new in changes.relabelled}

    def of(self, change: PairChange) -> str:
        """Return the changed links, such as "removed l3 l4; added l7"."""
        found: dict[str, list[str]] = {}
        for links, known in ((change.old_because, self._removed), (change.new_because, self._added)):
            for link in links or ():
                if link in known and link.id not in found.setdefault(known[link], []):
                    found[known[link]].append(link.id)
        return "; ".join(f"{how} {' '.join(names)}" for how, names in found.items())


def _value(verdict: DocumentVerdict | None) -> str | None:
    return None if verdict is None else verdict.value


def _both(old: Link, new: Link) -> dict[str, Any]:
    return {"old": old.to_dict(), "new": new.to_dict()}


def _counted(links: Sequence[Link]) -> str:
    return counted(len(links), "link") if links else ""


def _shown(link: Link) -> str:
    return f"{link.said} ({link.id})"


def _relation(relation: Relation) -> str:
    return "?" if relation == EVERYTHING else str(relation)
