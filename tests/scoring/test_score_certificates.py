"""Certificates of scores: the checker alone comes to the digits of ``score``, and accepts nothing that is not true."""

import hashlib
import json
import shutil
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest
from forging import forged
from naive import KINDS, random_network
from shared_data import shared

import temporacle as tp
from temporacle.checker import Rejected, in_folder, verify
from temporacle.cli import run
from temporacle.model import Document, Link
from temporacle.relation import ATOMS, Relation
from temporacle.scoring.alignment import CommonNames
from temporacle.scoring.awareness import AwarenessOptions, judge
from temporacle.scoring.metric import Vague
from temporacle.scoring.tally import document_score
from temporacle.tasks.score_pair import Request
from temporacle.tasks.score_request import request_for

EVERY = "|".join(ATOMS)


def random_document(rng, kind):
    """Links of one kind, with duplicates, links of an entity to itself, and some that allow everything."""
    names = "abcde"[: rng.randint(1, 5)]
    links = [
        (source, relation if rng.random() < 0.93 else EVERY, target)
        for source, relation, target in random_network(rng, names, kind, rng.choice((0.3, 0.6, 1.0)))
    ]
    if links and rng.random() < 0.4:
        links.append(rng.choice(links))
    if rng.random() < 0.3:
        links.insert(rng.randint(0, len(links)), ("a", rng.choice(["=", "b|=", "b"]), "a"))
    return Document("d", links)


def certificate_of(gold, system, **options):
    """The certificate as ``score`` makes it, and the score itself."""
    from temporacle.tasks.score_pair import score_proof

    empty = options.pop("empty", 0)
    request = request_for(["awareness"], options, empty=empty)
    name, chosen = request.metrics[0]
    score = document_score(judge(gold, system, chosen), metric=name, empty=empty, document="d")
    return score_proof(CommonNames(gold, system), system, request, score), score


def random_certificates(seed, count, kinds=KINDS):
    rng = Random(seed)
    for _ in range(count):
        kind = rng.choice(kinds)
        options = {"vague": rng.choice(["ignore", "count"]), "empty": rng.randrange(2)}
        yield certificate_of(random_document(rng, kind), random_document(rng, kind), **options)


@pytest.mark.parametrize("count", [120, pytest.param(1500, marks=pytest.mark.slow)])
def test_the_checker_comes_to_the_same_digits(count):
    seen = {}
    for certificate, score in random_certificates(f"scores {count}", count):
        accepted = verify(json.dumps(certificate))
        assert [accepted[name] for name in ("precision", "recall", "f1")] == [
            str(score.precision),
            str(score.recall),
            str(score.f1),
        ]
        assert accepted["counts"] == score.counts.to_dict()
        for side in ("gold", "system"):
            for entry in accepted[side]["walk"] + accepted[side]["verified"]:
                seen[entry[0]] = seen.get(entry[0], 0) + 1
            seen["derived"] = seen.get("derived", 0) + len(accepted[side]["derived"])
    assert set(seen) == {
        *("duplicate", "vague", "redundant", "set-aside", "kept"),
        *("stated", "entailed", "unknown", "open", "derived"),
    }


# --- forgeries -------------------------------------------------------------------------------------------------------


def truth_of(certificate):
    """The counts of a certificate's own links, by the metric itself."""
    documents = []
    for name in ("gold", "system"):
        side = certificate[name]
        names = dict(side["names"])
        documents.append(
            Document(
                "d",
                tuple(
                    Link(
                        link["id"],
                        names.get(link["source"], link["source"]),
                        Relation.of(*link["relation"]),
                        names.get(link["target"], link["target"]),
                        link["label"],
                    )
                    for link in side["links"]
                ),
            )
        )
    return judge(*documents, AwarenessOptions(vague=Vague(certificate["options"]["vague"]))).counts


@pytest.mark.parametrize("count", [800, pytest.param(8000, marks=pytest.mark.slow)])
def test_changed_certificates_are_rejected_or_still_true(count):
    rng = Random("forged scores")
    genuine = [certificate for certificate, _ in random_certificates("genuine", 40, ("convex", "arbitrary"))]
    accepted = 0
    for _ in range(count):
        texts = ("a", "b", "c", "a.start", "kept", "redundant", "set-aside", "open", "entailed", "stated", "1/2", "1")
        changed = forged(rng.choice(genuine), rng, texts)
        try:
            found = verify(json.dumps(changed))
        except Rejected:
            continue
        if found["claim"] != "score":
            continue
        accepted += 1
        counts = truth_of(found)
        assert found["counts"] == counts.to_dict(), changed
        empty = found["options"]["empty"]
        assert Fraction(found["precision"]) == counts.precision(empty)
        assert Fraction(found["recall"]) == counts.recall(empty)
    assert accepted


GOLD = Document(
    "d",
    [
        ("a", "b", "b"),
        ("b", "b", "c"),
        ("a", "b", "c"),
        ("c", "b", "a"),
        ("a", "b", "b"),
        ("a", EVERY, "c"),
        ("x", "=", "x"),
    ],
)
SYSTEM = Document("d", [("a", "b|m", "c"), ("c", "bi", "b"), ("b", "b", "a"), ("a", "b", "z")])


def put(*path, value):
    """A change of one place."""

    def change(certificate):
        *way, last = path
        for key in way:
            certificate = certificate[key]
        certificate[last] = value

    return change


def test_the_example_has_every_kind_of_decision():
    certificate, score = certificate_of(GOLD, SYSTEM)
    assert [entry[0] for entry in certificate["gold"]["walk"]] == [
        *("kept", "kept", "redundant", "set-aside", "duplicate", "vague", "kept")
    ]
    assert [entry[0] for entry in certificate["system"]["verified"]] == ["entailed", "stated", "open", "unknown"]
    assert (str(score.precision), certificate["precision"]) == ("1/2", "1/2")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (put("counts", "gold_total", value=3), "gold_total is 4, not 3"),
        (put("counts", "precision_matched", value=3), "precision_matched is 2, not 3"),
        (put("counts", "gold_vague_left_out", value=0), "gold_vague_left_out is 1"),
        (put("counts", "gold_set_aside", value=-1), "whole numbers"),
        (put("precision", value="2/4"), "precision is 1/2"),
        (put("f1", value=0.5), "are texts"),
        (put("metric", value="closure"), "unknown metric"),
        (put("options", "vague", value="count"), "not one entry for each counted link"),
        (put("options", "contradictions", value="refuse"), "contradicts itself"),
        (put("options", "contradictions", value="repair"), "unknown value"),
        (put("options", "empty", value=True), "0 or 1"),
        (put("gold", "walk", 2, value=["kept", 0]), "redundant|holds in model|does not hold|divides|no times|witness"),
        (put("gold", "walk", 0, value=["vague"]), "not used|neither a duplicate|unknown|vague"),
        (put("gold", "walk", 2, value=["set-aside", []]), "do not show"),
        (put("gold", "walk", 2, 1, value=[]), "do not show"),
        (put("gold", "walk", 2, 1, value=[-1 - 99]), "bad reason"),
        (put("gold", "walk", 4, value=["duplicate", 1]), "repeats link 0"),
        (put("gold", "walk", 4, value=["redundant", [-1]]), "repeats link 0"),
        (put("gold", "walk", 5, value=["redundant", []]), "allows every atom"),
        (put("gold", "walk", 1, value=["kept", None]), "first mention"),
        (put("gold", "walk", 1, value=["kept", 99]), "names a model"),
        (lambda c: c["gold"]["walk"].pop(), "not one step"),
        (put("gold", "witness", value={}), "no times"),
        (put("system", "verified", 2, value=["stated", 0]), "does not state it"),
        (put("system", "verified", 2, value=["entailed", []]), "do not show"),
        (put("system", "verified", 2, value=["unknown"]), "both entities are known"),
        (put("system", "verified", 2, value=["vague"]), "not vague"),
        (put("system", "verified", 1, value=["unknown"]), "states it"),
        (put("system", "verified", 3, value=["entailed", []]), "not known"),
        (put("system", "names", value=[["a", "b"]]), "the same name"),
        (put("system", "names", value=[["a", "q"], ["a", "r"]]), "bad names"),
        (put("system", "links", 0, "label", value="x"), "readings and links"),
    ],
)
def test_forgeries_are_rejected(change, reason):
    certificate, _ = certificate_of(GOLD, SYSTEM)
    certificate = json.loads(json.dumps(certificate))
    change(certificate)
    with pytest.raises(Rejected, match=reason):
        verify(json.dumps(certificate))


def test_a_reason_must_not_rest_on_later_links():
    """That a is before c follows from links 1 and 2; as the first link it is not redundant."""
    late = Document("d", [("a", "b", "c"), ("a", "b", "b"), ("b", "b", "c")])
    certificate, score = certificate_of(late, late)
    assert score.counts.gold_total == 3
    certificate = json.loads(json.dumps(certificate))
    early, _ = certificate_of(Document("d", [("a", "b", "b"), ("b", "b", "c"), ("a", "b", "c")]), late)
    side = certificate["gold"]
    side |= {name: early["gold"][name] for name in ("paths", "edges")}
    for edge in side["edges"]:
        edge[3] = None if edge[3] is None else edge[3] + 1
    side["walk"][0] = ["redundant", early["gold"]["walk"][2][1]]
    with pytest.raises(Rejected, match="rests on a later link"):
        verify(json.dumps(certificate))


# --- on the command line ---------------------------------------------------------------------------------------------


@pytest.fixture
def corpora(tmp_path, monkeypatch):
    """Two documents of gold and of a system; the third has no answer, and the fourth no question."""
    monkeypatch.chdir(tmp_path)
    texts = {
        "gold/d1.tsv": "a\tb\tb\nb\tb\tc\na\tb\tc\n",
        "gold/d2.tsv": "a\tb\tb\nb\tb\ta\n",
        "gold/d3.tsv": "a\tb\tb\n",
        "system/d1.tsv": "a\tb\tc\nc\tb\tb\n",
        "system/d2.tsv": "a\tb|m\tb\n",
        "system/d4.tsv": "a\tb|m\tb\n",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def rows_of(capsys, *arguments):
    capsys.readouterr()
    code = run([*arguments, "--output", "json"])
    return code, [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize("average", ["micro", "macro"])
def test_a_corpus_and_its_total(corpora, capsys, average):
    _, rows = rows_of(capsys, "score", "gold", "system", "--certificates", "proofs", "--average", average)
    total = rows[-1]
    assert sorted(path.name for path in (corpora / "proofs").iterdir()) == [
        "d1.json",
        "d2.json",
        "d3.json",
        "total.json",
    ]
    code, checks = rows_of(capsys, "verify", "proofs", "--document", "gold", "--document", "system")
    assert code == 0
    assert [check["claim"] for check in checks] == ["score", "score", "score", "total"]
    assert Fraction(checks[-1]["f1"]) == Fraction(total["f1_exact"] if "f1_exact" in total else str(total["f1"]))
    assert checks[-1]["counts"] == total["counts"]
    assert checks[-1]["skipped"] == [["d4", "no gold document has this name"]]
    assert checks[-1]["average"] == average
    for row, check in zip(rows, checks, strict=True):
        assert float(Fraction(check["precision"])) == pytest.approx(row["precision"])
        assert row["counts"] == check["counts"]
    assert verify((corpora / "proofs/total.json").read_bytes(), others=in_folder("proofs"))["claim"] == "total"
    with pytest.raises(Rejected, match="in their folder"):
        verify((corpora / "proofs/total.json").read_bytes())


def test_a_total_rests_on_its_documents(corpora, capsys):
    run(["score", "gold", "system", "--certificates", "proofs"])
    content = (corpora / "proofs/d1.json").read_text()
    (corpora / "proofs/d1.json").write_text(content + " ")
    code, rows = rows_of(capsys, "verify", "proofs")
    assert (code, rows[-1]["valid"], rows[-1]["reason"]) == (1, False, "d1.json has another digest")
    (corpora / "proofs/d1.json").unlink()
    assert "cannot be opened" in rows_of(capsys, "verify", "proofs/total.json")[1][0]["reason"]
    (corpora / "proofs/d1.json").write_text(content)
    (corpora / "system/d1.tsv").write_text("a\tb\tc\n")
    code, rows = rows_of(capsys, "verify", "proofs", "--document", "gold", "--document", "system")
    assert code == 1
    assert [row["certificate"] for row in rows if row["valid"] is False] == [
        "proofs/d1.json",
        "proofs/total.json",
        *(None, None, None),
    ]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (put("documents", value=[]), "no documents"),
        (lambda c: c["documents"].pop(), "is .*, not"),
        (lambda c: c["documents"].append(c["documents"][0]), "listed twice"),
        (lambda c: c["documents"][0].__setitem__(0, "other"), "not about 'other'"),
        (lambda c: c["documents"][0].__setitem__(1, "../proofs/d1.json"), "in the same folder"),
        (lambda c: c["documents"][0].__setitem__(1, "\ud800.json"), "cannot be opened"),  # half a character
        (lambda c: c["documents"][0].__setitem__(1, "d" * 5000), "cannot be opened"),
        (lambda c: c["documents"][0].__setitem__(2, "f" * 64), "another digest"),
        (put("average", value="macro"), "is .*, not"),
        (put("average", value="mean"), "unknown average"),
        (put("options", "vague", value="count"), "other options"),
        (put("counts", "gold_total", value=9), "gold_total is"),
        (put("recall", value="1"), "recall is"),
        (put("skipped", value=[["d"]]), "bad entry"),
    ],
)
def test_forged_totals_are_rejected(corpora, change, reason):
    run(["score", "gold", "system", "--certificates", "proofs"])
    certificate = json.loads((corpora / "proofs/total.json").read_text())
    change(certificate)
    with pytest.raises(Rejected, match=reason):
        verify(json.dumps(certificate), others=in_folder("proofs"))


def test_a_total_of_other_claims_is_rejected(corpora):
    run(["score", "gold", "system", "--certificates", "proofs"])
    run(["check", "gold/d1.tsv", "--certificates", "others"])
    shutil.copy("others/d1.json", "proofs/d1.json")
    certificate = json.loads((corpora / "proofs/total.json").read_text())
    certificate["documents"][0][2] = hashlib.sha256((corpora / "proofs/d1.json").read_bytes()).hexdigest()
    with pytest.raises(Rejected, match="not the certificate of a score"):
        verify(json.dumps(certificate), others=in_folder("proofs"))


def test_one_file_for_one_document(corpora, capsys):
    assert run(["score", "gold/d1.tsv", "system/d1.tsv", "--certificate", "why.json"]) == 0
    code, (row,) = rows_of(capsys, "verify", "why.json", "--document", "gold/d1.tsv", "--document", "system/d1.tsv")
    assert (code, row["claim"], row["system"]["links"]) == (0, "score", 2)
    content = (corpora / "why.json").read_bytes()
    assert verify(content, "gold/d1.tsv", "system/d1.tsv")
    with pytest.raises(Rejected, match="made from 2 files"):
        verify(content, "gold/d1.tsv")
    with pytest.raises(Rejected, match="not the file"):
        verify(content, "system/d1.tsv", "gold/d1.tsv")
    assert run(["score", "gold", "system", "--certificate", "why.json"]) == 2


def test_names_are_recorded_and_compared(corpora, capsys):
    (corpora / "gold/d1.tsv").write_text("ei1\tb\tei2\nei2\tb\tei3\n")
    (corpora / "system/d1.tsv").write_text("1\tb\t2\n2\tb\t3\n")
    files = ["gold/d1.tsv", "system/d1.tsv"]
    assert run(["score", *files, "--certificate", "why.json"]) == 0
    bound = ["--document", files[0], "--document", files[1]]
    code, (row,) = rows_of(capsys, "verify", "why.json", *bound)
    assert (code, row["f1"]) == (0, "1")
    certificate = json.loads((corpora / "why.json").read_text())
    assert certificate["system"]["names"] == [["1", "ei1"], ["2", "ei2"], ["3", "ei3"]]
    for side in (
        "gold",
        "system",
    ):  # the certificate of a gold standard that was renamed is true, but not of these files
        text = json.dumps(certificate[side]).replace('"ei', '"q')
        certificate[side] = json.loads(text.replace('["1", "q1"]', '["1", "q1"]'))
    for link in certificate["gold"]["links"]:
        link["source"], link["target"] = link["source"].replace("q", "ei"), link["target"].replace("q", "ei")
    certificate["gold"]["names"] = [[f"ei{number}", f"q{number}"] for number in (1, 2, 3)]
    assert verify(json.dumps(certificate))
    (corpora / "why.json").write_text(json.dumps(certificate))
    code, (row,) = rows_of(capsys, "verify", "why.json", *bound)
    assert (code, row["valid"]) == (1, False)
    assert "matched in another way" in row["reason"]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--metric", "closure"], "by awareness only"),
        (["--metric", "awareness", "--metric", "core"], "by awareness only"),
        (["--contradictions", "repair"], "smallest weight"),
        (["--calendar"], "values of time expressions"),
        (["--official"], "--certificate"),
        (["--agreement"], "--agreement"),
        (["--resume", "j"], "resume"),
        (["--compare", "system"], "one SYSTEM"),
        (["--keep-unknown"], "does not record"),
    ],
)
def test_what_cannot_be_shown_is_refused(corpora, capsys, options, reason):
    capsys.readouterr()
    assert run(["score", "gold", "system", "--certificates", "proofs", *options]) == 2
    assert reason in capsys.readouterr().err
    assert not (corpora / "proofs").exists()


def test_a_score_without_a_proof_has_no_total(corpora, capsys, monkeypatch):
    monkeypatch.setattr("temporacle.tasks.score_pair.prove_awareness", _out_of_time)
    assert run(["score", "gold", "system", "--certificates", "proofs", "--jobs", "1"]) == 3
    said = capsys.readouterr()
    assert "TOTAL" in said.out
    assert "no certificate of the score" in said.err
    assert not (corpora / "proofs").exists()


def test_the_sides_of_a_score_cannot_be_exchanged(corpora, capsys):
    """Exchanged in some documents, they would change the precision of the total."""
    run(["score", "system", "gold", "--certificates", "proofs"])
    for options in ([], ["--no-reread"]):
        code, rows = rows_of(capsys, "verify", "proofs/d1.json", "--document", "gold", "--document", "system", *options)
        assert (code, rows[0]["valid"]) == (1, False)
        assert "give gold first, then the system" in rows[0]["reason"]
        assert (
            rows_of(capsys, "verify", "proofs/d1.json", "--document", "system", "--document", "gold", *options)[0] == 0
        )


@pytest.mark.parametrize("options", [[], ["--no-reread"]])
@pytest.mark.parametrize("paths", [["."], ["gold", "."], [".", "."], ["gold", "system", "system"]])
def test_a_score_is_rejected_where_the_sides_cannot_be_told(corpora, capsys, paths, options):
    run(["score", "gold", "system", "--certificates", "../proofs"])
    named = [part for path in paths for part in ("--document", path)]
    code, rows = rows_of(capsys, "verify", "../proofs/d1.json", *named, *options)
    if paths == ["gold", "."]:  # the system's file can only be on the second side, and gold's only the other one
        assert (code, rows[0]["valid"]) == (0, True)
        return
    assert (code, rows[0]["valid"]) == (1, False)
    assert "the paths do not show which side is gold: give gold first, then the system" in rows[0]["reason"]


def test_a_score_that_the_checker_refutes_is_withdrawn(corpora, capsys, monkeypatch):
    right = document_score

    def wrong(judgement, **about):
        score = right(judgement, **about)
        counts = replace(score.counts, recall_matched=score.counts.recall_matched + 1)
        return replace(score, counts=counts) if score.document == "d1" else score

    monkeypatch.setattr("temporacle.tasks.score_pair.document_score", wrong)
    code, rows = rows_of(capsys, "score", "gold", "system", "--certificates", "proofs", "--jobs", "1")
    assert code == 3
    assert "internal error: a certificate does not hold: recall_matched is" in json.dumps(rows)
    assert not (corpora / "proofs" / "d1.json").exists()
    assert [check.score["documents"] for check in tp.verify(corpora / "proofs/total.json")] == [2]


def _out_of_time(*_arguments, **_options):
    raise tp.BudgetExceeded("not decided within 1 s")


def test_refusing_contradictions(corpora, capsys):
    rows_of(capsys, "score", "gold", "system", "--certificates", "proofs", "--contradictions", "refuse")
    code, rows = rows_of(capsys, "verify", "proofs", "--document", "gold", "--document", "system")
    assert code == 0
    assert [document for document, _ in rows[-1]["skipped"]] == ["d4", "d2"]


def test_in_python(corpora):
    found = tp.score("gold", "system", certificates=corpora / "proofs")
    checks = tp.verify(corpora / "proofs", document=["gold", "system"], jobs=1)
    assert checks.valid is True
    assert Fraction(checks[-1].score["f1"]) == found.f1


def test_the_request_says_whether_proofs_are_wanted():
    assert Request(()).certify is False


@pytest.mark.corpora
def test_a_shared_corpus(tmp_path):
    gold = shared("corpora", "te3-platinum")
    system = shared("corpora", "te3-systems", "chambers", "NavyTime1", "test-TaskABC")
    found = tp.score(gold, system, align="spans", certificates=tmp_path)
    checks = tp.verify(tmp_path, document=[gold, system])
    assert all(check.valid for check in checks)
    assert len(checks) == len(found.documents) + 1
    assert (checks[-1].claim, Fraction(checks[-1].score["f1"])) == ("total", found.f1)
    by_name = {check.document: check.score for check in checks}
    for score in found.documents:
        assert by_name[score.document]["counts"] == score.counts.to_dict()


def test_the_first_mention_of_an_entity_as_itself_is_always_kept():
    """Otherwise one document could have two scores: nothing is needed to show that an entity equals itself."""
    certificate, _ = certificate_of(Document("d", [("a", "=", "a"), ("a", "b", "b")]), Document("d", [("a", "b", "b")]))
    gold = certificate["gold"]
    assert gold["walk"][0] == ["kept", None]
    forgery = json.loads(json.dumps(certificate))
    forgery["gold"]["walk"][0] = ["redundant", []]
    forgery["gold"]["verified"] = gold["verified"][1:]
    forgery["counts"]["gold_total"] -= 1
    matched = sum(entry[0] in ("stated", "entailed") for entry in forgery["gold"]["verified"])
    forgery["counts"]["recall_matched"] = matched
    recall = Fraction(matched, forgery["counts"]["gold_total"])
    precision = Fraction(forgery["precision"])
    forgery["recall"], forgery["f1"] = str(recall), str(2 * precision * recall / (precision + recall))
    with pytest.raises(Rejected, match="first mention"):
        verify(json.dumps(forgery))
