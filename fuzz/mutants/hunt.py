"""Run the tests that reach a changed line against each mutant, in a process forked for it.

Tests are collected once. A first process runs them all and records which lines each test reaches, also in processes
that the test forks. Caches of functions are emptied after each test: otherwise only the first one would reach them.
Then each mutant gets a process of its own, forked from the one that only collected, so that no cache holds what an
unchanged module computed. It exchanges the code of one function and runs the tests of that line, the fastest first,
until one fails.

Changes of code that runs at import cannot be exchanged like that: their process imports the changed module afresh.
"""

from __future__ import annotations

import os
import pickle
import resource
import signal
import sys
from collections import defaultdict
from contextlib import suppress
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from inspect import unwrap
from pathlib import Path
from tempfile import TemporaryFile
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import pytest

from fuzz.mutants.operators import Mutant, mutants, mutated

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Iterator, Sequence

_LONGEST_TEST = 4.0  # seconds; a longer test is not used
_KILLED, _SURVIVED, _UNREACHED, _OUT_OF_TIME = "killed", "survived", "unreached", "out of time"
_OUTCOMES = {
    100: _SURVIVED,
    101: _UNREACHED,
}  # exit codes of a mutant's process; a mutant that ends it itself is killed


class Survey(NamedTuple):
    """What the tests do without a mutant."""

    seconds: dict[str, float]  # of the tests that pass, by node id
    reached: dict[str, dict[int, list[str]]]  # path of a module -> line -> node ids


class Result(NamedTuple):
    """What became of a mutant."""

    path: str
    mutant: Mutant
    outcome: str


def hunt(
    paths: Sequence[Path], tests: Sequence[str], *, jobs: int, seconds: float, known: Callable[[str, Mutant], bool]
) -> Iterator[Result]:
    """Yield what became of each mutant that is not known yet. Each gets so many seconds of tests, the fastest first."""
    survey = _in_child(lambda: _collected(tests, _Surveyor(paths)).survey)
    work = [(path, mutant) for path in paths for mutant in mutants(path.read_text()) if not known(str(path), mutant)]
    living = [each for each in work if each[1].function is not None]
    at_import = [each for each in work if each[1].function is None]
    yield from _in_collected(living, tests, survey, jobs, seconds)
    yield from _parallel(at_import, lambda path, mutant: _afresh(path, mutant, survey, seconds), jobs)


def _in_collected(
    work: list[tuple[Path, Mutant]], tests: Sequence[str], survey: Survey, jobs: int, seconds: float
) -> Iterator[Result]:
    reader, writer = os.pipe()
    if os.fork() == 0:  # pytest's own session stays in that process
        os.close(reader)
        _silence()
        with os.fdopen(writer, "wb", buffering=0) as answers:
            _collected(tests, _Hunter(work, survey, jobs, seconds, answers))
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as answers, suppress(EOFError):
        while (result := pickle.load(answers)) is not None:
            yield result


# --- tests ------------------------------------------------------------------------------------------------------------


def _collected(tests: Sequence[str], plugin: Any) -> Any:
    arguments = [*tests, "-s", "-m", "not slow", "-p", "no:cacheprovider", "-p", "no:xdist", "-o", "timeout=0"]
    pytest.main(arguments, plugins=[plugin])
    return plugin


def _passes(item: pytest.Item) -> bool:
    from _pytest.runner import runtestprotocol

    return not any(report.failed for report in runtestprotocol(item, nextitem=None, log=False))


def _work_so_far() -> float:
    """Return the seconds of the processor that this process and the programs that tests have started took."""
    return sum(os.times()[:4])


class _Surveyor:
    """Runs every test once and notes which lines it reaches."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = [str(path.resolve()) for path in paths]
        self.survey = Survey({}, {})

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        from coverage import Coverage

        coverage = Coverage(data_file=None, include=self._paths, config_file=False, messages=False)
        coverage.set_option("run:disable_warnings", ["no-data-collected"])  # if all of it runs in forks
        coverage.start()
        forks = _Forks(self._paths)
        for item in session.items:
            coverage.switch_context(item.nodeid)
            started = _work_so_far()
            passes = _passes(item)
            seconds = _work_so_far() - started
            if passes and seconds < _LONGEST_TEST:
                self.survey.seconds[item.nodeid] = seconds
            forks.finish(item.nodeid)
            _clear_caches(self._paths)
        coverage.stop()
        data = coverage.get_data()
        for path in self._paths:
            reached = self.survey.reached.setdefault(str(Path(path).relative_to(Path.cwd())), {})
            here, below = data.contexts_by_lineno(path), forks.reached[path]
            for line in here.keys() | below.keys():
                nodes = {*here.get(line, ()), *below.get(line, ())} & self.survey.seconds.keys()
                reached[line] = sorted(nodes, key=self.survey.seconds.__getitem__)
        return True


def _clear_caches(paths: Sequence[str]) -> None:
    """Forget what cached functions of these modules have computed, so that the next test reaches their lines, too."""
    for path in paths:
        module = sys.modules.get(_module_name(Path(path).relative_to(Path.cwd())))
        for each in list(vars(module).values()) if module is not None else ():
            clear = getattr(each, "cache_clear", None)
            if clear is not None:
                clear()


class _Forks:
    """Notes the lines that forked processes reach. They may be killed at any time, so each line is written at once."""

    def __init__(self, paths: Sequence[str]) -> None:
        self.reached: dict[str, dict[int, set[str]]] = {path: defaultdict(set) for path in paths}
        self._lines = TemporaryFile()  # noqa: SIM115 - open as long as tests run
        self._seen: set[tuple[str, int]] = set()
        os.register_at_fork(after_in_child=self._follow)

    def finish(self, node: str) -> None:
        """Take what the forks of a test have written."""
        self._lines.seek(0)
        for line in self._lines.read().decode().splitlines():
            path, _, number = line.rpartition(":")
            self.reached[path][int(number)].add(node)
        os.ftruncate(self._lines.fileno(), 0)
        self._lines.seek(0)

    def _follow(self) -> None:
        frame: FrameType | None = sys._getframe()  # noqa: SLF001 - the frames that were running when it was forked
        while frame is not None:
            frame.f_trace = self._entered(frame, "call", None)
            frame = frame.f_back
        sys.settrace(self._entered)

    def _entered(self, frame: FrameType, _event: str, _argument: object) -> Any:
        return self._moved if frame.f_code.co_filename in self.reached else None

    def _moved(self, frame: FrameType, _event: str, _argument: object) -> Any:
        place = frame.f_code.co_filename, frame.f_lineno
        if place not in self._seen:
            self._seen.add(place)
            with suppress(OSError):
                os.write(self._lines.fileno(), f"{place[0]}:{place[1]}\n".encode())
        return self._moved


def _chosen(nodes: Sequence[str], survey: Survey, seconds: float) -> list[str]:
    """Return the tests of a mutant, as many as fit into its time.

    Cases of one test function are much alike, so the fastest case of each function comes first, then the second of
    each.
    """
    cases: dict[str, int] = defaultdict(int)
    ranked = []
    for node in sorted(nodes, key=survey.seconds.__getitem__):
        function = node.partition("[")[0]
        ranked.append((cases[function], survey.seconds[node], node))
        cases[function] += 1
    chosen, total = [], 0.0
    for _, cost, node in sorted(ranked):
        if total + cost <= seconds or not chosen:
            chosen.append(node)
            total += cost
    return chosen


# --- mutants of functions ---------------------------------------------------------------------------------------------


class _Hunter:
    """Tries mutants in the process that has collected the tests."""

    def __init__(
        self, work: list[tuple[Path, Mutant]], survey: Survey, jobs: int, seconds: float, answers: IO[bytes]
    ) -> None:
        self._work, self._survey, self._jobs, self._seconds, self._answers = work, survey, jobs, seconds, answers

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = {item.nodeid: item for item in session.items}

        def attempt(path: Path, mutant: Mutant) -> str:
            nodes = _chosen(self._survey.reached.get(str(path), {}).get(mutant.line, ()), self._survey, self._seconds)
            if not nodes:
                return _UNREACHED
            _limit(sum(map(self._survey.seconds.__getitem__, nodes)))
            try:
                _exchange(path, mutant)
            except (ImportError, LookupError):  # a module that needs a package which is not installed
                return _UNREACHED
            return _SURVIVED if all(_passes(items[node]) for node in nodes) else _KILLED

        for result in _parallel(self._work, attempt, self._jobs):
            self._answers.write(pickle.dumps(result))
        self._answers.write(pickle.dumps(None))  # a process that a mutant has left behind may hold the pipe open
        return True


def _module(path: Path) -> ModuleType:
    return import_module(_module_name(path))


def _module_name(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def _exchange(path: Path, mutant: Mutant) -> None:
    """Give a living function the code of the mutant."""
    assert mutant.function is not None
    names = mutant.function.split(".")
    codes = [compile(mutated(path.read_text(), mutant.number), str(path), "exec")]
    found: Any = _module(path)
    for name in names:  # overloads have the name of their function
        codes = [
            each for code in codes for each in code.co_consts if isinstance(each, CodeType) and each.co_name == name
        ]
        found = vars(found)[name]
    by_line = {code.co_firstlineno: code for code in codes}
    for function in _functions(found):
        if function.__code__.co_firstlineno in by_line:
            function.__code__ = by_line[function.__code__.co_firstlineno]
            return
    raise LookupError(mutant)


def _functions(found: Any) -> Iterator[FunctionType]:
    """Yield the plain functions behind properties, class methods and caches."""
    for each in (found, *(getattr(found, name, None) for name in ("fget", "fset", "func", "__func__"))):
        inner = unwrap(each) if each is not None and hasattr(each, "__wrapped__") else each
        if isinstance(inner, FunctionType):
            yield inner


# --- mutants of code that runs at import ------------------------------------------------------------------------------


class _ChangedModule(MetaPathFinder, Loader):
    """Imports one module with a change."""

    def __init__(self, name: str, tree: ast.Module, path: Path) -> None:
        self._name, self._tree, self._path = name, tree, path

    def find_spec(self, fullname: str, *_: object) -> ModuleSpec | None:
        return ModuleSpec(fullname, self, origin=str(self._path)) if fullname == self._name else None

    def exec_module(self, module: ModuleType) -> None:
        module.__file__ = str(self._path)
        exec(compile(self._tree, str(self._path), "exec"), module.__dict__)


def _afresh(path: Path, mutant: Mutant, survey: Survey, seconds: float) -> str:
    reaching = {node for each in survey.reached.get(str(path), {}).values() for node in each}
    # Of a module without functions no line is reached later than at import: any test may notice.
    nodes = _chosen(sorted(reaching or survey.seconds), survey, seconds)
    if not nodes:
        return _UNREACHED
    _limit(10 + sum(map(survey.seconds.__getitem__, nodes)))
    for name in [name for name in sys.modules if name.split(".")[0] == "temporacle"]:
        del sys.modules[name]
    sys.meta_path.insert(0, _ChangedModule(_module_name(path), mutated(path.read_text(), mutant.number), path))
    return _KILLED if pytest.main([*nodes, "-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]) else _SURVIVED


# --- processes --------------------------------------------------------------------------------------------------------


def _parallel(
    work: Sequence[tuple[Path, Mutant]], attempt: Callable[[Path, Mutant], str], jobs: int
) -> Iterator[Result]:
    """Try each mutant in a forked process, ``jobs`` at a time."""
    running: dict[int, tuple[Path, Mutant]] = {}
    waiting = iter(work)
    while True:
        for path, mutant in waiting:
            running[_fork(path, mutant, attempt)] = path, mutant
            if len(running) >= jobs:
                break
        if not running:
            return
        pid, status = os.wait()
        if pid in running:
            path, mutant = running.pop(pid)
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)  # what the mutant's process has left behind
            if os.WIFSIGNALED(status):
                outcome = _OUT_OF_TIME
            else:
                outcome = _OUTCOMES.get(os.waitstatus_to_exitcode(status), _KILLED)
            yield Result(str(path), mutant, outcome)


def _fork(path: Path, mutant: Mutant, attempt: Callable[[Path, Mutant], str]) -> int:
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        os.setpgid(0, 0)  # a mutant may kill its whole group
        _silence()
        resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
        outcome = attempt(path, mutant)
        code = next((code for code, each in _OUTCOMES.items() if each == outcome), 1)
    finally:
        os._exit(code)


def _limit(seconds: float) -> None:
    """End this process if it takes much longer than the tests take without a mutant."""
    limit = int(4 * seconds) + 3
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
    signal.alarm(limit * 8)  # a mutant that waits uses no time of the processor


def _silence() -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)


def _in_child(work: Callable[[], Any]) -> Any:
    """Return what a function gives in a forked process."""
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.close(reader)
        _silence()
        with os.fdopen(writer, "wb") as answer:
            pickle.dump(work(), answer)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as answer:
        found = pickle.load(answer)
    os.wait()
    return found


def by_module(results: Sequence[Result]) -> dict[str, dict[str, int]]:
    """Count the outcomes of each module."""
    counts: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for result in results:
        counts[result.path][result.outcome] += 1
    return counts
