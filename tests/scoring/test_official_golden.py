"""The printed text and the counts of the published programs, case by case.

Cases that may be copied stand in tests/golden/official; the others are read from the shared folder if it is there.
"""

import json
from pathlib import Path

import pytest
from official_runs import score_documents, score_links
from shared_data import SHARED

from temporacle.scoring.official import tempeval1
from temporacle.scoring.official.tempeval3 import FilePair
from temporacle.scoring.official.tempeval3.tlinks import read_links
from temporacle.scoring.official.timelines import FileOutcome, score_timelines

OWN = Path(__file__).resolve().parents[1] / "golden" / "official"
COUNTS = ("precision_matched", "system_total", "recall_matched", "gold_total")


def cases(own: str, shared: str) -> list[Path]:
    """The project's cases, and those of the shared folder that are not among them."""
    found = {case.name: case for case in [*SHARED.glob(f"golden/{shared}"), *(OWN / own).iterdir()]}
    return [found[name] for name in sorted(found)]


def by_name(path: Path) -> str:
    return path.name


def paired(case: Path, first: str, second: str) -> list[tuple[str, bytes, bytes | None]]:
    """Name and content of the files of one folder, with those of the other."""
    pairs = []
    for path in sorted((case / first).rglob("*")):
        if path.is_file():
            name = str(path.relative_to(case / first))
            partner = case / second / name
            pairs.append((name, path.read_bytes(), partner.read_bytes() if partner.is_file() else None))
    return pairs


@pytest.mark.parametrize("method", ["default", "acl11", "implicit_in_recall"])
@pytest.mark.parametrize("case", cases("tempeval3", "official/r*"), ids=by_name)
def test_relation_scorer(case, method):
    expected = json.loads((case / "expected.json").read_text())["methods"][method]
    score = score_documents([(gold, system) for _, gold, system in paired(case, "gold", "system")], method)
    if "error" in expected:
        assert score.stops.split(":")[0] == expected["error"].split(":")[0]
        return
    assert score.stops is None
    assert {name: getattr(score.total, name) for name in COUNTS} == {name: expected[name] for name in COUNTS}
    assert [float(digits) for digits in score.total.digits()] == [expected[name] for name in ("f1", "p", "r")]
    suffix = "" if method == "default" else f".{method}"
    assert score.printed() == (case / f"expected{suffix}.txt").read_bytes()


@pytest.mark.parametrize("case", cases("tempeval3", "official/r*"), ids=by_name)
def test_links_score_like_their_files(case):
    files = [(gold, system or b"") for _, gold, system in paired(case, "gold", "system")]
    links = [(read_links(gold).links, read_links(system).links) for gold, system in files]
    assert score_links(links).total == score_documents(files).total


@pytest.mark.parametrize("mode", ["full", "ord"])
@pytest.mark.parametrize("case", cases("timelines", "official/t*"), ids=by_name)
def test_timeline_scorer(case, mode):
    expected = json.loads((case / "expected.json").read_text())["modes"][mode]
    files = [FilePair(*file) for file in paired(case, "gold", "system")]
    score = score_timelines(files, ordering_only=mode == "ord")
    for file in score.files:
        counts = expected["files"][file.name]
        if counts is None:
            assert file.outcome is FileOutcome.NO_ANSWER
            continue
        assert {name: getattr(file.counts, name) for name in COUNTS} == {name: counts[name] for name in COUNTS}
        for side, links in counts.get("tlinks", {}).items():
            assert [b" ".join(link).decode() for link in getattr(file.links, side)] == links
    lines, expected_lines = (
        sorted(text.splitlines(keepends=True))  # files come in the order of a directory listing
        for text in (score.printed(), (case / f"expected{'.ord' if mode == 'ord' else ''}.txt").read_bytes())
    )
    if "error" in expected["micro"]:
        assert score.stops == expected["micro"]["error"]
        lines = [line for line in lines if not line.startswith(b"\t")]
        expected_lines = [line for line in expected_lines if not line.startswith(b"[exit")]
    else:
        assert score.stops is None
        assert (score.f1, score.precision, score.recall) == pytest.approx(
            tuple(expected["micro"][name] for name in ("f1", "p", "r"))
        )
    assert lines == expected_lines


@pytest.mark.parametrize("mode", tempeval1.Mode)
@pytest.mark.parametrize("case", cases("tempeval1", "tempeval1/*"), ids=by_name)
def test_tempeval1_scorer(case, mode):
    expected = json.loads((case / "expected.json").read_text())
    files = [(name, response, key) for name, response, key in paired(case, "response", "key") if key is not None]
    for release, text, numbers in (
        (tempeval1.Release.EVALUATION, f"expected-{mode.value}.txt", mode.value),
        (tempeval1.Release.TRAINING, f"older-scorer-{mode.value}.txt", f"{mode.value}_older_scorer"),
    ):
        score = tempeval1.score_folder([file[1:] for file in files], mode, release)
        assert score.printed("response", "key") == (case / text).read_bytes()
        assert_counts(score.total, expected[numbers])
    for name, response, key in files:
        assert_counts(tempeval1.score_file(response, key, mode).total, expected["per_file"][name][mode.value])


def assert_counts(counts: tempeval1.TempEval1Counts, expected: dict) -> None:
    for name in ("reference", "candidate", "common", "incorrect"):
        assert getattr(counts, name) == expected[name]
    assert counts.correct == pytest.approx(expected["correct"], abs=1e-9)
    shown = [tempeval1.shown(value).strip() for value in (counts.precision, counts.recall, counts.f_measure)]
    assert shown == [expected[name] for name in ("p", "r", "f")]
