"""Automatic changes of annotation files: ``tp.fix`` and ``temporacle fix``. ``check`` says what they would be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field, replace
from difflib import unified_diff
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Unpack

from temporacle.corpus.inputs import documents, is_read, paths_of
from temporacle.corpus.observer import SILENT, Observer
from temporacle.corpus.options import Corpus, DatedOptions, Going, ReadingFiles
from temporacle.declared import OUTPUT, STANDARD_INPUT, About, task
from temporacle.editing.write_back import FilesBack, Mended, annotated, has_editable_file, holds_inputs, mended, notes
from temporacle.editing.write_back import refuse_to_overwrite as refuse
from temporacle.errors import UsageError, spelled
from temporacle.io.edit import Edits
from temporacle.model import Link, skipped_links, skipped_words
from temporacle.reasoner.check import CheckOptions, check_document
from temporacle.reasoner.conflicts.repair import VALUES
from temporacle.results import DocumentVerdict
from temporacle.tasks.answers import DocumentAnswer, DocumentAnswers, answers, asked

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from temporacle.calendar.policy import Calendar
    from temporacle.checks import Check
    from temporacle.model import Document, HowRead, Remark
    from temporacle.reasoner.network import Budget

_NOT_WRITTEN = "not-written"


@dataclass(frozen=True, slots=True, repr=False)
class Fix(DocumentAnswer):
    """What was changed in one document. ``out`` and ``diff`` belong to its file, and to the first document of it."""

    columns: ClassVar[tuple[str, ...]] = ("document", "change", "link", "label", "new")

    removed: tuple[Link, ...] = ()
    relabelled: tuple[tuple[Link, str], ...] = ()  # with the new label
    commented: tuple[str, ...] = ()  # ids of links
    out: str | None = None  # the file that was written, or would be
    diff: str | None = None
    edits: Edits | None = field(default=None, compare=False)
    anew: Mended | None = field(default=None, compare=False)  # if there is no file to change
    how_read: HowRead | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        counts = (("removed", self.removed), ("relabelled", self.relabelled), ("commented", self.commented))
        said = ", ".join(f"{len(links)} {what}" for what, links in counts if links)
        return f"Fix({self.document!r}: {said or 'no change'})"

    @property
    def is_changed(self) -> bool:
        """Whether something is different in the document."""
        return bool(self.removed or self.relabelled or self.commented) or self.out is not None

    @property
    def is_left(self) -> bool:
        """Whether the document is inconsistent and nothing was done about it."""
        return self.verdict is DocumentVerdict.INCONSISTENT and not self.is_changed

    def found(self) -> Iterator[dict[str, Any]]:
        """Yield a row for each change of a link."""
        for link in self.removed:
            yield self._row("removed", link.id, link.label)
        for link, label in self.relabelled:
            yield self._row("relabelled", link.id, link.label, label)
        for name in self.commented:
            yield self._row("commented", name)

    def _row(self, change: str, link: str, label: str = "", new: str = "") -> dict[str, Any]:
        return {"document": self.document, "change": change, "link": link, "label": label, "new": new}

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the object of ``--output json``."""
        yield {
            "document": self.document,
            "path": self.path,
            "verdict": self.verdict.value,
            "removed": [link.id for link in self.removed],
            "relabelled": {link.id: label for link, label in self.relabelled},
            "commented": list(self.commented),
            "out": self.out,
            "reason": self.reason,
            "skipped_links": self.skipped_links,
            **({} if self.diff is None else {"diff": self.diff}),
        }


class Fixes(DocumentAnswers[Fix]):
    """What was changed in all documents of a source."""

    kind = Fix

    def __repr__(self) -> str:
        return f"Fixes({summary(self)})"

    @property
    def diff(self) -> str:
        """Return what changes in all files, as the command ``diff -u`` would print it. Only with ``dry_run``."""
        return "".join(each.diff or "" for each in self.documents)


def summary(fixes: Sequence[Fix]) -> str:
    """Return the number of changes in words."""
    counts = Counter(row["change"] for each in fixes for row in each.found())
    links = ", ".join(f"{counts[what]} {what}" for what in ("removed", "relabelled", "commented") if counts[what])
    changed = sum(each.is_changed for each in fixes)
    left = sum(each.is_left for each in fixes)
    total = f"{len(fixes)} document{'' if len(fixes) == 1 else 's'}: {changed} changed"
    total += f", {left} inconsistent and not changed" if left else ""
    unread = sum(each.verdict is DocumentVerdict.UNREADABLE for each in fixes)
    total += f", {unread} unreadable" if unread else ""
    skipped = skipped_words(skipped_links(remark for each in fixes for remark in each.dropped))
    links += skipped if links else skipped.removeprefix(", ")
    return total + (f"; links: {links}" if links else "")


@task(Fixes.of)
def fix(
    source: Corpus,
    *,
    relabel: Annotated[
        bool, About("Give a link its proposed label instead of removing it, if exactly one fits.")
    ] = False,
    annotate: Annotated[bool, About("Write a comment at each link of a conflict instead of removing links.")] = False,
    protect: Annotated[
        Sequence[str], About("Never remove this link, or links with this label; repeatable.", value="ID|LABEL")
    ] = (),
    dry_run: Annotated[bool, About("Write nothing; print what would change. Exit code 1 if something would.")] = False,
    out: Annotated[
        str | None,
        About("Where to write: a folder, or for one FILE a file.", value="OUT", path="place", group=OUTPUT, short="-o"),
    ] = None,
    in_place: Annotated[bool, About("Change the files themselves.", group=OUTPUT)] = False,
    observer: Observer = SILENT,
    **shared: Unpack[DatedOptions],
) -> Iterator[Fix]:
    """Change files so that their documents are consistent: remove the links of the smallest repair.

    No other byte of a file changes, and a file without changes is not written. With ``calendar``, links are removed and
    values are kept.

    Args:
        observer: Gets the events of the run.

    Returns:
        A sequence with the changes of each document.

    Raises:
        UsageError: Neither a place for the results nor ``dry_run`` is given, or options do not fit together.

    Examples:
        >>> fix([("a", "BEFORE", "b"), ("b", "BEFORE", "a")], dry_run=True)
        Fixes(1 document: 1 changed; links: 1 removed)
    """
    if out is not None and in_place:
        raise UsageError(f"cannot be combined with {spelled('in_place', True)}: choose one of them", option="out")
    if out is None and not in_place and not dry_run:
        raise UsageError(
            f"fix needs a place to write to: give {spelled('out', 'OUT')}, {spelled('in_place', True)}, or"
            f" {spelled('dry_run', True)} to try"
        )
    if out == "-":
        raise UsageError(
            f"fix writes files; name one, or give {spelled('dry_run', True)} to see the changes",
            option="out",
            value="-",
        )
    if relabel and annotate:
        raise UsageError("annotate changes no labels: leave out one of them", option="relabel")
    going = Going.over(source, shared)
    roots = paths_of(source) or []
    file = None
    if (
        out is not None
        and len(roots) == 1
        and Path(roots[0]).is_file()
        and Path(out).suffix
        and not out.endswith("/")
        and not Path(out).is_dir()
    ):
        file = out
    elif out is not None:
        refuse(out, roots, f"name another folder, or give {spelled('in_place', True)} to change them")
    names = (protect,) if isinstance(protect, str) else tuple(protect)
    if going.calendar is not None:
        names = (*names, VALUES)
    ask = partial(_fixed, names=names, calendar=going.calendar, relabel=relabel, annotate=annotate)
    journal = going.journal(observer, "fix", names, relabel, annotate)
    written = _Written(observer)
    files = FilesBack(
        out if file is None else None,
        roots,
        None if is_read(source) else going.options,
        written.report,
        in_place=in_place,
        file=file,
        keep=written.keep,
        dry_run=dry_run,
    )
    return _settled(answers(source, asked(ask, Fix, going.limit), going, observer, journal), files, written)


def _fixed(
    document: Document,
    budget: Budget,
    *,
    names: tuple[str, ...],
    calendar: Calendar | None,
    relabel: bool,
    annotate: bool,
) -> Fix:
    asked_for = CheckOptions(
        repair=None if annotate else True,
        relabel=relabel,
        protect=names,
        budget=budget.remaining(),
        calendar=calendar,
    )
    check = check_document(document, asked_for)
    own = Fix(document.id, check.verdict, document.path, check.error, document.dropped, how_read=document.how_read)
    if annotate:
        said = notes(document, check)
        return replace(own, commented=tuple(said), edits=annotated(check, said))
    if not check.to_drop:
        why = "no repair was found in time" if check.verdict is DocumentVerdict.INCONSISTENT else own.reason
        impossible = check.verdict is DocumentVerdict.INCONSISTENT and check.repair is not None
        return replace(own, reason="the protected links contradict each other" if impossible else why)
    new = _relabelled(document, check, budget, calendar) if relabel else {}
    dropped = [link for link in check.to_drop if isinstance(link, Link)]  # values are protected
    removed = tuple(link for link in dropped if link.id not in new)
    return replace(
        own,
        removed=removed,
        relabelled=tuple((link, new[link.id]) for link in dropped if link.id in new),
        edits=Edits(frozenset(link.id for link in removed), new),
        anew=None if has_editable_file(document) else mended(document, check),
    )


def _relabelled(document: Document, check: Check, budget: Budget, calendar: Calendar | None) -> dict[str, str]:
    """Return new labels of links that the repair removes. Each fits alone; here all of them fit together."""
    gone = {link.id for link in check.to_drop}
    links = [link for link in document.links if link.id not in gone]
    chosen: dict[str, str] = {}
    for each in check.relabellings or ():
        if len(each.labels) != 1:
            continue
        label = each.labels[0]
        link = each.link._replace(label=label, relation=document.reading.relation(label))
        changed = replace(document, links=(*links, link))
        verdict_only = CheckOptions(explain=False, budget=budget.remaining(), calendar=calendar)
        if check_document(changed, verdict_only).verdict is DocumentVerdict.CONSISTENT:
            links.append(link)
            chosen[link.id] = label
    return chosen


class _Written:
    """What became of the files: kept until the answer of the file's first document is given."""

    def __init__(self, observer: Observer) -> None:
        self._observer = observer
        self.files: dict[str, tuple[str, str]] = {}  # by path: where it was written, and the difference
        self.refused: list[str] = []

    def report(self, remark: Remark) -> None:
        if remark.code == _NOT_WRITTEN:
            self.refused.append(remark.message)
        self._observer.corpus_remark(remark)

    def keep(self, path: str, target: str, old: bytes, new: bytes) -> None:
        texts = [data.decode("utf-8", "replace").splitlines(keepends=True) for data in (old, new)]
        lines = unified_diff(texts[0], texts[1], path, target)
        diff = "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
        self.files[path] = target, diff


def _settled(found: Iterator[Fix], files: FilesBack, written: _Written) -> Iterator[Fix]:
    """Yield the answers of a file once it is written."""
    waiting: list[Fix] = []
    for each in found:
        if waiting and waiting[0].path != each.path:
            yield from _of_file(waiting, files, written)
        waiting.append(each)
        if each.anew is not None:
            files.write_anew(each.document, each.anew, path=each.path)
        elif each.edits is not None and each.path is not None and each.how_read is not None:
            files.add(each.path, each.document, each.how_read, each.edits)
    yield from _of_file(waiting, files, written)


def _of_file(waiting: list[Fix], files: FilesBack, written: _Written) -> Iterator[Fix]:
    files.finish()
    for number, each in enumerate(waiting):
        out, diff = (
            written.files.pop(each.path or each.document, (None, None))
            if number == 0 or not each.path
            else (None, None)
        )
        settled = replace(each, out=out, diff=diff if files.dry_run else None, edits=None, anew=None)
        if written.refused:  # the file is as it was
            settled = replace(settled, removed=(), relabelled=(), commented=(), reason="; ".join(written.refused))
        yield settled
    written.refused.clear()
    waiting.clear()


# --- what check did when it still wrote files ------------------------------------------------------------------------


class _AboutFiles(Observer):
    """Hears what became of files. The check has said all else about them."""

    def __init__(self, observer: Observer) -> None:
        self._observer = observer

    def corpus_remark(self, remark: Remark) -> None:
        if remark.code in {"written", _NOT_WRITTEN, "lost-in-format"}:
            self._observer.corpus_remark(remark)


def after_check(check: Callable[..., Any], wanted: Mapping[str, Any], source: Any, named: dict[str, Any]) -> Any:
    """Call ``check``, then change files as its former keywords ``write``, ``annotate`` and ``in_place`` say."""
    write, annotate, in_place = (wanted.get(name) for name in ("write", "annotate", "in_place"))
    says_only = annotate is not None and write is None
    if not (write or annotate or named.get("repair") or named.get("relabel")):
        raise UsageError(
            f"check only reads; to change files use fix (temporacle fix, tp.fix) with {spelled('in_place', True)}"
        )
    for name in ("answers", "merge"):
        if named.get(name):
            raise UsageError(f"cannot be combined with {next(iter(wanted))}", option=name)
    kept = {name: named[name] for name in DatedOptions.__annotations__ if name in named and name != "resume"}
    observer = named.get("observer", SILENT)
    roots = paths_of(source) or []
    if STANDARD_INPUT in roots or isinstance(source, Iterator):  # it can be read once only
        source = list(documents(source, Going.over(source, kept).options, report=observer.corpus_remark))
        kept, named = (
            {name: each[name] for name in each if name not in ReadingFiles.__annotations__} for each in (kept, named)
        )
    if not says_only:
        if named.get("repair") is False:
            raise UsageError(f"cannot be combined with {spelled('repair', False)}", option=next(iter(wanted)))
        named["repair"] = True
    kept |= {"protect": named.get("protect") or (), "observer": _AboutFiles(observer)}
    places = ([] if says_only else [(write, False)]) + ([] if annotate is None else [(annotate, True)])
    fixes = []
    for folder, says in places:
        stays = folder is None or (in_place and holds_inputs(folder, roots))
        fixes.append(
            fix.each(source, annotate=says, **({"in_place": True} if stays else {"out": f"{folder}/"}), **kept)
        )

    def change() -> Iterator[Any]:
        for each in fixes:
            yield from each

    found = check(source, **named)
    if isinstance(found, Generator):
        return _then(found, change())
    for _ in change():
        pass
    return found


def _then(found: Generator[Any, None, Any], change: Iterator[Any]) -> Generator[Any, None, Any]:
    result = yield from found
    for _ in change:
        pass
    return result
