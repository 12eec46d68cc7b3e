"""JSON Lines with one link a line: the shape that ``closure --output json`` prints."""

import json
import random

import pytest

from temporacle.cli import run
from temporacle.errors import InputError
from temporacle.io import Options, Source, read_source, slices
from temporacle.model import Document, Unreadable


def link(source="a", relation=("b",), target="b", **more):
    return {"source": source, "relation": list(relation), "target": target, **more}


def read(*records, **options):
    data = "".join(json.dumps(record) + "\n" for record in records).encode()
    return list(read_source(Source("folder/mine.jsonl", data, Options(**options))))


def stated(document):
    return [(each.id, each.source, str(each.relation), each.target, each.weight) for each in document.links]


def test_links_are_grouped_by_document():
    first, second = read(
        link(document="d1"),
        link(document="d2", target="c"),
        link("b", ["b", "m"], "c", document="d1", weight=2, id="k"),
    )
    assert (first.id, second.id) == ("d1", "d2")
    assert stated(first) == [("1", "a", "b", "b", 1), ("k", "b", "b|m", "c", 2)]
    assert [each.line for each in first.links] == [1, 3]
    assert first.entity_ids == ("a", "b", "c")
    assert (first.format, first.reading.name) == ("jsonl", "links")


def test_without_a_document_the_file_names_it():
    (document,) = read(link(), link("b", ["b"], "c"))
    assert document.id == "mine"
    assert len(document.links) == 2


def test_the_label_is_what_was_written_or_says_the_relation():
    (document,) = read(link(label="BEFORE"), {"source": "b", "label": "IBEFORE", "target": "c"})
    assert [(str(each.relation), each.label) for each in document.links] == [("b", "BEFORE"), ("m", "IBEFORE")]
    (document,) = read({"source": "a", "relation": "BEFORE", "target": "b"}, reading="tempeval")
    assert str(document.links[0].relation) == "b|m"


def test_a_link_that_cannot_be_used_is_dropped_with_its_line():
    (document,) = read(link(), link(relation=["NOSUCH"]), link(weight=-1), {"source": "a", "relation": "b"})
    assert [(each.code, each.line) for each in document.dropped] == [
        ("unknown-label", 2),
        ("bad-weight", 3),
        ("missing-endpoint", 4),
    ]


def test_keys_of_ones_own_are_kept():
    (document,) = read(link(document="d", id="k", annotator="ann"))
    assert document.extras.links == {"k": {"annotator": "ann"}}


@pytest.mark.parametrize("first", [0, 1])
def test_a_mixture_is_refused_with_its_line(first):
    shapes = [{"document": "d1", "links": [link()]}, link(document="d2")]
    *_, refused = read(shapes[first], shapes[1 - first])
    assert isinstance(refused, Unreadable)
    assert refused.error.line == 2
    assert "links" in refused.error.cure


def test_an_inconsistent_document_among_them_is_an_error_with_its_line():
    good, refused = read(link(document="d1"), {"document": "d2", "verdict": "inconsistent"})
    assert good.id == "d1"
    assert isinstance(refused, Unreadable)
    assert (refused.id, refused.error.line) == ("d2", 2)


@pytest.mark.parametrize(
    "answer",
    [
        {"document": "d", "verdict": "inconsistent"},
        {"document": "d", "verdict": "consistent", "entities": 3},
        {"document": "d", "left": "a.start", "label": "<", "right": "b.start"},
    ],
)
def test_an_answer_is_not_a_document_without_links(answer):
    found = read(answer)
    assert all(isinstance(each, Unreadable) for each in found) or answer.get("entities")
    assert not any(isinstance(each, Document) for each in found)


def test_a_bad_line_spoils_the_file():
    data = (json.dumps(link(document="d")) + "\n{\n").encode()
    (refused,) = read_source(Source("x.jsonl", data))
    assert isinstance(refused, Unreadable)
    assert refused.error.line == 2


def test_closure_of_a_closure_is_the_same(tmp_path, capsys):
    path = tmp_path / "x.tsv"
    path.write_text("document\tsource\trelation\ttarget\nd\ta\tb|m\tb\nd\tb\to\tc\ne\ta\td\tb\n")
    assert run(["closure", str(path), "--output", "json"]) == 0
    closed = capsys.readouterr().out
    again = tmp_path / "closed.jsonl"
    again.write_text(closed)
    assert run(["closure", str(again), "--output", "json"]) == 0
    assert capsys.readouterr().out == closed
    again.write_text(closed + closed.splitlines()[0].replace('"source": "a"', '"source": "c"') + "\n")
    assert run(["check", str(again), "--output", "json"]) in (0, 1)
    assert [json.loads(line)["links"] for line in capsys.readouterr().out.splitlines()] == [4, 1]


def test_a_contradiction_is_found(tmp_path, capsys):
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps(link()) + "\n" + json.dumps(link("b", ["b"], "a")) + "\n")
    assert run(["check", str(path)]) == 1


@pytest.mark.parametrize("seed", range(6))
def test_slices_hold_whole_documents_or_the_file_stays_whole(tmp_path, monkeypatch, seed):
    monkeypatch.setattr(slices, "SLICE", 2000)
    monkeypatch.setattr(slices, "_SMALL_GZIP", 0)
    rng = random.Random(seed)
    records = [link(f"e{rng.randrange(5)}", ["b"], f"t{k}", document=f"d{n}") for n in range(40) for k in range(9)]
    if seed % 2:
        rng.shuffle(records)
    path = tmp_path / "x.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    whole = {d.id: stated(d) for d in read_source(Source(str(path)))}
    pieces = list(slices.slices(Source(str(path))))
    assert (len(pieces) > 5) == (seed % 2 == 0)
    found = [d for piece in pieces for d in read_source(piece)]
    assert {d.id: stated(d) for d in found} == whole
    assert len(found) == 40


def test_a_mixture_is_seen_between_slices(tmp_path, monkeypatch):
    monkeypatch.setattr(slices, "SLICE", 10)
    monkeypatch.setattr(slices, "_SMALL_GZIP", 0)
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps({"document": "d", "links": []}) + "\n" + json.dumps(link()) + "\n")
    *_, last = slices.slices(Source(str(path)))
    assert isinstance(last, Unreadable)
    assert last.error.line == 2


def test_on_standard_input(tmp_path, monkeypatch, capsys):
    import io

    lines = json.dumps(link(document="d")) + "\n" + json.dumps(link("b", ["b"], "a", document="d")) + "\n"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(lines.encode()))))
    assert run(["check", "-"]) == 1


def test_two_documents_of_one_name_are_told_apart_from_links():
    with pytest.raises(InputError):
        raise read({"document": "d", "links": []}, {"document": "d", "links": []})[1].error
