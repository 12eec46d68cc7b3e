"""Temporacle: an exact temporal reasoner for annotated text.

Everything is loaded on first use: ``import temporacle`` costs next to nothing.

Examples:
    >>> import temporacle as tp
    >>> oracle = tp.Oracle([("left", "BEFORE", "docked"), ("docked", "b|m", "unloaded")])
    >>> oracle.entails("left", "BEFORE", "unloaded")
    <Verdict.ENTAILED: 'entailed'>
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from temporacle.calendar.values import date, read_value
    from temporacle.corpus.read import read, read_corpus
    from temporacle.editing.saving import apply
    from temporacle.editing.session import Session
    from temporacle.errors import (
        BudgetExceeded,
        ContradictionError,
        InputError,
        InputWarning,
        InternalError,
        LabelError,
        TemporacleError,
        UsageError,
    )
    from temporacle.model import Document, Entity, Kind, Link, Remark, Unreadable
    from temporacle.readings import LabelSet, load_reading
    from temporacle.readings import LabelSet as Reading
    from temporacle.reasoner.network import Budget
    from temporacle.relation import Relation
    from temporacle.results import Consistent, Inconsistent, Undecided, Verdict
    from temporacle.tasks import each
    from temporacle.tasks.agreement import agree
    from temporacle.tasks.agreement import agree as agreement
    from temporacle.tasks.ask import ask
    from temporacle.tasks.assess import Assessment, assess, assess_all
    from temporacle.tasks.audit import audit, audit_claims, crosscheck
    from temporacle.tasks.bounds import bounds
    from temporacle.tasks.check import check
    from temporacle.tasks.closure import closure, reduce
    from temporacle.tasks.compare import compare
    from temporacle.tasks.convert import convert, write
    from temporacle.tasks.decode import decode
    from temporacle.tasks.diff import diff
    from temporacle.tasks.entails import entails
    from temporacle.tasks.fix import fix
    from temporacle.tasks.official import official, official_score
    from temporacle.tasks.oracle import Oracle, repair
    from temporacle.tasks.report import report, report_comparison
    from temporacle.tasks.score import score
    from temporacle.tasks.score_answers import Runs
    from temporacle.tasks.stats import stats
    from temporacle.tasks.verify import verify

__version__ = "0.3.0"

# Where each name lives: "module" or "module:name there".
_HOME = {
    "Assessment": "temporacle.tasks.assess",
    "Budget": "temporacle.reasoner.network",
    "BudgetExceeded": "temporacle.errors",
    "Consistent": "temporacle.results",
    "ContradictionError": "temporacle.errors",
    "Document": "temporacle.model",
    "Entity": "temporacle.model",
    "Inconsistent": "temporacle.results",
    "InputError": "temporacle.errors",
    "InputWarning": "temporacle.errors",
    "InternalError": "temporacle.errors",
    "Kind": "temporacle.model",
    "LabelError": "temporacle.errors",
    "LabelSet": "temporacle.readings",
    "Link": "temporacle.model",
    "Oracle": "temporacle.tasks.oracle",
    "Reading": "temporacle.readings:LabelSet",
    "Relation": "temporacle.relation",
    "Remark": "temporacle.model",
    "Runs": "temporacle.tasks.score_answers",
    "Session": "temporacle.editing.session",
    "TemporacleError": "temporacle.errors",
    "Undecided": "temporacle.results",
    "Unreadable": "temporacle.model",
    "UsageError": "temporacle.errors",
    "Verdict": "temporacle.results",
    "agree": "temporacle.tasks.agreement",
    "agreement": "temporacle.tasks.agreement:agree",
    "apply": "temporacle.editing.saving",
    "ask": "temporacle.tasks.ask",
    "assess": "temporacle.tasks.assess",
    "assess_all": "temporacle.tasks.assess",
    "audit": "temporacle.tasks.audit",
    "audit_claims": "temporacle.tasks.audit",
    "bounds": "temporacle.tasks.bounds",
    "check": "temporacle.tasks.check",
    "closure": "temporacle.tasks.closure",
    "compare": "temporacle.tasks.compare",
    "convert": "temporacle.tasks.convert",
    "crosscheck": "temporacle.tasks.audit",
    "decode": "temporacle.tasks.decode",
    "date": "temporacle.calendar.values",
    "diff": "temporacle.tasks.diff",
    "each": "temporacle.tasks",
    "entails": "temporacle.tasks.entails",
    "fix": "temporacle.tasks.fix",
    "load_reading": "temporacle.readings",
    "official": "temporacle.tasks.official",
    "official_score": "temporacle.tasks.official",
    "read": "temporacle.corpus.read",
    "read_corpus": "temporacle.corpus.read",
    "read_value": "temporacle.calendar.values",
    "reduce": "temporacle.tasks.closure",
    "repair": "temporacle.tasks.oracle",
    "report": "temporacle.tasks.report",
    "report_comparison": "temporacle.tasks.report",
    "score": "temporacle.tasks.score",
    "stats": "temporacle.tasks.stats",
    "verify": "temporacle.tasks.verify",
    "write": "temporacle.tasks.convert",
}

__all__ = [
    "Assessment", "Budget", "BudgetExceeded", "Consistent", "ContradictionError", "Document", "Entity", "Inconsistent",
    "InputError", "InputWarning", "InternalError", "Kind", "LabelError", "LabelSet", "Link", "Oracle", "Reading",
    "Relation", "Remark", "Runs", "Session", "TemporacleError", "Undecided", "Unreadable", "UsageError", "Verdict",
    "agree", "agreement", "apply", "ask", "assess", "assess_all", "audit", "audit_claims", "bounds", "check", "closure",
    "compare", "convert", "crosscheck", "date", "decode", "diff", "each", "entails", "fix",
    "load_reading", "official", "official_score", "read",
    "read_corpus", "read_value", "reduce", "repair", "report", "report_comparison", "score", "stats", "verify",
    "write",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'temporacle' has no attribute {name!r}")
    module, _, there = _HOME[name].partition(":")
    value = getattr(import_module(module), there or name)
    if "temporacle.declared" in sys.modules:
        value = import_module("temporacle.declared").documented(value)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


class _Package(ModuleType):
    """A package whose functions keep their names where a module is called the same, such as ``audit``.

    Importing ``temporacle.audit`` makes Python store that module under the name; here the function stays. A function
    of a user that mentions the package can be sent to another process: the package is imported there.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _HOME and isinstance(value, ModuleType)):
            super().__setattr__(name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        return import_module, (self.__name__,)


sys.modules[__name__].__class__ = _Package
