"""The formats that can be read, by name. A new format is one file and one line here.

A reader is a function ``read(source: Source) -> Iterator[Document | Unreadable]``: a file may hold many documents, and
one bad document does not spoil the others. A problem with the whole file is raised as InputError.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, TypeAlias

from temporacle.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from temporacle.io.source import Source
    from temporacle.model import Document, Unreadable

Reader: TypeAlias = "Callable[[Source], Iterator[Document | Unreadable]]"


@dataclass(frozen=True, slots=True)
class Format:
    """Where a format's reader lives, and how its labels are read unless the user says otherwise."""

    name: str
    location: str  # "module:function"
    reading: str
    about: str

    def reader(self) -> Reader:
        return _reader_at(self.location)


@cache
def _reader_at(location: str) -> Reader:
    module, function = location.split(":")
    reader: Reader = getattr(import_module(module), function)
    return reader


_HERE = "temporacle.io"
FORMATS = {
    entry.name: entry
    for entry in (
        Format("timeml", f"{_HERE}.timeml:read", "timeml", "TimeML 1.2.1 and its variants, NarrativeTime"),
        Format("tempeval1", f"{_HERE}.tempeval1:read", "tempeval", "TempEval-1 (2007) XML"),
        Format("cat", f"{_HERE}.cat:read", "timeml", "CAT XML: MEANTIME, EventStoryLine, Causal-TimeBank"),
        Format("anafora", f"{_HERE}.anafora:read", "thyme", "Anafora XML: THYME"),
        Format("caevo", f"{_HERE}.caevo:read", "timeml", "CAEVO info XML"),
        Format("tempeval2", f"{_HERE}.tempeval2:read", "tempeval", "TempEval-2 folder of tab files"),
        Format("estonian", f"{_HERE}.estonian:read", "tempeval", "Estonian TimeML folder of tab files"),
        Format("timeline", f"{_HERE}.timeline:read", "timeml", "SemEval-2015 task 4 timelines"),
        Format("dense", f"{_HERE}.dense:read", "dense", "TimeBank-Dense and TDDiscourse tab text"),
        Format("matres", f"{_HERE}.matres:read", "matres", "MATRES tab text"),
        Format("deptree", f"{_HERE}.dependency:read_trees", "tempeval", "temporal dependency trees (.tdt)"),
        Format("depgraph", f"{_HERE}.dependency:read_graphs", "tempeval", "temporal dependency graphs"),
        Format("tsv", f"{_HERE}.tsv:read", "links", "links TSV: source, relation, target"),
        Format("csp", f"{_HERE}.csp:read", "links", "constraint networks of GQR (.csp)"),
        Format("csv", f"{_HERE}.table:read_csv", "links", "CSV: one link a row"),
        Format("parquet", f"{_HERE}.table:read_parquet", "links", "Parquet: one link a row"),
        Format("jsonl", f"{_HERE}.jsonl:read", "links", "JSON Lines: one document a line"),
    )
}


def format_named(name: str) -> Format:
    """The format of that name, UsageError with the known names otherwise."""
    try:
        return FORMATS[name]
    except KeyError:
        raise UsageError(f"unknown format {name!r}: choose {', '.join(FORMATS)}") from None
