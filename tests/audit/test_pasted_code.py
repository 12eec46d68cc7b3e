"""The code of tests to paste, run here: they fail as long as the fault is there, and pass for a right answer."""

from __future__ import annotations

import functools
import subprocess
import sys

import pytest

from temporacle.audit.answers import Fault, FaultKind, Manner
from temporacle.audit.findings import Finding
from temporacle.audit.pasted_tests import UNNAMED, Implementation, python_test, shell_test
from temporacle.relation import EQUAL, EVERYTHING, Relation

B, OPEN = Relation("b"), Relation("b|m")
CHAIN = (("x", B, "y"), ("y", B, "z"))
SHOWN = [("x", "b", "y"), ("y", "b", "z")]

MISSED = Fault(FaultKind.INCOMPLETE, Manner.MISSED_ATOM, ("x", "z"), EVERYTHING, B)
DISJUNCTION = Fault(FaultKind.INCOMPLETE, Manner.MISSED_DISJUNCTION, ("x", "z"), EVERYTHING, OPEN)
STRANGER = Fault(FaultKind.UNSOUND, Manner.OVER_CLAIMED, ("x", "new"), B, EVERYTHING)
ITSELF = Fault(FaultKind.UNSOUND, Manner.WRONG, ("x", "x"), B, EQUAL)
GOES_ON = Fault(FaultKind.MISSED_INCONSISTENCY, Manner.GOES_ON)
ALARM = Fault(FaultKind.FALSE_INCONSISTENCY, Manner.FALSE_ALARM)
CRASH = Fault(FaultKind.CRASH, Manner.EXCEPTION, reason="KeyError: 'x'\n  in close")
MALFORMED = Fault(FaultKind.CRASH, Manner.MALFORMED, reason="unknown label 'sooner'")


class ContradictionError(Exception):
    """Says that links contradict each other."""


def passes(fault, answer, implementation=UNNAMED, **finding):
    """Whether the test passes for a function with this answer."""
    asked = []

    def closure(links):
        asked.append(links)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    namespace = {"closure": closure}
    code = python_test(Finding(fault, case=1, graph=CHAIN, **finding), 7, implementation)
    assert all(line == line.rstrip() for line in code.splitlines())
    exec(code, namespace)
    try:
        namespace[f"test_{fault.kind.value}_7"]()
    except AssertionError:
        return False
    finally:
        assert asked[-1] == SHOWN
    return True


@pytest.mark.parametrize(
    ("fault", "right", "wrong"),
    [
        (GOES_ON, [None], [[], SHOWN]),
        (ALARM, [[], SHOWN], [None]),
        (MISSED, [[("x", "b", "z")], [("z", "bi", "x")]], [[], SHOWN, [("x", "b|m", "z")], [("z", "b", "x")]]),
        (MISSED, [[*SHOWN, ("x", "b", "z"), ("z", "bi", "x")]], [[("x", "b", "z"), ("x", "m", "z")]]),
        (DISJUNCTION, [[("x", "b|m", "z")], [("x", "m|b", "z")], [("z", "mi|bi", "x")]], [[], [("x", "b", "z")]]),
        (
            STRANGER,
            [[], SHOWN, [("x", "|".join(EVERYTHING.atoms), "new")]],
            [[("x", "b", "new")], [("new", "bi", "x")]],
        ),
        (ITSELF, [[], SHOWN, [("x", "=", "x")]], [[("x", "b", "x")]]),
        (CRASH, [[], None, SHOWN, [("x", "sooner", "y")]], []),  # any answer will do
        (MALFORMED, [[], None, SHOWN, [("x", "BEFORE|m", "y")]], [[("x", "sooner", "y")], [("x", "", "y")]]),
    ],
)
def test_a_test_tells_right_from_wrong(fault, right, wrong):
    for answer in right:
        assert passes(fault, answer), answer
    for answer in wrong:
        assert not passes(fault, answer), answer


def test_a_crash_is_quoted_in_one_line():
    assert "# it must answer; now: KeyError: 'x' in close\n" in python_test(Finding(CRASH, case=1, graph=CHAIN))
    assert python_test(Finding(CRASH, case=1, graph=CHAIN)).startswith("def test_crash_1():")
    with pytest.raises(KeyError):
        passes(CRASH, KeyError("x"))


def test_what_was_asked_before_is_asked_before():
    asked = []
    namespace = {"closure": asked.append}
    exec(python_test(Finding(GOES_ON, case=1, graph=CHAIN, history=CHAIN[:1]), 1), namespace)
    namespace["test_missed_inconsistency_1"]()
    assert asked == [SHOWN[:1], SHOWN]


@pytest.mark.parametrize(
    ("names", "error", "understood"),
    [
        (("ContradictionError",), ContradictionError(), True),
        ((f"{__name__}.ContradictionError",), ContradictionError(), True),
        (("LookupError",), KeyError(1), True),
        (("KeyError",), ContradictionError(), False),
    ],
)
def test_exceptions_that_mean_inconsistent(names, error, understood):
    implementation = Implementation(inconsistent=names)
    if understood:
        assert passes(GOES_ON, error, implementation)
        assert not passes(ALARM, error, implementation)
    else:
        with pytest.raises(type(error)):
            passes(GOES_ON, error, implementation)
    assert not passes(GOES_ON, [], implementation)


def test_without_such_exceptions_nothing_is_caught():
    assert "try:" not in python_test(Finding(GOES_ON, case=1, graph=CHAIN))
    assert "try:" in python_test(Finding(GOES_ON, case=1, graph=CHAIN), 1, Implementation(inconsistent=("Error",)))


def test_labels_are_understood_and_only_those_that_matter_are_listed():
    labelled = Implementation(labels=frozenset({"BEFORE", "INCLUDES"}))
    assert passes(MISSED, [("x", "BEFORE", "z")], labelled)
    assert passes(MISSED, [("z", "AFTER", "x")], labelled)  # a label that a right answer may have
    assert passes(MISSED, [("x", "b", "z")], labelled)
    assert not passes(MISSED, [("x", "INCLUDES", "z")], labelled)
    assert not passes(MISSED, [("x", "BEFORE", "z")])
    code = python_test(Finding(MISSED, case=1, graph=CHAIN), 1, labelled)
    (listed,) = (line for line in code.splitlines() if "labels =" in line)
    assert all(name in listed for name in ("'BEFORE': 'b'", "'INCLUDES': 'di'", "'AFTER': 'bi'"))
    assert "IBEFORE" not in listed
    assert "labels" not in python_test(Finding(MISSED, case=1, graph=CHAIN))


# --- how the function is reached -------------------------------------------------------------------------------------


def close(links):
    return links


def test_ways_to_a_function():
    assert Implementation.named(close, ["E"]) == Implementation((f"from {__name__} import close as closure",), ("E",))
    assert Implementation.named("m:close", ["E"]).inconsistent == ("E",)
    assert Implementation.named("tools/close.py:Solver.close").lines == (
        "import sys",
        "sys.path.insert(0, 'tools')",
        "from close import Solver",
        "closure = Solver.close",
    )


@pytest.mark.parametrize("unreachable", [lambda links: links, functools.partial(close)])
def test_a_function_that_no_test_can_import_is_left_to_the_reader(unreachable):
    found = Implementation.named(unreachable, ["E"])
    assert (found.lines, found.inconsistent) == (UNNAMED.lines, ("E",))


@pytest.mark.parametrize("module", ["__main__", None])
def test_a_function_of_a_script_or_a_notebook_is_left_to_the_reader(module):
    def homeless(links):
        return links

    homeless.__qualname__ = "homeless"
    homeless.__module__ = module
    assert Implementation.named(homeless).lines == UNNAMED.lines


@pytest.mark.parametrize("name", ["fine.py", "not-an-identifier.py"])
def test_a_function_of_a_file_is_reached(tmp_path, monkeypatch, name):
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / name).write_text("def close(links): return ['found']\n")
    namespace = {}
    implementation = Implementation.named(f"{tmp_path / name}:close", ["E"])
    monkeypatch.delitem(sys.modules, "fine", raising=False)
    exec("\n".join(implementation.lines), namespace)
    assert namespace["closure"]([]) == ["found"]
    assert implementation.inconsistent == ("E",)
    assert ("runpy" in implementation.lines[0]) == (name != "fine.py")


# --- commands --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (GOES_ON, "inconsistent"),
        (ALARM, "a closure: the links do not contradict each other"),
        (CRASH, "something; now: KeyError"),
        (MISSED, "x b z"),
        (DISJUNCTION, "x b|m z"),
        (STRANGER, "nothing about x and new"),
        (ITSELF, "nothing about x and itself"),
    ],
)
def test_a_command_is_shown_with_what_it_must_answer(fault, expected):
    call, *comment = shell_test(Finding(fault, case=1, graph=CHAIN), "close {input} -v").splitlines()
    assert call == "printf 'x\\tb\\ty\\ny\\tb\\tz\\n' | close /dev/stdin -v"
    assert comment[0].startswith(f"# must answer {expected}")


@pytest.mark.parametrize("graph", [CHAIN, (), (("100 %", B, "it's \\n"),)])
def test_a_shown_command_sends_exactly_the_links(graph):
    shown = shell_test(Finding(GOES_ON, case=1, graph=graph), "cat")
    done = subprocess.run(["sh", "-c", shown], capture_output=True, text=True, check=True)
    assert done.stdout == "".join(f"{source}\t{relation}\t{target}\n" for source, relation, target in graph)
