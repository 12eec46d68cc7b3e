"""All cores of this machine: worker processes, and who asks them.

Whoever asks sends a request and waits for the answer. A worker shares its two pipes with this process and with nothing
else, so when it dies, at whatever moment, the end of a stream is read, and it is known what the worker was at.

Workers that are copies are asked from the thread of the caller: first one (``alone``), then all of them (``exchange``).
Each other worker, and each worker after something unusual, is asked by a thread of its own.
"""

from __future__ import annotations

import select
import signal
import threading
from collections import deque
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, Self, TypeAlias, TypeVar, cast

from temporacle.errors import BudgetExceeded, InternalError, UsageError
from temporacle.runner import processes
from temporacle.runner.job import Item, Job, Result, WorkerDiedError, all_results, results_despite_deaths
from temporacle.runner.processes import UnsendableError, receive, send
from temporacle.signals import held_back

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import Future, ThreadPoolExecutor

Answer: TypeAlias = tuple[list[list[Result]], float, list[str]]
"""Results of each item, the seconds that they took, and the modules that were loaded for them."""

Given = ParamSpec("Given")

_TRIALS = 3  # of starting a worker
_POLITE = (signal.SIGINT, signal.SIGTERM)


class Worker:
    """One process, and the messages to and from it."""

    def __init__(self, process: processes.Process | None = None) -> None:
        self.process = processes.started() if process is None else process

    def ask(self, request: object) -> Any:
        """Return the first message of the answer. Raise WorkerDiedError if there is none."""
        self.tell(request)
        return self.next()

    def tell(self, request: object) -> None:
        """Send a request. Raise WorkerDiedError if nothing reads it."""
        assert self.process.stdin is not None  # noqa: S101 - narrows the type only
        try:
            send(self.process.stdin, request)
        except OSError:
            raise WorkerDiedError from None
        except Exception as error:  # whatever pickle raises
            raise UnsendableError from error

    def answers_within(self, seconds: float) -> bool:
        """Return whether an answer begins, or the worker dies, within some seconds."""
        assert self.process.stdout is not None  # noqa: S101 - narrows the type only
        waiting = select.poll()  # every system on which workers are copies has it
        waiting.register(self.process.stdout, select.POLLIN)
        return bool(waiting.poll(1000 * max(seconds, 0)))

    @property
    def answers(self) -> int:
        """Return the number of the stream of answers."""
        assert self.process.stdout is not None  # noqa: S101 - narrows the type only
        return self.process.stdout.fileno()

    def next(self) -> Any:
        """Return the next message."""
        assert self.process.stdout is not None  # noqa: S101 - narrows the type only
        try:
            message = receive(self.process.stdout)
        except (EOFError, OSError):
            raise WorkerDiedError from None
        if isinstance(message, InternalError):
            raise message
        return message

    def end(self) -> None:
        """Kill it, whatever it is doing."""
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            with suppress(OSError):
                if stream is not None:
                    stream.close()


class Cores(Generic[Item, Result]):
    """The workers of a run. They are started when they are needed, and end with the run.

    ``measured`` gets the items of each finished chunk and the seconds that a worker took for them.
    """

    def __init__(
        self,
        job: Job[Item, Result],
        jobs: int,
        measured: Callable[[Sequence[Item], float], None] = lambda _items, _seconds: None,
    ) -> None:
        self._job = job
        self._jobs = jobs
        self._measured = measured
        self._threads: ThreadPoolExecutor | None = None
        self._exchange: Exchange[Item, Result] | None = None
        self._loaded: list[str] = []  # modules that a worker had to load
        self._idle: list[Worker] = []
        self._all: set[Worker] = set()
        self._closed = False
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        with held_back(*_POLITE):  # a second Ctrl-C does not leave workers behind
            with self._lock:
                self._closed = True
                for worker in self._all:
                    worker.process.kill()
            if self._threads is not None:
                self._threads.shutdown(cancel_futures=True)
            for worker in self._all:
                worker.end()

    def copy(self, count: int | None = None) -> bool:
        """Start workers as copies of this process, up to a number (all). Return whether there are as many now."""
        count = self._jobs if count is None else count
        self._load()
        with held_back(*_POLITE):
            while len(self._all) < count and processes.can_copy():
                try:
                    worker = Worker(processes.Copy([each.process for each in self._all]))
                except OSError:  # too many processes, or too little memory
                    break
                self._all.add(worker)
                self._idle.append(worker)
        return len(self._all) >= count

    def _load(self) -> None:
        """Load the modules that a worker had to load, so that further copies have them."""
        for name in self._loaded:
            with suppress(Exception):  # if it can be loaded in workers only, it is loaded there
                import_module(name)
        self._loaded = []

    def start(self) -> list[Future[None]]:
        """Start all workers without waiting for them. A worker that cannot be started is an error of its first task."""
        if self.copy():
            return []
        with held_back(*_POLITE):
            return [self._pool().submit(self._prepare) for _ in range(self._jobs - len(self._all))]

    def _prepare(self) -> None:
        worker = self._started()
        self._idle.append(worker)

    def _pool(self) -> ThreadPoolExecutor:
        if self._threads is None:
            from concurrent.futures import ThreadPoolExecutor  # takes as long to load as all else that a short run does

            self._threads = ThreadPoolExecutor(self._jobs)
        return self._threads

    def alone(
        self, items: Sequence[Item], seconds: float
    ) -> list[list[Result]] | Assignment[Item, Result] | Future[list[list[Result]]]:
        """Work on some items in one worker, a copy of this process. Return the results of each.

        If it takes longer than some seconds, return where the results will be, and have copies for other work.
        """
        if not items:
            return []
        with suppress(WorkerDiedError, UnsendableError):
            worker = self._idle[-1]
            worker.tell((self._job, items))
            if not worker.answers_within(seconds):
                self._idle.pop()
                self.copy()
                return self._tasks().begun(items, worker)
            if (answer := worker.next()) is not None:
                return self.noted(items, answer)
        return self.in_thread(self.results, items)  # something about them is unusual

    def give(self, items: Sequence[Item]) -> Assignment[Item, Result] | Future[list[list[Result]]]:
        """Work on some items like ``submit``, but without threads as long as workers are copies and nothing fails."""
        if self._threads is not None or not (self._exchange or self._idle):
            return self.submit(items)
        return self._tasks().add(items)

    def _tasks(self) -> Exchange[Item, Result]:
        """Return the tasks of copies, all of which take part."""
        if self._exchange is None:
            self._exchange = Exchange(self, self._job)
        while self._idle:
            self._exchange.join(self._idle.pop())
        return self._exchange

    def take_back(self, workers: Sequence[Worker]) -> None:
        """Have workers again that are not needed for tasks."""
        self._idle += workers

    def submit(self, items: Sequence[Item]) -> Future[list[list[Result]]]:
        """Work on some items; the results of each."""
        return self.in_thread(self.results, items)

    def in_thread(
        self, function: Callable[Given, list[list[Result]]], *given: Given.args, **named: Given.kwargs
    ) -> Future[list[list[Result]]]:
        """Call a function in a thread."""
        with held_back(*_POLITE):  # signals are for the main thread: the threads that are started here never get them
            return self._pool().submit(function, *given, **named)

    def results(self, items: Sequence[Item]) -> list[list[Result]]:
        """Return the results of some items."""
        answer: Answer[Result] | None = None
        if not items:
            return []
        try:
            with suppress(WorkerDiedError), self._borrowed() as worker:
                answer = worker.ask((self._job, items))
        except UnsendableError:  # what cannot travel is worked on here
            return all_results(self._job, items)
        return self.carefully(items) if answer is None else self.noted(items, answer)

    def rest_of_results(self, worker: Worker, items: Sequence[Item]) -> list[list[Result]]:
        """Return the results that a worker has been asked for."""
        answer: Answer[Result] | None = None
        with suppress(WorkerDiedError), self._returned(worker):
            answer = worker.next()
        return self.carefully(items) if answer is None else self.noted(items, answer)

    def noted(self, items: Sequence[Item], answer: Answer[Result]) -> list[list[Result]]:
        """Return the results of an answer, and take note of the rest."""
        found, seconds, loaded = answer
        self._loaded += loaded
        self._measured(items, seconds)
        return found

    def carefully(self, items: Sequence[Item]) -> list[list[Result]]:
        """Work on items that a process died over, one by one."""
        return [results_despite_deaths(self._job, item, self._step_by_step) for item in items]

    def _step_by_step(self, item: Item, skip: int) -> Iterator[tuple[bool, object]]:
        with self._borrowed() as worker:
            message = worker.ask((self._job, item, skip))
            while message is not None:
                yield message
                message = worker.next()

    @contextmanager
    def _borrowed(self) -> Iterator[Worker]:
        """Provide a worker for one request."""
        with self._returned(self._idle.pop() if self._idle else self._started()) as worker:
            yield worker

    @contextmanager
    def _returned(self, worker: Worker) -> Iterator[Worker]:
        """Give a worker back after a request. A worker that does not answer completely is ended."""
        try:
            yield worker
        except BaseException:
            self.end(worker)
            raise
        self._idle.append(worker)

    def end(self, worker: Worker) -> None:
        """Kill a worker."""
        worker.end()
        with self._lock:
            self._all.discard(worker)

    def _started(self) -> Worker:
        from concurrent.futures import CancelledError

        for _ in range(_TRIALS):
            with self._lock:
                if self._closed:
                    raise CancelledError
                worker = Worker()
                self._all.add(worker)
            try:
                worker.next()  # it is ready
            except WorkerDiedError:
                self.end(worker)
            else:
                return worker
        if self._closed:
            raise CancelledError
        code = worker.process.wait()
        raise InternalError(f"worker processes end before they start to work, with exit code {code}: use jobs=1")


# ----------------------------------------------------------------------------------------------------
# Tasks for workers that are copies of this process: one thread hands them out, and waits for all workers at once.
#
# That costs less than a thread for each worker: no threads to load and to start, and none that waits until another one
# lets it go on. If anything unusual happens (a worker dies, or its results cannot be sent), threads take over for good.


class Assignment(Generic[Item, Result]):
    """Some items, and the results of each as soon as they are known."""

    def __init__(self, items: Sequence[Item], turn: Callable[[], None]) -> None:
        self.items = items
        self.found: list[list[Result]] | Future[list[list[Result]]] | None = None
        self._turn = turn

    def result(self) -> list[list[Result]]:
        """Wait for the results, and hand out other tasks meanwhile."""
        while self.found is None:
            self._turn()
        return self.found if isinstance(self.found, list) else self.found.result()


class Exchange(Generic[Item, Result]):
    """The tasks of a run, and its workers. A worker has one task at a time."""

    def __init__(self, cores: Cores[Item, Result], job: Job[Item, Result]) -> None:
        self._cores = cores
        self._job = job
        self._free: list[Worker] = []
        self._busy: dict[int, tuple[Worker, Assignment[Item, Result]]] = {}  # by the number of the stream of answers
        self._waiting: deque[Assignment[Item, Result]] = deque()
        self._answers = select.poll()  # every system on which workers are copies has it

    def join(self, worker: Worker) -> None:
        """Give tasks to another worker, too."""
        self._free.append(worker)

    def begun(self, items: Sequence[Item], worker: Worker) -> Assignment[Item, Result]:
        """Return a task that a worker has been given already."""
        task = Assignment[Item, Result](items, self._turn)
        self._expect(worker, task)
        return task

    def add(self, items: Sequence[Item]) -> Assignment[Item, Result]:
        """Return a task. It is handed out as soon as a worker is free."""
        task = Assignment[Item, Result](items, self._turn)
        if items:
            self._waiting.append(task)
            self._hand_out()
        else:  # the journal knows all
            task.found = []
        return task

    def _hand_out(self) -> None:
        while self._free and self._waiting:
            worker, task = self._free.pop(), self._waiting.popleft()
            try:
                worker.tell((self._job, task.items))
            except UnsendableError:  # what cannot travel is worked on here
                self._free.append(worker)
                task.found = all_results(self._job, task.items)
            except WorkerDiedError:
                self._waiting.appendleft(task)
                self._cores.end(worker)
                self._leave_to_threads()
            else:
                self._expect(worker, task)

    def _expect(self, worker: Worker, task: Assignment[Item, Result]) -> None:
        self._busy[worker.answers] = worker, task
        self._answers.register(worker.answers, select.POLLIN)

    def _turn(self) -> None:
        """Wait until at least one worker has an answer, and give it the next task."""
        for number, _ in self._answers.poll():
            self._answers.unregister(number)
            worker, task = self._busy.pop(number)
            answer: Answer[Result] | None = None
            try:
                answer = worker.next()
            except WorkerDiedError:
                self._cores.end(worker)
            else:
                self._free.append(worker)
            if answer is None:
                task.found = self._cores.in_thread(self._cores.carefully, task.items)
                self._leave_to_threads()
                return
            task.found = self._cores.noted(task.items, answer)
        self._hand_out()

    def _leave_to_threads(self) -> None:
        """Leave all workers and tasks to threads."""
        for worker, task in self._busy.values():
            task.found = self._cores.in_thread(self._cores.rest_of_results, worker, task.items)
        for task in self._waiting:
            task.found = self._cores.in_thread(self._cores.results, task.items)
        self._cores.take_back(self._free)
        self._busy, self._waiting, self._free = {}, deque(), []


# ----------------------------------------------------------------------------------------------------
# Single questions to a server. Each is answered by a process that does nothing else meanwhile, so it can be ended at
# any moment: when its time is over, when nobody waits for the answer any more, or when it needs too much memory.

MEMORY = 4 << 30  # bytes that the process of a question may use
_GRACE = 1.5, 0.5  # a question that does not keep its time itself is ended after this many times its seconds, and these
Answered = TypeVar("Answered")


class Questions:
    """Processes for questions. ``prepare`` is called once in each of them; what it loads need not be loaded later."""

    def __init__(self, most: int, prepare: Callable[[], object], memory: int = MEMORY) -> None:
        self._most = most
        self._prepare = prepare
        self._memory = memory
        self._idle: list[Worker] = []
        self._all: set[Worker] = set()
        self._closed = False
        self._lock = threading.Lock()
        self._places: asyncio.Semaphore | None = None
        self._rooms = threading.Semaphore(most)  # the same for threads

    def ask(self, call: Callable[[], Answered], seconds: float, wanted: Wanted | None = None) -> Answered:
        """Return what a call returns in a process of its own, as ``answer`` does, in a thread that waits for it.

        ``wanted``: who may give the question up.
        """
        with self._rooms:
            return self._ask(call, seconds, wanted or Wanted())

    async def answer(self, call: Callable[[], Answered], seconds: float) -> Answered:
        """Return what a call returns in a process of its own. If this is cancelled, the process is ended.

        Raise BudgetExceeded after some more than ``seconds``, WorkerDiedError if the process dies.
        """
        import asyncio

        if self._places is None:
            self._places = asyncio.Semaphore(self._most)
        async with self._places:
            asked = Wanted()
            try:
                return await asyncio.to_thread(self._ask, call, seconds, asked)
            except asyncio.CancelledError:
                asked.give_up()
                raise

    def _ask(self, call: Callable[[], Answered], seconds: float, asked: Wanted) -> Answered:
        worker = self._worker()
        limit = threading.Timer(_GRACE[0] * seconds + _GRACE[1], asked.run_out)
        if not asked.begin(worker):  # nobody waits for it any more
            self._idle.append(worker)
            raise WorkerDiedError
        limit.start()
        try:
            is_good, found = worker.ask((call,))
        except WorkerDiedError:
            self._end(worker)
            if asked.is_late:
                raise BudgetExceeded(f"the time limit of {seconds:g} s ran out") from None
            raise
        except UnsendableError as error:
            self._end(worker)
            raise InternalError("a question cannot be sent to a process") from error
        finally:
            limit.cancel()
        if asked.finish():
            self._idle.append(worker)
        else:
            self._end(worker)
        if not is_good:
            raise found
        return cast("Answered", found)

    def _worker(self) -> Worker:
        """Return a process that is ready."""
        with self._lock:
            if self._closed:
                raise WorkerDiedError
            if self._idle:
                return self._idle.pop()
            worker = Worker()
            self._all.add(worker)
        try:
            worker.next()
            worker.ask((partial(processes.limit_memory, self._memory),))
            worker.ask((self._prepare,))
        except WorkerDiedError:
            self._end(worker)
            raise
        return worker

    def _end(self, worker: Worker) -> None:
        worker.end()
        with self._lock:
            self._all.discard(worker)

    def start(self) -> None:
        """Start a process, so that the first question need not wait for it. Return at once."""

        def started() -> None:
            with suppress(WorkerDiedError, UsageError):
                self._idle.append(self._worker())

        threading.Thread(target=started, daemon=True).start()

    def close(self) -> None:
        """End all processes, whatever they are doing."""
        with self._lock:
            self._closed = True
            for worker in self._all:
                worker.process.kill()  # whoever asks it notices, and ends it
            for worker in self._idle:
                worker.end()


class Wanted:
    """One question: the process that answers it, as long as it does, and whether the answer is still wanted."""

    def __init__(self) -> None:
        self._worker: Worker | None = None
        self._is_given_up = False
        self.is_late = False
        self._lock = threading.Lock()

    def begin(self, worker: Worker) -> bool:
        """Note who answers; return whether the answer is still wanted."""
        with self._lock:
            self._worker = worker
            return not self._is_given_up

    def finish(self) -> bool:
        """Note that it is answered; return whether the process can answer others."""
        with self._lock:
            self._worker = None
            return not (self._is_given_up or self.is_late)

    def run_out(self) -> None:
        """End the process, because the time is over."""
        with self._lock:
            self.is_late = True
            self._kill()

    def give_up(self) -> None:
        """End the process, because nobody waits for the answer."""
        with self._lock:
            self._is_given_up = True
            self._kill()

    def _kill(self) -> None:
        if self._worker is not None:
            self._worker.process.kill()
