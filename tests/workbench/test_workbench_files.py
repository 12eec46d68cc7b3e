"""Files of a corpus in the workbench: what it opens, and what is left when it is killed or the disk fails."""

import os
import shutil

import pytest
from file_faults import KINDS, Fault, faults
from workbench_runs import EXAMPLES

from temporacle.editing import saving
from temporacle.errors import InputError, TemporacleError, UsageError
from temporacle.io import files
from temporacle.io.source import Options
from temporacle.workbench.bench import Setup
from temporacle.workbench.document import Changes, asked_here
from temporacle.workbench.editing import CorpusWorkbench

EDIT = Changes(relabel={"l6": "AFTER"}, comment={"l6": "the minutes say so"})


@pytest.fixture
def folder(tmp_path):
    shutil.copytree(EXAMPLES, tmp_path / "docs")
    return tmp_path / "docs"


class Opened:
    """A workbench without its server. It is left as a killed one leaves it if ``stop`` is not called."""

    def __init__(self, *paths, **setup):
        self.bench = CorpusWorkbench(Setup(tuple(map(str, paths)), Options(), **setup))
        self.bench.helpers.ask = asked_here  # faults are for files, not for the pipes of processes

    def __enter__(self):
        return self.bench

    def __exit__(self, *_):
        self.bench._close_journals()


def edited(bench, changes=EDIT, name="council"):
    with bench.document(name) as document:
        document.edit(changes)


def unsaved(bench, name="council"):
    with bench.document(name) as document:
        return document.unsaved


# --- what is opened --------------------------------------------------------------------------------------------------


def becomes_pipe(path, _outside):
    os.mkfifo(path)


def becomes_link_to_pipe(path, outside):
    os.mkfifo(outside / "pipe")
    path.symlink_to(outside / "pipe")


def becomes_device(path, _outside):
    path.symlink_to("/dev/zero")


def becomes_terminal(path, _outside):
    path.symlink_to("/dev/tty")


def becomes_link_outside(path, outside):
    shutil.copy(EXAMPLES / "ferry.tml", outside / "secret.tml")
    path.symlink_to(outside / "secret.tml")


BECOMES = [becomes_pipe, becomes_link_to_pipe, becomes_device, becomes_terminal, becomes_link_outside]


@pytest.mark.parametrize("become", BECOMES)
def test_a_document_that_becomes_something_else_is_refused_at_once(folder, tmp_path, become):
    path = folder / "council.tml"
    with Opened(folder) as bench:
        path.unlink()
        become(path, tmp_path)
        with pytest.raises(InputError, match=r"not a regular file|leads outside the corpus|cannot be opened"):
            bench.opened("council")
    with Opened(folder) as bench, pytest.raises(InputError):
        bench.opened("council")


@pytest.mark.parametrize("become", BECOMES)
def test_nothing_is_saved_into_something_else(folder, tmp_path, become):
    path = folder / "council.tml"
    with Opened(folder) as bench:
        edited(bench)
        path.unlink()
        become(path, tmp_path)
        there = (tmp_path / "secret.tml").read_bytes() if become is becomes_link_outside else None
        with pytest.raises(TemporacleError):
            bench.save("council")
        assert unsaved(bench)
        assert there is None or (tmp_path / "secret.tml").read_bytes() == there


def test_links_out_of_the_corpus_are_followed_if_that_is_asked_for(folder, tmp_path):
    annex = tmp_path / "annex"
    annex.mkdir()
    (folder / "council.tml").rename(annex / "object")
    (folder / "council.tml").symlink_to(annex / "object")
    with Opened(folder) as bench, pytest.raises(InputError, match="follow_links=True"):
        bench.opened("council")
    with Opened(folder, follow_links=True) as bench:
        edited(bench)
        bench.save("council")
    assert (folder / "council.tml").is_symlink()
    assert b"the minutes say so" in (annex / "object").read_bytes()


def test_a_folder_on_the_way_that_becomes_a_link_is_not_entered(tmp_path):
    inside, outside = tmp_path / "docs" / "part", tmp_path / "outside"
    for place in (inside, outside):
        place.mkdir(parents=True)
        (place / "a.tsv").write_text("a\tb\tb\n")
    confines = files.Confines((str(tmp_path / "docs"),))
    place = confines.require(inside / "a.tsv")
    inside.rename(tmp_path / "elsewhere")
    inside.symlink_to(outside)  # after the look, before the opening
    with pytest.raises(OSError, match=r"Not a directory|Too many levels"):
        confines.open(place, os.O_RDONLY)


def test_a_file_beside_a_file_that_was_given_is_read(tmp_path):
    (tmp_path / "a.ann").write_text("T1\tEvent 0 4\tleft\nT2\tEvent 5 9\tcame\nR1\tBEFORE Arg1:T1 Arg2:T2\n")
    (tmp_path / "a.txt").write_text("left came\n")
    with Opened(tmp_path / "a.ann") as bench:
        assert bench.opened("a").session.document.text == "left came\n"


def test_digest_and_content_are_of_the_same_bytes(folder, monkeypatch):
    """A file that changes after it was read once is not read a second time for its digest."""
    path = folder / "council.tml"
    before = path.read_bytes()
    read = files.read_regular

    def read_and_changed(*arguments, **more):
        data = read(*arguments, **more)
        path.write_bytes(before.replace(b"relType", b"reltype"))
        return data

    monkeypatch.setattr("temporacle.workbench.editing.read_regular", read_and_changed)
    with Opened(folder) as bench:
        found = bench.opened("council")
    assert found.digest == files.digest_of(before)
    assert found.session.document.links


def test_two_names_of_a_file_are_one_document(folder):
    (folder / "z.tml").symlink_to(folder / "council.tml")
    with Opened(folder, folder / "council.tml", f"{folder}/./council.tml") as bench:
        assert [row["id"] for row in bench.listed()] == ["council", "ferry", "puzzle", "shift"]
        assert bench.corpus.one_name("z") == "council"
        edited(bench)
        bench.save(bench.corpus.one_name("z"))
        assert unsaved(bench) == 0


def test_two_files_of_one_name_are_two_documents(tmp_path):
    for part in ("one", "two"):
        (tmp_path / part).mkdir()
        (tmp_path / part / "d.tsv").write_text("a\tb\tb\n")
    with Opened(tmp_path) as bench:
        assert len(list(bench.listed())) == 2


# --- another program writes at the same time -------------------------------------------------------------------------

OTHER = b'<TimeML><TLINK lid="l6"/></TimeML>\n'


def written(path):
    path.write_bytes(OTHER)


def replaced(path):
    path.with_name("new").write_bytes(OTHER)
    path.with_name("new").replace(path)


@pytest.mark.parametrize("write", [written, replaced])
@pytest.mark.parametrize("moment", ["_new_file_beside", "_digest_at", "_exchanged"])
def test_a_write_of_another_program_is_not_lost(folder, monkeypatch, write, moment):
    """It is made between the comparison and the moment at which the new file takes its name."""
    path = folder / "council.tml"
    there = getattr(files, moment)
    left = [None]

    def interrupted(*arguments):
        found = there(*arguments) if moment == "_digest_at" else None
        if left:
            left.pop()
            write(path)
        return found if moment == "_digest_at" else there(*arguments)

    with Opened(folder) as bench:
        edited(bench)
        monkeypatch.setattr(files, moment, interrupted)
        with pytest.raises(saving.ChangedOnDiskError):
            bench.save("council")
        assert path.read_bytes() == OTHER
        assert unsaved(bench) == 1
    assert not left
    assert not [each for each in folder.iterdir() if files.is_temporary(each.name)]


# --- faults ----------------------------------------------------------------------------------------------------------


def all_of_it(folder):
    def work():
        with Opened(folder) as bench:
            edited(bench)
            bench.save("council")

    return work


def copies(folder, tmp_path):
    """Yield the folder anew for each fault, and how the file is with the edits."""
    shutil.copytree(folder, tmp_path / "undisturbed")
    all_of_it(tmp_path / "undisturbed")()
    return (folder / "council.tml").read_bytes(), (tmp_path / "undisturbed" / "council.tml").read_bytes()


def check_kinds(folder, tmp_path, kinds, step):
    before, after = copies(folder, tmp_path)
    met = 0
    shutil.copytree(folder, tmp_path / "counted")
    for number, fault in enumerate(faults(all_of_it(tmp_path / "counted"), kinds, step)):
        place = tmp_path / f"try{number}"
        shutil.copytree(folder, place)
        path = place / "council.tml"
        try:
            met += fault.run(all_of_it(place))
            is_done = fault.kind != "kill"
        except TemporacleError as error:
            met += 1
            is_done = False
            if "was not saved" in str(error) or "was not made" in str(error):
                assert path.read_bytes() == before, fault
        now = path.read_bytes()
        assert now in (before, after), fault
        assert not is_done or now == after, fault
        with Opened(place) as bench:  # the next run
            if now == after:
                assert unsaved(bench) == 0, fault
            else:
                if not unsaved(bench):  # the edit was not acknowledged
                    edited(bench)
                bench.save("council")
            assert path.read_bytes() == after, fault  # saved once: no comment stands there twice
    assert met > 5 * len(kinds)
    return met


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_save_that_is_disturbed_somewhere(folder, tmp_path):
    check_kinds(folder, tmp_path, ("kill", "ENOSPC"), 5)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("kind", KINDS)
def test_a_save_that_is_disturbed_anywhere(folder, tmp_path, record_property, kind):
    record_property("tries", check_kinds(folder, tmp_path, (kind,), 1))


def test_a_note_that_fails_does_not_deny_the_save(folder, monkeypatch):
    """The disk is full when the save is noted. The file was replaced, and the answer says so."""
    path = folder / "council.tml"
    before = path.read_bytes()
    with Opened(folder) as bench:
        edited(bench)
        journal = next(iter(bench.journals.values()))
        write = journal._append

        def full(lines):
            if lines[0]["do"] in {"save", "moved"}:
                Fault("ENOSPC").happen()
            write(lines)

        monkeypatch.setattr(journal, "_append", full)
        assert bench.save("council")["saved"]
        after = path.read_bytes()
        assert after != before
        monkeypatch.undo()
        edited(bench, Changes(relabel={"l1": "AFTER"}))  # the note is written before this
        assert unsaved(bench) == 1
    with Opened(folder) as bench:
        assert unsaved(bench) == 1
        with bench.document("council") as document:
            document.undo()
        bench.save("council")
        assert path.read_bytes() == after


def test_an_intent_that_cannot_be_written_saves_nothing(folder, monkeypatch):
    path = folder / "council.tml"
    before = path.read_bytes()
    with Opened(folder, backup=False) as bench:
        edited(bench)
        monkeypatch.setattr("temporacle.workbench.journal.os.fsync", lambda _file: Fault("ENOSPC").happen())
        with pytest.raises(UsageError, match="the document was not saved, because the journal"):
            bench.save("council")
        assert path.read_bytes() == before
