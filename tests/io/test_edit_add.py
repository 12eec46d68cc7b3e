"""Links added to files of every format that can be changed: one link more, and no other byte changes."""

import gzip
import json
import re
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest
from shared_data import shared
from test_tools_golden import GOLDEN, options, sample

import temporacle as tp
from temporacle.cli import run
from temporacle.errors import UsageError
from temporacle.io import read_source
from temporacle.io.edit import Edits, NewLink, changed, editable, next_id
from temporacle.io.edit.edits import NoPlaceForNotesError
from temporacle.io.formats import FORMATS
from temporacle.io.source import Options, Source
from temporacle.model import Document, Link

SAMPLES = [
    case
    for name in FORMATS
    if editable(name)
    for case in sorted((GOLDEN / name).glob("*/"))
    if case.name not in {"nothing", "empty", "header_only"}
]
CSV = (
    b'document,"source",relation,target,id,more\r\nd,a,BEFORE,"b, c",k1,x\r\ne,p,BEFORE,q,k1,\r\nd,"b, c",AFTER,a,k7,y'
)
LINE_PER_LINK = (
    b'{"document":"d","source":"a","relation":["b"],"target":"b"}\n'
    b'{"document":"e","source":"p","relation":["b","m"],"target":"q"}\n'
    b'{"document":"d","source":"b","relation":["m"],"target":"c"}'
)


def documents(source, data=None):
    found = read_source(Source(source.path, source.data if data is None else data, source.options))
    return {each.id: each for each in found if isinstance(each, Document)}


def stated(links):
    return sorted((link.source, link.label, link.target) for link in links)


def added(source, document, new):
    return changed(Source(source.path, source.data, source.options), {document.id: Edits(add=new)})


def is_insertion(before, after):
    """Whether one byte string comes from the other by insertions alone, as a subsequence."""
    rest = iter(after)
    return all(byte in rest for byte in before)


def new_links(document, rng, count):
    """A few links that the document does not state, with labels that its links have."""
    labels = [link.label for link in document.links] or list(document.reading.labels)
    known = {(link.source, link.label, link.target) for link in document.links}
    linked = sorted({end for link in document.links for end in link.entities})
    entities = rng.choice((linked if len(linked) > 1 else document.entity_ids, document.entity_ids))
    drawn = ((*rng.sample(entities, 2), rng.choice(labels)) for _ in range(count))
    return [
        NewLink(source, label, target) for source, target, label in set(drawn) if (source, label, target) not in known
    ]


def triples(new):
    return [(each.source, each.label, each.target) for each in new]


def add_and_drop(source, rng):
    """Add a few links to each document of a file and drop them again; returns how many were added."""
    count = 0
    before = documents(source)
    for document in before.values():
        if len(document.entity_ids) < 2:
            continue
        new = sorted(new_links(document, rng, rng.choice((1, 1, 3))))
        try:
            data = added(source, document, new)
        except UsageError as error:
            if "cannot be added" not in str(error):
                raise
            continue
        count += len(new)
        assert is_insertion(source.data, data)
        after = documents(source, data)
        for name, other in before.items():
            wanted = [*stated(other.links), *(triples(new) if name == document.id else ())]
            assert stated(after[name].links) == sorted(wanted)
            assert set(after[name].entity_ids) == set(other.entity_ids)
        ids = {link.id for link in after[document.id].links if (link.source, link.label, link.target) in triples(new)}
        back = changed(Source(source.path, data, source.options), {document.id: Edits(drop=ids)})
        assert back == source.data or leaves_a_trace(source, document, new)
    return count


def leaves_a_trace(source, document, new):
    """Whether a list of a CAS had to be made, or was an empty attribute."""
    if document.format not in {"xmi", "cas-json"}:
        return False
    owners = {link.source for link in document.links}
    return any(each.source not in owners for each in new) or b'=""' in source.data


@pytest.mark.parametrize("case", SAMPLES, ids=lambda case: f"{case.parent.name}-{case.name}")
def test_links_come_and_go_without_a_trace(case):
    path = sample(case)
    source = Source(str(path), path.read_bytes(), options(case), format=case.parent.name)
    assert sum(add_and_drop(source, Random(seed)) for seed in range(20)) > 0


@pytest.mark.parametrize("data", [CSV, CSV + b"\r\n", LINE_PER_LINK, LINE_PER_LINK + b"\n"])
def test_rows_come_and_go_without_a_trace(data):
    name = "x.csv" if data.startswith(b"document") else "x.jsonl"
    source = Source(name, data, format="csv" if name == "x.csv" else "jsonl")
    assert sum(add_and_drop(source, Random(seed)) for seed in range(20)) > 20


def test_a_row_of_csv_has_the_columns_of_its_file():
    source = Source("x.csv", CSV)
    data = added(source, documents(source)["d"], [NewLink("a", "IBEFORE", "b, c")])
    assert data == CSV.replace(b'd,"b, c",AFTER', b'd,"a",IBEFORE,"b, c",k8,\r\nd,"b, c",AFTER')
    whole = Source("x.csv", CSV + b"\r\n")
    assert added(whole, documents(whole)["e"], [NewLink("q", "m", "p", "z")]) == (CSV + b"\r\n").replace(
        b"e,p,BEFORE,q,k1,\r\n", b"e,p,BEFORE,q,k1,\r\ne,q,m,p,z,\r\n"
    )


def test_a_line_of_its_own_is_written_like_the_others():
    source = Source("x.jsonl", LINE_PER_LINK + b"\n")
    data = added(source, documents(source)["e"], [NewLink("q", "b|mi", "p")])
    assert data.splitlines()[2] == b'{"document":"e","source":"q","relation":["b","mi"],"target":"p"}'


TIMEML = """<TimeML>
<TEXT><EVENT eid="e1">a</EVENT> <EVENT eid="e2">b</EVENT> <TIMEX3 tid="t1" value="2020">c</TIMEX3></TEXT>
<MAKEINSTANCE eiid="ei1" eventID="e1"/><MAKEINSTANCE eiid='ei2' eventID='e2' />{}
</TimeML>
"""


def timeml(links, **edits):
    source = Source("x.tml", TIMEML.format(links).encode())
    return changed(source, {"x": Edits(**edits)}).decode()


def test_the_first_link_of_a_timeml_file():
    assert timeml("", add=[("ei1", "BEFORE", "t1")]) == TIMEML.format(
        "<TLINK lid='l1' relType='BEFORE' eventInstanceID='ei1' relatedToTime='t1' />"
    )
    data = TIMEML.format("").replace("<MAKEINSTANCE", "<!--").replace(" />", " -->").replace('"/><!--', '" ')
    new = changed(Source("x.tml", data.encode()), {"x": Edits(add=[("e1", "BEFORE", "e2", "n9")])}).decode()
    assert '<TLINK lid="n9" relType="BEFORE" eventID="e1" relatedToEvent="e2"/>' in new


def test_a_new_link_stands_behind_the_last_one_and_what_is_said_about_it():
    links = """
  <TLINK timeID='t1'  lid='x007' signalID='s' relatedToEventInstance='ei1' relType='AFTER' ></TLINK><!-- sure? -->
  <SLINK lid="x009"/>"""
    new = "<TLINK eventInstanceID='ei1'  lid='x010' relatedToEventInstance='ei2' relType='BEFORE' ></TLINK>"
    later = "<TLINK timeID='t1'  lid='x011' relatedToEventInstance='ei2' relType='AFTER' ></TLINK><!-- why -->"
    assert timeml(links, add=[("ei1", "BEFORE", "ei2", "x009"), ("t1", "AFTER", "ei2", "", "why")]) == TIMEML.format(
        links.replace("<!-- sure? -->", f"<!-- sure? -->\n  {new}\n  {later}")
    )
    dropped = timeml(links, add=[("ei1", "BEFORE", "ei2")], drop={"x007"})
    assert dropped == TIMEML.format(f'<!-- sure? -->\n  {new}\n  <SLINK lid="x009"/>')


def test_ids_follow_the_pattern_of_the_file():
    assert next_id(["l1", "l9", "s12"]) == "l10"
    assert next_id(["TL0", "TL1"]) == "TL2"
    assert next_id(["a", "b"]) == "l1"
    assert next_id(["a", "l1"], taken={"l2", "l3"}) == "l4"
    assert next_id(["l" + "9" * 40]) == f"l{'9' * 25}1000000000000000"


@pytest.mark.parametrize(
    ("new", "why"),
    [
        (("ei1", "BEFORE", "ei7"), "has no entity 'ei7'; its entities: 'ei1', 'ei2', 't1'"),
        (("ei1", "BEFOR", "ei2"), "unknown label 'BEFOR'"),
    ],
)
def test_what_the_document_does_not_have_is_refused(new, why):
    with pytest.raises(UsageError, match=why):
        timeml("", add=[new])


def test_what_the_format_cannot_hold_is_refused():
    noted = NewLink("a", "BEFORE", "c", comment="why")
    for name, data in (
        ("x.tsv", b"a\tBEFORE\tb\nb\tBEFORE\tc\n"),
        ("x.csv", b"source,relation,target\na,b,b\nb,b,c\n"),
    ):
        with pytest.raises(NoPlaceForNotesError, match="no place for notes"):
            changed(Source(name, data), {"x": Edits(add=[noted])})
    turned = GOLDEN / "brat" / "turned"
    source = Source(str(sample(turned)), None, options(turned))
    with pytest.raises(UsageError, match=r"no \[\[link\]\] that can have the label 'DANACH'; add one to the mapping"):
        changed(source, {"turned": Edits(add=[("T1", "DANACH", "T2")])})
    bakery = sample(GOLDEN / "xmi" / "bakery").read_text("utf-8")
    without = "\n".join(line for line in bakery.splitlines() if "TLINK xmi" not in line)
    with pytest.raises(UsageError, match=r"no link that starts from a .*TIMEX3. and shows"):
        changed(Source("x.xmi", without.encode()), {"x": Edits(add=[("13", "BEFORE", "10")])})
    plain = bakery.replace('functionInDocument="CREATION_TIME"', "").encode()
    edits = Edits(add=[("11", "AFTER", "doctime")])
    with pytest.raises(UsageError, match="'doctime' is not an annotation of the file"):
        changed(Source("x.xmi", plain, Options(doctimerel=True)), {"x": edits})


@pytest.mark.parametrize(
    "case",
    [case for case in SAMPLES if case.parent.name not in {"tsv", "csv", "doccano"}],
    ids=lambda case: case.parent.name,
)
def test_notes_come_with_new_links(case):
    path, chosen = sample(case), options(case)
    if chosen.mapping is None and case.parent.name in {"xmi", "cas-json", "mae"}:
        from temporacle.io.tools.mapping import ToolMapping

        chosen = Options(mapping=ToolMapping("notes", comment="note"))
    source = Source(str(path), path.read_bytes(), chosen)
    document = next(each for each in documents(source).values() if len(each.links) > 0)
    model = document.links[-1]
    new = NewLink(model.target, model.label, model.source, comment='see <"x"> & y')
    data = added(source, document, [new]).decode()
    assert re.search(r'see (<|&lt;)(\\?"|&quot;)x', data)
    assert stated(documents(source, data.encode())[document.id].links) == sorted(
        [*stated(document.links), *triples([new])]
    )


def test_new_ids_of_a_cas_are_not_those_that_a_list_mentions():
    text = sample(GOLDEN / "xmi" / "bakery").read_text("utf-8").replace("4711", "91").replace("41 49", "41 92")
    data = changed(Source("x.xmi", text.encode()), {"x": Edits(add=[("10", "BEFORE", "13")])}).decode()
    assert 'xmi:id="93"' in data


def test_lists_of_a_cas_lose_and_gain_links_at_once():
    source = Source(str(sample(GOLDEN / "xmi" / "bakery")))
    text = "\n".join(line for line in source.data.decode().splitlines() if "TLINK xmi" not in line)
    edits = Edits(drop={"40", "41", "42"}, add=[("10", "BEFORE", "13"), ("11", "AFTER", "10"), ("14", "AFTER", "10")])
    data = changed(Source("x.xmi", text.encode()), {"x": edits}).decode()
    assert 'begin="7" end="14" TLINK="49 91"' in data
    assert '<cas:FSArray xmi:id="50" elements="92"/>' in data
    assert '<cas:FSArray xmi:id="94" elements="93"/>' in data
    assert 'xmi:id="14" sofa="1" begin="5" end="7" TLINK="94"' in data
    everything = Source("x.jsonl", b'{"document": "x", "links": [{"source": "a", "relation": "b", "target": "c"}]}')
    swapped = changed(everything, {"x": Edits(drop={"1"}, add=[("c", "b", "a")])})
    assert json.loads(swapped)["links"] == [{"source": "c", "relation": "b", "target": "a"}]


def test_the_command_adds_links(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    data = TIMEML.format("").encode()
    (tmp_path / "x.tml.gz").write_bytes(gzip.compress(data))
    assert run(["apply", "x.tml.gz", "--add", "ei1 BEFORE t1", "--add", "t1\tBEFORE\tei2", "--in-place"]) == 0
    assert "2 links added" in capsys.readouterr().err
    assert stated(tp.read("x.tml.gz").links) == [("ei1", "BEFORE", "t1"), ("t1", "BEFORE", "ei2")]
    assert run(["apply", "x.tml.gz", "--add", "ei1 BEFORE", "-o", "y.tml"]) == 2
    assert "write 'SOURCE LABEL TARGET', such as 'ei1 BEFORE ei2'" in capsys.readouterr().err
    rows = tmp_path / "many.tsv"
    rows.write_bytes(b"d\ta\tb\tc\ne\tp\tb\tq\n")
    assert tp.apply(rows, add=[("q", "m", "p")]) == b"d\ta\tb\tc\ne\tp\tb\tq\ne\tq\tm\tp\n"
    with pytest.raises(UsageError, match="none of them has these links and entities"):
        tp.apply(rows, add=[("a", "m", "p")])


def test_files_without_declarations_take_new_names():
    for before, after in (
        (b"source\trelation\ttarget\n", b"source\trelation\ttarget\na\tBEFORE\tb\nb\tBEFORE\tc\n"),
        (b"source\trelation\ttarget", b"source\trelation\ttarget\na\tBEFORE\tb\nb\tBEFORE\tc"),
        (b"a\tBEFORE\tz\r\n", b"a\tBEFORE\tz\r\na\tBEFORE\tb\r\nb\tBEFORE\tc\r\n"),
        (b"target,note,relation,source\n", b"target,note,relation,source\nb,,BEFORE,a\nc,,BEFORE,b\n"),
    ):
        source = Source("x.csv" if b"," in before else "x.tsv", before)
        assert changed(source, {"x": Edits(add=[("a", "BEFORE", "b"), ("b", "BEFORE", "c")])}) == after
    source = Source("x.jsonl", b'{"document": "x", "links": []}\n')
    new = changed(source, {"x": Edits(add=[("a", "b", "c")])})
    assert new == b'{"document": "x", "links": [{"id": "l1", "source": "a", "relation": "b", "target": "c"}]}\n'
    source = Source("x.jsonl", b'{"document": "x", "entities": ["a", "b"], "links": []}\n')
    with pytest.raises(UsageError, match="'c' is not declared in this document"):
        changed(source, {"x": Edits(add=[("a", "b", "c")])})


@pytest.mark.parametrize("case", SAMPLES, ids=lambda case: f"{case.parent.name}-{case.name}")
def test_adding_a_link_means_the_same_as_converting_the_longer_document(case, tmp_path):
    """The naive twin: a document with a few links more, converted to JSON Lines, has the same links and relations."""
    path, rng = sample(case), Random(3)
    source = Source(str(path), path.read_bytes(), options(case))
    for document in documents(source).values():
        for _ in range(5 if len(document.entity_ids) > 1 else 0):
            new = new_links(document, rng, 2)
            try:
                after = documents(source, added(source, document, new))[document.id]
            except UsageError:
                continue
            meant = [document.reading.relation(each.label) for each in new]
            links = [
                Link(f"n{number}", each.source, relation, each.target, each.label)
                for number, (each, relation) in enumerate(zip(new, meant, strict=True))
            ]
            tp.write([replace(document, links=(*document.links, *links))], tmp_path / "anew.jsonl")
            anew = tp.read(tmp_path / "anew.jsonl")
            assert Counter(related(after)) == Counter(related(anew))  # relations are sets: < is no order to sort by


def related(document):
    return [(link.source, link.relation, link.target) for link in document.links]


def test_many_links_are_added_to_many():
    """As many as an adjudicated document may get."""
    names = [f"e{number}" for number in range(4001)]
    rows = "".join(f"{one}\tb\t{two}\n" for one, two in pairwise(names))
    source = Source("x.tsv", rows.encode())
    new = [NewLink(one, "bi", two) for two, one in pairwise(names)]
    assert len(documents(source, changed(source, {"x": Edits(add=new)}))["x"].links) == 8000


CORPORA = ("te3-platinum", "timebank-dense", "te3-silver", "narrativetime", "tempeval1")
TOOLS = ("timeset", "e3c", "brat", "xmi", "cas-json", "label-studio", "mae", "prodigy", "doccano")


@pytest.mark.corpora
@pytest.mark.slow
@pytest.mark.parametrize("corpus", [*CORPORA, *(f"annotation-tools/{tool}" for tool in TOOLS)])
def test_links_of_corpora_come_and_go_without_a_trace(corpus):
    rng = Random(11)
    name = corpus.rpartition("/")[2]
    chosen = Options(mapping=name if name in {"timeset", "e3c"} else None)
    count = 0
    files = (each for each in sorted(shared("corpora", corpus).rglob("*")) if each.is_file())
    for path in [each for each in files if each.stat().st_size < 100_000][:60]:
        source = Source(str(path), None, chosen)
        try:
            found = list(documents(source).values())
        except tp.InputError:
            continue
        if found and editable(found[0].format):
            source.format = found[0].format
            count += sum(add_and_drop(source, rng) for _ in range(4 if name in FORMATS else 1))
    assert count > 5


def test_links_between_whole_numbers_can_be_edited():
    line = b'{"document": "d", "links": [{"source": 1, "relation": "b", "target": 2}]}\n'
    source = Source("d.jsonl", line, format="jsonl")
    after = changed(source, {"d": Edits(add=[NewLink("2", "b", "3")], comment={"1": "why"})})
    (found,) = read_source(Source("d.jsonl", after, format="jsonl"))
    assert [(link.source, link.target) for link in found.links] == [("1", "2"), ("2", "3")]
