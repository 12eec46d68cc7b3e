"""Timelines and conflicts as fragments of HTML, for the ``_repr_html_`` of results in a notebook.

Fragments carry their own style, hold no script and no link, and every string from a document is escaped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from temporacle.model import Link
from temporacle.reasoner.conflicts.explanation import explain
from temporacle.report.document import values
from temporacle.report.document.gather import conflict_of, entity_rows, linked_entities, shortened_steps, timeline_of
from temporacle.report.drawings import draw_conflict, draw_timeline
from temporacle.report.html import fragment_style, render
from temporacle.wording import NO_EXCERPTS, Names, conflict_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.model import Document
    from temporacle.passages import Excerpts
    from temporacle.results import Fact, Witness


class WithConflict(Protocol):
    """The part of a result of ``check`` that is needed here.

    If it also has ``chain`` (the conflict in sentences) or ``excerpts`` (the words of
    the text), these are shown.
    """

    @property
    def document(self) -> str: ...

    @property
    def conflict(self) -> Sequence[Fact]: ...


def timeline_html(document: Document, witness: Witness) -> str:
    """Return the linked entities of a document as bars, at the times of a witness.

    >>> from temporacle.model import Document
    >>> html = timeline_html(Document("ferry", [("left", "BEFORE", "docked")]), {"left": (0, 1), "docked": (2, 3)})
    >>> html.startswith('<div class="temporacle">'), html.count("<rect"), "<script" in html
    (True, 2, False)
    """
    rows = entity_rows(document)
    shown = [name for name in linked_entities(document.links) if name in witness]
    picture = note = ""
    if not shown:
        note = f"{document.id}: no timeline, because no entity has a link."
    elif len(shown) > values.BARS:
        note = f"{document.id}: no timeline, because {len(shown)} entities are more than {values.BARS}."
    else:
        picture = draw_timeline(timeline_of(witness, rows, shown), f"Timeline of {document.id}", None)
        note = "One order of all starts and ends in which every link holds. There may be others."
    return render("fragment.html", style=fragment_style(), picture=picture, note=note, words=None, hidden=0)


def conflict_html(check: WithConflict) -> str:
    """Return the links of a conflict, their meaning in sentences, and the cycle they form; empty without a conflict.

    >>> from types import SimpleNamespace
    >>> from temporacle.model import Document
    >>> links = Document("d", [("a", "BEFORE", "b"), ("b", "BEFORE", "a")]).links
    >>> html = conflict_html(SimpleNamespace(document="d", conflict=links))
    >>> html.count("<svg"), "a ends before b starts" in html, conflict_html(SimpleNamespace(document="d", conflict=()))
    (1, True, '')
    """
    links = tuple(fact for fact in check.conflict if isinstance(fact, Link))
    if not check.conflict:
        return ""
    excerpts: Excerpts = getattr(check, "excerpts", NO_EXCERPTS)
    chain: Sequence[str] = getattr(check, "chain", ())
    words = conflict_words(check.conflict, chain or _sentences(links), excerpts, Names(excerpts))
    conflict = conflict_of(links)._replace(texts=tuple(excerpts.texts.items()))
    drawable = len(conflict.arrows) <= values.ARROWS
    return render(
        "fragment.html",
        style=fragment_style(),
        picture=draw_conflict(conflict, f"Conflict in {check.document}") if drawable else "",
        note="" if drawable else f"No picture: more than {values.ARROWS} links take part.",
        words=words._replace(facts=words.facts[: values.FACTS], derivation=shortened_steps(words.derivation)),
        hidden=max(0, len(words.facts) - values.FACTS),
    )


def _sentences(links: Sequence[Link]) -> list[str]:
    """Return the conflict in words. A link whose relation has no atoms is a conflict without words."""
    return explain(links) if all(link.relation for link in links) else []
