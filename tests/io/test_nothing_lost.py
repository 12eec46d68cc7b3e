"""In the example of every format, a link is damaged: what can no longer be read is counted, with its place.

Damage to a label or to an end of a link, and to what makes a line, an element or an object a link at all.
"""

from pathlib import Path

import pytest

from temporacle.errors import InputError
from temporacle.io import Options, Source, read_source
from temporacle.io.formats import FORMATS, example_of
from temporacle.model import Document, Unreadable
from temporacle.tasks.check import check

# What to replace once in the example: the label of its last link, and one of the ends.
LABELS = {
    "timeml": "IS_INCLUDED",
    "tempeval1": 'relType="BEFORE',
    "cat": "BEFORE",
    "anafora": "CONTAINS",
    "caevo": "IS_INCLUDED",
    "xmi": "IS_INCLUDED",
    "mae": "BEFORE",
    "cas-json": "BEFORE",
    "label-studio": "BEFORE",
    "eventfull": "uncertain",
    "maven": '"BEFORE',
    "llm": "BEFORE",
    "prodigy": "BEFORE",
    "doccano": "BEFORE",
    "tempeval2": "BEFORE",
    "estonian": "BEFORE",
    "brat": "IS_INCLUDED",
    "dense": "\tii",
    "matres": "EQUAL",
    "deptree": "before",
    "depgraph": "after",
    "umr": ":after",
    "tsv": "b|m",
    "csp": "( <",
    "csv": "b|m",
    "jsonl": '"BEFORE',
}
ENDS = {
    "timeml": ('relatedToTime="t1"', 'relatedToTime="t9"'),
    "tempeval1": ('relatedToTime="t9"', ""),
    "cat": ('<target m_id="2"/>', ""),
    "anafora": ("<Target>2@e@note@gold</Target>", ""),
    "caevo": ('event2="t1"', ""),
    "xmi": ('Governor="10"', ""),
    "mae": ('toID="E1"', ""),
    "cas-json": ('"@Dependent": 11', '"@Dependent": 99'),
    "label-studio": ('"to_id": "b"', '"to_id": null'),
    "eventfull": ('"_secondId": "3"', '"_secondId": NaN'),
    "maven": ('["EVENT_1", ', "["),
    "llm": ("docked(2)", "docked"),
    "prodigy": ('"child": 1', '"child": null'),
    "doccano": ('"to_id": 2', '"to_id": 9'),
    "tempeval2": ("e1\te2", "e1\te9"),
    "estonian": ("BEFORE\te2", "BEFORE\te9"),
    "brat": ("Arg2:T3", "Arg2:T9"),
    "timeline": ("\n3\t", "\nthree\t"),
    "dense": ("e2\tt1", "e2\t"),
    "matres": ("left\tdocked\t1\t2", "left\tdocked\t1\t"),
    "deptree": ("4\tEvent\t0\t2\t2\t", "4\tEvent\t0\t2\t"),
    "depgraph": ("1_1_1\tEvent\t0_2_2", "1_1_1\t0_2_2"),
    "umr": ("(s1d :contained s1l)", "(s1d :contained)"),
    "tsv": ("docked\tb|m", "\tb|m"),
    "csp": (" 1  2", " 1  9"),
    "csv": ("left,", ","),
    "jsonl": ('"target": "docked"', '"target": null'),
}
# Further damage to what says that something is a link.
OTHERS = [
    ("brat", "R2\tIS", "R2 IS"),
    ("brat", "R2\tIS", "R1\tIS"),
    ("brat", "R2\tIS", "\tIS"),
    ("brat", "Arg1:T1 Arg2:T2", "Arg1:T1 :T2"),
    ("mae", "</TAGS>", '<TLINK id="TL0" fromID="E1" toID="E0" type="BEFORE" />\n</TAGS>'),
    ("xmi", 'TLINK="40"', 'TLINK="41"'),
    ("xmi", 'TLINK="40"', 'TLINK="40x"'),
    ("xmi", '<custom:TLINK xmi:id="30" sofa="1"', '<custom:TLINK xmi:id="30" sofa="7"'),
    ("xmi", '<custom:TLINK xmi:id="30"', "<custom:TLINK"),
    ("xmi", '<custom:TLINK xmi:id="30" sofa="1" begin="18"', '<custom:TLINK xmi:id="30" begin="18"'),
    ("cas-json", '"%ID": 30', '"%ID": null'),
    ("cas-json", 'TLINK", "@sofa": 1', 'TLINK", "@sofa": 7'),
    ("cas-json", 'TLINK", "@sofa": 1', 'TLINK", "sofa": 1'),
    ("label-studio", '"type": "relation", ', ""),
    ("label-studio", '"result": [', '"result": {}, "results": ['),
    ("prodigy", '"relations": [{', '"relations": [7, {'),
    ("prodigy", '"relations": [', '"relations": "none", "others": ['),
    ("doccano", '"relations": [', '"relations": {}, "others": ['),
    ("depgraph", "EDGE_LIST\n", ""),
    ("eventfull", '{"_firstId": "1", "_secondId": "2", "_relation": "before/cause"}', "null"),
]


def read(name, text, folder, **options):
    """Read a damaged example. That of a folder, or of files that belong together, names its files after an arrow."""
    if not text.startswith("==> "):
        return list(read_source(Source("ferry", text.encode(), Options(**options), format=name)))
    for part in text.split("==> ")[1:]:
        file, _, content = part.partition("\n")
        (folder / file).write_text(content, "utf-8")
    path = next(folder.glob("*.ann")) if name == "brat" else folder
    return list(read_source(Source(str(path), None, Options(**options), format=name)))


def links(found):
    return sum(len(each.links) for each in found if isinstance(each, Document))


def require_counted(name, old, new, folder):
    text = example_of(name)
    assert old in text
    before = links(read(name, text, folder))
    damaged = text[: text.rindex(old)] + new + text[text.rindex(old) + len(old) :]
    found = read(name, damaged, folder)
    lost = [remark for each in found if isinstance(each, Document) for remark in each.dropped]
    refused = [each.error for each in found if isinstance(each, Unreadable)]
    per_line = 2 if name == "timeline" else 1  # a row of a timeline makes a link to its date, and one to its neighbour
    assert refused or per_line * len(lost) >= max(1, before - links(found)), (name, old, new, found)
    for each in found:
        if isinstance(each, Document) and not each.links:
            assert each.is_unchecked
            assert check(each)[0].verdict == "unchecked"
    for remark in lost:
        assert remark.line or remark.element
    for error in refused:
        assert isinstance(error, InputError)


def test_no_format_is_missing():
    readable = {name for name, each in FORMATS.items() if each.location} - {"parquet"}  # has its own tests
    assert set(LABELS) == readable - {"timeline"}  # it has no labels
    assert set(ENDS) == readable


@pytest.mark.parametrize("name", LABELS)
@pytest.mark.parametrize(
    "how", [lambda old: f"{old}X", lambda old: old[:-1] + "Q", lambda old: old[: -len("x")] + "\u00e9"]
)
def test_a_damaged_label_is_counted(name, how, tmp_path):
    require_counted(name, LABELS[name], how(LABELS[name]), tmp_path)


@pytest.mark.parametrize("name", ENDS)
def test_a_damaged_end_is_counted(name, tmp_path):
    require_counted(name, *ENDS[name], tmp_path)


@pytest.mark.parametrize(("name", "old", "new"), OTHERS)
def test_damage_to_the_form_of_a_link_is_counted(name, old, new, tmp_path):
    require_counted(name, old, new, tmp_path)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("anafora", "<type>TLINK", "<type>TLNK"),
        ("umr", ":temporal ((", ":temporary (("),
        ("eventfull", '"allPairs"', '"pairs"'),
    ],
)
def test_what_may_have_been_a_link_is_said(name, old, new, tmp_path):
    (document,) = read(name, example_of(name).replace(old, new), tmp_path)
    assert document.remarks


def test_an_answer_with_an_unknown_label_set_does_not_end_the_run():
    line = '{"document": "a", "labels": "mtres", "text": "1. left(1) before docked(2)"}\n'
    found = read("llm", line + line.replace("mtres", "matres").replace('"a"', '"b"'), Path())
    assert isinstance(found[0], Unreadable)
    assert "mtres" in str(found[0].error)
    assert len(found[1].links) == 1
    (chosen, _) = read("llm", line + line, Path(), reading="matres")
    assert len(chosen.links) == 1
