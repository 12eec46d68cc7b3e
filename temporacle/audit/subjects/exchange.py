r"""The exchange format: links go out as TSV, a closure comes back as TSV, or the single line ``inconsistent``.

    a	b	b          source TAB relation TAB target; a relation is one or more atoms (or labels) joined by |
    b	b|m	c

Blank lines, lines that start with # and a header ``source relation target`` are skipped in answers.
"""

from __future__ import annotations

import re
from itertools import count

from temporacle.audit.answers import Closed, ClosureAnswer, Failed, Failure, SaidInconsistent
from temporacle.audit.graphs import Graph, entities_of
from temporacle.errors import LabelError
from temporacle.readings import load_reading
from temporacle.relation import ATOMS

INCONSISTENT = "inconsistent"
_UNFIT = re.compile("^#|[\t\n\r\ud800-\udfff]")  # taken for a comment, a column or a line; or an empty text
_HEADER = ["source", "relation", "target"]


def links_tsv(graph: Graph) -> str:
    r"""Return the links as text, one in each line.

    >>> from temporacle.relation import Relation
    >>> links_tsv((("a", Relation.of("b", "m"), "c"),))
    'a\tb|m\tc\n'
    """
    return "".join(f"{source}\t{relation}\t{target}\n" for source, relation, target in graph)


def substitutes(graph: Graph) -> dict[str, str]:
    r"""Return replacement names for entities whose names the format cannot hold; usually there are none.

    >>> from temporacle.relation import EQUAL
    >>> substitutes((("a\tb", EQUAL, "#c"), ("name1", EQUAL, "d")))
    {'a\tb': 'name2', '#c': 'name3'}
    """
    names = entities_of(graph)
    free = (f"name{number}" for number in count(1) if f"name{number}" not in names)
    return dict(zip(filter(_UNFIT.search, names), free, strict=False))


def read_closure(text: str) -> ClosureAnswer:
    r"""Return the answer in a text of the exchange format.

    >>> read_closure("inconsistent\n")
    SaidInconsistent()
    >>> read_closure("a\tb\n").reason
    'line 1 has 2 columns instead of 3 (source, relation, target)'
    """
    lines = enumerate(text.removeprefix("\ufeff").split("\n"), 1)
    rows = [(number, line.rstrip("\r")) for number, line in lines if _says_something(line)]
    if len(rows) == 1 and rows[0][1].strip().lower() == INCONSISTENT:
        return SaidInconsistent()
    claims = []
    for number, line in rows:
        fields = line.split("\t")
        if len(fields) != 3:
            reason = f"line {number} has {len(fields)} columns instead of 3 (source, relation, target)"
            return Failed(Failure.MALFORMED, reason)
        claims.append((fields[0], fields[1], fields[2]))
    return closure_of(claims)


def _says_something(line: str) -> bool:
    return bool(line.strip()) and not line.startswith("#") and line.lower().split() != _HEADER


def closure_of(claims: list[tuple[str, str, str]]) -> ClosureAnswer:
    """Return claims with their relations parsed, or a malformed answer if one cannot be parsed.

    >>> closure_of([("a", "b|m", "b")]).claims
    (('a', Relation('b|m'), 'b'),)
    """
    reading = load_reading("links").with_atoms()
    names = {name for _, label, _ in claims for name in label.split("|")}
    try:
        read = tuple((source, reading.relation(label), target) for source, label, target in claims)
        return Closed(read, labels=frozenset(names.difference(ATOMS)))
    except LabelError as error:
        return Failed(Failure.MALFORMED, f"{error.reason} in the closure")
