"""One open document: its session, what its file holds, and its part of the journal.

Every method that asks or edits must be called with the document's ``lock``.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import takewhile
from operator import is_
from typing import TYPE_CHECKING, Any, TypeAlias

from temporacle.editing.saving import why_export
from temporacle.editing.session import Judgement, Session
from temporacle.errors import BudgetExceeded, InputError, InternalError, TemporacleError, UsageError
from temporacle.io.edit.edits import values_in, with_values
from temporacle.model import Entity, Link
from temporacle.passages import excerpts_of
from temporacle.reasoner.conflicts.explanation import explain
from temporacle.reasoner.network import Network
from temporacle.relation import Relation
from temporacle.report.layout import date_of, dated_words, places_of
from temporacle.results import DocumentVerdict
from temporacle.wording import Names, conflict_words, entities_of, fact_rows, needs_removed
from temporacle.workbench.corpus import counted_labels

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from temporacle.calendar.policy import Calendar
    from temporacle.model import Document
    from temporacle.results import Fact
    from temporacle.workbench.journal import Log, Record


class RevisionError(UsageError):
    """An edit was made for another state of the document than the present one."""


Question: TypeAlias = "Callable[[Session], dict[str, Any]]"
Ask: TypeAlias = "Callable[[Session, Question], dict[str, Any]]"


def asked_here(session: Session, question: Question) -> dict[str, Any]:
    """Answer a question in this process."""
    with session.together():
        return question(session)


class OpenDocument:
    """A document on the desk."""

    def __init__(
        self, document: Document, digest: str, log: Log | None, budget: float, calendar: Calendar | None = None
    ) -> None:
        self.lock = threading.Lock()
        self.users = 0  # requests that hold it
        self.is_closed = False  # it was taken from the desk
        self.revision = 0
        self.digest = digest  # of the file that holds what was saved last
        self.recovered = 0
        self.ask: Ask = asked_here  # asks a question about the session
        self._log = log  # None: read-only
        self._budget = budget
        self._calendar = calendar
        self._begin(document)
        if log is not None and log.records:
            self._recover(document, digest, log)

    def _begin(self, document: Document, session: Session | None = None) -> None:
        self._document = document
        self.session = session or Session(document, time_limit=self._budget, calendar=self._calendar)
        self.state: dict[str, Any] = {}  # what the list of documents says about it, as far as it is known
        self._file_comments: dict[str, str] = {}  # that were in the file when it was opened for saving
        self._note_saved()

    def _note_saved(self) -> None:
        self._saved = self.session.document.links
        self._saved_comments = dict(self.session.comments)
        self._saved_values = self.session.set_values
        self.unsaved = 0

    @property
    def size(self) -> int:
        return len(self._saved)

    def may_close(self) -> bool:
        return not self.users and not self.unsaved

    # --- answers ----------------------------------------------------------------------------------------------------

    def view(self) -> dict[str, Any]:
        try:
            judged = self.ask(self.session, judgement_view)
        except BudgetExceeded as limit:
            judged = {**_UNJUDGED, "unfinished": str(limit)}
        view = {**document_view(self.session), **judged}
        self._know(view)
        saves = {"saves": "in-place" if self.why_export is None else "export", "why_export": self.why_export}
        return {**view, **saves, **self.counts(), "recovered": self.recovered}

    @property
    def why_export(self) -> str | None:
        """Return why edits cannot be saved in the file; None if they can."""
        return why_export(self._document.path, self._document.format)

    def _know(self, answer: dict[str, Any]) -> None:
        self.state = {
            "verdict": answer["verdict"],
            "conflicts": len(answer["conflicts"]),
            "sizes": tuple(sorted(map(len, answer["conflicts"]))),
            "labels": counted_labels(self.session.document.links),
            "links": len(self.session.document.links),
        }

    def counts(self) -> dict[str, int]:
        return {
            "undo": self.session.undo_count,
            "redo": self.session.redo_count,
            "unsaved": self.unsaved,
            "revision": self.revision,
        }

    def judge(self, changes: Changes) -> dict[str, Any]:
        wanted = {name: getattr(changes, name) for name in ("add", "remove", "relabel", "set_value")}
        return self.ask(self.session, partial(answered, what="judge", **wanted))

    def pair(self, source: str, target: str, without: Iterable[str]) -> dict[str, Any]:
        return self.ask(
            self.session, partial(answered, what="pair", source=source, target=target, without=tuple(without))
        )

    def repair(self) -> dict[str, Any]:
        return self.ask(self.session, repair_view)

    # --- edits ------------------------------------------------------------------------------------------------------

    def edit(self, changes: Changes, **noted: Any) -> dict[str, Any]:
        """Make some changes as one step, and answer with what they lead to. ``noted``: more for the journal."""
        if not changes:
            return self._answer([])
        before = self._opening()
        added = changes.apply(self.session)
        self._write(self.session.undo, *before, {"do": "edit", "changes": changes.to_dict(), "added": added, **noted})
        return self._answer(added)

    def undo(self) -> dict[str, Any]:
        before = self._opening()
        self.session.undo()
        self._write(self.session.redo, *before, {"do": "undo"})
        return self._answer([])

    def redo(self) -> dict[str, Any]:
        before = self._opening()
        self.session.redo()
        self._write(self.session.undo, *before, {"do": "redo"})
        return self._answer([])

    def require_revision(self, revision: int | None) -> None:
        if revision is not None and revision != self.revision:
            raise RevisionError(
                f"the document was edited elsewhere (it is at revision {self.revision}, not {revision}): load it again"
            )

    def _answer(self, added: list[str]) -> dict[str, Any]:
        try:
            judgement = self.ask(self.session, partial(answered, what="change"))
        except BudgetExceeded as limit:  # the edit is made, and its judgement was ended
            judgement = Judgement(_UNDECIDED, unfinished=str(limit)).to_dict()
        self._know(judgement)
        return {**judgement, "added": added, **self.counts()}

    def _write(self, take_back: Callable[[], None], *records: Record) -> None:
        """Put a step on the disk before it is acknowledged. If that fails, the step is taken back."""
        if self._log is None:
            raise UsageError("this workbench is read-only")
        try:
            self._log.write(*records)
        except TemporacleError:
            take_back()
            raise
        self.revision += 1
        self._count()

    # --- saving -----------------------------------------------------------------------------------------------------

    @property
    def base(self) -> Document:
        """Return the document as it was opened or saved last."""
        return with_values(replace(self._document, links=self._saved), self._saved_values)

    def new_comments(self) -> dict[str, str]:
        """Return the comments that the file did not have when it was opened for saving."""
        present = self.session.comments
        return {name: text for name, text in present.items() if self._file_comments.get(name) != text}

    def begin_file(self) -> None:
        """Note that the next save begins with the file as it is now: with the comments that were saved before."""
        self._file_comments = dict(self._saved_comments)

    def note_saving(self, digest: str) -> None:
        """Note which digest the file will have when it holds the present links."""
        if self._log is not None and self._log.records:
            self._log.write({"do": "saving", "intended": digest})

    def note_saved(self, digest: str) -> None:
        """Note that the file holds the present links."""
        self.digest = digest
        self.recovered = 0
        self._note_saved()
        if self._log is not None and self._log.records:
            self._log.note({"do": "save", "sha256": digest})

    def moved(self, before: str, after: str) -> None:
        """Note that the file has another digest, because another document in it was saved."""
        if self.digest == before:
            self.digest = after

    def rebase(self, theirs: Document, session: Session, digest: str) -> None:
        """Go on with a session on the file as it is now."""
        base = Session(theirs, time_limit=self._budget).document
        steps = changes_between(_by_id(base.links), session)
        records: list[Record] = [{"do": "open", "sha256": digest, **self._packed(base)}]
        records += [{"do": "edit", "changes": each.to_dict(), "added": added} for each, added in steps]
        if self._log is None:
            raise UsageError("this workbench is read-only")
        self._log.write(*records)
        self._begin(base)
        self.digest = digest
        for each, _ in steps:
            each.apply(self.session)
        self.revision += 1
        self._count()

    def _count(self) -> None:
        present, comments = self.session.document.links, self.session.comments
        same = len(list(takewhile(bool, map(is_, self._saved, present))))  # nearly all of a long document
        links = _different(_by_id(self._saved[same:]), _by_id(present[same:]))
        changed = {*links, *_different(self._saved_comments, comments)}
        values = _different(self._saved_values, self.session.set_values)
        self.unsaved = len(changed) + len(values)

    # --- the journal ------------------------------------------------------------------------------------------------

    def _opening(self) -> list[Record]:
        """Return the record that must stand before the first step."""
        if self._log is None or self._log.records:
            return []
        return [{"do": "open", "sha256": self.digest, **self._packed(self.base)}]

    def _packed(self, document: Document) -> Record:
        """Return what the edits of a document begin with."""
        packed: Record = {"links": [_packed(link) for link in document.links]}
        if self._calendar is not None:
            packed["values"] = {name: value for time in document.times for name, value in values_in(time).items()}
        return packed

    def _recover(self, document: Document, digest: str, log: Log) -> None:
        """Make the steps of an earlier run again, on the links that it began with."""
        records = log.records
        try:
            base = replace(document, links=tuple(map(_unpacked, records[0]["links"])))
            self._begin(with_values(base, records[0].get("values", {})))
            self.digest = records[0]["sha256"]
            for record in records[1:]:
                if record["do"] != "saving":
                    self._repeat(record)
                elif record["intended"] == self._present_digest(digest):
                    self._note_saved()  # it was saved, and killed before that was noted
                    if record is records[-1]:
                        self.note_saved(record["intended"])
        except (TemporacleError, KeyError, TypeError, ValueError) as error:
            raise InputError(
                f"unsaved edits of an earlier run cannot be made again ({error})",
                path=document.path,
                cure="discard them, or open the corpus with the version that wrote them",
            ) from error
        self._count()
        self.recovered = self.unsaved
        if self._is_spent(digest):
            log.forget()

    def _present_digest(self, digest: str) -> str | None:
        """Return the digest of the file that is saved to; ``digest`` is that of the file that was read."""
        return digest

    def _is_spent(self, digest: str) -> bool:
        """Return whether the journal has nothing to give back for this document."""
        return (
            digest == self.digest and not self.unsaved and not self.session.undo_count and not self.session.redo_count
        )

    def _repeat(self, record: Record) -> None:
        if record["do"] == "edit":
            if changes_from(record["changes"]).apply(self.session) != record["added"]:
                raise ValueError("new links get other ids than before")
        elif record["do"] == "undo":
            self.session.undo()
        elif record["do"] == "redo":
            self.session.redo()
        else:
            self.digest = record["sha256"]
            if record["do"] == "save":
                self._note_saved()


def _by_id(links: Iterable[Link]) -> dict[str, Link]:
    return {link.id: link for link in links}


def _different(before: Mapping[str, object], after: Mapping[str, object]) -> set[str]:
    """Return the keys under which two tables do not have the same."""
    return {key for key, value in after.items() if before.get(key) != value} | (before.keys() - after.keys())


def _packed(link: Link) -> list[Any]:
    return [link.id, link.source, str(link.relation), link.target, link.label, link.line, link.weight, link.task]


def _unpacked(row: list[Any]) -> Link:
    name, source, relation, *rest = row
    return Link(name, source, Relation(relation), *rest)


# ----------------------------------------------------------------------------------------------------
# What the page shows of an open document, as JSON.

_INCONSISTENT, _UNDECIDED = DocumentVerdict.INCONSISTENT.value, DocumentVerdict.UNDECIDED.value
_UNJUDGED: dict[str, Any] = {"verdict": _UNDECIDED, "conflicts": [], "words": [], "timeline": None}


def document_view(session: Session) -> dict[str, Any]:
    """Return the parts of a document, without a judgement."""
    document = session.document
    comments = session.comments
    return {
        "format": document.format,
        "reading": document.reading.name,
        "labels": list(session.labels),
        "text": document.text,
        "entities": entity_rows(document),
        "links": [{**link.to_dict(session.texts), "comment": comments.get(link.id)} for link in document.links],
        "skipped_links": session.skipped_links,
        "warnings": [
            {**remark.to_dict(), "path": document.path} for remark in (*document.remarks, *session.value_remarks)
        ],
        "calendar": None if session.calendar is None else session.calendar.to_dict(),
        "values": fact_rows(session.values, session.texts),
    }


def judgement_view(session: Session) -> dict[str, Any]:
    """Return the judgement of a document's links."""
    document = session.document
    verdict = session.verdict
    judged = session.state() if verdict == _INCONSISTENT else Judgement(verdict)
    view: dict[str, Any] = {
        "verdict": verdict,
        "conflicts": [fact_rows(conflict, session.texts) for conflict in judged.conflicts],
        "words": [
            in_words(conflict, document, (number, len(judged.conflicts)), session.calendar)
            for number, conflict in enumerate(judged.conflicts, 1)
        ],
        **(repair_parts(session) if judged.conflicts and judged.unfinished is None else {}),
        "timeline": None if verdict == _UNDECIDED else timeline(session),
    }
    return view if judged.unfinished is None else {**view, "unfinished": judged.unfinished}


def repair_parts(session: Session) -> dict[str, Any]:
    """Return what the repair of an inconsistent document removes, in a sentence and as ids, and what would also do."""
    found = session.repair()
    return {
        "needs": needs_removed(found.dropped),
        "repair_ids": [link.id for link in found.dropped],
        "alternatives": found.alternative_ids(),
    }


def entity_rows(document: Document) -> list[dict[str, Any]]:
    """Return all entities: those that the file describes, and those that only links mention."""
    described = {entity.id: entity for entity in document.entities}
    mentioned = (end for link in document.links for end in link.entities)
    names = dict.fromkeys((*described, *document.entity_ids, *mentioned))
    length = len(document.text or "")
    return [_entity_row(described.get(name) or Entity(name), length) for name in names]


def _entity_row(entity: Entity, length: int) -> dict[str, Any]:
    places = [(start, end) for start, end in entity.spans if 0 <= start < end <= length]
    start, end = places[0] if places else (None, None)
    row = {"id": entity.id, "kind": entity.kind.value, "text": entity.text, "start": start, "end": end}
    if entity.value is not None:
        row["value"] = entity.value
    return {**row, "dct": True} if entity.is_dct else row


def in_words(
    conflict: Sequence[Fact], document: Document, place: tuple[int, int], calendar: Calendar | None = None
) -> str:
    """Return a conflict as ``temporacle check`` prints it, with the sentences of the text.

    ``place``: its number, and how many there are.
    """
    excerpts = excerpts_of(document, entities_of(conflict))
    if calendar is None:
        why = explain([fact for fact in conflict if isinstance(fact, Link)], excerpts.texts)
    else:
        from temporacle.reasoner.clock.check import explain_facts

        why = explain_facts(conflict, calendar.zone, excerpts.texts)
    words = conflict_words(conflict, why, excerpts, Names(excerpts), place=place)
    lines = [words.headline, *(f"  {line}" for line in words.facts)]
    if words.quotations:
        lines += ["Text:", *(f"  {each.marked}" for each in words.quotations)]
    return "\n".join([*lines, "Why:", *(f"  {line}" for line in words.derivation)])


def timeline(session: Session) -> dict[str, dict[str, Any]] | None:
    """Return the certain places of entities; of an inconsistent document, without the links of its repair.

    None if the repair could not be found in time.
    """
    document = session.document
    try:
        dropped = session.repair().dropped if session.verdict == _INCONSISTENT else ()
        if session.calendar is not None:
            return _dated_timeline(session, dropped)
    except (BudgetExceeded, InternalError):
        return None
    gone = {fact.id for fact in dropped}
    network = Network([link for link in document.links if link.id not in gone], Network.of(document).entities)
    return {name: {**place._asdict(), "words": place.words} for name, place in places_of(network).items()}


def _dated_timeline(session: Session, dropped: Sequence[Fact]) -> dict[str, dict[str, Any]]:
    """Return places with bounds on the calendar, and those of entities without bounds by the links alone."""
    from temporacle.report.document.gather import DatedPlaces

    assert session.calendar is not None  # noqa: S101 - narrows the type only
    found = DatedPlaces(session.document, session.calendar, dropped, session.budget)
    rows = {}
    for name, place in found.places().items():
        said: dict[str, Any] = {"words": place.words}
        if place.lane == 0:
            dates = [None if time is None else date_of(time, found.unit) for time in place[1:]]
            said = {"words": dated_words(place, found.unit), "dates": dates}
        rows[name] = {**place._asdict(), **said}
    return rows


def answered(session: Session, what: str, **asked: Any) -> dict[str, Any]:
    """Return what a method of the session answers."""
    found: dict[str, Any] = getattr(session, what)(**asked).to_dict()
    return found


def repair_view(session: Session) -> dict[str, Any]:
    """Return the links that a repair removes, and the conflicts that it resolves."""
    dropped = session.repair().dropped
    conflicts = session.conflicts if dropped else ()
    return {
        "repair": fact_rows(dropped, session.texts),
        "conflicts": [fact_rows(each, session.texts) for each in conflicts],
        "alternatives": session.repair().alternative_ids(),
    }


# ----------------------------------------------------------------------------------------------------
# The changes that a request asks for, taken from its body and checked before anything is done.

_KEYS = ("add", "remove", "relabel", "comment", "set_value")
_ENDS = ("source", "label", "target")


@dataclass(frozen=True, slots=True)
class Changes:
    """Changes of a document's links: one step of its history."""

    add: tuple[tuple[str, str, str], ...] = ()  # source, label, target
    remove: tuple[str, ...] = ()
    relabel: Mapping[str, str] = field(default_factory=dict)
    comment: Mapping[str, str] = field(default_factory=dict)
    set_value: Mapping[str, str | None] = field(default_factory=dict)  # of times; None takes it away

    def __bool__(self) -> bool:
        return bool(self.add or self.remove or self.relabel or self.comment or self.set_value)

    def apply(self, session: Session) -> list[str]:
        """Make the changes in a session and return the ids of new links."""
        return session.edit(
            add=self.add, remove=self.remove, relabel=self.relabel, comment=self.comment, set_value=self.set_value
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the body that asks for these changes."""
        return {
            "add": [dict(zip(_ENDS, triple, strict=True)) for triple in self.add],
            "remove": list(self.remove),
            "relabel": dict(self.relabel),
            "comment": dict(self.comment),
            **({"set_value": dict(self.set_value)} if self.set_value else {}),
        }


def changes_from(body: object, *also: str) -> Changes:
    """Return the changes in a body. ``also``: other keys that it may have. Raise UsageError if it is not understood.

    >>> changes_from({"add": [{"source": "e1", "label": "BEFORE", "target": "e2"}], "remove": ["l3"]}).add
    (('e1', 'BEFORE', 'e2'),)
    """
    if not isinstance(body, dict):
        raise UsageError(f'changes are an object such as {{"remove": ["l3"]}}, and this is {body!r:.80}')
    if unknown := sorted(body.keys() - {*_KEYS, *also}):
        raise UsageError(f"the body has {unknown[0]!r:.80}: known keys are {', '.join((*_KEYS, *also))}")
    return Changes(
        tuple(map(_triple, _list(body, "add"))),
        tuple(_text(each, "remove") for each in _list(body, "remove")),
        _texts(body, "relabel"),
        _texts(body, "comment"),
        {name: None if value is None else _text(value, "set_value") for name, value in _object(body, "set_value")},
    )


def changes_between(before: Mapping[str, Link], session: Session) -> list[tuple[Changes, list[str]]]:
    """Return the steps from some links to those of a session on them, each with the ids of the links that it adds."""
    after = {link.id: link for link in session.document.links}
    new = [link for name, link in after.items() if name not in before]
    kept = [name for name in before if name in after]
    relabelled = {name: after[name].label for name in kept if after[name].label != before[name].label}
    comments = session.comments
    first = Changes(
        tuple((link.source, link.label, link.target) for link in new),
        tuple(name for name in before if name not in after),
        relabelled,
        {name: text for name, text in comments.items() if name in before},
        session.edits.values,
    )
    then = Changes(comment={link.id: comments[link.id] for link in new if link.id in comments})
    return [(step, added) for step, added in ((first, [link.id for link in new]), (then, [])) if step]


def _list(body: Mapping[str, Any], key: str) -> list[Any]:
    found = body.get(key, [])
    if not isinstance(found, list):
        raise UsageError(f"{key} must be a list, such as []")
    return found


def _triple(given: object) -> tuple[str, str, str]:
    if not isinstance(given, dict) or set(given) != set(_ENDS):
        raise UsageError('add must have objects such as {"source": "e1", "label": "BEFORE", "target": "e2"}')
    source, label, target = (_text(given[key], key) for key in _ENDS)
    return source, label, target


def _texts(body: Mapping[str, Any], key: str) -> dict[str, str]:
    return {name: _text(value, key) for name, value in _object(body, key)}


def _object(body: Mapping[str, Any], key: str) -> Iterable[tuple[str, Any]]:
    found = body.get(key, {})
    if not isinstance(found, dict):
        raise UsageError(f'{key} must be an object, such as {{"l3": "..."}}')
    return found.items()


def _text(given: object, where: str) -> str:
    if not isinstance(given, str):
        raise UsageError(f"{where} has {given!r:.80}: expected a text")
    try:
        given.encode()
    except UnicodeEncodeError:
        raise UsageError(f"{where} has {given!r:.80}, with half a character: no file could hold it") from None
    return given
