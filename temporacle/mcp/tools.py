"""What each tool computes: a function from the arguments of a call to JSON.

Every answer has a ``verdict`` and a ``message`` in plain words. Links in answers are the LINK objects of
``--output json``, and statements may be given in that form, so that an answer can be used in the next call.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from temporacle.io.scores import document_of as scored_document_of
from temporacle.io.source import Options
from temporacle.mcp.arguments import (
    MOST_BUDGET,
    budget_of,
    document_of,
    label_of,
    links_of,
    names_of,
    pairs_of,
    reading_of,
    refusal,
    text_of,
)
from temporacle.model import counted
from temporacle.reasoner.algebra import ATOM_SIGNS, DIFFERENT, EQ, GT, LT, signs_of
from temporacle.reasoner.conflicts.repair import LINKS, VALUES, named_in
from temporacle.reasoner.network import Budget
from temporacle.relation import ATOMS, EVERYTHING
from temporacle.results import DocumentVerdict, Unrepairable, Verdict
from temporacle.scored import Objective, Place
from temporacle.tasks.bounds import bounds as find_bounds
from temporacle.tasks.bounds import range_words
from temporacle.tasks.check import check as find_conflicts
from temporacle.tasks.closure import closure
from temporacle.tasks.decode import decoding_of
from temporacle.tasks.entails import entails as find_entailment
from temporacle.tasks.score import score as find_score
from temporacle.wording import in_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from temporacle.checks import Check
    from temporacle.model import Document
    from temporacle.relation import Relation
    from temporacle.results import Fact

_SAID = 10  # statements of one kind in a message
_SOME_TIME = 0.001  # seconds, where a budget is nearly over: zero would mean another thing


def check(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return whether all statements can be true together, and if not, a smallest conflict."""
    document = document_of(given)
    found = _checked(document, given, budget_of(given))
    row = {"verdict": found.verdict.value, "message": "", "statements": found.links, "entities": found.entities}
    return row | _conflict(found) | {"message": _verdict_message(found), "remarks": _remarks(found)}


def entails(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return whether one more statement follows, is ruled out, or is left open."""
    document = document_of(given)
    source, stated, target = (text_of(given.get(name), name) for name in ("source", "relation", "target"))
    relation = label_of(stated, document.reading)
    allowed = Budget(budget_of(given))
    found = find_entailment(
        document, source, relation, target, time_limit=_left(allowed), calendar=_calendar(document, given)
    )
    asked = f"{source} {relation} {target}"
    row: dict[str, Any] = _without_null_lines(found.to_dict()) | {"remarks": list(found.notes)}
    if found.verdict is Verdict.INCONSISTENT:
        return row | _contradiction(document, given, allowed)
    reasons = "; ".join(fact.said for fact in found.because or ())
    because = f" This follows from: {reasons}." if reasons else ""
    known = ""
    if found.strongest is not None and found.verdict is not Verdict.ENTAILED and found.strongest != EVERYTHING:
        known = f" What does follow: {relation_sentence(source, found.strongest, target)}."
    message = {
        Verdict.ENTAILED: f"Yes: {asked} is true whenever the statements are true.{because}",
        Verdict.REFUTED: f"No: {asked} contradicts the statements.{because}{known}",
        Verdict.OPEN: f"The statements leave open whether {asked}.{known} The witness is a timeline on which it fails.",
        Verdict.UNDECIDED: _out_of_time(),
    }[found.verdict]
    return row | {"message": message}


def what_follows(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the strongest relation of every pair about which something follows."""
    document = document_of(given)
    wanted, limit, only_new = names_of(given, "entities"), given["limit"], given["only_new"]
    if unknown := sorted(set(wanted) - set(document.entity_ids)):
        raise refusal(f"no statement has an entity {unknown[0]!r}", "give names that occur in the statements")
    allowed = Budget(budget_of(given))
    found = closure(document, time_limit=_left(allowed), calendar=_calendar(document, given))[0]
    row: dict[str, Any] = {"verdict": found.verdict.value, "relations": [], "total": 0}
    if found.verdict == DocumentVerdict.INCONSISTENT:
        return row | _contradiction(document, given, allowed)
    if found.verdict != DocumentVerdict.CONSISTENT:
        return row | {"message": _out_of_time()}
    stated = _stated(document)
    names = set(wanted)
    enough = min(len(names), 2)  # of the names asked for: a pair has both, or the only one
    rows: list[dict[str, Any]] = []
    for source, relation, target in found.pairs():
        is_new = stated.get((source, target), EVERYTHING) != relation
        if (source in names) + (target in names) < enough or (only_new and not is_new):
            continue
        row["total"] += 1
        if len(rows) < limit:
            rows.append(
                {
                    "source": source,
                    "relation": list(relation.atoms),
                    "label": document.reading.label_for(relation),
                    "target": target,
                    "new": is_new,
                    "sentence": relation_sentence(source, relation, target),
                }
            )
    what = "relation that is not stated as such" if only_new else "relation"
    message = f"{counted(row['total'], 'pair')} of entities {'has' if row['total'] == 1 else 'have'} a {what}."
    if row["total"] > limit:
        message += f" The first {limit} are listed: name entities, or give a larger limit, to see others."
    return row | {"relations": rows, "message": message}


def repair(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the set of statements of least total weight whose removal makes the rest consistent."""
    document = document_of(given)
    protected = names_of(given, "protect")
    fits = [name for name in protected if name in {LINKS, VALUES} or any(map(named_in((name,)), document.links))]
    if unknown := [name for name in protected if name not in fits]:
        raise refusal(f"no statement has the id or label {unknown[0]!r}", "give ids or labels of the statements")
    found = _checked(document, given, budget_of(given), repair=True, protect=protected)
    row = {"verdict": found.verdict.value, "repair": None} | _conflict(found)
    if found.verdict == DocumentVerdict.CONSISTENT:
        message, row["repair"] = "Nothing to remove: there is a timeline on which every statement holds.", []
    elif found.verdict != DocumentVerdict.INCONSISTENT:
        message = _verdict_message(found)
    elif isinstance(found.repair, Unrepairable):
        row["unrepairable"] = _facts(found.repair.conflict)
        stated = "; ".join(fact.said for fact in found.repair.conflict)
        message = f"No removal helps: these protected statements contradict each other: {stated}. Protect fewer."
    elif found.repair is None:
        message = f"The statements contradict each other. A smallest repair was not found in time. {_out_of_time()}"
    else:
        row["repair"] = _facts(found.to_drop)
        stated = "; ".join(f"{fact.id}: {fact.said}" for fact in found.to_drop)
        message = (
            f"Remove {counted(len(found.to_drop), 'statement')}, and the rest can be true together: {stated}."
            " No lighter set is enough. Which statement is wrong is for you to decide: read the conflicts."
        )
    return row | {"message": message, "remarks": _remarks(found)}


def decode(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the labels of highest total score that can all be true."""
    pairs = pairs_of(given.get("pairs"), reading_of(given))
    objective = Objective(given["objective"])
    name = "document" if given.get("document") is None else text_of(given["document"], "document")
    scored = scored_document_of(
        {"pairs": pairs}, name, Options(reading=given["labels"], during=given["during"]), Place(None)
    )
    scored = replace(scored, links=links_of(given.get("links"), "links", scored.reading))
    found = decoding_of(scored, objective, margins=given["margins"], budget=budget_of(given))
    if found.verdict == "unreadable":
        raise refusal(found.reason or "the pairs cannot be read", "see the schema of this tool")
    row: dict[str, Any] = _without_null_lines(found.to_dict())
    changes = "".join(
        f" {each['source']} {each['from']} {each['target']} becomes {each['to']}"
        + (f", because this cannot be: {'; '.join(each['explanation'])}." if each["explanation"] else ".")
        for each in found.changed
    )
    kept = f"{len(found.changed)} of {counted(len(pairs), 'label')} changed from the best of its pair.{changes}"
    message = {
        "optimal": f"These labels can all be true, and no others that can score higher. {kept}",
        "feasible": "These labels can all be true, but time ran out before they were proven best: none that can"
        f" score above {found.bound}. {kept}",
        "impossible": "No choice of labels can be true. "
        + "; ".join(row.get("explanation", ()))
        + ". Allow more labels, or change the links.",
    }.get(found.verdict, f"{_out_of_time()}{f' ({found.reason})' if found.reason else ''}")
    return row | {"message": message}


def bounds(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the earliest and latest time at which entities can start and end."""
    document = document_of(given)
    if not document.times:
        raise refusal("there are no values", 'give the value of at least one time: "values": {"t1": "1998-02-09"}')
    allowed = Budget(budget_of(given))
    asked = names_of(given, "entities")
    found = find_bounds(document, asked, calendar=given["calendar"], why=given["why"], time_limit=_left(allowed))[0]
    row: dict[str, Any] = {"verdict": found.verdict.value, "bounds": []}
    if found.verdict == DocumentVerdict.INCONSISTENT:
        return row | _contradiction(document, given, allowed)
    if found.verdict != DocumentVerdict.CONSISTENT:
        return row | {"message": _out_of_time()}
    for each, line in zip(found.entities, found.found(), strict=True):
        del line["document"]
        limits = each.bounds
        line["sentence"] = f"{limits.entity} starts: {range_words(limits.start)}; ends: {range_words(limits.end)}"
        row["bounds"].append(_without_null_lines(line))
    sentences = ". ".join(line["sentence"] for line in row["bounds"])
    return row | {"message": f"{sentences}." if sentences else "There are no entities."}


def score(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return precision, recall and F1 of statements against others that are taken as right."""
    gold, system = (replace(document_of(given, side), id="document") for side in ("gold", "system"))
    found = find_score(gold, system, metric=given["metric"], time_limit=budget_of(given), jobs=1)
    if found.skipped:
        cause = "; ".join(each.reason for each in found.skipped)
        return {"verdict": "undecided", "message": f"There is no score: {cause}.", "wrong": [], "missing": []}
    rows = [(row["source"], row["gold"], row["system"], row["target"], row["correct"]) for row in found.pair_rows()]
    wrong = [[source, said, target] for source, _, said, target, right in rows if said is not None and not right]
    missing = [[source, meant, target] for source, meant, said, target, right in rows if said is None and not right]
    given_out = _without_null_lines(found.to_dict())
    numbers = {name: given_out[name] for name in ("metric", "precision", "recall", "f1", "counts", "signature")}
    message = f"Precision {found.precision:.4f}, recall {found.recall:.4f}, F1 {found.f1:.4f}."
    for what, listed in (("Wrong", wrong), ("Missing", missing)):
        said_first = "; ".join(" ".join(each) for each in listed[:_SAID])
        message += f" {what}: {said_first}{'; ...' if len(listed) > _SAID else ''}." if listed else ""
    return {"verdict": "scored", "message": message, **numbers, "wrong": wrong, "missing": missing}


# --- what several tools need -----------------------------------------------------------------------------------------


def _calendar(document: Document, given: Mapping[str, Any]) -> str | None:
    return given["calendar"] if document.times else None


def _left(allowed: Budget) -> float | None:
    """Return the seconds left, 0 if the time is over; None if there is no limit."""
    remaining = allowed.remaining()
    return None if remaining is None else max(remaining, 0.0)


def _checked(
    document: Document,
    given: Mapping[str, Any],
    budget: float,
    *,
    repair: bool | None = None,
    protect: Iterable[str] = (),
) -> Check:
    calendar = _calendar(document, given)
    return find_conflicts(document, repair=repair, protect=protect, time_limit=budget, calendar=calendar, jobs=1)[0]


def _contradiction(document: Document, given: Mapping[str, Any], allowed: Budget) -> dict[str, Any]:
    """Return the conflict of statements that contradict each other, as far as the time that is left allows."""
    found = _checked(document, given, max(_left(allowed) or 0, _SOME_TIME))
    return _conflict(found) | {"message": f"Nothing can be concluded. {_verdict_message(found)}"}


def _conflict(found: Check) -> dict[str, Any]:
    if not found.conflicts:
        return {"conflict": [], "explanation": [], "conflicts": []}
    return {
        "conflict": _facts(found.conflict),
        "explanation": list(found.chain),
        "conflicts": [_facts(conflict) for conflict in found.conflicts],
    }


def _verdict_message(found: Check) -> str:
    if found.verdict == DocumentVerdict.CONSISTENT:
        return "Consistent: there is a timeline on which every statement holds."
    if found.verdict != DocumentVerdict.INCONSISTENT:
        return _out_of_time()
    if not found.conflicts:
        return "The statements contradict each other. Time ran out before a smallest conflict was found."
    return f"{found.feedback()} Why: {'; '.join(found.chain)}."


def _out_of_time() -> str:
    return f"Not decided in time. Give fewer statements, or a larger time_limit (at most {MOST_BUDGET:g} seconds)."


def _remarks(found: Check) -> list[str]:
    return [remark.sentence() for remark in found.remarks]


def _facts(facts: Iterable[Fact]) -> list[dict[str, Any]]:
    return [_without_null_lines(fact.to_dict()) for fact in facts]


def _without_null_lines(value: Any) -> Any:
    """Return JSON without the line numbers of links, which statements do not have."""
    if isinstance(value, dict):
        kept = {key: each for key, each in value.items() if not (key == "line" and each is None)}
        return {key: _without_null_lines(each) for key, each in kept.items()}
    return [_without_null_lines(each) for each in value] if isinstance(value, list) else value


def _stated(document: Document) -> dict[tuple[str, str], Relation]:
    """Return what the statements say about each pair directly, in both directions."""
    found: dict[tuple[str, str], Relation] = {}
    for link in document.links:
        for ends, relation in ((link.entities, link.relation), (link.entities[::-1], link.relation.converse())):
            found[ends] = found.get(ends, EVERYTHING) & relation
    return found


# ----------------------------------------------------------------------------------------------------
# Answers in words, to be read by people and to be fed back to a model.

_WHEN = {LT: "before", LT | EQ: "before or when", EQ: "when", GT | EQ: "after or when", GT: "after"}
_WHEN[DIFFERENT] = "not when"
_VERBS = (("starts", "starts"), ("starts", "ends"), ("ends", "starts"), ("ends", "ends"))  # as in CROSS_PAIRS
_DISPENSABLE = (1, 0, 3, 2)  # which comparison to leave out first
_FEW = 6  # alternatives that are listed; of more, those that are ruled out are


def relation_sentence(source: str, relation: Relation, target: str) -> str:
    """Return what a relation means, in terms of starts and ends.

    >>> from temporacle.relation import Relation
    >>> relation_sentence("x", Relation("b|m"), "y")
    'x ends before or when y starts'
    >>> relation_sentence("x", Relation("d"), "y")
    'x starts after y starts, and x ends before y ends'
    >>> relation_sentence("x", Relation("b|bi"), "y")
    'either x ends before y starts, or x starts after y ends'
    """
    if not relation:
        return f"{source} and {target} cannot have any relation"
    steps = _comparisons(int(relation))
    if steps is not None:
        said = [f"{source} {_VERBS[pair][0]} {when} {target} {_VERBS[pair][1]}" for pair, when in steps]
        return ", and ".join(said) or f"{source} and {target} can have any relation"
    if len(relation.atoms) <= _FEW:
        return "either " + ", or ".join(in_words(source, each, target) for each in _single(relation))
    ruled_out = "; ".join(in_words(source, each, target) for each in _single(~relation))
    return f"{source} and {target} can have any relation except: {ruled_out}"


def _single(relation: Relation) -> list[Relation]:
    return [type(relation)(atom) for atom in relation.atoms]


@cache
def _comparisons(mask: int) -> tuple[tuple[int, str], ...] | None:
    """Return the fewest comparisons of endpoints that mean a relation, in order; None if no set of them does."""
    signs = signs_of(mask)

    def meaning(pairs: Sequence[int]) -> int:
        fitting = (k for k in range(len(ATOMS)) if all(ATOM_SIGNS[k][pair] & signs[pair] for pair in pairs))
        return sum(1 << k for k in fitting)

    kept = list(range(4))
    if meaning(kept) != mask:
        return None
    for pair in _DISPENSABLE:
        others = [each for each in kept if each != pair]
        if meaning(others) == mask:
            kept = others
    return tuple((pair, _WHEN[signs[pair]]) for pair in kept)
