"""Which format a file or folder is in, decided by its content; its suffix decides nothing.

1. A folder with ``event-extents.tab`` and a ``tlinks-*.tab`` is TempEval-2; one with ``# fileName`` headers Estonian.
2. ``<`` first: XML, decided by the root element.
3. ``{`` first: JSON Lines.
4. ``PAR1`` first: Parquet. A first line with the names of its columns between commas: CSV.
5. A number alone, perhaps with a name behind ``#``, then a constraint with its atoms in brackets: csp.
6. Otherwise tab text, decided by the columns of the first 50 data lines.

Where two formats fit, or none, nobody guesses: the caller is asked for ``--format``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from temporacle.errors import AmbiguousFormatError
from temporacle.io.source import STANDARD_INPUT
from temporacle.readings import canonical, load_reading
from temporacle.relation import atom_named

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from temporacle.errors import InputError
    from temporacle.io.source import Source

ROOTS = {
    "TimeML": "timeml",
    "TempEval": "tempeval1",
    "Document": "cat",
    "data": "anafora",
    "{http://chambers.com/corpusinfo}root": "caevo",
}
_ANY_NAMESPACE = ("TimeML", "TempEval")
# Roots with everyday names are known by what stands below them too, if anything does.
_CHILDREN = {"cat": ("token", "Markables"), "anafora": ("annotations",)}
BYTE_ORDER_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
APPLE_DOUBLE = b"\x00\x05\x16\x07"
_LOOKED_AT = 50
_CURE = "name it with --format"
_ID = re.compile(r"(?:e|ei|t)\d+")
_INTEGER = re.compile(r"-?\d+")
_ESTONIAN_LINKS = ("tlink-event-dct", "tlink-event-timex", "tlink-main-events", "tlink-subordinate-events")


def looks_like_xml(data: bytes) -> bool:
    """Whether the first byte that is neither blank nor a byte order mark is ``<``.

    >>> looks_like_xml(b"  <TimeML/>"), looks_like_xml(b"e1 e2 b"), looks_like_xml("<a/>".encode("utf-16"))
    (True, False, True)
    """
    head = data[:1024]
    for mark in BYTE_ORDER_MARKS:
        head = head.removeprefix(mark)
    return head.replace(b"\0", b"").lstrip()[:1] == b"<"


def folder_format(names: Iterable[str]) -> str | None:
    """The format of a folder with these file names, if the folder as a whole is in one.

    >>> folder_format(["event-extents.tab", "tlinks-main-events.tab"]), folder_format(["a.tml"])
    ('tempeval2', None)
    """
    present = set(names)
    if "event-extents.tab" in present and any(_is_tempeval2_links(name) for name in present):
        return "tempeval2"
    if any(name.startswith(_ESTONIAN_LINKS) for name in present):
        return "estonian"
    return None


def _is_tempeval2_links(name: str) -> bool:
    return name.startswith("tlinks-") and name.endswith(".tab")


def recognise(source: Source) -> str:
    """The name of the format of a source; InputError if it has none, or more than one."""
    if source.format is not None:
        return source.format
    data = source.data
    if not data:
        raise source.error("file is empty")
    if data.startswith(APPLE_DOUBLE):
        raise source.error("AppleDouble: file attributes of a Mac, not a document", cure="give the file without '._'")
    if looks_like_xml(data):
        return _by_root(source)
    if data.startswith(b"PAR1"):
        return "parquet"
    text = _start(source)
    return "jsonl" if text.lstrip()[:1] == "{" else _by_columns(source, text)


def _by_root(source: Source) -> str:
    """XML: parse, leave the tree for the reader, and look at the root."""
    from temporacle.io.xml import parse

    root = parse(source)
    tag = str(root.tag)
    bare = tag.rpartition("}")[2]
    found = ROOTS.get(tag) or (ROOTS[bare] if bare in _ANY_NAMESPACE else None)
    expected = _CHILDREN.get(found or "")
    is_foreign = expected is not None and len(root) > 0 and all(root.find(child) is None for child in expected)
    if found is None or is_foreign:
        raise source.error(
            f"unknown root element <{tag}>" + (f" without {' or '.join(expected)}" if expected else ""),
            line=root.sourceline,
            cure=f"known are {', '.join(ROOTS)}",
        )
    source.tree = root
    return found


def _by_columns(source: Source, text: str) -> str:
    """Tab text: every format whose rule fits the first lines; exactly one must."""
    lines = _first_lines(text)
    if not lines:
        raise source.error("file is empty")
    if "\n" not in text and "\r" in text.strip():
        raise source.error("lines end with CR alone, as on old Macs", line=1, cure="save it with line feeds")
    if lines[0].lower().startswith("# filename"):
        return "estonian"
    if lines[0].startswith("filename:") and lines[0].rstrip().endswith(":SNT_LIST"):
        return "depgraph"
    if _is_csv(lines[0], source.path):
        return "csv"
    if _is_csp(lines):
        return "csp"
    if source.path == STANDARD_INPUT:
        return "tsv"  # the one kind of tab text that is promised there
    is_tsv_name = source.path.endswith((".tsv", ".tsv.gz"))
    shares = {name: fits(lines, source.options.reading) for name, fits in _RULES.items()}
    found = [name for name, share in shares.items() if share > 0.5]
    if len(found) > 1:  # what fits every line is meant, unless two do
        found = [name for name in found if shares[name] == 1] or found
    if "dense" in found and (shares["tsv"] or is_tsv_name) and not _has_numbered_ids(lines):
        # Ids of dense corpora are numbered; without numbers "a b s" could be either, and "a BEFOR b" is a slip.
        found = ["tsv"] if is_tsv_name else ["dense", "tsv"]
    if len(found) == 1:
        return found[0]
    if found:
        raise AmbiguousFormatError(f"could be {' or '.join(found)}", path=source.path, line=1, cure=_CURE)
    if len(lines) == 1 and "\t" not in lines[0] and source.path.endswith(".txt"):
        return "timeline"  # the name of its entity and nothing else: an empty timeline
    if is_tsv_name:
        return "tsv"  # nothing else is called so, and its reader says what is wrong with which line
    raise _nothing_fits(source, lines)


def _is_csp(lines: list[str]) -> bool:
    from temporacle.io.csp import looks_like_csp

    return looks_like_csp(lines)


def _is_csv(line: str, path: str) -> bool:
    """Whether a first line names the columns of CSV, or is a link in a file that is called CSV."""
    if "\t" in line or "," not in line:
        return False
    import csv

    from temporacle.io.table import column_names

    try:
        cells = next(csv.reader([line]))
    except csv.Error:  # a carriage return in the middle, for instance
        return False
    names, is_link = column_names(cells)
    if not is_link or not names:
        return not is_link
    return path.endswith((".csv", ".csv.gz")) and _knows("links", cells[-2])


def _start(source: Source) -> str:
    """What is looked at. A character cut in two at its end does no harm."""
    encoding = source.options.encoding
    if encoding is None and source.data.startswith(BYTE_ORDER_MARKS[1:]):
        cure = "give --encoding utf-16, or save the file as UTF-8"
        raise source.error("text in UTF-16, by its byte order mark", line=1, cure=cure)
    try:
        text = source.data[: 1 << 20].decode(encoding or "utf-8", "replace")
    except LookupError:
        raise source.error(f"unknown encoding {encoding!r}") from None
    except UnicodeError as error:  # not every codec can pass over what it does not know
        raise source.error(f"cannot be read as {encoding}: {error}") from None
    return text.removeprefix("\ufeff")


def _first_lines(text: str) -> list[str]:
    """The first lines that are not blank."""
    lines = (line.removesuffix("\r") for line in text.split("\n"))
    return [line for line in lines if line.strip()][: _LOOKED_AT + 1]


def _nothing_fits(source: Source, lines: list[str]) -> InputError:
    rows = _rows(lines)
    start = lines[0].strip()[:40]
    is_xml_name = source.path.endswith((".tml", ".xml"))
    if rows and all(2 <= len(row) <= 3 and not any(cell.strip() for cell in row[2:]) for row in rows):
        what = "not XML" if is_xml_name else "no labels"
        cure = "a list of pairs without labels is a work list, not an annotation"
        return source.error(f"{what}: it starts with {start!r}", line=1, cure=cure)
    if is_xml_name:
        from temporacle.io.xml import not_xml

        return not_xml(source)
    return source.error(f"no known format: it starts with {start!r}", line=1, cure=_CURE)


def _rows(lines: Iterable[str]) -> list[list[str]]:
    return [line.split("\t") for line in lines if not line.startswith("#")]


def _share(rows: Sequence[list[str]], fits: Callable[[list[str]], bool]) -> float:
    """The share of the rows that fit: a slip in some line must not hide the format of the others."""
    return sum(map(fits, rows)) / len(rows) if rows else 0


def _timeline(lines: list[str], _reading: str | None) -> float:
    """A name without a tab, then ``position TAB anchor TAB mention``."""
    if "\t" in lines[0]:
        return 0
    rows = [line.split("\t") for line in lines[1:]]
    return _share(rows, lambda row: len(row) >= 3 and _is_integer(row[0]))


def _dependency_tree(lines: list[str], _reading: str | None) -> float:
    """Document, three numbers of the child and its type, three numbers of the parent, label."""
    numbers = (1, 2, 3, 5, 6, 7)
    return _share(_rows(lines), lambda row: len(row) == 9 and all(_is_integer(row[column]) for column in numbers))


def _matres(lines: list[str], _reading: str | None) -> float:
    """Document, two words, two bare integers, label."""
    return _share(
        _rows(lines),
        lambda row: len(row) == 6 and _is_integer(row[3]) and _is_integer(row[4]) and _knows("matres", row[5]),
    )


def _dense(lines: list[str], reading: str | None) -> float:
    """Documents in column 1 and the label in column 4 (a fifth is a remark), or an annotator's three columns."""
    rows = _rows(lines)
    corpus = _share(rows, lambda row: len(row) in {4, 5} and _is_dense_label(row[2], row[3], reading))
    return max(corpus, _annotator(rows, reading))


def _annotator(rows: Sequence[list[str]], reading: str | None) -> float:
    """Source, target, label, then perhaps a remark; rows without a label are pairs nobody has judged.

    Blanks may stand for tabs, so a row of fewer columns is cut again at white space. Then both ids must have the form
    of these corpora, or any prose would do whose third words are "a".
    """
    cut: list[list[str]] = []
    for row in rows:
        pieces = row if len(row) > 2 else " ".join(row).split()
        if len(pieces) < 2 or (len(row) < 3 and not all(_ID.fullmatch(name) for name in pieces[:2])):
            return 0
        cut.append(pieces)
    labelled = [row for row in cut if len(row) > 2 and row[2].strip()]
    return _share(labelled, lambda row: _is_dense_label(row[1], row[2], reading))


def _links(lines: list[str], reading: str | None) -> float:
    """``source relation target``, perhaps with the document first, perhaps with a header."""
    from temporacle.io.tsv import is_header

    rows = _rows(lines)
    if not rows or is_header(rows[0]):
        return len(rows[:1])
    width = len(rows[0])
    return _share(rows, lambda row: len(row) == width and width in {3, 4} and _is_links_label(row[-2], reading))


def _is_integer(cell: str) -> bool:
    return _INTEGER.fullmatch(cell.strip()) is not None


def _is_dense_label(before: str, label: str, reading: str | None) -> bool:
    """A one-letter label after an id. An id that is itself a word such as BEFORE is a label in a links file."""
    return _knows("dense", label) and not (len(before) > 2 and _is_links_label(before, reading))


def _is_links_label(label: str, reading: str | None) -> bool:
    """Whether a links file may say so: in its own labels, or in those of the reading that the caller has chosen."""
    return _knows("links", label) or (reading is not None and _knows(reading, label))


def _has_numbered_ids(lines: list[str]) -> bool:
    """Whether what would be the target in the dense format has a number, as all ids of those corpora have.

    Most lines must: a line of names of columns, or of somebody's remarks, is no link.
    """
    return _share(_rows(lines), lambda row: any(map(str.isdigit, _dense_target(row)))) > 0.5


def _dense_target(row: list[str]) -> str:
    if len(row) in {3, 4}:
        return row[-2]
    has_document = len(row) == 5 and _knows("dense", row[3])
    return row[2] if has_document else (row[1:2] or row)[0]


def _knows(reading: str, label: str) -> bool:
    """Whether every part of a label is known there."""
    known = load_reading(reading)
    return all(
        canonical(part) in known.labels or (known.atoms and atom_named(part) is not None) for part in label.split("|")
    )


# The first lines, and the reading that the caller has chosen, if any.
_RULES: dict[str, Callable[[list[str], str | None], float]] = {
    "timeline": _timeline,
    "matres": _matres,
    "deptree": _dependency_tree,
    "dense": _dense,
    "tsv": _links,
}
