"""All cores of this machine: worker processes, and who asks them.

Whoever asks sends a request and waits for the answer. A worker shares its two pipes with this process and with nothing
else, so when it dies, at whatever moment, the end of a stream is read, and it is known what the worker was at.

One thread hands out the tasks of a run and waits for all workers at once. That costs less than a thread for each
worker, and beside other threads no copy of this process could be started.
"""

from __future__ import annotations

import select
import signal
import threading
from collections import deque
from contextlib import suppress
from functools import partial
from importlib import import_module
from time import monotonic
from typing import TYPE_CHECKING, Any, Generic, Self, TypeAlias, TypeVar, cast

from temporacle.errors import BudgetExceeded, InternalError, UsageError
from temporacle.runner import processes
from temporacle.runner.job import Item, Job, Result, StoppedError, WorkerDiedError, all_results, results_despite_deaths
from temporacle.runner.processes import UnsendableError, receive, send
from temporacle.signals import held_back

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Iterable, Iterator, Sequence

Answer: TypeAlias = tuple[list[list[Result]], float, list[str]]
"""Results of each item, the seconds that they took, and the modules that were loaded for them."""

_TRIALS = 3  # of starting a worker
_POLITE = (signal.SIGINT, signal.SIGTERM)


class Worker:
    """One process, and the messages to and from it."""

    def __init__(self, process: processes.Process | None = None) -> None:
        self.process = processes.started() if process is None else process
        self.is_ready = process is not None  # a new interpreter says so first, a copy of this process need not

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
        self.is_ready = True
        return message

    def end(self) -> None:
        """Kill it, whatever it is doing."""
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            with suppress(OSError):
                if stream is not None:
                    stream.close()


class Task(Generic[Item, Result]):
    """Some items, and the results of each as soon as they are known."""

    def __init__(self, items: Sequence[Item], wait: Callable[[float | None], None]) -> None:
        self.items = items
        self.found: list[list[Result]] | None = None if items else []  # none are left if the journal knows all
        self._wait = wait

    def result(self) -> list[list[Result]]:
        """Wait for the results. Other tasks are handed out meanwhile."""
        while self.found is None:
            self._wait(None)
        return self.found

    def is_done_within(self, seconds: float) -> bool:
        """Return whether the results are known within some seconds."""
        end = monotonic() + seconds
        while self.found is None and (left := end - monotonic()) > 0:
            self._wait(left)
        return self.found is not None


class Cores(Generic[Item, Result]):
    """The workers of a run, which have one task at a time. They are started when they are needed, and end with the run.

    ``measured`` gets the items of each finished task and the seconds that a worker took for them.
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
        self._loaded: list[str] = []  # modules that a worker had to load
        self._stillborn = 0  # workers that ended before they were ready, since the last answer
        self._is_stopped = False
        self._all: set[Worker] = set()
        self._free: list[Worker] = []
        # By the number of the stream of answers. A worker that is starting has no task yet.
        self._busy: dict[int, tuple[Worker, Task[Item, Result] | None]] = {}
        self._waiting: deque[Task[Item, Result]] = deque()
        self._answers: Any = select.poll() if hasattr(select, "poll") else None  # Windows: only carefully() is used

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        with held_back(*_POLITE):  # a second Ctrl-C does not leave workers behind
            self.stop()
            for worker in self._all:
                worker.end()

    def stop(self) -> None:
        """Kill all workers. Any thread may call this; whoever works with them meets a StoppedError."""
        self._is_stopped = True
        for worker in list(self._all):
            worker.process.kill()

    def copy(self, count: int | None = None) -> bool:
        """Start workers as copies of this process, up to a number (all). Return whether there are as many now."""
        count = self._jobs if count is None else count
        while len(self._all) < count and (worker := self._copy()) is not None:
            self._free.append(worker)
        return len(self._all) >= count

    def _copy(self) -> Worker | None:
        """Return a copy of this process; None where there can be none."""
        for name in self._loaded:  # so that copies have it
            with suppress(Exception):  # if it can be loaded in workers only, it is loaded there
                import_module(name)
        self._loaded = []
        with held_back(*_POLITE), suppress(OSError):  # too many processes, or too little memory
            if processes.can_copy():
                return self._known(Worker(processes.Copy([each.process for each in self._all])))
        return None

    def _known(self, worker: Worker) -> Worker:
        self._all.add(worker)
        if self._is_stopped:
            raise StoppedError
        return worker

    def _started(self) -> Worker:
        """Return a new worker, which may not be ready yet."""
        if (copy := self._copy()) is not None:
            return copy
        with held_back(*_POLITE):  # they are for this process
            return self._known(Worker())

    def start(self) -> None:
        """Start all workers without waiting for them."""
        while len(self._all) < self._jobs:
            self._put_to_work(self._started())

    def _put_to_work(self, worker: Worker) -> None:
        if worker.is_ready:
            self._free.append(worker)
        else:
            self._expect(worker, None)

    def are_ready(self) -> bool:
        """Return whether all workers that were started are ready, before any has a task."""
        if self._busy:
            self._turn(0)
        return not self._busy

    def give(self, items: Sequence[Item]) -> Task[Item, Result]:
        """Return the task of working on some items. It is handed out as soon as a worker is free."""
        task = Task[Item, Result](items, self._turn)
        if items:
            self._waiting.append(task)
            self._hand_out()
        return task

    def _hand_out(self) -> None:
        while self._waiting:
            if not self._free:
                starting = sum(task is None for _, task in self._busy.values())
                if len(self._all) >= self._jobs or starting >= len(self._waiting):
                    return
                self._put_to_work(self._started())
                continue
            worker, task = self._free.pop(), self._waiting.popleft()
            try:
                worker.tell((self._job, task.items))
            except UnsendableError:  # what cannot travel is worked on here
                self._free.append(worker)
                task.found = all_results(self._job, task.items)
            except WorkerDiedError:
                self._end(worker)
                task.found = self.carefully(task.items)
            else:
                self._expect(worker, task)

    def _expect(self, worker: Worker, task: Task[Item, Result] | None) -> None:
        self._busy[worker.answers] = worker, task
        self._answers.register(worker.answers, select.POLLIN)

    def _turn(self, seconds: float | None) -> None:
        """Wait until at least one worker has an answer, and give it the next task."""
        for number, _ in self._answers.poll(None if seconds is None else 1000 * seconds):
            self._answers.unregister(number)
            worker, task = self._busy.pop(number)
            answer: Answer[Result] | None = None  # its results cannot be sent, or it died
            try:
                answer = worker.next()
            except WorkerDiedError:
                self._end(worker)
            else:
                self._free.append(worker)
                self._stillborn = 0
            if task is not None:
                task.found = self.carefully(task.items) if answer is None else self._noted(task.items, answer)
        self._hand_out()

    def _noted(self, items: Sequence[Item], answer: Answer[Result]) -> list[list[Result]]:
        """Return the results of an answer, and take note of the rest."""
        found, seconds, loaded = answer
        self._loaded += loaded
        self._measured(items, seconds)
        return found

    def carefully(self, items: Iterable[Item]) -> list[list[Result]]:
        """Work on items that a process died over, one by one. Other workers finish what they have meanwhile."""
        return [results_despite_deaths(self._job, item, self._step_by_step) for item in items]

    def _step_by_step(self, item: Item, skip: int) -> Iterator[tuple[bool, object]]:
        worker = self._ready()
        try:
            message = worker.ask((self._job, item, skip))
            while message is not None:
                yield message
                message = worker.next()
        except BaseException:
            self._end(worker)
            raise
        self._free.append(worker)

    def _ready(self) -> Worker:
        """Return a worker that has nothing to do."""
        while not self._free:
            worker = self._started()
            try:
                if not worker.is_ready:
                    worker.next()
            except WorkerDiedError:
                self._end(worker)
            else:
                self._free.append(worker)
        return self._free.pop()

    def _end(self, worker: Worker) -> None:
        """Kill a worker. Raise InternalError if several have ended before they were ready."""
        worker.end()
        self._all.discard(worker)
        self._stillborn += not worker.is_ready
        if self._stillborn == _TRIALS:
            code = worker.process.wait()
            raise InternalError(f"worker processes end before they start to work, with exit code {code}: use jobs=1")


# ----------------------------------------------------------------------------------------------------
# Single questions to a server. Each is answered by a process that does nothing else meanwhile, so it can be ended at
# any moment: when its time is over, when the caller no longer waits for the answer, or when it needs too much memory.

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
        if not asked.begin(worker):  # the caller no longer waits for it
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
        """End the process, because the caller does not wait for the answer."""
        with self._lock:
            self._is_given_up = True
            self._kill()

    def _kill(self) -> None:
        if self._worker is not None:
            self._worker.process.kill()
