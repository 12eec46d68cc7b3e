"""Find the role of each column of a table of links: by Temporacle's own names, other common names, or the caller's.

    document  source  relation  target  id  weight

A header is compared without blanks around it, in lower case, with ``_`` for blanks, ``-`` and ``.``. Temporacle's own
names come first, then the names in ``OTHER_NAMES``. Where two columns could be meant, nothing is guessed: the file is
refused, and the caller is asked for ``--columns``. A column of predictions beside another column of labels is such a
case, whatever the other one is called: reading the wrong one would give a perfect score to any system.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import quote

from temporacle.errors import UsageError, spelled
from temporacle.printing import first_of, shown
from temporacle.readings import canonical

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from temporacle.io.source import Options

NEEDED = ("source", "relation", "target")
HEADER = ("document", *NEEDED)
ROLES = (*HEADER, "id", "weight")
_FIRST = (
    *("source_id", "src", "event1", "event_1", "event1_id", "e1", "eid1", "eiid1", "entity1", "arg1", "from", "head"),
)
PREDICTIONS = (
    *("pred", "prediction", "predicted", "pred_label", "predicted_label", "pred_relation", "predicted_relation"),
)
OTHER_NAMES: Mapping[str, tuple[str, ...]] = {
    "document": ("doc", "doc_id", "docid", "document_id", "doc_name", "file", "filename", "file_name"),
    "source": _FIRST,
    "relation": ("rel", "label", "reltype", "rel_type", "relation_type", "temporal_relation", *PREDICTIONS),
    "target": (
        *("target_id", "tgt", "event2", "event_2", "event2_id", "e2", "eid2", "eiid2", "entity2", "arg2", "to", "tail"),
    ),
    "id": ("link_id", "lid", "tlink_id"),
    "weight": (),
}
_SEPARATORS = re.compile(r"[\s\-.]+")

Columns: TypeAlias = tuple[tuple[str, str], ...]
"""What the caller says: role and header, sorted."""


class ColumnsError(ValueError):
    """Columns that cannot be told apart, or are not there. ``cure`` says what to do."""

    def __init__(self, reason: str, cure: str) -> None:
        super().__init__(reason)
        self.cure = cure


def columns_from(value: str | Mapping[str, str] | Iterable[tuple[str, str]] | None) -> Columns:
    """Return the columns that an option names. Raise UsageError for an unknown role or one that is named twice.

    >>> columns_from("source=event1, relation=pred,target=event2")
    (('relation', 'pred'), ('source', 'event1'), ('target', 'event2'))
    """
    if value is None:
        return ()
    if isinstance(value, str):
        pairs = [tuple(part.split("=", 1)) for part in value.split(",") if part.strip()]
        if not pairs or any(len(pair) != 2 for pair in pairs):
            raise UsageError(f"columns {shown(value)}: write role=header, such as source=event1,relation=pred")
    else:
        pairs = list(value.items() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ())
        if any(not isinstance(pair, tuple | list) or len(pair) != 2 for pair in pairs) or not (pairs or value == ()):
            raise UsageError(f"columns is {value!r:.60}: give text (relation=pred), or a dict of roles and headers")
    found: dict[str, str] = {}
    for role, header in ((str(part).strip() for part in pair) for pair in pairs):
        if role not in ROLES:
            raise UsageError(option="columns", value=f"{role}={header}", allowed=[f"{each}={header}" for each in ROLES])
        if role in found:
            raise UsageError(f"columns: {role} is given twice")
        if not header:
            raise UsageError(f"columns: {role} has no header")
        if header in found.values():
            raise UsageError(f"columns: {shown(header)} is given two roles")
        found[role] = header
    return tuple(sorted(found.items()))


def signed(columns: Columns) -> str:
    """Return the columns as they are written in a signature."""
    return ",".join(f"{role}={quote(header, safe='')}" for role, header in columns)


@lru_cache(maxsize=256)
def _plain(header: str) -> str:
    return _SEPARATORS.sub("_", header.strip().lower())


def is_named(headers: Iterable[str], chosen: Columns) -> bool:
    """Return whether one of these cells is a column that the caller has named."""
    plain = set(map(_plain, headers))
    return any(_plain(header) in plain for _, header in chosen)


def is_header(headers: Sequence[str], chosen: Columns = ()) -> bool:
    """Return whether these cells are column names: enough for a table of links, or one that the caller has named.

    >>> is_header(["event1", "rel", "event2"]), is_header(["left", "BEFORE", "docked"])
    (True, False)
    """
    if is_named(headers, chosen):
        return True
    plain = set(map(_plain, headers))
    return all(role in plain or not plain.isdisjoint(OTHER_NAMES[role]) for role in NEEDED)


def roles_of(headers: Sequence[str], chosen: Columns = ()) -> tuple[str, ...]:
    """Return the role of each column, "" for none. Raise ColumnsError if a needed role is missing or ambiguous.

    >>> roles_of(["doc_id", "Event 1", "pred", "event2", "confidence"])
    ('document', 'source', 'relation', 'target', '')
    """
    return _roles(tuple(headers), chosen)


@lru_cache(maxsize=256)
def _roles(headers: tuple[str, ...], chosen: Columns) -> tuple[str, ...]:
    plain = tuple(map(_plain, headers))
    named = {role: _places(plain, _plain(header)) for role, header in chosen}
    if chosen and not any(named.values()):
        named = {}  # the caller means other files
    result = [""] * len(headers)
    for role in (*named, *(each for each in ROLES if each not in named)):
        places = named[role] if role in named else _candidates(plain, role, result)
        if role in named and not places:
            wanted = dict(chosen)[role]
            raise ColumnsError(f"no column {shown(wanted)}", f"the columns are {first_of(map(shown, headers), 12)}")
        if len(places) > 1:
            found = " and ".join(shown(headers[place]) for place in places)
            example = spelled("columns", f"{role}={headers[places[-1]].strip()}")
            raise ColumnsError(f"the columns {found} could both be the {role}", f"choose one, such as {example}")
        if places:
            result[places[0]] = role
    if missing := [role for role in NEEDED if role not in result]:
        raise ColumnsError(
            f"no column for {' and '.join(missing)}: the columns are {first_of(map(shown, headers), 12)}",
            _cure(missing),
        )
    return tuple(result)


SAMPLED = 200  # values of a column by which it is judged


def may_be_labels(header: str) -> bool:
    """Return whether a column of this name may hold labels: its name stands for nothing else."""
    plain = _plain(header)
    return all(plain != role and plain not in OTHER_NAMES[role] for role in ROLES if role != "relation")


def require_one_of_labels(columns: Mapping[str, Iterable[Any]], options: Options) -> None:
    """Raise ColumnsError if two columns hold labels, judged by their values, and the caller has not chosen one.

    ``columns``: the first values of each.
    """
    chosen = dict(options.named_columns).get("relation")
    if chosen is not None and is_named(columns, (("relation", chosen),)):
        return
    names = [name for name in columns if may_be_labels(name)]
    if len(names) < 2:
        return
    known = options.links_reading().labels
    found = [
        name
        for name in names
        if (said := [each for each in columns[name] if isinstance(each, str) and each.strip()])
        and all(canonical(each) in known for each in said)
    ]
    if "relation" in found:  # beside it, "label" is how it was first written, as in files that Temporacle writes
        found = [name for name in found if name != "label"]
    if len(found) > 1:
        gold, system = sorted(found, key=_is_prediction)[:2]
        raise ColumnsError(
            f"several columns of labels: {', '.join(map(shown, found))}",
            f"choose one: {spelled('columns', f'relation={gold}')}, or for two sides:"
            f" {spelled('gold_columns', f'relation={gold}')} {spelled('system_columns', f'relation={system}')}",
        )


def _is_prediction(header: str) -> bool:
    """Return whether a column is called as the answers of a system are."""
    return _plain(header) in PREDICTIONS or "pred" in _plain(header) or "system" in _plain(header)


def order_of(first_row: Sequence[str], chosen: Columns = ()) -> tuple[str, ...]:
    """Return the role of each column, given the first row of a table (names or a link); () if it is neither.

    >>> order_of(["event1", "rel", "event2"]), order_of(["a", "b", "c"])
    (('source', 'relation', 'target'), ('source', 'relation', 'target'))
    """
    if is_header(first_row, chosen):
        return roles_of(first_row, chosen)
    return {len(NEEDED): NEEDED, len(HEADER): HEADER}.get(len(first_row), ())


def _places(plain: Sequence[str], name: str) -> list[int]:
    return [place for place, each in enumerate(plain) if each == name]


def _candidates(plain: Sequence[str], role: str, taken: Sequence[str]) -> list[int]:
    """Return the columns whose names allow a role."""
    free = [place for place in range(len(plain)) if not taken[place]]
    own = [place for place in free if plain[place] == role]
    others = [place for place in free if plain[place] in OTHER_NAMES[role]]
    if not own:
        return others
    # Beside "relation", "label" is how it was first written, as in files that Temporacle writes.
    return own + [place for place in others if plain[place] in PREDICTIONS]


def _cure(missing: Sequence[str]) -> str:
    return f"name them: {spelled('columns', ','.join(f'{role}=HEADER' for role in missing))}"
