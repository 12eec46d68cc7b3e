"""The file of a journal: who may use it, and what is said when it cannot be used."""

import io
import pickle
import sqlite3
from contextlib import closing
from pathlib import Path
from threading import Thread

import pytest

from temporacle.errors import UsageError
from temporacle.runner import journal
from temporacle.runner.journal import Journal


def test_any_thread_may_ask(tmp_path):
    found = []
    with closing(Journal(str(tmp_path / "journal"), "run")) as file:
        file.add([("a", "1", ["an answer"])])
        asking = Thread(target=lambda: found.append(file.find("a", "1")))
        asking.start()
        asking.join()
    assert found == [["an answer"]]


def test_the_file_says_what_it_is(tmp_path):
    Journal(str(tmp_path / "journal"), "run").close()
    assert (tmp_path / "journal").read_bytes()[68:72] == b"TPJ1"  # the place of SQLite for the name of an application


def test_a_journal_that_was_refused_is_free_again(tmp_path):
    path = str(tmp_path / "journal")
    Journal(path, "run").close()
    with pytest.raises(UsageError, match="other options") as refused:
        Journal(path, "another run")
    Journal(path, "run").close()
    assert path in str(refused.value)


def test_a_full_disk_is_not_taken_for_another_run(tmp_path):
    with closing(Journal(str(tmp_path / "journal"), "run")) as file:
        file._file.execute("PRAGMA max_page_count = 4")
        with pytest.raises(UsageError, match=r"cannot write the checkpoint .* full"):
            file.add([("a", "1", ["x" * 100_000])])


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="this system has no such file")
def test_a_file_that_cannot_be_read_is_refused():
    with pytest.raises(UsageError, match="cannot open the checkpoint /proc/self/mem: "):
        Journal("/proc/self/mem", "run")


def stored(path, key, value):
    """Put a value into a journal by hand."""
    with closing(sqlite3.connect(path)) as file:
        file.execute("INSERT INTO items VALUES (?, ?, ?)", (key, "d", pickle.dumps(value)))
        file.commit()


@pytest.mark.parametrize("value", ["text", {"a": 1}, None, ("x",)])
def test_results_are_a_list(tmp_path, value):
    path = str(tmp_path / "journal")
    Journal(path, "run").close()
    stored(path, b"k", value)
    with closing(Journal(path, "run")) as file:
        assert file.find("k", "d") is None


@pytest.mark.parametrize(
    ("module", "name", "is_known"),
    [
        ("temporacle.results", "DocumentVerdict", True),
        ("temporacle.relation", "Relation", True),
        ("temporacle.model", "Link", True),
        ("temporacle.checks", "Check", True),
        ("temporacle.readings", "load_reading", False),  # opens files
        ("temporacle.results", "dataclass", False),  # a function
        ("temporacle.results", "nothing", False),
        ("temporacle.tasks.check", "Path", False),
        ("temporacle.tasks.binding", "CertifiedFiles", False),  # a class that is more than a value
        ("temporacle", "check", False),
        ("temporacle.io.source", "Options", False),  # makes a reading of a file
        ("tempor.results", "Repair", False),
        ("builtins", "frozenset", True),
        ("builtins", "list", False),
    ],
)
def test_only_values_are_looked_up(module, name, is_known):
    reader = journal._ValuesOnly(io.BytesIO())
    if is_known:
        assert reader.find_class(module, name).__name__ == name
    else:
        with pytest.raises(pickle.UnpicklingError, match=f"it asks for {module}.{name}"):
            reader.find_class(module, name)
