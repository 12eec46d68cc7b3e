"""Where the claims about documents are judged, and the journal of that, with today's runner.

With ``runner.work`` the whole module is

    journal = None if resume is None else Journal(resume, repr((__version__, "audit", job)), changed)
    for _, (judged,) in work(items, job, plan, journal=journal, key=lambda item: (item.name, item.digest)):
        yield judged
"""

from __future__ import annotations

import json
from contextlib import ExitStack, closing
from functools import partial
from typing import TYPE_CHECKING, Any

from temporacle.audit.documents import ClaimedDocument, ClaimsJob, JudgedDocument
from temporacle.audit.evidence import NO_EVIDENCE, FaultEvidence
from temporacle.audit.faults import Fault, FaultKind, Manner
from temporacle.audit.findings import Finding
from temporacle.model import Link
from temporacle.relation import Relation

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence

    from temporacle.runner.place import Plan


def judged_documents(
    items: Sequence[ClaimedDocument],
    job: ClaimsJob,
    plan: Plan,
    *,
    resume: str | None = None,
    changed: Callable[[str], None] = lambda _document: None,
) -> Iterator[JudgedDocument]:
    """The documents judged, in order. What the journal has already is taken from there; ``changed`` hears of what is
    not any more as it was then.
    """
    with ExitStack() as stack:
        journal = None if resume is None else stack.enter_context(closing(_Journal(resume, job)))
        done = {} if journal is None else journal.done(items, changed)
        left = (item for item in items if item.name not in done)
        fresh = stack.enter_context(closing(_worked(left, job, plan, journal)))
        for item in items:
            yield done[item.name] if item.name in done else next(fresh)


def _worked(
    items: Iterable[ClaimedDocument], job: ClaimsJob, plan: Plan, journal: _Journal | None
) -> Generator[JudgedDocument, None, None]:
    from temporacle.runner.place import Place
    from temporacle.runner.spread import spread

    def keep(results: Sequence[tuple[ClaimedDocument, JudgedDocument]]) -> None:
        if journal is not None:
            journal.add(results)

    with Place(plan) as place:
        for _, judged in spread(job.judged, items, place, failed=partial(_failed, job), keep=keep):
            yield judged


def _failed(job: ClaimsJob, item: ClaimedDocument, reason: str) -> JudgedDocument:
    return job.failed(item, item.name, reason)


class _Journal:
    """Keeps what was found about each document, by its name and a digest of what was judged."""

    def __init__(self, path: str, job: ClaimsJob) -> None:
        from temporacle import __version__
        from temporacle.runner.resume import NamedJournal

        self._kept = NamedJournal(path, repr((__version__, "audit", *job)), _encoded, _decoded)

    def close(self) -> None:
        self._kept.close()

    def done(self, items: Sequence[ClaimedDocument], changed: Callable[[str], None]) -> dict[str, JudgedDocument]:
        """What earlier runs have found about documents that are still the same, and are claimed the same about."""
        known = dict(self._kept.replay(""))
        names = {judged.name for judged in known.values()}
        done = {}
        for item in items:
            judged = known.get(_key(item))
            if judged is not None:
                done[item.name] = judged
            elif item.name in names:
                changed(item.name)
        return done

    def add(self, results: Sequence[tuple[ClaimedDocument, JudgedDocument]]) -> None:
        self._kept.add("", [(_key(item), judged) for item, judged in results])


def _key(item: ClaimedDocument) -> str:
    return f"{item.digest} {item.name}"


def _encoded(judged: JudgedDocument) -> str:
    row = {**judged._asdict(), "document": judged.name, "findings": [each.to_dict() for each in judged.findings]}
    return json.dumps(row)


def _decoded(row: Mapping[str, Any]) -> JudgedDocument:
    findings = tuple(map(_finding, row["findings"]))
    return JudgedDocument(row["name"], row["consistent"], row["pairs"], findings, row["undecided"])


def _finding(row: Mapping[str, Any]) -> Finding:
    kind, shown = FaultKind(row["kind"]), row["evidence"]
    pair = None if row["pair"] is None else (row["pair"][0], row["pair"][1])
    claimed, exact = (None if atoms is None else Relation.of(*atoms) for atoms in (row["claimed"], row["exact"]))
    fault = Fault(kind, Manner(row["manner"]), pair, claimed, exact, shown.get("reason", ""))
    evidence = NO_EVIDENCE
    if "certificate" in shown:
        links = next(value for name, value in shown.items() if name != "certificate")
        evidence = FaultEvidence(links=tuple(map(_link, links)), certificate=shown["certificate"])
    elif kind is not FaultKind.CRASH and shown:
        (times,) = shown.values()
        evidence = FaultEvidence(model={entity: (start, end) for entity, (start, end) in times.items()})
    return Finding(fault, evidence, row["document"])


def _link(row: Mapping[str, Any]) -> Link:
    return Link(row["id"], row["source"], Relation.of(*row["relation"]), row["target"], row["label"], row["line"])
