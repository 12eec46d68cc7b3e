"""Inconsistent documents of real corpora: the library's counts against the recorded ones, and the reference's."""

import json

import naive_calendar as naive
import pytest
from naive_calendar import POLICIES
from shared_data import shared

import temporacle as tp

pytestmark = pytest.mark.corpora
GOLDEN = json.loads((shared("golden", "calendar") / "corpora.json").read_text("utf-8"))
CORPORA = shared("corpora")
RUNS = {
    "KUL": "KUL/TE3RunABC",
    "NavyTime1": "chambers/NavyTime1",
    "NavyTime2": "chambers/NavyTime2",
    "TIPSem": "TIPSem",
    "TIPSemB": "TIPSemB",
    "anup_kolya": "anup_kolya",
    "cleartk-1": "cleartk/1-timebank",
    "cleartk-2": "cleartk/2-timebank-verbclause",
    "cleartk-3": "cleartk/3-timebank-aquaint",
    "cleartk-4": "cleartk/4-timebank-aquaint-inferences",
}
FOLDERS = {
    "te3-platinum": ["te3-platinum"],
    "te3-platinum-normalized": ["te3-platinum-normalized"],
    "te3-silver": ["te3-silver"],
    "te3-toolkit-gold": ["te3-toolkit/data/gold"],
    "te3-toolkit-system": ["te3-toolkit/data/system"],
    "tempeval1-training-A+B+C": ["tempeval1/training/taskAB", "tempeval1/training/taskC"],
    "tempeval1-training-taskAB": ["tempeval1/training/taskAB"],
    "tempeval1-training-taskC": ["tempeval1/training/taskC"],
    "timebank-dense-tml": ["timebank-dense/tml"],
    **{f"te3-systems/{name}": [f"te3-systems/{path}"] for name, path in RUNS.items()},
}
QUICK = {"te3-platinum", "te3-toolkit-gold", "te3-toolkit-system"}
COUNTED = [
    pytest.param(corpus, reading, marks=() if corpus in QUICK else pytest.mark.slow, id=f"{corpus}-{reading}")
    for corpus in GOLDEN
    if corpus != "about"
    for reading in GOLDEN[corpus]
]


def documents_of(corpus, reading):
    """Links to ids that are nowhere declared are kept, as in the counts."""
    parts = [
        list(tp.read_corpus(str(CORPORA / folder), labels=reading, keep_unknown=True)) for folder in FOLDERS[corpus]
    ]
    if len(parts) == 1:
        return parts[0]
    from temporacle.corpus.inputs import join

    by_name = {}
    for document in (each for part in parts for each in part):
        by_name.setdefault(document.id, []).append(document)
    return [same[0] if len(same) == 1 else join(same) for same in by_name.values()]


@pytest.mark.parametrize(("corpus", "reading"), COUNTED)
def test_counts(corpus, reading):
    expected = GOLDEN[corpus][reading]
    documents = documents_of(corpus, reading)
    assert len(documents) == expected["documents"]
    inconsistent = {}
    for policy in (None, *POLICIES):
        checks = tp.check(documents, calendar=policy, explain=False, jobs=1)
        inconsistent[policy or "plain"] = {check.document for check in checks if check.verdict == "inconsistent"}
        if policy == "within":
            calendars = [check.to_dict()["calendar"] for check in checks]
            assert sum(each["constraining"] for each in calendars) == expected["constraining"]
            remarks = [each.code for check in checks for each in check.remarks]
            assert sum(code.startswith(("value-", "mod-")) for code in remarks) == expected["remarks"]
    assert {name: len(found) for name, found in inconsistent.items()} == expected["inconsistent"]
    for policy, names in expected["only_calendar"].items():
        assert sorted(inconsistent[policy] - inconsistent["plain"]) == sorted(names)


def as_record(document):
    """A document that was read as the reference takes it."""
    names = {"type": "type", "value": "value", "mod": "mod", "function": "function"}
    names |= {"beginPoint": "begin_point", "endPoint": "end_point"}
    entities = [
        {"id": each.id, "kind": "dct" if each.is_dct else each.kind.value}
        | {name: getattr(each, field) for name, field in names.items()}
        for each in document.entities
    ]
    links = [
        {"id": each.id, "source": each.source, "relation": str(each.relation), "target": each.target}
        for each in document.links
    ]
    return {"document": document.id, "entities": entities, "links": links}


@pytest.mark.parametrize("policy", POLICIES)
def test_the_reference_agrees(policy):
    """On real documents, by shortest paths from one point: small corpora whose links are all convex."""
    for corpus in sorted(QUICK):
        for document in documents_of(corpus, "timeml"):
            record = as_record(document)
            expected = naive.has_cycle(naive.calendar_of(record, policy))
            assert (tp.check(document, calendar=policy, explain=False)[0].verdict == "inconsistent") == expected
