"""Digits that READMEs, logs and notebooks print, from the files they were computed on."""

import json

import pytest
from shared_data import shared

from temporacle.cli import run

pytestmark = pytest.mark.corpora


def published():
    return json.loads((shared("golden", "pairwise") / "published.json").read_text("utf-8"))


def official(capsys, *arguments):
    assert run(["score", *map(str, arguments), "--official", "--metric", "pairs", "--output", "json"]) == 0
    return json.loads(capsys.readouterr().out.splitlines()[-1])


def test_cogcomptime(capsys, tmp_path):
    """Accuracy .6989, P .7042, R .7981, F1 .7482 on MATRES, and every other run whose scores are there."""
    digits, folder = published()["cogcomptime"], shared("corpora", "scores")
    assert digits["seed102.matres"]["lines"][1:] == ["TEST PRECISION=0.7042", "TEST RECALL=0.7981", "TEST F1=0.7482"]
    for name, expected in digits.items():
        rows = ["document\tsource\trelation\ttarget\n"]
        for line in (folder / f"{name}.jsonl").read_text("utf-8").splitlines():
            document = json.loads(line)
            rows += [
                "\t".join(
                    (document["document"], each["source"], max(each["scores"], key=each["scores"].get), each["target"])
                )
                + "\n"
                for each in document["pairs"]
            ]
        system = tmp_path / f"{name}.tsv"
        system.write_text("".join(rows), "utf-8")
        gold = folder / f"gold-{name.split('.')[1]}.tsv"
        total = official(capsys, gold, system, "--convention", "matres")
        assert total["official"] == {key: expected[key] for key in ("lines", "epoch_line", "confusion")}, name


def test_one_system_under_three_conventions(capsys, tmp_path):
    """Several points apart, for the same answers: the conventions are three different numbers."""
    matrix = published()["cogcomptime"]["seed102.matres"]["confusion"]
    labels = ("BEFORE", "AFTER", "EQUAL", "VAGUE")
    pairs = [
        (g, p)
        for g, row in zip(labels, matrix, strict=True)
        for p, n in zip(labels, row, strict=True)
        for _ in range(n)
    ]
    for side, place in (("gold", 0), ("system", 1)):
        rows = [f"d\te{k}\t{pair[place]}\tf{k}\n" for k, pair in enumerate(pairs)]
        (tmp_path / f"{side}.tsv").write_text("".join(rows))
    names = ["matres", "matres-econet", "matres-gold-nonvague"]
    flags = [flag for name in names for flag in ("--convention", name)]
    files = [str(tmp_path / f"{side}.tsv") for side in ("gold", "system")]
    assert run(["score", *files, "--metric", "pairs", *flags, "--output", "json"]) == 0
    totals = [json.loads(line) for line in capsys.readouterr().out.splitlines() if '"total"' in line]
    assert [(each["convention"], f"{each['f1']:.4f}") for each in totals] == list(
        zip(names, ["0.7482", "0.6989", "0.7981"], strict=True)
    )


def test_narrativetime(capsys):
    """The document of the notebook and its five least agreed ones, and the mean of all."""
    digits = published()["narrativetime"]
    folder = shared("corpora", "narrativetime", "timebank", "nt_converted_to_tml")
    found = official(capsys, folder / "a1", folder / "a2", "--convention", "narrativetime")["official"]
    expected = {name: value for name, value in digits.items() if "." in name} | digits["least_agreed"]
    for name, figures in expected.items():
        assert found["documents"][name] == pytest.approx(figures, abs=1e-12), name
    least = sorted(found["documents"], key=lambda name: found["documents"][name]["kappa"])[:5]
    assert set(least) == set(digits["least_agreed"])
    assert found["total"] == pytest.approx(digits["all_34_documents_here"], abs=1e-12)
