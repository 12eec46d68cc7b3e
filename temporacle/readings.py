"""A *reading* maps the labels of a corpus to relations. Readings are data: TOML files.

The built-in ones stand in ``temporacle/data/readings/``; a user's own file has the same form and may extend them:

    name = "my-project"
    extends = "timeml"               # labels that are not given here are looked up there; or a file beside this one
    atoms = true                     # also understand atoms (b, mi, =) and Allen's names
    unanswered = ["TODO"]            # these constrain nothing because they wait for an answer
    foreign = ["PRECEDES"]           # these are understood, but --relabel does not propose them

    [labels]
    EARLIER = "b|m"
    PRECEDES = "b|m"
    TODO = "*"                       # every atom: constrains nothing

    [during.is_included]             # what --during is_included changes
    DURING = "d"
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from temporacle.errors import LabelError, UsageError, nearest
from temporacle.printing import shown
from temporacle.relation import ALLEN_NAMES, ATOMS, EVERYTHING, Relation, atom_named, union

if TYPE_CHECKING:
    from collections.abc import Iterable

BUILT_IN = (
    *("timeml", "timeml-loose", "tempeval", "tempeval-loose", "dense", "dense-loose", "matres", "thyme", "thyme-loose"),
    *("narrativetime", "umr", "umr-loose", "tools", "allen", "timeline", "links"),
)
BY_NAME = "pairs"  # the name of a label set that only has names of labels: pairwise scores go by them
_SOME = 4  # labels in a message
OFFERED = BUILT_IN[:-2]  # what --labels may name beside a file; the others belong to formats
DURING = ("simultaneous", "is_included")
# A TOML file beyond these is refused: the parser takes time and memory in the square of a dotted key's length.
_LARGEST_FILE = 1 << 18  # characters
_LONGEST_LINE = 2000
_LONGEST_CHAIN = 20  # of readings that extend each other
_LONGEST_LABEL = 40  # characters of a label that are compared with the known ones
_NEAR = 3  # characters that a label may be longer or shorter than the one that was meant
_SEPARATORS = str.maketrans("-/ ", "___")


def canonical(label: str) -> str:
    """Return the form in which labels are compared: no blanks around, upper case, one separator unless all is signs.

    >>> canonical(" before-or-overlap "), canonical("BEFORE/OVERLAP"), canonical("->")
    ('BEFORE_OR_OVERLAP', 'BEFORE_OVERLAP', '->')
    """
    name = label.strip().upper()
    return name.translate(_SEPARATORS) if any(map(str.isalnum, name)) else name


@dataclass(frozen=True, eq=False, repr=False)
class LabelSet:
    """The meaning of labels. Two label sets are equal if they have the same name and give labels the same meanings.

    >>> load_reading("timeml").relation("IS_INCLUDED")
    Relation('d')
    >>> load_reading("links").relation("BEFORE|m")
    Relation('b|m')
    """

    name: str  # as in signatures
    labels: Mapping[str, Relation]  # canonical label -> relation
    atoms: bool = False  # whether names of Allen's atoms are understood as well
    unanswered: frozenset[str] = frozenset()  # labels that say that nothing was decided
    foreign: frozenset[str] = frozenset()  # labels of other schemes: understood, never proposed
    during: str = "simultaneous"  # how DURING was read when the labels were loaded
    origin: str = ""  # the name or file that it was loaded by
    _known: dict[str, Relation] = field(default_factory=dict, init=False)

    @cached_property
    def digest(self) -> str:
        """Return eight characters that identify the meaning of every label, to distinguish two files of one name."""
        from hashlib import sha256

        content = (sorted((label, int(meaning)) for label, meaning in self.labels.items()), self.atoms)
        return sha256(repr((content, sorted(self.unanswered))).encode()).hexdigest()[:8]

    @property
    def signed(self) -> str:
        """Return the name as in signatures: with the digest, unless the label set is built in.

        >>> load_reading("matres").signed, LabelSet("mine", {}).signed
        ('matres', 'mine@81a5210b')
        """
        return self.name if self.name in BUILT_IN else f"{self.name}@{self.digest}"

    def __repr__(self) -> str:
        return f"LabelSet({self.signed!r}, during={self.during!r})"

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, LabelSet) and (self.name, self.digest) == (other.name, other.digest))

    def __hash__(self) -> int:
        return hash(self.name)  # a digest takes time, and few readings have the same name

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle built-in readings by name."""
        if self.name in BUILT_IN:
            return built_in_reading, (self.name, self.during, self.atoms)
        return LabelSet, (
            self.name,
            dict(self.labels),
            self.atoms,
            self.unanswered,
            self.foreign,
            self.during,
            self.origin,
        )

    def relation(self, label: str) -> Relation:
        """Return the relation of a label, or of several joined by ``|``.

        Args:
            label: The label, in any letter case.

        Returns:
            The relation.

        Raises:
            LabelError: The label is unknown.
        """
        found = self._known.get(label)
        if found is None:
            found = self._known[label] = self._parse(label)
        return found

    def knows(self, label: str) -> bool:
        """Return whether the label set knows every part of a label.

        Args:
            label: The label, or several joined by ``|``.

        Returns:
            Whether each part has a meaning.
        """
        return all(
            canonical(part) in self.labels or (self.atoms and atom_named(part) is not None) for part in label.split("|")
        )

    def _parse(self, label: str) -> Relation:
        if not label.strip():
            raise LabelError("the relation is empty", cure=f"write one of {self.vocabulary()}")
        return union(self._parse_one(part, label) for part in label.split("|"))

    def _parse_one(self, part: str, whole: str) -> Relation:
        relation = self.labels.get(canonical(part))
        if relation is None and self.atoms:
            relation = atom_named(part)
        if relation is None:
            near = self._nearest(part)
            hint = "" if near is None else f"did you mean {near}? "
            known = f"label set '{self.name}' has {self.vocabulary()}"
            if self.name in BUILT_IN:
                some = "" if hint else f"labels: {', '.join([*self.labels][:_SOME])}, ...; "
                known = f"{some}all labels: temporacle explain --labels {self.name}"
            cure = f"{hint}{known}"
            raise LabelError(f"unknown label {shown(whole)}", cure=cure)
        return relation

    def _nearest(self, label: str) -> str | None:
        """Return the label that may be meant, or None.

        Only a few are compared: a file may have 100,000 unknown labels.
        """
        wanted = canonical(label[:_LONGEST_LABEL])
        known = (*self.labels, *(ALLEN_NAMES if self.atoms else ()))
        alike = [name for name in known if name[:1] == wanted[:1] and abs(len(name) - len(wanted)) <= _NEAR]
        return nearest(wanted, alike, cutoff=0.7)

    def label_for(self, relation: Relation) -> str:
        """Return the first label that means exactly this relation; otherwise its atoms joined by ``|``.

        Args:
            relation: The relation.

        Returns:
            The label.

        >>> load_reading("timeml").label_for(Relation.of("di"))
        'INCLUDES'
        """
        return self._names.get(relation) or str(relation)

    @cached_property
    def _names(self) -> dict[Relation, str]:
        return {meaning: label for label, meaning in reversed([*self.labels.items()])}

    def vocabulary(self) -> str:
        """Return the known labels in one line, for messages."""
        return ", ".join((*self.labels, *(ATOMS if self.atoms else ())))

    def with_atoms(self) -> LabelSet:
        """Return the label set with the names of atoms, for a format in which they are always understood."""
        return self if self.atoms else replace(self, atoms=True)


Reading = LabelSet  # the earlier name


def load_reading(name: str, during: str = "simultaneous") -> LabelSet:
    """Return a built-in label set by its name, or your own by the path of its TOML file.

    Args:
        name: Such as timeml, tempeval, dense, matres, thyme, allen or links, or a path that ends with .toml.
        during: What TimeML's DURING means: simultaneous or is_included.

    Returns:
        The label set: what each label means.

    Raises:
        UsageError: There is no label set of this name.
        InputError: The file cannot be read.

    Examples:
        >>> load_reading("timeml", during="is_included").relation("DURING")
        Relation('d')
    """
    if during not in DURING:
        raise UsageError(option="during", value=during, allowed=DURING)
    return _built_in(name, during) if name in BUILT_IN else _load(name, during, ())


@cache
def _built_in(name: str, during: str) -> LabelSet:
    return _load(name, during, ())


@cache
def built_in_reading(name: str, during: str, atoms: bool) -> LabelSet:  # noqa: FBT001 - pickle calls it
    """Return a built-in reading after it was sent between processes. No file of the user is opened."""
    if name not in BUILT_IN:
        raise UsageError(f"{name!r} is not a built-in label set")
    reading = load_reading(name, during)
    return reading.with_atoms() if atoms else reading


def _load(name: str, during: str, above: tuple[str, ...]) -> LabelSet:
    if name in above:
        raise UsageError(f"label set {name!r} extends itself: {' -> '.join((*above, name))}")
    if len(above) > _LONGEST_CHAIN:
        raise UsageError(f"label set {above[0]!r} extends more than {_LONGEST_CHAIN} others in a chain")
    table = _table(name)
    _check_keys(name, table)
    base = _load(_beside(name, table["extends"]), during, (*above, name)) if "extends" in table else None
    labels: dict[str, Relation] = {}
    for label, meaning in {**table.get("labels", {}), **table.get("during", {}).get(during, {})}.items():
        labels[canonical(label)] = _meaning(name, label, meaning)
    unanswered = frozenset(canonical(label) for label in table.get("unanswered", ()))
    foreign = frozenset(canonical(label) for label in table.get("foreign", ()))
    own = labels.keys()
    if base is not None:
        labels = {**labels, **{label: meaning for label, meaning in base.labels.items() if label not in labels}}
        unanswered |= base.unanswered
        foreign |= base.foreign - own
    for key, listed in (("unanswered", unanswered), ("foreign", foreign)):
        if unknown := sorted(listed - labels.keys()):
            known = ", ".join(sorted(labels))
            raise UsageError(
                f"{name}: {key} lists {', '.join(unknown)}, which is not a label of the set (labels: {known})"
            )
    atoms = table.get("atoms", base.atoms if base is not None else False)
    return LabelSet(table.get("name", name), labels, atoms, unanswered, foreign, during, name)


def _beside(name: str, other: str) -> str:
    """Return the path of a file that another one names: next to it."""
    return os.path.normpath(os.path.join(os.path.dirname(name), other)) if other.endswith(".toml") else other  # noqa: PTH118, PTH120


def _table(name: str) -> dict[str, Any]:
    if name in BUILT_IN:  # importlib.resources and pathlib would cost start-up time
        path = os.path.join(os.path.dirname(__file__), "data", "readings", f"{name}.toml")  # noqa: PTH118, PTH120
    elif name.endswith(".toml"):
        path = name
    else:
        return _plugin_table(name)
    return toml_table(path, name, "reading")


def _plugin_table(name: str) -> dict[str, Any]:
    """Return the table of a label set that another package adds. Its name has the package and the version."""
    from temporacle.plugins import Group, names_of, plugin_named

    if (plugin := plugin_named(Group.LABEL_SETS, name)) is None:
        allowed = (*names_of(Group.LABEL_SETS, OFFERED), "a .toml file")
        raise UsageError(option="labels", value=name, allowed=allowed)
    own = plugin.implementation
    if not (isinstance(own.labels, Mapping) and all(isinstance(label, str) for label in own.labels)):
        raise UsageError(f"the plugin {name} of {plugin.signed} has labels, but not as a mapping of texts to atoms")
    extends = {} if own.extends is None else {"extends": own.extends}
    return {"name": f"{name}@{plugin.signed}", "labels": dict(own.labels), **extends}


def toml_table(path: str, name: str, what: str) -> dict[str, Any]:
    """Return the content of a TOML file of limited size.

    Raise UsageError if it cannot be read; ``what`` is for messages.
    """
    import tomllib

    try:
        with open(path, encoding="utf-8-sig") as file:  # noqa: PTH123
            text = file.read(_LARGEST_FILE + 1)
        if len(text) > _LARGEST_FILE:
            raise UsageError(f"{name} is too large for a {what}: more than {_LARGEST_FILE} characters")
        if any(len(line) > _LONGEST_LINE for line in text.split("\n")):
            raise UsageError(f"{name} has a line of more than {_LONGEST_LINE} characters: break it into several")
        return tomllib.loads(text)
    except OSError as error:
        raise UsageError(f"cannot open the {what} {name}: {error.strerror or error}") from error
    except RecursionError:
        raise UsageError(f"{name} is not a valid TOML {what}: nested too deeply") from None
    except ValueError as error:  # bad TOML, bytes that are not UTF-8, a number of thousands of digits
        raise UsageError(f"{name} is not a valid TOML {what}: {error!s:.200}") from error


def reading_of_labels(name: str, file: str, labels: Mapping[str, object]) -> LabelSet:
    """Return a reading of a few labels that another file contains."""
    return LabelSet(name, label_table(file, labels))


_KEYS = {
    **dict.fromkeys(("name", "description", "extends"), str),
    "atoms": bool,
    "unanswered": list,
    "foreign": list,
    "labels": dict,
    "during": dict,
}


def require_keys(
    name: str, table: Mapping[str, object], keys: Mapping[str, type], where: str, more: tuple[str, ...] = ()
) -> None:
    """Raise UsageError for a key that a table in a TOML file cannot have, or for a value of another type."""
    for key, value in table.items():
        if key not in keys:
            raise UsageError(f"{name}: unknown key {shown(key)}: {where} has {', '.join((*keys, *more))}")
        if not isinstance(value, keys[key]):
            raise UsageError(f"{name}: {key} must be a {keys[key].__name__} in {where}")


def _check_keys(name: str, table: dict[str, Any]) -> None:
    require_keys(name, table, _KEYS, "a label set")
    for choice, changes in table.get("during", {}).items():
        if choice not in DURING or not isinstance(changes, dict):
            raise UsageError(f"{name}: [during.{choice}] must be a table named {' or '.join(DURING)}")
    for key in ("unanswered", "foreign"):
        if not all(isinstance(label, str) for label in table.get(key, ())):
            raise UsageError(f"{name}: {key} must be a list of labels")
    if name not in BUILT_IN and table.get("name") in BUILT_IN:
        raise UsageError(f"{name}: {shown(table['name'])} is the name of another reading: choose one of your own")
    for labels in (table.get("labels", {}), *table.get("during", {}).values()):
        _check_labels(name, labels)


def _check_labels(name: str, labels: Iterable[str]) -> None:
    """Refuse labels that could never be met, and two that could never be told apart."""
    met: dict[str, str] = {}
    for label in labels:
        key = canonical(label)
        if not key or "|" in key:
            raise UsageError(
                f"{name}: {shown(label)} cannot be a label: it must be a word, and without '|', which joins labels"
            )
        if key in met:
            raise UsageError(
                f"{name}: {shown(met[key])} and {shown(label)} are one label: case and -, _, / make no difference"
            )
        met[key] = label


def label_table(name: str, labels: Mapping[str, object]) -> dict[str, Relation]:
    """Return what labels mean that a file lists: ``PRECEDES = "b"``."""
    _check_labels(name, labels)
    return {canonical(label): _meaning(name, label, meaning) for label, meaning in labels.items()}


def _meaning(name: str, label: str, meaning: object) -> Relation:
    if meaning == "*":
        return EVERYTHING
    relations = [atom_named(part) for part in meaning.split("|")] if isinstance(meaning, str) else [None]
    found = [relation for relation in relations if relation is not None]
    if len(found) < len(relations):
        raise UsageError(f'{name}: label {shown(label)}: {meaning!r:.80} is not a set of atoms such as "b|m", or "*"')
    return union(found)
