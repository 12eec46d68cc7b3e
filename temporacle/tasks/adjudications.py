"""Two corpora of the same documents, made into a third one: which documents belong together, and where results go.

    work = Adjudications("anna/", "ben/")
    for name in work.names:
        adjudication = work.open(name)
        ...
        work.save(adjudication)               adjudicated/... beside the first corpus

A result is the file of the first side with other links, or JSON Lines if its format cannot be changed in place.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from temporacle.errors import UsageError
from temporacle.io.edit.files import copy_beside
from temporacle.io.files import atomic_bytes
from temporacle.io.source import Source, options_of
from temporacle.io.writers import WRITERS
from temporacle.model import Unreadable
from temporacle.printing import shown
from temporacle.tasks.adjudication import Adjudication
from temporacle.tasks.inputs import ReadingOptions, options_for, paths_of
from temporacle.tasks.observer import SILENT
from temporacle.tasks.pairing import pair_up
from temporacle.tasks.pairs_of import statements
from temporacle.tasks.references import references
from temporacle.tasks.saving import ChangedOnDiskError, OpenFile, Saved, digest_of, export
from temporacle.tasks.write_back import has_editable_file, refuse_to_overwrite

if TYPE_CHECKING:
    from collections.abc import Mapping

    from temporacle.model import Document
    from temporacle.tasks.inputs import Inputs
    from temporacle.tasks.references import Reference

FOLDER = "adjudicated"


class Adjudications:
    """Pairs of documents, opened one at a time.

    ``first``, ``second``: files or folders of the two sides, or documents.
    ``out``: the folder for results; None: ``adjudicated`` beside the first side.
    ``align``, ``budget``: as for ``Adjudication``. ``reading``, ``during``, ...: how to read both sides.
    """

    def __init__(
        self,
        first: Inputs,
        second: Inputs,
        *,
        out: str | os.PathLike[str] | None = None,
        align: str | None = None,
        budget: float | None = None,
        **reading: Unpack[ReadingOptions],
    ) -> None:
        self._align = align
        self._budget = budget
        self._roots = paths_of(first) or []
        self._options = options_for(first, reading)
        others = paths_of(second) or []
        is_folder = any(map(os.path.isdir, (*self._roots, *others)))
        sides = (references(each, options_for(each, reading), SILENT) for each in (first, second))
        pairing = pair_up(*sides, by_name=is_folder)
        self._pairs = {pair.name: (pair.gold, pair.system) for pair in pairing.pairs}
        self.warnings = pairing.warnings
        self.first_only = tuple(each.name for each in pairing.gold_only)
        self.second_only = tuple(each.name for each in pairing.system_only)
        self.sides = _side_names(self._roots, others)
        self.out = self._default_folder() if out is None else os.fspath(out)
        refuse_to_overwrite(self.out, [*self._roots, *others], "name another folder for the results")
        if not self._pairs:
            raise UsageError(
                f"no document has the same name on both sides; first: {_listed(self.first_only)};"
                f" second: {_listed(self.second_only)}"
            )

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the documents that both sides have."""
        return tuple(self._pairs)

    def open(self, name: str) -> Adjudication:
        """Return the two versions of a document, compared. Raise InputError if one of them cannot be read."""
        if name not in self._pairs:
            raise UsageError(f"there is no document {shown(name)} on both sides; there are {_listed(self.names)}")
        first, second = (_read(side) for side in self._pairs[name] if side is not None)
        return Adjudication(first, second, names=self.sides, align=self._align, budget=self._budget)

    # --- results ----------------------------------------------------------------------------------------------------

    def _default_folder(self) -> str:
        beside = os.path.dirname(os.path.abspath(self._roots[0])) if self._roots else ""  # noqa: PTH100, PTH120
        return os.path.join(beside, FOLDER)  # noqa: PTH118

    def target(self, first: Document) -> str:
        """Return the file for the result of a document: the same place under the folder as under the first side."""
        if not has_editable_file(first):
            return os.path.join(self.out, export(first, self._exported_as(first)).name)  # noqa: PTH118
        path = first.path or ""
        for root in self._roots:
            if os.path.isdir(root) and Path(path).is_relative_to(root):  # noqa: PTH112
                return os.path.join(self.out, os.path.relpath(path, root))  # noqa: PTH118
        return os.path.join(self.out, os.path.basename(path))  # noqa: PTH118, PTH119

    def _exported_as(self, first: Document) -> str:
        return first.format if first.format in WRITERS else "jsonl"

    def save(self, work: Adjudication, comments: Mapping[str, str] | None = None) -> Saved:
        """Write the third version of a document. Raise ContradictionError if it contradicts itself.

        ``comments``: notes by ids of links of the third version. In a file with several documents, results that were
        saved before stay.
        """
        wanted, first = work.document, work.first
        target = self.target(first)
        if not has_editable_file(first):
            return _write(target, export(wanted, self._exported_as(first), comments or {}).data)
        options = self._options if self._roots or first.how_read is None else options_of(first.how_read)
        if os.path.exists(target):  # noqa: PTH110
            return OpenFile(target, options).save(first.id, wanted, comments or {}, backup=False)
        opened = OpenFile(first.path or "", options)
        if statements(opened.document(first.id).links) != statements(first.links):
            raise ChangedOnDiskError(
                "was changed since it was compared", path=first.path, cure="compare the two versions again"
            )
        saved = _write(target, opened.content(first.id, wanted, comments or {}))
        copy_beside(opened.path, target, opened.format or "")
        return saved


def _read(side: Reference) -> Document:
    """Return a document. A file with nothing else in it is read anew each time, so that its bytes are not kept."""
    whole = side.content
    if isinstance(whole, Source) and not whole.carried and not os.path.isdir(whole.path):  # noqa: PTH112
        side = side._replace(content=Source(whole.path, None, whole.options, format=whole.format))
    found = side.read()
    if isinstance(found, Unreadable):
        raise found.error
    return found


def _write(path: str, data: bytes) -> Saved:
    with atomic_bytes(path) as file:
        file.write(data)
    return Saved(path, None, digest_of(data))


def _side_names(first: list[str], second: list[str]) -> tuple[str, str]:
    """Return what to call the two sides: the names of their files or folders, if these differ."""
    names = [Path(paths[0]).resolve().name if paths else "" for paths in (first, second)]
    return (names[0], names[1]) if all(names) and names[0] != names[1] else ("first", "second")


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(map(shown, names[:5])) + (", ..." if len(names) > 5 else "") or "none"
