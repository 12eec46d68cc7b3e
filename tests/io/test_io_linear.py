"""The scanners of model answers and brat lines read what the plain patterns read that they take the place of."""

import json
import random
import re

import pytest
from llm_twin import BARE, DASH, EDGE, ITEM, QUOTES
from shared_data import shared

from temporacle.io import llm
from temporacle.io.tools import brat

# The twins: patterns that say what is read, and try every start with every end.
NAME = rf"(?:[{QUOTES}]([^{QUOTES}\n]*)[{QUOTES}]|({BARE}))"
BEGUN_EDGE = re.compile(rf"{NAME}\s*{DASH}[^\]]*\Z")
GRAPH = re.compile(r"\bgraph\b[^\n{]*\{", re.IGNORECASE)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|^[ \t]*#[^\n]*", re.DOTALL | re.MULTILINE)
PAIR_LINE = re.compile(rf"{ITEM}\s*{DASH}\s*{ITEM}\s*:\s*\**\s*([A-Za-z_|-]+)")
FORMS = {
    "E": re.compile(r"(\S+?):(\S+)((?: [^\s:]+:\S+)*) *"),
    "R": re.compile(r"(\S+)((?: [^\s:]+:\S+)*) *"),
    "A": re.compile(r"(\S+) (\S+)(?: (.+?))? *"),
    "*": re.compile(r"(\S+)((?: \S+)+) *"),
}
NOTE = re.compile(r"(\S+) (\S+) *")


def compare(text: str) -> int:
    """Compare everything that is searched in a text; return how much was found."""
    edges = [(each[1] or each[2] or "", each[3] or each[4] or "", each[5], each.end()) for each in EDGE.finditer(text)]
    assert [tuple(each) for each in llm._edges(text)] == edges, text
    assert llm._graphs(text) == [each.end() for each in GRAPH.finditer(text)], text
    assert llm._without_comments(text) == COMMENT.sub(" ", text), text
    begun = BEGUN_EDGE.search(text) is not None
    assert llm._ends_in_edge(text) == begun, text
    found = 0
    for line in text.split("\n"):
        twin = PAIR_LINE.match(line)
        pair = llm._pair_line(line)
        assert (pair and tuple(pair)) == (twin and (twin[1], twin[2], twin[3], twin.end())), line
        found += twin is not None
    return len(edges) + found + begun


PIECES = [
    "a", "b1", "-", "--", "---", "->", "-->", "<", ">", "<-", "<\u2013", "\u2014", "\u2212\u2212>", "\u2192", "(", ")",
    "(1)", "(a,b)", "(", "[", "]", "[x]", "[rel=before]", ":", ";", ",", "|", "*", "**", '"', "'", "`", "\u201c",
    "graph", "graph{", "{", "}", "//", "/*", "*/", "#", "e1", "e2", "BEFORE", ":before",
    " ", " ", "\t", "\n", "\r", "\x0b", "  ",
]  # fmt: skip
STATEMENTS = [
    '"sailed(1)" -- "docked(2)" [rel=before];\n',
    "a(1)--b(2)[x]",
    "- **a(1) -- b(2)**: before\n",
    "graph G { a -- b [rel=after]; }",
    "'a' \u2014 \u201cb (2)\u201d : AFTER",
    "x->y(1,2) [l]",
    "f(1,2) \u2192 g(3,4): equal",
]


def test_random_pieces_are_read_as_by_the_plain_patterns():
    rng = random.Random(35)
    found = sum(compare("".join(rng.choices(PIECES, k=rng.randint(1, 14)))) for _ in range(20_000))
    assert found > 1_000


def test_mutated_statements_are_read_as_by_the_plain_patterns():
    rng = random.Random(36)
    found = 0
    for _ in range(10_000):
        text = list("".join(rng.choices(STATEMENTS, k=rng.randint(1, 3))))
        for _ in range(rng.randint(0, 4)):
            place = rng.randrange(len(text))
            text[place : place + rng.randint(0, 2)] = rng.choice(PIECES)
            text = text or ["a"]
        found += compare("".join(text))
    assert found > 5_000


@pytest.mark.corpora
def test_answers_of_models_are_read_as_by_the_plain_patterns():
    folder = shared("corpora", "llm")
    lines = (folder / "outputs.jsonl").read_text(encoding="utf-8").splitlines()
    texts = [json.loads(line)["text"] for line in lines if line]
    waiting = [json.loads((folder / "real-outputs.json").read_text(encoding="utf-8"))]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            texts.append(each)
        elif isinstance(each, list | dict):
            waiting += each.values() if isinstance(each, dict) else each
    rng = random.Random(37)
    found = 0
    for text in texts:
        found += compare(text)
        for _ in range(20):
            place = rng.randrange(len(text) + 1)
            piece = text[max(0, place - 300) : place] + rng.choice(PIECES) + text[place + rng.randint(0, 2) :][:300]
            compare(piece)
    assert found > len(lines) // 2


def same_parts(form: str, body: str) -> bool:
    """Compare one body of a line; return whether it has the form."""
    own = brat._NOTE if form == "#" else brat._FORMS[form]
    found, twin = own.fullmatch(body), (NOTE if form == "#" else FORMS[form]).fullmatch(body)
    assert (found and found.groups()) == (twin and twin.groups()), (form, body)
    assert found is None or found.regs == twin.regs
    return found is not None


def test_brat_lines_have_the_parts_of_the_plain_patterns():
    rng = random.Random(38)
    pieces = ["a", "T1", ":", " ", " ", "  ", "a:b", " Arg1:E1", "\r", "\x0b", "\u2028", "low", "."]
    found = 0
    for _ in range(30_000):
        body = "".join(rng.choices(pieces, k=rng.randint(0, 9)))
        found += sum(same_parts(form, body) for form in (*FORMS, "#"))
    assert found > 5_000


@pytest.mark.corpora
def test_brat_files_have_the_parts_of_the_plain_patterns():
    found = 0
    for path in sorted(shared("corpora", "annotation-tools").rglob("*.ann")):
        for line in path.read_text(encoding="utf-8", errors="replace").split("\n"):
            name, _, rest = line.rstrip("\r").partition("\t")
            if name[:1] in {*FORMS, "#"}:
                found += same_parts(name[:1], rest.partition("\t")[0])
    assert found


def plain_json_statements(text: str) -> list[llm.WrittenStatement]:
    """Try every bracket that is not inside a value."""
    found, position = [], 0
    decoder = json.JSONDecoder()
    while (start := min((each for each in map(text[position:].find, "[{") if each >= 0), default=-1)) >= 0:
        try:
            value, position = decoder.raw_decode(text, position + start)
        except ValueError:
            position += start + 1
            continue
        found += llm._of_json(value)
    return found


def test_broken_json_is_read_as_by_trying_every_bracket():
    rng = random.Random(39)
    pieces = [*"[[]{},:1x", '"', "\\", "\n", '"a"', '"b",', '["a","b","c"]', '["a","b","c"', '"e1":', '["a",["']
    triples = ['{"e1":"a","e2":"b","rel":"c"}', '["a", "[", "c"]', '"\\"[', '"']
    found = 0
    for _ in range(30_000):
        text = "".join(rng.choices(pieces + triples, k=rng.randint(1, 12)))
        own = list(llm._json_statements(text))
        assert own == plain_json_statements(text), text
        found += len(own)
    assert found > 5_000


def test_brackets_in_brackets_do_not_hide_what_follows_them():
    closed = "[" * 5_000 + '"x"' + "]" * 5_000
    for text in ("[" * 50_000 + '["a","b","c"]', closed + '["a","b","c"]'):
        assert list(llm._json_statements(text)) == [llm.WrittenStatement("a", "b", "c")]
