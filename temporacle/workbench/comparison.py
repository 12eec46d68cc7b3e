"""A workbench on several annotations of the same documents, of which one more version is made.

The third version of a document is edited like any other; taking a side of a difference is one edit. Results and the
journal stand in a folder of their own. The journal stays there when everything is saved: it knows which differences
were decided, also those for which neither side was taken.
"""

from __future__ import annotations

import os
import threading
from collections import Counter
from contextlib import contextmanager, suppress
from functools import cached_property, partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any, cast

from temporacle.corpus.references import Reference
from temporacle.editing.adjudications import Adjudications, agreement_between, figures_of
from temporacle.editing.saving import ChangedOnDiskError
from temporacle.editing.settling import SettlingPlan
from temporacle.errors import InputError, TemporacleError, UsageError
from temporacle.io import sources
from temporacle.io.files import Confines, digest_of, read_regular
from temporacle.printing import first_of, shown
from temporacle.results import DocumentVerdict
from temporacle.runner.job import unexpected
from temporacle.scoring.agreement import stated_ratings
from temporacle.workbench.bench import Workbench
from temporacle.workbench.corpus import PENDING, Entry, Listing, is_addressable
from temporacle.workbench.document import Changes, OpenDocument, answered, changes_from
from temporacle.workbench.reviews import user

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from temporacle.corpus.inputs import ReadingOptions
    from temporacle.editing.adjudication import Adjudication
    from temporacle.editing.session import Session
    from temporacle.editing.settling import Side
    from temporacle.model import Document
    from temporacle.scoring.agreement import Ratings
    from temporacle.workbench.bench import Setup
    from temporacle.workbench.journal import Log, Record

_COMPARE_AGAIN = "start the workbench again, and discard the decisions for this document"


class Comparison(Workbench):
    """The documents that all sides have in common."""

    is_comparison = True

    def __init__(self, setup: Setup, reading: ReadingOptions) -> None:
        super().__init__(setup)
        for source in sources(setup.paths, self.setup.options):
            self.confines.require(source.path)
        confined = cast("ReadingOptions", {**reading, "confines": self.confines})
        self._work = Adjudications(
            *setup.paths, out=setup.out, texts=setup.texts, budget=setup.budget, who=user(), **confined
        )
        self.out = os.path.realpath(self._work.out)
        self._saving = threading.Lock()
        self._ratings: Ratings = Counter()  # of all documents that were compared
        self.corpus = _Pairs(self._work.names, self._entry)
        self._made_folder = False
        self.review_in(self.out)
        if not setup.read_only:
            self._make_folder()
            self.lock([self.out])

    def _make_folder(self) -> None:
        try:
            self._made_folder = not os.path.isdir(self.out)  # noqa: PTH112 - names as the caller wrote them
            os.makedirs(self.out, exist_ok=True)  # noqa: PTH103
        except OSError as error:
            raise UsageError(
                f"cannot write {self.out}: {error.strerror or error}; choose another folder with -o"
            ) from error

    def stop(self) -> None:
        super().stop()
        if self._made_folder:
            with suppress(OSError):  # it is not empty: there are results
                os.rmdir(self.out)  # noqa: PTH106

    def _entry(self, entry: Entry) -> Entry:
        """Return what the list says about a document, with what was decided in earlier runs."""
        with self.third(entry.id) as document:
            document.know()
            self._ratings.update(stated_ratings(document.work.sides))
            near = os.path.relpath(document.target)
            path = document.target if near.startswith(os.pardir) else near
            return entry._replace(path=path, **document.state)

    def opened(self, name: str) -> ThirdVersion:
        name = self.corpus.entry(name).name  # KeyError if there is none
        work = self._work.open(name)
        # Of what was compared, not of the files: these may have changed since they were read.
        sides = (Reference.to(each).digest() for each in work.versions)
        digest = sha256("".join(sides).encode()).hexdigest()
        return ThirdVersion(work, self._work.target(work.first), digest, self._log_of(name), self.setup.budget)

    def log(self, entry: Entry) -> Log | None:
        return self._log_of(entry.name)

    def _log_of(self, name: str) -> Log | None:
        journal = self.journals.get(self.out)
        return None if journal is None else journal.log(self.out, name)

    def remarks(self) -> list[str]:
        sides = self._work.not_compared
        why = "only {} has {}" if len(sides) == 2 else "not all others have what {} has, {}"
        said = [why.format(side, _them(names)) for side, names in sides.items() if names]
        return [f"Not compared, because {each}." for each in said]

    def statistics(self) -> dict[str, Any]:
        """Return figures of the results, and how far the sides agree on all pairs together."""
        names = list(self._work.sides)
        return {**super().statistics(), "names": names, "agreement": figures_of(self._ratings, len(names))}

    def unsaved(self) -> list[str]:
        return [name for journal in self.journals.values() for _, name in journal.unsaved()]

    @contextmanager
    def third(self, name: str) -> Iterator[ThirdVersion]:
        """Provide the third version of a document to one request at a time."""
        with self.document(name) as found:
            assert isinstance(found, ThirdVersion)  # noqa: S101 - narrows the type only
            yield found

    # --- saving -----------------------------------------------------------------------------------------------------

    def save(self, name: str) -> dict[str, Any]:
        """Write the third version of a document. Raise ContradictionError if it contradicts itself."""
        with self._saving, self.third(name) as document:
            self._require_ours(document)
            try:
                saved = self._work.save(document.work, document.comments_for_target(), announce=document.note_saving)
            except ChangedOnDiskError as error:  # of the first side: the page must not offer a three-way view
                raise InputError(error.reason, path=error.path, cure=_COMPARE_AGAIN) from error
            document.note_saved(saved.digest)
            return {"saved": True, "path": saved.path, "backup": saved.backup, **document.counts()}

    def _require_ours(self, document: ThirdVersion) -> None:
        """Refuse to write outside the folder, or over a file that another program has written there."""
        if not Confines((self.out,)).holds(document.target):
            raise InputError("is a link that leads outside the folder of results", path=document.target)
        if not os.path.exists(document.target):  # noqa: PTH110
            return
        if digest_of(read_regular(document.target)) not in self._digests():
            raise InputError(
                "was written or changed by another program, and is left alone",
                path=document.target,
                cure="move it away and save again, or choose another folder with -o",
            )

    def _digests(self) -> set[str]:
        """Return the digests of all results that were saved, in this run and earlier ones."""
        return {digest for journal in self.journals.values() for digest in journal.saved_digests()}


class _Pairs(Listing):
    """The list of compared documents. Their names are known from the start."""

    def __init__(self, names: tuple[str, ...], entry: Callable[[Entry], Entry]) -> None:
        super().__init__()
        self._names = {name if is_addressable(name) else f"{name}~2": name for name in names}  # by id
        self._made = entry
        self._is_stopping = False
        self._thread = threading.Thread(target=self._decide, name="comparisons", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._is_stopping = True

    def is_busy(self) -> bool:
        return self._thread.is_alive()

    def pending(self) -> Iterator[Entry]:
        return (self.entry(document) for document in self._names if document not in self._entries)

    def knows(self, document: str) -> bool:
        return document in self._names

    def entry(self, document: str) -> Entry:
        if document not in self._names:
            raise KeyError(document)
        return self._entries.get(document) or Entry(document, self._names[document], "", PENDING)

    def _decide(self) -> None:
        for document in self._names:
            if self._is_stopping:
                break
            self._add(self._tried(self.entry(document)))
        self.done = True

    def _tried(self, entry: Entry) -> Entry:
        try:
            return self._made(entry)
        except Exception as error:  # noqa: BLE001 - one bad document never stops the others
            reason = str(error) if isinstance(error, TemporacleError) else unexpected(error)
            return entry._replace(verdict=DocumentVerdict.UNREADABLE.value, error=reason)


def _them(names: tuple[str, ...]) -> str:
    return f"{'it' if len(names) == 1 else 'them'}: {first_of(map(shown, names), 20)}"


# ----------------------------------------------------------------------------------------------------
# The third version of a document that two annotators have annotated, as an open document.


class ThirdVersion(OpenDocument):
    """The agreed links of two annotators, and those that were taken of one of them."""

    def __init__(self, work: Adjudication, target: str, digest: str, log: Log | None, budget: float) -> None:
        self.work = work
        self.target = target  # the file for the result
        super().__init__(work.base, digest, log, budget)

    def _begin(self, document: Document, _session: Session | None = None) -> None:
        super()._begin(document, self.work.session)

    def view(self) -> dict[str, Any]:
        return {**super().view(), "path": self.target, "saves": "in-place", "why_export": None}

    def know(self) -> None:
        """Find out what the list of documents says about it."""
        self._know(self.ask(self.session, partial(answered, what="state")))

    def _know(self, answer: dict[str, Any]) -> None:
        super()._know(answer)
        entities = len(self.session.document.entity_ids)
        counts = {"differences": len(self.work.differences), "taken": len(self.work.outcomes)}
        self.state |= {**counts, "entities": entities}

    # --- differences ------------------------------------------------------------------------------------------------

    @cached_property
    def between(self) -> dict[str, Any]:
        """How far the annotators agree with each other."""
        return agreement_between(self.work.sides, self.session.budget.seconds)

    def differences(self, order: str) -> dict[str, Any]:
        return {**self.work.to_dict(), "next": self._next(order)}

    def difference(self, number: int) -> dict[str, Any]:
        return self.work.row(number)

    def _next(self, order: str) -> dict[str, Any] | None:
        found = self.work.next(order)
        return None if found is None else self.work.row(found.number)

    def take(self, number: int, side: Side | None, order: str) -> dict[str, Any]:
        """Take a side of a difference, or neither; None opens it again. With what it settles, it is one step of undo.

        Answer with the differences that have changed, and with the next one.
        """
        if self._log is None:
            raise UsageError("this workbench is read-only")
        plan = self.work.plan(number, side)
        before = self._opening()
        added = self.work.make(plan)
        changes = Changes(plan.add, plan.remove).to_dict()
        record: Record = {"do": "edit", "changes": changes, "added": added, "mark": plan.to_dict()}
        self._write(self.session.undo, *before, record)
        links = len(self.session.document.links)
        self.state |= {"taken": len(self.work.outcomes), "links": links, "differences": len(self.work.differences)}
        return {
            "changed": [self.work.state(each) for each in plan.outcomes],
            "next": self._next(order),
            "left": len(self.work.differences) - len(self.work.outcomes),
            **self.counts(),
        }

    # --- saving -----------------------------------------------------------------------------------------------------

    def comments_for_target(self) -> dict[str, str]:
        """Return the comments that the result does not have yet."""
        if not os.path.exists(self.target):  # noqa: PTH110
            return dict(self.session.comments)
        return {name: text for name, text in self.session.comments.items() if self._saved_comments.get(name) != text}

    def note_saving(self, digest: str) -> None:
        if self._log is not None:
            self._log.write(*self._opening(), {"do": "saving", "intended": digest})

    def note_saved(self, digest: str) -> None:
        """Note that the result holds the present links. The digest is that of the result, not of the two sides."""
        self.recovered = 0
        self._note_saved()
        if self._log is not None:
            self._log.note({"do": "save", "sha256": digest})

    def _note_saved(self) -> None:
        self._saved_sides = self.work.taken()
        super()._note_saved()

    def _count(self) -> None:
        """Count the links that differ from what was saved, or the decisions if these are more: some change no link."""
        super()._count()
        sides = zip(self._saved_sides, self.work.taken(), strict=True)
        self.unsaved = max(self.unsaved, sum(before != now for before, now in sides))

    # --- the journal ------------------------------------------------------------------------------------------------

    def _recover(self, document: Document, digest: str, log: Log) -> None:
        if log.records[0]["sha256"] != digest:
            raise InputError(
                "one of the sides was changed since differences were decided",
                path=self.work.first.path,
                cure="discard the decisions for this document and begin again",
            )
        super()._recover(document, digest, log)

    def _repeat(self, record: Record) -> None:
        if record["do"] == "save":
            self._note_saved()
        elif "mark" in record:
            changes = changes_from(record["changes"])
            if self.work.make(SettlingPlan.repeated(record["mark"], changes.add, changes.remove)) != record["added"]:
                raise ValueError("new links get other ids than before")
        else:
            super()._repeat(record)

    def _present_digest(self, _digest: str) -> str | None:
        with suppress(InputError):
            return digest_of(read_regular(self.target))
        return None

    def _is_spent(self, _digest: str) -> bool:
        return False  # decisions are worth keeping


def side_from(body: dict[str, Any]) -> tuple[int, Any, str]:
    """Return the number of a difference, the side to take and the order of the next one.

    Raise UsageError if a body has something else.
    """
    number = body.get("number")
    keys = {"number", "side", "order", "revision"}
    if set(body) - keys or not isinstance(number, int) or isinstance(number, bool):
        raise UsageError('the body must be {"number": 0, "side": 1}; the side is a number or a name, 0 or null')
    return number, body.get("side"), body.get("order", "informative")
