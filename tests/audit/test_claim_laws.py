"""Laws of claims: where they stand does not matter, and what is counted is what was found."""

from __future__ import annotations

import pickle
from collections import Counter
from random import Random

import pytest

from temporacle.audit.answers import Closed, FaultKind, Manner
from temporacle.audit.claims import ClaimedDocument, ClaimsJob
from temporacle.audit.engines import engine_subject
from temporacle.audit.generate import CasePlan
from temporacle.audit.judge import judge, network_of
from temporacle.reasoner.judged import closure
from temporacle.reasoner.network import Budget
from temporacle.reasoner.reference.engines import ENGINES
from temporacle.relation import ATOMS, Relation
from temporacle.tasks.audit import audit_claims

EXACT = engine_subject("exact", ENGINES["exact"].closure)


def corrupted(rng, graph):
    """The exact closure of a graph with some claims left out and some changed; of contradictory links the links."""
    (answer,) = EXACT.ask(graph)
    claims = list(answer.claims if isinstance(answer, Closed) else graph)
    for number, (source, _, target) in enumerate(claims):
        if rng.random() < 0.2:
            claims[number] = (source, Relation.of(*rng.sample(ATOMS, rng.randint(1, 3))), target)
    return [claim for claim in claims if rng.random() < 0.8]


def tsv(document, links):
    return "".join(f"{document}\t{source}\t{relation}\t{target}\n" for source, relation, target in links)


@pytest.fixture
def corpus(tmp_path):
    rng = Random(6)
    graphs = {f"d{case.number}": case.links for case in CasePlan(25, seed=6, large=0) if case.links}
    claims = {name: corrupted(rng, graph) for name, graph in graphs.items()}
    source = tmp_path / "source.tsv"
    source.write_text("".join(tsv(*each) for each in graphs.items()), encoding="utf-8")
    return source, claims


def judged(source, path):
    audit = audit_claims(source, path)
    return {(each.document, each.fault) for each in audit.findings}, audit.counts


def test_claims_mean_the_same_however_they_are_divided_into_files(corpus, tmp_path):
    source, claims = corpus
    whole = tmp_path / "whole.tsv"
    whole.write_text("".join(tsv(*each) for each in claims.items()), encoding="utf-8")
    expected = judged(source, whole)
    assert len(expected[0]) > 20
    for seed in range(5):
        rng = Random(seed)
        parts = [[] for _ in range(4)]
        for name, links in claims.items():
            for source_, relation, target in links:
                turned = (target, relation.converse(), source_) if rng.random() < 0.5 else (source_, relation, target)
                rng.choice(parts).append(tsv(name, [turned]))
        folder = tmp_path / f"parts{seed}"
        folder.mkdir()
        for number, lines in enumerate(parts):
            rng.shuffle(lines)
            (folder / f"{number}.tsv").write_text("".join(lines), encoding="utf-8")
        assert judged(source, folder) == expected


def test_what_is_counted_is_what_was_found(corpus, tmp_path):
    source, claims = corpus
    whole = tmp_path / "whole.tsv"
    whole.write_text("".join(tsv(*each) for each in claims.items()), encoding="utf-8")
    audit = audit_claims(source, whole)
    manners = Counter(finding.fault.manner for finding in audit.findings)
    counts = audit.counts
    assert counts["findings"] == len(audit.findings)
    assert counts["missed"] == manners[Manner.MISSED_ATOM] + manners[Manner.MISSED_DISJUNCTION]
    assert (counts["wrong"], counts["over_claimed"]) == (manners[Manner.WRONG], manners[Manner.OVER_CLAIMED])
    assert counts["consistent"] + counts["inconsistent"] == counts["cases"] == len(claims)
    assert audit.clean == (not audit.findings)


def test_unreadable_pairs_take_away_incompleteness_and_nothing_else():
    rng = Random(8)
    taken = 0
    for case in CasePlan(120, seed=8, large=0):
        network = network_of(case.links)
        exact = closure(network, Budget())
        if exact is None:
            continue
        claims = tuple(corrupted(rng, case.links))
        names = exact.entities
        unread = frozenset((rng.choice(names), rng.choice(names)) for _ in range(2)) if names else frozenset()
        full = judge(network, Closed(claims), exact)
        less = judge(network, Closed(claims, unread), exact)
        torn = judge(network, Closed(claims, torn=True), exact)
        spared = {frozenset(pair) for pair in unread}
        assert less.faults == tuple(
            fault
            for fault in full.faults
            if fault.kind is not FaultKind.INCOMPLETE or frozenset(fault.pair) not in spared
        )
        assert torn.faults == tuple(fault for fault in full.faults if fault.kind is not FaultKind.INCOMPLETE)
        assert (less.pairs, torn.consistent) == (full.pairs, full.consistent)
        taken += len(full.faults) - len(less.faults)
    assert taken > 10


def test_the_job_yields_one_result_that_can_travel(corpus):
    _, claims = corpus
    name, links = next(iter(claims.items()))
    item = ClaimedDocument(name, (), network_of(links).links, Closed(()))
    begun = []
    (result,) = ClaimsJob().results(item, 0, begun.append)
    assert (begun, result.name) == ([name], name)
    assert pickle.loads(pickle.dumps(result)) == result
    assert list(ClaimsJob().results(item, 1, begun.append)) == []
    assert ClaimsJob().failed(item, None, "died").undecided == "died"
    assert item.digest == pickle.loads(pickle.dumps(item)).digest
    assert item.digest != item._replace(answer=Closed((), torn=True)).digest
