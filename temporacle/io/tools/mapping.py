"""A *mapping* says what the names of an annotation project mean: a TOML file.

name = "my-project"
labels = "thyme"                  # what its labels mean: a built-in label set, or a TOML file beside this one
comment = "note"                  # CAS, MAE: the string feature that may take notes
ignore = ["Coref"]                # relation types that are not temporal; their number is shown
fragments = "-"                   # Label Studio: "id-1", "id-2" are further parts of the region "id"

[[entity]]                        # the first that fits; without any, names decide
type = "my.project.Event"         # the whole name of a type, or its last part
kind = "event"                    # or "time"
when = { status = "real" }        # only with these attributes
only_linked = true                # only if a link touches it
value = "iso"                     # the attribute with the value of a time
dct = { role = "creation" }       # with these attributes it is the creation time

[[link]]                          # with any of these, nothing else is a link
type = "my.project.Order"
feature = "TLINK"                 # CAS: a link feature of the type, whose owner is the source
event = true                      # brat: events (E lines) of the type
source = "from"                   # the argument or feature that names the source
target = "to"
label = "order"                   # the attribute with the label; default: the type is the label
means = "BEFORE"                  # or a fixed label

[[doctimerel]]                    # with --doctimerel: an attribute that relates an event to the creation time
type = "EVENT"
feature = "docTimeRel"
[doctimerel.labels]               # label = atoms; default: the label set
BEFORE = "b|m"
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from temporacle.errors import UsageError
from temporacle.model import Kind
from temporacle.printing import shown
from temporacle.readings import Reading, load_reading, reading_of_labels, require_keys, toml_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from collections.abc import Mapping as Table

    from temporacle.io.source import Source

BUILT_IN = ("e3c", "timeset")
_TOP = dict.fromkeys(("name", "description", "labels", "reading", "comment", "fragments"), str) | {"ignore": list}
_LISTS = ("entity", "link", "doctimerel")
_ENTITY = {"type": str, "kind": str, "when": dict, "only_linked": bool, "value": str, "dct": dict}
_LINK = {"type": str, "feature": str, "event": bool, "source": str, "target": str, "label": str, "means": str}
_DOCTIMEREL = {"type": str, "feature": str, "labels": dict}


def fits(rule_type: str, name: str) -> bool:
    """Return whether a rule is about a type: the names are equal as a whole or in their last part."""
    return rule_type == name or rule_type == last_part(name)


@dataclass(frozen=True, slots=True)
class EntityRule:
    """A rule that says which annotations are entities, and of what kind."""

    type: str
    kind: Kind
    when: tuple[tuple[str, str], ...] = ()
    only_linked: bool = False
    value: str | None = None
    dct: tuple[tuple[str, str], ...] | None = None

    def fits(self, name: str, attributes: Table[str, str]) -> bool:
        """Return whether an annotation is of this kind."""
        return fits(self.type, name) and all(attributes.get(key) == value for key, value in self.when)

    def is_dct(self, attributes: Table[str, str]) -> bool:
        """Return whether the annotation is also the creation time."""
        return self.dct is not None and all(attributes.get(key) == value for key, value in self.dct)


@dataclass(frozen=True, slots=True)
class LinkRule:
    """A rule that says which relations are links, and where their parts are found."""

    type: str
    feature: str | None = None
    event: bool = False
    source: str | None = None
    target: str | None = None
    label: str | None = None
    means: str | None = None


@dataclass(frozen=True, slots=True)
class DocTimeRelRule:
    """A rule that says which attribute relates an event to the creation time."""

    type: str
    feature: str
    labels: Reading | None = None


@dataclass(frozen=True)
class ToolMapping:
    """The meaning of the names in a project. Two mappings are equal if they say the same."""

    name: str
    reading: Reading | None = None
    comment: str | None = None
    fragments: str | None = None
    entities: tuple[EntityRule, ...] = ()
    links: tuple[LinkRule, ...] = ()
    doctimerels: tuple[DocTimeRelRule, ...] = ()
    ignore: tuple[str, ...] = ()  # relation types that are not temporal

    @cached_property
    def signed(self) -> str:
        """Return the name as it is written in signatures, with a digest of the content."""
        from hashlib import sha256

        return f"{self.name}@{sha256(repr(self).encode()).hexdigest()[:8]}"

    @property
    def types(self) -> list[str]:
        """Return the types and features that the rules are about."""
        rules: Iterable[Any] = (*self.entities, *self.links, *self.doctimerels)
        return list(dict.fromkeys(last_part(name) for rule in rules for name in (rule.type, _feature(rule)) if name))


def mapping_of(source: Source) -> ToolMapping | None:
    """Return the mapping that the caller chose for a file."""
    mapping = source.options.mapping
    return mapping if isinstance(mapping, ToolMapping) else None


def _feature(rule: Any) -> str | None:
    return rule.feature if isinstance(rule, LinkRule) else None


def load_mapping(name: str, during: str = "simultaneous") -> ToolMapping:
    """Return a built-in mapping by its name, or a user's by the path of its TOML file.

    Raise UsageError if it is invalid.
    """
    if name in BUILT_IN:
        return _built_in(name, during)
    if not name.endswith(".toml"):
        raise UsageError(option="mapping", value=name, allowed=(*BUILT_IN, "a .toml file"))
    return _load(name, name, during)


@cache
def _built_in(name: str, during: str) -> ToolMapping:
    here = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))  # noqa: PTH120 - pathlib costs start-up time
    return _load(os.path.join(here, "data", "mappings", f"{name}.toml"), name, during)  # noqa: PTH118


def _load(path: str, name: str, during: str) -> ToolMapping:
    return mapping_from(toml_table(path, name, "mapping"), name, path, during)


def mapping_from(
    table: dict[str, Any], name: str, path: str | None = None, during: str = "simultaneous"
) -> ToolMapping:
    """Return the mapping of a table. ``path``: of the file that has it, for files that it names."""
    require_keys(name, {key: value for key, value in table.items() if key not in _LISTS}, _TOP, "a mapping", _LISTS)
    if "labels" in table and "reading" in table:
        raise UsageError(f"{name}: labels and reading (its old name) cannot be combined")
    reading = table.get("labels", table.get("reading"))
    if reading is not None and reading.endswith(".toml"):
        reading = os.path.normpath(os.path.join(os.path.dirname(path or name), reading))  # noqa: PTH118, PTH120
    return ToolMapping(
        table.get("name", name),
        None if reading is None else load_reading(reading, during),
        table.get("comment"),
        table.get("fragments"),
        tuple(_entity_rule(name, rule) for rule in _rules(name, table, "entity", _ENTITY)),
        tuple(_link_rule(name, rule) for rule in _rules(name, table, "link", _LINK)),
        tuple(_doctimerel_rule(name, rule) for rule in _rules(name, table, "doctimerel", _DOCTIMEREL)),
        _ignored(name, table.get("ignore", [])),
    )


def _ignored(name: str, types: list[Any]) -> tuple[str, ...]:
    if not all(isinstance(each, str) for each in types):
        raise UsageError(f'{name}: ignore lists names of relation types, such as ["Coref"]')
    return tuple(types)


def _rules(name: str, table: dict[str, Any], kind: str, keys: Table[str, type]) -> Iterable[dict[str, Any]]:
    rules = table.get(kind, [])
    if not isinstance(rules, list) or not all(isinstance(rule, dict) for rule in rules):
        raise UsageError(f"{name}: write [[{kind}]], with two brackets, before each rule")
    for rule in rules:
        require_keys(name, rule, keys, f"[[{kind}]]")
        if not rule.get("type"):
            raise UsageError(f"{name}: a [[{kind}]] has no type")
        yield rule


def _entity_rule(name: str, rule: dict[str, Any]) -> EntityRule:
    kinds = {kind.value: kind for kind in (Kind.EVENT, Kind.TIME)}
    if rule.get("kind") not in kinds:
        raise UsageError(f"{name}: kind of [[entity]] {shown(rule['type'])} must be {' or '.join(kinds)}")
    return EntityRule(
        rule["type"],
        kinds[rule["kind"]],
        _conditions(name, rule.get("when", {})),
        rule.get("only_linked", False),
        rule.get("value"),
        _conditions(name, rule["dct"]) if "dct" in rule else None,
    )


def _conditions(name: str, table: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    if not all(isinstance(value, str) for value in table.values()):
        raise UsageError(f"{name}: when and dct compare attributes with strings")
    return tuple(table.items())


def _link_rule(name: str, rule: dict[str, Any]) -> LinkRule:
    if "label" in rule and "means" in rule:
        raise UsageError(f"{name}: [[link]] {shown(rule['type'])} has both label and means: choose one")
    return LinkRule(**rule)


def _doctimerel_rule(name: str, rule: dict[str, Any]) -> DocTimeRelRule:
    if not rule.get("feature"):
        raise UsageError(f"{name}: [[doctimerel]] {shown(rule['type'])} has no feature")
    labels = rule.get("labels")
    reading = None if labels is None else reading_of_labels("doctimerel", name, labels)
    return DocTimeRelRule(rule["type"], rule["feature"], reading)


# ----------------------------------------------------------------------------------------------------
# Names that tell what an annotation is, where no mapping does.
#
# Names are compared by their last part (behind the last ``.`` or ``:``), letters only, without case.

_CREATION_TIMES = {"doctime", "dct", "documentcreationtime", "creationtime"}
_TIMES = {
    *("time", "date", "duration", "set", "datetime", "timeexpression", "temporalexpression", "tempex"),
    *("sectime", "sectiontime"),
    *_CREATION_TIMES,
}
NOT_TEMPORAL = ("ALINK", "SLINK")  # links of TimeML that order nothing
_LINKS = {
    *("tlink", "timexlink", "timelink", "temporallink", "templink", "temporalrelation", "temprel", "temporalrel"),
    *("temporal", "tlinkrelation"),
}
_LABELS = (*("reltype", "relationtype", "tlinktype", "temporalrelation", "type", "label", "relation", "value", "role"),)
_FUNCTIONS = {"CREATION_TIME", "DOCTIME"}
_REMEMBERED = 4096  # names: files have a few dozen, and hostile ones must not fill the memory
_PARTS = re.compile("[.:]")
_NOT_LETTERS = re.compile(r"[\W\d_]+")
DOCTIMEREL = "doctimerel"
FUNCTION = "functionindocument"


@lru_cache(maxsize=_REMEMBERED)
def last_part(name: str) -> str:
    """Return the last part of a type's name.

    >>> last_part("webanno.custom.TIMEX3"), last_part("custom:EVENT")
    ('TIMEX3', 'EVENT')
    """
    return _PARTS.split(name)[-1]


@lru_cache(maxsize=_REMEMBERED)
def plain(name: str) -> str:
    """Return a name in the form in which names are compared.

    >>> plain("webanno.custom.TIMEX3"), plain("doc_time-Rel")
    ('timex', 'doctimerel')
    """
    return _NOT_LETTERS.sub("", last_part(name)).lower()


@lru_cache(maxsize=_REMEMBERED)
def kind_named(name: str) -> Kind | None:
    """Return the kind of a span of this type; None if the type's name does not say."""
    known = plain(name)
    if known.startswith("timex") or known in _TIMES:
        return Kind.TIME
    if known.startswith("event") or known.endswith("event"):
        return Kind.EVENT
    return None


@lru_cache(maxsize=_REMEMBERED)
def is_link_type(name: str) -> bool:
    """Return whether a relation of this type is temporal, whatever its label."""
    return plain(name) in _LINKS


def is_creation_time(name: str, attributes: Mapping[str, str]) -> bool:
    """Return whether a time is marked as the document's creation time."""
    return plain(name) in _CREATION_TIMES or attribute(attributes, FUNCTION) in _FUNCTIONS


def label_among(attributes: Mapping[str, str]) -> str | None:
    """Return the label of a link whose type says only that it is temporal: the first of the usual attributes."""
    return attribute(attributes, *_LABELS)


def label_attribute(attributes: Mapping[str, str]) -> str | None:
    """Return the attribute that holds that label."""
    return attribute_named(attributes, *_LABELS)


def attribute(attributes: Mapping[str, str], *names: str) -> str | None:
    """Return the value of the first of some attributes. Their names are given in the form for comparison."""
    name = attribute_named(attributes, *names)
    return None if name is None else attributes[name]


def attribute_named(attributes: Mapping[str, str], *names: str) -> str | None:
    """Return the first of some attributes as it is written."""
    if not attributes:
        return None
    found: dict[str, str] = {}
    for name in attributes:
        found.setdefault(plain(name), name)
    return next((found[name] for name in names if name in found), None)
