"""TempEval-2: a folder of tab files about many documents, without headers.

``event-extents.tab`` and ``timex-extents.tab`` declare the entities, one row for each token; every ``tlinks-*.tab``
has document, source, target, label. Whatever such a file is called, the event is the source. ``t0`` is the creation
time and stands in no file of entities; ``dct.txt`` has its date. Labels are lower case in most languages.

Folders are often incomplete. What is there is read, and a remark names what is missing: without a file of times, the
times that links name are taken as declared; without files of links, the documents have none.
"""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import TYPE_CHECKING

from temporacle.errors import InputError
from temporacle.io.rows import DCT
from temporacle.io.source import strip_suffixes
from temporacle.io.tab_folders import (
    Contents,
    FolderDocuments,
    TableMention,
    member,
    members,
    read_mentions,
    read_tokens,
    table,
)
from temporacle.model import Kind, Remark

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from temporacle.io.source import Source
    from temporacle.model import Document

# The task's letters for its four kinds of links, by a word in the file name.
_TASKS = {"dct": "D", "timex": "C", "main": "E", "subordinated": "F"}
_PARTNERS = ("tlinks-", "timex-", "timex3-", "base-segmentation", "event-attributes")
_TIMES = ("timex-extents.tab", "timex3-extents.tab")
_TIME_ID = re.compile(r"t[0-9]+", re.IGNORECASE)
_TAGGED_DATE = re.compile(r"(.+?):\s*<DATE>(.*?)</DATE>", re.IGNORECASE)


def is_folder(names: set[str]) -> bool:
    """Return whether a folder with these files is in this format."""
    return "event-extents.tab" in names and any(name.startswith(_PARTNERS) and name.endswith(".tab") for name in names)


def read(source: Source) -> Iterator[Document]:
    """Yield the documents of the folder, in the order of first mention."""
    contents = Contents()
    events = member(source, "event-extents.tab")
    if events is None:
        raise source.error("not a TempEval-2 folder: it has no event-extents.tab")
    read_mentions(contents, events, Kind.EVENT, id_column=4, name=document_name)
    link_files = list(members(source, "tlinks-*.tab"))
    if not link_files:
        contents.remarks.append(
            Remark("missing-file", "the folder has no tlinks-*.tab, so its documents have no links")
        )
    times = member(source, *_TIMES) or _misnamed_times(source, contents)
    if times is not None:
        read_mentions(contents, times, Kind.TIME, id_column=4, name=document_name)
    else:
        _declare_linked_times(contents, link_files)
    _read_values(contents, member(source, "timex-attributes.tab", "timex3-attributes.tab"))
    read_tokens(contents, member(source, "base-segmentation.tab"), document_name)
    _read_dates(contents, member(source, "dct.txt", "dct.tab"))
    documents = FolderDocuments(source, "tempeval2", contents)
    for document in contents.mentions:
        documents.of(document)
    for file in link_files:
        _add_links(file, documents)
    yield from documents.build()


def document_name(written: str) -> str:
    """Return a document's name without the suffixes that the tools of the corpus have added.

    >>> document_name("harbour_01.txt.pos"), document_name("harbour_01.fid"), document_name("harbour.01")
    ('harbour_01', 'harbour_01', 'harbour.01')
    """
    return strip_suffixes(written.strip().removesuffix(".pos").removesuffix(".fid"))


def _misnamed_times(source: Source, contents: Contents) -> Source | None:
    """Return a file of times under another name, known by its fourth column, with a remark."""
    for file in members(source, "*extent*"):
        name = PurePath(file.path).name
        row = next(iter(table(file, 1)), None) if name != "event-extents.tab" else None
        if row is not None and len(row.fields) > 4 and row.fields[3].strip().lower().startswith("timex"):
            message = f"{name} is read as the file of times, which is usually called {_TIMES[0]}"
            contents.remarks.append(Remark("misnamed-file", message))
            return file
    return None


def _declare_linked_times(contents: Contents, link_files: Iterable[Source]) -> None:
    """Take the times that links name as declared, because the file that should declare them is missing."""
    declared = 0
    for row in (row for file in link_files for row in table(file, 4)):
        mentions = contents.mentions.setdefault(document_name(row.fields[0]), {})
        for end in (row.fields[1].strip(), row.fields[2].strip()):
            if end != DCT and end not in mentions and _TIME_ID.fullmatch(end):
                mentions[end] = TableMention(Kind.TIME)
                declared += 1
    if declared:
        message = f"the folder has no {_TIMES[0]}; {declared} times that links name are taken without their texts"
        contents.remarks.append(Remark("missing-file", message))


def _read_values(contents: Contents, file: Source | None) -> None:
    """Read the attributes of times, one per row.

    Reasoning does not need them, so a bad file is skipped with a remark.
    """
    try:
        for row in table(file, 1) if file is not None else ():
            if len(row.fields) < 8:
                continue  # an attribute without a value
            document, time, attribute, value = (row.fields[column].strip() for column in (0, 4, 6, 7))
            mention = contents.mentions.get(document_name(document), {}).get(time)
            if mention is not None and mention.kind is Kind.TIME:
                mention.attributes.setdefault("value" if attribute == "val" else attribute, value)
    except InputError as error:
        contents.remarks.append(Remark("unread-values", f"the values of times are left out: {error}", error.line))


def _read_dates(contents: Contents, file: Source | None) -> None:
    """Read the creation times: document and date, or ``document:<DATE>date</DATE>``."""
    for row in table(file, 1) if file is not None else ():
        tagged = _TAGGED_DATE.search(row.fields[0])
        name, date = tagged.groups() if tagged else (row.fields[0], row.fields[-1] if len(row.fields) > 1 else "")
        contents.dates.setdefault(document_name(name), date.strip())


def _add_links(file: Source, documents: FolderDocuments) -> None:
    name = PurePath(file.path).name
    task = next((letter for word, letter in _TASKS.items() if word in name), None)
    for row in table(file, 4):
        document, first, second = (field.strip() for field in row.fields[:3])
        documents.of(document_name(document)).add_link(
            f"{name}:{row.line}", first, row.fields[3], second, line=row.line, task=task, plain_case=False
        )
