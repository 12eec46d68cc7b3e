"""Certificates that rest on other files: totals of scores, proofs in files, and the documents themselves."""

import hashlib
import json
import shutil
import subprocess
from fractions import Fraction
from importlib.resources import files

import pytest
from changes import GONE, row, verdict
from rules_scores import COUNTS, OPTIONS, score
from small_certificates import consistent, inconsistent

from temporacle.checker import Rejected, digest, documents_of, in_folder, parse, trusted, verify
from temporacle.checker.refutations import LONGEST_LINE
from temporacle.checker.scores import written

PROGRAM = str(files("temporacle") / "data" / "checker.js")
EMPTY = "0" * 64
SECOND = score() | {
    "gold": score()["gold"] | {"document": score()["gold"]["document"] | {"id": "e"}, "verified": [["unknown"]] * 4},
    "system": score()["system"]
    | {
        "readings": [],
        "links": [],
        "walk": [],
        "witness": {},
        "models": [],
        "verified": [],
    },
    "counts": COUNTS | {"precision_matched": 0, "system_total": 0, "recall_matched": 0},
    "precision": "0",
    "recall": "0",
    "f1": "0",
}


def sha256(content):
    return hashlib.sha256(content).hexdigest()


def encoded(certificate):
    return json.dumps(certificate).encode()


BESIDE = {
    "s1.json": encoded(score()),
    "s2.json": encoded(SECOND),
    "bad.json": encoded(score() | {"precision": "1/2"}),
    "spans.json": encoded(SECOND | {"options": OPTIONS | {"align": "spans"}}),
    "other.json": encoded(consistent()),
}
ONE, TWO = (["d", "s1.json", sha256(BESIDE["s1.json"])], ["e", "s2.json", sha256(BESIDE["s2.json"])])
TOTAL = {
    "format": "temporacle-certificate",
    "version": 3,
    "claim": "total",
    "metric": "awareness",
    "options": OPTIONS,
    "average": "micro",
    "documents": [ONE, TWO],
    "skipped": [],
    "counts": {name: COUNTS[name] + SECOND["counts"][name] for name in COUNTS},
    "precision": "1",
    "recall": "1/8",
    "f1": "2/9",
}
MACRO = [("average", "macro"), ("precision", "1/2"), ("recall", "1/8"), ("f1", "1/5")]
TOTALS = [
    row("unchanged", None, ("skipped", [])),
    row("macro", None, *MACRO),
    row("macro of the counts", "precision is 1/2, not 1", ("average", "macro")),
    row("micro of the figures", "precision is 1, not 1/2", *MACRO[1:]),
    row("version 2", "the claim total does not exist in version 2", ("version", 2)),
    row("a field too many", "the certificate: has", ("gold", {})),
    row("another metric", "an unknown metric", ("metric", "x")),
    row("a bad count", "counts: not whole numbers", ("counts.gold_total", -1)),
    row("a bad figure", "precision, recall and f1 are texts", ("f1", 1)),
    row("another average", "an unknown average", ("average", "median")),
    row("documents that are null", "documents: not a list", ("documents", None)),
    row("no documents", "a total of no documents", ("documents", [])),
    *(
        row(f"a document {bad}", "documents: a bad entry", ("documents.0", bad))
        for bad in (1, ONE[:2], [*ONE, ""], [1, *ONE[1:]], ["d", 1, ONE[2]], [*ONE[:2], 1])
    ),
    *(
        row(f"the file {name!r}", "is not the name of a file in the same folder", ("documents.0.1", name))
        for name in ("", ".", "..", "x/s1.json", "/s1.json", "x\\s1.json", "s1.json\0")
    ),
    *(
        row(f"the digest {bad}", "documents: not a digest", ("documents.0.2", bad))
        for bad in ("", "A" * 64, EMPTY[1:], EMPTY + "0", EMPTY + "\n")
    ),
    row("a document twice", "documents: one is listed twice", ("documents.1.0", "d")),
    row("a file twice", "documents: one is listed twice", ("documents.1", ["e", *ONE[1:]])),
    row("a file twice, with two digests", "documents: one is listed twice", ("documents.1", ["e", ONE[1], EMPTY])),
    row("skipped that is null", "skipped: not a list", ("skipped", None)),
    *(
        row(f"skipped {bad}", "skipped: a bad entry", ("skipped", [bad]))
        for bad in (1, ["x"], ["x", "y", "z"], [1, "y"], ["x", 1])
    ),
    row("a skipped document", None, ("skipped", [["x", "unreadable"]])),
    row("another file", "s1.json has another digest", ("documents.0.2", EMPTY)),
    row("a missing file", "none.json cannot be opened", ("documents.0.1", "none.json")),
    row("a file whose name is too long", "cannot be opened", ("documents.0.1", "x" * 300)),
    row("a file that no name can have", "cannot be opened", ("documents.0.1", "\ud800")),
    row(
        "a certificate that does not hold",
        "bad.json: precision is 1, not 1/2",
        ("documents.0", ["d", "bad.json", sha256(BESIDE["bad.json"])]),
    ),
    row(
        "no score",
        "other.json is not the certificate of a score",
        ("documents.0", ["d", "other.json", sha256(BESIDE["other.json"])]),
    ),
    row("another document", "s1.json is not about 'f'", ("documents.0.0", "f")),
    row(
        "other options",
        "spans.json has another metric, or other options",
        ("documents.1", ["e", "spans.json", sha256(BESIDE["spans.json"])]),
    ),
    *(row(f"another {name}", f"{name} is ", (f"counts.{name}", lambda old: old + 1)) for name in COUNTS),
    row("another recall", "recall is 1/8, not 1/4", ("recall", "1/4")),
    row("another f1", "f1 is 2/9, not 1/4", ("f1", "1/4")),
    row("one document", None, ("documents.1", GONE), ("counts", COUNTS), ("recall", "1/4"), ("f1", "2/5")),
]

# Lines of a proof: a.end <= b.start, b.end <= a.start, and both are impossible.
LINES = [
    ["v", "a.end", "b.start"],
    ["v", "b.end", "a.start"],
    ["c", [1], 0],
    ["c", [2], 1],
    ["c", [-1, -2], None],
    ["l", [], [0, 1, 2]],
]
RIGHT = [json.dumps(line).encode() for line in LINES]


def lines(*changes, cut=()):
    """The lines of the proof, with others in their place, and without some."""
    found = list(RIGHT)
    for place, line in changes:
        found[place:place] = [line if isinstance(line, bytes) else json.dumps(line).encode()]
    return b"".join(line + b"\n" for place, line in enumerate(found) if place not in cut)


def instead(place, line):
    return lines((place, line), cut=[place + 1])


PROOFS = {
    "right": (None, lines()),
    "not checked to the end of a line": ("too long, or without an end", lines()[:-1]),
    "nothing": ("the lemmas do not lead to a contradiction", b""),
    "an empty line": ("line 1: not JSON", b"\n" + lines()),
    "not UTF-8": ("line 1: not JSON", instead(0, b'["v", "a.end", "\xff.start"]')),
    "not JSON": ("line 1: not JSON", instead(0, b"[")),
    "too deep": ("line 1: not JSON", instead(0, b"[" * 100_000)),
    "two lists": ("line 1: not JSON", instead(0, b"[] []")),
    "an object": ("line 1: not a list", instead(0, b"{}")),
    "an object with a field": ("line 1: not a list", instead(0, b'{"v": 1}')),
    "a text": ("line 1: not a list", instead(0, b'"v"')),
    "an empty list": ("line 1: not a list", instead(0, b"[]")),
    "of no kind": ("line 1: of no kind", lines((0, ["x", [], []]))),
    "a kind that is a list": ("line 1: of no kind", lines((0, [["v"], "a.end", "b.end"]))),
    "a clause of two": ("line 3: of no kind", instead(2, ["c", [1]])),
    "a lemma of four": ("line 6: of no kind", instead(5, ["l", [], [0, 1, 2], 1])),
    "a variable of two": ("line 1: a bad variable", lines((0, ["v", "a.end"]))),
    "a variable of four": ("line 1: a bad variable", lines((0, ["v", "a.end", "b.end", "c.end"]))),
    "a variable of a number": ("line 1: a bad variable", lines((0, ["v", "a.end", 1]))),
    "a first number": ("line 1: a bad variable", lines((0, ["v", 1, "a.end"]))),
    "no endpoint": ("'a' is not an endpoint", lines((0, ["v", "a", "b.end"]))),
    "no second endpoint": ("'b' is not an endpoint", lines((0, ["v", "a.end", "b"]))),
    "a later variable": ("line 3: a bad clause", instead(2, ["c", [3], 0])),
    "literal 0": ("line 3: a bad clause", instead(2, ["c", [0, 1], 0])),
    "a clause that is a number": ("line 3: a bad clause", instead(2, ["c", 1, 0])),
    "a fact that is a text": ("line 3: a bad clause", instead(2, ["c", [1], "a"])),
    "a fact that is true": ("line 3: a bad clause", instead(2, ["c", [1], False])),
    "a link outside": ("line 3 is based on a link that is not in the conflict", instead(2, ["c", [1], 2])),
    "another link": ("line 3 does not follow from its link", instead(2, ["c", [1], 1])),
    "a clause of nothing": ("line 3 does not always hold", instead(2, ["c", [1], None])),
    "hints that are null": ("line 6: bad hints", instead(5, ["l", [], None])),
    "a hint to itself": ("line 6: bad hints", instead(5, ["l", [], [0, 1, 2, 3]])),
    "a negative hint": ("line 6: bad hints", instead(5, ["l", [], [0, 1, 2, -1]])),
    "a hint that is true": ("line 6: bad hints", instead(5, ["l", [], [False, True, 2]])),
    "a hint of two literals": ("line 6: the lemma does not follow by its hints", instead(5, ["l", [], [0, 2]])),
    "too few hints": ("line 6: the lemma does not follow by its hints", instead(5, ["l", [], [0, 1]])),
    "a lemma": (None, lines((5, ["l", [-1], [1, 2]]), (6, ["l", [], [0, 3]]), cut=[7])),
    "a wrong lemma": ("line 6: the lemma does not follow by its hints", lines((5, ["l", [1], [1, 2]]))),
    "a lemma that is not empty": ("the lemmas do not lead to a contradiction", instead(5, ["l", [-1], [1, 2]])),
    "a line after the last": ("the lemmas do not lead to a contradiction", lines((6, ["v", "a.end", "b.end"]))),
    "a clause after the last": ("the lemmas do not lead to a contradiction", lines((6, ["c", [1], 0]))),
    "given up after the last": ("the lemmas do not lead to a contradiction", lines((6, ["d", [0]]))),
    "the empty lemma again": (None, lines((6, ["l", [], [3]]))),
    "a clause given up": ("a hint names no clause before the lemma", lines((5, ["d", [0]]))),
    "the right clause given up": (
        None,
        lines((5, ["l", [-1], [1, 2]]), (6, ["d", [1, 2]]), (7, ["l", [], [0, 3]]), cut=[8]),
    ),
    "given up twice": ("line 7: gives up a clause that is not there", lines((5, ["d", [0]]), (6, ["d", [0]]))),
    "given up before it is there": ("line 6: gives up a clause that is not there", lines((5, ["d", [3]]))),
    "given up by true": ("line 6: gives up a clause that is not there", lines((5, ["d", [False]]))),
    "given up by null": ("line 6: not a list of clauses", lines((5, ["d", None]))),
    "given up by two": ("line 6: not a list of clauses", lines((5, ["d", [], []]))),
    "given up by a list": ("line 6: gives up a clause that is not there", lines((5, ["d", [[0]]]))),
    "nothing given up": (None, lines((5, ["d", []]))),
    "numbers go on": (
        None,
        lines((5, ["l", [-1], [1, 2]]), (6, ["d", [3]]), (7, ["l", [-2], [0, 2]]), (8, ["l", [], [1, 4]]), cut=[9]),
    ),
    "blanks": (None, lines().replace(b", ", b" ,\t").replace(b"]\n", b" ] \r\n")),
}


def with_proof(reference):
    return inconsistent(3, reference)


REFERENCES = {
    "missing": (
        "its proof, none.proof.jsonl, is not beside it",
        with_proof({"file": "none.proof.jsonl", "sha256": EMPTY}),
    ),
    "a folder": ("is not beside it", with_proof({"file": "folder.proof.jsonl", "sha256": EMPTY})),
    "too long": ("is not beside it", with_proof({"file": "x" * 300 + ".proof.jsonl", "sha256": EMPTY})),
    "half a character": ("is not beside it", with_proof({"file": "\ud800.proof.jsonl", "sha256": EMPTY})),
    "another digest": (
        "is not the file that the certificate names",
        with_proof({"file": "p0.proof.jsonl", "sha256": EMPTY}),
    ),
    "a digest in capitals": ("proof: not a digest", with_proof({"file": "p0.proof.jsonl", "sha256": "A" * 64})),
    "no digest": ("proof: not a digest", with_proof({"file": "p0.proof.jsonl", "sha256": None})),
    "more": ("proof: has", with_proof({"file": "p0.proof.jsonl", "sha256": EMPTY, "more": 1})),
    **{
        f"the name {name!r}": (
            "proof: the file is not named NAME.proof.jsonl",
            with_proof({"file": name, "sha256": EMPTY}),
        )
        for name in (
            "p0.jsonl",
            ".proof.jsonl",
            "..proof.jsonl",
            "x/p0.proof.jsonl",
            "p0.proof.jsonl\n",
            "x\\p.proof.jsonl",
            "/p.proof.jsonl",
            "p\0.proof.jsonl",
            1,
            None,
        )
    },
    "with values": ("the certificate: has", with_proof({"file": "p0.proof.jsonl", "sha256": EMPTY}) | {"calendar": {}}),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """All of these in one folder."""
    place = tmp_path_factory.mktemp("beside")
    for name, content in BESIDE.items():
        (place / name).write_bytes(content)
    for number, (_, content) in enumerate(PROOFS.values()):
        (place / f"p{number}.proof.jsonl").write_bytes(content)
    (place / "folder.proof.jsonl").mkdir()
    return place


def cases():
    """Name, words of the reason, and certificate."""
    found = [(f"total, {each.name}", each.words, each.certificate) for make in TOTALS for each in [make(TOTAL)]]
    for number, (name, (words, content)) in enumerate(PROOFS.items()):
        reference = {"file": f"p{number}.proof.jsonl", "sha256": sha256(content)}
        found.append((f"proof, {name}", words, with_proof(reference)))
    return found + [(f"reference, {name}", *case) for name, case in REFERENCES.items()]


@pytest.mark.parametrize("kind", ["total", "proof", "reference"])
def test_each_rule(folder, kind):
    wrong = []
    for name, words, certificate in cases():
        if name.startswith(kind):
            reason = verdict(encoded(certificate), others=in_folder(str(folder)), folder=str(folder))
            if (reason is None) != (words is None) or (words or "") not in (reason or ""):
                wrong.append((name, words, reason))
    assert wrong == []


@pytest.mark.skipif(shutil.which("node") is None, reason="the second checker needs Node.js (node)")
def test_the_second_checker_gives_the_same_verdicts(folder, tmp_path):
    place = shutil.copytree(folder, tmp_path / "all")
    expected = {}
    for number, (name, words, certificate) in enumerate(cases()):
        (place / f"case {number}.json").write_bytes(encoded(certificate))
        expected[str(place / f"case {number}.json")] = (name, words is None)
    done = subprocess.run(["node", PROGRAM, "--output", "json", place], capture_output=True, check=False)
    found = {row["certificate"]: row for row in map(json.loads, done.stdout.splitlines())}
    assert [
        (case, found[path]["reason"]) for path, case in expected.items() if found[path]["valid"] is not case[1]
    ] == []


def test_without_their_folder():
    assert "it rests on other certificates" in verdict(encoded(TOTAL))
    reference = with_proof({"file": "p0.proof.jsonl", "sha256": EMPTY})
    assert "give the certificate as a file beside it" in verdict(encoded(reference))


def test_who_reads_the_files():
    read = {f"here/{name}": content for name, content in BESIDE.items()}
    assert verdict(encoded(TOTAL), others=in_folder("here", read.__getitem__)) is None


def test_the_longest_line(folder):
    """It has 2^24 bytes, with its end."""
    for length, words in ((2**24, None), (2**24 + 1, "line 1: too long, or without an end")):
        content = RIGHT[0] + b" " * (length - len(RIGHT[0]) - 1) + b"\n" + lines(cut=[0])
        (folder / "long.proof.jsonl").write_bytes(content)
        reference = with_proof({"file": "long.proof.jsonl", "sha256": sha256(content)})
        reason = verdict(encoded(reference), folder=str(folder))
        assert reason is None if words is None else words in reason
    assert LONGEST_LINE == 2**24


def test_the_mean_of_many_scores_has_many_digits():
    """More than Python writes of an integer by itself (4,300)."""
    number = Fraction(1, 7**6000) + 1
    text = written(number)
    assert len(text) > 10_000
    for place in (0, 1):
        part = text.split("/")[place]
        found = 0
        for begin in range(0, len(part), 4000):
            piece = part[begin : begin + 4000]
            found = found * 10 ** len(piece) + int(piece)
        assert found == (number.numerator, number.denominator)[place]
    assert [written(Fraction(each)) for each in ("0", "1", "17/32")] == ["0", "1", "17/32"]


# --- the documents themselves -----------------------------------------------------------------------------------------


def bound(path):
    certificate = consistent()
    certificate["document"]["sha256"] = digest(str(path))
    return encoded(certificate)


def test_the_file_of_a_certificate(tmp_path):
    path = tmp_path / "d.tsv"
    path.write_bytes(b"a\tb\tb\n")
    assert digest(str(path)) == sha256(b"a\tb\tb\n")
    assert verify(bound(path), str(path))["claim"] == "consistent"
    text = bound(path)
    path.write_bytes(b"a\tb\tc\n")
    for content, documents, words in (
        (text, [path], "is not the file the certificate was made for"),
        (bound(path), [path, path], "it was made from 1 files, not 2"),
        (encoded(consistent()), [path], "it was not made from a file: it has no digest"),
        (encoded(score()), [path], "it was made from 2 files, not 1"),
        (encoded(TOTAL), [path], "it was made from 0 files, not 1"),
    ):
        with pytest.raises(Rejected, match=words):
            verify(content, *map(str, documents))


def test_the_files_of_a_score(tmp_path):
    gold, system = tmp_path / "gold", tmp_path / "system"
    certificate = json.loads(json.dumps(score()))
    for path, side in ((gold, "gold"), (system, "system")):
        path.write_text(side)
        certificate[side]["document"]["sha256"] = sha256(side.encode())
    assert verify(encoded(certificate), str(gold), str(system))
    with pytest.raises(Rejected, match="is not the file"):
        verify(encoded(certificate), str(system), str(gold))
    with pytest.raises(Rejected, match="is not the file"):
        verify(encoded(certificate), str(gold), str(gold))


def test_the_digest_of_a_folder(tmp_path):
    for name in ("b", "a", "x/c", "odd\\name", "odd\nname", "odd\rname"):
        path = tmp_path / "folder" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    rows = [f"{sha256(name.encode())}  {name}\n" for name in ("b", "a", "x/c")]
    for name, shown in (("odd\\name", "odd\\\\name"), ("odd\nname", "odd\\nname"), ("odd\rname", "odd\\rname")):
        rows.append(f"\\{sha256(name.encode())}  {shown}\n")
    assert digest(str(tmp_path / "folder")) == sha256("".join(sorted(rows)).encode())


def test_what_an_accepted_certificate_says():
    assert documents_of(consistent()) == [consistent()["document"]]
    assert documents_of(score()) == [score()["gold"]["document"], score()["system"]["document"]]
    assert documents_of(TOTAL) == []
    assert trusted(consistent()) == []
    assert parse(json.dumps(consistent())) == parse(encoded(consistent())) == consistent()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\xff", "not a JSON certificate"),
        ("", "not a JSON certificate"),
        ("[" * 100_000, "not a JSON certificate"),
        ("[]", "not a JSON object"),
        ('{"format": "temporacle-certificate", "format": "temporacle-certificate"}', "a key is given twice"),
        (encoded(consistent()).decode().encode("utf-16"), "not a JSON certificate"),
        (encoded(consistent()).decode().encode("utf-8-sig"), "not a JSON certificate"),
        (json.dumps(consistent()).replace('"b": [2, 3]', '"b": [2, 3], "\\u0062": [2, 3]'), "a key is given twice"),
    ],
)
def test_what_is_not_json(content, words):
    assert words in verdict(content)
