"""Temporal dependency trees (``.tdt``) and temporal dependency graphs: every node names its parent and a relation.

- Trees: document, child's sentence, start, end, child's type, parent's sentence, start, end, label. Read *parent* LABEL
  *child*.
- Graphs: blocks of ``filename:NAME:SNT_LIST``, sentences, ``EDGE_LIST``, and lines of child, type, parent, label.
  Read *child* LABEL *parent*.

A node is named ``sentence_start_end`` by its tokens. The root, ``-1_-1_-1``, is not an interval, and
``Depend-on`` is not a temporal relation: neither makes a link.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from temporacle.io.builder import DocumentBuilder
from temporacle.io.formats import is_integer, share
from temporacle.io.rows import require_content, rows, with_body, wrong_columns
from temporacle.io.tempeval2 import TableMention, make_body
from temporacle.model import Kind, Unreadable
from temporacle.printing import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from temporacle.io.formats import Sample
    from temporacle.io.source import Source
    from temporacle.io.tempeval2 import Tokens
    from temporacle.model import Document

_ROOT = "-1_-1_-1"
_NO_RELATION = "DEPEND-ON"
_SPELLINGS = {"INCLUDED": "IS_INCLUDED"}
_KINDS = {"event": Kind.EVENT, "timex": Kind.TIME}
_NODE = re.compile(r"([0-9]{1,9})_([0-9]{1,9})_([0-9]{1,9})")
_HEADER = re.compile(r"filename:(.*):SNT_LIST\s*")
_DOC_ID = re.compile(r'<doc id="([^"]+)"')


class DependencyEdge(NamedTuple):
    """One node with its parent."""

    line: int
    child: str
    kind: str
    parent: str
    label: str


def share_of_tree_rows(sample: Sample) -> float:
    """Return the share of lines with a document, three numbers and a type (child), three numbers (parent), a label."""
    numbers = (1, 2, 3, 5, 6, 7)
    return share(sample.rows, lambda row: len(row) == 9 and all(is_integer(row[column]) for column in numbers))


def read_trees(source: Source) -> Iterator[Document]:
    """Yield the documents of a file of dependency trees, in the order of first mention."""
    edges: dict[str, list[DependencyEdge]] = {}
    for row in rows(source):
        if len(row.fields) != 9:
            raise wrong_columns(source, row, "9 (document, child and its type, parent, label)")
        cells = [field.strip() for field in row.fields]
        edge = DependencyEdge(row.line, "_".join(cells[1:4]), cells[4], "_".join(cells[5:8]), cells[8])
        edges.setdefault(cells[0], []).append(edge)
    for name, found in edges.items():
        yield _document(source, "deptree", name or source.name, found, {})


def read_graphs(source: Source) -> Iterator[Document | Unreadable]:
    """Yield the documents of a file of dependency graphs."""
    require_content(source)
    seen: set[str] = set()
    block: tuple[str, int, list[str], list[DependencyEdge]] | None = None
    in_edges = False
    for number, line in [*source.lines(), (0, "filename::SNT_LIST")]:  # one more header closes the last block
        header = _HEADER.fullmatch(line)
        if header:
            if block is not None and in_edges:
                yield _graph(source, block, seen)
            elif block is not None:
                yield Unreadable(block[0], source.path, source.error("the graph has no EDGE_LIST", line=block[1]))
            identifier = _DOC_ID.match(header[1])
            block, in_edges = (identifier[1] if identifier else header[1].strip(), number, [], []), False
        elif block is None:
            if line.strip():
                raise source.error("a graph starts with filename:NAME:SNT_LIST", line=number)
        elif line.strip() == "EDGE_LIST":
            in_edges = True
        elif not in_edges:
            block[2].append(line)
        elif line.strip():
            fields = [field.strip() for field in line.split("\t")]
            if len(fields) != 4:
                raise source.error(
                    f"{len(fields)} columns where 4 (child, type, parent, label) are expected", line=number
                )
            block[3].append(DependencyEdge(number, *fields))


def _graph(
    source: Source, block: tuple[str, int, list[str], list[DependencyEdge]], seen: set[str]
) -> Document | Unreadable:
    name, line, sentences, edges = block
    if not name or name in seen:
        reason = f"document {shown(name)} occurs a second time" if name else "the document has no name"
        return Unreadable(name or f"{source.name}:{line}", source.path, source.error(reason, line=line))
    seen.add(name)
    tokens = {
        (str(number), str(place)): word
        for number, sentence in enumerate(sentences)
        for place, word in enumerate(sentence.split())
    }
    return _document(source, "depgraph", name, edges, tokens)


def _document(source: Source, format_name: str, name: str, edges: list[DependencyEdge], tokens: Tokens) -> Document:
    kinds = {edge.child: _KINDS.get(edge.kind.lower(), Kind.UNKNOWN) for edge in edges}
    nodes = dict.fromkeys(node for edge in edges for node in (edge.child, edge.parent) if node != _ROOT)
    builder = DocumentBuilder(name, source, format_name, source.reading("tempeval"), nodes)
    for edge in edges:
        label = edge.label.upper()
        if label == _NO_RELATION:
            continue
        link = str(edge.line)
        if _ROOT in {edge.child, edge.parent}:
            builder.drop("root-link", "the root is not an interval", line=edge.line, element=link)
            continue
        # The two formats read in opposite directions.
        first, second = (edge.parent, edge.child) if format_name == "deptree" else (edge.child, edge.parent)
        builder.add_link(link, first, _SPELLINGS.get(label, edge.label), second, line=edge.line, plain_case=False)
    mentions = {node: TableMention(kinds.get(node, Kind.UNKNOWN), _cells(node, tokens)) for node in nodes}
    return with_body(builder.build(), partial(make_body, mentions, tokens, None))


def _cells(node: str, tokens: Tokens) -> list[tuple[str, str]]:
    """Return the tokens that a node's name lists, as far as they exist."""
    found = _NODE.fullmatch(node)
    if found is None:
        return []
    sentence, start, end = (int(number) for number in found.groups())
    cells = []
    while start <= end and (str(sentence), str(start)) in tokens:
        cells.append((str(sentence), str(start)))
        start += 1
    return cells
