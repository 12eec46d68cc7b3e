"""``score``, ``audit`` and ``report`` over many documents: the same output anywhere, after a kill, with bad ones."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest
from questions import DeadlyScoreJob, SlowScoreJob
from runs import Cluster, all_end, children_of, environment, line, start, wait_for_size
from shares import few

from temporacle.cli import run
from temporacle.corpus.read import read_corpus
from temporacle.model import Document
from temporacle.runner import Backend, Plan
from temporacle.scoring.metric import metric_named
from temporacle.tasks import score as score_task
from temporacle.tasks.score import GoldStandard, ScoreRun, score
from temporacle.tasks.score_request import Scoring, request_for

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
    "compare": ["score", "gold.jsonl", "one.jsonl", "--compare", "two.jsonl", "--resamples", "9", "--output", "json"],
    "agreement": ["score", "gold.jsonl", "one.jsonl", "--agreement", "--output", "json"],
    "audit": ["audit", "gold.jsonl", "claims.tsv", "--output", "json", "--evidence", "2"],
}


@pytest.mark.parametrize("name", few(COMMANDS, 2))
def test_two_processes_print_what_one_does(capsys, corpora, monkeypatch, name):
    one = told(capsys, corpora, monkeypatch, [*COMMANDS[name], "--jobs", "1"])
    assert told(capsys, corpora, monkeypatch, [*COMMANDS[name], "--jobs", "2"]) == one
    assert len(one[1].splitlines()) > 5
    assert any("torn" in row or "bad JSON" in row for row in one[2])


@pytest.mark.filterwarnings("ignore")  # of a foreign library that is not under test here
@pytest.mark.parametrize("name", few(["score", "audit"]))
def test_a_cluster_prints_what_one_process_does(capsys, corpora, monkeypatch, name):
    pytest.importorskip("distributed", reason="needs the extra temporacle[cluster]")
    one = told(capsys, corpora, monkeypatch, [*COMMANDS[name], "--jobs", "1"])
    assert told(capsys, corpora, monkeypatch, [*COMMANDS[name], "--backend", "dask", "--jobs", "2"]) == one


def test_official_digits_are_the_same_on_two_processes(capsys, corpora, monkeypatch):
    arguments = ["score", "gold.jsonl", "two.jsonl", "--official", "--explain-difference"]
    one = told(capsys, corpora, monkeypatch, [*arguments, "--jobs", "1"])
    assert told(capsys, corpora, monkeypatch, [*arguments, "--jobs", "2"]) == one
    assert "Temporal Awareness Score" in one[1] or one[0] == 3


@pytest.mark.parametrize("paths", few([["gold.jsonl"], ["gold.jsonl", "one.jsonl", "two.jsonl"]]))
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


# --- scores wherever they are worked out ------------------------------------------------------------------------------

REQUESTS = [
    {},
    {"metric": "reduction", "average": "macro", "empty": 1},
    {"metric": "closure", "align": "spans", "relaxed": True, "details": True},
]


@pytest.mark.parametrize("options", REQUESTS, ids=lambda options: options.get("metric", "awareness"))
@pytest.mark.parametrize("system", ["one", "two"])
def test_scores_of_files_are_those_of_their_documents(corpora, options, system):
    """Read where they are scored, or read before: the same. And each pair by itself is what the metric judges."""
    paths = [str(corpora / f"{side}.jsonl") for side in ("gold", system)]
    found = score(*paths, jobs=1, **options)
    read = [[each for each in read_corpus(path) if isinstance(each, Document)] for path in paths]
    expected = score(*read, jobs=1, **options)
    assert found.counts == expected.counts
    assert [each.to_dict() for each in found.documents] == [each.to_dict() for each in expected.documents]
    if not options:
        metric = metric_named("awareness")
        answers = {each.id: each for each in read[1]}
        for gold, own in zip(read[0], found.documents, strict=True):
            judged = metric.judge(gold, answers.get(gold.id, Document(gold.id)), metric.options())
            assert (own.document, own.counts) == (gold.id, judged.counts)


def run_of(gold, system, plan, options=None):
    request = request_for(["awareness"], options or {})
    return ScoreRun(GoldStandard(str(gold), Scoring(request)), str(system), plan)


def test_a_deadly_pair_is_skipped_with_its_reason(tmp_path, monkeypatch):
    names = [f"d{number}" for number in range(25)]
    names[7:7] = ["exits"]
    names[12:12] = ["raises"]
    for side in ("gold", "system"):
        (tmp_path / side).write_text("".join(map(line, names)))
    monkeypatch.setattr(score_task, "ScoreJob", DeadlyScoreJob)
    run = run_of(tmp_path / "gold", tmp_path / "system", Plan(jobs=2))
    scored = [each.document for (each,) in run.documents()]
    assert scored == [name for name in names if name.startswith("d")]
    (total,) = run.totals()
    assert {each.document: each.reason for each in total.skipped} == {
        "exits": "the process that worked on it died",
        "raises": "internal error: RuntimeError: nobody thought of this",
    }
    assert run.gold.trouble


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_cluster_that_loses_a_worker_loses_no_score(tmp_path, monkeypatch):
    pytest.importorskip("distributed", reason="needs the extra temporacle[cluster]")
    names = [f"d{number}" for number in range(150)]
    for side, links in (("gold", 4), ("system", 3)):
        (tmp_path / side).write_text("".join(line(name, links) for name in names))
    monkeypatch.setattr(score_task, "ScoreJob", SlowScoreJob)
    folder = tmp_path / "cluster"
    folder.mkdir()
    cluster = Cluster(folder)
    scored = []
    try:
        plan = Plan(backend=Backend.DASK, scheduler=cluster.address)
        run = run_of(tmp_path / "gold", tmp_path / "system", plan)
        for (each,) in run.documents():
            scored.append(each.document)
            if len(scored) == 20:
                cluster.workers[0].send_signal(signal.SIGKILL)
        assert cluster.workers[0].wait() == -signal.SIGKILL
    finally:
        cluster.stop()
    assert scored == names
    (total,) = run.totals()
    assert total.counts.gold_total == 4 * len(names)


# --- killed and resumed -----------------------------------------------------------------------------------------------


def forget_some(path, seed):
    """Take random entries out of a journal, as if the run had ended before them; returns how many are left."""
    with closing(sqlite3.connect(path)) as file, file:
        keys = [row[0] for row in file.execute("SELECT key FROM items ORDER BY key")]
        for key in random.Random(seed).sample(keys, len(keys) // 2):
            file.execute("DELETE FROM items WHERE key = ?", (key,))
        return len(keys) - len(keys) // 2


@pytest.mark.parametrize("name", few(COMMANDS, 2))
def test_a_journal_with_gaps_is_completed(capsys, corpora, monkeypatch, tmp_path, name):
    undisturbed = told(capsys, corpora, monkeypatch, [*COMMANDS[name], "--jobs", "1"])
    journal = tmp_path / "journal"
    arguments = [*COMMANDS[name], "--jobs", "1", "--resume", str(journal)]
    assert told(capsys, corpora, monkeypatch, arguments) == undisturbed
    for seed in range(3):
        assert forget_some(journal, seed) >= DOCUMENTS // 2 - 1
        assert told(capsys, corpora, monkeypatch, arguments) == undisturbed


def test_the_report_of_a_corpus_resumes(capsys, corpora, monkeypatch, tmp_path):
    journal = tmp_path / "journal"
    pages = []
    for resume in ([], ["--resume", str(journal)], ["--resume", str(journal)]):
        target = tmp_path / "page.html"
        told(capsys, corpora, monkeypatch, ["report", "gold.jsonl", "-o", str(target), *resume])
        pages.append(target.read_text())
    assert pages[0] == pages[1] == pages[2]


def test_a_changed_side_is_scored_again_and_reported(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for side in ("gold", "system"):
        (tmp_path / f"{side}.jsonl").write_text(line("one") + line("two"))
    arguments = ["score", "gold.jsonl", "system.jsonl", "--output", "json", "--resume", "journal"]
    assert run(arguments) == 0
    before = capsys.readouterr().out.splitlines()
    (tmp_path / "system.jsonl").write_text(line("one") + line("two", relation="bi"))
    assert run(arguments) == 0
    after = capsys.readouterr()
    rows = after.out.splitlines()
    assert rows[0] == before[0]
    assert json.loads(rows[1])["f1"] == 0
    assert "two has changed" in after.err
    assert "one has changed" not in after.err
    for more in (["--average", "macro"], ["--keep-unknown"], ["--contradictions", "repair"]):
        assert run([*arguments, *more]) == 2
        assert "choose another file" in capsys.readouterr().err


def test_what_cannot_resume_says_so(capsys, corpora, monkeypatch):
    official = told(capsys, corpora, monkeypatch, [*COMMANDS["score"], "--official", "--resume", "journal"])
    comparison = told(capsys, corpora, monkeypatch, ["report", "gold.jsonl", "one.jsonl", "--resume", "journal"])
    live = told(capsys, corpora, monkeypatch, ["audit", "--command", "cat", "--resume", "journal"])
    for code, _, errors in (official, comparison, live):
        assert code == 2
        assert "--resume" in "".join(errors)
    assert not (corpora / "journal").exists()


MANY = 1200


def entries(journal):
    with closing(sqlite3.connect(journal)) as file:
        return file.execute("SELECT count(*) FROM items").fetchone()[0]


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    folder = tmp_path_factory.mktemp("large")
    for side, links in (("gold", 30), ("system", 20), ("source", 6)):
        (folder / f"{side}.jsonl").write_text("".join(line(f"d{number}", links) for number in range(MANY)))
    claims = "".join(f"d{number}\te0\tBEFORE\te1\n" for number in range(MANY))
    (folder / "claims.tsv").write_text(claims)
    return folder


@pytest.mark.slow
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
    assert 0 < entries(journal) < MANY
    resumed = start([*arguments, "--resume", journal], output, cwd=large).wait()
    undisturbed = start(arguments, tmp_path / "undisturbed", cwd=large).wait()
    assert resumed == undisturbed
    assert output.read_text() == (tmp_path / "undisturbed").read_text()
    assert entries(journal) == MANY
    assert all_end(orphans)


@pytest.mark.slow
def test_an_interrupt_stops_scoring_and_keeps_what_is_done(large, tmp_path):
    journal, output = tmp_path / "journal.jsonl", tmp_path / "printed"
    arguments = ["score", "gold.jsonl", "system.jsonl", "--jobs", "2", "--resume", journal]
    process = start(arguments, output, cwd=large, start_new_session=True)
    wait_for_size(journal, 30_000, process)  # more than an empty journal takes
    workers = children_of(process)
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(timeout=60) == 130
    errors = output.with_suffix(".err").read_text()
    assert f"interrupted; run the same command again to continue from {journal}" in errors
    assert "Traceback" not in errors
    assert "TOTAL" not in output.read_text()
    assert all_end(workers)
    assert entries(journal) > 0


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
def test_a_hundred_thousand_pairs_fit_into_memory(tmp_path):
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
    # Lines of JSON wait as they are until their pair is scored: some five times their size, and no more.
    assert after - before < 5 * size
