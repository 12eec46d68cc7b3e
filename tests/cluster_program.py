"""Work on a Dask cluster in a process of its own: a client whose cluster has failed is not a good neighbour.

    python cluster_program.py CORPUS ADDRESS SOON LONGEST [JOURNAL]

Prints every answer as a line of JSON, and at last why the run ended. With a journal, answers are kept there.
"""

import json
import sys
from contextlib import closing
from functools import partial

from questions import named, slow_size

from temporacle.corpus.inputs import Asking, key_of, pieces, size_of
from temporacle.errors import UsageError
from temporacle.io.source import Options
from temporacle.runner import Backend, Plan, cluster, work
from temporacle.runner.journal import Journal


def main(corpus, address, soon, longest, journal_path=None):
    cluster._SOON, cluster._LONGEST = float(soon), float(longest)
    plan = Plan(backend=Backend.DASK, scheduler=address)
    journal = None if journal_path is None else Journal(journal_path, "run")
    items = pieces([corpus], Options(), loaded=True)
    job = Asking(partial(named, question=slow_size))
    try:
        with closing(work(items, job, plan, journal=journal, key=key_of, size=size_of)) as done:
            for _, found in done:
                for answer in found:
                    print(json.dumps(answer), flush=True)
    except UsageError as error:
        print(json.dumps({"refused": str(error)}), flush=True)
    finally:
        if journal is not None:
            journal.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
