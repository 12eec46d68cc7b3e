"""No pattern of the package takes more than linear time, in the way in which it is used.

Each pattern is pumped: a piece of what it may match, many times over, between a beginning and an end that spoils the
match. What is compared is the processor time for a text and for one twice as long, never the time itself.
"""

import ast
import importlib
import inspect
import pkgutil
import re
import re._parser as parser
from functools import cache
from time import process_time

import pytest

import temporacle
from temporacle.io import csp, tempeval2, timeline

METHODS = ("match", "fullmatch", "search", "finditer", "findall", "sub", "split")
SIZES = (12, 18, 1_000, 2_000, 4_000, 8_000)  # at the last, what is quadratic takes half a second
MEASURABLE = 0.03  # seconds of processor time: below, a ratio means nothing
QUADRATIC = 2.8  # the ratio of a text to its half: 2 if linear, 4 if quadratic
# What these look at is known to be well-formed: XML or JSON that was parsed before, or a file of our own.
WELL_FORMED = {"temporacle.io.edit.places._MARKUP", "temporacle.io.edit.places._NESTING"}
# Patterns of official programs are those of the originals, which read the same files.
OWN = ("temporacle.experiments.", "temporacle.audit.subjects.peers.", "temporacle.scoring.official.")


@cache
def patterns():
    """Return the patterns of all modules by name, with the methods that the module calls on them."""
    found = {}
    for module in pkgutil.walk_packages(temporacle.__path__, "temporacle."):
        if module.name.startswith(OWN) or module.name.endswith("__main__"):
            continue
        loaded = importlib.import_module(module.name)
        own = {name: each for name, each in vars(loaded).items() if isinstance(each, re.Pattern)}
        tree = ast.parse(inspect.getsource(loaded)) if own else ast.Module([], [])
        for node in ast.walk(tree):
            is_call = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr in METHODS
            if is_call and node.value.id in own:
                name = f"{module.name}.{node.value.id}"
                found.setdefault(name, (own[node.value.id], set()))[1].add(node.attr)
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


def seconds(pattern, method, text):
    """Return the processor time of a call: the smaller of two, if it can be measured."""
    call = getattr(pattern, method)
    best = float("inf")
    while True:
        start = process_time()
        if method == "finditer":
            for _found in call(text):
                pass
        elif method == "sub":
            call(pattern.pattern[:0], text)
        else:
            call(text)
        before, best = best, min(best, process_time() - start)
        if before < float("inf") or best < MEASURABLE / 4:
            return best


def growth(pattern, method):
    """Return the largest ratio of a text to its half, of those that can be measured."""
    worst = 0.0
    for beginning, piece in dict.fromkeys(pumps(pattern)):

        def text(size, beginning=beginning, piece=piece):
            made = beginning + piece * max(1, size // len(piece)) + "\0"
            return made.encode("latin-1", "replace") if isinstance(pattern.pattern, bytes) else made

        for size in SIZES:
            if (took := seconds(pattern, method, text(size))) > MEASURABLE:
                ratio = took / max(seconds(pattern, method, text(size // 2)), 1e-6)
                if ratio > QUADRATIC:  # once more: the machine may have been busy
                    again = seconds(pattern, method, text(size)) / max(seconds(pattern, method, text(size // 2)), 1e-6)
                    worst = max(worst, min(ratio, again))
                break
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
    ],
)
def test_patterns_that_were_quadratic_are_linear(pattern, method):
    assert growth(pattern, method) < QUADRATIC


@pytest.mark.slow
def test_all_patterns_are_linear():
    assert len(patterns()) > 100
    grown = {
        f"{name}.{method}": round(found, 1)
        for name, (pattern, methods) in patterns().items()
        for method in sorted(methods)
        if name not in WELL_FORMED and (found := growth(pattern, method)) > QUADRATIC
    }
    assert grown == {}
