"""``temporacle formats``: the list is that of the registry, and every example can be read."""

import json

import pytest

from temporacle.cli import run
from temporacle.io import read_source
from temporacle.io.formats import FORMATS, REGISTRY, example_of
from temporacle.io.source import Source
from temporacle.model import Document


def written(tmp_path, name):
    """The example of a format as a file, or as a folder."""
    text = example_of(name)
    if not text.startswith("==> "):
        path = tmp_path / f"ferry{(REGISTRY[name].suffixes or ('.txt',))[0]}"
        path.write_text(text, "utf-8")
        return path
    for part in text.split("==> ")[1:]:
        file, _, content = part.partition("\n")
        (tmp_path / file).write_text(content, "utf-8")
    return tmp_path / "ferry.ann" if name == "brat" else tmp_path


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "parquet"])
def test_the_example_is_in_its_format(name, tmp_path):
    path = written(tmp_path, name)
    source = Source(str(path), b"" if path.is_dir() else None, format=name if path.is_dir() else None)
    documents = list(read_source(source))
    assert source.format == name
    assert documents
    for document in documents:
        assert isinstance(document, Document)
        assert document.links
        assert not document.remarks


def test_every_format_is_listed_with_its_example(capsys):
    assert run(["formats", "--output", "json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["format"] for row in rows] == list(REGISTRY)
    for row in rows:
        entry = REGISTRY[row["format"]]
        assert row["example"] == example_of(entry.name)
        used = row["read"], row["written"], row["changed"]
        assert used == (entry.location is not None, entry.writer is not None, entry.editor is not None)
    assert run(["formats"]) == 0
    table = capsys.readouterr().out
    assert all(name in table for name in REGISTRY)
    assert run(["formats", "--output", "csv"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(REGISTRY) + 1


def test_one_format_is_shown_with_its_example(capsys):
    assert run(["formats", "brat", "tsv"]) == 0
    out = capsys.readouterr().out
    assert "brat: brat standoff" in out
    assert "    R1\tBEFORE Arg1:T1 Arg2:T3" in out
    assert "read, changed; files .ann" in out
    assert "read, written, changed; files .tsv" in out
    assert run(["formats", "word"]) == 2
    assert "choose timeml" in capsys.readouterr().err
