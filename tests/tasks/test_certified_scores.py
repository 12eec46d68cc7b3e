"""The two files of a score: which one is gold, and that the sides cannot be exchanged. One small case for each rule."""

import json
import shutil
from copy import deepcopy
from pathlib import Path

import pytest

import temporacle as tp
from temporacle.checker import Rejected
from temporacle.tasks import verify as verifying
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


def test_gold_alone_must_be_on_its_side(here):
    certificate = score()
    certificate["system"]["document"]["sha256"] = None
    certificate["system"]["links"] = []
    assert reason(["system", "gold"], certificate).startswith("'d' is on the other side")


def test_the_system_must_be_on_its_side(here):
    (here / "both").mkdir()
    shutil.copy("gold/d.tsv", "both/d.tsv")
    shutil.copy("system/d.tsv", "both/s.tsv")
    (here / "system/d.tsv").write_text("x\tBEFORE\ty\n")
    certificate = {"gold": side("both/d.tsv"), "system": side("both/s.tsv"), "options": {"align": "ids"}}
    certificate["system"]["document"]["id"] = "d"
    assert reason(["both", "system"], certificate).startswith("'d' is on the other side")


# --- totals -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def proofs(here, monkeypatch):
    """Certificates of three scores, with names around that of the total, and the files that are opened."""
    for folder, text in (("gold", GOLD), ("system", SYSTEM)):
        for name in ("e", "z"):
            (here / folder / f"{name}.tsv").write_text(text)
    tp.score("gold", "system", certificates="proofs")
    opened = []
    honest = verifying.content_of

    def noted(path):
        opened.append(Path(path).name)
        return honest(path)

    monkeypatch.setattr(verifying, "content_of", noted)
    return opened


SCORES = ["d.json", "e.json", "z.json"]


@pytest.mark.parametrize(("remembered", "again"), [(100, []), (2, ["z.json"]), (0, SCORES)])
def test_a_score_is_not_checked_again_for_the_total(proofs, monkeypatch, remembered, again):
    monkeypatch.setattr(verifying, "_REMEMBERED", remembered)
    found = tp.verify("proofs", document=["gold", "system"], jobs=1)
    assert [Path(each.certificate).name for each in found] == [*SCORES, "total.json"]
    assert found.valid is True
    assert [name for name in proofs if name in SCORES] == [*SCORES, *again]


@pytest.mark.parametrize("document", [None, ["gold", "system"]])
def test_a_total_alone_checks_its_scores(proofs, document):
    (found,) = tp.verify("proofs/total.json", document=document, jobs=1)
    assert (found.valid, found.claim, found.score["documents"]) == (True, "total", 3)
    assert [name for name in proofs if name in SCORES] == SCORES


def test_a_total_alone_is_bound_to_the_files_of_its_scores(proofs, here):
    (here / "gold" / "e.tsv").write_text(SYSTEM)
    (found,) = tp.verify("proofs/total.json", document=["gold", "system"], jobs=1)
    assert found.valid is False
    assert tp.verify("proofs/total.json", jobs=1).valid is True


def test_a_total_without_its_folder_is_rejected(proofs, here):
    (found,) = tp.verify(json.loads((here / "proofs" / "total.json").read_text()), jobs=1)
    assert found.valid is False
    assert "folder" in found.reason


def test_a_total_that_has_gone_is_not_rejected(proofs, monkeypatch):
    noted = verifying.content_of

    def content_of(path):
        if proofs.count("total.json") and path.endswith("total.json"):
            raise OSError(5, "Input/output error")
        return noted(path)

    monkeypatch.setattr(verifying, "content_of", content_of)
    (found,) = tp.verify("proofs/total.json", jobs=1)
    assert (found.valid, found.reason) == (None, "cannot be opened: Input/output error")
