"""Audits a live implementation over many cases: ask, judge, and trace each fault to the smallest graph that shows it.

A fault whose graph contains the minimal graph of a known finding of its sort is counted there; any other is shrunk and
becomes a finding itself. So the work of shrinking is spent once for each thing that is wrong, not once for each case
that shows it. A graph with links is shrunk to one with links: the empty graph is a case of its own, or an
implementation that fails on it would hide every other fault of that sort.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

from temporacle.audit.answers import Declined, Failed, Failure, FaultKind, Graph, Manner, NoticedBy, entities_of
from temporacle.audit.findings import AuditTally, Finding
from temporacle.audit.generate import STATELESS_CHECKS, answer_after, differing_variant, meaning
from temporacle.audit.judge import JudgedAnswer, evidence_for, judge, network_of
from temporacle.errors import BudgetExceeded
from temporacle.reasoner.judged import closure as exact_closure
from temporacle.reasoner.network import Budget
from temporacle.relation import Relation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from temporacle.audit.answers import AuditSubject, ClosureAnswer, Fault
    from temporacle.audit.generate import AuditCase
    from temporacle.audit.judge import FaultEvidence
    from temporacle.reasoner.network import Network, PairTable

    ClosureFunction = Callable[[Network, Budget], PairTable | None]

_FINDINGS_PER_SORT = 12
_FINDINGS_PER_CHECK = 3
_VARIED_UP_TO = 15  # links: larger graphs are judged, not varied
ASKS = 600
_ASKS_ABOUT_HISTORIES = 200
_ASKS_IN_A_ROW = 60  # for each graph of a history: a question is asked together with all others
_QUESTIONS_IN_A_ROW = 30_000  # to find a short history, as many to make its graphs small, and as many for the last
_ASKS_ABOUT_HANGS = 12  # each costs the whole time limit


class LiveAudit:
    """One implementation under audit.

    ``budget`` is our own time for the exact answer of a case. ``exact`` may be replaced to audit the exact engine
    itself. ``vary`` False leaves out the questions that need no oracle. ``disjunctions`` False holds the implementation
    only to pairs that have one relation: most closures promise no more. ``evidence`` may be replaced together with
    ``exact``. ``asks`` limits the questions that are spent on making one graph smaller.
    """

    def __init__(
        self,
        subject: AuditSubject,
        *,
        budget: float | None = None,
        exact: ClosureFunction = exact_closure,
        vary: bool = True,
        disjunctions: bool = True,
        evidence: Callable[[Network, Fault, Budget], FaultEvidence] = evidence_for,
        asks: int = ASKS,
    ) -> None:
        self.subject = subject
        self.tally = AuditTally()
        self._budget = budget
        self._exact = exact
        self._vary = vary
        self._evidence = evidence
        self._asks = asks
        self._ignored = () if disjunctions else (Manner.MISSED_DISJUNCTION,)
        self._before: Graph | None = None
        self._asked: list[tuple[AuditCase, ClosureAnswer]] = []  # that can be asked again in a row

    def run(self, cases: Iterable[AuditCase], progress: Callable[[], None] = lambda: None) -> AuditTally:
        """Try all cases, and then all of them twice more in one process: so each is also asked after each other."""
        for case in cases:
            self.try_case(case)
            progress()
        has_state = not getattr(self.subject, "starts_anew", False)
        if self._asked[1:] and has_state and not self.tally.checks[NoticedBy.STATE]:
            self._ask_in_a_row(self._asked * 2)
        return self.tally

    def try_case(self, case: AuditCase) -> None:
        """Ask, judge, count, and trace what is wrong."""
        tally = self.tally
        tally.cases += 1
        answer = self.subject.ask(case.links)[0]
        if isinstance(answer, Declined):
            tally.declined += 1
            return
        judgement = self._judged(case.links, answer)
        if judgement is None:
            tally.undecided += 1
        else:
            tally.count(judgement)
            for sort in dict.fromkeys(fault.sort for fault in judgement.faults):
                self._trace(case, sort)
        if not _is_end(answer):
            self._asked.append((case, answer))
        hangs = isinstance(answer, Failed) and answer.how is Failure.TIMEOUT
        if self._vary and len(case.links) <= _VARIED_UP_TO and not hangs:
            self._ask_otherwise(case, answer)

    def _judged(self, graph: Graph, answer: ClosureAnswer) -> JudgedAnswer | None:
        """Return the judgement about an answer; None if the exact answer was not found in time."""
        network = network_of(graph)
        try:
            judgement = judge(network, answer, self._exact(network, Budget(self._budget)))
        except BudgetExceeded:
            return None
        faults = tuple(fault for fault in judgement.faults if fault.manner not in self._ignored)
        return replace(judgement, faults=faults)

    # --- faults the exact answer shows --------------------------------------------------------------------------------

    def _trace(self, case: AuditCase, sort: tuple[FaultKind, Manner]) -> None:
        """Count a fault of this sort under a known finding, or make it one."""
        known = [each for each in self._noticed_by(NoticedBy.EXACT) if each.fault.sort == sort]
        for finding in known:
            if bool(finding.graph) == bool(case.links) and occurs_in(finding.graph, case.links):
                self._seen_again(finding)
                return
        if len(known) >= _FINDINGS_PER_SORT:
            self.tally.unshrunk += 1
            return
        small = self._shrunk(case.links, sort)
        for finding in known:
            if occurs_in(finding.graph, small) and len(finding.graph) == len(small):
                self._seen_again(finding)
                return
        answer = self.subject.ask(small)[0]
        fault = self._fault_in(small, answer, sort)
        if fault is None:  # it does not answer the same question the same way twice
            self.tally.checks[NoticedBy.STATE] += 1
            return
        self._add(Finding(fault, case=case.number, family=case.family, graph=small, answer=answer))

    def _shrunk(self, graph: Graph, sort: tuple[FaultKind, Manner]) -> Graph:
        def shows(candidate: Graph) -> bool:
            return bool(candidate) and self._fault_in(candidate, self.subject.ask(candidate)[0], sort) is not None

        small = shrink(graph, shows, _ASKS_ABOUT_HANGS if sort[1] is Manner.TIMEOUT else self._asks)
        return self._plain(small, shows)

    def _fault_in(self, graph: Graph, answer: ClosureAnswer, sort: tuple[FaultKind, Manner]) -> Fault | None:
        judgement = self._judged(graph, answer)
        return next((fault for fault in judgement.faults if fault.sort == sort), None) if judgement else None

    def _noticed_by(self, check: NoticedBy) -> list[Finding]:
        return [finding for finding in self.tally.findings if finding.noticed_by is check]

    def _seen_again(self, finding: Finding) -> None:
        findings = self.tally.findings
        findings[findings.index(finding)] = replace(finding, count=finding.count + 1)

    def _add(self, finding: Finding) -> None:
        evidence = self._evidence(network_of(finding.graph), finding.fault, Budget(self._budget))
        self.tally.findings.append(replace(finding, evidence=evidence))

    # --- faults that need no exact answer -----------------------------------------------------------------------------

    def _ask_otherwise(self, case: AuditCase, answer: ClosureAnswer) -> None:
        self.tally.varied += 1
        for check in STATELESS_CHECKS:
            if differing_variant(self.subject, check, case.links, answer) is not None:
                self.tally.checks[check] += 1
                if self._room_for(check):
                    self._trace_variant(case, check)
        before, self._before = self._before, case.links
        if before is not None and self._leaks(before, case.links, answer):
            self.tally.checks[NoticedBy.STATE] += 1
            if self._room_for(NoticedBy.STATE):
                self._trace_leak(case, before)

    def _room_for(self, check: NoticedBy) -> bool:
        return len(self._noticed_by(check)) < _FINDINGS_PER_CHECK

    def _trace_variant(self, case: AuditCase, check: NoticedBy) -> None:
        subject = self.subject

        def differs(graph: Graph) -> bool:
            return differing_variant(subject, check, graph) is not None

        small = self._plain(shrink(case.links, differs), differs)
        variant = differing_variant(subject, check, small)
        if variant is not None:
            self._blame(case, check, [(small, subject.ask(small)[0]), (variant, subject.ask(variant)[0])])

    def _leaks(self, before: Graph, graph: Graph, fresh: ClosureAnswer | None = None) -> bool:
        alone = self.subject.ask(graph)[0] if fresh is None else fresh
        after = answer_after(self.subject, before, graph)
        return after is not None and not isinstance(after, Declined) and meaning(after) != meaning(alone)

    def _trace_leak(self, case: AuditCase, before: Graph) -> None:
        small = shrink(case.links, lambda graph: self._leaks(before, graph))
        history = shrink(before, lambda graph: self._leaks(graph, small))
        small = self._plain(small, lambda graph: self._leaks(history, graph))
        history = self._plain(history, lambda graph: self._leaks(graph, small))
        after, alone = answer_after(self.subject, history, small), self.subject.ask(small)[0]
        if after is not None and self._leaks(history, small, alone):
            self._blame(case, NoticedBy.STATE, [(small, after), (small, alone)], history)

    # --- state that is left by many questions -------------------------------------------------------------------------

    def _ask_in_a_row(self, asked: list[tuple[AuditCase, ClosureAnswer]]) -> None:
        """Ask all questions in one process. Each must get the answer that it got from a fresh one."""
        answers = self.subject.ask(*(case.links for case, _ in asked))
        if asked[1:] and _is_end(answers[0]):  # all the answers together are too long for one process
            half = len(asked) // 2
            self._ask_in_a_row(asked[:half])
            self._ask_in_a_row(asked[half:])
            return
        for place, ((case, alone), after) in enumerate(zip(asked, answers, strict=True)):
            if _is_end(after) and not _has_died(after):
                return  # no answer in time, or too many: what follows was not asked
            if not isinstance(after, Declined) and meaning(after) != meaning(alone):
                self.tally.checks[NoticedBy.STATE] += 1
                if self._room_for(NoticedBy.STATE):
                    self._trace_row(case, [before.links for before, _ in asked[:place]])
                return  # what follows may have the same cause

    def _trace_row(self, case: AuditCase, before: list[Graph]) -> None:
        """Find the fewest and smallest questions after which a case is answered otherwise."""
        left = _QUESTIONS_IN_A_ROW

        def leaks(history: Sequence[Graph], graph: Graph = case.links) -> bool:
            nonlocal left
            left -= len(history) + 1
            if left < 0:
                return False
            *earlier, after = self.subject.ask(*history, graph)
            if any(map(_is_end, earlier)) or isinstance(after, Declined) or (_is_end(after) and not _has_died(after)):
                return False
            return meaning(after) != meaning(self.subject.ask(graph)[0])

        if not leaks(before):
            return  # it does not answer the same questions the same way twice
        empty: list[Graph] = [()] * len(before)
        history = _fewest(empty if leaks(empty) else before, leaks)  # perhaps only their number matters
        left = _QUESTIONS_IN_A_ROW
        small = shrink(case.links, lambda graph: leaks(history, graph), _ASKS_IN_A_ROW)
        small = self._plain(small, lambda graph: leaks(history, graph))
        left = _QUESTIONS_IN_A_ROW
        for place in range(len(history)):

            def still(graph: Graph, place: int = place) -> bool:
                return leaks((*history[:place], graph, *history[place + 1 :]), small)

            history[place] = self._plain(shrink(history[place], still, _ASKS_IN_A_ROW), still)
        after, alone = self.subject.ask(*history, small)[-1], self.subject.ask(small)[0]
        if meaning(after) != meaning(alone):
            *earlier, last = history
            self._blame(case, NoticedBy.STATE, [(small, after), (small, alone)], last, tuple(earlier))

    @staticmethod
    def _plain(graph: Graph, shows: Callable[[Graph], bool]) -> Graph:
        plain = renamed(graph)
        return plain if plain == graph or shows(plain) else graph

    def _blame(
        self,
        case: AuditCase,
        check: NoticedBy,
        answers: list[tuple[Graph, ClosureAnswer]],
        history: Graph | None = None,
        earlier: tuple[Graph, ...] = (),
    ) -> None:
        """Report the first wrong answer of two that differ. At least one of them is wrong."""
        known = self._noticed_by(check)
        for (asked, said), (contrast, _) in zip(answers, answers[::-1], strict=True):
            judgement = self._judged(asked, said)
            if judgement is None or not judgement.faults:
                continue
            if not any(len(each.graph) == len(asked) and occurs_in(each.graph, asked) for each in known):
                found = Finding(
                    judgement.faults[0],
                    case=case.number,
                    family=case.family,
                    graph=asked,
                    answer=said,
                    noticed_by=check,
                    history=history,
                    earlier=earlier,
                    variant=None if check is NoticedBy.STATE else contrast,
                )
                self._add(found)
            return


def _is_end(answer: ClosureAnswer) -> bool:
    """Return whether an answer means that the process has ended."""
    return isinstance(answer, Failed) and answer.how is not Failure.EXCEPTION


def _has_died(answer: ClosureAnswer) -> bool:
    """Return whether the process has ended itself or was killed, though not by us."""
    return isinstance(answer, Failed) and answer.how is Failure.DIED


def _fewest(history: list[Graph], shows: Callable[[Sequence[Graph]], bool]) -> list[Graph]:
    """Return a few of some questions that still show a fault: none of them can be left out, as far as was asked.

    >>> _fewest([(), (("x", Relation("b"), "y"),)] * 4, lambda some: sum(map(bool, some)) > 2)
    [(('x', Relation('b'), 'y'),), (('x', Relation('b'), 'y'),), (('x', Relation('b'), 'y'),)]
    """
    size, left = len(history), _ASKS_ABOUT_HISTORIES
    while size:
        place = 0
        while place < len(history) and left:
            fewer = history[:place] + history[place + size :]
            left -= bool(fewer)
            if fewer and shows(fewer):
                history = fewer
            else:
                place += size
        size //= 2
    return history


# ----------------------------------------------------------------------------------------------------
# The smallest graph that still shows a fault: fewest entities, then fewest links, then the plainest relations.
#
#     of a large graph, leave out each entity and each link once, if that can be done
#     repeat until nothing changes:
#         drop an entity with all its links; merge two entities into one; drop a link; as often as that helps
#         look at all subsets of the links that are left, fewest entities first
#         write each relation with fewer atoms, or as an earlier one of b, =, m, d, o, s, f and their converses
#
# The question "does it still show the fault?" is asked of the implementation itself, so it is asked as seldom as can
# be: no graph twice, and no more than ``most`` times in all. The first step leaves graphs of a handful of links; the
# second makes sure that no subset of them, however chosen, would do.

_PLAIN_FIRST = tuple(
    Relation.of(atom) for atom in ("b", "=", "m", "d", "o", "s", "f", "bi", "mi", "di", "oi", "si", "fi")
)
_NAMES = "xyzuvw"
_SUBSETS_UP_TO = 8  # links: 255 subsets


def shrink(graph: Graph, shows_fault: Callable[[Graph], bool], most: int = 600) -> Graph:
    """Return a small graph that shows the fault. ``graph`` itself is known to show it.

    >>> links = tuple((x, Relation.of("m"), y) for x, y in ("ab", "bc", "cd", "xy"))
    >>> shrink(links, lambda graph: "c" in entities_of(graph) and len(graph) > 1)
    (('c', Relation('b'), 'd'), ('c', Relation('b'), 'd'))
    """
    ask = _Limited(shows_fault, most)
    if len(graph) > _SUBSETS_UP_TO:
        graph = _thinned(graph, ask)
    while True:
        smaller = _descend(graph, ask, _smaller)
        if len(smaller) <= _SUBSETS_UP_TO:
            smaller = next((subset for subset in _subsets(smaller) if ask(subset)), smaller)
        smaller = _descend(smaller, ask, _plainer)
        if smaller == graph:
            return graph
        graph = smaller


class _Limited:
    """Remembers answers, and says no once the limit is reached."""

    def __init__(self, question: Callable[[Graph], bool], most: int) -> None:
        self._question = question
        self._left = most
        self._known: dict[Graph, bool] = {}

    def __call__(self, graph: Graph) -> bool:
        if graph not in self._known:
            if self._left <= 0:
                return False
            self._left -= 1
            self._known[graph] = self._question(graph)
        return self._known[graph]


def _thinned(graph: Graph, ask: _Limited) -> Graph:
    """Return the graph without the entities and links that can be left out, with one question for each.

    The later search asks far more questions.
    """
    graph = _descend(graph, ask, _halves)
    for name in entities_of(graph):
        without = tuple(link for link in graph if name not in (link[0], link[2]))
        graph = without if ask(without) else graph
    for position in reversed(range(len(graph))):
        without = graph[:position] + graph[position + 1 :]
        graph = without if ask(without) else graph
    return graph


def _descend(graph: Graph, ask: _Limited, candidates: Callable[[Graph], Iterator[Graph]]) -> Graph:
    """Take the first candidate that shows the fault, and go on from there."""
    while True:
        better = next((candidate for candidate in candidates(graph) if ask(candidate)), None)
        if better is None:
            return graph
        graph = better


def _halves(graph: Graph) -> Iterator[Graph]:
    """Yield small parts of a large graph. Usually only a small part matters."""
    names = entities_of(graph)
    if len(names) > 8:
        for part in (set(names[: len(names) // 2]), set(names[len(names) // 2 :])):
            yield tuple(link for link in graph if link[0] not in part and link[2] not in part)


def _smaller(graph: Graph) -> Iterator[Graph]:
    names = entities_of(graph)
    for name in names:
        yield tuple(link for link in graph if name not in (link[0], link[2]))
    for kept, gone in combinations(names, 2):
        yield _merged(graph, kept, gone)
    for position in range(len(graph)):
        yield graph[:position] + graph[position + 1 :]


def _merged(graph: Graph, kept: str, gone: str) -> Graph:
    """Return the graph with two entities merged into one; links between them are left out."""
    between = {(kept, gone), (gone, kept)}
    return tuple(
        (kept if source == gone else source, relation, kept if target == gone else target)
        for source, relation, target in graph
        if (source, target) not in between
    )


def _subsets(graph: Graph) -> Iterator[Graph]:
    """Yield proper subsets of the links, fewest entities first, then fewest links."""
    subsets = (subset for size in range(len(graph)) for subset in combinations(graph, size))
    yield from sorted(subsets, key=lambda subset: (len(entities_of(subset)), len(subset)))


def _plainer(graph: Graph) -> Iterator[Graph]:
    for relation in dict.fromkeys(relation for _, relation, _ in graph):
        for plain in _plainer_relations(relation):
            candidate = _replaced(graph, relation, plain)
            if _plainness(candidate) < _plainness(graph):  # a converse may have become less plain
                yield candidate
    for position, (source, relation, target) in enumerate(graph):
        for plain in _plainer_relations(relation):
            yield (*graph[:position], (source, plain, target), *graph[position + 1 :])


def _replaced(graph: Graph, relation: Relation, plain: Relation) -> Graph:
    """Return the graph with a relation replaced everywhere, in either direction."""
    new = {relation.converse(): plain.converse(), relation: plain}
    return tuple((source, new.get(old, old), target) for source, old, target in graph)


def _plainness(graph: Graph) -> int:
    return sum(
        _PLAIN_FIRST.index(relation) if relation in _PLAIN_FIRST else len(_PLAIN_FIRST) + relation.bit_count()
        for _, relation, _ in graph
    )


def _plainer_relations(relation: Relation) -> Iterator[Relation]:
    for plain in _PLAIN_FIRST:
        if plain == relation:
            return
        yield plain
    for atom in relation.atoms:
        yield Relation(relation & ~Relation.of(atom))


# --- when are two minimal graphs the same? ---------------------------------------------------------------------------


def renamed(graph: Graph) -> Graph:
    """Return the graph with entities named x, y, z, ... in order of mention. These names are not atoms.

    >>> renamed((("e7", Relation.of("b"), "e2"),))
    (('x', Relation('b'), 'y'),)
    """
    name = {entity: _name(number) for number, entity in enumerate(entities_of(graph))}
    return tuple((name[source], relation, name[target]) for source, relation, target in graph)


def _name(number: int) -> str:
    return _NAMES[number] if number < len(_NAMES) else f"x{number}"


def occurs_in(small: Graph, large: Graph) -> bool:
    """Return whether the links of ``small`` are among those of ``large`` under other names, in either direction.

    A search over the ways to place the small graph's links one after the other; small graphs have a few links.
    """
    places: dict[Relation, list[tuple[int, str, str]]] = {}
    for number, (source, relation, target) in enumerate(large):
        places.setdefault(relation, []).append((number, source, target))
        places.setdefault(relation.converse(), []).append((number, target, source))

    def place(position: int, name: dict[str, str], taken: frozenset[int]) -> bool:
        if position == len(small):
            return True
        source, relation, target = small[position]
        for number, first, second in places.get(relation, ()):
            if number in taken or (source == target) != (first == second):
                continue
            if name.get(source, first) != first or name.get(target, second) != second:
                continue
            wider = {**name, source: first, target: second}
            if len(set(wider.values())) == len(wider) and place(position + 1, wider, taken | {number}):
                return True
        return False

    return place(0, {}, frozenset())
