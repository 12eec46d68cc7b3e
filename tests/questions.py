"""Questions for the runner, in a module that worker processes can import."""

import os
import pickle
import signal
import time

from temporacle.model import Unreadable
from temporacle.runner import processes
from temporacle.tasks.score_pair import ScoreJob


def size(document):
    """What a test can compare: how many links a document has, or why it cannot be read."""
    if isinstance(document, Unreadable):
        return f"unreadable: {document.error.reason}"
    return len(document.links)


def slow_size(document):
    time.sleep(0.02)
    return size(document)


def size_or_death(document):
    """Some documents are the end of a worker."""
    if isinstance(document, Unreadable):
        return size(document)
    if document.id.startswith("exits"):
        os._exit(3)
    if document.id.startswith("killed"):
        os.kill(os.getpid(), signal.SIGKILL)
    if document.id.startswith("raises"):
        raise RuntimeError("nobody thought of this")
    return size(document)


def named(document, question):
    """An answer with the name of its document, for the runner keeps only answers."""
    return document.id, question(document)


def tear_the_next_answer():
    """Half of the next message of this worker is sent, then it is killed."""

    def send_half(stream, message):
        data = pickle.dumps(message)
        stream.write((len(data).to_bytes(8, "big") + data)[: 8 + len(data) // 2])
        stream.flush()
        os.kill(os.getpid(), signal.SIGKILL)

    processes.send = send_half


def first_time(mark):
    """Whether this is the first visit, in whichever process."""
    try:
        os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


class SizeOrTornAnswer:
    """The size of documents; one of them tears the answer, the first time it is met."""

    def __init__(self, mark):
        self.mark = mark

    def __call__(self, document):
        if not isinstance(document, Unreadable) and document.id.startswith("torn") and first_time(self.mark):
            tear_the_next_answer()
        return size(document)


class Numbers:
    """A job without documents: an item is a list of numbers, and some numbers are special."""

    def results(self, item, skip, tell):
        for number in item[skip:]:
            tell(str(number))
            if number == 13:
                os._exit(1)
            if number == 17:
                raise ValueError("an unlucky number")
            if number == 19:
                print("a library that talks")
            yield open(os.devnull) if number == 23 else number * number  # noqa: PTH123, SIM115

    def failed(self, item, name, reason):
        return f"{name}: {reason}"


class Sleepy:
    """A job that takes its time, and says in which process and with which signals held back."""

    def results(self, item, skip, tell):
        time.sleep(item)
        yield os.getpid(), signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())

    def failed(self, item, name, reason):
        return reason


class DeadlyScoreJob(ScoreJob):
    """Scores pairs; some are the end of a worker."""

    def results(self, item, skip, tell):
        if item.name.startswith("exits"):
            os._exit(3)
        if item.name.startswith("raises"):
            raise RuntimeError("nobody thought of this")
        return super().results(item, skip, tell)


class SlowScoreJob(ScoreJob):
    """Scores pairs, with rests."""

    def results(self, item, skip, tell):
        time.sleep(0.02)
        return super().results(item, skip, tell)
