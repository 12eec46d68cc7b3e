"""Find the system document that answers each gold document.

1. By name, without folders and suffixes.
2. Those left over, by the DOCID that their TimeML files state, where it occurs once on each side; with a warning.
3. Nothing else: never by similarity. The first unpaired documents get the nearest name on the other side as a hint.

Two single documents that were not given as folders are a pair, whatever their names. Two documents of one name on one
side are an error: a folder of several runs, for instance, is not one system.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from temporacle.errors import InputError, UsageError
from temporacle.io.source import Source
from temporacle.io.stored_lines import StoredLine
from temporacle.model import Document, Remark, Unreadable
from temporacle.tasks.stored_documents import StoredDocument

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from temporacle.tasks.references import Reference

_HINTS = 20  # unpaired documents of a side that get the nearest name as a hint
_SHOWN = 4


class Pair(NamedTuple):
    """A gold document and the system document that answers it; None: there is no such document."""

    name: str
    gold: Reference | None
    system: Reference | None

    def loaded(self) -> Pair:
        """Return the same with the content of lines, which can be read in any process."""
        return Pair(self.name, self.gold and self.gold.loaded(), self.system and self.system.loaded())

    @property
    def size(self) -> int:
        """Return the number of bytes to be read for both."""
        return sum(side.size for side in (self.gold, self.system) if side is not None)


class Pairing(NamedTuple):
    """Pairs in the order of gold, what is left on either side, and what a person should know."""

    pairs: tuple[Pair, ...]
    gold_only: tuple[Reference, ...]
    system_only: tuple[Reference, ...]
    warnings: tuple[Remark, ...]
    unread: tuple[Unreadable, ...]  # left out because a readable document has the same name


def pair_up(golds: Sequence[Reference], systems: Sequence[Reference], *, by_name: bool = True) -> Pairing:
    """Pair two corpora. ``by_name=False``: two single documents are a pair even if their names differ."""
    if not by_name and len(golds) == len(systems) == 1:
        return Pairing((Pair(golds[0].name, golds[0], systems[0]),), (), (), (), ())
    unread: list[Unreadable] = []
    gold, system = _by_name("gold", golds, unread), _by_name("system", systems, unread)
    partner: dict[str, str] = {}  # of documents whose names differ
    warnings = []
    free_gold = [each for name, each in gold.items() if name not in system]
    free_system = [each for name, each in system.items() if name not in gold]
    for name, other in _by_docid(free_gold, free_system):
        partner[name] = other
        message = f"gold {name!r} and system {other!r} are paired by their DOCID, not by their names"
        warnings.append(Remark("paired-by-docid", message))
    answered = set(partner.values())
    gold_only = [each for each in free_gold if each.name not in partner]
    system_only = [each for each in free_system if each.name not in answered]
    names = [each.name for each in gold_only], [each.name for each in system_only]
    warnings += _about_unpaired("gold", "unpaired-gold", *names)
    warnings += _about_unpaired("system", "unpaired-system", *reversed(names))
    pairs = tuple(
        Pair(name, each, system[partner.get(name, name)])
        for name, each in gold.items()
        if name in system or name in partner
    )
    return Pairing(pairs, tuple(gold_only), tuple(system_only), tuple(warnings), tuple(unread))


def _by_name(side: str, documents: Iterable[Reference], unread: list[Unreadable]) -> dict[str, Reference]:
    """Return documents by name. Raise UsageError if two have the same name and neither is empty."""
    result: dict[str, Reference] = {}
    repeated: dict[str, list[Reference]] = {}
    for each in documents:
        first = result.setdefault(each.name, each)
        if first is not each:
            repeated.setdefault(each.name, [first]).append(each)
    clashes = {}
    for name, same in repeated.items():
        opened = [(each, each.read()) for each in same]
        unread += [document for _, document in opened if isinstance(document, Unreadable)]
        saying = [each for each, document in opened if isinstance(document, Document) and _says_something(document)]
        result[name] = next(iter(saying), next((each for each, d in opened if isinstance(d, Document)), same[0]))
        if len(saying) > 1:
            clashes[name] = [each.path or "a document in memory" for each in saying]
    if clashes:
        raise UsageError(_several_of_one_name(side, clashes))
    return result


def _says_something(document: Document) -> bool:
    return bool(document.links or document.entity_ids)


def _several_of_one_name(side: str, clashes: dict[str, list[str]]) -> str:
    name, paths = next(iter(clashes.items()))
    others = f" (and {len(clashes) - 1} more names)" if len(clashes) > 1 else ""
    places = ", ".join(paths[:_SHOWN])
    return (
        f"the {side} side has {len(paths)} documents called {name!r}{others}: {places};"
        " give each run as a separate system, or rename the documents"
    )


def _by_docid(golds: Sequence[Reference], systems: Sequence[Reference]) -> Iterable[tuple[str, str]]:
    if not golds or not systems:
        return
    gold_ids = {each.name: _docid(each) for each in golds}
    system_ids = {each.name: _docid(each) for each in systems}
    gold_count, system_count = Counter(gold_ids.values()), Counter(system_ids.values())
    holder = {docid: name for name, docid in system_ids.items()}
    for name, docid in gold_ids.items():
        if docid is not None and gold_count[docid] == 1 and system_count[docid] == 1:
            yield name, holder[docid]


def _docid(reference: Reference) -> str | None:
    """Return the DOCID or DOCNO of a TimeML file; None for anything else."""
    content = reference.content
    if isinstance(content, Unreadable) or not reference.path:
        return None
    if isinstance(content, Document) and content.format != "timeml":
        return None
    if isinstance(content, StoredLine | StoredDocument) or (isinstance(content, Source) and content.format == "jsonl"):
        return None  # one of many documents of a file
    from temporacle.io.xml import stated_docid

    try:
        return stated_docid(Source(reference.path))
    except InputError:
        return None  # read from somewhere else, or gone since


def _about_unpaired(side: str, code: str, names: Sequence[str], others: Sequence[str]) -> Iterable[Remark]:
    """Yield a remark on each, with a hint for the first ones, because a hint compares a name with all others."""
    for number, name in enumerate(names):
        nearest = _nearest(name, others) if number < _HINTS else None
        hint = f"; the nearest unpaired name is {nearest!r}" if nearest is not None else ""
        yield Remark(code, f"the {side} document {name!r} has no partner{hint}")


def _nearest(name: str, others: Sequence[str]) -> str | None:
    from difflib import get_close_matches

    # The search is quadratic in the length of names and linear in their number: enough for a hint.
    return next(iter(get_close_matches(name[:200], others[:2000], n=1, cutoff=0.6)), None)
