"""Corpora of the same documents, made into one more: which documents belong together, and where results go.

    work = Adjudications("anna/", "ben/")
    for name in work.names:
        adjudication = work.open(name)
        ...
        work.save(adjudication)               adjudicated/... beside the first corpus

A result is the file of the first side with other links, or JSON Lines if its format cannot be changed in place. The log
of its decisions stands beside it.
"""

from __future__ import annotations

import json
import os
from dataclasses import replace
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from temporacle.corpus.inputs import ReadingOptions, options_for, paths_of
from temporacle.corpus.observer import SILENT
from temporacle.corpus.pairing import pair_up
from temporacle.corpus.references import bare_name, references
from temporacle.editing.adjudication import Adjudication
from temporacle.editing.saving import Announce, ChangedOnDiskError, OpenFile, Saved, copy_beside, export
from temporacle.editing.versions import statements
from temporacle.editing.write_back import has_editable_file, refuse_to_overwrite
from temporacle.errors import BudgetExceeded, InternalError, UsageError
from temporacle.io.files import atomic_bytes, digest_of, read_regular
from temporacle.io.source import Options, Source, options_of
from temporacle.io.writers import WRITERS
from temporacle.model import Body, Entity, Unreadable
from temporacle.printing import first_of, shown
from temporacle.results import MatchCounts
from temporacle.scoring.agreement import coefficients, stated_ratings
from temporacle.scoring.awareness import AwarenessOptions
from temporacle.scoring.awareness import judge as awareness

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from fractions import Fraction

    from temporacle.corpus.inputs import Inputs
    from temporacle.corpus.references import Reference
    from temporacle.model import Document
    from temporacle.scoring.agreement import Ratings

FOLDER = "adjudicated"
LOG = ".decisions.log"  # after the name of a result: JSON, one object for each line of the log


class Adjudications:
    """Documents that all sides have, opened one at a time.

    ``sides``: files or folders of the sides, or documents; two or more.
    ``out``: the folder for results; None: ``adjudicated`` beside the first side.
    ``texts``: a folder with the texts of documents that have none: ``NAME.txt``, or annotated files of any format,
    of which the text and the words of entities are used.
    ``align``, ``budget``, ``who``: as for ``Adjudication``. ``reading``, ``during``, ...: how to read all sides.
    """

    def __init__(
        self,
        *sides: Inputs,
        out: str | os.PathLike[str] | None = None,
        texts: str | os.PathLike[str] | None = None,
        align: str | None = None,
        budget: float | None = None,
        who: str = "",
        **reading: Unpack[ReadingOptions],
    ) -> None:
        if len(sides) < 2:
            raise UsageError("an adjudication needs two or more sides")
        self._align, self._budget, self._who = align, budget, who
        paths = [paths_of(each) or [] for each in sides]
        self._roots = paths[0]
        self._options = options_for(sides[0], reading)
        self._texts = None if texts is None else os.fspath(texts)
        is_folder = any(map(os.path.isdir, (path for each in paths for path in each)))
        first, *others = (references(each, options_for(each, reading), SILENT) for each in sides)
        pairings = [pair_up(first, each, by_name=is_folder) for each in others]
        tables = [{pair.name: pair for pair in pairing.pairs} for pairing in pairings]
        common = [name for name in tables[0] if all(name in table for table in tables)]
        self._sides = {name: (tables[0][name].gold, *(table[name].system for table in tables)) for name in common}
        self.warnings = tuple(dict.fromkeys(remark for pairing in pairings for remark in pairing.warnings))
        self.sides = _side_names(paths)
        known = set(common)
        own = [pair.name for table in tables for pair in table.values()]
        own += [each.name for pairing in pairings for each in pairing.gold_only]
        only = [tuple(dict.fromkeys(name for name in own if name not in known))]
        only += [tuple(each.name for each in pairing.system_only) for pairing in pairings]
        self.not_compared = dict(zip(self.sides, only, strict=True))  # by side: the documents that some other lacks
        self.out = self._default_folder() if out is None else os.fspath(out)
        read = [path for each in paths for path in each]
        refuse_to_overwrite(self.out, read, "name another folder for the results")
        if not common:
            lists = "; ".join(
                f"{side}: {first_of(map(shown, names), 5)}" for side, names in zip(_ORDINALS, only, strict=False)
            )
            raise UsageError(f"no document has the same name on {'both' if len(sides) == 2 else 'all'} sides; {lists}")

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the documents that all sides have."""
        return tuple(self._sides)

    def open(self, name: str) -> Adjudication:
        """Return the versions of a document, compared. Raise InputError if one of them cannot be read."""
        if name not in self._sides:
            raise UsageError(
                f"there is no document {shown(name)} on all sides; there are {first_of(map(shown, self.names), 5)}"
            )
        versions = [self._with_text(_read(side), name) for side in self._sides[name] if side is not None]
        return Adjudication(*versions, names=self.sides, align=self._align, budget=self._budget, who=self._who)

    # --- texts ------------------------------------------------------------------------------------------------------

    def _with_text(self, document: Document, name: str) -> Document:
        """Return a document with the text that stands in the folder of texts, if it has none of its own."""
        path = self._text_files.get(bare_name(name)) if not document.text else None
        if path is None:
            return document
        if path.endswith(".txt"):
            text = read_regular(path).decode("utf-8-sig")
            return replace(document, body=Body(tuple(document.entities), text))
        found = next(iter(references([path], Options(), SILENT))).read()
        return document if isinstance(found, Unreadable) else with_words(document, found)

    @cached_property
    def _text_files(self) -> dict[str, str]:
        """Return the files of texts by the name of the document; annotated ones before plain ones."""
        if self._texts is None:
            return {}
        if not os.path.isdir(self._texts):  # noqa: PTH112 - names as the caller wrote them
            raise UsageError(f"no such folder: {self._texts}")
        files = [path for path in sorted(Path(self._texts).rglob("*")) if path.is_file() and path.name[0] != "."]
        files.sort(key=lambda path: path.suffix != ".txt")
        return {bare_name(path.name): str(path) for path in files}

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

    def save(
        self, work: Adjudication, comments: Mapping[str, str] | None = None, *, announce: Announce | None = None
    ) -> Saved:
        """Write the third version of a document. Raise ContradictionError if it contradicts itself.

        ``comments``: notes by ids of links of the third version. In a file with several documents, results that were
        saved before stay. ``announce``: gets the digest that the file will have, before it is touched.
        """
        target = self.target(work.first)
        saved = self._saved(work, target, comments or {}, announce)
        rows = [json.dumps(entry._asdict(), ensure_ascii=False) + "\n" for entry in work.log]
        with atomic_bytes(target + LOG) as file:
            file.write("".join(rows).encode("utf-8", "surrogatepass"))
        return saved

    def _saved(self, work: Adjudication, target: str, comments: Mapping[str, str], announce: Announce | None) -> Saved:
        wanted, first = work.document, work.first
        if not has_editable_file(first):
            return _write(target, export(wanted, self._exported_as(first), comments).data, announce)
        options = self._options if self._roots or first.how_read is None else options_of(first.how_read)
        if os.path.exists(target):  # noqa: PTH110
            options = replace(options, confines=None)  # results stand in a folder of their own
            return OpenFile(target, options).save(first.id, wanted, comments, backup=False, announce=announce)
        opened = OpenFile(first.path or "", options)
        if statements(opened.document(first.id).links) != statements(first.links):
            raise ChangedOnDiskError(
                "was changed since it was compared", path=first.path, cure="compare the two versions again"
            )
        saved = _write(target, opened.content(first.id, wanted, comments), announce)
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


def _write(path: str, data: bytes, announce: Announce | None) -> Saved:
    digest = digest_of(data)
    if announce is not None:
        announce(digest)
    with atomic_bytes(path) as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    return Saved(path, None, digest)


def with_words(document: Document, text: Document) -> Document:
    """Return a document with the text of another, and with the words of entities that have the same id there.

    Formats that list labels alone name events as TimeML does (e1); there, links may join their instances (ei1).
    """
    known = {each.event_id: each for each in text.entities if each.event_id}
    known |= {each.id: each for each in text.entities}
    own = {each.id: each for each in document.entities}
    names = dict.fromkeys((*own, *document.entity_ids))
    entities = tuple(
        known[name]._replace(id=name, event_id=None) if name in known else own.get(name) or Entity(name)
        for name in names
    )
    return replace(document, body=Body(entities, text.text))


_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")


def _side_names(sides: list[list[str]]) -> tuple[str, ...]:
    """Return what to call the sides: the names of their files or folders, if these differ."""
    names = [Path(paths[0]).resolve().name if paths else "" for paths in sides]
    if all(names) and len(set(names)) == len(names) and "neither" not in names:
        return tuple(names)
    return (*_ORDINALS, *(f"side {number}" for number in range(len(_ORDINALS) + 1, len(sides) + 1)))[: len(sides)]


# ----------------------------------------------------------------------------------------------------


def agreement(
    sides: Sequence[Document], result: Document, seconds: float | None = None, between: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return how far the sides of an adjudication agree with each other, and each of them with the result.

    ``kappa`` and ``alpha`` are about pairs as they are stated (``tp.agree``); ``awareness`` has for each side, in
    order, the share of its links that the other entails. A figure is None if it is undefined or undecided.
    ``between``: what ``agreement_between`` says about the sides, if it is known; it does not change with the result.
    """
    return {
        **(between or agreement_between(sides, seconds)),
        "with_result": [
            {
                "kappa": _figure(coefficients(stated_ratings([each, result]), 2).kappa),
                "awareness": list(_awareness(each, result, seconds)),
            }
            for each in sides
        ],
    }


def agreement_between(sides: Sequence[Document], seconds: float | None = None) -> dict[str, Any]:
    """Return how far the sides of an adjudication agree with each other."""
    two = [_awareness(one, other, seconds) for one, other in combinations(sides, 2)]
    return {**figures_of(stated_ratings(sides), len(sides)), "awareness": [list(each) for each in two]}


def figures_of(ratings: Ratings, annotators: int) -> dict[str, float | None]:
    """Return kappa and alpha of ratings, of one document or of several together."""
    between = coefficients(ratings, annotators)
    return {"kappa": _figure(between.kappa), "alpha": _figure(between.krippendorff)}


def _awareness(first: Document, second: Document, seconds: float | None) -> tuple[float | None, float | None]:
    """Return the share of the first document's links that the second entails, and the other way round."""
    try:
        counts = awareness(first, second, AwarenessOptions(budget=seconds)).counts
    except (BudgetExceeded, InternalError):
        return None, None
    assert isinstance(counts, MatchCounts)  # noqa: S101 - narrows the type only
    shares = (counts.recall_matched, counts.gold_total), (counts.precision_matched, counts.system_total)
    one, other = (float(matched) / float(total) if total else None for matched, total in shares)
    return one, other


def _figure(found: Fraction | None) -> float | None:
    return None if found is None else float(found)
