"""Asks one question of every document of a corpus: in this process, on all cores, or on a cluster.

    run_over(paths, function, Plan(jobs=8))        an Answer for every document, in the order of the corpus

Sources are cut into chunks (``chunks``), chunks are worked on somewhere (``cores``, ``cluster``) and their answers come
back in the order of the corpus, whoever finished first, as soon as all earlier ones are there. The parent keeps the
chunks under way and the names of the documents met, nothing else. A document that cannot be read, raises an exception
or kills its process becomes an ``Unreadable`` for the same function; the run goes on. ``resume`` keeps answers in a
file.
"""

from temporacle.runner.chunks import Answer
from temporacle.runner.place import Plan
from temporacle.runner.run import run_over

__all__ = ["Answer", "Journal", "Plan", "run_over", "work"]


class Journal: ...


def work(items, job, plan=None, *, journal=None, key=None, size=None, progress=None):  # provisional
    for item in items:
        yield item, list(job.results(item, 0, lambda _name: None))
        if progress is not None:
            progress(1, size(item))
