"""Every command that writes files, disturbed at every call about files: killed, or the disk full, failing, read-only.

Whatever happens, each file is the one from before or the complete new one, and the next run ends as if nothing had
happened. After a kill, hidden temporary files may be left.
"""

import os
import shutil
from pathlib import Path

import pytest
from file_faults import HIT, KINDS, faults

from temporacle.cli import run
from temporacle.io.files import is_temporary

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "corpus"
WRITERS = {
    "in place": ("check", "docs", "--in-place", "--repair", "--jobs", "1"),
    "repaired": ("check", "docs", "--write", "out", "--jobs", "1"),
    "annotated": ("check", "docs", "--annotate", "out", "--jobs", "1"),
    "certificates": ("check", "docs", "--certificates", "out", "--jobs", "1"),
    "closure": ("closure", "docs/ferry.tml", "--certificate", "closure.json"),
    "converted": ("convert", "docs/ferry.tml", "-o", "ferry.jsonl"),
    "report": ("report", "docs", "-o", "report.html"),
    "fixed in place": ("fix", "docs", "--in-place"),
    "edited": ("apply", "docs/ferry.tml", "--drop", "l1", "-o", "edited.tml"),
    "edited in place": ("apply", "docs/ferry.tml", "--drop", "l1", "--in-place"),
    "baseline": ("check", "docs/council.tml", "--write-baseline", "known.json", "--jobs", "1"),
    "rows": ("closure", "docs/ferry.tml", "--output", "csv", "-o", "closure.csv", "--jobs", "1"),
    "audit": ("audit", "docs/ferry.tml", "docs/council.tml", "-o", "audit.html", "--jobs", "1"),
    "findings": ("audit", "docs/ferry.tml", "docs/council.tml", "--certificates", "out", "--jobs", "1"),
    "project file": ("init",),
}


def content(folder):
    """Return what visible files hold, and the names of temporary ones."""
    files = [each for each in folder.rglob("*") if each.is_file()]
    visible = {str(each.relative_to(folder)): each.read_bytes() for each in files if not is_temporary(each.name)}
    return visible, [each.name for each in files if is_temporary(each.name)]


def check(tmp_path, monkeypatch, arguments, kinds, step):
    def prepared(name):
        folder = tmp_path / name
        (folder / "docs").mkdir(parents=True)
        for each in ("council.tml", "ferry.tml"):
            shutil.copy(EXAMPLES / each, folder / "docs")
        return folder

    def work():
        run(list(arguments))

    before = content(prepared("before"))[0]
    monkeypatch.chdir(prepared("undisturbed"))
    work()
    after = content(tmp_path / "undisturbed")[0]
    assert after != before
    monkeypatch.chdir(prepared("counted"))
    met = 0
    for number, fault in enumerate(faults(work, kinds, step)):
        folder = prepared(f"try{number}")
        monkeypatch.chdir(folder)
        met += fault.run(work)
        found, left = content(folder)
        for name, data in found.items():
            assert data in (before.get(name), after.get(name)), (fault, name)
        assert fault.kind == "kill" or not left or HIT == ["unlink"], (fault, left)
        work()
        assert content(folder)[0] == after, fault
    assert met >= len(kinds)
    return met


@pytest.mark.parametrize("name", ["in place", "certificates"])
def test_a_writer_that_is_disturbed_somewhere(tmp_path, monkeypatch, record_property, name):
    tries = check(tmp_path, monkeypatch, WRITERS[name], ("kill", "ENOSPC"), 7)
    record_property("tries", tries)


# What they write says which files could not be read, so a fault while reading changes it.
TELL_OF_FAULTS = {"baseline", "rows", "project file"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "kind"),
    [(name, kind) for name in WRITERS for kind in KINDS if kind == "kill" or name not in TELL_OF_FAULTS],
)
def test_every_writer_that_is_disturbed_anywhere(tmp_path, monkeypatch, record_property, name, kind):
    tries = check(tmp_path, monkeypatch, WRITERS[name], (kind,), 1)
    record_property("tries", tries)
