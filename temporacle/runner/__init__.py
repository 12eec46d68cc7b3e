"""Does the same job with many items: in this process, on all cores, or on a cluster.

    work(items, job, Plan(jobs=8))      every item with its results, in the order of the items

job        what is done with an item, and what stands in the place of a result that could not be had
run        items cut into chunks, worked on somewhere, taken back in order as soon as all earlier ones are there
worker     a process that takes chunks; cores: such processes on this machine; cluster: the same on Dask
exchange   chunks handed out to processes, and their answers, in one thread
journal    results kept in a file, for a run that goes on after an end
documents  the documents of a corpus as items, and the job of asking each the same question
"""

from temporacle.runner.job import Job
from temporacle.runner.plan import Backend, Plan
from temporacle.runner.run import work

__all__ = ["Backend", "Job", "Plan", "work"]
