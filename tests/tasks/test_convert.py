"""``temporacle convert``."""

import os

import pytest

import temporacle as tp
from temporacle import cli
from temporacle.io import read_corpus

TIMEML = (
    '<TimeML><EVENT eid="e1">rose</EVENT><EVENT eid="e2">fell</EVENT><MAKEINSTANCE eiid="ei1" eventID="e1"/>'
    '<MAKEINSTANCE eiid="ei2" eventID="e2"/>'
    '<TLINK lid="l1" relType="DURING" eventInstanceID="ei1" relatedToEventInstance="ei2"/>{}</TimeML>'
)


def run(source, target, *options):
    return cli.run(["convert", str(source), str(target), *options])


def test_a_folder_to_a_file_and_back(tmp_path, capsys):
    (tmp_path / "in").mkdir()
    for name in ("a", "b"):
        (tmp_path / "in" / f"{name}.tml").write_text(TIMEML.format(""))
    assert run(tmp_path / "in", tmp_path / "all.jsonl") == 0
    assert "2 documents written as jsonl" in capsys.readouterr().err
    assert run(tmp_path / "all.jsonl", tmp_path / "out", "--to", "timeml") == 0
    first, second = list(read_corpus(tmp_path / "in")), list(read_corpus(tmp_path / "out"))
    assert [document.links[0][:4] for document in first] == [document.links[0][:4] for document in second]


def test_what_is_lost_is_told_and_leaves_a_trace_in_the_exit_code(tmp_path, capsys):
    path = tmp_path / "a.tml"
    path.write_text(
        TIMEML.format('<TLINK lid="l2" relType="NEAR" eventInstanceID="ei1" relatedToEventInstance="ei2"/>')
    )
    assert run(path, tmp_path / "a.tsv") == 3
    assert f"{path}:1: skipped[unknown-label]: l2: unknown label 'NEAR'" in capsys.readouterr().err
    path.write_text("<TimeML>")
    assert run(path, tmp_path / "b.tsv") == 2
    assert "unreadable" in capsys.readouterr().err


def test_the_reading_can_be_chosen(tmp_path):
    path = tmp_path / "a.tml"
    path.write_text(TIMEML.format(""))
    assert run(path, tmp_path / "a.csv", "--during", "is_included") == 0
    assert "a,l1,ei1,d,DURING,ei2,1,1," in (tmp_path / "a.csv").read_text()


def test_what_cannot_be_written_leaves_a_trace_in_the_exit_code(tmp_path, capsys):
    path = tmp_path / "a.jsonl"
    path.write_text('{"document": "d", "links": [{"source": "a\\tb", "relation": "b", "target": "c"}]}\n')
    assert run(path, tmp_path / "a.tsv") == 3
    assert "not written" in capsys.readouterr().err


def test_nothing_readable_leaves_what_was_written_before(tmp_path, capsys):
    good, bad, out = tmp_path / "a.tml", tmp_path / "b.tml", tmp_path / "out.jsonl"
    good.write_text(TIMEML.format(""))
    bad.write_text("<TimeML>")
    assert run(good, out) == 0
    before = out.read_text()
    assert run(bad, out) == 2
    assert out.read_text() == before
    assert run(bad, tmp_path / "new.tml") == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.tml", "b.tml", "out.jsonl"]
    assert "0 documents written" in capsys.readouterr().err


def test_the_cure_for_an_unclear_format_is_an_option_of_this_command(tmp_path, capsys):
    path = tmp_path / "links.txt"
    path.write_text("a\tb\ts\nb\ta\ts\n")
    assert run(path, tmp_path / "out.tsv") == 2
    assert "name it with --format" in capsys.readouterr().err
    assert run(path, tmp_path / "out.tsv", "--format", "dense") == 0
    assert "links\ta\t=\tb\n" in (tmp_path / "out.tsv").read_text()


@pytest.mark.skipif(os.name != "posix", reason="other systems have no such names")
def test_a_file_name_that_is_no_text_does_not_stop_the_others(tmp_path):
    for folder in (b"a", b"caf\xe9"):
        os.mkdir(os.path.join(os.fsencode(tmp_path), folder))  # noqa: PTH102, PTH118
        with open(os.path.join(os.fsencode(tmp_path), folder, b"caf\xe9.tml"), "w") as file:  # noqa: PTH118, PTH123
            file.write(TIMEML.format(""))
    for kind in ("jsonl", "tsv", "csv"):
        out = tmp_path / f"out.{kind}"
        assert run(tmp_path, out, "--merge") == 0
        assert [document.id for document in read_corpus(out)] == ["caf%E9"]
        out.unlink()


def test_workers_write_the_same_bytes(tmp_path):
    (tmp_path / "in").mkdir()
    for number in range(5):
        (tmp_path / "in" / f"d{number}.tsv").write_text(f"a\tBEFORE\tb\nb\tBEFORE\tc{number}\nc\tFOO\td\n")
    found = []
    for jobs in (1, 2):
        out = tmp_path / f"{jobs}.jsonl"
        written = tp.convert(tmp_path / "in", out, jobs=jobs, allow="unknown-label")
        found.append((out.read_bytes(), written.documents, written.skipped_links))
    assert found[0] == found[1]
    assert found[0][1:] == (5, {"unknown-label": 5})
