"""The graph of a plain object of JSON Lines: a fast path for ``check``, which needs no links with ids and lines.

An object is *plain* if nothing in it needs a remark, except that pairs of entities may be repeated. For any other
object the document is made (``jsonl_document``), which knows every rule. Tests compare the two.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any

from temporacle.io.builder import new_link
from temporacle.io.jsonl_document import document_of, has_plain_extras, labels_of
from temporacle.io.lint import remarks_about_repeated, repeated_pairs
from temporacle.model import PlainGraph

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from temporacle.io.source import Source
    from temporacle.model import Document

_ENDS_AND_LABEL = 3  # the keys that every link has


def graph_or_document(name: str, record: dict[str, Any], line: int, source: Source) -> PlainGraph | Document:
    """Return the graph that an object describes if it is plain, the document otherwise.

    Raise InputError if its links or entities are not lists.
    """
    plain = None if source.options.values else plain_graph(name, record, line, source)  # it has no values
    return plain or document_of(name, record, line, source)


def plain_graph(name: str, record: dict[str, Any], line: int, source: Source) -> PlainGraph | None:
    """Return the graph of a plain object; None for any other."""
    links, labels = record.get("links"), labels_of(source)
    if type(links) is not list:
        return None
    try:
        sources = [link["source"] for link in links]
        relations = [labels[link["relation"]] for link in links]
        targets = [link["target"] for link in links]
        names = {*sources, *targets}
        declared = names if record.get("entities") is None else set(record["entities"])
    except (KeyError, TypeError):
        return None
    is_plain = _are_names(names) and (
        declared is names or (_are_names(declared) and _lists_all(record["entities"], declared, names))
    )
    if not is_plain:
        return None
    is_bare = set(map(len, links)) <= {_ENDS_AND_LABEL}
    if not is_bare and not all(map(has_plain_extras, links)):
        return None
    repeated = repeated_pairs(sources, targets)
    if repeated and not is_bare:
        return None
    # A link without an id is named by its position.
    concerned = [
        new_link((str(each + 1), sources[each], relations[each], targets[each], links[each]["relation"], line, 1, None))
        for each in repeated
    ]
    remarks = remarks_about_repeated(concerned) if concerned else ()
    complete = partial(document_of, name, record, line, source)
    counted = partial(_labels, links)
    return PlainGraph(
        name, source.path, len(declared), sources, relations, targets, remarks, "jsonl", counted, complete
    )


def _labels(links: Iterable[dict[str, str]]) -> Counter[str]:
    return Counter(link["relation"] for link in links)


def _are_names(values: Collection[object]) -> bool:
    return set(map(type, values)) <= {str} and "" not in values


def _lists_all(entities: object, declared: set[str], names: set[str]) -> bool:
    return type(entities) is list and len(declared) == len(entities) and names <= declared
