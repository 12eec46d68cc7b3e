"""``temporacle score --official --explain-difference``: each link that the official program judges wrongly, and why."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from temporacle.commands.common import complain, link_json, print_json, printable
from temporacle.errors import BudgetExceeded
from temporacle.reasoner.network import Budget
from temporacle.runner.spread import spread
from temporacle.scoring.official.awareness import Counts, Side
from temporacle.scoring.official.differences import Cause, Comparison, Difference, Question, compare
from temporacle.scoring.official.evidence import Evidence, evidence, link_at
from temporacle.scoring.official.exact import Judgement
from temporacle.scoring.official.tlinks import LinkFile

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from temporacle.commands.official_files import LinkPair
    from temporacle.model import Link
    from temporacle.runner.place import Place

    Row = dict[str, Any]

_HERE = {Question.REDUCTION: "the links before it", Question.MATCH: "the {} links"}


@dataclass(slots=True)
class Told:
    """What was found out, to be printed beside the official figures."""

    comparisons: dict[str, Comparison] = field(default_factory=dict)
    complete: bool = True  # nothing was left undecided

    def beside(self, rows: Iterable[Row]) -> list[Row]:
        """The official rows, with the exact figures under the same policy."""
        return [{**row, **self._figures(row["document"])} for row in rows]

    def _figures(self, document: str) -> Row:
        found = self.comparisons.get(document)
        if found is None:
            return {"exact": None, "differences": None}
        return {"exact": _figures(found.exact), "differences": _by_cause(found.differences)}

    @property
    def total(self) -> Row:
        """For the last line."""
        return {"exact": _figures(self.exact), "differences": _by_cause(self.differences)}

    @property
    def official(self) -> Counts:
        return sum((found.official for found in self.comparisons.values()), Counts())

    @property
    def exact(self) -> Counts | None:
        """None unless every document is decided."""
        known = [found.exact for found in self.comparisons.values() if found.exact is not None]
        return sum(known, Counts()) if self.complete and len(known) == len(self.comparisons) else None

    @property
    def differences(self) -> list[Difference]:
        return [difference for found in self.comparisons.values() for difference in found.differences]


class Comparer(NamedTuple):
    """How documents are compared, in this process or another."""

    method: str
    budget: float | None
    as_json: bool

    def explained(self, pair: LinkPair) -> Explained | str:
        """The differences of one document, ready to be printed; or why they are not known."""
        files = {"gold": pair.gold, "system": pair.system or LinkFile()}
        limit = Budget(self.budget)
        try:
            sides = (Side(files["gold"].links, limit), Side(files["system"].links, limit))
            found = compare(*sides, self.method, limit)
        except BudgetExceeded as reason:
            return str(reason)
        links = {side: [link_at(file, number) for number in range(len(file.links))] for side, file in files.items()}
        shown = [
            _Shown(difference, links, evidence(difference, links[difference.asked], limit))
            for difference in found.differences
        ]
        if self.as_json:
            return Explained(found, rows=[each.row() for each in shown])
        return Explained(found, lines=[line for each in shown for line in each.lines()])


class Explained(NamedTuple):
    """What is known about a document, for programs or for people."""

    comparison: Comparison
    rows: Sequence[Row] = ()
    lines: Sequence[str] = ()


def tell_differences(pairs: Sequence[LinkPair], comparer: Comparer, place: Place, *, complete: bool) -> Told:
    """Print every difference, document by document; for people a summary as well.

    ``complete``: these are all documents. Scores of a part of them would mean nothing, and are not given.
    """
    told = Told(complete=complete)
    for pair, found in spread(comparer.explained, pairs, place, failed=_not_explained):
        if isinstance(found, str):
            complain(f"undecided: {pair.name}: differences {found}; allow more time with --budget")
            told.complete = False
            continue
        told.comparisons[pair.name] = found.comparison
        told.complete &= found.comparison.exact is not None
        for row in found.rows:
            print_json({"document": pair.name, **row})
        if found.lines:
            count = len(found.comparison.differences)
            typer.secho(printable(f"{pair.name}: {count} difference{'s' * (count > 1)}"), bold=True)
        for line in found.lines:
            typer.echo(printable(f"  {line}"))
    if not comparer.as_json:
        _summarise(told)
    return told


def _not_explained(_pair: object, reason: str) -> str:
    return reason


class _Shown:
    """One difference with its evidence, for people and for programs."""

    def __init__(self, difference: Difference, links: dict[str, list[Link]], why: Evidence) -> None:
        self._difference = difference
        self._stated = links[difference.side][difference.position]
        self._asked = len(difference.premises)
        self._why = why

    def row(self) -> Row:
        difference, why = self._difference, self._why
        return {
            "side": difference.side,
            "link": link_json(self._link()),
            "question": difference.question.value,
            "official": difference.official.value,
            "exact": difference.exact.value,
            "cause": difference.cause.value,
            "evidence": {
                "premises": [link_json(link) for link in why.premises],
                "explanation": list(why.sentences),
                "model": None if why.model is None else {name: list(times) for name, times in why.model.items()},
                "holds": why.holds,
            },
        }

    def lines(self) -> list[str]:
        difference, why, link = self._difference, self._why, self._link()
        line = "" if link.line is None else f" (line {link.line})"
        asked = _HERE[difference.question].format(difference.asked)
        head = f"{difference.side} {link.id}{line}: {link.source} {link.label} {link.target}"
        verdicts = f"official: {difference.official.value}, exact: {difference.exact.value}"
        lines = [head, f"  {verdicts}, by {asked}; cause: {difference.cause.value}"]
        if why.model is not None:
            times = ", ".join(f"{name} {start} to {end}" for name, (start, end) in self._times())
            true = "true" if why.holds else "false"
            lines.append(f"  it is {true}, and {self._links_hold()}, with {times}")
        elif why.premises:
            count = len(why.premises)
            decided = "says the same" if difference.exact is Judgement.STATED else "decides"
            decided = decided if count == 1 else "decide"
            names = ", ".join(f"{each.id} {each.source} {each.label} {each.target}" for each in why.premises)
            lines.append(f"  {count} link{'s' * (count > 1)} {decided}: {names}")
        return [*lines, *(f"    {sentence}" for sentence in why.sentences)]

    def _link(self) -> Link:
        """As it was asked about: the other way round, perhaps, with acl11."""
        link, triple = self._stated, self._difference.link
        turned = link_at(LinkFile((triple,)), 0)
        return link._replace(source=turned.source, target=turned.target, label=turned.label, relation=turned.relation)

    def _links_hold(self) -> str:
        return "there are no links before it" if not self._asked else f"all {self._asked} links hold"

    def _times(self) -> list[tuple[str, tuple[int, int]]]:
        """Of the two entities; JSON has them all."""
        model, link = self._why.model or {}, self._link()
        return [(name, model[name]) for name in dict.fromkeys((link.source, link.target))]


def _summarise(told: Told) -> None:
    from temporacle.commands.answers import print_table

    causes = Counter((difference.cause, difference.side) for difference in told.differences)
    rows = [
        [cause.value, *(str(causes[cause, side]) for side in ("gold", "system"))]
        for cause in Cause
        if causes[cause, "gold"] or causes[cause, "system"]
    ]
    if rows:
        print_table(("cause", "gold links", "system links"), rows)
    elif told.complete:
        typer.echo("the official program and the exact reasoner agree about every link")
    if told.exact is not None:
        rows = [_score_row("official", told.official), _score_row("exact", told.exact)]
        print_table(("verdicts", "F1", "P", "R", "precision counts", "recall counts"), rows)
    else:
        typer.echo("no exact score: not everything could be decided in time")


def _score_row(name: str, counts: Counts) -> list[str]:
    precision = f"{counts.precision_matched}/{counts.system_total}"
    return [name, *counts.digits(), precision, f"{counts.recall_matched}/{counts.gold_total}"]


def _figures(counts: Counts | None) -> Row | None:
    from temporacle.commands.score_official import figures

    return None if counts is None else figures(counts)


def _by_cause(differences: Iterable[Difference]) -> Row:
    counted = Counter(difference.cause.value for difference in differences)
    return {cause.value: counted[cause.value] for cause in Cause if counted[cause.value]}
