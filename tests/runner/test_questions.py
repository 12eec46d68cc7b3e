"""Single questions, each in a process that can be ended."""

import asyncio
import os
import time
from functools import partial

import pytest

from temporacle.errors import BudgetExceeded, UsageError
from temporacle.runner.copies import Questions
from temporacle.runner.job import WorkerDiedError

SECONDS = 60  # of patience with a machine under load


def nothing():
    """Prepare nothing."""


@pytest.fixture
def questions():
    found = Questions(2, nothing, memory=1 << 30)
    yield found
    found.close()


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def ended(pid):
    until = time.monotonic() + SECONDS
    while alive(pid) and time.monotonic() < until:
        time.sleep(0.01)
    return not alive(pid)


ASLEEP = "import os, time; open(os.path.join({!r}, str(os.getpid())), 'w').close(); time.sleep({})"


def raised():
    raise UsageError("not like this")


def test_answers_errors_and_deaths(questions):
    async def asked():
        first = await questions.answer(os.getpid, SECONDS)
        assert first != os.getpid()
        assert await questions.answer(os.getpid, SECONDS) == first  # a process that is idle is asked again
        with pytest.raises(UsageError, match="not like this"):
            await questions.answer(raised, SECONDS)
        with pytest.raises(MemoryError):
            await questions.answer(partial(bytearray, 2 << 30), SECONDS)
        assert await questions.answer(os.getpid, SECONDS) == first
        with pytest.raises(WorkerDiedError):
            await questions.answer(partial(os._exit, 3), SECONDS)
        assert ended(first)
        second = await questions.answer(os.getpid, SECONDS)
        assert second != first
        with pytest.raises(BudgetExceeded, match=r"the time limit of 0\.01 s ran out"):
            await questions.answer(partial(time.sleep, 10 * SECONDS), 0.01)
        assert ended(second)

    asyncio.run(asked())


def test_cancelled_questions_give_their_places_free(questions, tmp_path):
    async def asked():
        asleep = partial(exec, ASLEEP.format(str(tmp_path), 10 * SECONDS))
        waiting = [asyncio.create_task(questions.answer(asleep, SECONDS)) for _ in range(9)]
        pids = set()
        while len(pids) < 2:
            await asyncio.sleep(0.01)
            pids = {int(each.name) for each in tmp_path.iterdir()}
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        assert await questions.answer(partial(sum, (1, 2)), SECONDS) == 3
        assert all(task.cancelled() for task in waiting)
        assert all(map(ended, pids))

    asyncio.run(asked())


def test_nothing_is_asked_after_the_end(questions):
    async def asked():
        pid = await questions.answer(os.getpid, SECONDS)
        questions.close()
        assert ended(pid)
        with pytest.raises(WorkerDiedError):
            await questions.answer(os.getpid, SECONDS)

    asyncio.run(asked())
