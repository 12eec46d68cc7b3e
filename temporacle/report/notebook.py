"""Timelines and conflicts as fragments of HTML, for the ``_repr_html_`` of results in a notebook.

Fragments carry their own style, hold no script and no link, and every string from a document is escaped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from temporacle.model import Link
from temporacle.reasoner.conflicts.explanation import explain
from temporacle.reasoner.network import Network
from temporacle.report.document import values
from temporacle.report.document.gather import conflict_of, entity_rows, shortened_steps, timeline_of
from temporacle.report.drawings import ONLY_CERTAIN, draw_conflict, draw_timeline
from temporacle.report.html import fragment_style, render
from temporacle.wording import NO_EXCERPTS, Names, conflict_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.model import Document
    from temporacle.passages import Excerpts
    from temporacle.results import Fact


class WithConflict(Protocol):
    """The part of a result of ``check`` that is needed here.

    If it also has ``chain`` (the conflict in sentences) or ``excerpts`` (the words of
    the text), these are shown.
    """

    @property
    def document(self) -> str: ...

    @property
    def conflict(self) -> Sequence[Fact]: ...


def timeline_html(document: Document) -> str:
    """Return the linked entities of a consistent document as bars, at their certain places.

    >>> from temporacle.model import Document
    >>> html = timeline_html(Document("ferry", [("left", "BEFORE", "docked")]))
    >>> html.startswith('<div class="temporacle">'), html.count('class="bar'), "<script" in html
    (True, 2, False)
    """
    timeline, note = timeline_of(Network.of(document), entity_rows(document))
    picture = draw_timeline(timeline, f"Timeline of {document.id}", None) if timeline else ""
    words = f"{ONLY_CERTAIN} {note}" if timeline else f"{document.id}: {note}"
    return render("fragment.html", style=fragment_style(), picture=picture, note=words, words=None, hidden=0)


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
