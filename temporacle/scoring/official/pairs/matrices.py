"""What programs count before they divide, where that is more than a table of labels. Their faults are kept.

``tieval`` compares sets of links, and which of them follow. Macro recall is computed with false positives, as macro
precision is. Temporal precision and recall are exchanged. Its closure has no link of a document with a longer
contradiction, and misses shorter ones.

``global-zero-shot`` reads the graphs that language models write, and votes. Gold is a table of directed pairs for each
file; the last label of a pair counts. A model's text is read piece by piece (``read_graph``); a gold pair gets its
label, else the converse of the reversed pair's, else BEFORE. With a vote, each run has its own table, and only directed
pairs that gold has and some run answered are examples.
"""

from __future__ import annotations

import re
from collections import Counter
from enum import Enum
from functools import reduce
from graphlib import CycleError, TopologicalSorter
from itertools import combinations, permutations, product
from operator import add
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.scoring.official.pairs.schemes import OriginalStopsError
from temporacle.scoring.official.registry import harmonic_mean
from temporacle.scoring.pairs.conventions import Matrix
from temporacle.scoring.pairs.labels import MATRES, MAVEN, NONE, TIEVAL, ExampleRow, in_order

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

    from temporacle.scoring.pairs.labels import LabelSet

    Table = Mapping[tuple[str, str, str], str]  # (file, first, second) -> label


# How a label relates the points of two intervals: start to start, start to end, end to start, end to end; ?: not at all
_SIGNS = {
    "BEFORE": "<<<<",
    "AFTER": ">>>>",
    "IBEFORE": "<<=<",
    "IAFTER": ">=>>",
    "INCLUDES": "<<>>",
    "IS_INCLUDED": "><><",
    "BEGINS": "=<><",
    "BEGUN_BY": "=<>>",
    "ENDS": "><>=",
    "ENDED_BY": "<<>=",
    "SIMULTANEOUS": "=<>=",
    "OVERLAP": "<<><",
    "OVERLAPPED": "><>>",
    "BEFORE-OR-OVERLAP": "<<?<",
    "OVERLAP-OR-AFTER": ">?>>",
    "VAGUE": "????",
}
_LABEL_OF = {signs: label for label, signs in _SIGNS.items()}
_TURNED = {"<": ">", ">": "<", "=": "=", "?": "?"}
_ENDS = (("s", "s"), ("s", "e"), ("e", "s"), ("e", "e"))


def _key(row: ExampleRow) -> str:
    """Return what the program compares links by. Ids with ``_`` can make two links one."""
    return "_".join(sorted((row.source, row.target, row.label)))


class LinkSets(NamedTuple):
    """The links of a document on both sides, each in the alphabetical order of its ends, by the program's key."""

    gold: Mapping[str, ExampleRow]
    system: Mapping[str, ExampleRow]

    @classmethod
    def of(cls, gold: Iterable[ExampleRow], system: Iterable[ExampleRow]) -> LinkSets:
        sides: list[dict[str, ExampleRow]] = [{}, {}]
        for found, rows in zip(sides, (gold, system), strict=True):
            for row in rows:
                found.setdefault(_key(ordered := in_order(row, TIEVAL)), ordered)
        return cls(*sides)

    @property
    def right(self) -> int:
        return len(self.gold.keys() & self.system.keys())

    def found_in_closures(self) -> tuple[int, int]:
        """Return how many gold links the closure of the system has, and how many system links that of gold."""
        closed = [{_key(row) for row in closure(side.values())} for side in (self.system, self.gold)]
        return len(self.gold.keys() & closed[0]), len(self.system.keys() & closed[1])


def tieval_scores(documents: Sequence[LinkSets]) -> dict[str, dict[str, float]]:
    """Return micro and macro scores, as the program computes them: its temporal precision is recall, and vice versa."""
    if not documents:
        raise OriginalStopsError("there is no document")
    if any(not each.gold or not each.system for each in documents):
        raise OriginalStopsError("a document has no links on one side")
    sizes = [(each.right, len(each.gold), len(each.system), *each.found_in_closures()) for each in documents]
    right, gold, system, recalled, precise = (sum(column) for column in zip(*sizes, strict=True))

    def mean(part: int, of: int) -> float:
        return reduce(add, (each[part] / each[of] for each in sizes), 0.0) / len(sizes)

    precision = mean(0, 2)
    return {
        "micro": _figures(right / gold, right / system, right / gold, recalled / gold, precise / system),
        "macro": _figures(mean(0, 1), precision, precision, mean(3, 1), mean(4, 2)),
    }


def _figures(
    accuracy: float, precision: float, recall: float, temporal_precision: float, temporal_recall: float
) -> dict[str, float]:
    return {
        "accuracy": accuracy,
        "precision": precision,
        "recall": recall,
        "f1": harmonic_mean(precision, recall),
        "temporal_precision": temporal_precision,
        "temporal_recall": temporal_recall,
        "temporal_awareness": harmonic_mean(temporal_precision, temporal_recall),
    }


def closure(links: Iterable[ExampleRow]) -> list[ExampleRow]:
    """Return the links that the program infers, given ones included; none if points before points make a cycle.

    Two points that are each before the other, and points that are equal and before each other, are not seen as a
    contradiction: these orders are dropped. VAGUE is never inferred.
    """
    equal: dict[str, set[str]] = {}
    before: set[tuple[str, str]] = set()
    for row in links:
        before.update((f"s{name}", f"e{name}") for name in (row.source, row.target))
        for (one, other), sign in zip(_ENDS, _SIGNS[row.label], strict=True):
            first, second = one + row.source, other + row.target
            if sign == "=":
                group = equal.get(first, {first}) | equal.get(second, {second})
                equal.update(dict.fromkeys(group, group))
            elif sign != "?":
                before.add((first, second) if sign == "<" else (second, first))
    named = {point: "".join(sorted(group)) for point, group in equal.items()}
    members = {named[point]: group for point, group in equal.items()}
    merged = {(named.get(first, first), named.get(second, second)) for first, second in before}
    graph: dict[str, set[str]] = {}
    for first, second in merged:
        if (second, first) not in merged:
            graph.setdefault(second, set()).add(first)
    signs: dict[tuple[str, str], dict[tuple[str, str], str]] = {}

    def relate(first: str, sign: str, second: str) -> None:
        for one, found, other in ((first, sign, second), (second, _TURNED[sign], first)):
            signs.setdefault((one[1:], other[1:]), {})[one[0], other[0]] = found

    try:
        order = list(TopologicalSorter(graph).static_order())
    except CycleError:
        return []
    earlier: dict[str, set[str]] = {}
    for node in order:
        own = graph.get(node, set())
        earlier[node] = own.union(*(earlier[each] for each in own))
        for first in earlier[node]:
            for one, other in product(members.get(first, {first}), members.get(node, {node})):
                relate(one, "<", other)
    for group in members.values():
        for one, other in combinations(group, 2):
            relate(one, "=", other)
    pairs = ((source, target, _completed(found)) for (source, target), found in signs.items() if source < target)
    return [ExampleRow(source, _LABEL_OF[found], target) for source, target, found in pairs if found in _LABEL_OF]


def _completed(signs: Mapping[tuple[str, str], str]) -> str:
    """Return how the points of two intervals are related, with what follows because each start is before its end."""
    given = [*zip(_ENDS, (signs.get(ends, "?") for ends in _ENDS), strict=True)]
    known: dict[tuple[str, str], str] = {}
    pairs = [((f"x{one}", f"y{other}"), sign) for (one, other), sign in given if sign != "?"]
    for (one, other), sign in (*pairs, (("xs", "xe"), "<"), (("ys", "ye"), "<")):
        known[one, other], known[other, one] = sign, _TURNED[sign]
    while True:
        new: dict[tuple[str, str], str] = {}
        for ((first, middle), sign), ((other, last), next_sign) in product(known.items(), repeat=2):
            if middle != other or first == last or (first, last) in known or {sign, next_sign} == {"<", ">"}:
                continue
            found = next_sign if sign == "=" else sign
            new[first, last], new[last, first] = found, _TURNED[found]
        if not new:
            return "".join(known.get((f"x{one}", f"y{other}"), "?") for one, other in _ENDS)
        known |= new


# ----------------------------------------------------------------------------------------------------
# ``narrativetime``: agreement of two annotators of complete graphs, the diagonal included.
#
# Each annotator states every pair of the n entities of a document in both directions. The notebook compares all n*n
# cells, among them n of an entity with itself, which always agree. ``diagonal=False`` leaves these out.

_ITSELF = "(itself)"


def cells(
    first: Sequence[ExampleRow], second: Sequence[ExampleRow], *, diagonal: bool = True
) -> Counter[tuple[str, str]]:
    """Return how often each pair of labels was given to a cell. Raise OriginalStopsError if a graph is not complete."""
    entities = {end for row in (*first, *second) for end in (row.source, row.target)}
    tables = []
    for side in (first, second):
        table = {(row.source, row.target): row.label for row in side}
        if len(side) != len(entities) * (len(entities) - 1):
            raise OriginalStopsError(f"a graph of {len(entities)} entities has {len(side)} links")
        if len(table) < len(side) or any(source == target for source, target in table):
            raise OriginalStopsError("a pair is stated twice, or an entity is related to itself")
        tables.append(table)
    found = Counter((label, tables[1][pair]) for pair, label in tables[0].items())
    if diagonal:
        found[_ITSELF, _ITSELF] += len(entities)
    return found


def agreement_figures(found: Counter[tuple[str, str]]) -> dict[str, float]:
    """Return accuracy, Cohen's kappa and Krippendorff's alpha (nominal, two coders)."""
    total = found.total()
    if not total:
        raise OriginalStopsError("there is no cell")
    first: Counter[str] = Counter()
    second: Counter[str] = Counter()
    for (own, other), number in found.items():
        first[own] += number
        second[other] += number
    observed = sum(number for (own, other), number in found.items() if own == other) / total
    expected = sum(number * second[label] for label, number in first.items()) / total**2
    values = 2 * total
    alike = values * values - sum(number * number for number in (first + second).values())
    nothing = float("nan")
    return {
        "accuracy": observed,
        "kappa": 1 - (1 - observed) / (1 - expected) if expected != 1 else nothing,
        "krippendorff": 1 - (1 - observed) * values * (values - 1) / alike if alike else nothing,
    }


# ----------------------------------------------------------------------------------------------------
# ``maven-ere``: temporal relations between mentions, as the task's program scores them.
#
# Every ordered pair of different mentions (of events, then TIMEX) is a cell. Gold relates events and times: the label
# holds between all their mentions. Answers relate mentions; answers with other ids are ignored. The program finds cells
# by the joined ids of the pair, so ``a`` + ``bc`` and ``ab`` + ``c`` share one cell, which is a fault. ``joined=False``
# gives each pair its own cell, also the pair of a mention with itself.

_LABELS = MAVEN.labels


class MavenDocument(NamedTuple):
    """The parts of a gold document and of its answer that the score needs."""

    mentions: tuple[str, ...]
    ends: Mapping[str, tuple[str, ...]]  # events and times -> their mentions
    gold: tuple[tuple[str, str, str], ...]  # label, event or time, event or time; in order
    answers: tuple[tuple[str, str, str], ...]  # label, mention, mention; in order


def maven_document(gold: Mapping[str, Any], answer: Mapping[str, Any] | None) -> MavenDocument:
    """Return the examples from the objects of the two files.

    Raise KeyError or TypeError if gold does not have the form of the task.
    """
    ends: dict[str, tuple[str, ...]] = {}
    mentions: list[str] = []
    for event in gold["events"]:
        own = tuple(mention["id"] for mention in event["mention"])
        mentions += own
        ends[event["id"]] = own
    for timex in gold["TIMEX"]:
        mentions.append(timex["id"])
        ends[timex["id"]] = (timex["id"],)
    answered = (answer or {}).get("temporal_relations", {})
    return MavenDocument(tuple(mentions), ends, _triples(gold["temporal_relations"]), _triples(answered))


def _triples(relations: Mapping[str, Iterable[tuple[str, str]]]) -> tuple[tuple[str, str, str], ...]:
    return tuple((label, first, second) for label, pairs in relations.items() for first, second in pairs)


def maven_matrix(documents: Iterable[MavenDocument], *, joined: bool = True) -> Matrix:
    """Return the confusion matrix without the cells that neither side relates.

    Raise OriginalStopsError where the program ends.
    """
    confusion: Counter[tuple[str, str]] = Counter()
    has_cells = False
    for document in documents:
        has_cells |= len(set(document.mentions)) > 1
        cells = _Cells(document.mentions, joined=joined)
        gold, given = _gold(document, cells), _answers(document, cells)
        confusion.update((gold.get(cell, NONE), given.get(cell, NONE)) for cell in {**gold, **given})
    if not has_cells:
        raise OriginalStopsError("no document has two mentions")
    return Matrix.of((*_LABELS, NONE), confusion)


def maven_coverage(documents: Iterable[MavenDocument]) -> tuple[int, int, int]:
    """Return how many pairs of mentions gold relates, how many of them are answered, and how many more than once."""
    asked = answered = twice = 0
    for document in documents:
        rows = Counter((first, second) for _, first, second in document.answers)
        pairs = {
            (one, other)
            for _, first, second in document.gold
            for one in document.ends.get(first, ())
            for other in document.ends.get(second, ())
        }
        asked += len(pairs)
        answered += sum(pair in rows for pair in pairs)
        twice += sum(rows[pair] > 1 for pair in pairs)
    return asked, answered, twice


class _Cells:
    """Finds the cell of a pair of mentions."""

    def __init__(self, mentions: tuple[str, ...], *, joined: bool) -> None:
        self._mentions, self._joined = mentions, joined

    def of(self, first: str, second: str) -> Hashable:
        if not self._joined:
            return (first, second)
        if first == second and not self._is_another_pair(first + second):
            raise OriginalStopsError(f"the mention {first!r} is related to itself")
        return first + second

    def _is_another_pair(self, name: str) -> bool:
        """Return whether two different mentions join to this name."""
        return any(first + second == name for first, second in permutations(dict.fromkeys(self._mentions), 2))


def _gold(document: MavenDocument, cells: _Cells) -> dict[Hashable, str]:
    found: dict[Hashable, str] = {}
    for label, first, second in document.gold:
        if label not in _LABELS:
            raise OriginalStopsError(f"unknown label {label!r} in gold")
        for end in (first, second):
            if end not in document.ends:
                raise OriginalStopsError(f"gold relates {end!r}, which is neither an event nor a time of the document")
        for one in document.ends[first]:
            for other in document.ends[second]:
                found[cells.of(one, other)] = label
    return found


def _answers(document: MavenDocument, cells: _Cells) -> dict[Hashable, str]:
    known = set(document.mentions)
    found: dict[Hashable, str] = {}
    for label, first, second in document.answers:
        if first in known and second in known:
            if label not in _LABELS:
                raise OriginalStopsError(f"unknown label {label!r} in the answers")
            found[cells.of(first, second)] = label
    return found


def maven_lines(matrix: Matrix) -> list[str]:
    """Return the lines of the program about temporal relations."""
    correct, predicted, gold = matrix.correct(_LABELS), matrix.columns(_LABELS), matrix.rows(_LABELS)
    figures = {
        "precision": correct / predicted if predicted else 0.0,
        "recall": correct / gold if gold else 0.0,
        "f1": 2 * correct / (predicted + gold) if predicted + gold else 0.0,
    }
    return [f"temporal_{name}: {100 * value:.2f}" for name, value in figures.items()]


_OPENING = "strict graph"
_SKIPPED = len(_OPENING) + 2  # characters from the beginning of the opening words to the first edge
_FENCE = "```"
_WORD = re.compile(r'rel\s?=\s?"?([a-zA-Z_]+)"?')
_ID = re.compile(r"\((\d+)\)")
_KNOWN = {"after", "before", "equal", "vague", "same", "same_time", "simultaneous", "precede", "during"}
_KNOWN |= {"include", "included", "is_included"}
_EQUAL = dict.fromkeys(("equal", "same_time", "simultaneous"), "EQUAL")
_ALWAYS = {"before": "BEFORE", "after": "AFTER", "vague": "VAGUE", **_EQUAL}
_FOUR = {**_ALWAYS, "during": "EQUAL", "precede": "BEFORE"}
_SIX = {
    **_ALWAYS,
    "same": "EQUAL",
    "include": "INCLUDES",
    "precede": "INCLUDES",  # precede: a fault
    **dict.fromkeys(("is_included", "included", "during"), "IS_INCLUDED"),
}


class Edge(NamedTuple):
    """The edge that a piece of a graph states."""

    first: str
    label: str
    second: str


def file_of(name: str) -> str:
    """Return the gold file that a text is about. Chunks are named after it.

    >>> file_of("harbour_chunk_0.json"), file_of("harbour.json")
    ('harbour.json', 'harbour.json')
    """
    parts = name.split("_")
    return "_".join(parts[:-2]) + ".json" if "chunk" in parts else name


class Mend(Enum):
    """A fault of the program's reader that can be corrected, to see what it changes."""

    GOES_ON = "a piece without a relation ends the reading of a text"
    PRECEDES = "the word precede is read as INCLUDES"


def read_graph(text: str, labels: LabelSet, mend: Mend | None = None) -> Iterator[Edge]:
    """Yield the edges of one text. Raise OriginalStopsError where the original program ends with an error."""
    words = _FOUR if labels is MATRES else _SIX
    if mend is Mend.PRECEDES:
        words = {**words, "precede": "BEFORE"}
    for piece in _pieces(text.replace("Strict graph", _OPENING)):
        found = _WORD.search(piece)
        if found is None and mend is Mend.GOES_ON:
            continue
        if found is None:
            return  # the rest of the text is not read
        word = found[1].lower()
        if word.endswith("s") and word != "simultaneous":
            word = word[:-1]
        if word in _KNOWN and (ends := _ends(piece)) is not None:
            if word not in words:
                raise OriginalStopsError(f"the relation {found[1]!r} is not among its labels")
            yield Edge(ends[0], words[word], ends[1])


def _pieces(text: str) -> list[str]:
    start = text.find(_OPENING)
    if start < 0:
        return []
    return text[start + _SKIPPED : text.rfind(_FENCE)].split(";")  # without a fence: to the last character but one


def _ends(piece: str) -> tuple[str, str] | None:
    """Return the two ids of an edge, if it has them."""
    if "[rel=" in piece:
        piece = piece[: piece.index("[rel=")]
    parts = [part.strip() for part in piece.split("--")]
    if len(parts) < 2:
        return None
    if not parts[0]:
        raise OriginalStopsError("an edge has no first name")
    names = [part.replace('"', "") for part in parts[:2]]
    ids = [_ID.search(name) for name in parts[:2]]
    if any(name in {"", " "} for name in names) or ids[0] is None or ids[1] is None:
        return None
    return ids[0][1], ids[1][1]


def each_answer(
    texts: Mapping[str, str], files: frozenset[str], labels: LabelSet, mend: Mend | None = None
) -> Iterator[tuple[tuple[str, str, str], str]]:
    """Yield the rows of the table of one run, given its texts by name; of a pair the last one counts.

    Names that are not gold files are ignored.
    """
    for name, text in texts.items():
        file = file_of(name)
        if file in files:
            for edge in read_graph(text, labels, mend):
                yield (file, edge.first, edge.second), edge.label


class Confused(NamedTuple):
    """Examples by their two labels, and how many gold pairs had no answer."""

    confusion: Counter[tuple[str, str]]
    unanswered: int = 0


def confused(gold: Table, answered: Table, labels: LabelSet) -> Confused:
    """Return the examples of one run."""
    confusion: Counter[tuple[str, str]] = Counter()
    unanswered = 0
    for (file, first, second), label in gold.items():
        given = answered.get((file, first, second))
        if given is None and (other := answered.get((file, second, first))) is not None:
            given = labels.converse(other)
        unanswered += given is None
        confusion[label, given or "BEFORE"] += 1
    return Confused(confusion, unanswered)


def voted(gold: Table, runs: Sequence[Table], labels: LabelSet) -> Confused:
    """Return the examples of a vote: the label of most runs, and at a tie the first in the order of labels."""
    confusion: Counter[tuple[str, str]] = Counter()
    for pair, label in gold.items():
        votes = Counter(run[pair] for run in runs if pair in run)
        if votes:
            winner = max(labels.labels, key=lambda each: votes[each])  # the first of those with most votes
            confusion[label, winner] += 1
    return Confused(confusion, sum(all(pair not in run for run in runs) for pair in gold))
