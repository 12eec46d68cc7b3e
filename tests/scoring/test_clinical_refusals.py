"""Inputs of clinical programs that have no exact score are refused; none gets a zero that means nothing."""

import json

import pytest

from temporacle.errors import InputError, UsageError
from temporacle.tasks.official import exact_score, official

NOTE = """<ClinicalNarrativeTemporalAnnotation>
<TEXT><![CDATA[
Seen on Monday.
]]></TEXT>
<TAGS>
</TAGS>
</ClinicalNarrativeTemporalAnnotation>
"""
ANAFORA = "<data><annotations>{}</annotations></data>"
ENTITY = "<entity><id>{}</id><span>0,3</span><type>EVENT</type><properties/></entity>"


def side(root, name, files):
    for path, text in files.items():
        target = root / name / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    (root / name).mkdir(exist_ok=True)
    return str(root / name)


def sides(root, gold, system):
    return side(root, "gold", gold), side(root, "system", system)


def test_files_of_another_kind_are_not_notes(tmp_path):
    links = {"d.tsv": "a\tBEFORE\tb\n"}
    with pytest.raises(UsageError, match="no file has tags of i2b2"):
        exact_score("i2b2", *sides(tmp_path, links, links))


def test_a_note_without_links_has_a_score(tmp_path):
    counts = exact_score("i2b2", *sides(tmp_path, {"n.xml": NOTE}, {"n.xml": NOTE})).total["counts"]
    assert (counts["gold_total"], counts["system_total"]) == (0, 0)


def test_folders_of_different_size_and_a_file_with_a_folder(tmp_path):
    gold, system = sides(tmp_path, {"n.xml": NOTE, "m.xml": NOTE}, {"n.xml": NOTE})
    with pytest.raises(UsageError, match="different numbers of files"):
        exact_score("i2b2", gold, system)
    with pytest.raises(UsageError, match="a file and a folder"):
        exact_score("i2b2", gold, f"{system}/n.xml")


@pytest.mark.parametrize(
    ("metric", "option", "flag"),
    [
        ("i2b2", {"mode": "oo"}, "mode"),
        ("i2b2", {"tags": "event"}, "tags"),
        ("anafora", {"overlap": True}, "overlap"),
        ("anafora", {"include": ("TLINK:Type:CONTAINS",)}, "include"),
    ],
)
def test_options_that_change_nothing_are_refused(tmp_path, metric, option, flag):
    with pytest.raises(UsageError, match=f"does not use {flag}.*temporacle official"):
        exact_score(metric, *sides(tmp_path, {"n.xml": NOTE}, {"n.xml": NOTE}), **option)


def test_folders_without_documents_or_answers(tmp_path):
    gold, system = sides(tmp_path, {"n/n.xml": ANAFORA.format("")}, {"m/m.xml": ANAFORA.format("")})
    with pytest.raises(UsageError, match="has an answer here"):
        exact_score("anafora", gold, system)
    with pytest.raises(UsageError, match="no document in the layout"):
        exact_score("anafora", side(tmp_path, "empty", {}), system)


def test_a_document_that_cannot_be_read_is_named(tmp_path):
    good, twice = ANAFORA.format(ENTITY.format("1")), ANAFORA.format(ENTITY.format("1") * 2)
    gold, system = sides(tmp_path, {"n/n.xml": good, "m/m.xml": good}, {"n/n.xml": twice, "m/m.xml": good})
    found = exact_score("anafora", gold, system)
    assert [name for name, _ in found.unread] == ["n"]
    assert [row["document"] for row in found.documents] == ["m"]
    assert not found.complete
    with pytest.raises(InputError, match="no document could be scored"):
        exact_score("anafora", *sides(tmp_path / "all", {"n/n.xml": good}, {"n/n.xml": twice}))


def timelines(root, gold, system, gold_ids=None):
    entry = [["taxol", "begins-on", "2013-02-01"]]
    for name, patients in (("g.json", gold), ("s.json", system)):
        (root / name).write_text(json.dumps(dict.fromkeys(patients, entry)))
    (root / "ids.txt").write_text("\n".join(system))
    options = {"ids": str(root / "ids.txt")}
    if gold_ids is not None:
        (root / "gold-ids.txt").write_text("\n".join(gold_ids))
        options["gold_ids"] = str(root / "gold-ids.txt")
    return exact_score("chemotimelines", str(root / "g.json"), str(root / "s.json"), **options)


def test_timelines_of_other_patients(tmp_path):
    with pytest.raises(UsageError, match=r"no patient in common. Gold: p1. System: x1"):
        timelines(tmp_path, ["p1"], ["x1"])


def test_a_list_of_patients_restricts_the_exact_score(tmp_path):
    assert [row["document"] for row in timelines(tmp_path, ["p1"], ["p1", "p2"]).documents] == ["p1", "p2"]
    found = timelines(tmp_path, ["p1"], ["p1", "p2"], ["p1"])
    assert [row["document"] for row in found.documents] == ["p1"]
    assert found.total["precision"] == 1


def test_links_are_explained_in_the_mode_that_they_are_compared_in(tmp_path):
    paths = sides(tmp_path, {"n.xml": NOTE}, {"n.xml": NOTE})
    assert official("i2b2", *paths, mode="oo").differences is None
    with pytest.raises(UsageError, match="mode tempeval only"):
        official("i2b2", *paths, mode="oo", explain_difference=True)
