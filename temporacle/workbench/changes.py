"""The changes that a request asks for, taken from its body and checked before anything is done."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from temporacle.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from temporacle.model import Link
    from temporacle.tasks.session import Session

_KEYS = ("add", "remove", "relabel", "comment")
_ENDS = ("source", "label", "target")


@dataclass(frozen=True, slots=True)
class Changes:
    """Changes of a document's links: one step of its history."""

    add: tuple[tuple[str, str, str], ...] = ()  # source, label, target
    remove: tuple[str, ...] = ()
    relabel: Mapping[str, str] = field(default_factory=dict)
    comment: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.add or self.remove or self.relabel or self.comment)

    def apply(self, session: Session) -> list[str]:
        """Make the changes in a session and return the ids of new links."""
        return session.edit(add=self.add, remove=self.remove, relabel=self.relabel, comment=self.comment)

    def to_dict(self) -> dict[str, Any]:
        """Return the body that asks for these changes."""
        return {
            "add": [dict(zip(_ENDS, triple, strict=True)) for triple in self.add],
            "remove": list(self.remove),
            "relabel": dict(self.relabel),
            "comment": dict(self.comment),
        }


def changes_from(body: object, *also: str) -> Changes:
    """Return the changes in a body. ``also``: other keys that it may have. Raise UsageError if it is not understood.

    >>> changes_from({"add": [{"source": "e1", "label": "BEFORE", "target": "e2"}], "remove": ["l3"]}).add
    (('e1', 'BEFORE', 'e2'),)
    """
    if not isinstance(body, dict):
        raise UsageError(f'changes are an object such as {{"remove": ["l3"]}}, and this is {body!r:.80}')
    if unknown := sorted(body.keys() - {*_KEYS, *also}):
        raise UsageError(f"the body has {unknown[0]!r:.80}: known keys are {', '.join((*_KEYS, *also))}")
    return Changes(
        tuple(map(_triple, _list(body, "add"))),
        tuple(_text(each, "remove") for each in _list(body, "remove")),
        _texts(body, "relabel"),
        _texts(body, "comment"),
    )


def changes_between(before: Mapping[str, Link], session: Session) -> list[tuple[Changes, list[str]]]:
    """Return the steps from some links to those of a session on them, each with the ids of the links that it adds."""
    after = {link.id: link for link in session.document.links}
    new = [link for name, link in after.items() if name not in before]
    kept = [name for name in before if name in after]
    relabelled = {name: after[name].label for name in kept if after[name].label != before[name].label}
    comments = session.comments
    first = Changes(
        tuple((link.source, link.label, link.target) for link in new),
        tuple(name for name in before if name not in after),
        relabelled,
        {name: text for name, text in comments.items() if name in before},
    )
    then = Changes(comment={link.id: comments[link.id] for link in new if link.id in comments})
    return [(step, added) for step, added in ((first, [link.id for link in new]), (then, [])) if step]


def _list(body: Mapping[str, Any], key: str) -> list[Any]:
    found = body.get(key, [])
    if not isinstance(found, list):
        raise UsageError(f"{key} must be a list, such as []")
    return found


def _triple(given: object) -> tuple[str, str, str]:
    if not isinstance(given, dict) or set(given) != set(_ENDS):
        raise UsageError('add must have objects such as {"source": "e1", "label": "BEFORE", "target": "e2"}')
    source, label, target = (_text(given[key], key) for key in _ENDS)
    return source, label, target


def _texts(body: Mapping[str, Any], key: str) -> dict[str, str]:
    found = body.get(key, {})
    if not isinstance(found, dict):
        raise UsageError(f'{key} must be an object, such as {{"l3": "..."}}')
    return {name: _text(value, key) for name, value in found.items()}


def _text(given: object, where: str) -> str:
    if not isinstance(given, str):
        raise UsageError(f"{where} has {given!r:.80}: expected a text")
    try:
        given.encode()
    except UnicodeEncodeError:
        raise UsageError(f"{where} has {given!r:.80}, with half a character: no file could hold it") from None
    return given
