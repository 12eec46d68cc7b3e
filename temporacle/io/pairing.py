"""Which system document answers which gold document.

1. By name, without folders and suffixes.
2. Those left over, by the DOCID that their TimeML files state, where it occurs once on each side; with a warning.
3. Nothing else: never by similarity. The first unpaired documents get the nearest name on the other side as a hint.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from temporacle.errors import InputError
from temporacle.io.source import Source, strip_suffixes
from temporacle.model import Document, Remark, Unreadable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Found = Document | Unreadable
_HINTS = 20  # unpaired documents of a side that get the nearest name as a hint


@dataclass(frozen=True, slots=True)
class Pairing:
    """Pairs in the order of the gold documents, what is left on either side, and what a person should know."""

    pairs: tuple[tuple[Found, Found], ...] = ()
    gold_only: tuple[Found, ...] = ()
    system_only: tuple[Found, ...] = ()
    warnings: tuple[Remark, ...] = field(default=())


def pair_up(golds: Sequence[Found], systems: Sequence[Found], *, folders: bool = False) -> Pairing:
    """Pair two corpora by the names of documents. Two single documents, unless from folders, are a pair anyway."""
    if len(golds) == len(systems) == 1 and not folders:
        systems = [replace(each, id=golds[0].id) for each in systems]
    return pair(golds, systems)


def pair(gold: Iterable[Found], system: Iterable[Found]) -> Pairing:
    """Pair two corpora. An Unreadable takes part like a document: its partner must not be paired with another."""
    warnings: list[Remark] = []
    golds = _by_name(gold, "gold", warnings)
    systems = _by_name(system, "system", warnings)
    partner = {name: name for name in golds if name in systems}
    free_gold = [name for name in golds if name not in partner]
    free_system = [name for name in systems if name not in partner]
    for name, other in _by_docid(golds, systems, free_gold, free_system):
        partner[name] = other
        message = f"gold {name!r} and system {other!r} are paired by their DOCID, not by their names"
        warnings.append(Remark("paired-by-docid", message))
    answered = set(partner.values())
    gold_only = [name for name in golds if name not in partner]
    system_only = [name for name in systems if name not in answered]
    warnings += _about_unpaired("gold", gold_only, system_only)
    warnings += _about_unpaired("system", system_only, gold_only)
    return Pairing(
        tuple((golds[name], systems[partner[name]]) for name in golds if name in partner),
        tuple(golds[name] for name in gold_only),
        tuple(systems[name] for name in system_only),
        tuple(warnings),
    )


def _by_name(documents: Iterable[Found], side: str, warnings: list[Remark]) -> dict[str, Found]:
    """Documents by bare name; of two with one name the first."""
    found: dict[str, Found] = {}
    for document in documents:
        name = bare_name(document.id)
        if name in found:
            warnings.append(twice(side, name, found[name].path))
        else:
            found[name] = document
    return found


def bare_name(document: str) -> str:
    """What a document is paired by: its id without folders and suffixes.

    >>> bare_name("run1/wsj_0011.tml")
    'wsj_0011'
    """
    return strip_suffixes(document.replace("\\", "/").rsplit("/", 1)[-1]) or document


def twice(side: str, name: str, path: str | None) -> Remark:
    """A name that two documents of one side have."""
    message = f"the {side} document {name!r} occurs twice; only the first is used: {path}"
    return Remark("duplicate-document", message)


def _by_docid(
    golds: dict[str, Found], systems: dict[str, Found], free_gold: Sequence[str], free_system: Sequence[str]
) -> Iterable[tuple[str, str]]:
    if not free_gold or not free_system:
        return
    gold_ids = {name: _docid(golds[name]) for name in free_gold}
    system_ids = {name: _docid(systems[name]) for name in free_system}
    gold_count, system_count = Counter(gold_ids.values()), Counter(system_ids.values())
    holder = {docid: name for name, docid in system_ids.items()}
    for name, docid in gold_ids.items():
        if docid is not None and gold_count[docid] == 1 and system_count[docid] == 1:
            yield name, holder[docid]


def _docid(document: Found) -> str | None:
    """The DOCID or DOCNO that a TimeML file states, None for anything else."""
    if isinstance(document, Unreadable) or document.format != "timeml" or document.path is None:
        return None
    from temporacle.io.xml import parse, qualified

    try:
        root = parse(Source(document.path))
    except InputError:
        return None  # read from somewhere else, or gone since
    for tag in ("DOCID", "DOCNO"):
        for element in root.iter(qualified(root, tag)):
            if stated := "".join(element.itertext()).strip():
                return stated
    return None


def _about_unpaired(side: str, names: Sequence[str], others: Sequence[str]) -> Iterable[Remark]:
    """A remark on each, with a hint for the first ones: it is found by comparing a name with all others."""
    for number, name in enumerate(names):
        nearest = _nearest(name, others) if number < _HINTS else None
        hint = f"; the nearest unpaired name is {nearest!r}" if nearest is not None else ""
        yield Remark(f"unpaired-{side}", f"the {side} document {name!r} has no partner{hint}")


def _nearest(name: str, others: Sequence[str]) -> str | None:
    from difflib import get_close_matches

    # The search is quadratic in the length of names and linear in their number: enough for a hint.
    return next(iter(get_close_matches(name[:200], others[:2000], n=1, cutoff=0.6)), None)
