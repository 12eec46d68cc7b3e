"""Reading by keyword, for notebooks and scripts: ``tp.read("gold/d1.tml")``, ``tp.read(text)``."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Unpack

from temporacle import io
from temporacle.corpus.inputs import documents, merged, paths_of
from temporacle.corpus.options import ReadingFiles, reading_of
from temporacle.declared import keywords
from temporacle.errors import InputError, UsageError, warn_of_skipped
from temporacle.model import Document, Unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from temporacle.corpus.inputs import Inputs


@keywords
def read(source: Inputs, *, name: str | None = None, **reading: Unpack[ReadingFiles]) -> Document:
    r"""Return the one document of a source.

    Args:
        source: A file, or a folder in a format that is a folder; the content of a file as text or bytes, or an open
            file; triples, records, an object as in a JSON file, or a frame.
        name: The name of the document, where the content gives it none.

    Returns:
        The document.

    Raises:
        InputError: The source cannot be read, or holds several documents.

    Examples:
        >>> read("examples/corpus/ferry.tml")
        Document('ferry', 8 links)
        >>> read("left\tBEFORE\tdocked\n", name="d1")
        Document('d1', 1 link)
    """
    options = reading_of(source, reading)
    if (paths := paths_of(source)) is not None and name is not None:
        raise UsageError(f"name: {paths[0]} is a file, which names its document; leave name out")
    found = documents(source, options, name=name)
    first = next(found, None)
    where = str(paths[0] if paths else name or "the source")
    if first is None:
        raise InputError("holds no document", path=where)
    if isinstance(first, Unreadable):
        raise first.error
    if next(found, None) is not None:
        raise InputError("holds more than one document", path=where, cure="use read_corpus")
    warn_of_skipped([first.skipped_links], [source])
    return first


@keywords
def read_corpus(
    *sources: Inputs, merge: bool = False, **reading: Unpack[ReadingFiles]
) -> Iterator[Document | Unreadable]:
    """Yield every document of some sources, one at a time. Files that cannot be read are yielded as Unreadable.

    Args:
        *sources: Files and folders, or what ``read`` takes.
        merge: Join documents of the same name, such as the tasks of TempEval-1.

    Returns:
        An iterator of documents.

    Raises:
        UsageError: A path that does not exist, or options that do not fit together.

    Examples:
        >>> [document.id for document in read_corpus("examples/gold")]
        ['harbour', 'market']
    """
    options = reading_of(sources[0] if sources else (), reading, *sources[1:])
    paths = paths_of(sources)
    found = (
        chain.from_iterable(documents(each, options) for each in sources)
        if paths is None
        else io.read_corpus(paths, options)
    )
    return merged(found) if merge else found
