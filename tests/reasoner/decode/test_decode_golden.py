"""Optima that others have computed: brute force on invented documents, two solvers on scores of a neural system."""

import json

import pytest
from decode_twin import document_of
from shared_data import shared

from temporacle.reasoner.decode.decode import Impossible, decode_document
from temporacle.reasoner.network import Budget
from temporacle.scored import Objective, as_number

pytestmark = pytest.mark.corpora
KEYS = {Objective.LOGPROB: "log", Objective.PROB: "sum"}


def golden_cases():
    with shared("golden", "decode", "cases.jsonl").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@pytest.mark.parametrize("objective", KEYS)
@pytest.mark.parametrize("case", golden_cases(), ids=lambda case: case["case"])
def test_golden_case(case, objective):
    given, expected = case["input"], case["expected"]
    found = decode_document(document_of(given, given["reading"]), objective, Budget())
    if expected["status"] == "impossible":
        assert isinstance(found, Impossible)
        return
    wanted = expected[KEYS[objective]]
    assert found.optimal
    assert as_number(found.value) == pytest.approx(wanted["objective"], abs=1e-6)
    assert [link.label for link in found.links()] in wanted["optimal"]
    following = as_number(found.alternatives[0].value) if found.alternatives else None
    assert following == (None if wanted["runner_up"] is None else pytest.approx(wanted["runner_up"], abs=1e-6))
    if expected["argmax_consistent"] is not None:
        assert (not found.changes) == expected["argmax_consistent"]


@pytest.mark.parametrize("objective", KEYS)
@pytest.mark.parametrize(
    "name", ["seed102.matres", "seed102.tcr", *(pytest.param("*", marks=pytest.mark.slow, id="all files"),)]
)
def test_scores_of_a_neural_system(name, objective):
    folder = shared("corpora", "scores")
    expected = json.loads((folder / "expected.json").read_text("utf-8"))
    for file, known in expected.items():
        if name not in ("*", file):
            continue
        changed = 0
        for line in (folder / f"{file}.jsonl").read_text("utf-8").splitlines():
            document = document_of(json.loads(line), "matres")
            found = decode_document(document, objective, Budget())
            wanted = known["documents"][document.id][KEYS[objective]]
            assert found.optimal
            assert as_number(found.argmax) == pytest.approx(wanted["argmax"], abs=1e-6)
            assert as_number(found.value) == pytest.approx(wanted["map"], abs=1e-6)
            assert as_number(found.alternatives[0].value) == pytest.approx(wanted["runner_up"], abs=1e-6)
            assert len(found.changes) == wanted["changed"]
            changed += len(found.changes)
        assert changed == known[f"changed_{KEYS[objective]}"]
