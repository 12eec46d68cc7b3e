"""Temporacle: an exact temporal reasoner for annotated text.

>>> import temporacle as tp
>>> oracle = tp.Oracle([("left", "BEFORE", "docked"), ("docked", "b|m", "unloaded")])
>>> oracle.entails("left", "BEFORE", "unloaded")
<Verdict.ENTAILED: 'entailed'>

Everything is loaded on first use: ``import temporacle`` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from temporacle.api import read, read_corpus
    from temporacle.errors import BudgetExceeded, InputError, InternalError, LabelError, TemporacleError, UsageError
    from temporacle.model import Document, Entity, Kind, Link, Remark, Unreadable
    from temporacle.readings import Reading, load_reading
    from temporacle.reasoner.network import Budget, PairTable
    from temporacle.reasoner.oracle import Oracle
    from temporacle.relation import Relation
    from temporacle.results import Consistent, Inconsistent, Undecided, Verdict
    from temporacle.tasks.score import score

__version__ = "0.1.0"

_HOME = {
    "Budget": "temporacle.reasoner.network",
    "BudgetExceeded": "temporacle.errors",
    "Consistent": "temporacle.results",
    "Document": "temporacle.model",
    "Entity": "temporacle.model",
    "Inconsistent": "temporacle.results",
    "InputError": "temporacle.errors",
    "InternalError": "temporacle.errors",
    "Kind": "temporacle.model",
    "LabelError": "temporacle.errors",
    "Link": "temporacle.model",
    "Oracle": "temporacle.reasoner.oracle",
    "PairTable": "temporacle.reasoner.network",
    "Reading": "temporacle.readings",
    "Relation": "temporacle.relation",
    "Remark": "temporacle.model",
    "TemporacleError": "temporacle.errors",
    "Undecided": "temporacle.results",
    "Unreadable": "temporacle.model",
    "UsageError": "temporacle.errors",
    "Verdict": "temporacle.results",
    "load_reading": "temporacle.readings",
    "read": "temporacle.api",
    "read_corpus": "temporacle.api",
    "agreement": "temporacle.tasks.agreement",
    "compare": "temporacle.tasks.compare",
    "score": "temporacle.tasks.score",
}

__all__ = [
    "Budget", "BudgetExceeded", "Consistent", "Document", "Entity", "Inconsistent", "InputError", "InternalError",
    "Kind", "LabelError", "Link", "Oracle", "PairTable", "Reading", "Relation", "Remark", "TemporacleError",
    "Undecided", "Unreadable", "UsageError", "Verdict", "load_reading", "read", "read_corpus", "score",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'temporacle' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted((*globals(), *_HOME))
