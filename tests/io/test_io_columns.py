"""Tables of links under other names: the same links, whatever the columns are called; doubtful names are refused."""

import csv
import gzip
import io
import json
from itertools import permutations
from pathlib import Path

import pytest

import temporacle as tp
from temporacle.cli import run
from temporacle.errors import UsageError
from temporacle.io.columns import NEEDED, OTHER_NAMES, ColumnsError, columns_from, is_header, roles_of

ROWS = [
    {"document": "d1", "source": "left", "relation": "BEFORE", "target": "docked"},
    {"document": "d2", "source": "a", "relation": "AFTER", "target": "b"},
    {"document": "d1", "source": "docked", "relation": "MEETS", "target": "12"},
]


def as_csv(rows, delimiter=","):
    file = io.StringIO()
    writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
    writer.writerow(rows[0])
    writer.writerows(row.values() for row in rows)
    return file.getvalue().encode()


def as_jsonl(rows):
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def as_parquet(rows):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    file = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), file)
    return file.getvalue()


WRITERS = {"csv": as_csv, "tsv": lambda rows: as_csv(rows, "\t"), "jsonl": as_jsonl, "parquet": as_parquet}


def renamed(rows, names, extra=()):
    return [{**{names.get(key, key): value for key, value in row.items()}, **dict(extra)} for row in rows]


def links_of(path, **options):
    found = list(tp.read_corpus(path, **options))
    return {
        (document.id, link.source, str(link.relation), link.target) for document in found for link in document.links
    }


EXPECTED = {("d1", "left", "b", "docked"), ("d2", "a", "bi", "b"), ("d1", "docked", "m", "12")}


@pytest.mark.parametrize("suffix", WRITERS)
def test_columns_under_any_name(tmp_path, suffix):
    names = {"document": "Dokument", "source": "von", "relation": "wie", "target": "nach"}
    path = tmp_path / f"x.{suffix}"
    path.write_bytes(WRITERS[suffix](renamed(ROWS, names, [("remark", "none")])))
    assert links_of(path, columns="document=Dokument,source=von,relation=wie,target=nach") == EXPECTED
    assert links_of(path, columns=names) == EXPECTED


@pytest.mark.parametrize("suffix", WRITERS)
@pytest.mark.parametrize("role", ["document", "source", "relation", "target"])
def test_common_names_are_known(tmp_path, suffix, role):
    for number, name in enumerate(OTHER_NAMES[role]):
        path = tmp_path / f"x{number}.{suffix}"
        path.write_bytes(WRITERS[suffix](renamed(ROWS, {role: name.upper().replace("_", " ")})))
        assert links_of(path) == EXPECTED, name


@pytest.mark.parametrize("suffix", WRITERS)
def test_columns_may_stand_in_any_order(tmp_path, suffix):
    names = {"document": "doc_id", "source": "event1", "relation": "label", "target": "event2"}
    for number, order in enumerate(permutations(ROWS[0])):
        path = tmp_path / f"x{number}.{suffix}"
        path.write_bytes(WRITERS[suffix](renamed([{key: row[key] for key in order} for row in ROWS], names)))
        assert links_of(path) == EXPECTED


@pytest.mark.parametrize("suffix", WRITERS)
@pytest.mark.parametrize("gold", ["label", "relation", "rel"])
def test_gold_and_predicted_labels_side_by_side_are_refused(tmp_path, capsys, suffix, gold):
    """Reading the gold labels as predictions would give every system a perfect score."""
    rows = [{**row, "pred": "AFTER"} for row in renamed(ROWS, {"relation": gold})]
    path = tmp_path / f"x.{suffix}"
    path.write_bytes(WRITERS[suffix](rows))
    assert run(["check", str(path)]) == 2
    assert f"the columns '{gold}' and 'pred' could both be the relation" in capsys.readouterr().out
    assert {relation for _, _, relation, _ in links_of(path, columns="relation=pred")} == {"bi"}
    assert links_of(path, columns=f"relation={gold}") == EXPECTED


@pytest.mark.parametrize("suffix", WRITERS)
def test_a_named_column_that_is_missing_is_refused(tmp_path, capsys, suffix):
    path = tmp_path / f"x.{suffix}"
    path.write_bytes(WRITERS[suffix](ROWS))
    assert run(["check", str(path), "--columns", "source=source,target=event2"]) == 2
    assert "no column 'event2'" in capsys.readouterr().out


@pytest.mark.parametrize("suffix", WRITERS)
def test_files_without_any_named_column_are_read_as_usual(tmp_path, suffix):
    """The columns may be those of the other side of a score."""
    gold, system = tmp_path / f"gold.{suffix}", tmp_path / f"system.{suffix}"
    gold.write_bytes(WRITERS[suffix](ROWS))
    other = {"document": "doc_id", "relation": "guess"}
    system.write_bytes(WRITERS[suffix]([{other.get(role, role): cell for role, cell in row.items()} for row in ROWS]))
    assert tp.score(str(gold), str(system), columns="document=doc_id,relation=guess").f1 == 1


def test_whole_numbers_are_names(tmp_path):
    rows = [{"document": 7, "source": 1, "relation": "BEFORE", "target": 2}]
    for suffix in ("jsonl", "parquet"):
        path = tmp_path / f"x.{suffix}"
        path.write_bytes(WRITERS[suffix](rows))
        assert links_of(path) == {("7", "1", "b", "2")}


def test_an_unknown_header_is_said_once(tmp_path, capsys):
    path = tmp_path / "x.csv"
    path.write_text(
        "wer,wen,wie,was\n" + "".join(f"e{k},e{k + 1},BEFORE,n\n" for k in range(20)).replace("BEFORE,n", "n,X")
    )
    assert run(["check", str(path)]) == 2
    found = capsys.readouterr()
    assert found.out.count("no columns source, relation and target: the first line has 'wer', 'wen', 'wie', 'was'") == 1
    assert "--columns source=HEADER" in found.out
    assert found.err == ""


def test_a_large_table_is_read_the_same_in_slices(tmp_path):
    from temporacle.io.slices import SLICE, slices
    from temporacle.io.source import Options, Source

    rows = [
        {"document": f"doc{k // 40}", "source": f"e{k}", "relation": "BEFORE", "target": f"e{k + 1}"}
        for k in range(9000)
    ]
    names = {"document": "doc_id", "source": "event1", "relation": "pred", "target": "event2"}
    for suffix, writer in WRITERS.items():
        path = tmp_path / f"x.{suffix}"
        path.write_bytes(writer(renamed(rows, names, [("padding", "x" * 20)])))
        assert suffix == "parquet" or path.stat().st_size > SLICE
        whole = links_of(path)
        assert len(whole) == 9000
        from temporacle.io import read_source

        pieces = list(slices(Source(str(path), None, Options())))
        found = [
            (document.id, link.source, str(link.relation), link.target)
            for piece in pieces
            for document in read_source(piece)
            for link in document.links
        ]
        assert set(found) == whole
        assert len(found) == 9000


@pytest.mark.parametrize("value", ["source", "sauce=x", "source=a,source=b", "source=", "source=a,target=a", "="])
def test_what_is_not_a_choice_of_columns_is_refused(value):
    with pytest.raises(UsageError):
        columns_from(value)


def test_the_same_choice_in_text_and_as_a_mapping():
    text = columns_from("target=b, source=a")
    assert text == columns_from({"source": "a", "target": "b"}) == columns_from(text)


def test_no_name_stands_for_two_roles():
    names = [name for role, others in OTHER_NAMES.items() for name in (role, *others)]
    assert len(names) == len(set(names))


def test_a_link_is_not_a_header():
    assert not is_header(["e1", "b", "e2"])
    assert not is_header(["source", "BEFORE", "target"])
    with pytest.raises(ColumnsError):
        roles_of(["source", "relation", "x"])
    assert roles_of(["x", *NEEDED]) == ("", *NEEDED)


def test_frames_take_columns():
    frame = {"event1": ["a"], "gold": ["AFTER"], "pred": ["BEFORE"], "event2": ["b"]}
    with pytest.raises(UsageError, match="several columns of labels: 'gold', 'pred'"):
        tp.check(frame)
    assert tp.check(frame, columns={"relation": "pred"})[0].links == 1
    with pytest.raises(UsageError, match="could both be"):
        tp.check({**frame, "gold": ["not a label"], "label": ["b"]})
    assert tp.check({**frame, "label": ["b"]}, columns={"relation": "label"})[0].links == 1


@pytest.mark.parametrize("suffix", WRITERS)
@pytest.mark.parametrize("gold", ["relation", "label"])
def test_the_label_comes_from_the_chosen_column(tmp_path, suffix, gold):
    for number, order in enumerate((("pred", gold), (gold, "pred"))):
        row = {
            "document": "d",
            "source": "a",
            **{name: {"pred": "AFTER"}.get(name, "BEFORE") for name in order},
            "target": "b",
        }
        path = tmp_path / f"{number}.{suffix}"
        path.write_bytes(WRITERS[suffix]([row]))
        (link,) = tp.read(path, columns="relation=pred").links
        assert (str(link.relation), link.label) == ("bi", "AFTER")


def test_scores_of_predictions_under_other_names(tmp_path):
    gold, system = tmp_path / "gold.csv", tmp_path / "run.csv"
    gold.write_bytes(as_csv(ROWS))
    rows = renamed(ROWS, {"document": "doc_id", "source": "event1", "relation": "label", "target": "event2"})
    system.write_bytes(as_csv([{**row, "pred": "BEFORE"} for row in rows]))
    with pytest.raises(UsageError, match="could both be the relation"):
        tp.score(gold, system)
    found = tp.score(gold, system, columns="relation=pred")
    other = tp.score(gold, system, columns="relation=label")
    assert other.f1 == 1 != found.f1
    assert "columns-relation=pred" in found.signature
    assert found.signature != other.signature


def test_the_page_lists_the_known_names():
    page = (Path(__file__).parents[2] / "docs" / "formats.md").read_text("utf-8")
    for role, names in OTHER_NAMES.items():
        assert f"| `{role}` | {', '.join(f'`{name}`' for name in names) or '(none)'} |" in page


def test_a_named_column_that_no_file_has_is_refused(tmp_path, capsys):
    """A misspelled name must not lead to another column being scored."""
    gold, system = tmp_path / "gold.tsv", tmp_path / "system.tsv"
    gold.write_text("source\trelation\ttarget\na\tBEFORE\tb\n")
    system.write_text("source\trelation\ttarget\tguess\na\tBEFORE\tb\tAFTER\n")
    assert run(["score", str(gold), str(system), "--columns", "relation=guess", "--output", "json"]) == 0
    assert '"f1": 0.0' in capsys.readouterr().out
    for command in (["score", str(gold), str(system)], ["check", str(gold)], ["closure", str(gold)]):
        assert run([*command, "--columns", "relation=gues"]) == 2
        printed = capsys.readouterr()
        assert not printed.out
        assert "no input has a column gues" in printed.err.replace("'", "")
    for question in (
        lambda columns: tp.score(str(gold), str(system), columns=columns),
        lambda columns: tp.compare(str(gold), {"one": str(system)}, columns=columns),
        lambda columns: tp.agreement(str(gold), str(system), columns=columns),
        lambda columns: tp.read(str(system), columns=columns),
    ):
        question({"relation": "guess"})
        with pytest.raises(UsageError, match="no input has a column"):
            question({"relation": "gues"})


@pytest.mark.parametrize("write", [as_csv, as_jsonl, as_parquet, lambda rows: as_csv(rows, "\t")])
@pytest.mark.parametrize("packed", [False, True])
def test_named_columns_are_found_in_every_kind_of_table(tmp_path, write, packed):
    if packed and write is as_parquet:
        pytest.skip("Parquet files are compressed inside")
    rows = [{"doc": "d", "one": "a", "guess": "BEFORE", "two": "b"}]
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "a.tml").write_text(Path("examples/corpus/ferry.tml").read_text())
    suffix = {as_jsonl: ".jsonl", as_parquet: ".parquet"}.get(write, ".csv")
    data = write(rows)
    (folder / f"b{suffix}{'.gz' if packed else ''}").write_bytes(gzip.compress(data) if packed else data)
    names = {"document": "doc", "source": "one", "relation": "guess", "target": "two"}
    assert len(tp.check(str(folder), columns=names)) == 2


# --- two columns of labels: never guessed, whatever the source --------------------------------------------------------

TWO = [
    {"document": "d", "source": "a", "target": "b", "gold": "BEFORE", "pred": "AFTER"},
    {"document": "d", "source": "b", "target": "c", "gold": "BEFORE", "pred": "BEFORE"},
]
SIDES = {"gold_columns": {"relation": "gold"}, "system_columns": {"relation": "pred"}}


def two_columns(kind, folder):
    """The same rows as a file, content or value."""
    if kind in WRITERS:
        path = folder / f"two.{kind}"
        path.write_bytes(WRITERS[kind](TWO))
        return str(path)
    if kind == "text":
        return WRITERS["csv"](TWO).decode()
    if kind == "bytes":
        return WRITERS["csv"](TWO)
    columns = {name: [row[name] for row in TWO] for name in TWO[0]}
    return {"records": TWO, "columns": columns}.get(kind) or pytest.importorskip(kind).DataFrame(columns)


@pytest.mark.parametrize("kind", [*WRITERS, "text", "bytes", "records", "columns", "pandas", "polars"])
def test_two_columns_of_labels_are_never_guessed(kind, tmp_path):
    given = two_columns(kind, tmp_path)
    for ask in (tp.Oracle, tp.Session, tp.read, lambda one: tp.score(one, one), lambda one: tp.agree(one, one)):
        with pytest.raises(tp.TemporacleError, match="several columns of labels: 'gold', 'pred'"):
            ask(given)
    assert [link.label for link in tp.read(given, columns={"relation": "pred"}).links] == ["AFTER", "BEFORE"]
    assert float(tp.score(given, given, **SIDES).f1) == 0.5
    assert [float(each.score.f1) for each in tp.compare(given, {"s": given}, **SIDES).systems] == [0.5]
    assert float(tp.agree(given, given, **SIDES).forward.f1) == 0.5
