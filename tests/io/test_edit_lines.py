"""Links of JSON Lines, TSV and CSV dropped, relabelled and commented."""

import gzip
import json
from random import Random

import pytest

import temporacle as tp
from temporacle.errors import UsageError
from temporacle.io.edit import Edits, changed
from temporacle.io.edit import places as jt
from temporacle.io.edit.edits import Splice
from temporacle.io.source import Source


def edited(name, text, document="d", **edits):
    data = text if isinstance(text, bytes) else text.encode()
    return changed(Source(name, data), {document: Edits(**edits)}).decode()


def link(source, relation, target, **more):
    return json.dumps({"source": source, "relation": relation, "target": target, **more}, ensure_ascii=False)


LINKS = [
    link("é", "BEFORE", "b", id="k1"),
    link("b", ["b", "m"], "c"),
    link("c", "BEFOR", "é", id="k3", own={"x": [1]}),
]


def line(*links, gap=", ", **more):
    extra = "".join(f", {json.dumps(key)}: {json.dumps(value)}" for key, value in more.items())
    return f'{{"document" : "d"{extra},\t"links": [{gap.join(links)}]}}'


OTHER = '{"links":[{"source":"x","relation":"b","target":"y","id":"k1"}],"document":"other"}'


@pytest.mark.parametrize("end", ["\n", "\r\n", ""])
@pytest.mark.parametrize("gap", [", ", ",", " ,\t"])
def test_json_lines(gap, end):
    whole = line(*LINKS, gap=gap)
    for gone, kept in (({"k1"}, LINKS[1:]), ({"2"}, LINKS[::2]), ({"k3"}, LINKS[:2]), ({"2", "k3"}, LINKS[:1])):
        before, after = f"\ufeff{OTHER}\n\n{whole}{end}", f"\ufeff{OTHER}\n\n{line(*kept, gap=gap)}{end}"
        assert edited("c.jsonl", before, drop=gone) == after
    assert edited("c.jsonl", whole + end, drop={"k1", "2", "k3"}) == line(gap=gap) + end


def test_json_lines_labels_and_notes():
    new = edited("c.jsonl", line(*LINKS) + "\n" + OTHER, relabel={"2": "AFTER", "k3": "b|m"})
    assert (
        new
        == line(*LINKS).replace('["b", "m"]', '"AFTER"').replace("BEFOR", "b|m").replace("b|mE", "BEFORE")
        + "\n"
        + OTHER
    )
    noted = edited("c.jsonl", line(*LINKS), comment={"k1": 'temporacle: "é"\nand b'})
    assert json.loads(noted)["links"][0]["comment"] == 'temporacle: "é" and b'
    assert edited("c.jsonl", noted, renew=True) == line(*LINKS)
    labelled = line(link("a", "b", "b", label="EARLIER"))
    assert json.loads(edited("c.jsonl", labelled, relabel={"1": "bi"}))["links"] == [
        {"source": "a", "relation": "bi", "target": "b", "label": "bi"}
    ]


def test_one_link_a_line():
    rows = [link("a", "b", "b", document="d"), link("b", "b", "c", document="e"), link("b", "b", "a", document="d")]
    text = "\n".join(rows) + "\n"
    assert edited("c.jsonl", text, drop={"3"}) == "\n".join(rows[:2]) + "\n"
    assert edited("c.jsonl", text, drop={"1", "3"}) == rows[1] + "\n"
    assert (
        edited("c.jsonl", text, relabel={"3": "bi"})
        == "\n".join([*rows[:2], rows[2].replace('"b", "target"', '"bi", "target"')]) + "\n"
    )


def test_bad_lines_stay_as_they_are():
    text = '{"document": "d", "links": [\n' + line(*LINKS) + "\nnonsense\n"
    assert edited("c.jsonl", text, drop={"k1"}) == text.replace(LINKS[0] + ", ", "")


TSV = "# a remark\ndocument\tsource\trelation\ttarget\r\nd\ta\tb|m\tb\r\n\ne\ta\tb\tb\nd\tb\tb\ta"


def test_tsv():
    assert edited("c.tsv", TSV, drop={"3"}) == TSV.replace("d\ta\tb|m\tb\r\n", "")
    assert edited("c.tsv", TSV, drop={"6"}) == TSV.replace("d\tb\tb\ta", "")
    assert edited("c.tsv", TSV, relabel={"3": "AFTER", "6": "mi"}) == TSV.replace("b|m", "AFTER").replace(
        "b\tb\ta", "b\tmi\ta"
    )
    with pytest.raises(UsageError, match="no place for notes"):
        edited("c.tsv", TSV, comment={"3": "x"})
    with pytest.raises(UsageError, match="its links: 3, 6"):
        edited("c.tsv", TSV, drop={"4"})


CSV = 'note,target,source,relation\r\n"two\r\nlines, ""quoted""",b,a,"b"\r\n,a,b,BEFORE\r\n"x",c,"a,1",b\n'


def test_csv():
    rows = CSV.replace("two\r\nlines", "two;lines").split("\n")
    with_break = [row.replace("two;lines", "two\r\nlines") for row in rows]
    assert edited("d.csv", CSV, drop={"2"}) == "\n".join(with_break[:1] + with_break[2:])
    assert edited("d.csv", CSV, drop={"4"}) == "\n".join(with_break[:2] + with_break[3:])
    assert edited("d.csv", CSV, drop={"2", "4", "5"}) == with_break[0] + "\n"
    assert edited("d.csv", CSV, relabel={"2": "m", "5": "AFTER"}) == CSV.replace('a,"b"', "a,m").replace(
        '1",b', '1",AFTER'
    )


def test_csv_with_ids_and_gzip(tmp_path):
    text = "document,id,source,relation,target\nd,k1,a,b,b\nd,k2,b,b,a\n"
    path = tmp_path / "c.csv.gz"
    path.write_bytes(gzip.compress(text.encode()))
    assert gzip.decompress(tp.apply(path, drop=["k2"])).decode() == text.replace("d,k2,b,b,a\n", "")


def random_value(rng, depth=4):
    kind = rng.randrange(7 if depth else 4)
    if kind < 4:
        return [rng.choice(['"', "\\", "a]}", "é\n", ""]), rng.random(), None, -3][kind]
    if kind < 6:
        return [random_value(rng, depth - 1) for _ in range(rng.randrange(5))]
    return {rng.choice(["a", "b", '"', "c}"]): random_value(rng, depth - 1) for _ in range(rng.randrange(4))}


@pytest.mark.parametrize("seed", range(300))
def test_places_of_values_are_those_of_the_parser(seed):
    rng = Random(seed)
    value = random_value(rng)
    text = "  " + json.dumps(value, indent=rng.choice([None, 1, "\t"]), ensure_ascii=rng.random() < 0.5) + " ,"
    whole = jt.value_at(text, 0)
    assert whole.of(text) == value
    todo = [(whole, value)]
    while todo:
        place, found = todo.pop()
        if isinstance(found, list):
            assert [item.of(text) for item in jt.items(text, place)] == found
            todo += zip(jt.items(text, place), found, strict=True)
            gone = {k for k in range(len(found)) if rng.random() < 0.5}
            kept = [each for k, each in enumerate(found) if k not in gone]
            assert json.loads(spliced(text, jt.removed(text, place, gone), place)) == kept
        elif isinstance(found, dict):
            assert {each.key: each.value.of(text) for each in jt.members(text, place)} == found
            todo += [(each.value, found[each.key]) for each in jt.members(text, place)]
            new = jt.with_member(text, place, "a", [1])
            assert json.loads(spliced(text, [new], place)) == {**found, "a": [1]}
            kept = {key: each for key, each in found.items() if key != "a"}
            assert json.loads(spliced(text, jt.without_member(text, place, "a"), place)) == kept


def spliced(text, splices, place):
    end = place.end
    for splice in sorted(splices, reverse=True):
        assert isinstance(splice, Splice)
        text = text[: splice.start] + splice.new + text[splice.end :]
        end += len(splice.new) - (splice.end - splice.start)
    return text[place.start : end]
