"""Tasks for workers that are copies of this process: one thread hands them out, and waits for all workers at once.

That costs less than a thread for each worker: no threads to load and to start, and none that waits until another one
lets it go on. If anything unusual happens (a worker dies, or its results cannot be sent), threads take over for good.
"""

from __future__ import annotations

import select
from collections import deque
from typing import TYPE_CHECKING, Generic

from temporacle.runner.job import Item, Job, Result, WorkerDiedError, all_results
from temporacle.runner.worker import UnsendableError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future

    from temporacle.runner.cores import Answer, Cores, Worker


class Task(Generic[Item, Result]):
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
        self._busy: dict[int, tuple[Worker, Task[Item, Result]]] = {}  # by the number of the stream of answers
        self._waiting: deque[Task[Item, Result]] = deque()
        self._answers = select.poll()  # every system on which workers are copies has it

    def join(self, worker: Worker) -> None:
        """Give tasks to another worker, too."""
        self._free.append(worker)

    def begun(self, items: Sequence[Item], worker: Worker) -> Task[Item, Result]:
        """Return a task that a worker has been given already."""
        task = Task[Item, Result](items, self._turn)
        self._expect(worker, task)
        return task

    def add(self, items: Sequence[Item]) -> Task[Item, Result]:
        """Return a task. It is handed out as soon as a worker is free."""
        task = Task[Item, Result](items, self._turn)
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

    def _expect(self, worker: Worker, task: Task[Item, Result]) -> None:
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
