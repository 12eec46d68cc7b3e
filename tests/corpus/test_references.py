"""Lines of large files are read again when they are needed: the result is that of lines kept in memory."""

import gzip
import io
import json
import random
from time import monotonic
from types import SimpleNamespace

import pytest

from temporacle.cli import run
from temporacle.corpus.observer import SILENT
from temporacle.corpus.references import StoredDocument, StoredLine, references
from temporacle.errors import TimeLimitError
from temporacle.io import read_source
from temporacle.io.source import Options, Source
from temporacle.model import Document, Unreadable
from temporacle.reasoner.network import document_time

LABELS = ["BEFORE", "AFTER", "INCLUDES", "nonsense"]


def lines(seed, number=40):
    """Draw lines: documents, blank lines, both line ends, characters of several bytes, what cannot be read."""
    draw = random.Random(seed)
    for each in range(number):
        links = [
            {"source": "é☃"[draw.randrange(2)] + str(k), "relation": draw.choice(LABELS), "target": f"t{k}"}
            for k in range(draw.randint(0, 4))
        ]
        name = f"d{each}" if draw.random() > 0.1 else f"d{each // 2}"
        yield draw.choice(
            [json.dumps({"document": name, "links": links}, ensure_ascii=draw.random() < 0.5)] * 8
            + ["", "   ", '{"document": "x", "links": [', '{"document": "y", "links": 3}']
        )


def corpus(seed):
    draw = random.Random(seed)
    first = json.dumps({"document": "first", "links": [{"source": "a", "relation": "BEFORE", "target": "b"}]})
    text = "".join(line + draw.choice(["\n", "\r\n"]) for line in (first, *lines(seed)))
    return (b"\xef\xbb\xbf" if draw.random() < 0.3 else b"") + text.encode()


@pytest.fixture
def small_slices(monkeypatch):
    monkeypatch.setattr("temporacle.io.slices.SLICE", 300)
    monkeypatch.setattr("temporacle.io.slices._SMALL_GZIP", 10)


def found(path):
    return references(str(path), Options(), SILENT)


def as_words(reference):
    document = reference.read()
    content = str(document.error) if isinstance(document, Unreadable) else (document.links, document.remarks)
    return reference.name, reference.size, document.id, content


@pytest.mark.usefixtures("small_slices")
@pytest.mark.parametrize("seed", range(30))
def test_lines_that_stay_in_their_file_are_read_like_lines_that_are_copied(seed, tmp_path):
    path = tmp_path / "c.jsonl"
    path.write_bytes(gzip.compress(corpus(seed)))
    copied = found(path)
    path.write_bytes(corpus(seed))
    stored = found(path)
    whole = corpus(seed).removeprefix(b"\xef\xbb\xbf").splitlines()
    for references_of in (copied, stored):
        lines_of = [each.content for each in references_of if isinstance(each.content, StoredLine)]
        assert len(lines_of) > 10
        for line in reversed(lines_of):
            source = line.source()
            assert source.data.strip() == whole[source.first_line - 1].strip()
    assert [*map(as_words, stored)] == [*map(as_words, copied)]
    assert [*map(as_words, stored[3:9:2])] == [as_words(stored[place]) for place in (3, 5, 7)]
    assert [each.digest() for each in stored] == [each.digest() for each in copied]
    assert [as_words(each.loaded()) for each in reversed(copied)] == [*map(as_words, reversed(stored))]


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_stored_documents_are_those_of_the_table(seed, packed, tmp_path, request):
    draw = random.Random(seed)
    rows = [
        f"d{number}\té{draw.randrange(5)}\t{draw.choice(LABELS)}\te{draw.randrange(5)}"
        for number in range(40)
        for _ in range(draw.randint(1, 4))
    ]
    text = "\n".join(["document\tsource\trelation\ttarget", *rows]).encode()
    path = tmp_path / "c.tsv"
    path.write_bytes(gzip.compress(text) if packed else text)
    kept = found(path)
    assert len(kept) == 40
    assert not any(isinstance(each.content, StoredDocument) for each in kept)
    request.getfixturevalue("small_slices")
    stored = found(path)
    assert sum(isinstance(each.content, StoredDocument) for each in stored) > 10
    assert [each.read() for each in stored] == [each.read() for each in kept]
    assert [each.digest() for each in reversed(stored)] == [each.digest() for each in reversed(kept)]
    assert [each.loaded().content for each in reversed(stored)] == [each.content for each in reversed(kept)]


@pytest.mark.usefixtures("small_slices")
def test_a_line_that_has_changed_is_not_read(tmp_path):
    path = tmp_path / "c.jsonl"
    path.write_bytes(corpus(0))
    stored = [each for each in found(path) if isinstance(each.content, StoredLine)]
    path.write_bytes(corpus(0) + b'{"document": "new", "links": []}\n')
    assert not any("has changed while" in str(as_words(each)) for each in stored)  # what was added is behind them
    path.write_bytes(corpus(0).replace(b"BEFORE", b"before").replace(b"AFTER", b"after"))
    assert any("has changed while it was read" in str(as_words(each)) for each in stored)
    path.unlink()
    assert all("cannot be opened" in str(as_words(each)) for each in stored)


def documents(seed, number=60):
    draw = random.Random(seed)
    for each in range(number):
        links = [
            {"source": f"e{k}", "relation": draw.choice(LABELS[:2]), "target": f"e{k + 1}"}
            for k in range(draw.randint(1, 5))
        ]
        yield json.dumps({"document": f"d{each}", "links": links}) + "\n"


@pytest.mark.parametrize("output", ["json", "csv", "table", "markdown"])
def test_scores_are_the_same_however_the_lines_are_kept(output, tmp_path, capsys, monkeypatch):
    gold, system = tmp_path / "gold.jsonl", tmp_path / "system.jsonl"
    texts = ["".join(documents(seed)).encode() for seed in (1, 2)]
    for path, text in zip((gold, system), texts, strict=True):
        path.write_bytes(text)
        path.with_suffix(".jsonl.gz").write_bytes(gzip.compress(text))

    def scored(first, second, *more):
        assert run(["score", str(first), str(second), "--output", output, "--name", "it", *more]) == 0
        return capsys.readouterr().out

    whole = scored(gold, system)
    monkeypatch.setattr("temporacle.io.slices.SLICE", 300)
    monkeypatch.setattr("temporacle.io.slices._SMALL_GZIP", 10)
    journal = str(tmp_path / "done.journal")
    assert scored(gold, system) == whole
    assert scored(gold, system, "--jobs", "2") == whole
    assert scored(gold, system, "--resume", journal) == scored(gold, system, "--resume", journal) == whole
    assert scored(f"{gold}.gz", f"{system}.gz") == whole
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BufferedReader(io.BytesIO(texts[1]))))
    assert scored(gold, "-") == whole


def test_many_scores_are_printed_in_several_tables(tmp_path, capsys, monkeypatch):
    path = tmp_path / "gold.jsonl"
    path.write_text("".join(documents(1, 5)))
    assert run(["score", str(path), str(path)]) == 0
    whole = capsys.readouterr().out.splitlines()
    monkeypatch.setattr("temporacle.commands.terminal.MANY_ROWS", 2)
    assert run(["score", str(path), str(path)]) == 0
    parts = capsys.readouterr().out.splitlines()
    assert [line.split() for line in parts if "document" not in line] == [line.split() for line in whole[1:]]
    assert sum("document" in line for line in parts) == 3


def test_files_are_not_kept_after_they_were_read(tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.tml").write_text("<TimeML><DOCID>d</DOCID></TimeML>")
    for reference in (references_found := found(tmp_path)):
        assert reference.read().id == reference.name
        assert reference.digest() == reference.digest()
    assert [each.content.carried for each in references_found] == [0, 0]


def test_standard_input_can_be_read_again(monkeypatch):
    document = io.BytesIO(b"<TimeML><DOCID>d</DOCID></TimeML>")
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=document))
    (reference,) = references("-", Options(format="timeml"), SILENT)
    assert reference.read().format == reference.read().format == "timeml"
    assert reference.digest() == reference.digest()


def test_a_document_is_not_read_when_the_other_side_took_all_the_time(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"document": "a", "links": [{"source": "x", "relation": "b", "target": "y"}]}\n')
    (found,) = references(str(path), Options(), SILENT)
    with document_time(5, took=6):
        late = found.read()
    assert isinstance(late.error, TimeLimitError)
    assert late.id == "a"
    for seconds in (None, 5):
        with document_time(seconds, took=1):
            assert len(found.read().links) == 1


def test_a_line_is_given_up_when_its_time_is_over_and_is_not_called_empty(tmp_path, monkeypatch, capsys):
    path = tmp_path / "a.jsonl"
    path.write_text('{"document": "a", "links": [{"source": "x", "relation": "b", "target": "y"}]}\n' * 2)
    line = Source(str(path), path.read_bytes().splitlines()[0], Options(), format="jsonl")
    line.until = monotonic() + 60
    assert isinstance(next(read_source(line)), Document)
    line.until = monotonic() - 1
    assert isinstance(next(read_source(line)).error, TimeLimitError)
    every = Source(str(path), None, Options(), format="jsonl")
    every.until = monotonic() - 1
    found = read_source(every)
    assert isinstance(next(found).error, TimeLimitError)
    every.until = None  # it was the time of the first document
    assert isinstance(next(found), Document)
    monkeypatch.setattr(Source, "require_time", late)
    path.write_text('{"document": "a", "links": [{"source": "x", "relation": "b", "target": "y"}]}\n')
    assert run(["score", str(path), str(path), "--time-limit", "1"]) == 3
    err = capsys.readouterr().err
    assert "not read within the time limit" in err
    assert "no-links" not in err


def late(self):
    if self.until is not None:
        raise TimeLimitError("not read within the time limit", path=self.path)
