"""The two files of a score: which one is gold, and that the sides cannot be exchanged. One small case for each rule."""

import shutil
from copy import deepcopy

import pytest

import temporacle as tp
from temporacle.checker import Rejected
from temporacle.tasks.binding import CertifiedFiles

GOLD = "a\tBEFORE\tb\nb\tBEFORE\tc\n"
SYSTEM = "a\tBEFORE\tb\nb\tAFTER\tc\n"
ANYWHERE = " (a score is bound to two files: give both gold and system)"
NOT_SHOWN = "the paths do not show which side is gold: give gold first, then the system, each by its own path"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Folders with gold and a system."""
    monkeypatch.chdir(tmp_path)
    for folder, text in (("gold", GOLD), ("system", SYSTEM)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "d.tsv").write_text(text)
    return tmp_path


def side(path):
    made = tp.Oracle(path).certificate().to_dict()
    return {"document": made["document"], "links": made["links"], "names": []}


def score(gold="gold/d.tsv", system="system/d.tsv"):
    """As much of a certificate as decides what it belongs to."""
    return {"gold": side(gold), "system": side(system), "options": {"align": "ids"}}


def bound(paths, certificate, *, reread=True):
    return [binding.path for binding in CertifiedFiles(paths).bind(certificate, reread=reread)]


def reason(paths, certificate, *, reread=True):
    with pytest.raises(Rejected) as rejected:
        CertifiedFiles(paths).bind(certificate, reread=reread)
    assert str(rejected.value).endswith(ANYWHERE)
    return str(rejected.value).removesuffix(ANYWHERE)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("reread", [True, False])
def test_gold_comes_first(reread):
    files = ["gold/d.tsv", "system/d.tsv"]
    assert bound(["gold", "system"], score(), reread=reread) == files
    assert bound(files, score(), reread=reread) == files
    assert reason(["system", "gold"], score(), reread=reread) == (
        "'d' is on the other side: give gold first, then the system"
    )


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("reread", [True, False])
def test_paths_that_do_not_show_the_sides_are_rejected(reread):
    for paths in (["."], [".", "."], ["gold", "system", "system"]):
        assert reason(paths, score(), reread=reread) == NOT_SHOWN
    # One side leaves no choice for the other.
    assert bound(["gold", "."], score(), reread=reread) == ["gold/d.tsv", "./system/d.tsv"]
    assert bound([".", "system"], score(), reread=reread) == ["./gold/d.tsv", "system/d.tsv"]


@pytest.mark.parametrize("again", ["../HERE", "HERE", "linked"])
@pytest.mark.parametrize("reread", [True, False])
def test_one_folder_by_two_names_does_not_show_the_sides(here, again, reread):
    (here / "linked").symlink_to(here)
    again = again.replace("HERE", here.name if again.startswith("..") else str(here))
    exchanged = score("system/d.tsv", "gold/d.tsv")
    for certificate in (score(), exchanged):
        assert reason([".", again], certificate, reread=reread) == NOT_SHOWN


def test_a_system_that_equals_gold_has_its_own_file_if_there_is_one(here):
    shutil.copy("gold/d.tsv", "system/d.tsv")
    assert bound(["gold", "system"], score()) == ["gold/d.tsv", "system/d.tsv"]
    assert bound(["gold", "gold"], score(system="gold/d.tsv")) == ["gold/d.tsv", "gold/d.tsv"]
    shutil.copy("gold/d.tsv", "system/a.tsv")
    certificate = score(system="gold/d.tsv")
    assert bound(["gold", "system"], certificate, reread=False) == ["gold/d.tsv", "system/d.tsv"]
    assert reason(["."], certificate) == NOT_SHOWN


def test_a_missing_document_of_the_system_needs_no_file(here):
    certificate = score()
    certificate["system"]["document"]["sha256"] = None
    assert reason(["gold", "system"], certificate) == (
        "the system's links were not read from a file: there is no digest"
    )
    certificate["system"]["links"] = []
    assert bound(["gold", "system"], certificate) == ["gold/d.tsv"]


def test_links_of_both_sides_must_be_those_of_their_files(here):
    for name, path in (("gold", "gold/d.tsv"), ("system", "system/d.tsv")):
        certificate = score()
        certificate[name]["links"].pop()
        assert reason(["gold", "system"], certificate) == f"the links are not those of document 'd' in {path}"
        assert bound(["gold", "system"], certificate, reread=False) == ["gold/d.tsv", "system/d.tsv"]


# --- names ------------------------------------------------------------------------------------------------------------


def test_names_must_be_those_of_an_alignment_made_anew(here):
    (here / "gold/d.tsv").write_text("ei1\tb\tei2\nei2\tb\tei3\n")
    (here / "system/d.tsv").write_text("1\tb\t2\n2\tb\t3\n")
    certificate = score()
    other = "the entities are matched in another way"
    assert reason(["gold", "system"], certificate) == other
    certificate["system"]["names"] = [["1", "ei1"], ["2", "ei2"], ["3", "ei3"]]
    assert bound(["gold", "system"], certificate)
    for side_of, names in (("gold", [["ei1", "x"]]), ("system", [["1", "ei2"], ["2", "ei1"], ["3", "ei3"]])):
        forged = deepcopy(certificate)
        forged[side_of]["names"] = names
        assert reason(["gold", "system"], forged) == other
        assert bound(["gold", "system"], forged, reread=False)


def test_entities_that_cannot_be_matched_are_a_reason(here):
    certificate = score()
    certificate["options"]["align"] = "spans"  # tables have none
    said = reason(["gold", "system"], certificate)
    assert said.startswith(("the entities cannot be matched: ", "the entities are matched"))
