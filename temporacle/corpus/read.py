"""Reading by keyword, for notebooks and scripts: ``tp.read("gold/d1.tml")``, ``tp.read(text)``."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Unpack

from temporacle import io
from temporacle.corpus.inputs import ReadingOptions, documents, merged, options_for, paths_of, require_columns
from temporacle.errors import InputError, UsageError
from temporacle.io.source import Options
from temporacle.model import Document, Unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from temporacle.corpus.inputs import Inputs


def read(source: Inputs, *, name: str | None = None, **reading: Unpack[ReadingOptions]) -> Document:
    r"""Return the one document of a source. Raise InputError if it cannot be read or holds several.

    ``source``: a file, or a folder in a format that is a folder; the content of a file as text or bytes, or an open
    file; triples, records, an object as in a JSON file, or a frame.
    ``name``: of the document, where the content gives it none.
    ``format``: the format, if its content does not tell. ``on_error``: "skip" leaves out rows that cannot be used.
    ``reading``, ``during``, ``encoding``, ``keep_unknown``, ``doctimerel``, ``mapping``: as on the command line.

    >>> read("examples/corpus/ferry.tml")
    Document('ferry', 8 links)
    >>> read("left\tBEFORE\tdocked\n", name="d1")
    Document('d1', 1 link)
    """
    options = options_for(source, reading)
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
    return first


def read_corpus(
    *sources: Inputs, merge: bool = False, **reading: Unpack[ReadingOptions]
) -> Iterator[Document | Unreadable]:
    """Yield every document of some sources, one at a time. Files that cannot be read are yielded as Unreadable.

    ``sources``: files and folders, or what ``read`` takes.
    ``merge``: join documents of the same name, such as the tasks of TempEval-1.
    ``reading``, ``during``, ``format``, ``encoding``, ``keep_unknown``, ``doctimerel``, ``mapping``: as on
    the command line.

    >>> [document.id for document in read_corpus("examples/gold")]
    ['harbour', 'market']
    """
    options = Options(**reading)
    require_columns(options, *sources)
    paths = paths_of(sources)
    found = (
        chain.from_iterable(documents(each, options) for each in sources)
        if paths is None
        else io.read_corpus(paths, options)
    )
    return merged(found) if merge else found
