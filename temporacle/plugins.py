"""What other packages can add: formats, metrics, label sets, programs and engines.

A package declares an entry point in one of the groups, and names an object or a module that has the members of the
group's protocol:

    [project.entry-points."temporacle.formats"]
    arrows = "my_package:Arrows"

Plugins are looked for when a name is asked for that is not one of ours, when no format of ours fits a file, and when
all names are listed; never at start-up. A plugin that cannot be used is a warning. ``verify`` uses none.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from temporacle.errors import FAILURES, UsageError, warn_caller

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from fractions import Fraction
    from importlib.metadata import EntryPoint

    from temporacle.model import Document

PROTOCOL = 1  # the version of the protocols below; it changes when a plugin must be changed


class Group(StrEnum):
    """The kinds of things that can be added. Entry points are in the group ``temporacle.`` and this name."""

    FORMATS = "formats"
    METRICS = "metrics"
    LABEL_SETS = "label_sets"
    PROGRAMS = "programs"
    ENGINES = "engines"


@runtime_checkable
class FormatPlugin(Protocol):
    """A format of files. It may also have ``write(document) -> str``, the document as text in this format."""

    protocol: int  # the version of the protocol that it was written for: 1
    about: str  # one line for people
    suffixes: Sequence[str]  # of its files, such as (".arrows",)
    label_set: str | None  # what its labels mean, by name; None: as in files of links

    def recognises(self, start: bytes, path: str) -> bool:
        """Return whether a file that begins in this way, and fits none of Temporacle's formats, is in this one."""

    def read(self, content: bytes, name: str) -> Iterable[Mapping[str, Any]]:
        """Return the documents of a file, each as an object of JSON Lines: ``{"document": name, "links": [...]}``."""


@runtime_checkable
class MetricPlugin(Protocol):
    """A metric that counts what is right."""

    protocol: int
    about: str

    def count(self, gold: Document, system: Document) -> tuple[int | Fraction, int, int | Fraction, int]:
        """Return what is right of the system's, how much the system says, what is found of gold's, and its size."""


@runtime_checkable
class LabelSetPlugin(Protocol):
    """The meanings of labels."""

    protocol: int
    about: str
    labels: Mapping[str, str]  # atoms joined by "|", or "*" for all of them
    extends: str | None  # the name of a built-in set


@runtime_checkable
class ProgramPlugin(Protocol):
    """A program of a shared task, for ``temporacle official``."""

    protocol: int
    about: str

    def run(self, gold: str, system: str) -> Mapping[str, Any]:
        """Return what it prints for two paths as ``text``, and its ``precision``, ``recall`` and ``f1``, or None."""


@runtime_checkable
class EnginePlugin(Protocol):
    """A closure, for ``crosscheck`` and ``audit``, which compare it with the exact one."""

    protocol: int
    about: str
    complete: bool  # it promises to find everything that follows

    def close(self, links: list[tuple[str, str, str]]) -> list[tuple[str, str, str]] | None:
        """Return what follows from links whose relations are atoms joined by ``|``; None if they contradict."""


_PROTOCOLS: dict[Group, type] = {
    Group.FORMATS: FormatPlugin,
    Group.METRICS: MetricPlugin,
    Group.LABEL_SETS: LabelSetPlugin,
    Group.PROGRAMS: ProgramPlugin,
    Group.ENGINES: EnginePlugin,
}
_unusable: set[tuple[Group, str]] = set()  # plugins that were tried in vain
_are_used: ContextVar[bool] = ContextVar("plugins_are_used", default=True)


class PluginWarning(UserWarning):
    """A plugin cannot be used."""


class Plugin(NamedTuple):
    """What a package adds under a name."""

    name: str
    package: str
    version: str
    implementation: Any

    @property
    def signed(self) -> str:
        """Return the package and its version, as in signatures."""
        return f"{self.package}@{self.version}"

    def failed(self, error: BaseException) -> str:
        """Return what to say if the plugin raises an error."""
        return f"the plugin {self.name} of {self.package} {self.version} failed: {type(error).__name__}: {error}"


@contextmanager
def without_plugins() -> Iterator[None]:
    """Let nothing find a plugin meanwhile."""
    before = _are_used.set(False)
    try:
        yield
    finally:
        _are_used.reset(before)


def plugin_named(group: Group, name: str) -> Plugin | None:
    """Return the plugin of that name; None if there is none, or if it cannot be used."""
    if not _are_used.get() or name not in _declared(group):
        return None
    return _loaded(group, name)


def plugins(group: Group, ours: Collection[str]) -> tuple[Plugin, ...]:
    """Return all plugins of a group that can be used. A name that is one of ``ours`` is not taken."""
    found = []
    for name in _declared(group) if _are_used.get() else ():
        if name in ours:
            _refuse(group, name)
        elif (plugin := _loaded(group, name)) is not None:
            found.append(plugin)
    return tuple(found)


def names_of(group: Group, ours: Iterable[str]) -> tuple[str, ...]:
    """Return our names and those of plugins, for messages. No plugin is loaded."""
    known = dict.fromkeys(ours)
    added = _declared(group) if _are_used.get() else ()
    return (*known, *(name for name in added if name not in known and (group, name) not in _unusable))


@cache
def _refuse(group: Group, name: str) -> None:
    """Warn, once, that a plugin has one of our names."""
    warn_caller(PluginWarning(f"{_whose(_declared(group)[name])} cannot be used: Temporacle has {name} itself"))


@cache
def _declared(group: Group) -> dict[str, EntryPoint]:
    """Return what packages declare, by name. Nothing of theirs is imported."""
    from importlib.metadata import entry_points

    found: dict[str, EntryPoint] = {}
    for each in entry_points(group=f"temporacle.{group}"):
        if found.setdefault(each.name, each) != each and found[each.name].dist != each.dist:
            warn_caller(PluginWarning(f"{_whose(each)} cannot be used: {_whose(found[each.name])} has the same name"))
    return found


def _whose(point: EntryPoint) -> str:
    package, version = _package(point)
    return f"the plugin {point.name} of {package} {version}"


def _package(point: EntryPoint) -> tuple[str, str]:
    return (point.value.partition(":")[0], "unknown") if point.dist is None else (point.dist.name, point.dist.version)


@cache
def _loaded(group: Group, name: str) -> Plugin | None:
    """Return a plugin, or warn that it cannot be used. Either is done once."""
    point = _declared(group)[name]
    try:
        found = point.load()
        _require_protocol(group, found)
    except FAILURES as error:
        reason = str(error) if isinstance(error, UsageError) else f"{type(error).__name__}: {error}"
        warn_caller(PluginWarning(f"{_whose(point)} cannot be used: {reason}"))
        _unusable.add((group, name))
        return None
    return Plugin(name, *_package(point), found)


def _require_protocol(group: Group, found: Any) -> None:
    version = getattr(found, "protocol", None)
    if version != PROTOCOL:
        raise UsageError(f"it is written for version {version!r} of the protocol, and this is version {PROTOCOL}")
    protocol = _PROTOCOLS[group]
    if not isinstance(found, protocol):
        needed = sorted(protocol.__protocol_attrs__) if hasattr(protocol, "__protocol_attrs__") else _members(protocol)
        missing = [name for name in needed if not hasattr(found, name)]
        raise UsageError(f"it has no {', no '.join(missing)}")


def _members(protocol: type) -> list[str]:
    """Return the members of a protocol, for Python 3.11."""
    own = {name for name in vars(protocol) if not name.startswith("_")}
    return sorted(own | set(protocol.__annotations__))
