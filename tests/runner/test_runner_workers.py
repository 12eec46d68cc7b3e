"""Processes that die or are ended at a bad moment: nothing waits for ever, and nothing is lost.

Each case runs in a process of its own, which is given up when it takes too long. Most run twice: with workers that are
copies of this process, and with workers that are started anew.
"""

import subprocess
import sys
from pathlib import Path

import pytest
from runs import environment, line
from shares import few

PRELUDE = """
import os, signal, sys, threading, time
from functools import partial
from questions import Numbers, SizeOrTornAnswer, Sleepy, named, size
from temporacle.io.source import Options
from temporacle.runner import Plan, processes, work
from temporacle.runner.copies import Cores, Worker
from temporacle.corpus.inputs import Asking, pieces
from temporacle.runner.job import WorkerDiedError
from temporacle.signals import held_back
"""
LARGE = 10_000_000  # bytes: no pipe takes them at once
STARTED = {"copies": "assert processes.can_copy()\n", "interpreters": "processes.can_copy = lambda: False\n"}


def run_apart(code):
    command = [sys.executable, "-c", PRELUDE + code]
    run = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=120, check=False)
    assert "Traceback" not in run.stderr
    assert run.returncode == 0
    return run.stdout.split()


@pytest.fixture(params=list(STARTED))
def in_a_process(request):
    if request.param == "copies" and sys.platform != "linux":
        pytest.skip("workers are copies on Linux only")
    return lambda code: run_apart(STARTED[request.param] + code)


def test_an_interrupt_never_reaches_a_worker(in_a_process):
    """It is in a session of its own, and what holds signals back in its thread holds them back here."""
    output = in_a_process("""
for _, [(process, held)] in work([0, 0], Sleepy(), Plan(jobs=2)):
    print(process != os.getpid(), held, os.getsid(process) == process)
print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ()))
""")
    assert output == ["True", "True", "True"] * 2 + ["False"]


def test_a_torn_answer_costs_time_and_no_document(tmp_path, in_a_process):
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text("".join(line(f"{'torn' if i == 700 else 'd'}{i}", i % 3) for i in range(1000)))
    output = in_a_process(f"""
job = Asking(partial(named, question=SizeOrTornAnswer({str(tmp_path / "mark")!r})))
for _, found in work(pieces([{str(corpus)!r}], Options()), job, Plan(jobs=2)):
    for document, answer in found:
        print(document, answer)
""")
    expected = [(f"{'torn' if i == 700 else 'd'}{i}", str(i % 3)) for i in range(1000)]
    assert list(zip(output[::2], output[1::2], strict=True)) == expected
    assert (tmp_path / "mark").exists()


def test_a_worker_that_dies_while_it_is_asked():
    """Before it reads a large request, or in the middle: whoever asks does not wait for ever."""
    output = run_apart(f"""
for wait in (0, 0.05):
    worker = Worker()
    threading.Timer(wait, worker.process.kill).start()
    try:
        for _ in range(1000):
            worker.ask((Numbers(), [[len(bytes({LARGE}))], bytes({LARGE})]))
    except WorkerDiedError:
        print("died")
    worker.end()
""")
    assert output == ["died", "died"]


@pytest.mark.slow
def test_workers_killed_at_random_cost_no_result(in_a_process):
    """A result that two workers died over has failed, so what a kill may have hit is finished before the next one."""
    output = in_a_process("""
import random
rng = random.Random(1)
with Cores(Numbers(), 2) as cores:
    cores.copy()
    tasks = [cores.give([[number] * 50 for number in range(1, 12)]) for _ in range(400)]
    def kill():
        while cores._waiting:
            time.sleep(rng.random() * 0.2)
            for worker in list(cores._all)[:1]:
                worker.process.kill()
            begun = tasks[:len(tasks) - len(cores._waiting)]
            while any(task.found is None for task in begun):
                time.sleep(0.001)
    killer = threading.Thread(target=kill)
    killer.start()
    expected = [[number * number] * 50 for number in range(1, 12)]
    print(*(found for task in tasks if (found := task.result()) != expected))
    killer.join()
""")
    assert output == []


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc")
def test_nothing_is_left_behind(in_a_process):
    """Neither threads nor processes, whether a run ends by itself, is left, or meets an error of the caller."""
    output = in_a_process("""
from runs import children_of
class Me:
    pid = os.getpid()

list(work([[1]] * 20, Numbers(), Plan(jobs=2)))
print(threading.active_count(), children_of(Me))
left = work([0.01] * 200, Sleepy(), Plan(jobs=2))
for _ in range(50):
    next(left)
print(len(children_of(Me)))
left.close()
print(threading.active_count(), children_of(Me))

def wrong():
    yield from [[1]] * 20
    raise KeyError("of the caller")

try:
    list(work(wrong(), Numbers(), Plan(jobs=2)))
except KeyError:
    print(threading.active_count(), children_of(Me))
""")
    assert output == ["1", "[]", "2", "1", "[]", "1", "[]"]


def test_what_a_library_prints_does_no_harm(in_a_process):
    assert in_a_process("""
for _, found in work([[19], [19, 19]], Numbers(), Plan(jobs=2)):
    print(*found)
""") == ["361", "361", "361"]


def test_standard_error_that_is_closed_does_no_harm(in_a_process):
    output = in_a_process("""
os.close(2)
for _, found in work([[19], [2]], Numbers(), Plan(jobs=2)):
    print(*found)
""")
    assert output == ["361", "4"]


def test_a_copy_knows_what_this_process_knows(in_a_process, request):
    if "copies" not in request.node.name:
        pytest.skip("new interpreters do not: see the next test")
    assert in_a_process("""
class Here(Numbers):
    pass
for _, found in work([[2], [3]], Here(), Plan(jobs=2)):
    print(*found)
""") == ["4", "9"]


def test_what_this_process_has_not_printed_yet_is_printed_once(in_a_process):
    output = in_a_process("""
print("before", end=" ")
for _, found in work([[19]] * 40, Numbers(), Plan(jobs=2)):
    print(*found, end=" ")
""")
    assert output == ["before", *["361"] * 40]


def test_hard_items_are_worked_on_at_the_same_time(in_a_process):
    """Also the first ones, before anything is measured."""
    output = in_a_process("""
found = [process for _, [(process, _)] in work([0.5, 0.5, 0.0], Sleepy(), Plan(jobs=2))]
print(len(set(found[:2])), os.getpid() in found)
""")
    assert output == ["2", "False"]


@pytest.mark.parametrize("special", [13, 17, 23])
@pytest.mark.parametrize("place", few([0, 1, 150, 299]))
def test_wherever_something_unusual_happens_all_is_as_with_one_process(special, place, in_a_process):
    """The first items go to one worker, the others to several; after a death or a failure, items one by one."""
    output = in_a_process(f"""
from temporacle import runner
runner.COPY_PATIENCE = runner.WORTHWHILE = 0
items = [[number + 100, number + 400] for number in range(300)]
items[{place}].insert(1, {special})
found = list(work(items, Numbers(), Plan(jobs=2)))
print([item for item, _ in found] == items)
print(sum(result == number * number for item, results in found for number, result in zip(item, results)))
print([len(results) for _, results in found] == [len(item) for item in items])
print(found[{place}][1][1][:3])
""")
    assert output == ["True", "600", "True", f"{special}:"]


def test_what_the_first_worker_loads_is_loaded_before_others_are_copied():
    if sys.platform != "linux":
        pytest.skip("workers are copies on Linux only")
    assert run_apart("""
class Loading(Numbers):
    def results(self, item, skip, tell):
        yield "temporacle.scoring.reduction" in sys.modules
        import temporacle.scoring.reduction
with Cores(Loading(), 2) as cores:
    print(cores.copy(1), *cores.give([[]]).result())
    print("temporacle.scoring.reduction" in sys.modules, cores.copy(), "temporacle.scoring.reduction" in sys.modules)
    print(*(cores.give([[]]).result()[0] for _ in range(2)))
""") == ["True", "[False]", "False", "True", "True", "[True]", "[True]"]


def test_short_work_is_left_to_one_copy():
    if sys.platform != "linux":
        pytest.skip("workers are copies on Linux only")
    assert run_apart("""
from temporacle import runner
runner.COPY_PATIENCE = runner.WORTHWHILE = 60  # seconds, which the work does not take on any machine
found = {process for _, [(process, _)] in work([0.0] * 50, Sleepy(), Plan(jobs=2))}
print(len(found), os.getpid() in found)
""") == ["1", "False"]


@pytest.mark.parametrize(
    "other", ["threading.Thread(target=time.sleep, args=(9,), daemon=True).start()", "os.close(0)"]
)
def test_where_a_copy_could_not_work_there_is_none(other):
    output = run_apart(f"""
{other}
print(processes.can_copy())
for _, found in work([[2], [3]], Numbers(), Plan(jobs=2)):
    print(*found)
""")
    assert output == ["False", "4", "9"]


def test_without_room_for_a_copy_an_interpreter_is_started():
    assert run_apart("""
def fork():
    raise BlockingIOError(11, "no more processes")
os.fork = fork
before = len(os.listdir("/proc/self/fd"))
for _, found in work([[2], [3]], Numbers(), Plan(jobs=2)):
    print(*found)
print(len(os.listdir("/proc/self/fd")) - before)
""") == ["4", "9", "0"]


def test_a_job_that_workers_do_not_know_is_an_error_at_once():
    assert run_apart("""
from temporacle.errors import InternalError
processes.can_copy = lambda: False
class Here(Numbers):
    pass
try:
    list(work([[1]] * 10, Here(), Plan(jobs=2)))
except InternalError as error:
    print("error", "Here" in str(error))
""") == ["error", "True"]


def test_an_item_that_cannot_be_sent_is_worked_on_here(in_a_process):
    assert in_a_process("""
class Item(list):
    def __reduce__(self):
        raise TypeError("not to be sent")
for _, found in work([Item([2]), [3]], Numbers(), Plan(jobs=2)):
    print(*found)
""") == ["4", "9"]


def test_workers_that_cannot_begin_are_an_error():
    assert run_apart("""
from temporacle.errors import InternalError
processes.can_copy = lambda: False
processes._START = "import sys; sys.exit(7)"
try:
    list(work([[1]], Numbers(), Plan(jobs=2)))
except InternalError as error:
    print("error", "exit code 7" in str(error))
""") == ["error", "True"]


@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM"])
def test_a_second_signal_while_workers_are_ended_leaves_none_behind(number, in_a_process):
    output = in_a_process(f"""
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
processes = []
try:
    with Cores(Sleepy(), 2) as cores:
        tasks = [cores.give([0.2]), cores.give([0.2])]
        processes += [task.result()[0][0][0] for task in tasks]
        cores.give([60])
        ended = []
        def disturbed(worker):
            os.kill(os.getpid(), signal.{number})
            end(worker)
            ended.append(worker)
            print("went on" if len(ended) == 2 else "", end=" ")
        end, Worker.end = Worker.end, disturbed
        raise KeyboardInterrupt
except (KeyboardInterrupt, SystemExit):
    pass
for process in processes:
    try:
        os.kill(process, 0)
        print("alive")
    except ProcessLookupError:
        print("gone")
""")
    assert output == ["went", "on", "gone", "gone"]


@pytest.mark.parametrize(
    ("system", "expected"),
    [("", ["went", "on", "interrupted"]), ("del signal.pthread_sigmask", ["interrupted"])],
    ids=["held back", "where nothing can be held back"],
)
def test_an_interrupt_that_was_held_back_comes_afterwards(system, expected):
    assert (
        run_apart(f"""
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
