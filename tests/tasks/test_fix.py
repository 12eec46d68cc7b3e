"""Automatic changes of files: the fewest bytes, nothing where nothing is wrong, and a dry run that writes nothing."""

import random

import pytest

import temporacle as tp
from temporacle.cli import run
from temporacle.editing.write_back import FilesBack
from temporacle.errors import UsageError

CYCLE = "# kept\na\tBEFORE\tb\nb\tBEFORE\tc\nc\tBEFORE\ta\n"
GOOD = "a\tBEFORE\tb\n"


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gold").mkdir()
    (tmp_path / "gold" / "bad.tsv").write_text(CYCLE)
    (tmp_path / "gold" / "good.tsv").write_text(GOOD)
    return tmp_path


def test_links_of_the_repair_are_removed_and_nothing_else(files):
    found = tp.fix("gold", out="fixed")
    assert [link.id for link in found[0].removed] == [link.id for link in tp.check("gold/bad.tsv")[0].to_drop]
    assert sorted(path.name for path in (files / "fixed").iterdir()) == ["bad.tsv"]  # no file without changes
    assert set(CYCLE.splitlines()) - set((files / "fixed" / "bad.tsv").read_text().splitlines()) == {"a\tBEFORE\tb"}
    assert tp.check("fixed")[0].verdict.value == "consistent"
    assert (files / "gold" / "bad.tsv").read_text() == CYCLE


def test_in_place_never_touches_a_file_without_changes(files):
    before = (files / "gold" / "good.tsv").stat()
    tp.fix("gold", in_place=True)
    after = (files / "gold" / "good.tsv").stat()
    assert (before.st_mtime_ns, before.st_ino) == (after.st_mtime_ns, after.st_ino)
    assert {each.verdict.value for each in tp.check("gold")} == {"consistent"}
    assert not any(each.is_changed for each in tp.fix("gold", dry_run=True))


def test_a_dry_run_prints_the_difference_and_writes_nothing(files, capsys):
    assert run(["fix", "gold", "--dry-run"]) == 1
    out = capsys.readouterr().out
    assert "--- gold/bad.tsv\n+++ gold/bad.tsv\n" in out
    assert "\n-a\tBEFORE\tb\n" in out
    assert "good.tsv" not in out
    assert (files / "gold" / "bad.tsv").read_text() == CYCLE
    assert tp.fix("gold", dry_run=True).diff in out
    assert run(["fix", "gold/good.tsv", "--dry-run"]) == 0


def test_a_file_that_someone_else_changed_is_left_alone_and_nothing_is_claimed(files, monkeypatch, capsys):
    finish = FilesBack.finish

    def late(back):
        path = files / "gold" / "bad.tsv"
        if path.read_text() == CYCLE:
            path.write_text(CYCLE + GOOD)
        finish(back)

    monkeypatch.setattr(FilesBack, "finish", late)
    assert run(["fix", "gold", "--in-place"]) == 1
    said = capsys.readouterr()
    assert "removed" not in said.out
    assert "2 documents: 0 changed, 1 inconsistent and not changed" in said.out
    assert "changed while it was being checked" in said.err
    assert (files / "gold" / "bad.tsv").read_text() == CYCLE + GOOD


def test_one_file_can_have_a_name_of_its_own(files):
    assert run(["fix", "gold/bad.tsv", "-o", "mine.tsv"]) == 0
    assert tp.check("mine.tsv")[0].verdict.value == "consistent"


def test_comments_instead_of_changes(files):
    (found,) = tp.fix("gold/bad.tsv", annotate=True, out="noted")
    assert len(found.commented) == 3
    assert not found.removed
    assert (files / "noted" / "bad.tsv.notes.csv").exists()


def test_what_is_protected_stays(files):
    (found,) = tp.fix("gold/bad.tsv", protect=["BEFORE"], dry_run=True)
    assert found.is_left
    assert "protected" in found.reason


@pytest.mark.parametrize(
    "wrong",
    [{}, {"out": "x", "in_place": True}, {"relabel": True, "annotate": True, "dry_run": True}, {"dry_rn": True}],
)
def test_wrong_options_are_refused(files, wrong):
    with pytest.raises(UsageError):
        tp.fix("gold", **wrong)
    with pytest.raises(UsageError, match="holds the files"):
        tp.fix("gold", out="gold")


def test_new_labels_fit_together(files):
    """Each new label is one that fits alone; all of them together must be consistent as well."""
    (files / "mine.toml").write_text('name = "mine"\n[labels]\nBEFORE = "b"\nAFTER = "bi"\nEQUAL = "="\n')
    chosen = random.Random(7)
    names = "abcdef"
    relabelled = 0
    for number in range(60):
        pairs = [tuple(chosen.sample(names, 2)) for _ in range(chosen.randint(4, 12))]
        rows = [f"{x}\t{chosen.choice(['BEFORE', 'AFTER', 'EQUAL'])}\t{y}\n" for x, y in pairs]
        (files / "r.tsv").write_text("".join(rows))
        (found,) = tp.fix("r.tsv", relabel=True, out=f"fixed{number}.tsv", labels="mine.toml")
        relabelled += len(found.relabelled)
        if found.is_changed:
            (again,) = tp.check(f"fixed{number}.tsv", labels="mine.toml")
            assert again.verdict.value == "consistent"
            assert again.links == len(rows) - len(found.removed)
    assert relabelled


def test_old_spellings_of_check_work(files, capsys):
    assert run(["check", "gold", "--write", "old"]) == 1
    assert "check --write is now fix -o" in capsys.readouterr().err
    tp.fix("gold", out="new")
    assert (files / "old" / "bad.tsv").read_bytes() == (files / "new" / "bad.tsv").read_bytes()
    assert run(["check", "gold", "--repair", "--in-place", "-q"]) == 1
    assert "is now" not in capsys.readouterr().err
    assert (files / "gold" / "bad.tsv").read_bytes() == (files / "new" / "bad.tsv").read_bytes()
