"""Several files that annotate one document, as one document.

TempEval-1 gives tasks A and B in one folder and task C in another, the same name for the same text; annotation projects
keep layers in separate files. Documents with the same id are joined: entities and links in order of first mention, the
text of the first that has one. Link ids that occur twice get the name of their folder in front.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any

from temporacle.io.source import writable
from temporacle.model import Body, Document, Extras, Link, Unreadable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


def merged(documents: Iterable[Document | Unreadable]) -> Iterator[Document | Unreadable]:
    """Yield every document once, in order of first mention.

    All of them are kept in memory, because parts may come last.
    """
    parts: dict[str, list[Document]] = {}
    unreadable: list[Unreadable] = []
    for document in documents:
        if isinstance(document, Unreadable):
            unreadable.append(document)
        else:
            parts.setdefault(document.id, []).append(document)
    for same in parts.values():
        yield same[0] if len(same) == 1 else join(same)
    yield from unreadable


def join(parts: Sequence[Document]) -> Document:
    """Return one document made from several with the same id. Its path is that of the first part."""
    first = parts[0]
    links: list[Link] = []
    taken: set[str] = set()
    names: list[dict[str, str]] = []  # for each part: what its links are called now
    for part in parts:
        names.append({})
        for link in part.links:
            name = link.id if link.id not in taken else _unique(f"{_folder(part)}:{link.id}", taken)
            taken.add(name)
            names[-1][link.id] = name
            links.append(link if name == link.id else link._replace(id=name))
    return Document(
        id=first.id,
        links=tuple(links),
        entity_ids=tuple(dict.fromkeys(name for part in parts for name in part.entity_ids)),
        path=first.path,
        how_read=first.how_read,
        remarks=tuple(remark for part in parts for remark in part.remarks if remark.code != "duplicate-document"),
        body=partial(_joined_body, tuple(parts), tuple(names)),
    )


def _joined_body(parts: Sequence[Document], names: Sequence[dict[str, str]]) -> Body:
    entities = {entity.id: entity for part in reversed(parts) for entity in reversed(part.entities)}
    text = next((part.text for part in parts if part.text is not None), None)
    return Body(tuple(reversed(entities.values())), text, _joined_extras(parts, names))


def _joined_extras(parts: Sequence[Document], names: Sequence[dict[str, str]]) -> Extras | None:
    """Return the attributes of all parts. If two parts have the same attribute, the first is used."""
    document: dict[str, Any] = {}
    entities: dict[str, Mapping[str, Any]] = {}
    links: dict[str, Mapping[str, Any]] = {}
    lost: Counter[str] = Counter()
    for part, called in zip(parts, names, strict=True):
        if (own := part.extras) is not None:
            document = {**own.document, **document}
            entities |= {name: {**found, **entities.get(name, {})} for name, found in own.entities.items()}
            links |= {called[name]: found for name, found in own.links.items()}
            lost.update(own.lost)
    return Extras(document, entities, links, lost) if document or entities or links or lost else None


def _folder(document: Document) -> str:
    place = (document.path or "").replace("\\", "/").rstrip("/").split("/")
    return writable(place[-2]) if len(place) > 1 else "other"


def _unique(name: str, taken: set[str]) -> str:
    """Return the name, with a number appended if it is taken."""
    number, candidate = 1, name
    while candidate in taken:
        number += 1
        candidate = f"{name}#{number}"
    return candidate
