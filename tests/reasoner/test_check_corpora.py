"""Verdicts, smallest conflicts, repairs and certificates on real corpora, as far as they are there."""

import json
import tarfile
from pathlib import Path

import pytest
from shared_data import SHARED, shared

from bench.direct_repair import fewest_to_drop
from temporacle.checker import verify
from temporacle.io import Options, Source, read_corpus, read_source
from temporacle.model import Document
from temporacle.reasoner.check import CheckOptions, check_document
from temporacle.reasoner.network import Network
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.points.hulls import is_convex
from temporacle.reasoner.proofs.certificate import to_json
from temporacle.results import DocumentVerdict

pytestmark = pytest.mark.corpora
CORPORA = SHARED / "corpora"
DURING = {"S": "simultaneous", "I": "is_included", "T": "simultaneous", "start-points": "simultaneous"}
ABOUT = dict.fromkeys(("path", "sha256", "format", "reading", "during", "encoding")) | {"id": "d"}
LARGE = {"te3-silver", "narrativetime-a1", "narrativetime-a2"}


def expected_sets():
    """Name and reading of every set that expected.json judges; nothing where the data is absent."""
    file = CORPORA / "expected.json"
    if not file.exists():
        return []
    expected = json.loads(file.read_text("utf-8"))
    return [
        pytest.param(name, reading, marks=[pytest.mark.slow] if name in LARGE else [], id=f"{name}-{reading}")
        for part in ("gold", "systems")
        for name, entry in expected[part].items()
        for reading in entry.get("readings", ())
        if entry["links"]
    ]


def expectation(name):
    expected = json.loads(shared("corpora", "expected.json").read_text("utf-8"))
    return {**expected["gold"], **expected["systems"]}[name]


def documents(entry, reading):
    """The documents of a set by file name, or by id where a file holds many; links to unknown ids are kept."""
    options = Options(during=DURING[reading], keep_unknown=True)
    found = {}
    for part in entry["path"].partition(",")[0].split(" + "):
        paths = sorted(CORPORA.glob(part)) if "*" in part else [CORPORA / part]
        for document in read_corpus(map(str, paths), options):
            assert isinstance(document, Document)
            name = Path(document.path).name
            key = document.id if len(paths) == 1 and paths[0].is_file() else name
            found.setdefault(key, []).append(document)
    return {key: merged(together) for key, together in found.items()}


def merged(together):
    """Documents of the same name as one."""
    first = together[0]
    links = tuple(link for document in together for link in document.links)
    return Document(first.id, links, first.entity_ids, first.path, first.how_read)


def assert_minimal(conflict):
    assert not Oracle(Network(conflict)).is_consistent()
    for link in conflict:
        assert Oracle(Network(other for other in conflict if other is not link)).is_consistent()


@pytest.mark.parametrize(("name", "reading"), expected_sets())
def test_verdicts_and_smallest_conflicts(name, reading):
    shared("corpora", "expected.json")
    entry = expectation(name)
    smallest = entry["readings"][reading]["smallest_conflict"]
    found = documents(entry, reading)
    assert len(found) == entry["documents"]
    assert sum(len(document.links) for document in found.values()) == entry["links"]
    sizes = {}
    for key, document in found.items():
        result = check_document(document, CheckOptions(repair=True, certificate=True))
        assert result.error is None
        if result.verdict is DocumentVerdict.INCONSISTENT:
            conflict = result.conflict
            sizes[key] = len(conflict)
            assert is_convex(Network(conflict).constraints)
            assert_minimal(conflict)
            gone = {id(link) for link in result.repair.dropped}
            kept = [link for link in document.links if id(link) not in gone]
            assert gone
            assert Oracle(Network(kept)).is_consistent()
        certificate = verify(json.dumps(to_json(result.certificate, ABOUT)))
        assert certificate["claim"] == result.verdict.value
    assert sizes == smallest


@pytest.mark.parametrize("reading", ["S", "I"])
def test_three_event_documents(reading):
    """2,716 files of three links on three events and a few special ones, judged as an enumeration judged them."""
    rows = shared("corpora", "cavat-testcorpus", "labels.tsv").read_text("utf-8").splitlines()
    column = {"S": 1, "I": 2}[reading]
    expected = {cells[0]: cells[column] for cells in (line.split("\t") for line in rows[1:])}
    options = Options(during=DURING[reading], keep_unknown=True)
    verdicts = {}
    with tarfile.open(shared("corpora", "cavat-testcorpus", "test_corpus.tar.gz")) as archive:
        for member in archive:
            name = Path(member.name).name
            content = archive.extractfile(member) if member.isfile() else None
            if content is None or name not in expected:
                continue
            (document,) = read_source(Source(name, content.read(), options))
            verdicts[name] = check_document(document).verdict.value
    assert len(verdicts) == len(expected) > 2716
    assert verdicts == expected


@pytest.mark.parametrize(
    "name", ["te3-systems/chambers/NavyTime1", "te3-systems/cleartk/1-timebank", "te3-systems/KUL/TE3RunABC"]
)
def test_repairs_are_optimal(name):
    """The smaller inconsistent documents of real systems, against CP-SAT asked directly for the most links to keep."""
    shared("corpora", "expected.json")
    compared = 0
    for document in documents(expectation(name), "S").values():
        result = check_document(document, CheckOptions(explain=False, repair=True))
        if result.repair is not None and len(document.links) < 100:
            assert len(result.repair.dropped) == fewest_to_drop(Network(document.links))
            compared += 1
    assert compared
