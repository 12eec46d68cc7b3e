"""The frozen answers: the smallest run agrees with them, and a change is reported."""

import gzip
import json
import os
import subprocess
import sys

import pytest

from bench.frozen import FILE, ROOT, differences, short, store, stored

RUN = "tiny-0.jsonl check"


def compared(*arguments, **environment):
    command = [
        sys.executable,
        "-m",
        "bench.frozen",
        "--part",
        "seeds",
        "--run",
        RUN,
        "--jobs",
        "1",
        *map(str, arguments),
    ]
    return subprocess.run(
        command, cwd=ROOT, env=os.environ | environment, capture_output=True, text=True, check=False, timeout=300
    )


@pytest.mark.slow
def test_the_answers_are_the_frozen_ones_whatever_the_hash_seed():
    for seed in ("1", "2"):
        result = compared(PYTHONHASHSEED=seed)
        assert (result.returncode, result.stderr) == (0, ""), result.stdout
        assert "no difference" in result.stdout


@pytest.mark.slow
@pytest.mark.parametrize("field", ["verdict", "by"])
def test_an_altered_line_is_listed_with_both_values(tmp_path, field):
    file = tmp_path / "altered.jsonl.gz"
    frozen = stored(FILE)
    key, row = next((key, row) for key, row in frozen[f"seeds/{RUN}"].items() if field in row)
    now, row[field] = row[field], "other"
    store(file, frozen)
    result = compared("--file", file)
    assert result.returncode == 1
    assert f'{key}: {field}: "other" -> "{now}"' in result.stdout
    assert f"1 differences ({field} 1)" in result.stdout


def test_lines_that_come_and_go_are_differences():
    old, new = {"a": {"verdict": "x"}, "b": {}}, {"a": {"verdict": "y"}, "c": {}}
    assert [each[:2] for each in differences(old, new)] == [("a", "verdict"), ("b", "-"), ("c", "+")]
    assert not list(differences(old, old))


def test_storing_and_reading_changes_nothing_and_bytes_are_the_same_each_time(tmp_path):
    frozen = {"seeds/x": {"seeds/x d": {"verdict": "consistent", "f1": 0.1}}}
    store(tmp_path / "1.gz", frozen)
    store(tmp_path / "2.gz", frozen)
    assert stored(tmp_path / "1.gz") == frozen
    assert (tmp_path / "1.gz").read_bytes() == (tmp_path / "2.gz").read_bytes()


def test_texts_are_kept_as_digests_only():
    assert short("They sailed at noon.") == short("They sailed at noon.") != "They sailed at noon."
    assert short(["l1", "l23"]) == ["l1", "l23"]
    assert short([f"l{number}" for number in range(9)]).startswith("9:")
    with gzip.open(FILE, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            values = [value for name, value in row.items() if name not in {"run", "key"}]
            assert not any(isinstance(value, str) and " " in value for value in values), row
