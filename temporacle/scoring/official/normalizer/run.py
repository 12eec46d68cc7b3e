"""Normalising a pair of documents, and a whole run.

The official program stops at the first trouble; here each pair of documents is handled by itself and keeps its
objections. ``Normalization.officially_written`` lists what the program would have written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from temporacle.errors import InputError
from temporacle.model import Remark
from temporacle.scoring.official.normalizer.alignment import (
    NormalizedMention,
    TokenPlaces,
    number_events,
    number_instances,
    number_timexes,
    tokenize,
)
from temporacle.scoring.official.normalizer.document import TimemlFile, first_reference, parse, violations
from temporacle.scoring.official.normalizer.links import NormalizedLink, Numbers, links_in, obstacles, rewrite

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Folder: TypeAlias = Mapping[str, bytes | str]
"""The content of each file of a folder by its name; the order is the order of the run."""


@dataclass(frozen=True, slots=True)
class NormalizedDocument:
    """The links of one side of a document after normalisation, in file order."""

    tags: tuple[str, ...]  # each a whole TLINK tag

    @property
    def content(self) -> bytes:
        """Return the tags as a file, for a scorer that finds TLINKs by a pattern."""
        return "\n".join(self.tags).encode("utf-8", "surrogatepass")

    @property
    def links(self) -> tuple[NormalizedLink, ...]:
        """Return the links that the tags state."""
        return tuple(links_in(self.tags))


@dataclass(frozen=True, slots=True)
class NormalizedPair:
    """Both sides of a document, each None where it cannot be normalised, and every objection to them.

    An objection does not always cost a side: the official program fails on some texts which are aligned here without
    any doubt (escaped characters, a vertical bar, other tokens made of the same characters).
    """

    name: str
    gold: NormalizedDocument | None = None
    system: NormalizedDocument | None = None
    objections: tuple[Objection, ...] = ()

    def stages(self, side: WhichSide) -> set[Stage]:
        """Return the place where the official program rejects this side."""
        return {objection.stage for objection in self.objections if objection.side is side}


@dataclass(frozen=True, slots=True)
class Normalization:
    """A run: the documents that both folders hold, in gold's order, and the names that only one of them holds."""

    pairs: tuple[NormalizedPair, ...]
    only_in_gold: tuple[str, ...] = ()
    only_in_system: tuple[str, ...] = ()

    def officially_written(self) -> tuple[tuple[str, WhichSide], ...]:
        """Return the files that the official program writes for this run before it stops, in order."""
        if self.only_in_gold or self.only_in_system or any(_rejected(pair) for pair in self.pairs):
            return ()
        return tuple(self._until_the_first_failure())

    def _until_the_first_failure(self) -> Iterator[tuple[str, WhichSide]]:
        for pair in self.pairs:
            if any(Stage.ALIGNMENT in pair.stages(side) for side in WhichSide):
                return
            for side in WhichSide:
                if Stage.REWRITING in pair.stages(side):
                    return
                yield pair.name, side


def _rejected(pair: NormalizedPair) -> bool:
    return any(Stage.GATE in pair.stages(side) for side in WhichSide)


def normalize_folders(gold: Folder, system: Folder) -> Normalization:
    """Normalise each document of a gold folder with the document of the same name in a system's."""
    return Normalization(
        tuple(normalize_pair(gold[name], system[name], name=name) for name in gold if name in system),
        tuple(name for name in gold if name not in system),
        tuple(name for name in system if name not in gold),
    )


def normalize_pair(gold: bytes | str, system: bytes | str, *, name: str = "") -> NormalizedPair:
    """Align one document's two annotations and rewrite the links of both.

    >>> document = '''<TimeML><DCT><TIMEX3 tid="t9">now</TIMEX3></DCT><TEXT>It <EVENT eid="e5">rained</EVENT>.</TEXT>
    ... <MAKEINSTANCE eiid="ei8" eventID="e5"/>
    ... <TLINK lid="l1" relType="AFTER" timeID="t9" relatedToEventInstance="ei8"/></TimeML>'''
    >>> normalize_pair(document, document).gold.links
    (NormalizedLink(source='ei1', label='BEFORE', target='t0'),)
    """
    objections: list[Objection] = []
    files = [_admitted(data, side, objections) for side, data in ((WhichSide.GOLD, gold), (WhichSide.SYSTEM, system))]
    gold_file, system_file = files
    if gold_file is None or system_file is None:
        return NormalizedPair(name, objections=tuple(objections))
    tokens, system_tokens = tokenize(gold_file.text), tokenize(system_file.text)
    objections.extend(_unlike_tokens(tokens, system_tokens))
    if "".join(tokens) != "".join(system_tokens):
        return NormalizedPair(name, objections=tuple(objections))
    objections.extend(_troubling_text(gold_file, WhichSide.GOLD))
    objections.extend(_troubling_text(system_file, WhichSide.SYSTEM))
    places = TokenPlaces(tokens)
    events = number_events(_mentions(gold_file, "EVENT", places), _mentions(system_file, "EVENT", places))
    times = number_timexes(_mentions(gold_file, "TIMEX3", places), _mentions(system_file, "TIMEX3", places))
    return NormalizedPair(
        name,
        _rewritten(gold_file, events[0], times[0], WhichSide.GOLD, objections),
        _rewritten(system_file, events[1], times[1], WhichSide.SYSTEM, objections),
        tuple(objections),
    )


def _admitted(data: bytes | str, side: WhichSide, objections: list[Objection]) -> TimemlFile | None:
    """Return the file if it is well-formed and satisfies the schema."""
    try:
        file = parse(data)
    except InputError as error:
        cure = f"; {error.cure}" if error.cure else ""
        objections.append(Objection(Stage.GATE, side, Remark("not-well-formed", error.reason + cure, error.line)))
        return None
    found = [Objection(Stage.GATE, side, remark) for remark in violations(file)]
    objections.extend(found)
    return None if found else file


def _unlike_tokens(gold: Sequence[str], system: Sequence[str]) -> Iterator[Objection]:
    if gold == system:
        return
    shared = min(len(gold), len(system))
    position = next((index for index in range(shared) if gold[index] != system[index]), shared)
    expected, found = (repr(side[position]) if position < len(side) else "the end" for side in (gold, system))
    message = f"token {position + 1} of TEXT is {found}, but {expected} in gold; both sides must annotate one text"
    yield Objection(Stage.ALIGNMENT, WhichSide.SYSTEM, Remark("other-text", message))


def _troubling_text(file: TimemlFile, side: WhichSide) -> Iterator[Objection]:
    """Return what the official program cannot align although it is correct."""
    troubles = [
        f"{what} in TEXT: the official program fails here"
        for what in (first_reference(file), "|" if "|" in file.text else None)
        if what is not None
    ]
    return (Objection(Stage.ALIGNMENT, side, Remark("unsupported-character", trouble)) for trouble in troubles)


def _mentions(file: TimemlFile, tag: str, places: TokenPlaces) -> list[NormalizedMention]:
    """Return the events or time expressions that have text in TEXT, in reading order."""
    key = "eid" if tag == "EVENT" else "tid"
    return [
        NormalizedMention(element.attributes[key], places.token_at(element.start), places.token_at(element.end - 1))
        for element in file.named(tag)
        if element.inside == "TEXT" and element.start < element.end
    ]


def _rewritten(
    file: TimemlFile, events: Mapping[str, int], times: Mapping[str, int], side: WhichSide, objections: list[Objection]
) -> NormalizedDocument | None:
    dct = next(timex.attributes["tid"] for timex in file.named("TIMEX3") if timex.inside == "DCT")
    instances = [
        (instance.attributes["eiid"], instance.attributes.get("eventID", ""), instance)
        for instance in file.named("MAKEINSTANCE")
    ]
    failures = [
        Remark("event-without-text", f"the EVENT {event!r} is empty or stands outside TEXT", element.line, element.name)
        for _, event, element in instances
        if event not in events
    ]
    if not failures:
        numbers = Numbers(number_instances([pair[:2] for pair in instances], events), {**times, dct: 0})
        failures = list(obstacles(file, numbers))
    if failures:
        objections.extend(Objection(Stage.REWRITING, side, failure) for failure in failures)
        return None
    rewriting = rewrite(file, numbers)
    objections.extend(Objection(Stage.NOTE, side, remark) for remark in rewriting.remarks)
    return NormalizedDocument(rewriting.tags)


# ----------------------------------------------------------------------------------------------------
# Complaints of the official normaliser, and how much of its output each complaint costs.


class WhichSide(Enum):
    """The two annotations of a document, in the order in which the official program handles them."""

    GOLD = "gold"
    SYSTEM = "system"


class Stage(Enum):
    """The stage at which the official program notices something. It decides what the program still writes."""

    GATE = "gate"  # names, well-formedness, schema: nothing is written for any document of the run
    ALIGNMENT = "alignment"  # neither side of this document is written, nor any later document
    REWRITING = "rewriting"  # this side is not written, nor anything after it
    NOTE = "note"  # the program goes on, perhaps with a message


class Objection(NamedTuple):
    """One complaint about one side of one document."""

    stage: Stage
    side: WhichSide
    remark: Remark

    def __str__(self) -> str:
        line = f"line {self.remark.line}: " if self.remark.line is not None else ""
        element = f"{self.remark.element}: " if self.remark.element else ""
        return f"{self.side.value}: {line}{element}{self.remark.message}"
