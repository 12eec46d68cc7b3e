"""Two annotators of one document made into a third, consistent version: ``Adjudication``.

Links are compared pair by pair of entities. Pairs about which both mean the same are agreed, whatever the labels and
the direction; every other pair is a difference, of which one side is taken, or neither. The third version is a
``Session`` that begins with the agreed links. A side that contradicts what it has is refused with the conflict.

    work = Adjudication(first, second)
    work.differences[0].first, work.differences[0].second      the links of both sides
    work.take(0, "first")
    work.document                                              the third version

If the agreed links contradict each other, nothing can be taken before they are repaired (``repair``).
"""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, Unpack

from temporacle.corpus.inputs import ReadingOptions, options_for, paths_of
from temporacle.corpus.observer import SILENT
from temporacle.corpus.pairing import pair_up
from temporacle.corpus.references import references
from temporacle.editing.saving import Announce, ChangedOnDiskError, OpenFile, Saved, copy_beside, export
from temporacle.editing.session import Session
from temporacle.editing.versions import by_pair, compared, meaning, pair_of, statements
from temporacle.editing.write_back import has_editable_file, refuse_to_overwrite
from temporacle.errors import BudgetExceeded, ContradictionError, InternalError, UsageError
from temporacle.io.files import atomic_bytes, digest_of
from temporacle.io.source import Source, options_of
from temporacle.io.writers import WRITERS
from temporacle.model import Link, Unreadable, counted
from temporacle.passages import excerpts_of
from temporacle.printing import shown
from temporacle.relation import NOTHING
from temporacle.results import DocumentVerdict, Repair

if TYPE_CHECKING:
    from collections.abc import Mapping

    from temporacle.corpus.inputs import Inputs
    from temporacle.corpus.references import Reference
    from temporacle.editing.history import Triple
    from temporacle.editing.versions import Difference, Pair
    from temporacle.model import Document

Side: TypeAlias = Literal["first", "second", "neither"]
Links: TypeAlias = tuple[Link, ...]
SIDES: tuple[Literal["first", "second"], ...] = ("first", "second")


class Change(NamedTuple):
    """The edit of the third version that takes a side: for ``Session.edit``."""

    add: tuple[Triple, ...]
    remove: tuple[str, ...]


class Prospect(NamedTuple):
    """Whether a side can be taken now: None if undecided. If not, the links that it would contradict."""

    possible: bool | None
    conflict: Links = ()


class SideRefusedError(ContradictionError):
    """A side of a difference contradicts what was taken before."""

    @property
    def claim(self) -> str:
        return f"this side contradicts the third version of {self.document!r}"


class Adjudication:
    """Two versions of a document and the third one that is made of them.

    ``first``, ``second``: the documents. The third version has the entities and the labels of the first.
    ``names``: what to call the two sides.
    ``align``: how to match entities: "ids" or "spans"; None: by ids, unless an id stands at different places, or less
    than half of the second side's ids occur in the first.
    ``budget``: seconds for each answer.
    """

    def __init__(
        self,
        first: Document,
        second: Document,
        *,
        names: tuple[str, str] = ("first", "second"),
        align: str | None = None,
        budget: float | None = None,
    ) -> None:
        self.names = names
        self._budget = budget
        found = compared(first, second, align)
        self.first, self.second, self.base = found.first, found.second, found.base
        self.differences, self.left_out, self.warnings = found.differences, found.left_out, found.warnings
        self.session = Session(self.base, budget=budget)
        self._without_links: dict[int, Side] = {}  # differences that were settled by having no link

    @property
    def agreed(self) -> Links:
        """Return the agreed links, as the first side states them."""
        return self.base.links

    def __repr__(self) -> str:
        taken = sum(each is not None for each in self.all_taken())
        return (
            f"Adjudication({self.first.id!r}, {counted(len(self.base.links), 'agreed link')},"
            f" {counted(len(self.differences), 'difference')}, {taken} taken)"
        )

    # --- the third version ------------------------------------------------------------------------------------------

    @property
    def document(self) -> Document:
        """Return the third version: the agreed links and those that were taken.

        Raise ContradictionError if it contradicts itself, BudgetExceeded if that is undecided.
        """
        verdict = self.session.verdict
        if verdict == DocumentVerdict.INCONSISTENT.value:
            raise ContradictionError(self.first.id, self.session.conflicts[0])
        if verdict != DocumentVerdict.CONSISTENT.value:
            raise BudgetExceeded(f"it is undecided whether the version of {self.first.id!r} is consistent")
        return self.session.document

    def conflict(self) -> Links:
        """Return the first conflict of the third version; () if it has none. At the beginning: of agreed links."""
        found = self.session.conflicts if self.session.verdict == DocumentVerdict.INCONSISTENT.value else ()
        return found[0] if found else ()

    def repair(self) -> Links:
        """Return the agreed or taken links to remove so that the rest is consistent: the lightest set."""
        found = self.session.repair()
        return tuple(each for each in found.dropped if isinstance(each, Link)) if isinstance(found, Repair) else ()

    def take(self, number: int, side: Side | None) -> Difference:
        """Take a side of a difference, or neither; None: leave it open again. It is one step that can be undone.

        Raise ContradictionError with the conflict if the side contradicts the third version as it is.
        """
        change = self.change(number, side)
        self.session.edit(add=change.add, remove=change.remove)
        self.mark(number, side)
        return self.differences[number]

    def change(self, number: int, side: Side | None) -> Change:
        """Return the edit that takes a side. Raise ContradictionError if it would contradict the third version."""
        difference = self._difference(number)
        if side is not None and side not in {*SIDES, "neither"}:
            raise UsageError(f"difference {number}: take first, second or neither, not {side!r:.40}")
        links = difference.side(side or "neither")
        present = self._present(difference)
        if links:
            prospect = self._prospect(links, present)
            if prospect.possible is None:
                raise BudgetExceeded(f"it is undecided whether this side of difference {number} is possible")
            if not prospect.possible:
                if self.conflict() and not present:
                    raise ContradictionError(self.first.id, self.conflict())  # with or without this side
                raise SideRefusedError(self.first.id, (*prospect.conflict, *links))
        return Change(tuple(map(_triple, links)), tuple(link.id for link in present))

    def mark(self, number: int, side: Side | None) -> None:
        """Note that a side without links was taken, or neither: the third version alone does not show it."""
        self._without_links.pop(number, None)
        if side is not None and not self._difference(number).side(side):
            self._without_links[number] = side

    def all_taken(self) -> list[Side | None]:
        """Return for each difference the side that the third version has; None if it is open.

        Links that the third version alone has count as "neither".
        """
        pairs = by_pair(self.session.document.links)
        return [self._taken(each, tuple(pairs.get(each.pair, ()))) for each in self.differences]

    def _taken(self, difference: Difference, present: Links) -> Side | None:
        stated = statements(present)
        for side in SIDES:
            if stated and stated == statements(difference.side(side)):
                return side
        return "neither" if stated else self._without_links.get(difference.number)

    # --- judgements -------------------------------------------------------------------------------------------------

    def _prospect(self, links: Links, present: Links) -> Prospect:
        """Return whether links of a pair can be taken in place of those that the third version has for it."""
        try:
            if statements(present) == statements(links):
                return Prospect(possible=True)
            if not present and links and (meaning(links) or NOTHING) & self.session.possible(*_pair(links)):
                return Prospect(possible=True)
            if not present and len(links) == 1:
                return Prospect(possible=False, conflict=self.session.why_not(*_triple(links[0])))
            return self._judged(links, tuple(link.id for link in present))
        except ContradictionError as error:
            return Prospect(possible=False, conflict=tuple(each for each in error.conflict if isinstance(each, Link)))
        except (BudgetExceeded, InternalError):
            return Prospect(possible=None)

    def _judged(self, links: Links, gone: tuple[str, ...]) -> Prospect:
        judgement = self.session.judge(add=map(_triple, links), remove=gone)
        if judgement.verdict == DocumentVerdict.UNDECIDED.value:
            return Prospect(possible=None)
        if judgement.verdict == DocumentVerdict.CONSISTENT.value:
            return Prospect(possible=True)
        known = {link.id for link in self.session.document.links}
        return Prospect(possible=False, conflict=tuple(link for link in judgement.conflicts[0] if link.id in known))

    def follows(self, difference: Difference, side: Literal["first", "second"]) -> bool | None:
        """Return whether the other side already entails what a side states; None if that cannot be said.

        It cannot if the other side contradicts itself, or if the time ended. A side without links states nothing.
        """
        stated = meaning(difference.side(side))
        if stated is None:
            return False
        other = self._sides["second" if side == "first" else "first"]
        try:
            strongest = other.possible(*difference.pair)
        except (ContradictionError, BudgetExceeded, InternalError):
            return None
        return not strongest & ~stated

    @cached_property
    def _sides(self) -> dict[str, Session]:
        versions = (self.base, self.first.links), (self.base, self.second.links)
        sessions = [Session(replace(base, links=links), budget=self._budget) for base, links in versions]
        return dict(zip(SIDES, sessions, strict=True))

    @cached_property
    def _follows(self) -> dict[int, tuple[bool | None, bool | None]]:
        """Return for each difference whether its first and its second side follow. The two versions never change."""
        return {each.number: (self.follows(each, "first"), self.follows(each, "second")) for each in self.differences}

    @cached_property
    def _sentences(self) -> dict[int, str]:
        """Return the sentences of differences, with the words of the two entities in brackets."""
        document = self.first if self.first.text else self.second
        excerpts = excerpts_of(document, {end for each in self.differences for end in (each.source, each.target)})
        quoted = ((each, excerpts.quotations((each.source, each.target))) for each in self.differences)
        return {each.number: " ".join(quotation.marked for quotation in found) for each, found in quoted if found}

    def _present(self, difference: Difference) -> Links:
        """Return the links of the third version for the pair."""
        return tuple(link for link in self.session.document.links if pair_of(*link.entities) == difference.pair)

    def _difference(self, number: int) -> Difference:
        if number not in range(len(self.differences)):
            raise UsageError(f"there is no difference {number!r:.20}: there are {len(self.differences)}, from 0 on")
        return self.differences[number]

    # --- for programs -----------------------------------------------------------------------------------------------

    def row(self, number: int) -> dict[str, Any]:
        """Return a difference as the workbench sends it."""
        each = self._difference(number)
        return self._row(each, self._present(each))

    def _row(self, each: Difference, present: Links) -> dict[str, Any]:
        prospects = {side: self._prospect(each.side(side), present) for side in SIDES}
        return {
            "number": each.number,
            "source": each.source,
            "target": each.target,
            "first": self._rows(each.first),
            "second": self._rows(each.second),
            "first_follows": self._follows[each.number][0],
            "second_follows": self._follows[each.number][1],
            "sentence": self._sentences.get(each.number),
            "taken": self._taken(each, present),
            "possible": {side: prospect.possible for side, prospect in prospects.items()},
            "conflict": {side: self._rows(prospect.conflict) for side, prospect in prospects.items()},
        }

    def to_dict(self) -> dict[str, Any]:
        """Return everything as the workbench sends it."""
        pairs = by_pair(self.session.document.links)
        return {
            "agreed": len(self.base.links),
            "names": list(self.names),
            "differences": [self._row(each, tuple(pairs.get(each.pair, ()))) for each in self.differences],
            "left_out": [{**each.link.to_dict(), "why": each.why} for each in self.left_out],
        }

    @cached_property
    def _texts(self) -> dict[str, str]:
        return {entity.id: entity.text for entity in self.first.entities if entity.text}

    def _rows(self, links: Links) -> list[dict[str, Any]]:
        return [link.to_dict(self._texts) for link in links]


def _triple(link: Link) -> Triple:
    return link.source, link.label, link.target


def _pair(links: Links) -> Pair:
    return pair_of(*links[0].entities)


# ----------------------------------------------------------------------------------------------------
# Two corpora of the same documents, made into a third one: which documents belong together, and where results go.
#
#     work = Adjudications("anna/", "ben/")
#     for name in work.names:
#         adjudication = work.open(name)
#         ...
#         work.save(adjudication)               adjudicated/... beside the first corpus
#
# A result is the file of the first side with other links, or JSON Lines if its format cannot be changed in place.

FOLDER = "adjudicated"


class Adjudications:
    """Pairs of documents, opened one at a time.

    ``first``, ``second``: files or folders of the two sides, or documents.
    ``out``: the folder for results; None: ``adjudicated`` beside the first side.
    ``align``, ``budget``: as for ``Adjudication``. ``reading``, ``during``, ...: how to read both sides.
    """

    def __init__(
        self,
        first: Inputs,
        second: Inputs,
        *,
        out: str | os.PathLike[str] | None = None,
        align: str | None = None,
        budget: float | None = None,
        **reading: Unpack[ReadingOptions],
    ) -> None:
        self._align = align
        self._budget = budget
        self._roots = paths_of(first) or []
        self._options = options_for(first, reading)
        others = paths_of(second) or []
        is_folder = any(map(os.path.isdir, (*self._roots, *others)))
        sides = (references(each, options_for(each, reading), SILENT) for each in (first, second))
        pairing = pair_up(*sides, by_name=is_folder)
        self._pairs = {pair.name: (pair.gold, pair.system) for pair in pairing.pairs}
        self.warnings = pairing.warnings
        self.first_only = tuple(each.name for each in pairing.gold_only)
        self.second_only = tuple(each.name for each in pairing.system_only)
        self.sides = _side_names(self._roots, others)
        self.out = self._default_folder() if out is None else os.fspath(out)
        refuse_to_overwrite(self.out, [*self._roots, *others], "name another folder for the results")
        if not self._pairs:
            raise UsageError(
                f"no document has the same name on both sides; first: {_listed(self.first_only)};"
                f" second: {_listed(self.second_only)}"
            )

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the documents that both sides have."""
        return tuple(self._pairs)

    def open(self, name: str) -> Adjudication:
        """Return the two versions of a document, compared. Raise InputError if one of them cannot be read."""
        if name not in self._pairs:
            raise UsageError(f"there is no document {shown(name)} on both sides; there are {_listed(self.names)}")
        first, second = (_read(side) for side in self._pairs[name] if side is not None)
        return Adjudication(first, second, names=self.sides, align=self._align, budget=self._budget)

    # --- results ----------------------------------------------------------------------------------------------------

    def _default_folder(self) -> str:
        beside = os.path.dirname(os.path.abspath(self._roots[0])) if self._roots else ""  # noqa: PTH100, PTH120
        return os.path.join(beside, FOLDER)  # noqa: PTH118

    def target(self, first: Document) -> str:
        """Return the file for the result of a document: the same place under the folder as under the first side."""
        if not has_editable_file(first):
            return os.path.join(self.out, export(first, self._exported_as(first)).name)  # noqa: PTH118
        path = first.path or ""
        for root in self._roots:
            if os.path.isdir(root) and Path(path).is_relative_to(root):  # noqa: PTH112
                return os.path.join(self.out, os.path.relpath(path, root))  # noqa: PTH118
        return os.path.join(self.out, os.path.basename(path))  # noqa: PTH118, PTH119

    def _exported_as(self, first: Document) -> str:
        return first.format if first.format in WRITERS else "jsonl"

    def save(
        self, work: Adjudication, comments: Mapping[str, str] | None = None, *, announce: Announce | None = None
    ) -> Saved:
        """Write the third version of a document. Raise ContradictionError if it contradicts itself.

        ``comments``: notes by ids of links of the third version. In a file with several documents, results that were
        saved before stay. ``announce``: gets the digest that the file will have, before it is touched.
        """
        wanted, first = work.document, work.first
        target = self.target(first)
        if not has_editable_file(first):
            return _write(target, export(wanted, self._exported_as(first), comments or {}).data, announce)
        options = self._options if self._roots or first.how_read is None else options_of(first.how_read)
        if os.path.exists(target):  # noqa: PTH110
            options = replace(options, confines=None)  # results stand in a folder of their own
            return OpenFile(target, options).save(first.id, wanted, comments or {}, backup=False, announce=announce)
        opened = OpenFile(first.path or "", options)
        if statements(opened.document(first.id).links) != statements(first.links):
            raise ChangedOnDiskError(
                "was changed since it was compared", path=first.path, cure="compare the two versions again"
            )
        saved = _write(target, opened.content(first.id, wanted, comments or {}), announce)
        copy_beside(opened.path, target, opened.format or "")
        return saved


def _read(side: Reference) -> Document:
    """Return a document. A file with nothing else in it is read anew each time, so that its bytes are not kept."""
    whole = side.content
    if isinstance(whole, Source) and not whole.carried and not os.path.isdir(whole.path):  # noqa: PTH112
        side = side._replace(content=Source(whole.path, None, whole.options, format=whole.format))
    found = side.read()
    if isinstance(found, Unreadable):
        raise found.error
    return found


def _write(path: str, data: bytes, announce: Announce | None) -> Saved:
    digest = digest_of(data)
    if announce is not None:
        announce(digest)
    with atomic_bytes(path) as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    return Saved(path, None, digest)


def _side_names(first: list[str], second: list[str]) -> tuple[str, str]:
    """Return what to call the two sides: the names of their files or folders, if these differ."""
    names = [Path(paths[0]).resolve().name if paths else "" for paths in (first, second)]
    return (names[0], names[1]) if all(names) and names[0] != names[1] else ("first", "second")


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(map(shown, names[:5])) + (", ..." if len(names) > 5 else "") or "none"
