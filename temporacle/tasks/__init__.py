"""Jobs: documents or paths in, typed results out. The command line calls these functions, and so does ``import
temporacle as tp``.

check                which documents contradict themselves, also of several answers of models; gate: findings, baseline
oracle, entails      questions about one document; ask: questions in words; repair: ``tp.repair``
answers              the same question to every document, for closure, reduce, bounds, fix and stats
diff                 two versions of a corpus
verify               certificates checked again, also for pages; binding: their files
certificates         what a certificate says about its file, and folders of certificates

score                a system against gold; score_pair: what is worked out about one pair, in any process, and its proof
score_request        the options of metrics, and the line that goes with a number; score_answers: answers of models
compare, agreement   several systems; annotators
official             the programs of shared tasks; official_files: what they read

decode               the best consistent labelling of scored pairs, with hard links and proofs; decodings: the results
audit                other closures, and our engines, put to the test
convert              documents to files
report               pages about a corpus or about systems; report_work, report_comparison: what takes time to load
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from temporacle.declared import MOVED_TO
from temporacle.errors import unknown

if TYPE_CHECKING:
    from collections.abc import Iterator

# Where each task is that a command runs and Python calls by the same name.
TASKS = {
    "agree": "temporacle.tasks.agreement",
    "apply": "temporacle.editing.saving",
    "ask": "temporacle.tasks.ask",
    "audit": "temporacle.tasks.audit",
    "audit_claims": "temporacle.tasks.audit",
    "bounds": "temporacle.tasks.bounds",
    "check": "temporacle.tasks.check",
    "closure": "temporacle.tasks.closure",
    "compare": "temporacle.tasks.compare",
    "convert": "temporacle.tasks.convert",
    "crosscheck": "temporacle.tasks.audit",
    "decode": "temporacle.tasks.decode",
    "diff": "temporacle.tasks.diff",
    "entails": "temporacle.tasks.entails",
    "fix": "temporacle.tasks.fix",
    "official": "temporacle.tasks.official",
    "reduce": "temporacle.tasks.closure",
    "report": "temporacle.tasks.report",
    "report_comparison": "temporacle.tasks.report",
    "score": "temporacle.tasks.score",
    "stats": "temporacle.tasks.stats",
    "verify": "temporacle.tasks.verify",
}


def task_named(name: str) -> Any:
    """Return a task. Raise UsageError with the nearest name if there is none."""
    if name not in TASKS:
        raise unknown("task", name, TASKS)
    return getattr(import_module(TASKS[name]), name)


def each(task: str, *given: Any, **named: Any) -> Iterator[Any]:
    """Yield the answers of a task one after the other, as its command prints them. Nothing is kept.

    Args:
        task: The name of the task.
        *given: What the task is called with.
        **named: The options of the task.

    Returns:
        An iterator of answers.

    Raises:
        UsageError: There is no such task.

    Examples:
        >>> [answer.document for answer in each("closure", "examples/gold")]
        ['harbour', 'market']
    """
    return iter(task_named(task).each(*given, **named))


def _after_check(*given: Any) -> Any:
    from temporacle.tasks.fix import after_check

    return after_check(*given)


MOVED_TO["check"] = _after_check
