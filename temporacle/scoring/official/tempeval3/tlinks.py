"""Reading links as the TempEval-3 relation scorer reads them: from bytes, by pattern, without parsing XML."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from temporacle.model import Remark
from temporacle.readings import load_reading

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from temporacle.model import Link

_TAG = re.compile(rb"<TLINK[^>]*+(?:>|\Z)")  # without >, it is not a tag: searching on would take quadratic time
_LID = re.compile(rb"""\blid=["']([^"']+)["']""")
_PLAIN = re.compile(rb"[A-Za-z0-9_:\x80-\xff-]*")  # texts that are their own search pattern
_MISSING = b"MISSING core, ref or relation "

_INVERSE = {
    b"BEFORE": b"AFTER",
    b"IBEFORE": b"IAFTER",
    b"BEGINS": b"BEGUN_BY",
    b"ENDS": b"ENDED_BY",
    b"INCLUDES": b"IS_INCLUDED",
}
_INVERSE |= {inverse: label for label, inverse in _INVERSE.items()}
_INVERSE_IN_TEXT = {**_INVERSE, b"DURING": b"DURING_INV"}
_INVERSE_IN_GRAPH = {**_INVERSE, b"IDENTITY": b"SIMULTANEOUS", b"DURING": b"DURING_DURING_INV"}


class Triple(NamedTuple):
    """A link as the program holds it."""

    source: bytes
    target: bytes
    label: bytes

    def __str__(self) -> str:
        return " ".join(part.decode("utf-8", "replace") for part in (self.source, self.label, self.target))


class TagPlace(NamedTuple):
    """The id and line by which a person finds a link in a file."""

    id: str
    line: int | None = None


class LinkFile(NamedTuple):
    """The links of one file and everything noticed while reading them."""

    links: tuple[Triple, ...] = ()
    places: tuple[TagPlace, ...] = ()  # of the links
    missing: tuple[bytes, ...] = ()  # the lines printed for tags that lack an argument or a label
    remarks: tuple[Remark, ...] = ()


def read_links(content: bytes) -> LinkFile:
    """Return every ``<TLINK ...>`` in file order. Comments count; nothing is decoded.

    >>> read_links(b'<TLINK eventInstanceID="ei1" relatedToTime="t0" relType="DURING"/>').links[0].label
    b'SIMULTANEOUS'
    """
    links: list[Triple] = []
    places: list[TagPlace] = []
    missing: list[bytes] = []
    remarks: list[Remark] = []
    line, behind = 1, 0
    for found in _TAG.finditer(content):
        tag = found[0]
        if not tag.endswith(b">"):
            break
        line, behind = line + content.count(b"\n", behind, found.start()), found.start()
        source = _last_given(tag, b"eventInstanceID", b"timeID")
        target = _last_given(tag, b"relatedToEventInstance", b"relatedToTime")
        written = _last_given(tag, b"relType")
        if not (source and target and written):
            missing.append(_MISSING + tag + b"\n")
        elif written.isspace():
            remarks.append(Remark("blank-label", f"the label of {source!r} {target!r} is blank; the link is left out"))
        else:
            links.append(Triple(source, target, text_label(written)))
            lid = _LID.search(tag)
            places.append(TagPlace(lid[1].decode("utf-8", "replace") if lid else f"#{len(links)}", line))
    return LinkFile(tuple(links), tuple(places), tuple(missing), (*remarks, *odd_texts(links)))


def _last_given(tag: bytes, *attributes: bytes) -> bytes:
    """Return the value of the last of these attributes; empty if there is none."""
    value = b""
    for attribute in attributes:
        if attribute in tag:
            found = re.search(attribute + b'="([^"]*)"', tag)
            value = found[1] if found else attribute  # a fault of the program: it takes the name for the value
    return value


def numbered(links: Iterable[Triple]) -> LinkFile:
    """Return links that are not in a file."""
    links = tuple(links)
    return LinkFile(links, tuple(TagPlace(f"#{number}") for number in range(1, len(links) + 1)))


def link_file(links: Iterable[Link]) -> LinkFile:
    """Return links of a document in any format."""
    links = tuple(links)
    triples = triples_of(links)
    return LinkFile(triples, tuple(TagPlace(link.id, link.line) for link in links), remarks=tuple(odd_texts(triples)))


def triples_of(links: Iterable[Link]) -> tuple[Triple, ...]:
    """Return links of a document, under the ids and labels given; a relation without label gets the label of TimeML."""
    timeml = load_reading("timeml")
    return tuple(
        Triple(
            link.source.encode(),
            link.target.encode(),
            text_label((link.label or timeml.label_for(link.relation)).encode()),
        )
        for link in links
    )


def text_label(written: bytes) -> bytes:
    """Return the label that textual matching uses."""
    return graph_label(written).rstrip()


def graph_label(label: bytes) -> bytes:
    """Return the label that the graph gets.

    It looks for DURING again, after blanks were cut: ``DURING `` is text only.
    """
    return b"SIMULTANEOUS" if label in {b"DURING", b"DURING_INV"} else label


def inverse_in_text(label: bytes) -> bytes:
    """Return the label of the converse link, as textual matching writes it.

    >>> inverse_in_text(b"before"), inverse_in_text(b"IDENTITY")
    (b'AFTER', b'IDENTITY')
    """
    label = label.upper()
    return _INVERSE_IN_TEXT.get(label, label)


def inverse_in_graph(label: bytes) -> bytes:
    """Return the label of the converse link, as the graph builder writes it. DURING becomes an unknown label."""
    label = label.upper()
    return _INVERSE_IN_GRAPH.get(label, label)


def odd_texts(links: Iterable[Triple]) -> Iterator[Remark]:
    """Yield ids and labels that the program would have taken for search patterns or for several columns."""
    texts = {text for link in links for text in link}
    for text in sorted(text for text in texts if not _PLAIN.fullmatch(text)):
        shown = text.decode("utf-8", "replace")
        yield Remark(
            "special-characters",
            f"{shown!r} is compared as plain text; the original program may read its special characters as a pattern",
        )
