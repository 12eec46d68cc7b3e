"""Changes of the project's own samples: every link dropped, relabelled, commented, and the way back."""

import json
import shutil

import pytest
from lxml import etree
from test_tools_golden import CASES, options, sample

from temporacle.cli import run
from temporacle.errors import UsageError
from temporacle.io import read_source
from temporacle.io.edit import Edits, changed
from temporacle.io.edit.edits import NoPlaceForNotesError
from temporacle.io.source import Options, Source
from temporacle.io.tools.mapping import ToolMapping
from temporacle.model import Document

WITH_LINKS = [case for case in CASES if case.name != "nothing"]


def loaded(case, **more):
    path = sample(case)
    chosen = options(case, **more)
    if chosen.mapping is None and case.parent.name in {"xmi", "cas-json", "mae"}:
        chosen = Options(mapping=ToolMapping("notes", comment="note"), **more)
    source = Source(str(path), path.read_bytes(), chosen)
    return source, [
        found for found in read_source(Source(str(path), source.data, chosen)) if isinstance(found, Document)
    ]


def again(source, data):
    return {
        found.id: found
        for found in read_source(Source(source.path, data, source.options))
        if isinstance(found, Document)
    }


def stated(links):
    return sorted((link.source, link.label, link.target) for link in links)


def well_formed(source, data):
    if source.format in {"xmi", "mae"}:
        etree.fromstring(data)
    elif source.format in {"cas-json", "label-studio"}:
        json.loads(data)


@pytest.mark.parametrize("doctimerel", [False, True])
@pytest.mark.parametrize("case", WITH_LINKS, ids=lambda case: f"{case.parent.name}-{case.name}")
def test_every_link_can_be_dropped(case, doctimerel):
    source, documents = loaded(case, doctimerel=doctimerel)
    for document in documents:
        for link in document.links:
            data = changed(source, {document.id: Edits(drop={link.id})})
            assert len(data) < len(source.data)
            well_formed(source, data)
            rest = [each for each in document.links if each is not link]
            assert stated(again(source, data)[document.id].links) == stated(rest)
        everything = Edits(drop={link.id for link in document.links})
        assert not again(source, changed(source, {document.id: everything}))[document.id].links


@pytest.mark.parametrize("doctimerel", [False, True])
@pytest.mark.parametrize("case", WITH_LINKS, ids=lambda case: f"{case.parent.name}-{case.name}")
def test_every_link_can_be_relabelled(case, doctimerel):
    source, documents = loaded(case, doctimerel=doctimerel)
    for document in documents:
        for link in document.links:
            new = next(each for each in document.reading.labels if each != link.label)
            is_undirected = case.parent.name == "label-studio" and link.id == "rel3"
            if link.label == "SAME" or is_undirected:
                with pytest.raises(UsageError, match=r"mapping gives this link|arrow has no direction"):
                    changed(source, {document.id: Edits(relabel={link.id: new})})
                continue
            data = changed(source, {document.id: Edits(relabel={link.id: new})})
            well_formed(source, data)
            (found,) = [each for each in again(source, data)[document.id].links if each.id == link.id]
            assert (found.source, found.label, found.target) == (link.source, new, link.target)


@pytest.mark.parametrize("case", WITH_LINKS, ids=lambda case: f"{case.parent.name}-{case.name}")
def test_notes_come_and_go_without_a_trace(case):
    source, documents = loaded(case)
    for document in documents:
        notes = {link.id: f'temporacle: {link.id} says <"é"> & that' for link in document.links}
        if not notes:
            continue
        try:
            noted = changed(source, {document.id: Edits(comment=notes, renew=True)})
        except NoPlaceForNotesError:
            assert case.parent.name == "doccano"
            continue
        well_formed(source, noted)
        for _ in range(2):  # notes are replaced by the same notes, not added to
            with_notes = Source(source.path, noted, source.options)
            assert changed(with_notes, {document.id: Edits(comment=notes, renew=True)}) == noted
        without = changed(with_notes, {document.id: Edits(renew=True)})
        if not (case.parent.name == "brat" and not source.data.endswith(b"\n")):  # a note needs a line end before it
            assert without == source.data
        first = document.links[0].id
        dropped = changed(with_notes, {document.id: Edits(drop={first}, renew=True)})
        assert dropped == changed(Source(source.path, without, source.options), {document.id: Edits(drop={first})})


@pytest.mark.parametrize("tool", ["xmi", "cas-json", "mae"])
def test_a_project_without_a_feature_for_notes_gets_them_beside_the_file(tool, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    case = next(case for case in CASES if case.parent.name == tool)
    path = sample(case)
    shutil.copy(path, tmp_path)
    ring = next(iter(read_source(Source(str(path))))).links[0]
    with pytest.raises(UsageError, match="name it in a mapping"):
        changed(Source(str(path)), {path.stem: Edits(comment={ring.id: "x"})})


def test_a_repaired_brat_file_brings_its_text(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_bytes(b"left\r\ndocked")
    ann = (
        "T1\tEVENT 0 4\tleft\r\nT2\tEVENT 6 12\tdocked\r\nR1\tBEFORE Arg1:T1 Arg2:T2\r\nR2\tBEFORE Arg1:T2 Arg2:T1\r\n"
    )
    (tmp_path / "in" / "a.ann").write_bytes(ann.encode())
    (tmp_path / "in" / "visual.conf").write_text("[labels]\n")
    assert run(["check", "in", "--write", "out", "--annotate", "noted"]) == 1
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a.ann", "a.txt"]
    assert (tmp_path / "out" / "a.ann").read_bytes().decode() == ann.replace("R1\tBEFORE Arg1:T1 Arg2:T2\r\n", "")
    noted = (tmp_path / "noted" / "a.ann").read_bytes().decode()
    assert noted.startswith(ann)
    first, second = noted.removeprefix(ann).removesuffix("\r\n").split("\r\n")
    assert first == (
        '#1\tAnnotatorNotes R1\ttemporacle: R1 ("left" BEFORE "docked") cannot be true together with'
        ' R2 ("docked" BEFORE "left")'
    )
    assert second.startswith("#2\tAnnotatorNotes R2\t")
    assert "skipped" not in capsys.readouterr().err
    assert run(["check", "out"]) == 0


def test_attributes_and_notes_go_with_their_relation_and_words_stay():
    ann = (
        "T1\tEVENT 0 1\ta\nT2\tEVENT 2 3\tb\nA7\tSure R1\n#1\tAnnotatorNotes A7\tyes\nR1\tBEFORE Arg1:T1 Arg2:T2\n"
        "#2\tAnnotatorNotes T1\tR1 is meant\n#3\tAnnotationWarning R1\tx\nN1\tReference R1 X:1\tx\n"
        "R11\tAFTER Arg1:T1 Arg2:T2"
    )
    new = changed(Source("x.ann", ann.encode()), {"x": Edits(drop={"R1"})}).decode()
    assert new == ("T1\tEVENT 0 1\ta\nT2\tEVENT 2 3\tb\n#2\tAnnotatorNotes T1\tR1 is meant\nR11\tAFTER Arg1:T1 Arg2:T2")
    noted = changed(Source("x.ann", new.encode()), {"x": Edits(comment={"R11": "one"})})
    twice = changed(Source("x.ann", noted), {"x": Edits(comment={"R11": "two"})}).decode()
    assert twice == new + "\n#3\tAnnotatorNotes R11\tone\n#4\tAnnotationWarning R11\ttwo\n"


def test_members_stay_where_a_span_has_the_same_id():
    source, _ = loaded(next(case for case in CASES if case.parent.name == "xmi"))
    data = changed(source, {"bakery": Edits(drop={"30", "40"})}).decode()
    assert 'members="5 10 11 12 13 4711"' in data
    assert 'TLINK="41 49"' in data
    data = changed(source, {"bakery": Edits(drop={"42"})}).decode()
    assert '<cas:FSArray xmi:id="50" elements=""/>' in data
    assert 'TLINK="50"' in data


TYPES = """<typeSystemDescription xmlns="http://uima.apache.org/resourceSpecifier"><types>
<typeDescription><name>webanno.custom.Base</name><supertypeName>uima.tcas.Annotation</supertypeName><features>
<featureDescription><name>about</name><rangeTypeName>uima.tcas.Annotation</rangeTypeName></featureDescription>
</features></typeDescription>
<typeDescription><name>webanno.custom.Remark</name><supertypeName>webanno.custom.Base</supertypeName><features>
<featureDescription><name>number</name><rangeTypeName>uima.cas.Integer</rangeTypeName></featureDescription>
</features></typeDescription></types></typeSystemDescription>"""


@pytest.mark.parametrize("feature", ["about", "number"])
def test_what_something_else_refers_to_stays(tmp_path, feature):
    text = sample(next(case for case in CASES if case.parent.name == "xmi")).read_text("utf-8")
    remark = f'<a:Remark xmi:id="80" sofa="1" begin="0" end="1" {feature}="30"/>'
    path = tmp_path / "x.xmi"
    path.write_text(text.replace("  <cas:Sofa", f"  {remark}\n  <cas:Sofa", 1), "utf-8")
    without = changed(
        Source(str(path)), {"x": Edits(drop={"30"})}
    )  # without the type system the number may be anything
    assert remark in without.decode()
    (tmp_path / "TypeSystem.xml").write_text(TYPES)
    if feature == "about":
        with pytest.raises(UsageError, match="30 cannot be removed: feature about of 80 refers to it"):
            changed(Source(str(path)), {"x": Edits(drop={"30"})})
    else:
        assert changed(Source(str(path)), {"x": Edits(drop={"30"})}) == without


def test_references_of_json_are_known(tmp_path):
    path = sample(next(case for case in CASES if case.parent.name == "cas-json"))
    record = json.loads(path.read_text("utf-8"))
    record["%FEATURE_STRUCTURES"].append({"%ID": 80, "%TYPE": "a.Remark", "@about": 30})
    source = Source("x.json", json.dumps(record).encode())
    with pytest.raises(UsageError, match="30 cannot be removed: feature about of 80"):
        changed(source, {"x": Edits(drop={"30"})})
    record["%FEATURE_STRUCTURES"][1]["@TLINK"] = 40  # one link without an array
    del record["%FEATURE_STRUCTURES"][5]
    new = json.loads(changed(Source("x.json", json.dumps(record).encode()), {"x": Edits(drop={"40"})}))
    assert "@TLINK" not in new["%FEATURE_STRUCTURES"][1]
