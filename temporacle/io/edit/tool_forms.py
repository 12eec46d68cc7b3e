"""How a project states a new link: the type of the relation, and the attribute that holds its label."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from temporacle.errors import UsageError
from temporacle.io.tools import names
from temporacle.io.tools.assembly import label_place
from temporacle.io.tools.mapping import fits
from temporacle.printing import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from temporacle.io.edit.edits import NewLink
    from temporacle.io.tools.assembly import Arrow
    from temporacle.io.tools.mapping import LinkRule, Mapping

_TYPE, _LABEL = "TLINK", "relType"


class Form(NamedTuple):
    """The form of a new link."""

    type: str
    attribute: str | None  # that holds the label; None: the type is enough
    source: str | None = None  # the arguments that the mapping names
    target: str | None = None


def form_of(new: NewLink, mapping: Mapping | None, last: Arrow | None, *, label_is_type: bool) -> Form:
    """Return the form of a new link, if possible that of the last link of the document.

    ``label_is_type``: without a mapping, the type of a relation may be its
    label. Raise UsageError if the mapping has no link that can have the label.
    """
    if mapping is not None and mapping.links:
        usable = list(_by_rules(mapping.links, new.label))
        if not usable:
            raise UsageError(
                f"{new.said} cannot be added: the mapping {shown(mapping.name)} has no [[link]] that can have the label"
                f" {shown(new.label)}; add one to the mapping"
            )
        return next((form for form in usable if last is not None and fits(form.type, last.type)), usable[0])
    if last is not None and names.is_link_type(last.type):
        return Form(last.type, label_place(mapping, last).attribute)
    return Form(new.label, None) if label_is_type else Form(_TYPE, _LABEL)


def _by_rules(rules: Sequence[LinkRule], label: str) -> Iterator[Form]:
    """Yield the forms that a mapping allows. Events and link features cannot be made without more knowledge."""
    for rule in rules:
        if rule.event or rule.feature is not None:
            continue
        is_stated = rule.means == label if rule.means is not None else names.last_part(rule.type) == label
        if rule.label is not None or is_stated:
            yield Form(rule.type, rule.label, rule.source, rule.target)
