"""Does the same job with many items: in this process, on all cores, or on a cluster.

    work(items, job, Plan(jobs=8))      every item with its results, in the order of the items

job        what is done with an item, and what stands in the place of a result that could not be had
run        items cut into chunks, worked on somewhere, taken back in order as soon as all earlier ones are there
copies     copies of this process that take chunks, asked from one thread; processes: started ones; cluster: on Dask
journal    results kept in a file, for a run that goes on after an end
documents  the documents of a corpus as items, and the job of asking each the same question
"""

from temporacle.runner.job import Job
from temporacle.runner.run import Backend, Plan, work

__all__ = ["Backend", "Job", "Plan", "work"]
