"""``tp.official_score``: what the command line prints, for every program."""

import pytest

import temporacle as tp
from temporacle.cli import run

TIMELINES = '{"p1": [["chemotherapy", "contains-1", "2013-01-05"]], "p2": []}'


def row(name, relation):
    return f"ei1\t{relation}\tei2\nei2\tBEFORE\tei3\nei1\tBEFORE\t{name}\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Small input for each program, under names that are the same for all."""
    monkeypatch.chdir(tmp_path)
    for side, relation in (("gold", "BEFORE"), ("system", "AFTER")):
        (tmp_path / side).mkdir()
        for name in ("ei4", "ei5"):
            (tmp_path / side / f"{name}.tsv").write_text(row(name, relation))
        (tmp_path / f"{side}.json").write_text(TIMELINES if side == "gold" else TIMELINES.replace("05", "06"))
        (tmp_path / f"{side}.txt").write_text("saw\t1\t0-doc1-2\nwent\t2\t1-doc1-3\n")
    (tmp_path / "ids").write_text("p1\np2\n")
    return tmp_path


CASES = [
    ({}, ("gold", "system")),
    ({"method": "acl11"}, ("gold", "system")),
    ({"metric": "pairs"}, ("gold", "system")),
    ({"metric": "pairs", "convention": "tbdense", "missing": "skip"}, ("gold", "system")),
    ({"metric": "timeline"}, ("gold.txt", "system.txt")),
    ({"metric": "timeline", "ordering_only": True}, ("gold.txt", "system.txt")),
    ({"metric": "tempeval1", "relaxed": True}, ("gold", "system")),
    ({"metric": "chemotimelines", "ids": "ids", "mode": "strict"}, ("gold.json", "system.json")),
    ({"metric": "anafora", "per_document": True}, ("gold", "system")),
    ({"metric": "i2b2", "tags": "tlink"}, ("gold", "system")),
]


@pytest.mark.parametrize(
    ("options", "paths"), CASES, ids=[" ".join(map(str, options.values())) for options, _ in CASES]
)
def test_the_same_is_printed_as_on_the_command_line(folder, capfdbinary, options, paths):
    flags = []
    for name, value in options.items():
        flags += [f"--{name.replace('_', '-')}", *([] if value is True else [value])]
    run(["score", *paths, "--official", *flags])
    printed = capfdbinary.readouterr().out
    found = tp.official_score(*paths, **options)
    text = found.text if isinstance(found.text, bytes) else found.text().encode()
    assert text == printed != b""


def test_runs_that_vote_are_a_list(folder, capfdbinary):
    for side in ("gold", "system"):
        for path in (folder / side).iterdir():
            path.write_text(path.read_text() + "ei6\tAFTER\tei7\nei7\tEQUAL\tei8\nei8\tVAGUE\tei9\n")
    options = ["--official", "--metric", "pairs", "--convention", "global-zero-shot-voted"]
    assert run(["score", "gold", "system", "gold", "gold", *options]) == 0
    runs = [folder / "system", "gold", "gold"]
    found = tp.official_score("gold", runs, metric="pairs", convention="global-zero-shot-voted")
    assert found.text().encode() == capfdbinary.readouterr().out


def test_differences_are_explained(folder):
    plain = tp.official_score(folder / "gold", folder / "system")
    explained = tp.official_score(folder / "gold", folder / "system", explain_difference=True, jobs=1)
    assert plain.differences is None
    assert explained.differences.exact is not None
    assert explained.text == plain.text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metric": "core"}, "metric core has no official program: choose awareness, .*, pairs, i2b2"),
        (
            {"during": "includes"},
            "for metric awareness has no option during: choose method, align, relaxed, ordering_only",
        ),
        (
            {"metric": "pairs", "align": "ids"},
            "for metric pairs has no option align: choose convention, missing, label_set",
        ),
        ({"metric": "i2b2", "relaxed": True}, "metric i2b2 has no option relaxed"),
        ({"relaxed": True}, "does not support relaxed"),
    ],
)
def test_options_of_other_programs_are_refused(folder, options, message):
    with pytest.raises(tp.UsageError, match=message):
        tp.official_score(folder / "gold", folder / "system", **options)


def test_other_programs_take_one_system(folder):
    with pytest.raises(tp.UsageError, match="metric awareness takes one system only"):
        tp.official_score(folder / "gold", [folder / "system", folder / "gold"])


def test_score_points_to_it(folder):
    with pytest.raises(tp.UsageError, match=r'tp.official_score\(gold, system, metric="i2b2"\)'):
        tp.score(folder / "gold", folder / "system", metric="i2b2")
