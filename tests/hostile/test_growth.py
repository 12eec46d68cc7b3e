"""No pattern, reader or command takes more than linear time: what it takes for an input is compared with half of it.

Each pattern is pumped: a piece of what it may match, many times over, between a beginning and an end that spoils the
match. Readers get examples of their format with a line or a piece of a line many times over. What is compared is the
processor time for a text and for one twice as long, never the time itself.

Of commands, the lines of Python that they run are counted, so that nothing is left to chance.
"""

import ast
import importlib
import inspect
import json
import pkgutil
import random
import re
import re._parser as parser
import sys
from functools import cache
from pathlib import Path
from time import process_time
from types import SimpleNamespace

import pytest

import temporacle
from temporacle.cli import COMMANDS, run
from temporacle.errors import TemporacleError
from temporacle.io import csp, read_source, tempeval2, timeline
from temporacle.io.formats import FORMATS, FirstLine, example_of
from temporacle.io.source import Source
from temporacle.scoring.official import i2b2, timelines
from temporacle.scoring.official.normalizer import raw_timeml as normalizer
from temporacle.scoring.official.tempeval3 import tlinks

METHODS = ("match", "fullmatch", "search", "finditer", "findall", "sub", "split")
SIZES = (12, 18, 1_000, 2_000, 4_000, 8_000, 64_000)  # at the last, what is quadratic takes half a second
MEASURABLE = 0.03  # seconds of processor time: below, a ratio means nothing
QUADRATIC = 2.8  # the ratio of a text to its half: 2 if linear, 4 if quadratic
# What these look at is known to be well-formed: XML or JSON that was parsed before, or a file of our own.
WELL_FORMED = {"temporacle.io.edit.places._MARKUP", "temporacle.io.edit.places._NESTING"}
FOREIGN = ("temporacle.experiments.", "temporacle.audit.subjects.peers.")  # they need extras


@cache
def patterns():
    """Return the patterns of all modules by name, with the methods that the module calls on them."""
    found = {}
    for module in pkgutil.walk_packages(temporacle.__path__, "temporacle."):
        if module.name.startswith(FOREIGN) or module.name.endswith("__main__"):
            continue
        loaded = importlib.import_module(module.name)
        own = {name: each for name, each in vars(loaded).items() if isinstance(each, re.Pattern)}
        tree = ast.parse(inspect.getsource(loaded)) if own else ast.Module([], [])
        for node in ast.walk(tree):
            is_call = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr in METHODS
            if is_call and node.value.id in own:
                name = f"{module.name}.{node.value.id}"
                found.setdefault(name, (own[node.value.id], set()))[1].add(node.attr)
    for name, entry in FORMATS.items():
        for sign in entry.signs:
            if isinstance(sign, FirstLine):
                found[f"the first line of {name}"] = re.compile(sign.pattern), {"match"}
    return found


def characters(tree):
    """Yield characters that a parsed pattern can match, in its order."""
    for operation, given in tree:
        match str(operation):
            case "LITERAL":
                yield chr(given)
            case "NOT_LITERAL" | "ANY":
                yield "a"
            case "IN":
                for kind, each in given:
                    if str(kind) in {"LITERAL", "RANGE"}:
                        yield chr(each if str(kind) == "LITERAL" else each[0])
                    elif str(kind) == "CATEGORY":
                        yield {"CATEGORY_SPACE": " ", "CATEGORY_DIGIT": "1"}.get(str(each), "a")
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                yield from characters(given[2])
            case "SUBPATTERN":
                yield from characters(given[3])
            case "ATOMIC_GROUP":
                yield from characters(given)
            case "BRANCH":
                for branch in given[1]:
                    yield from characters(branch)
            case "ASSERT" | "ASSERT_NOT":
                yield from characters(given[1])


def pumps(pattern):
    """Yield beginnings, and pieces to repeat behind them."""
    whole = "".join(characters(parser.parse(pattern.pattern, pattern.flags)))
    single = list(dict.fromkeys((*whole, *" a\n1(")))[:12]
    yield from (("", each) for each in single)
    yield from ((whole[:cut], each) for each in single[:6] for cut in sorted({1, len(whole) // 2, len(whole)}))
    yield from (("", one + other) for one in single[:4] for other in single[:4] if one != other)
    yield from (("", each) for each in (whole, whole[:-1], whole[: len(whole) // 2]) if each)


def seconds(work, text):
    """Return the processor time of some work on a text: the smaller of two, if it can be measured."""
    best = float("inf")
    while True:
        start = process_time()
        work(text)
        before, best = best, min(best, process_time() - start)
        if before < float("inf") or best < MEASURABLE / 4:
            return best


def ratio_to_half(work, text, sizes, enough=QUADRATIC):
    """Return how much longer a text takes than its half, at the first size that can be measured."""
    for size in sizes:
        if (took := seconds(work, text(size))) > MEASURABLE:
            half = seconds(work, text(size // 2))
            for _ in range(6):  # the machine may be busy, so the least of several measurements counts
                if took <= enough * half:
                    break
                took, half = min(took, seconds(work, text(size))), min(half, seconds(work, text(size // 2)))
            else:  # what is quadratic is so at the next size as well
                return min(took / half, seconds(work, text(2 * size)) / took)
            return took / max(half, 1e-6)
    return 0.0


def growth(pattern, method, sizes=SIZES):
    """Return the largest ratio of a text to its half, of those that can be measured."""
    call = getattr(pattern, method)

    def work(text):
        if method == "finditer":
            for _found in call(text):
                pass
        elif method == "sub":
            call(pattern.pattern[:0], text)
        else:
            call(text)

    worst = 0.0
    for beginning, piece in dict.fromkeys(pumps(pattern)):

        def text(size, beginning=beginning, piece=piece):
            made = beginning + piece * max(1, size // len(piece)) + "\0"
            return made.encode("latin-1", "replace") if isinstance(pattern.pattern, bytes) else made

        worst = max(worst, ratio_to_half(work, text, sizes))
    return worst


def test_the_measurement_finds_what_is_quadratic():
    assert growth(re.compile(r"(a+):x"), "search") > QUADRATIC
    assert growth(re.compile(r"(a++):x"), "match") < QUADRATIC


@pytest.mark.parametrize(
    ("pattern", "method"),
    [
        (csp.HEADER, "fullmatch"),
        (csp.CONSTRAINT, "fullmatch"),
        (timeline._POSITION, "fullmatch"),
        (tempeval2._TAGGED_DATE, "match"),
        (tempeval2._NAMED, "findall"),
        (tlinks._TAG, "finditer"),
        (normalizer._TAG, "finditer"),
    ],
)
def test_patterns_that_were_quadratic_are_linear(pattern, method):
    assert growth(pattern, method) < QUADRATIC


@pytest.mark.slow
def test_all_patterns_are_linear(record_property):
    assert len(patterns()) > 100
    found = {
        f"{name}.{method}": round(growth(pattern, method), 1)
        for name, (pattern, methods) in patterns().items()
        for method in sorted(methods)
        if name not in WELL_FORMED
    }
    record_property("tries", len(found))
    assert {name: ratio for name, ratio in found.items() if ratio > QUADRATIC} == {}


def test_linear_patterns_of_official_programs_read_what_the_originals_read():
    rng = random.Random(35)
    originals = {
        i2b2._FREQUENCY: re.compile(rb"R[0-9]*\.?[0-9]*P?T?[0-9]*\.?[0-9]*[YMWDHS]?"),
        i2b2._DURATION: re.compile(rb"PT*[0-9]*\.?[0-9]*[YMWDHS]?"),
        timelines._POSITION: re.compile(rb"\s*([+-]?)\s*([0-9]+)\s*"),
    }
    for own, original in originals.items():
        met = 0
        for _ in range(20_000):
            text = bytes(
                rng.choices(b"RPTT12..YD" if own is not timelines._POSITION else b"  \t+-12", k=rng.randint(0, 8))
            )
            if own is i2b2._FREQUENCY:
                text = b"R" + text
            found, expected = own.fullmatch(text), original.fullmatch(text)
            assert (found and found.groups()) == (expected and expected.groups()), text
            met += found is not None
        assert met > 100


PARTS = (
    *("<!--", "-->", "-", ">", "<TEXT>", "<TEXT ", "</TEXT>", "</TEXT \n>", "&", "amp;", ";", " ", "a", "\n"),
    *("&amp;", "&lt;", "&#9;"),
)


def test_the_first_reference_of_the_normaliser_is_that_of_the_original():
    comment = re.compile(r"<!--.*?-->", re.DOTALL)
    markup = re.compile(r"<TEXT[\s>].*?</TEXT\s*>", re.DOTALL)
    reference = re.compile(r"&(?!amp;)[^;\s]*;")
    rng = random.Random(36)
    met = 0
    for _ in range(20_000):
        text = "".join(rng.choices(PARTS, k=rng.randint(0, 14)))
        file = SimpleNamespace(source=rng.choice((text, f"<TEXT>{text}</TEXT>")))
        inner = markup.search(comment.sub("", file.source))
        expected = reference.search(inner.group()) if inner else None
        assert normalizer.first_reference(file) == (expected.group() if expected else None), file.source
        met += expected is not None
    assert met > 1_000


# --- readers ----------------------------------------------------------------------------------------------------------

READ_SIZES = (500, 2_000, 8_000)
LONGEST = 1_000_000  # characters
READ_QUADRATIC = 3.3  # readers keep all that they read, which takes the longer the more there is


def pumped(text):
    """Yield texts by their size: an example with all of it, a line, or a piece of a line many times over."""
    lines = text.split("\n")
    yield lambda size: text * size
    for number, line in enumerate(lines):
        if line.strip():
            yield lambda size, n=number: "\n".join((*lines[:n], *[lines[n]] * size, *lines[n + 1 :]))
    pieces = {found.group(): found for found in reversed(list(re.finditer(r"\w+|[^\w\s]|\s+", text)))}
    for number, (piece, found) in enumerate(pieces.items()):
        rest = text[found.end() :] if number % 2 else ""
        yield lambda size, piece=piece, found=found, rest=rest: text[: found.start()] + piece * size + rest


def read(name, text):
    try:
        for _document in read_source(Source("x", text.encode(), format=name)):
            pass
    except TemporacleError:
        pass


READERS = [name for name, each in FORMATS.items() if each.location and name != "parquet"]


def ratios_of(name):
    """Return how much longer each text takes than its half."""
    found = []
    for text in pumped(example_of(name)):
        sizes = [size for size in READ_SIZES if len(text(size)) < LONGEST]
        found.append(ratio_to_half(lambda text: read(name, text), text, sizes, READ_QUADRATIC))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
def test_readers_are_linear(name, record_property):
    found = ratios_of(name)
    record_property("tries", len(found))
    assert max(found) < READ_QUADRATIC


def test_readers_that_were_quadratic_are_linear():
    mentions, same = example_of("timeline").split("\t", 1), example_of("xmi").split("\n")
    for name, text in (
        ("timeline", lambda size: mentions[0] + "\t" * size + mentions[1]),
        ("xmi", lambda size: "\n".join((*same[:2], *[same[2]] * size, *same[3:]))),
    ):
        assert ratio_to_half(lambda text, name=name: read(name, text), text, READ_SIZES, 3) < READ_QUADRATIC
    read("csp", "3 #a\n 0 " + "1" * 10_000 + " ( < )\n.\n")  # longer than Python reads as a number


# --- commands ---------------------------------------------------------------------------------------------------------


def chain(links, *more):
    return [{"source": f"e{i}", "relation": "b", "target": f"e{i + 1}"} for i in range(links)] + list(more)


def file_of(name, documents):
    lines = (json.dumps({"document": f"d{k}", "links": links}) + "\n" for k, links in enumerate(documents))
    Path(name).write_text("".join(lines))
    return name


def scores(documents, pairs):
    label = {"BEFORE": 0.6, "AFTER": 0.2, "EQUAL": 0.1, "VAGUE": 0.1}
    rows = [{"source": f"e{i}", "target": f"e{j}", "scores": label} for i in range(pairs) for j in (i + 1, i + 2)]
    lines = (json.dumps({"document": f"d{k}", "reading": "matres", "pairs": rows}) + "\n" for k in range(documents))
    Path("scores.jsonl").write_text("".join(lines))
    return "scores.jsonl"


def questions(size):
    asked = (f"{k}|d0|IS e{k % 50} BEFORE e{(k + 1) % 50}|yes|\n" for k in range(size))
    Path("questions.txt").write_text("".join(asked))
    return "questions.txt"


def certificates(size):
    if not Path(f"proofs{size}").exists():
        run(["check", one(size), "--certificates", f"proofs{size}", "--jobs", "1"])
    return f"proofs{size}"


CLASH = {"source": "e2", "relation": "b", "target": "e0"}


def one(size, *more):
    return file_of("one.jsonl", [chain(5, *more)] * size)


def other(size):
    return file_of("other.jsonl", [chain(5, CLASH)] * size)


def long(size, *more):
    return file_of("long.jsonl", [chain(size, *more)])


def also_long(size):
    return file_of("also.jsonl", [chain(size, {"source": "e0", "relation": "b", "target": "e2"})])


JSON = ("--output", "json")
ALONE = ("--jobs", "1")
# What is asked about documents, links, questions or certificates in growing number; the first number to begin with.
WORK = {
    "check": (lambda n: ["check", one(n, CLASH), *ALONE, *JSON], 20),
    "check, links": (lambda n: ["check", long(n, CLASH), *ALONE], 100),
    "check, certificates": (lambda n: ["check", one(n), "--certificates", f"out{n}", *ALONE], 60),
    "fix": (lambda n: ["fix", one(n, CLASH), "--dry-run"], 20),
    "fix, links": (lambda n: ["fix", long(n, CLASH), "--dry-run"], 100),
    "diff": (lambda n: ["diff", one(n), other(n)], 60),
    "stats": (lambda n: ["stats", one(n), *ALONE], 60),
    "verify": (lambda n: ["verify", certificates(n), *ALONE], 60),
    "report": (lambda n: ["report", one(n), "-o", "report.html", *ALONE], 400),
    "score": (lambda n: ["score", one(n), other(n), *ALONE], 60),
    "score, links": (lambda n: ["score", long(n), also_long(n), *ALONE], 100),
    "official": (lambda n: ["official", "awareness", one(n), other(n), *ALONE], 60),
    "agree": (lambda n: ["agree", one(n), other(n), *ALONE], 400),
    "entails, links": (lambda n: ["entails", long(n), "e0", "b", f"e{n}"], 100),
    "closure": (lambda n: ["closure", one(n), *JSON, *ALONE], 60),
    "reduce": (lambda n: ["reduce", one(n), *JSON, *ALONE], 60),
    "bounds": (lambda n: ["bounds", one(n), *JSON, *ALONE], 60),
    "bounds, links": (lambda n: ["bounds", long(n), *JSON], 100),
    "ask": (lambda n: ["ask", long(50), questions(n), *JSON], 400),
    "decode": (lambda n: ["decode", scores(n, 5), *ALONE], 60),
    "audit": (lambda n: ["audit", one(n), other(n), *ALONE], 20),
    "apply": (lambda n: ["apply", one(n), "--document", "d0", "--drop", "l1", "-o", "applied.jsonl"], 60),
    "apply, links": (
        lambda n: ["apply", long(n), "-o", "x", *(x for k in range(1, n) for x in ("--drop", f"l{k}"))],
        60,
    ),
    "convert": (lambda n: ["convert", one(n), "-o", "converted.tml.jsonl"], 60),
    "convert, links": (lambda n: ["convert", long(n), "-o", "converted.tsv"], 100),
}
# These answer about all pairs of entities, so the answer itself is quadratic.
PAIRS = {
    "stats, links": (lambda n: ["stats", long(n)], 100),
    "closure, links": (lambda n: ["closure", long(n), *JSON], 50),
    "reduce, links": (lambda n: ["reduce", long(n), *JSON], 100),
}
NOTHING_GROWS = {"crosscheck", "docs", "experiment", "explain", "formats", "init", "serve", "workbench"}


def lines_run(arguments):
    """Return how many lines of Python a command runs."""
    count = 0

    def counted(*_event):
        nonlocal count
        count += 1
        return counted

    before = sys.gettrace()
    sys.settrace(counted)
    try:
        run(arguments)
    finally:
        sys.settrace(before)
    return count


def growth_of(command, first):
    """Return by how much the second doubling adds more than the first one: 2 if linear, 4 if quadratic."""
    run(command(5))  # loads what is loaded on first use
    once, twice, four_times = (lines_run(command(first * factor)) for factor in (1, 2, 4))
    return (four_times - twice) / (twice - once)


@pytest.mark.slow
@pytest.mark.parametrize("name", WORK)
@pytest.mark.filterwarnings("ignore")
def test_commands_are_linear(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert growth_of(*WORK[name]) < 2.3


@pytest.mark.slow
@pytest.mark.parametrize("name", PAIRS)
def test_commands_about_all_pairs_are_quadratic(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert growth_of(*PAIRS[name]) < 4.6


def test_no_command_is_missing():
    assert {each.partition(",")[0] for each in WORK} | NOTHING_GROWS == set(COMMANDS)
