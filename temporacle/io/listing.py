"""List the files and folders to read under some paths.

Folders are searched recursively and in the order of names. These are skipped in a folder:

- hidden files and what operating systems leave behind (files that are being written: without a remark);
- a file that is not called like an annotation and is empty or in an unknown format (a README);
- links to folders, which could lead in circles;
- annotation files in a folder that is in one format as a whole;
- other layers of an Anafora document;
- the plain text of a document beside its annotation (``x.txt`` beside ``x.xml``).

The caller gets a remark with their number. The text of a brat file, brat's settings, the type system of a CAS and the
original of a file that was edited (``x.tml.orig`` beside ``x.tml``) are skipped without a remark. A file that was named
is never skipped.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from contextlib import suppress
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from temporacle.errors import AmbiguousFormatError, InputError, UsageError
from temporacle.io.files import ORIGINAL, is_temporary
from temporacle.io.formats import format_named
from temporacle.io.project import NAME as PROJECT
from temporacle.io.recognise import APPLE_DOUBLE, UNKNOWN_ROOT, folder_format, recognise
from temporacle.io.source import STANDARD_INPUT, Options, Source
from temporacle.model import Remark, Unreadable
from temporacle.printing import first_of, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_ANNOTATION_SUFFIXES = tuple(
    suffix + packed for suffix in (".tml", ".xml", ".jsonl", ".tsv", ".ann", ".xmi") for packed in ("", ".gz")
)
# Settings of brat and the type system of a CAS: part of the annotation, and no documents.
_PARTS = {"annotation.conf", "visual.conf", "tools.conf", "kb_shortcuts.conf", "typesystem.xml"}
_JUNK = {"thumbs.db", "desktop.ini", "__macosx"}


def listing(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], options: Options, report: Callable[[Remark], None]
) -> Iterator[Source | Unreadable]:
    """Yield the sources under the paths as they are found."""
    for path in [paths] if isinstance(paths, str | os.PathLike) else paths:
        name = os.fspath(path)
        if name == STANDARD_INPUT:
            yield Source(name, None, options)
        elif os.path.isdir(name):  # noqa: PTH112 - names are kept as the caller wrote them
            yield from _Walk(options, report).folder(name)
        elif os.path.exists(name):  # noqa: PTH110
            yield Source(name, None, options)
        else:
            yield Unreadable(Source(name).name, name, InputError("no such file or folder", path=name))


def annotations_among(paths: Iterable[str], options: Options, report: Callable[[Remark], None]) -> list[str]:
    """Return the paths without files that are not annotations. A file that a program named, not a person, may be one.

    A broken annotation stays: its reader says what is wrong. XML is foreign if its root is that of no format.
    """
    walk = _Walk(options, report)

    def is_wanted(path: str) -> bool:
        source = Source(path, None, options)
        if options.format is not None or not source.is_file():
            return True
        if not _is_annotation_name(os.path.basename(path)):  # noqa: PTH119
            if not walk.is_annotation(source):
                return False
            if _holds_annotations(source):
                return True
            walk.foreign.append(path)
            return False
        try:
            recognise(source)
        except InputError as error:
            if error.reason.startswith(UNKNOWN_ROOT):
                walk.foreign.append(path)
                return False
        return True

    kept = [path for path in paths if is_wanted(path)]
    walk.tell()
    return kept


def _holds_annotations(source: Source) -> bool:
    """Return whether a text that could be a timeline has a row, and a table columns or labels of links."""
    kind = recognise(source)
    if kind not in {"csv", "timeline"}:
        return True
    try:
        first = next(iter(format_named(kind).reader()(source)), None)
        if isinstance(first, Unreadable):
            raise first.error
    except InputError as error:
        return not error.reason.startswith("no columns source")
    return first is not None and bool(first.links or first.remarks)


def refuse_to_replace(target: str | os.PathLike[str] | None, paths: Iterable[str | os.PathLike[str]]) -> None:
    """Raise UsageError if an output file would take the place of a file that is read under the paths.

    Files in a folder that are not read as documents, such as the page of an earlier run, may be replaced.
    """
    if target is None or not os.path.isfile(target):  # noqa: PTH113 - links count as what they lead to
        return
    for path in paths:
        if not os.path.exists(path):  # noqa: PTH110
            continue
        is_folder = os.path.isdir(path)  # noqa: PTH112
        if _is_read_in(target, path) if is_folder else os.path.samefile(target, path):  # noqa: PTH121
            raise UsageError(f"{os.fspath(target)} is one of the files that are read: choose another name to write to")


def _is_read_in(target: str | os.PathLike[str], folder: str | os.PathLike[str]) -> bool:
    """Return whether a file in a folder is a document or a part of one."""
    place, top = os.path.realpath(target), os.path.realpath(folder)
    if not PurePath(place).is_relative_to(top):
        return False
    parent, name = os.path.split(place)
    present = set(os.listdir(parent))  # noqa: PTH208
    if _is_part(name, present) or _is_annotation_name(name) or folder_format(present) is not None:
        return True
    return not _is_junk(name) and _Walk(Options(), lambda _remark: None).is_annotation(Source(place, None))


class _Walk:
    """One folder given by the caller, and what was skipped in it."""

    def __init__(self, options: Options, report: Callable[[Remark], None]) -> None:
        self.options = options
        self.report = report
        self.junk: list[str] = []
        self.foreign: list[str] = []
        self.links: list[str] = []  # to folders
        self.beside: list[str] = []  # in a folder that is in one format as a whole
        self.layers: list[str] = []  # annotations of something else
        self.texts: list[str] = []  # of documents that are annotated in another file

    def folder(self, top: str) -> Iterator[Source | Unreadable]:
        """Yield everything to be read under a folder. Links to folders are not followed, so this ends."""
        for folder, subfolders, files in os.walk(top):
            self.junk += [os.path.join(folder, name) for name in subfolders if _is_junk(name)]  # noqa: PTH118
            subfolders[:] = sorted(name for name in subfolders if not _is_junk(name))
            self.links += filter(os.path.islink, (os.path.join(folder, name) for name in subfolders))  # noqa: PTH118
            whole = self._whole(files)
            if whole is not None:
                yield Source(folder, b"", self.options, format=whole)
                self.beside += [os.path.join(folder, name) for name in sorted(files) if _is_annotation_name(name)]  # noqa: PTH118
            else:
                yield from self._files(folder, sorted(files))
        self.tell()

    def tell(self) -> None:
        """Say what was skipped."""
        self._tell("skipped-junk", self.junk, "file", "hidden or left behind by an operating system")
        self._tell("skipped-foreign", self.foreign, "file", "in an unknown format")
        self._tell("skipped-layer", self.layers, "Anafora file", "that does not annotate time")
        self._tell("skipped-text", self.texts, "text file", "next to an annotation of the same name")
        self._tell("skipped-link", self.links, "link", "to a folder")
        self._tell("skipped-beside", self.beside, "file", "next to the tab files of a format")

    def _whole(self, files: list[str]) -> str | None:
        found = folder_format(files)
        return found if self.options.format in {None, found} else None

    def _files(self, folder: str, names: list[str]) -> Iterator[Source | Unreadable]:
        present = set(names)
        layers = other_layers(names)
        self.layers += [os.path.join(folder, name) for name in sorted(layers)]  # noqa: PTH118
        names = [name for name in names if name not in layers]
        annotated: set[str] | None = None  # names of documents; most folders have no text to compare with them
        for name in names:
            if _is_part(name, present) or is_temporary(name) or name == PROJECT:
                continue
            path = os.path.join(folder, name)  # noqa: PTH118
            source = Source(path, None, self.options)
            if _is_annotation_name(name):
                if source.is_file() or not os.path.exists(path):  # noqa: PTH110
                    yield source
                else:  # a pipe could wait for ever
                    yield Unreadable(source.name, path, source.error("is not a regular file"))
                continue
            if _is_junk(name):
                self.junk.append(path)
                continue
            if name.lower().endswith(".txt"):
                if annotated is None:
                    annotated = {Source(other).name for other in names if _is_annotation_name(other)}
                if source.name in annotated and self._is_text(source):
                    self.texts.append(path)
                    continue
            if self.is_annotation(source):
                yield source

    def _is_text(self, source: Source) -> bool:
        """Return whether a file has no rows of any format. One line alone could be the title of an empty timeline."""
        try:
            return recognise(source) == "timeline" and len(source.data.strip().splitlines()) == 1
        except AmbiguousFormatError:
            return False
        except InputError:
            return True

    def is_annotation(self, source: Source) -> bool:
        """Return whether a file that is not called like an annotation is in a known format."""
        try:
            if not os.path.isfile(source.path):  # noqa: PTH113 - opening a pipe could wait for ever
                raise source.error("is not a regular file")
            if source.data.startswith(APPLE_DOUBLE):
                self.junk.append(source.path)
                return False
            if recognise(source) == "jsonl":
                from temporacle.io.jsonl.read import holds_documents

                if not holds_documents(source):
                    raise source.error("JSON, but not of documents")
        except AmbiguousFormatError:
            return True  # its reader will ask
        except InputError:
            self.foreign.append(source.path)
            return False
        return True

    def _tell(self, code: str, skipped: list[str], what: str, why: str) -> None:
        if skipped:
            plural = "s" if len(skipped) > 1 else ""
            self.report(Remark(code, f"skipped {len(skipped)} {what}{plural} {why}: {first_of(skipped, 3)}"))


def _is_part(name: str, present: set[str]) -> bool:
    """Return whether a file belongs to another one in its folder: its text, its original, or settings of its tool."""
    if name.endswith(".txt"):
        stem = name.removesuffix(".txt")
        return f"{stem}.ann" in present or f"{stem}.ann.gz" in present
    if name.endswith(ORIGINAL):
        return name.removesuffix(ORIGINAL) in present
    return name.lower() in _PARTS


def _is_annotation_name(name: str) -> bool:
    return name.lower().endswith(_ANNOTATION_SUFFIXES) and not _is_junk(name)


def _is_junk(name: str) -> bool:
    return name.startswith(".") or name.lower() in _JUNK


# ----------------------------------------------------------------------------------------------------
# Choose the files of an Anafora folder to read: a document has one file for each layer of annotation.
#
# ``note.Temporal-Relation.gold.completed.xml`` holds the times; files of coreference or of medical terms are next to
# it.

_LAYER = re.compile(r"(?P<note>.+)\.(?P<schema>[A-Za-z][\w-]*)\.[^.]+\.(?:completed|inprogress)\.xml(?:\.gz)?")
_TEMPORAL_SCHEMAS = ("Temporal-Relation", "Temporal", "Temporal-Entity")  # the first has what the last has, and links


def other_layers(names: Iterable[str]) -> set[str]:
    """Return the files of a folder that annotate something else, if another file has the times of the same document.

    >>> sorted(other_layers(["n.Temporal-Relation.gold.completed.xml", "n.UMLS.gold.completed.xml", "m.xml"]))
    ['n.UMLS.gold.completed.xml']
    """
    layers: dict[str, dict[str, list[str]]] = {}
    for name in names:
        if found := _LAYER.fullmatch(name):
            layers.setdefault(found["note"], {}).setdefault(found["schema"], []).append(name)
    others: set[str] = set()
    for schemas in layers.values():
        chosen = next((each for each in _TEMPORAL_SCHEMAS if each in schemas), None)
        if chosen is not None:
            others.update(name for schema, files in schemas.items() if schema != chosen for name in files)
    return others


# ----------------------------------------------------------------------------------------------------
# Rules of a mapping about types that no file has: a misspelt name must not read nothing without a word.


def watched(
    sources: Iterator[Source | Unreadable], options: Options, report: Callable[[Remark], None]
) -> Iterator[Source | Unreadable]:
    """Yield the sources unchanged. At the end, report the names that occurred in none of them.

    Files are looked into only until every name has been met: usually that is the first file.
    """
    from temporacle.io.tools.mapping import ToolMapping

    missing = dict.fromkeys(options.mapping.types if isinstance(options.mapping, ToolMapping) else ())
    is_any = False
    for source in sources:
        if missing and isinstance(source, Source) and source.path != STANDARD_INPUT:
            is_any = True
            with suppress(InputError, OSError):
                data = source.data if source.carried else Source(source.path, None, options).data
                for name in [name for name in missing if name.encode() in data or _escaped(name) in data]:
                    del missing[name]
        yield source
    if missing and is_any and isinstance(options.mapping, ToolMapping):
        names = ", ".join(map(shown, missing))
        report(Remark("unused-rule", f"mapping {shown(options.mapping.name)}: no file has anything called {names}"))


def _escaped(name: str) -> bytes:
    """Return a name as it may be written in JSON."""
    return json.dumps(name)[1:-1].encode()


# ----------------------------------------------------------------------------------------------------
# A project file for what a folder holds (``project``).

_COMMENTS = (
    "",
    "# Uncomment what your corpus needs.",
    '# labels = "thyme"          # what labels mean; or a table: [labels] PRECEDES = "b"',
    '# mapping = "e3c"           # what layers and attributes of a tool\'s files are',
    '# calendar = "within"       # use the values of time expressions',
    '# baseline = "known.json"   # let known findings pass',
    "# time-limit = 10           # seconds per document",
    '# allow = ["unknown-label"] # skipped links that do not change the exit code',
)


def proposed(folder: str) -> str:
    """Return a project file for what a folder holds. Raise UsageError if it holds no annotation."""
    kinds: Counter[tuple[str, str]] = Counter()
    for each in listing([folder], Options(projects=None), lambda _remark: None):
        if isinstance(each, Source):
            name = os.path.basename(each.path)  # noqa: PTH119
            parts = Path(os.path.relpath(each.path, folder)).parts
            suffix = name[name.index(".", 1) :] if "." in name[1:] else ""
            pattern = f"{parts[0]}/**/*{suffix}" if len(parts) > 1 else f"*{suffix}"
            try:
                kinds[pattern, recognise(each)] += 1
            except InputError:
                continue
    if not kinds:
        raise UsageError(f"{folder}: no annotation was found; give the folder of a corpus")
    lines = [f'    "{pattern}",  # {count} {name}' for (pattern, name), count in sorted(kinds.items())]
    return "\n".join(["# What temporacle check without a path checks.", "include = [", *lines, "]", *_COMMENTS, ""])
