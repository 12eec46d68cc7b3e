"""i2b2 2012: events, times and links of clinical notes, scored and printed as its program does.

Entities are matched in both directions, links (``i2b2.links``) in one of four ways: ``tempeval``
(the graph of TempEval-3), or looked up among the other side's own links or closed ones: ``oo``, ``oc``, ``cc``. The
public copy of the program has three blocks of its output switched off; ``blocks="all"`` prints them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from temporacle.errors import InputError, UsageError
from temporacle.reasoner.network import Budget
from temporacle.scoring.metric import option
from temporacle.scoring.official.i2b2.links import (
    MODES,
    SECTION_TIMES,
    I2b2Side,
    LinkCounts,
    events_in,
    gold_triples,
    looked_up_counts,
    system_triples,
    tempeval_counts,
    times_in,
)
from temporacle.scoring.official.registry import (
    MODE_TEXT,
    AddedUp,
    Explain,
    Layout,
    Printout,
    Program,
    ProgramOptions,
    ProgramRequest,
    ProgramRun,
    Stop,
    harmonic_mean,
    nothing_found,
    ratio,
    require,
)
from temporacle.scoring.official.tempeval3 import FilePair, LinkPair
from temporacle.scoring.official.tempeval3.tlinks import numbered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from temporacle.scoring.official.i2b2.links import I2b2Tag
    from temporacle.scoring.official.tempeval3.tlinks import Triple


Mapping: TypeAlias = "dict[bytes, list[bytes]]"
_WORD = re.compile(rb"[A-Za-z0-9_]")
_IGNORED = frozenset(
    b", . ? ! \" ' < > ; : / \\ ~ _ - + = ( ) [ ] { } | @ # $ % ^ & * ` &apos; &amp; &quot; &gt; &lt;".split()
)


class Best(NamedTuple):
    """The best partner of an entity so far: points for three attributes, how well the spans agree, and its number."""

    points: tuple[int, int, int] = (0, 0, 0)
    span: float = 0
    partner: int | None = None


@dataclass(frozen=True, slots=True)
class DirectionCounts(AddedUp):
    """Counts of one direction, for one kind of entity."""

    total: int = 0
    matched: int = 0
    credit: float = 0
    first: int = 0  # points for the attributes
    second: int = 0
    third: int = 0

    @property
    def points(self) -> tuple[int, int, int]:
        """Return the points for the three attributes of an entity."""
        return self.first, self.second, self.third


def _matched(
    first: Sequence[I2b2Tag],
    second: Sequence[I2b2Tag],
    points_of: Callable[[I2b2Tag, I2b2Tag], tuple[int, int, int]],
    may_take: Callable[[Best, Best], bool],
    *,
    exact: bool,
) -> tuple[Mapping, DirectionCounts]:
    """Go through all pairs in order, as the program does: quadratic, for entities of one document."""
    best = [Best()] * len(first)
    holder: dict[int, int] = {}
    mapping: Mapping = {}
    for number, tag in enumerate(first):
        mapping[tag.id] = partners = []
        for other, candidate in enumerate(second):
            span = span_agreement(tag, candidate)
            if not span:
                continue
            partners.append(candidate.id)
            new = Best(points_of(tag, candidate), span, other)
            own = holder.get(other)
            if own is None:
                if may_take(new, best[number]):
                    before = best[number].partner
                    if before is not None and before != other:
                        holder.pop(before, None)
                    best[number], holder[other] = new, number
            elif (span == 1 or may_take is _may_take_time) and best[own].span < 1:
                best[own], best[number], holder[other] = Best(), new, number
        if not partners:
            partners.append(tag.id)
    least = 0.5 if exact else 0
    points = (sum(each.points[place] for each in best) for place in range(3))
    matched = sum(each.span > least for each in best)
    return mapping, DirectionCounts(len(first), matched, sum(each.span for each in best), *points)


def span_agreement(a: I2b2Tag, b: I2b2Tag) -> float:
    """Return 1 if two entities touch and have the same words, 0.5 if they only touch, otherwise 0."""
    if not (_WORD.search(a.text) and _WORD.search(b.text)):
        return 0
    # Not symmetric: one character more is needed from the entity that starts later.
    touching = a.end >= b.start + 1 if a.start <= b.start else b.end > a.start + 1
    if not touching:
        return 0
    return 1 if _words(a) == _words(b) else 0.5


def _words(tag: I2b2Tag) -> list[bytes]:
    return [word for word in tag.text.split() if word not in _IGNORED]


def _event_points(a: I2b2Tag, b: I2b2Tag) -> tuple[int, int, int]:
    modality, polarity, kind = (int(mine == theirs) for mine, theirs in zip(a.attributes, b.attributes, strict=True))
    return modality, polarity, kind


def _time_points(a: I2b2Tag, b: I2b2Tag) -> tuple[int, int, int]:
    _, mod, kind = (int(mine == theirs) for mine, theirs in zip(a.attributes, b.attributes, strict=True))
    return int(same_value(a.attributes, b.attributes)), mod, kind


def _may_take_event(new: Best, best: Best) -> bool:
    better = sum(new.points) > sum(best.points)
    return best.span < 1 or better if new.span == 1 else best.span != 1 and better


def _may_take_time(new: Best, best: Best) -> bool:
    return new.points[0] > best.points[0] or best.points[0] == 0


# ----------------------------------------------------------------------------------------------------
# When two values of times count as equal in i2b2 2012: durations and frequencies by length, all others by text.

_FREQUENCY = re.compile(  # the original: R[0-9]*\.?[0-9]*P?T?[0-9]*\.?[0-9]*[YMWDHS]?, in linear time
    rb"R[0-9]*+(?:(?:\.[0-9]*+)?(?:PT?|T)[0-9]*+(?:\.[0-9]*+)?|(?:\.[0-9]*+){0,2}+)[YMWDHS]?"
)
_DURATION = re.compile(rb"PT*+[0-9]*+(?:\.[0-9]*+)?[YMWDHS]?")
_MEASURED = {b"DURATION", b"FREQUENCY"}
_HOURS = {b"D": 24.0, b"W": 24.0 * 7, b"Y": 24.0 * 4 * 7 * 12, b"H": 1.0, b"S": 1 / 2400}
_MONTH = 4.0 * 7 * 24
_TOLERANCE = 3


def same_value(first: tuple[bytes, bytes, bytes], second: tuple[bytes, bytes, bytes]) -> bool:
    """Return whether two times, given by val, mod and type, have the same value."""
    (val, mod, kind), (other_val, other_mod, other_kind) = first, second
    if not ({kind, other_kind} <= _MEASURED and val and other_val):
        return val == other_val
    if kind != other_kind:
        return False
    plain = mod.rstrip() == other_mod.rstrip() == b"NA"
    if kind == b"DURATION":
        if not (_DURATION.fullmatch(val) and _DURATION.fullmatch(other_val)):
            return False
        return _same_period(val[1:], other_val[1:], plain=plain)
    if not (_FREQUENCY.fullmatch(val) and _FREQUENCY.fullmatch(other_val)):
        return False
    if b"P" in val and b"P" in other_val:
        (times, _, period), (other_times, _, other_period) = val.partition(b"P"), other_val.partition(b"P")
        return times == other_times and _same_period(period, other_period, plain=plain)
    return val == other_val


def _same_period(p: bytes, q: bytes, *, plain: bool) -> bool:
    if not p or not q:
        raise Stop("IndexError", "a duration or frequency without a length")
    unit, other = p[-1:], q[-1:]
    if unit == other:
        if unit == b"M" and (p[:1] == b"T" or q[:1] == b"T"):
            if not (p[:1] == b"T" and q[:1] == b"T"):
                return False
            if plain:
                return p == q
            return abs(_number(p[1:-1]) - _number(q[1:-1])) < _TOLERANCE
        first, second = p.removeprefix(b"T")[:-1], q.removeprefix(b"T")[:-1]
        return first == second if plain else abs(_number(first) - _number(second)) < _TOLERANCE
    if plain:
        return _hours(p) == _hours(q)
    number = _number(p.removeprefix(b"T")[:-1])
    low = 0.0 if number < 2 else number - 2

    def around(value: float) -> float:
        sign = b"T" if p[:1] == b"T" else b""
        return _hours(sign + f"{value:.12g}".encode() + unit)

    return _hours(q) <= around(number + 2) and around(low) < _hours(q)


def _hours(period: bytes) -> float:
    unit, body = period[-1:], period.removeprefix(b"T")[:-1]
    if unit != b"M" and unit not in _HOURS:
        raise Stop("UnboundLocalError", f"{period.decode('utf-8', 'replace')!r} has no unit of time")
    if not body:
        raise Stop("IndexError", "a unit of time without a number")
    number = _number(body)
    if unit == b"M":
        return number / 60 if period[:1] == b"T" else number * _MONTH
    return number / 2400 if unit == b"S" else number * _HOURS[unit]


def _number(text: bytes) -> float:
    try:
        return float(text)
    except ValueError:
        raise Stop("ValueError", f"{text.decode('utf-8', 'replace')!r} is not a number") from None


TAGS = ("all", "event", "timex", "tlink")
SPANS = ("overlap", "exact", "partialCredit")
_WIDTH = 46
_STARS = "*"


_NO_LINKS = LinkCounts()


@dataclass(slots=True)
class NoteScore:
    """The counts of one note. Gold's direction comes first."""

    entities: dict[str, tuple[DirectionCounts, DirectionCounts]] = field(default_factory=dict)  # by their tag
    links: LinkCounts = _NO_LINKS


@dataclass(slots=True)
class _Run:
    options: I2b2Choices
    out: list[bytes] = field(default_factory=list)
    scores: list[tuple[str, NoteScore]] = field(default_factory=list)

    def say(self, *lines: bytes) -> None:
        self.out.extend(lines)

    def print(self, text: str) -> None:
        self.out.append(text.encode())


def run(pairs: Iterable[FilePair], options: I2b2Choices, *, folder: bool) -> tuple[bytes, Printout]:
    """Return what the program prints, and the same as rows."""
    this = _Run(options)
    this.print(head(options))
    stops, reason = None, ""
    try:
        for pair in pairs:
            _score_note(this, pair, folder=folder)
        if folder:
            this.print("".join(_aggregate([score for _, score in this.scores], options)))
        elif options.tags == "tlink":
            this.print(_ALONE_IN_FILES)
    except Stop as stop:
        stops, reason = stop.name, stop.reason
    rows = tuple({"document": name, **_figures(score.links)} for name, score in this.scores)
    total = {} if stops else _figures(sum((score.links for _, score in this.scores), LinkCounts()))
    return b"".join(this.out), Printout("", rows, total, stops, reason)


def head(options: I2b2Choices) -> str:
    """Return the first lines of every run."""
    return (
        f"\nEvaluation method:\n   Evaluating tags: {options.tags.upper()}\n   Span match method: {options.spans}\n"
        f"   TLINK evaluation method: {options.mode}\n"
    )


MISMATCH = "\nError: the files in the gold standard directory and the system directory don't match!\n\n"
NEITHER = "Error: Please input two directorys or two files\n"


def comparable_links(pair: FilePair, options: I2b2Choices) -> tuple[list[Triple], list[Triple]]:
    """Return the links of a note that mode ``tempeval`` compares, under gold's ids."""
    unheard = _Run(options)
    maps = _match_entities(unheard, NoteScore(), pair)
    return _triples(unheard, pair, maps)


def _triples(this: _Run, pair: FilePair, maps: tuple[Mapping, Mapping]) -> tuple[list[Triple], list[Triple]]:
    gold = gold_triples(pair.gold, *maps, this.say)
    return gold, system_triples(pair.system or b"", maps[1], this.say)


def _score_note(this: _Run, pair: FilePair, *, folder: bool) -> None:
    options, score = this.options, NoteScore()
    if folder and options.all_blocks:
        this.print(_centred(pair.name))
    maps = _match_entities(this, score, pair)
    if options.does("tlink"):
        _score_links(this, score, pair, maps)
        if not folder or options.all_blocks:
            this.print("".join(_link_block(score.links)))
    this.scores.append((pair.name, score))


def _match_entities(this: _Run, score: NoteScore, pair: FilePair) -> tuple[Mapping, Mapping]:
    """Match events and times in both directions, and print their blocks."""
    options = this.options
    exact = options.spans == "exact"
    if pair.system is None:
        raise Stop("IOError" if options.tags == "tlink" else "Exception", f"the system has no file {pair.name}")
    gold_map: Mapping = {}
    system_map: Mapping = {}
    for tag, read, points, may_take, block in (
        ("event", events_in, _event_points, _may_take_event, _event_block),
        ("timex", times_in, _time_points, _may_take_time, _time_block),
    ):
        if options.does(tag):
            gold, system = read(pair.gold), read(pair.system)
            there, recall = _matched(gold, system, points, may_take, exact=exact)
            back, precision = _matched(system, gold, points, may_take, exact=exact)
            gold_map |= there
            system_map |= back
            score.entities[tag] = recall, precision
            this.print("".join(block((recall, precision), options)))
    if options.does("timex"):
        for time in SECTION_TIMES:
            gold_map[time] = system_map[time] = [time]
    return gold_map, system_map


def _score_links(this: _Run, score: NoteScore, pair: FilePair, maps: tuple[Mapping, Mapping]) -> None:
    if this.options.mode == "tempeval":
        score.links = tempeval_counts(*_triples(this, pair, maps), Budget(this.options.budget))
    else:
        score.links = looked_up_counts(pair.gold, pair.system or b"", maps, this.options.mode, this.say)


def _centred(name: str) -> str:
    """Return a name between stars; of an odd number of them the right side has one more."""
    text = f" {name} "
    left = max(0, _WIDTH - len(text)) // 2
    return _STARS * left + text + _STARS * max(0, _WIDTH - len(text) - left) + "\n"


# --- numbers ----------------------------------------------------------------------------------------------------------


class _Ratios(NamedTuple):
    precision: float
    recall: float
    average: float
    f1: float


def _ratios(precise: float, system: int, recalled: float, gold: int) -> _Ratios:
    precision, recall = ratio(precise, system), ratio(recalled, gold)
    average = ratio(precision * system + recall * gold, system + gold)
    return _Ratios(precision, recall, average, harmonic_mean(precision, recall))


def _entity_ratios(counts: tuple[DirectionCounts, DirectionCounts], options: I2b2Choices) -> _Ratios:
    gold, system = counts
    if options.spans == "partialCredit":
        return _ratios(system.credit, system.total, gold.credit, gold.total)
    return _ratios(system.matched, system.total, gold.matched, gold.total)


def _figures(links: LinkCounts) -> dict[str, Any]:
    precision, recall, _, f1 = _link_ratios(links)
    return {"precision": precision, "recall": recall, "f1": f1, "counts": links.counts()}


def _link_ratios(links: LinkCounts) -> _Ratios:
    return _ratios(links.precision_matched, links.system_total, links.recall_matched, links.gold_total)


# --- printing ---------------------------------------------------------------------------------------------------------

_TITLE = " Aggregated Scores: ".center(_WIDTH, _STARS) + "\n"
_BAR = _STARS * 47 + "\n"
_ALONE = (
    "WARNING: Running TLINK evaluation by itself assumes gold standard EVENTs/TIMEX3s in both gold standard and system"
    " output. If that is not the case, please make sure that the EVENT/TIMEX3 ids in the gold standard match the ids in"
    " the system output. Otherwise, the result will be wrong. If in doubt, use -all option.\n"
)
_ALONE_IN_FILES = (
    "WARNING: when using tlink evaluation alone, please make sure that the Event/Timex ids in the gold standard matches"
    " the ids in the system output. Otherwise, the result will be wrong. If in doubt, use -all option.\n"
)


def _event_block(counts: tuple[DirectionCounts, DirectionCounts], options: I2b2Choices) -> Iterator[str]:
    gold, system = counts
    precision, recall, average, f1 = _entity_ratios(counts, options)
    modality, polarity, kind = (ratio(points, gold.matched) for points in gold.points)
    yield f"\n{'':12}Total number of events: \n"
    yield f"{'':15}Gold Standard: \t\t{gold.total}\n{'':15}System Output: \t\t{system.total}\n{'':12}--------------\n"
    yield f"{'':12}Recall : \t\t\t{recall:.4f}\n{'':12}Precision : \t\t{precision:.4f}\n"
    yield f"{'':12}Average P&R : \t\t{average:.4f}\n{'':12}F measure : \t\t{f1:.4f}\n{'':12}--------------\n"
    yield f"{'':12}modality match score :\t{modality:.4f}\n{'':12}Polarity match score :\t{polarity:.4f}\n"
    yield f"{'':12}type match score :\t\t{kind:.4f}\n\n"


def _time_block(counts: tuple[DirectionCounts, DirectionCounts], options: I2b2Choices) -> Iterator[str]:
    gold, system = counts
    precision, recall, average, f1 = _entity_ratios(counts, options)
    value, mod, kind = (ratio(points, gold.matched) for points in gold.points)
    yield f"\n{'':12}Total number of TIMEX3s: \n"
    yield f"{'':15}Gold Standard :\t\t{gold.total}\n{'':15}System Output :\t\t{system.total}\n{'':12}--------------\n"
    yield f"{'':12}Precision :\t\t\t{precision:.4f}\n{'':12}Recall :\t\t\t{recall:.4f}\n"
    yield f"{'':12}Average P&R : \t\t{average:.4f}\n{'':12}F measure : \t\t{f1:.4f}\n{'':12}--------------\n"
    yield f"{'':12}type match score :\t\t{kind:.4f}\n{'':12}Val match score :\t\t{value:.4f}\n"
    yield f"{'':12}Mod match score :\t\t{mod:.4f}\n"


def _link_block(links: LinkCounts) -> Iterator[str]:
    precision, recall, _, f1 = _link_ratios(links)
    average = ratio(links.precision_matched + links.recall_matched, links.system_total + links.gold_total)
    yield f"\n{'':12}Total number of comparable TLINKs: \n"
    yield f"{'':15}Gold Standard : \t\t{links.gold_total}\n{'':15}System Output : \t\t{links.system_total}\n"
    yield f"{'':12}--------------\n"
    yield f"{'':12}Recall : \t\t\t{recall:.4f}\n{'':12}Precision: \t\t\t{precision:.4f}\n"
    yield f"{'':12}Average P&R : \t\t{average:.4f}\n{'':12}F measure : \t\t{f1:.4f}\n\n"


def _aggregate(scores: Sequence[NoteScore], options: I2b2Choices) -> Iterator[str]:
    if options.does("event"):
        gold, system = _added(scores, "event")
        precision, recall, average, f1 = _entity_ratios((gold, system), options)
        modality, polarity, kind = (ratio(points, gold.total) for points in gold.points)
        yield f"{_TITLE}{'':12}EVENT: \n"
        yield _four_lines(15, precision, recall, average, f1) + f"{'':15}--------------\n"
        yield f"{'':15}type :\t\t{kind:.4f}\n{'':15}Polarity :\t{polarity:.4f}\n{'':15}Modality :\t{modality:.4f}\n"
        if options.tags == "event":
            yield "\n" + _BAR
    if options.does("timex") and options.all_blocks:
        gold, system = _added(scores, "timex")
        precision, recall, average, f1 = _entity_ratios((gold, system), options)
        value, mod, kind = (ratio(points, gold.total) for points in gold.points)
        yield (_TITLE if options.tags == "timex" else "") + f"\n\n{'':12}TIMEX3:\n"
        yield _four_lines(16, precision, recall, average, f1) + f"{'':16}--------------\n"
        yield f"{'':16}type :\t\t{kind:.4f}\n{'':16}Val :\t\t{value:.4f}\n{'':16}Modifier :\t{mod:.4f}\n"
        if options.tags == "timex":
            yield "\n" + _BAR
    if options.does("tlink"):
        ratios = _link_ratios(sum((score.links for score in scores), LinkCounts()))
        yield (_TITLE if options.tags == "tlink" else "") + f"\n{'':27}\n{'':12}TLINK:\n"
        yield _four_lines(16, *ratios) + f"{'':16}\n{_BAR}"
        if options.tags == "tlink":
            yield _ALONE


def _four_lines(indent: int, precision: float, recall: float, average: float, f1: float) -> str:
    names = (("Precision", precision), ("Recall", recall), ("Average P&R", average), ("F measure", f1))
    return "".join(f"{'':{indent}}{name} : \t{value:.4f}\n" for name, value in names)


def _added(scores: Sequence[NoteScore], tag: str) -> tuple[DirectionCounts, DirectionCounts]:
    gold, system = (sum((score.entities[tag][side] for score in scores), DirectionCounts()) for side in (0, 1))
    return gold, system


# ----------------------------------------------------------------------------------------------------
# The program over two files or folders.

_NOTE_TAGS = (b"<TAGS", b"<EVENT", b"<TIMEX3", b"<TLINK")


@dataclass(frozen=True, slots=True)
class I2b2Choices(ProgramOptions):
    """Options of the i2b2 2012 program."""

    mode: str = option("tempeval", MODE_TEXT)
    tags: str = option("all", f"What is evaluated: {', '.join(TAGS)}.")
    spans: str = option("overlap", f"How entities are matched: {', '.join(SPANS)}.")
    blocks: str = option("shown", "Print the blocks that the public program shows, or all of them: shown, all.")

    def does(self, tag: str) -> bool:
        """Return whether these tags are evaluated."""
        return self.tags in {"all", tag}

    @property
    def all_blocks(self) -> bool:
        """Return whether blocks are printed that the public program has switched off."""
        return self.blocks == "all"

    def __post_init__(self) -> None:
        require("mode", self.mode, MODES)
        require("tags", self.tags, TAGS)
        require("spans", self.spans, SPANS)
        require("blocks", self.blocks, ("shown", "all"))


class NoteFiles(NamedTuple):
    """The notes of two files or folders; or why they cannot be compared, and what the program prints then."""

    pairs: Sequence[FilePair]
    folder: bool = False
    problem: str = ""
    printed: str = ""


def _run(read: NoteFiles, choices: I2b2Choices, request: ProgramRequest) -> ProgramRun:
    if request.explains and choices.mode != "tempeval":
        raise UsageError(f"differences of i2b2 are explained for mode tempeval only, not for {choices.mode}")
    if read.problem:
        text, printed = (head(choices) + read.printed).encode(), Printout("", reason=read.problem)
    else:
        text, printed = run(read.pairs, choices, folder=read.folder)
    return ProgramRun(
        text,
        printed.rows,
        nothing_found() | printed.total,
        {"official": "yes", **choices.signature(), "complete": "no"},
        stops=f"{printed.stops}: {printed.reason}" if printed.stops else None,
        unread=(("all notes", read.problem),) if read.problem else (),
        compared=_compared(read.pairs, choices),
        side=I2b2Side,
        no_exact=_misleading(read, request),
    )


def _misleading(read: NoteFiles, request: ProgramRequest) -> UsageError | None:
    """Return why an exact score would be a number about nothing."""
    if read.problem:
        return UsageError(
            f"{request.gold} and {request.system} cannot be compared: {read.problem}; give two files,"
            " or two folders with the same files"
        )
    if not any(tag in pair.gold for pair in read.pairs for tag in _NOTE_TAGS):
        return UsageError(
            f"{request.gold}: no file has tags of i2b2 2012 (TAGS, EVENT, TIMEX3, TLINK); give files of that task,"
            " or choose a metric for links such as awareness"
        )
    return None


def _compared(pairs: Iterable[FilePair], options: I2b2Choices) -> Iterator[LinkPair]:
    """Yield the links of each note under gold's ids. Entities are always matched, whatever is evaluated."""
    whole = replace(options, tags="all")
    for pair in pairs:
        try:
            gold, system = comparable_links(pair, whole)
        except Stop as stop:
            raise InputError(f"cannot be compared: {stop.reason}", path=pair.name) from None
        yield LinkPair(pair.name, numbered(gold), numbered(system))


PROGRAM = Program(
    "i2b2",
    "i2b2 2012: events, times and links of clinical notes",
    I2b2Choices,
    Layout.NOTES,
    _run,
    Explain.LINKS,
    exact={"mode": ("tempeval",), "tags": ("all", "tlink"), "blocks": ("shown",)},
)
