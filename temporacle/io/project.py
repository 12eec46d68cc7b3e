"""The project file: ``temporacle.toml``, or ``[tool.temporacle]`` in ``pyproject.toml``.

    include = ["gold/**/*.xmi"]       what ``temporacle check`` without a path checks
    mapping = "e3c"                   about reading: format, mapping, labels, columns, calendar
    time-limit = 10                   about the run: time-limit, baseline, jobs, allow, include
    [labels]                          instead of a name: more labels, with the label set of the format
    PRECEDES = "b"
    [[folder]]                        other keys about reading for a folder
    path = "gold/annotator-b"
    labels = "thyme-loose"

An option of the caller comes first, then the file, then the default. Paths are relative to the file. Keys about reading
hold for the inputs below the file. The search goes upwards, and stops at a folder with ``.git`` and at the home folder.
"""

from __future__ import annotations

import json
import os
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from temporacle.declared import WITH_CONFIG, float_of_seconds
from temporacle.errors import UsageError, nearest, spelling
from temporacle.readings import BUILT_IN, label_table, toml_table
from temporacle.rules import allowed_codes

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterable

    from temporacle.io.source import Options

NAME, SHARED = "temporacle.toml", "pyproject.toml"
_READING: dict[str, tuple[type, ...]] = {
    "format": (str,),
    "mapping": (str, dict),
    "labels": (str, dict),
    "columns": (str, dict),
    "calendar": (str,),
}
_RUN: dict[str, tuple[type, ...]] = {
    "time-limit": (int, float, str),
    "baseline": (str,),
    "jobs": (int,),
    "allow": (list,),
    "include": (list,),
}
_KINDS = {str: "a text", dict: "a table", int: "a number", float: "a number", list: "a list of texts"}


@dataclass(frozen=True)
class Project:
    """One file. ``sections``: the keys about reading for each folder, the file's own first."""

    path: str
    digest: str  # eight characters
    run: tuple[tuple[str, Any], ...]
    sections: tuple[tuple[str, tuple[tuple[str, Any], ...]], ...]

    @property
    def folder(self) -> str:
        """Return the folder that holds the file."""
        return os.path.dirname(os.path.abspath(self.path))  # noqa: PTH100, PTH120

    def reading(self, path: str, *, is_chosen: bool = False) -> dict[str, Any]:
        """Return the keys about reading that hold for an input: of a file that was chosen, also outside its folder."""
        found: dict[str, Any] = {}
        for number, (folder, keys) in enumerate(self.sections):
            if _is_below(path, folder) or (is_chosen and number == 0):
                found |= dict(keys)
        return found

    def calendars(self, path: str, *, is_chosen: bool = False) -> set[str | None]:
        """Return the calendars that hold for an input and for the folders in it."""
        path = path if is_chosen or _is_below(path, self.folder) else self.folder
        inner = [dict(keys) for folder, keys in self.sections[1:] if _is_below(folder, path)]
        found = self.reading(path, is_chosen=is_chosen).get("calendar")
        return {found, *(keys.get("calendar", found) for keys in inner)}

    def included(self) -> list[str]:
        """Return the files that ``include`` names."""
        patterns = dict(self.run).get("include", ())
        found = {str(each): None for pattern in patterns for each in sorted(Path(self.folder).glob(pattern))}
        return [os.path.relpath(each) for each in found]


def _is_below(path: str, folder: str) -> bool:
    place, folder = os.path.abspath(path), os.path.abspath(folder)  # noqa: PTH100
    return place == folder or place.startswith(folder.rstrip(os.sep) + os.sep)


def load(path: str) -> Project:
    """Return the project of a file. Raise UsageError if something in it is wrong."""
    from hashlib import sha256

    whole = toml_table(path, path, "project file")
    is_shared = os.path.basename(path) == SHARED  # noqa: PTH119
    table = whole.get("tool", {}).get("temporacle", {}) if is_shared else whole
    digest = sha256(json.dumps(table, sort_keys=True, default=str).encode()).hexdigest()[:8]
    folder = os.path.dirname(os.path.abspath(path))  # noqa: PTH100, PTH120
    folders = table.pop("folder", [])
    if not isinstance(folders, list) or not all(isinstance(each, dict) for each in folders):
        raise UsageError(f"{path}: write [[folder]], with two brackets, before the keys of each folder")
    _check(path, table, _READING | _RUN)
    sections = [(folder, _resolved(path, folder, table))]
    for each in folders:
        _check(path, each, _READING | {"path": (str,)})
        if "path" not in each:
            raise UsageError(f"{path}: a [[folder]] has no path")
        below = os.path.normpath(os.path.join(folder, each.pop("path")))  # noqa: PTH118
        sections.append((below, _resolved(path, folder, each)))
    run = {key: value for key, value in table.items() if key in _RUN}
    if "baseline" in run:
        run["baseline"] = os.path.relpath(os.path.join(folder, run["baseline"]))  # noqa: PTH118
    return Project(path, digest, tuple(run.items()), tuple(sections))


def _check(path: str, table: dict[str, Any], known: dict[str, tuple[type, ...]]) -> None:
    for key, value in table.items():
        if key not in known:
            near = nearest(key, known)
            hint = f"did you mean {near}?" if near else f"choose {', '.join(known)}"
            raise UsageError(f"{path}: unknown key {key!r:.80}; {hint}")
        is_list = isinstance(value, list) and all(isinstance(each, str) for each in value)
        if isinstance(value, bool) or not isinstance(value, known[key]) or (isinstance(value, list) and not is_list):
            kinds = " or ".join(dict.fromkeys(_KINDS[kind] for kind in known[key]))
            raise UsageError(f"{path}: {key} must be {kinds}")
    try:
        _require_values(table)
    except UsageError as error:
        with spelling(lambda name, value=None: f"{name.replace('_', '-')} = {value!r}"):
            said = str(error)
        raise UsageError(f"{path}: {said}") from None


def _require_values(table: dict[str, Any]) -> None:
    """Raise UsageError for a value that the option of the same name would refuse."""
    labels = table.get("labels")
    if isinstance(labels, str) and not labels.endswith(".toml") and labels not in BUILT_IN:
        raise UsageError(option="labels", value=labels, allowed=BUILT_IN)
    if "calendar" in table:
        from temporacle.calendar.policy import Policy  # nothing of dates is loaded unless it is asked for

        if table["calendar"] not in tuple(Policy):
            raise UsageError(option="calendar", value=table["calendar"], allowed=Policy)
    if "time-limit" in table:
        try:
            float_of_seconds(table["time-limit"])
        except UsageError:
            cure = "give seconds, minutes or hours, such as 90, 1m or 1h"
            raise UsageError(cure, option="time_limit", value=table["time-limit"]) from None
    if table.get("jobs", 1) < 1:
        raise UsageError("it must be 1 or more", option="jobs", value=table["jobs"])
    allowed_codes(table.get("allow"))
    if "format" in table:
        from temporacle.io.formats import format_named  # the list of formats reads project files

        format_named(table["format"])
    if isinstance(mapping := table.get("mapping"), str) and not mapping.endswith(".toml"):
        from temporacle.io.tools.mapping import load_mapping

        load_mapping(mapping)


def _resolved(path: str, folder: str, table: dict[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Return the keys about reading, with paths of files as seen from here."""
    found: dict[str, Any] = {}
    for key in _READING:
        value = table.get(key)
        if key in {"labels", "mapping"} and isinstance(value, str) and value.endswith(".toml"):
            value = os.path.join(folder, value)  # noqa: PTH118
        if key == "labels" and isinstance(value, dict):
            value = tuple(label_table(path, value).items())
        if key == "mapping" and isinstance(value, dict):
            from temporacle.io.tools.mapping import mapping_from

            value = mapping_from(value, path)
        if key == "columns" and isinstance(value, dict):
            value = tuple(value.items())
        if value is not None:
            found[key] = value
    return tuple(found.items())


@cache
def found_above(folder: str) -> Project | None:
    """Return the project that holds for a folder; None if there is none."""
    place = os.path.abspath(folder)  # noqa: PTH100
    home = os.path.expanduser("~")  # noqa: PTH111
    while True:
        for name in (NAME, SHARED):
            path = os.path.join(place, name)  # noqa: PTH118
            if os.path.isfile(path) and (name == NAME or _is_shared(path)):  # noqa: PTH113
                return load(path)
        above = os.path.dirname(place)  # noqa: PTH120
        if place in {home, above} or os.path.exists(os.path.join(place, ".git")):  # noqa: PTH110, PTH118
            return None
        place = above


def _is_shared(path: str) -> bool:
    """Return whether a ``pyproject.toml`` has a section of this program. One that cannot be read is not ours."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return b"[tool.temporacle" in file.read() and bool(
                toml_table(path, path, "project file")["tool"]["temporacle"]
            )
    except (OSError, KeyError):
        return False


@dataclass(frozen=True)
class Projects:
    """The projects of a run: one file for all inputs, or the one above each input."""

    chosen: Project | None = None

    def above(self, path: str) -> Project | None:
        """Return the project that holds for an input."""
        if self.chosen is not None:
            return self.chosen
        return found_above(path if os.path.isdir(path) else os.path.dirname(path))  # noqa: PTH112, PTH120

    def options_for(self, path: str, options: Options) -> Options:
        """Return the options for an input: what the caller chose, and otherwise what the project says."""
        project = None if path == "-" and self.chosen is None else self.above(path)
        plain = replace(options, projects=None, config=None)
        keys = {} if project is None else project.reading(path, is_chosen=self.chosen is not None)
        more = keys.pop("labels", None) if isinstance(keys.get("labels"), tuple) else None
        given: dict[str, Any] = {}
        if "labels" in keys and options.reading is None:
            given["reading"] = keys["labels"]
        if more is not None and options.reading is None:
            given["more_labels"] = more
        given |= {key: keys[key] for key in ("format", "mapping") if key in keys and getattr(options, key) is None}
        if "columns" in keys and not options.columns:
            given["columns"] = dict(keys["columns"]) if isinstance(keys["columns"], tuple) else keys["columns"]
        if project is None or not (keys or more):
            return plain
        return replace(plain, **given, configured=project.digest)


ACTIVE: ContextVar[Projects | None] = ContextVar("projects", default=None)
"""The projects of the command that runs. Python calls have none unless they name one (``config``)."""


def run_keys(
    paths: Iterable[str], chosen: Project | None, *, with_calendar: bool = True
) -> tuple[list[Project], dict[str, Any]]:
    """Return the projects that a command uses, and what they say about its run.

    Without a path these are the included files. A run has one calendar: UsageError if inputs have different ones.
    """
    nearest_one = chosen or found_above(os.curdir)
    keys = {} if nearest_one is None else dict(nearest_one.run)
    used = [] if nearest_one is None else [nearest_one]
    inputs = [path for path in paths if os.path.exists(path)]  # noqa: PTH110
    calendars: set[str | None] = set()
    for path in inputs or ([] if nearest_one is None else nearest_one.included()):
        for project in [chosen] if chosen is not None else _above_and_below(path):
            used += [] if project is None or project in used else [project]
            calendars |= {None} if project is None else project.calendars(path, is_chosen=chosen is not None)
    if with_calendar and len(calendars - {None} if len(inputs) > 1 else calendars) > 1:
        said = ", ".join(sorted(each or "none" for each in calendars))
        raise UsageError(f"project files give these inputs different calendars ({said}); choose one", option="calendar")
    keys["calendar"] = next(iter(calendars - {None}), None)
    return used, {key: value for key, value in keys.items() if value is not None}


def have_calendar(metrics: Collection[str]) -> bool:
    """Return whether a score by these metrics can use values of time expressions. Without a name it is awareness."""
    return not metrics or "awareness" in metrics


def _above_and_below(path: str) -> Iterable[Project | None]:
    """Return the projects that hold for an input: the one above it, and those of its folders."""
    return map(found_above, [folder for folder, _, _ in os.walk(path)] or [os.path.dirname(path)])  # noqa: PTH120


def _with_config(task: str, given: Iterable[object], named: dict[str, Any], known: Container[str]) -> dict[str, Any]:
    """Return the keywords of a call from Python with what the project file that they name says about the run."""
    parts = [each if isinstance(each, list | tuple) else (each,) for each in (*given, *named.values())]
    paths = [os.fspath(path) for part in parts for path in part if isinstance(path, str | os.PathLike)]
    metrics = named.get("metric") or ()
    wants_calendar = "calendar" not in named and have_calendar((metrics,) if isinstance(metrics, str) else metrics)
    _, keys = run_keys(paths, load(named["config"]), with_calendar=wants_calendar)
    names = ("time-limit", "jobs", "allow", *(("calendar",) if wants_calendar else ()))
    names += ("baseline",) if task == "check" else ()
    found = {key.replace("-", "_"): keys[key] for key in names if key in keys}
    return {name: value for name, value in found.items() if name in known} | named


WITH_CONFIG.append(_with_config)
