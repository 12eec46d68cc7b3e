"""Jobs: documents or paths in, typed results out. The command line calls these functions, and so does ``import
temporacle as tp``.

inputs, read         what people hold (paths, documents, statements, frames) as documents
observer             what a task says while it works

check                which documents contradict themselves; check_files: certificates; write_back: repaired files
oracle               questions about one document; entails, closure, reduce, repair: each as a job of its own
answers              the same question to every document, for closure and reduce
verify               certificates checked again; certificate_checks: the verdicts; binding: their files
provenance           what a certificate says about its file; certificate_files: folders of certificates

score                a system against gold; score_pair: what is worked out about one pair, in any process
references, pairing  the documents of a side by name, and which of them belong together
score_signature      the line that goes with a number; score_certificates: proofs of scores
compare, agreement   several systems; two annotators
official             the programs of shared tasks; official_files: what they read

decode               the best consistent labelling of scored pairs; decode_results, decode_files: values and proofs
hard_links           what scores cannot change; consensus: runs that vote

audit, crosscheck    other closures, and our engines, put to the test; audit_work: where claims are judged;
                     audit_certificates: proofs of findings
convert              documents to files
report               pages about a corpus or about systems; report_work: where they get their values from
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from temporacle.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

# Where each task is that a command runs and Python calls by the same name.
TASKS = {
    "ask": "temporacle.tasks.ask",
    "bounds": "temporacle.tasks.bounds",
    "check": "temporacle.tasks.check",
    "closure": "temporacle.tasks.closure",
    "convert": "temporacle.tasks.convert",
    "decode": "temporacle.tasks.decode",
    "diff": "temporacle.tasks.diff",
    "entails": "temporacle.tasks.entails",
    "fix": "temporacle.tasks.fix",
    "reduce": "temporacle.tasks.closure",
    "stats": "temporacle.tasks.stats",
    "verify": "temporacle.tasks.verify",
}


def task_named(name: str) -> Any:
    """Return a task. Raise UsageError with the nearest name if there is none."""
    if name not in TASKS:
        from difflib import get_close_matches

        near = get_close_matches(name, TASKS, 1)
        cure = f"did you mean {near[0]}" if near else f"choose {', '.join(TASKS)}"
        raise UsageError(f"no task {name}; {cure}")
    return getattr(import_module(TASKS[name]), name)


def each(task: str, *given: Any, **named: Any) -> Iterator[Any]:
    """Yield the answers of a task one after the other, as its command prints them. Nothing is kept.

    ``task``: the name of the task. ``given``, ``named``: what the task is called with.

    >>> [answer.document for answer in each("closure", "examples/gold")]
    ['harbour', 'market']
    """
    return task_named(task).each(*given, **named)  # type: ignore[no-any-return]
