"""``score``, ``audit`` and ``report`` over many documents: the same output anywhere, after a kill, with bad ones."""

import json
import os
import random
import signal
import subprocess
import sys

import pytest
from questions import DeadlyTask, SlowTask
from runs import Cluster, all_end, children_of, environment, line, start, wait_for_size

from temporacle.cli import run
from temporacle.commands.score_rows import document_json, total_json
from temporacle.commands.score_stream import Corpus, Stream
from temporacle.corpus import Request, score_pairs
from temporacle.io import read_corpus
from temporacle.io.pairing import pair_up
from temporacle.io.source import Options
from temporacle.runner.place import Backend, Place, Plan
from temporacle.scoring.options import Align, Average, ScoringOptions

DOCUMENTS = 40
LABELS = ("BEFORE", "AFTER", "INCLUDES", "SIMULTANEOUS")


def document(name, seed, links=6):
    """A graph that may well contradict itself, with spans."""
    source = random.Random(seed)
    spans = [{"id": f"e{i}", "kind": "event", "start": 2 * i, "end": 2 * i + 1} for i in range(5)]
    rows = []
    for _ in range(links):
        first, second = source.sample(range(5), 2)
        rows.append({"source": f"e{first}", "relation": source.choice(LABELS), "target": f"e{second}"})
    return json.dumps({"document": name, "text": "a b c d e f", "entities": spans, "links": rows}) + "\n"


@pytest.fixture(scope="module")
def corpora(tmp_path_factory):
    """Gold, two systems and a closure of gold that is not quite right; each side has what the other has not."""
    folder = tmp_path_factory.mktemp("corpora")
    names = [f"d{number}" for number in range(DOCUMENTS)]
    texts = {"gold": [document(name, name) for name in names]}
    texts["one"] = [document(name, name if number % 2 else number) for number, name in enumerate(names) if number % 7]
    texts["two"] = [document(name, name if number % 3 else number) for number, name in enumerate(names)]
    texts["gold"].insert(5, "{torn\n")
    texts["one"].append(document("stranger", 1))
    for side, lines in texts.items():
        (folder / f"{side}.jsonl").write_text("".join(lines))
    links = "".join(f"d{number}\te0\tBEFORE\te1\n" for number in range(DOCUMENTS))
    (folder / "claims.tsv").write_text(links)
    return folder


def told(capsys, corpora, monkeypatch, arguments):
    """The exit code, and all that is printed but for warnings of foreign libraries."""
    monkeypatch.chdir(corpora)
    capsys.readouterr()
    code = run(arguments)
    printed = capsys.readouterr()
    return code, printed.out, sorted(row for row in printed.err.splitlines() if "warn" not in row.lower())


COMMANDS = {
    "score": ["score", "gold.jsonl", "one.jsonl", "--output", "json"],
    "macro": ["score", "gold.jsonl", "one.jsonl", "--average", "macro", "--metric", "reduction", "--output", "csv"],
    "details": ["score", "gold.jsonl", "one.jsonl", "--align", "spans", "--by", "label", "--by", "kind"],
    "ranks": ["score", "gold.jsonl", "one.jsonl", "two.jsonl", "--output", "json"],
    "compare": ["score", "gold.jsonl", "one.jsonl", "--compare", "two.jsonl", "--samples", "9", "--output", "json"],
    "agreement": ["score", "gold.jsonl", "one.jsonl", "--agreement", "--output", "json"],
    "audit": ["audit", "gold.jsonl", "claims.tsv", "--output", "json", "--evidence", "2"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_two_processes_print_what_one_does(capsys, corpora, monkeypatch, name):
    one = told(capsys, corpora, monkeypatch, [*COMMANDS[name], "--jobs", "1"])
    assert told(capsys, corpora, monkeypatch, [*COMMANDS[name], "--jobs", "2"]) == one
    assert len(one[1].splitlines()) > 5
    assert any("torn" in row or "bad JSON" in row for row in one[2])


@pytest.mark.filterwarnings("ignore")  # of a foreign library that is not under test here
@pytest.mark.parametrize("name", ["score", "audit"])
def test_a_cluster_prints_what_one_process_does(capsys, corpora, monkeypatch, name):
    pytest.importorskip("distributed", reason="needs the extra temporacle[cluster]")
    one = told(capsys, corpora, monkeypatch, [*COMMANDS[name], "--jobs", "1"])
    assert told(capsys, corpora, monkeypatch, [*COMMANDS[name], "--backend", "dask", "--jobs", "2"]) == one


def test_official_digits_are_the_same_on_two_processes(capsys, corpora, monkeypatch):
    arguments = ["score", "gold.jsonl", "two.jsonl", "--official", "--explain-difference"]
    one = told(capsys, corpora, monkeypatch, [*arguments, "--jobs", "1"])
    assert told(capsys, corpora, monkeypatch, [*arguments, "--jobs", "2"]) == one
    assert "Temporal Awareness Score" in one[1] or one[0] == 3


@pytest.mark.parametrize("paths", [["gold.jsonl"], ["gold.jsonl", "one.jsonl", "two.jsonl"]])
def test_reports_are_the_same_on_two_processes(capsys, corpora, monkeypatch, tmp_path, paths):
    pages = []
    for jobs in ("1", "2"):
        target = tmp_path / jobs / "page.html"
        target.parent.mkdir()
        code, _, errors = told(capsys, corpora, monkeypatch, ["report", *paths, "--jobs", jobs, "-o", str(target)])
        assert (code, errors) == (3, errors[:1]), errors  # a line is torn
        pages.append({path.name: path.read_text() for path in sorted(target.parent.rglob("*.html"))})
    assert pages[0] == pages[1]
    assert "d17" in "".join(pages[0].values())


# --- what is streamed is what a look at everything finds --------------------------------------------------------------

REQUESTS = [
    Request(),
    Request(metric="reduction", average=Average.MACRO, empty=1),
    Request(metric="closure", align=Align.SPANS, options=ScoringOptions(relaxed=True, details=True)),
]


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda request: request.metric)
@pytest.mark.parametrize("system", ["one", "two"])
def test_scores_are_those_of_everything_at_once(corpora, request_, system):
    gold_path, system_path = (str(corpora / f"{side}.jsonl") for side in ("gold", system))
    expected = score_pairs(pair_up(list(read_corpus(gold_path)), list(read_corpus(system_path))), request_)
    with Place(Plan(jobs=1)) as place:
        found = stream(gold_path, system_path, DeadlyTask(request_, request_.signature()), place)
        scores = list(found.scores(None, "1"))
    assert [document_json(score) for score in scores] == [document_json(score) for score in expected.documents]
    count = len(scores)
    assert total_json(found.total(), count, details=True) == total_json(expected, count, details=True)


def stream(gold, system, task, place):
    return Stream(Corpus(str(gold), Options()), Corpus(str(system), Options()), task, place, folders=False)


def test_a_deadly_pair_is_skipped_with_its_reason(tmp_path, capsys):
    names = [f"d{number}" for number in range(25)]
    names[7:7] = ["exits"]
    names[12:12] = ["raises"]
    for side in ("gold", "system"):
        (tmp_path / side).write_text("".join(map(line, names)))
    request = Request()
    with Place(Plan(jobs=2)) as place:
        found = stream(tmp_path / "gold", tmp_path / "system", DeadlyTask(request, request.signature()), place)
        scored = [score.document for score in found.scores(None, "1")]
    assert scored == [name for name in names if name.startswith("d")]
    assert {each.document: each.reason for each in found.total().skipped} == {
        "exits": "the process that worked on it died",
        "raises": "internal error: RuntimeError: nobody thought of this",
    }
    assert found.trouble
    assert "skipped exits: the process that worked on it died" in capsys.readouterr().err


@pytest.mark.filterwarnings("ignore")
def test_a_cluster_that_loses_a_worker_loses_no_score(tmp_path):
    pytest.importorskip("distributed", reason="needs the extra temporacle[cluster]")
    names = [f"d{number}" for number in range(150)]
    for side, links in (("gold", 4), ("system", 3)):
        (tmp_path / side).write_text("".join(line(name, links) for name in names))
    request = Request()
    task = SlowTask(request, request.signature())
    folder = tmp_path / "cluster"
    folder.mkdir()
    cluster = Cluster(folder)
    scored = []
    try:
        with Place(Plan(backend=Backend.DASK, scheduler=cluster.address)) as place:
            found = stream(tmp_path / "gold", tmp_path / "system", task, place)
            for score in found.scores(None, "1"):
                scored.append(score.document)
                if len(scored) == 20:
                    cluster.workers[0].send_signal(signal.SIGKILL)
        assert cluster.workers[0].wait() == -signal.SIGKILL
    finally:
        cluster.stop()
    assert scored == names
    assert dict(found.total().counts.items())["gold_total"] == 4 * len(names)


# --- killed and resumed -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", COMMANDS)
def test_a_journal_cut_anywhere_is_completed(capsys, corpora, monkeypatch, tmp_path, name):
    undisturbed = told(capsys, corpora, monkeypatch, [*COMMANDS[name], "--jobs", "1"])
    whole, cut = tmp_path / "whole.jsonl", tmp_path / "cut.jsonl"
    assert told(capsys, corpora, monkeypatch, [*COMMANDS[name], "--jobs", "1", "--resume", str(whole)]) == undisturbed
    data = whole.read_bytes()
    assert len(data.splitlines()) >= DOCUMENTS
    for moment in random.Random(name).sample(range(len(data)), 5):
        cut.write_bytes(data[:moment])
        again = told(capsys, corpora, monkeypatch, [*COMMANDS[name], "--jobs", "1", "--resume", str(cut)])
        assert again == undisturbed
        assert cut.read_bytes() == data


def test_the_report_of_a_corpus_resumes(capsys, corpora, monkeypatch, tmp_path):
    journal = tmp_path / "journal.jsonl"
    pages = []
    for resume in ([], ["--resume", str(journal)], ["--resume", str(journal)]):
        target = tmp_path / "page.html"
        told(capsys, corpora, monkeypatch, ["report", "gold.jsonl", "-o", str(target), *resume])
        pages.append(target.read_text())
        if journal.exists():
            journal.write_bytes(journal.read_bytes()[:20_000])
    assert pages[0] == pages[1] == pages[2]


def test_what_cannot_resume_says_so(capsys, corpora, monkeypatch):
    official = told(capsys, corpora, monkeypatch, [*COMMANDS["score"], "--official", "--resume", "journal"])
    comparison = told(capsys, corpora, monkeypatch, ["report", "gold.jsonl", "one.jsonl", "--resume", "journal"])
    live = told(capsys, corpora, monkeypatch, ["audit", "--command", "cat", "--resume", "journal"])
    for code, _, errors in (official, comparison, live):
        assert code == 2
        assert "--resume" in "".join(errors)
    assert not (corpora / "journal").exists()


MANY = 1200


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    folder = tmp_path_factory.mktemp("large")
    for side, links in (("gold", 30), ("system", 20), ("source", 6)):
        (folder / f"{side}.jsonl").write_text("".join(line(f"d{number}", links) for number in range(MANY)))
    claims = "".join(f"d{number}\te0\tBEFORE\te1\n" for number in range(MANY))
    (folder / "claims.tsv").write_text(claims)
    return folder


@pytest.mark.parametrize(
    "arguments", [["score", "gold.jsonl", "system.jsonl"], ["audit", "source.jsonl", "claims.tsv", "--evidence", "1"]]
)
def test_sigkill_and_resume(large, tmp_path, arguments):
    journal, output = tmp_path / "journal.jsonl", tmp_path / "printed"
    arguments = [*arguments, "--jobs", "2", "--output", "json"]
    orphans = []
    for lines in (1, 300):
        process = start([*arguments, "--resume", journal], output, cwd=large)
        wait_for_size(journal, journal.stat().st_size + 300 * lines if journal.exists() else 0, process)
        orphans += children_of(process)
        process.kill()
        process.wait()
    assert 0 < len(journal.read_bytes().splitlines()) < MANY
    resumed = start([*arguments, "--resume", journal], output, cwd=large).wait()
    undisturbed = start(arguments, tmp_path / "undisturbed", cwd=large).wait()
    assert resumed == undisturbed
    assert output.read_text() == (tmp_path / "undisturbed").read_text()
    names = [json.loads(entry)["document"] for entry in journal.read_text().splitlines()]
    assert names == [f"d{number}" for number in range(MANY)]
    assert all_end(orphans)


def test_an_interrupt_stops_scoring_and_keeps_what_is_done(large, tmp_path):
    journal, output = tmp_path / "journal.jsonl", tmp_path / "printed"
    arguments = ["score", "gold.jsonl", "system.jsonl", "--jobs", "2", "--resume", journal]
    process = start(arguments, output, cwd=large, start_new_session=True)
    wait_for_size(journal, 1, process)
    workers = children_of(process)
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(timeout=60) == 130
    errors = output.with_suffix(".err").read_text()
    assert f"interrupted; the same command goes on from {journal}" in errors
    assert "Traceback" not in errors
    assert "TOTAL" not in output.read_text()
    assert all_end(workers)
    assert journal.read_text().endswith("\n")


# --- memory -----------------------------------------------------------------------------------------------------------

MEASURED = """
import resource, sys
from temporacle.cli import run

if __name__ == "__main__":
    code = run(["score", *sys.argv[1:], "--jobs", "2", "--output", "json"])
    sys.stdout.flush()
    print(code, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024, file=sys.stderr)
"""


@pytest.mark.slow
def test_a_hundred_thousand_pairs_are_streamed(tmp_path):
    program = tmp_path / "measured.py"
    program.write_text(MEASURED)

    def peak(pairs):
        paths = [tmp_path / f"{side}.jsonl" for side in ("gold", "system")]
        for path in paths:
            with path.open("w") as file:
                for number in range(pairs):
                    filler = {"source": "a", "relation": "b", "target": "b", "label": "x" * 300}
                    file.write(json.dumps({"document": f"d{number}", "links": [filler]}) + "\n")
        command = [sys.executable, str(program), *map(str, paths)]
        done = subprocess.run(command, capture_output=True, text=True, env=environment(), check=True)
        *_, last = done.stdout.splitlines()
        assert json.loads(last)["documents"] == pairs
        code, memory = map(int, done.stderr.split())
        assert code == 0
        return memory, sum(path.stat().st_size for path in paths)

    before, _ = peak(1_000)
    after, size = peak(100_000)
    assert size > 70 << 20
    # The names of documents are kept, some hundred bytes each for the two sides together, and nothing else.
    assert after - before < 45 << 20
