"""Foreign code under audit can raise, hang, exit, crash or talk; the audit goes on."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from temporacle.audit.answers import Closed, Declined, Failed, Failure, SaidInconsistent
from temporacle.audit.subjects.foreign import CommandSubject, PythonSubject, links_tsv, read_closure
from temporacle.errors import UsageError
from temporacle.relation import Relation

DOUBLES = Path(__file__).parents[1] / "broken_closures.py"
B = Relation.of("b")
CHAIN = (("x", B, "y"), ("y", B, "z"))
CYCLE = (("x", B, "y"), ("y", B, "x"))


def double(name, seconds=20.0, **options):
    return PythonSubject(f"{DOUBLES}:{name}", seconds=seconds, **options)


def test_a_function_is_asked_in_its_own_process():
    with double("right") as subject:
        assert subject.ask(CHAIN) == (Closed((("x", B, "y"), ("x", B, "z"), ("y", B, "z"))),)
        assert subject.ask(CYCLE, ()) == (SaidInconsistent(), Closed(()))


@pytest.mark.parametrize(
    ("name", "failure", "seconds"),
    [("hangs", Failure.TIMEOUT, 0.3), ("exits", Failure.DIED, 20.0), ("segfaults", Failure.DIED, 20.0)],
)
def test_whatever_a_function_does_the_next_question_is_answered(name, failure, seconds):
    with double(name, seconds) as subject:
        (failed,) = subject.ask(CYCLE)
        assert isinstance(failed, Failed)
        assert failed.how is failure
        first, second = subject.ask(CHAIN, CYCLE)
        assert isinstance(first, Closed)
        assert isinstance(second, Failed)


def test_a_function_may_write_to_standard_output():
    with double("talks") as subject:
        assert isinstance(subject.ask(CHAIN)[0], Closed)


def test_each_question_starts_afresh_and_a_session_does_not():
    with double("leaking") as subject:
        backwards = tuple((target, relation, source) for source, relation, target in CHAIN)
        assert isinstance(subject.ask(CHAIN)[0], Closed)
        assert isinstance(subject.ask(backwards)[0], Closed)
        assert subject.ask(CHAIN, backwards)[1] == SaidInconsistent()


def test_an_answer_that_cannot_be_read_is_a_failure():
    with double("malformed") as subject:
        (answer,) = subject.ask(CHAIN)
        assert (answer.how, "sooner" in answer.reason) == (Failure.MALFORMED, True)


def test_an_answer_that_is_no_list_is_malformed_not_an_exception():
    with double("counts") as subject:
        (answer,) = subject.ask(CHAIN)
        assert (answer.how, "int" in answer.reason) == (Failure.MALFORMED, True)


def test_exceptions_can_say_inconsistent_or_decline():
    with double("raising") as subject:
        assert subject.ask(CYCLE)[0].how is Failure.EXCEPTION
    with double("raising", inconsistent=["ContradictoryError"]) as subject:
        assert subject.ask(CYCLE) == (SaidInconsistent(),)
    with double("declines") as subject:
        assert isinstance(subject.ask((*CHAIN, *CYCLE))[0], Declined)


@pytest.mark.parametrize(
    "target", ["no_such_module_anywhere:close", f"{DOUBLES}:no_such_function", "nonsense", f"{DOUBLES}:EQUAL"]
)
def test_what_cannot_be_imported_is_wrong_usage(target):
    with pytest.raises(UsageError), PythonSubject(target):
        pass


# --- commands --------------------------------------------------------------------------------------------------------


def program(tmp_path, text):
    path = tmp_path / "program.py"
    path.write_text(text, encoding="utf-8")
    return f"'{sys.executable}' '{path}'"


def asked(command, *graphs, seconds=20.0):
    with CommandSubject(command, seconds=seconds) as subject:
        return subject.ask(*graphs)


def test_a_command_reads_standard_input(tmp_path):
    command = program(tmp_path, "import sys; sys.stdout.write(sys.stdin.read())")
    assert asked(command, CHAIN, ()) == (Closed(CHAIN), Closed(()))


def test_a_command_may_read_a_file(tmp_path):
    command = program(tmp_path, "import sys; print(open(sys.argv[1]).read(), end='')") + " {input}"
    assert asked(command, CHAIN) == (Closed(CHAIN),)


def test_names_that_the_format_cannot_carry_are_translated(tmp_path):
    echo = program(tmp_path, "import sys; sys.stdout.write(sys.stdin.read())")
    for name in ("#1", "a\tb", "a\nb", "a\r", "\ud800"):
        graph = ((name, B, "name1"), ("x#", B, name))
        assert asked(echo, graph) == (Closed(graph),)


@pytest.mark.parametrize("text", ["inconsistent", "source\trelation\ttarget\n# so\n\nInconsistent\n"])
def test_a_verdict_is_the_only_line_that_says_something(text):
    assert read_closure(text) == SaidInconsistent()


@pytest.mark.parametrize(
    ("text", "failure"),
    [
        ("import time; time.sleep(600)", Failure.TIMEOUT),
        ("import os; os.abort()", Failure.DIED),
        ("import sys; sys.exit('no')", Failure.EXCEPTION),
        ("print('a b c')", Failure.MALFORMED),
        ("import sys; sys.stdout.buffer.write(bytes([255]))", Failure.MALFORMED),
        (
            "import subprocess, sys; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])",
            Failure.TIMEOUT,
        ),
    ],
)
def test_commands_that_fail(tmp_path, text, failure):
    (answer,) = asked(program(tmp_path, text), CHAIN, seconds=2.0)
    assert isinstance(answer, Failed)
    assert answer.how is failure


def test_a_command_that_does_not_exist_is_wrong_usage():
    with pytest.raises(UsageError, match="cannot start"):
        asked("no-such-program-anywhere", CHAIN)
    with pytest.raises(UsageError):
        CommandSubject("  ")
    with pytest.raises(UsageError):
        CommandSubject("close 'links")


def test_exchange_format():
    assert read_closure(links_tsv(CHAIN)) == Closed(CHAIN)
    assert read_closure("# note\nsource\trelation\ttarget\r\n\nx\tBEFORE\ty\r\n") == Closed(CHAIN[:1])
    assert read_closure("Inconsistent") == SaidInconsistent()
    assert read_closure("") == Closed(())
    assert read_closure("a\tb\tc\ninconsistent\n").how is Failure.MALFORMED
