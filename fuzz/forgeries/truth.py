"""Whether the claim of a certificate is true, judged without its proof and its models.

Up to four entities all arrangements are enumerated; beyond that the oracle and a search by cases are asked. Claims with
values are judged by the reference of the tests for the calendar.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

from fuzz.forgeries.samples import TESTS  # noqa: F401 - it makes the modules of the tests importable
from temporacle.checker import trusted
from temporacle.model import Document, Link
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.reference.lanes import cdcl
from temporacle.relation import Relation
from temporacle.scoring.awareness import judge
from temporacle.scoring.tally import document_score
from temporacle.tasks.score_request import request_for

from certificate_maker import truth as truth_with_values  # isort: skip
from naive import brute_force  # isort: skip

if TYPE_CHECKING:
    from collections.abc import Sequence

Triple = tuple[str, int, str]
ALL = (1 << 13) - 1


def is_true(certificate: dict[str, Any]) -> bool:
    """Return whether the claim of an accepted certificate is true."""
    if "calendar" in certificate and certificate["claim"] != "repair":
        return truth_with_values(certificate, trusted(certificate))
    return JUDGES[certificate["claim"]](certificate)


def _triple(link: dict[str, Any]) -> Triple:
    return link["source"], int(Relation.of(*link["relation"])), link["target"]


def _verdict(certificate: dict[str, Any]) -> bool:
    triples = [_triple(link) for link in certificate["links"]]
    if certificate["claim"] == "consistent":
        return consistent(triples)
    conflict = [triples[number] for number in certificate["conflict"]]
    if consistent(conflict) or consistent(triples):
        return False
    return certificate["needed"] is None or all(
        consistent(conflict[:place] + conflict[place + 1 :]) for place in range(len(conflict))
    )


def _answer(certificate: dict[str, Any]) -> bool:
    triples = [_triple(link) for link in certificate["links"]]
    source, atoms, target = _triple(certificate["query"])
    holding, failing = (consistent([*triples, (source, each, target)]) for each in (atoms, ALL & ~atoms))
    return {"open": (True, True), "entailed": (True, False), "refuted": (False, True)}[certificate["claim"]] == (
        holding,
        failing,
    )


def _closure(certificate: dict[str, Any]) -> bool:
    triples = [_triple(link) for link in certificate["links"]]
    if not consistent(triples):
        return False
    listed = dict.fromkeys(combinations(certificate["entities"], 2), ALL)
    for part in certificate["parts"]:
        for source, atoms, target, *_ in part["pairs"]:
            mask = Relation.of(*atoms)
            if (source, target) in listed:
                listed[source, target] = int(mask)
            else:
                listed[target, source] = int(mask.converse())
    return all(
        consistent([*triples, (source, 1 << bit, target)]) is bool(mask >> bit & 1)
        for (source, target), mask in listed.items()
        for bit in range(13)
    )


def _repair(certificate: dict[str, Any]) -> bool:
    """No lighter set of facts that are not protected can be dropped, or none below the bound if there is one."""
    keys: list[Any] = [*range(len(certificate["links"]))]
    keys += [["value", place] for place in range(len(certificate.get("values", ())))]
    weights = [Fraction(weight) for weight in certificate["weights"]]
    free = [place for place, key in enumerate(keys) if key not in certificate["protected"]]
    stated = Fraction(certificate["weight"])
    dropped = [place for place, key in enumerate(keys) if key in certificate["dropped"]]
    if sum(weights[place] for place in dropped) != stated or not set(dropped) <= set(free):
        return False
    if not _holds_without(certificate, dropped):
        return False
    lighter = (
        some
        for size in range(len(free) + 1)
        for some in combinations(free, size)
        if sum(weights[place] for place in some) < Fraction(certificate.get("bound", stated))
    )
    return not any(_holds_without(certificate, some) for some in lighter)


def _decoding(certificate: dict[str, Any]) -> bool:
    """The chosen labels have the stated value, and no labels that can be true have a higher one."""
    links = [_triple(link) for link in certificate["links"]]
    pairs = certificate["pairs"]
    labels = [label for pair in pairs for label in pair["labels"]]
    if not all(_is_value(int(value), Fraction(score), certificate["objective"]) for _, _, score, value in labels):
        return False
    options = [
        [
            (int(value), (pair["source"], int(Relation.of(*atoms)), pair["target"]))
            for _, atoms, _, value in pair["labels"]
        ]
        for pair in pairs
    ]
    chosen = [some[pair["chosen"]] for some, pair in zip(options, pairs, strict=True)]
    stated = sum(value for value, _ in chosen)
    if stated != int(certificate["value"]) or not consistent([*links, *(link for _, link in chosen)]):
        return False
    return not any(
        sum(value for value, _ in labels) > stated and consistent([*links, *(link for _, link in labels)])
        for labels in product(*options)
    )


def _is_value(value: int, score: Fraction, objective: str) -> bool:
    """Return whether a value is the one of a score."""
    if objective != "logprob":
        return value == round(score * 10**12)
    with localcontext() as context:
        context.prec = 60
        kept = max(score, Fraction(1, 10**6))
        return abs(value - 10**12 * (Decimal(kept.numerator) / Decimal(kept.denominator)).ln()) < 1


def _score(certificate: dict[str, Any]) -> bool:
    """The counts and figures are those of ``score``, for the links of both sides."""
    gold, system = (_document(certificate[side]) for side in ("gold", "system"))
    options = certificate["options"]
    request = request_for(["awareness"], {"vague": options["vague"]}, empty=options["empty"])
    name, chosen = request.metrics[0]
    score = document_score(judge(gold, system, chosen), metric=name, empty=options["empty"], document="d")
    figures = [str(score.precision), str(score.recall), str(score.f1)]
    counts = score.counts.to_dict()
    if options["contradictions"] == "refuse" and (counts["gold_set_aside"] or counts["system_set_aside"]):
        return False
    return (
        figures == [certificate[figure] for figure in ("precision", "recall", "f1")] and counts == certificate["counts"]
    )


def _document(side: dict[str, Any]) -> Document:
    common = dict(side["names"])
    numbered: dict[str, str] = {}
    links = []
    for place, link in enumerate(side["links"]):
        ends = [common.get(link[end], link[end]) for end in ("source", "target")]
        links.append(Link(f"l{place}", ends[0], Relation.of(*link["relation"]), ends[1], link["label"]))
        numbered |= dict.fromkeys(ends, "")
    return Document("d", tuple(links), tuple(numbered))


def _holds_without(certificate: dict[str, Any], dropped: Sequence[int]) -> bool:
    links = [link for place, link in enumerate(certificate["links"]) if place not in dropped]
    if "calendar" not in certificate:
        return consistent([_triple(link) for link in links])
    number = len(certificate["links"])
    values = [value for place, value in enumerate(certificate["values"], number) if place not in dropped]
    rest = {"claim": "consistent", "calendar": certificate["calendar"], "links": links, "values": values}
    return truth_with_values(rest, trusted(certificate))


JUDGES = {
    "closure": _closure,
    "repair": _repair,
    "decode": _decoding,
    "score": _score,
    "consistent": _verdict,
    "inconsistent": _verdict,
    "entailed": _answer,
    "refuted": _answer,
    "open": _answer,
}


def consistent(triples: list[Triple]) -> bool:
    """Return whether links can all be true. Names of entities do not matter, so they become numbers."""
    numbers: dict[str, int] = {}
    for source, _, target in triples:
        numbers.setdefault(source, len(numbers))
        numbers.setdefault(target, len(numbers))
    return _consistent(
        frozenset((numbers[source], atoms, numbers[target]) for source, atoms, target in triples), len(numbers)
    )


@lru_cache(maxsize=1 << 16)
def _consistent(triples: frozenset[tuple[int, int, int]], entities: int) -> bool:
    if any(not atoms for _, atoms, _ in triples):
        return False
    names = [f"e{number}" for number in range(entities)]
    named = [(names[source], Relation(atoms), names[target]) for source, atoms, target in sorted(triples)]
    if entities <= 4:
        return brute_force(named, names) is not None
    network = Network([Link(f"l{k}", *triple) for k, triple in enumerate(named)], names)
    found = Oracle(network, budget=Budget(60)).is_consistent()
    by_search = cdcl(network, Budget(60))
    if found is not (by_search is not None and by_search.model() is not None):
        raise AssertionError(f"the oracle and the search on all links differ: {named}")
    return found
