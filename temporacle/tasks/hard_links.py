"""Links from annotated documents that hold whatever the scores say: ``decode --hard``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from temporacle.corpus.inputs import documents
from temporacle.corpus.references import bare_name
from temporacle.errors import UsageError
from temporacle.model import Document, Remark, Unreadable
from temporacle.readings import load_reading

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from temporacle.corpus.inputs import Inputs
    from temporacle.io.source import Options
    from temporacle.readings import Reading
    from temporacle.scored import ScoredDocument


class HardLinks:
    """Links that hold whatever the scores say, by the name of their document."""

    def __init__(self, source: Inputs, options: Options) -> None:
        self._source = source
        self._options = options
        self._by_name: dict[str, Document] | None = None
        self._used: set[str] = set()

    def added_to(self, scored: ScoredDocument | Unreadable) -> ScoredDocument | Unreadable:
        """Return the document with its hard links, their ids marked so that they differ from those of pairs."""
        if isinstance(scored, Unreadable):
            return scored
        known = self._read(scored.reading)
        name = bare_name(scored.id)
        if name not in known:
            return scored
        self._used.add(name)
        given = known[name]
        links = tuple(link._replace(id=f"with:{link.id}") for link in given.links)
        return replace(scored, links=(*scored.links, *links), remarks=(*scored.remarks, *_located(given)))

    def _read(self, reading: Reading) -> dict[str, Document]:
        """Return the reading for formats without a reading of their own: that of the scores."""
        if self._by_name is None:
            self._by_name = {}
            for found in documents(self._source, replace(self._options, labels_like=reading)):
                if isinstance(found, Unreadable):
                    raise found.error
                name = bare_name(found.id)
                if name in self._by_name:
                    raise UsageError(f"two documents with hard links are called {name!r}: merge or rename them")
                self._by_name[name] = found
        return self._by_name

    def labels(self) -> set[str]:
        """Return the labels in files of formats without a reading of their own: those that the scores decide about."""
        own = load_reading("links", self._options.during)
        every = replace(own, name="labels", labels={**load_reading("matres").labels, **own.labels}, _known={})
        found = documents(self._source, replace(self._options, labels_like=every))
        return {
            link.label
            for each in found
            if isinstance(each, Document) and each.reading.name == every.name
            for link in each.links
        }

    def report(self, report: Callable[[Remark], None]) -> None:
        """Report which documents with hard links were not used. Raise UsageError if none was used."""
        unused = [name for name in self._by_name or {} if name not in self._used]
        if self._by_name and not self._used:
            raise UsageError(
                f"no document with hard links has the name of a scored document: {', '.join(unused[:4])}, ...;"
                " rename them"
            )
        if unused:
            named = ", ".join(unused[:4])
            message = f"hard links of {len(unused)} documents were not used: no scored document is called {named}, ..."
            report(Remark("unused-hard-links", message))


def _located(given: Document) -> Iterator[Remark]:
    """Yield what was dropped from hard links with their own file: other remarks are about the file of the scores."""
    for remark in given.dropped:
        place = given.path or given.id
        where = place if remark.line is None else f"{place}:{remark.line}"
        yield remark._replace(message=f"{remark.message} (hard link, {where})", line=None)
