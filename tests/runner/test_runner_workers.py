"""Processes that die or are ended at a bad moment: nothing waits for ever, and nothing is lost.

Each case runs in a process of its own, which is given up when it takes too long.
"""

import subprocess
import sys

import pytest
from runs import environment, line

PRELUDE = """
import os, signal, threading, time
from questions import SizeOrTornAnswer, die_while_answering
from temporacle.io.source import Options
from temporacle.runner import Plan, run_over, workers
from temporacle.runner.cores import Pool, Quarantine
from temporacle.runner.deaths import WorkerDiedError
from temporacle.signals import held_back
"""
LARGE = 10_000_000  # bytes: no pipe takes them at once


def in_a_process(code):
    command = [sys.executable, "-c", PRELUDE + code]
    run = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=120, check=False)
    assert "Traceback" not in run.stderr
    assert run.returncode == 0
    return run.stdout.split()


def test_processes_that_are_being_started_do_not_see_an_interrupt():
    """They inherit what is held back, in a process that has never started any before, and the parent is free again."""
    output = in_a_process("""
now = (signal.pthread_sigmask, signal.SIG_BLOCK, ())
quarantine = Quarantine()
for held in Pool(2).send(*now).result(), quarantine.run(*now), signal.pthread_sigmask(signal.SIG_BLOCK, ()):
    print(signal.SIGINT in held)
quarantine.close()
""")
    assert output == ["True", "True", "False"]


def test_a_torn_answer_is_a_death():
    """A process that is killed between two bytes of an answer is noticed, and the next task finds another."""
    output = in_a_process("""
pool = Pool(2)
try:
    pool.send(die_while_answering).result()
except Exception as error:
    print("failed")
print(pool.send(abs, -1).result())
quarantine = Quarantine()
try:
    quarantine.run(die_while_answering)
except WorkerDiedError:
    print("died")
print(quarantine.run(abs, -2))
quarantine.close()
""")
    assert output == ["failed", "1", "died", "2"]


def test_a_pool_whose_answers_are_torn_can_be_closed():
    assert in_a_process("""
pool = Pool(1)
task = pool.send(die_while_answering)
while not workers._has_lost_a_worker(task.executor):
    time.sleep(0.01)
time.sleep(0.2)  # its thread has begun to read
pool.close()
print("closed")
""") == ["closed"]


def test_tasks_that_nobody_takes_are_given_up():
    """A worker dies while a large task is being written to it: the thread that writes does not stay behind."""
    output = in_a_process(f"""
pool = Pool(1)
tasks = [pool.send(time.sleep, 1.5), pool.send(os._exit, 3), *(pool.send(len, bytes({LARGE})) for _ in range(3))]
for task in tasks:
    try:
        print(task.result())
    except Exception as error:
        print("failed")
deadline = time.monotonic() + 30
while threading.active_count() > 1 and time.monotonic() < deadline:
    time.sleep(0.01)
print(threading.active_count())
print(pool.send(len, bytes({LARGE})).result())
""")
    assert output == ["None", *["failed"] * 4, "1", str(LARGE)]


def test_a_torn_answer_costs_time_and_no_document(tmp_path):
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text("".join(line(f"{'torn' if i == 700 else 'd'}{i}", i % 3) for i in range(1000)))
    output = in_a_process(f"""
question = SizeOrTornAnswer({str(tmp_path / "mark")!r})
for answer in run_over([{str(corpus)!r}], Options(), question, Plan(jobs=2)):
    print(answer.document, answer.result)
""")
    expected = [(f"{'torn' if i == 700 else 'd'}{i}", str(i % 3)) for i in range(1000)]
    assert list(zip(output[::2], output[1::2], strict=True)) == expected
    assert (tmp_path / "mark").exists()


def test_an_exception_of_a_task_is_its_own():
    """It ends no worker: the next task is done by the same one."""
    assert in_a_process("""
pool = Pool(1)
before = pool.send(os.getpid).result()
try:
    pool.send(divmod, 1, 0).result()
except ZeroDivisionError:
    print("raised")
print(pool.send(os.getpid).result() == before)
""") == ["raised", "True"]


@pytest.mark.parametrize(
    ("system", "expected"),
    [("", ["went", "on", "interrupted"]), ("del signal.pthread_sigmask", ["interrupted"])],
    ids=["held back", "where nothing can be held back"],
)
def test_an_interrupt_that_was_held_back_comes_afterwards(system, expected):
    assert (
        in_a_process(f"""
{system}
try:
    with held_back(signal.SIGINT):
        signal.raise_signal(signal.SIGINT)
        print("went on")
except KeyboardInterrupt:
    print("interrupted")
""")
        == expected
    )
