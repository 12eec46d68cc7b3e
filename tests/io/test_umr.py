"""UMR: links of the document level, words through alignments, both spellings, and changes that touch nothing else."""

import json
import re
from itertools import product
from random import Random

import pytest
from shared_data import shared

import temporacle as tp
from temporacle.errors import InputError, UsageError
from temporacle.io import Source, read_source
from temporacle.io.edit import Edits, NewLink, changed
from temporacle.io.formats import example_of
from temporacle.io.recognise import recognise, sniff
from temporacle.io.source import Options
from temporacle.model import Kind

EXAMPLE = example_of("umr")
FIRST_VERSION = """# :: snt1\tSnow fell .
# sentence level graph:
(s1f/ fall-01 :ARG1 (s1s / snow) :aspect Performance)
# alignment:
s1f: 2
# document level annotation:
(s1 / sentence
 :temporal (DCT :before s1f)
 :coref ())
# :: snt2
Words: It had been cold since 2 May 2020 .
# sentence level graph:
(s2c / cold-01 :aspect State :temporal (s2d / date-entity :year 2020 :month 5 :day 2))
# alignment:
s2c: 4,4
s2d: 6-8
# document level annotation:
(s2 / sentence
 :temporal ((PAST_REF :OVERLAP s2c) (s1f :before s2c) (ROOT :depends-on DCT)))
"""


def read(text, name="d.umr", **options):
    (document,) = read_source(Source(name, text.encode(), Options(**options)))
    return document


def naive_links(text):
    """The links by regular expressions alone: the lists of the document level, inside out."""
    found = []
    for part in re.findall(r"(?s)# document level annotation:(.*?)(?=\n#|\Z)", text):
        for stated in re.findall(r":temporal\s*\(\s*((?:\([^()]*\)\s*)*)\)", part):
            for parent, label, child in re.findall(r"\((\S+)\s+:(\S+)\s+(\S+)\)", stated):
                if label in {"before", "after", "overlap", "contains", "contained"} and "root" not in (parent, child):
                    found.append((child, label, parent))
    return found


def triples(document):
    return [(link.source, link.label, link.target) for link in document.links]


def test_the_child_is_the_source():
    document = read(EXAMPLE)
    assert triples(document) == naive_links(EXAMPLE)
    assert triples(document) == [
        ("s1l", "before", "document-creation-time"),
        ("s1l", "contained", "s1d"),
        ("s1d2", "after", "s1l"),
    ]
    assert [link.line for link in document.links] == [24, 25, 26]
    assert document.reading.name == "umr"


def test_entities_have_words_kinds_and_places():
    document = read(EXAMPLE)
    found = {each.id: each for each in document.entities}
    assert document.text == "The ferry left at dawn and docked ."
    assert {name: each.text for name, each in found.items()} == {
        "document-creation-time": None,
        "s1l": "left",
        "s1d": "dawn",
        "s1d2": "docked",
    }
    assert [document.text[start:end] for start, end in found["s1d2"].spans] == ["docked"]
    assert found["document-creation-time"].is_dct
    assert (found["s1l"].kind, found["s1d"].kind) == (Kind.EVENT, Kind.TIME)


def test_the_first_version_is_spelled_otherwise():
    document = read(FIRST_VERSION)
    assert triples(document) == [
        ("s1f", "before", "document-creation-time"),
        ("s2c", "OVERLAP", "past-reference"),
        ("s2c", "before", "s1f"),
    ]
    found = {each.id: each for each in document.entities}
    assert (found["s1f"].text, found["s2c"].text) == ("fell", "cold")
    assert [remark.element for remark in document.remarks] == ["depends-on x1"]
    assert not document.skipped_links


def test_the_document_level_may_lack_its_heading():
    text = EXAMPLE.replace("# document level annotation:\n", "")
    assert triples(read(text)) == triples(read(EXAMPLE))
    assert edited(text, drop={"l2"}) == text.replace("\n            (s1d :contained s1l)", "")
    about_sentences = EXAMPLE.replace("(s1a / and", "(s1a / sentence-01").replace("# :: snt1", "# ::snt 1")
    assert triples(read(about_sentences)) == triples(read(EXAMPLE))


def test_a_date_has_a_value_only_if_it_is_one():
    linked = FIRST_VERSION.replace("(s1f :before s2c)", "(s2d :after s2c)")

    def value(text):
        return next(each.value for each in read(text).entities if each.id == "s2d")

    assert value(linked) == "2020-05-02"
    assert value(linked.replace(" :month 5 :day 2", "")) == "2020"
    assert value(linked.replace(" :month 5", "")) is None
    assert value(linked.replace(":day 2", ":day 2 :mod (s2e / early)")) is None
    assert value(linked.replace("2020 :m", "20 :m")) is None


def test_a_misspelt_label_is_skipped_and_counted():
    document = read(EXAMPLE.replace(":contained", ":containd"))
    assert document.skipped_links == {"unknown-label": 1}
    (remark,) = document.dropped
    assert (remark.line, remark.element) == (25, "l2")
    assert "CONTAINED" in remark.message


@pytest.mark.parametrize(
    ("stated", "code"),
    [
        ("(s1d :contained)", "bad-link"),
        ("(present-reference:overlap s1d)", "bad-link"),
        ("(s1d undefined undefined)", "bad-link"),
        ("(root :before s1d)", "root-link"),
        ("()", "bad-link"),
    ],
)
def test_what_is_no_link_is_counted(stated, code):
    document = read(EXAMPLE.replace("(s1d :contained s1l)", stated))
    assert document.skipped_links == {code: 1}
    assert len(document.links) == 2


def test_a_concept_of_no_graph_is_kept_with_a_warning():
    document = read(EXAMPLE.replace("(s1d :contained s1l)", "(s9x :contained s1l)"))
    assert ("s1l", "contained", "s9x") in triples(document)
    assert [(remark.code, remark.line) for remark in document.remarks] == [("dangling-id", 25)]


def test_a_list_that_is_not_closed_ends_at_the_next_one():
    document = read(EXAMPLE.replace("s1d2)))", "s1d2)\n :modal ((author :full-affirmative s1l)))"))
    assert triples(document) == naive_links(EXAMPLE)


def test_the_two_label_sets():
    own, loose = tp.load_reading("umr"), tp.load_reading("umr-loose")
    assert set(own.labels) == set(loose.labels) == {"BEFORE", "AFTER", "CONTAINED", "CONTAINS", "OVERLAP"}
    for label, meaning in own.labels.items():
        assert meaning & loose.labels[label] == meaning
    for reading in (own, loose):
        for label, other in (("BEFORE", "AFTER"), ("CONTAINED", "CONTAINS"), ("OVERLAP", "OVERLAP")):
            assert reading.labels[label].converse() == reading.labels[other]
    assert "d" not in own.labels["OVERLAP"].atoms
    assert "d" in loose.labels["OVERLAP"].atoms
    overlapping = EXAMPLE.replace("s1d2)))", "s1d2)\n (s1d :overlap s1l)))")
    assert tp.Oracle(read(overlapping)).consistency() != tp.Oracle(read(overlapping, reading="umr-loose")).consistency()


def test_recognition(tmp_path):
    (tmp_path / "x.umr").write_text("")
    assert sniff(str(tmp_path / "x.umr")) == "umr"
    for name in ("x.umr", "x.txt", "-"):
        assert recognise(Source(name, EXAMPLE.encode())) == "umr"
    hashes = "#" * 80 + "\n" + EXAMPLE
    assert recognise(Source("x.txt", hashes.encode())) == "umr"
    assert recognise(Source("x.tsv", b"# :: a comment\na\tBEFORE\tb\n")) == "tsv"
    assert read("").links == ()
    assert "no sentence" in str(read("a\tBEFORE\tb\n").error)


def edited(text, **edits):
    new = changed(Source("d.umr", text.encode()), {"d": Edits(**edits)})
    return new.decode()


def test_dropping_takes_out_the_link_alone():
    assert edited(EXAMPLE, drop={"l2"}) == EXAMPLE.replace("\n            (s1d :contained s1l)", "")
    first = "(document-creation-time :before s1l)\n            "
    assert edited(EXAMPLE, drop={"l1"}) == EXAMPLE.replace(first, "")
    assert edited(EXAMPLE, drop={"l1", "l2", "l3"}).endswith("(s1s0 / sentence)\n")
    assert edited(FIRST_VERSION, drop={"l1"}) == FIRST_VERSION.replace("\n :temporal (DCT :before s1f)", "")


def test_relabelling_writes_in_lower_case():
    assert edited(EXAMPLE, relabel={"l3": "CONTAINS"}) == EXAMPLE.replace("(s1l :after", "(s1l :contains")
    misspelt = EXAMPLE.replace(":contained", ":verlap")
    assert edited(misspelt, relabel={"l2": "overlap"}) == EXAMPLE.replace(":contained", ":overlap")


def test_adding_stands_with_the_links_of_the_sentence():
    new = NewLink("s1d2", "AFTER", "s1d")
    assert edited(EXAMPLE, add=[new]) == EXAMPLE.replace("s1d2)))", "s1d2)\n            (s1d :after s1d2)))")
    bare = edited(EXAMPLE, drop={"l1", "l2", "l3"})
    assert triples(read(edited(bare, add=[new]))) == [("s1d2", "after", "s1d")]
    assert "(DCT :before s2c)" in edited(FIRST_VERSION, add=[NewLink("s2c", "before", "document-creation-time")])
    with pytest.raises(UsageError, match="s7x"):
        edited(EXAMPLE, add=[NewLink("s7x", "before", "s1l")])
    with pytest.raises(InputError, match="document level"):
        edited(EXAMPLE.partition("(s1s0")[0], add=[new])


def test_notes_have_no_place():
    with pytest.raises(UsageError, match="no place for notes"):
        edited(EXAMPLE, comment={"l1": "why"})


def test_random_edits_change_what_was_asked():
    rng = Random("umr")
    for _ in range(60):
        text = rng.choice((EXAMPLE, FIRST_VERSION, EXAMPLE.replace("\n", "\r\n")))
        before = read(text)
        drop = {link.id for link in before.links if rng.random() < 0.4}
        relabel = {link.id: "overlap" for link in before.links if link.id not in drop and rng.random() < 0.4}
        after = read(edited(text, drop=drop, relabel=relabel))
        expected = [
            (link.source, relabel.get(link.id, link.label), link.target) for link in before.links if link.id not in drop
        ]
        assert triples(after) == expected


INTERVALS = [(start, end) for start in range(6) for end in range(start + 1, 6)]
MEANS = {  # of the child (a, b) to the parent (c, d), as the guidelines word it
    "before": lambda a, b, c, d: b < c,
    "after": lambda a, b, c, d: d < a,
    "contained": lambda a, b, c, d: c < a and b < d,
    "contains": lambda a, b, c, d: a < c and d < b,
    "overlap": lambda a, b, c, d: a < d and c < b and not (c < a and b < d) and not (a < c and d < b),
}


def naive_is_consistent(links):
    """Try every way to put up to three intervals on six points."""
    names = sorted({name for source, _, target in links for name in (source, target)})
    for places in product(INTERVALS, repeat=len(names)):
        at = dict(zip(names, places, strict=True))
        if all(MEANS[label](*at[source], *at[target]) for source, label, target in links):
            return True
    return False


def test_random_documents_agree_with_a_naive_reader_and_judge():
    rng = Random("umr verdicts")
    found = set()
    for _ in range(60):
        names = ["document-creation-time", "s1l", "s1d2"]
        pairs = [rng.sample(names, 2) for _ in range(rng.randint(2, 4))]
        stated = "\n".join(f"({parent} :{rng.choice(list(MEANS))} {child})" for parent, child in pairs)
        text = EXAMPLE.partition(":temporal ((document")[0] + f":temporal ({stated}))\n"
        document = read(text)
        assert triples(document) == naive_links(text)
        verdict = naive_is_consistent(naive_links(text))
        assert (tp.check(document, explain=False)[0].verdict.value == "consistent") is verdict
        found.add(verdict)
    assert found == {True, False}


@pytest.mark.corpora
def test_the_release_reads_as_expected():
    folder = shared("corpora", "umr")
    for name, expected in json.loads((folder / "expected.json").read_text()).items():
        text = (folder / name).read_text(encoding="utf-8")
        document = read(text)
        others = [remark.element for remark in document.remarks if remark.code == "other-relations"]
        left_out = sum(int(each.partition(" x")[2]) for each in others)
        assert len(document.links) == expected["links"]
        assert len(document.links) + left_out == expected["stated"]
        assert sorted(triples(document)) == sorted(naive_links(text))
        counted = {label: sum(link.label == label for link in document.links) for label in expected["labels"]}
        assert counted | {"depends-on": left_out} == expected["labels"]
        for labels, verdict in expected["verdict"].items():
            (check,) = tp.check(read(text, reading=labels))
            assert check.verdict.value == verdict, (name, labels)


@pytest.mark.corpora
def test_real_files_are_changed_in_one_place():
    for path in sorted(shared("corpora", "umr").glob("*.umr")):
        text = path.read_bytes().decode()
        document = read(text)
        for link in document.links[::9]:
            new = edited(text, drop={link.id})
            assert len(read(new).links) == len(document.links) - 1
            start = next(k for k, (one, two) in enumerate(zip(text, new, strict=False)) if one != two)
            assert text.endswith(new[start:])
