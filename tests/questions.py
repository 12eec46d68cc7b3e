"""Questions for the runner, in a module that worker processes can import."""

import os
import signal
import time
from multiprocessing.connection import Connection
from pathlib import Path

from temporacle.commands.score_work import Task
from temporacle.model import Unreadable


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


def die_while_answering(mark=None):
    """The next answer of this process is torn: half of it is sent, then it is killed. With a mark, only once."""
    if mark is not None:
        if Path(mark).exists():
            return
        Path(mark).touch()

    def send_half(connection, data):
        os.write(connection.fileno(), bytes(data)[: len(data) // 2])
        os.kill(os.getpid(), signal.SIGKILL)

    Connection._send = send_half


class SizeOrTornAnswer:
    """The size of documents; one of them tears the answer, the first time it is met."""

    def __init__(self, mark):
        self.mark = mark

    def __call__(self, document):
        if not isinstance(document, Unreadable) and document.id.startswith("torn"):
            die_while_answering(self.mark)
        return size(document)


class DeadlyTask(Task):
    """Scores pairs; some are the end of a worker."""

    def examine(self, pair):
        if pair.name.startswith("exits"):
            os._exit(3)
        if pair.name.startswith("raises"):
            raise RuntimeError("nobody thought of this")
        return super().examine(pair)


class SlowTask(Task):
    """Scores pairs, with rests."""

    def examine(self, pair):
        time.sleep(0.02)
        return super().examine(pair)
