"""Certificates of each kind about small random networks: what forgeries are made of.

A kind is a function from a random generator to a certificate, or to None if this attempt gave another kind.
"""

from __future__ import annotations

import json
import sys
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fuzz.forgeries.branching import branched
from temporacle.calendar.values import date
from temporacle.model import Document, Entity, Kind, Link
from temporacle.reasoner.conflicts.conflicts import conflict_numbers, subnetwork
from temporacle.reasoner.conflicts.repair import repair_grounds
from temporacle.reasoner.decode.decode import Impossible, decode_document
from temporacle.reasoner.judged import Judged
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.proofs.certificate import to_json
from temporacle.reasoner.proofs.cheapest import certify_decoding, certify_repair
from temporacle.reasoner.proofs.clausal import refute_by_clauses
from temporacle.reasoner.proofs.closure import certify_closure
from temporacle.relation import Relation
from temporacle.results import Unrepairable
from temporacle.scored import Objective
from temporacle.scoring.alignment import CommonNames
from temporacle.scoring.awareness import judge
from temporacle.scoring.tally import document_score
from temporacle.tasks.oracle import Oracle as DocumentOracle
from temporacle.tasks.score_pair import score_proof
from temporacle.tasks.score_request import request_for

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random


TESTS = Path(__file__).resolve().parents[2] / "tests"
sys.path[:0] = [str(path) for path in (TESTS, TESTS / "calendar") if str(path) not in sys.path]

from calendar_documents import random_document, random_options  # noqa: E402
from certificate_maker import Maker  # noqa: E402
from decode_twin import random_document as random_scores  # noqa: E402
from naive import TRAP, network_of, random_network  # noqa: E402
from naive_calendar import ATOMS, POLICIES  # noqa: E402

Certificate = dict[str, Any]
DATES = ("1998-02-06", "1998-02", "1998-02-09", "P2D", "1998-W06", "1998-02-06T10:00Z", "1998", "1998-02-08", "1998-SU")
WEIGHTS = (1, 1, 1, 2, 0.5, 0.1, 0, 3.75)
ABOUT = {
    "id": "d1",
    "path": "d1.tsv",
    "sha256": "0123456789abcdef" * 4,
    "format": "tsv",
    "reading": "links",
    "during": "simultaneous",
    "encoding": None,
}


def sample(kind: str, rng: Random) -> Certificate:
    """Return a certificate of a kind."""
    while True:
        certificate = KINDS[kind](rng)
        if certificate is not None:
            return certificate


def _network(rng: Random, kinds: tuple[str, ...] = ("atomic", "convex", "pointisable", "arbitrary")) -> Network:
    names = ["a", "b", "c", "d"][: rng.choice((2, 3, 3, 3, 4))]
    return network_of(random_network(rng, names, rng.choice(kinds), rng.choice((0.6, 0.9, 1))), names)


def _form(certificate: Any, rng: Random) -> Certificate:
    about = dict(ABOUT)
    if rng.random() < 0.1:
        about["dropped"] = [{"code": "label-unknown", "line": 3, "element": "l9"}]
    return to_json(certificate, about)


def _about_network(claim: str, *, cases: bool = False) -> Callable[[Random], Certificate | None]:
    """Verdicts; ``cases``: whether the proof splits links."""

    def make(rng: Random) -> Certificate | None:
        network = _network(rng, ("pointisable", "arbitrary") if cases else ("atomic", "convex"))
        if cases and rng.random() < 0.3:
            network = network_of([(source, Relation(atoms), target) for source, atoms, target in TRAP])
        form = _form(Oracle(network).certificate(), rng)
        if form["claim"] != claim or (claim == "inconsistent" and (len(form["proof"]) > 1) != cases):
            return None
        return form

    return make


def _about_query(claim: str) -> Callable[[Random], Certificate | None]:
    def make(rng: Random) -> Certificate | None:
        oracle = Oracle(_network(rng))
        if len(oracle.network.entities) < 2 or not oracle.is_consistent():
            return None
        source, target = rng.sample(list(oracle.network.entities), 2)
        relation = oracle.strongest(source, target)
        if claim == "refuted":
            relation = ~relation
        elif claim == "open" or rng.random() < 0.5:
            relation = (
                Relation(rng.randrange(1 << 13)) if claim == "open" else relation | Relation(rng.randrange(1 << 13))
            )
        form = _form(oracle.certificate((source, relation, target)), rng)
        return form if form["claim"] == claim else None

    return make


def _by_clauses(claim: str, *, hints: bool = False) -> Callable[[Random], Certificate | None]:
    """The proof of a certificate replaced by one with clauses."""

    def make(rng: Random) -> Certificate | None:
        form = (
            _about_network("inconsistent", cases=rng.random() < 0.7) if claim == "inconsistent" else _about_query(claim)
        )(rng)
        if form is None:
            return None
        triples = [(link["source"], Relation.of(*link["relation"]), link["target"]) for link in form["links"]]
        if claim != "inconsistent":
            query = form["query"]
            asked = Relation.of(*query["relation"])
            triples.append((query["source"], ~asked if claim == "entailed" else asked, query["target"]))
        network = network_of(triples)
        if any(source == target or not relation for source, relation, target in triples):
            return None  # refuted without clauses
        numbers = list(conflict_numbers(network, Budget()))
        if claim == "inconsistent":
            numbers = form["conflict"]
        proof = refute_by_clauses(subnetwork(network, numbers), Budget())
        if proof is None:
            return None

        def place(number: int) -> int | str:
            return "query" if number == len(form["links"]) else number

        form["version"] = 3 if hints else 2
        form["conflict"] = [place(number) for number in numbers]
        form["proof"] = {
            "variables": [list(pair) for pair in proof.variables],
            "clauses": [[list(c), None if link is None else place(numbers[link])] for c, link in proof.clauses],
            "lemmas": [list(lemma) for lemma in proof.lemmas],
        }
        if hints:
            form["proof"]["hints"] = [list(each) for each in proof.hints]
        return form

    return make


def _closure(rng: Random) -> Certificate | None:
    network = _network(rng)
    if rng.random() < 0.3:  # several parts
        names = ["a", "b", "c", "d"]
        network = network_of(random_network(rng, names, "arbitrary", 0.3), names)
    elif rng.random() < 0.3:  # derived relations
        network = network_of([(source, Relation(atoms), target) for source, atoms, target in TRAP[:-1]])
    form = _form(certify_closure(Judged(network, Budget())), rng)
    return form if form["claim"] == "closure" else None


def _repair(rng: Random) -> Certificate | None:
    links = [link._replace(weight=rng.choice(WEIGHTS)) for link in _network(rng).links]
    protected = [link.id for link in links if rng.random() < 0.1]
    found = Oracle(links).repair_certificate(protect=protected)
    if isinstance(found, Unrepairable):
        return None
    form = _form(found, rng)
    return _with_branches(rng, form) if form["dropped"] or rng.random() < 0.1 else None


def _repair_by_cores(rng: Random) -> Certificate | None:
    """A repair whose bound rests on cores, which is otherwise written for many disjunctions only."""
    names = ["a", "b", "c"][: rng.choice((2, 2, 3))]
    links = [
        Link(f"l{k}", pair[0], Relation.of(*rng.sample(ATOMS, rng.randint(1, 3))), pair[1], weight=rng.choice(WEIGHTS))
        for k, pair in enumerate(rng.sample(names, 2) for _ in range(rng.randint(3, 6)))
    ]
    if rng.random() < 0.1:
        links.append(Link("loop", "a", Relation.of("b"), "a"))
    network = Network(links)
    protected = [link.id for link in links if rng.random() < 0.1]
    found = repair_grounds(Judged(network), protected)
    if isinstance(found, Unrepairable) or not found.dropped:
        return None
    form = _form(certify_repair(network, found._replace(conflicts=None), Budget()), rng)
    return form if form["proof"]["counts"] or rng.random() < 0.2 else None


def _with_branches(rng: Random, form: Certificate) -> Certificate:
    """Return a repair, half of the time with bounds by branching."""
    if rng.random() < 0.5:
        return form
    facts = [*range(len(form["links"])), *(("value", place) for place in range(len(form.get("values", ()))))]
    protected = {_key(fact) for fact in form["protected"]}
    slots = {
        fact: {"keep": Fraction(0), "drop": Fraction(weight)}
        for fact, weight in zip(facts, form["weights"], strict=True)
        if fact not in protected
    }
    conflicts = [
        {_key(fact): {"keep"} for fact in each["conflict"] if _key(fact) in slots} for each in form["conflicts"]
    ]
    return form | {"parts": branched(rng, form["parts"], slots, conflicts) or form["parts"]}


def _key(fact: Any) -> Any:
    return tuple(fact) if isinstance(fact, list) else fact


def _dated_repair(rng: Random) -> Certificate | None:
    document = _document(rng)
    found = DocumentOracle(document, calendar=rng.choice(POLICIES), time_limit=20).repair_certificate()
    if isinstance(found, Unrepairable):
        return None
    form = found.to_dict()
    return _with_branches(rng, form) if form.get("dropped") and form.get("values") else None


def _document(rng: Random) -> Document:
    """A document with dates that contradict its links now and then."""
    names = ["t0", "t1", "t2"]
    times = tuple(Entity(name, Kind.TIME, value=rng.choice(DATES)) for name in names)
    pairs = [rng.sample([*names, "e"], 2) for _ in range(rng.randint(1, 4))]
    links = [
        Link(f"l{k}", source, Relation.of(*rng.sample(ATOMS, rng.randint(1, 3))), target)
        for k, (source, target) in enumerate(pairs)
    ]
    return Document("d", tuple(links), (*names, "e"), known_times=times)


def _decoding(rng: Random) -> Certificate | None:
    document = random_scores(rng, ties=rng.random() < 0.5, most_pairs=4)
    objective = rng.choice(list(Objective))
    found = decode_document(document, objective, Budget(), alternatives=0)
    if isinstance(found, Impossible):
        return None
    form = _form(certify_decoding(found, document.links, objective, Budget()), rng)
    if not form["parts"] and rng.random() < 0.9:  # the best labels are consistent
        return None
    if rng.random() < 0.5:
        values = [[Fraction(label[3]) for label in pair["labels"]] for pair in form["pairs"]]
        slots = {
            place: {label: max(some) - value for label, value in enumerate(some)} for place, some in enumerate(values)
        }
        conflicts = [{place: set(labels) for place, labels in each["blocked"]} for each in form["conflicts"]]
        form["parts"] = branched(rng, form["parts"], slots, conflicts) or form["parts"]
    return form


def _score(rng: Random) -> Certificate | None:
    options = {"vague": rng.choice(["ignore", "count"])}
    empty = rng.randrange(2)
    gold, system = (_scored_document(rng) for _ in range(2))
    request = request_for(["awareness"], options, empty=empty)
    name, chosen = request.metrics[0]
    score = document_score(judge(gold, system, chosen), metric=name, empty=empty, document="d")
    return json.loads(json.dumps(score_proof(CommonNames(gold, system), system, request, score)))


def _scored_document(rng: Random) -> Document:
    """Links with duplicates, links of an entity to itself, and some that allow everything."""
    names = "abcd"[: rng.randint(1, 4)]
    kind = rng.choice(("atomic", "convex", "pointisable", "arbitrary"))
    links = [
        (source, str(relation) if rng.random() < 0.93 else "|".join(ATOMS), target)
        for source, relation, target in random_network(rng, names, kind, rng.choice((0.3, 0.6, 1.0)))
    ]
    if links and rng.random() < 0.4:
        links.append(rng.choice(links))
    if rng.random() < 0.3:
        links.insert(rng.randint(0, len(links)), ("a", rng.choice(["=", "b|=", "b"]), "a"))
    return Document("d", links)


def _maker(rng: Random) -> Maker:
    return Maker(random_document(rng, entities=rng.randint(2, 4)), rng.choice(POLICIES), **random_options(rng))


def _about_document(claim: str) -> Callable[[Random], Certificate | None]:
    def make(rng: Random) -> Certificate | None:
        maker = _maker(rng)
        form = maker.verdict()
        if form["claim"] != claim or not form["values"]:
            return None
        return form

    return make


def _about_dated_query(claim: str) -> Callable[[Random], Certificate | None]:
    def make(rng: Random) -> Certificate | None:
        maker = _maker(rng)
        if len(maker.calendar.entities) < 2 or maker.verdict()["claim"] != "consistent":
            return None
        source, target = rng.sample(maker.calendar.entities, 2)
        form = maker.answer(source, tuple(rng.sample(ATOMS, rng.randint(1, 12))), target)
        return form if form["claim"] == claim and form["values"] and len(form.get("proof", ())) < 60 else None

    return make


def _about_date(rng: Random) -> Certificate | None:
    """A query about a date that is not in the document, as the package writes it."""
    names = ["t0", "t1"]
    times = tuple(Entity(name, Kind.TIME, value=rng.choice(DATES)) for name in names)
    links = (Link("l0", "t0", Relation(rng.randrange(1, 1 << 13)), rng.choice(["t1", "e"])),)
    document = Document("d", links, (*names, "e"), known_times=times)
    oracle = DocumentOracle(document, calendar=rng.choice(POLICIES), time_limit=20)
    asked = Relation(rng.randrange(1, 1 << 13)) if rng.random() < 0.3 else Relation.of(rng.choice(ATOMS))
    query = ["t0", ~asked if rng.random() < 0.5 else asked, date(rng.choice(["1998-02-09", "1998", "1999-Q1"]))]
    form = oracle.certificate(tuple(query[:: rng.choice((1, -1))])).to_dict()
    return form if "query" in form else None


KINDS: dict[str, Callable[[Random], Certificate | None]] = {
    "consistent": _about_network("consistent"),
    "inconsistent-cycle": _about_network("inconsistent"),
    "inconsistent-cases": _about_network("inconsistent", cases=True),
    "inconsistent-clauses": _by_clauses("inconsistent"),
    "inconsistent-hints": _by_clauses("inconsistent", hints=True),
    "entailed": _about_query("entailed"),
    "entailed-clauses": _by_clauses("entailed"),
    "entailed-hints": _by_clauses("entailed", hints=True),
    "refuted": _about_query("refuted"),
    "open": _about_query("open"),
    "calendar-consistent": _about_document("consistent"),
    "calendar-cases": _about_document("inconsistent"),
    "calendar-entailed": _about_dated_query("entailed"),
    "calendar-refuted": _about_dated_query("refuted"),
    "calendar-open": _about_dated_query("open"),
    "calendar-date": _about_date,
    "closure": _closure,
    "repair": _repair,
    "repair-cores": _repair_by_cores,
    "calendar-repair": _dated_repair,
    "decode": _decoding,
    "score": _score,
}
