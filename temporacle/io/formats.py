"""Every format, by name. A new format is one file, one line here, and an example in ``data/examples``.

A line says where the reader and the writer are, what the labels mean unless the user says otherwise, how the format is
known by its content (``signs``), and which names its files have. ``--help`` and the documentation are made of it.

A reader is a function ``read(source: Source) -> Iterator[Document | Unreadable]``: a file may hold many documents, and
one bad document does not spoil the others. A problem with the whole file is raised as InputError.

An editor is a function ``splices(text, source, documents, edits) -> list[Splice]``: what to replace in the file's text
(``edit``).

A writer is a function ``text(document, report) -> str``: the document in that format. It reports what the format
cannot hold, and raises InputError for a document that cannot be written at all.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import cache, cached_property, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from temporacle.errors import FAILURES, InputError, UsageError, warn_caller
from temporacle.readings import load_reading

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from temporacle.io.source import Source
    from temporacle.model import Document, PlainGraph, Remark, Unreadable
    from temporacle.plugins import Plugin
    from temporacle.readings import Reading

# ----------------------------------------------------------------------------------------------------
# Signs by which a format is known: parts of its line in ``formats``.
#
# A function is named as "module:function" and loaded when it is asked for the first time.
#
#     Suffix(suffix)        a file name that belongs to one format alone, so that even an empty file is in it
#     Root(tag)             XML with that root element
#     Structure(function)   is_root(element) -> bool: XML that is known by what stands below its root
#     Beginning(bytes)      the first bytes of a file
#     FirstObject(function) is_first_object(record) -> bool: the first object of a JSON text
#     FirstLine(pattern)    what the first line that is not blank begins with
#     TableLine(function)   is_first_line(line, path) -> bool: the first line of a table, with commas
#     TabRows(function)     share_that_fits(sample) -> the share of the first rows that fit, 0 to 1
#     FolderFiles(function) is_folder(names) -> bool: a folder that is in the format as a whole

BYTE_ORDER_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_INTEGER = re.compile(r"-?\d+")
_SEEN_BY_PLUGINS = 1 << 16  # bytes of a file


@cache
def located(place: str) -> Any:
    """Return the function that "module:function" names, of a module in this folder."""
    module, function = place.split(":")
    return getattr(import_module(f"temporacle.io.{module}"), function)


class Suffix(NamedTuple):
    """The end of a file name that no other format has."""

    suffix: str

    def fits(self, path: str) -> bool:
        return path.endswith((self.suffix, f"{self.suffix}.gz"))


class Root(NamedTuple):
    """A root element, and what stands below it, if anything does."""

    tag: str
    any_namespace: bool = False
    children: tuple[str, ...] = ()


class Beginning(NamedTuple):
    """The first bytes of a file."""

    start: bytes
    after_blanks: bool = False


class FirstLine(NamedTuple):
    """A first line that no other format has: the pattern with which it begins."""

    pattern: str

    def fits(self, line: str, _path: str) -> bool:
        return re.match(self.pattern, line) is not None


@dataclass(frozen=True, slots=True)
class Asked:
    """A sign that a function of the format's own module looks for."""

    location: str

    def fits(self, *about: Any) -> bool:
        return bool(located(self.location)(*about))


class RootStructure(Asked):
    """A root element of any name that is known by its children."""


class TableLine(Asked):
    """The first line of a table whose cells commas separate."""

    def fits(self, line: str, path: str) -> bool:
        return "," in line and "\t" not in line and bool(located(self.location)(line, path))


class FolderFiles(Asked):
    """Files that make a folder one of the format."""


class TabRows(Asked):
    """Columns of tab text."""

    def share(self, sample: Sample) -> float:
        return float(located(self.location)(sample))


@dataclass(frozen=True, slots=True)
class FirstObject(Asked):
    """The first object of JSON that is not JSON Lines of our own. Where it is cut off, only its keys are known."""

    names_document: bool = False  # its objects have "document", as those of our own JSON Lines

    def fits(self, *about: Any) -> bool:
        (record,) = about
        return (self.names_document or "document" not in record) and bool(located(self.location)(record))


Sign: TypeAlias = Suffix | Root | Beginning | FirstLine | Asked


def looks_like_xml(data: bytes) -> bool:
    """Return whether the first byte that is neither blank nor a byte order mark is ``<``.

    >>> looks_like_xml(b"  <TimeML/>"), looks_like_xml(b"e1 e2 b"), looks_like_xml("<a/>".encode("utf-16"))
    (True, False, True)
    """
    head = data[:1024]
    for mark in BYTE_ORDER_MARKS:
        head = head.removeprefix(mark)
    return head.replace(b"\0", b"").lstrip()[:1] == b"<"


@dataclass(frozen=True)
class Sample:
    """The first lines of a text file that are not blank, and the reading that the caller has chosen, if any."""

    lines: list[str]
    reading: Reading | None = None

    @cached_property
    def rows(self) -> list[list[str]]:
        """Return the lines split at tabs, without comments."""
        return [line.split("\t") for line in self.lines if not line.startswith("#")]

    def is_link_label(self, label: str) -> bool:
        """Return whether a file of plain links may use this label: one of the format or of the chosen reading."""
        return knows("links", label) or (self.reading is not None and knows(self.reading, label))


def share(rows: Sequence[list[str]], fits: Callable[[list[str]], bool]) -> float:
    """Return the share of the rows that fit.

    A share is used so that one bad line does not hide the format of the others.
    """
    return sum(map(fits, rows)) / len(rows) if rows else 0


def is_integer(cell: str) -> bool:
    """Return whether a cell is a whole number."""
    return _INTEGER.fullmatch(cell.strip()) is not None


def knows(reading: str | Reading, label: str) -> bool:
    """Return whether a reading knows every part of a label."""
    return (load_reading(reading) if isinstance(reading, str) else reading).knows(label)


# ----------------------------------------------------------------------------------------------------

Reader: TypeAlias = "Callable[[Source], Iterator[Document | Unreadable]]"
GraphReader: TypeAlias = "Callable[[Source], Iterator[Document | PlainGraph | Unreadable]]"
Report: TypeAlias = "Callable[[Remark], None]"


@dataclass(frozen=True, slots=True)
class Format:
    """The facts about a format that are known without loading its module."""

    name: str
    location: str | None  # of the reader, "module:function"; None: it can only be written
    reading: str | None  # how labels are read unless the user says otherwise; None: they have no meaning of their own
    about: str
    suffixes: tuple[str, ...] = ()  # of its files; the first is given to new ones
    signs: tuple[Sign, ...] = ()  # how it is known by its content: any of these
    one_document: bool = False  # every file holds exactly one document, which is named by the file
    naming: str | None = None  # "module:function" from a file's name to its document's, where these differ
    writer: str | None = None  # "module:function"; None: it can only be read
    header: str = ""  # with which a written file begins
    beside: tuple[str, ...] = ()  # suffixes of files that belong to one of this format, such as its text
    editor: str | None = None  # "module:function" that finds links in a file's text (``edit``); None: it is not edited
    graphs: str | None = None  # "module:function", a reader that yields plain graphs where it can; None: there is none

    def reader(self) -> Reader:
        """Return the function that reads this format."""
        if self.location is None:
            raise UsageError(f"{self.name} can be written, but not read: choose {', '.join(FORMATS)}")
        reader: Reader = located(self.location)
        return reader

    def graph_reader(self) -> GraphReader:
        """Return the function that reads this format for those who can use plain graphs."""
        if self.graphs is None:
            return self.reader()
        reader: GraphReader = located(self.graphs)
        return reader

    def text(self, document: Document, report: Report) -> str:
        """Return a document as text in this format."""
        if self.writer is None:
            raise UsageError(f"{self.name} can be read, but not written: choose {', '.join(WRITERS)}")
        written: str = located(self.writer)(document, report)
        return written

    def document_name(self, name: str) -> str:
        """Return the name of the single document in a file, given the file's name without folders and suffixes."""
        found: str = name if self.naming is None else located(self.naming)(name)
        return found


_BRAT_LINE = (
    r"\ufeff?(?:T\d+\t\S+ \d+ \d+(?:;\d+ \d+)*(?:\t|$)"
    r"|R\d+\t\S+ [^\s:]+:\S+ [^\s:]+:\S+\s*$"
    r"|E\d+\t[^\s:]+:T\d+(?:\s|$))"
)
# A row for each format, with the fields of ``Format``. Functions are those of modules in this folder.
# fmt: off
_TABLE = (
    Format("timeml", "timeml.read:read", "timeml", "TimeML 1.2.1 and its variants, NarrativeTime",
           (".tml", ".xml"), (Root("TimeML", any_namespace=True),), one_document=True, writer="timeml.write:text",
           editor="timeml.edit:splices"),
    Format("tempeval1", "timeml.read:read_tempeval1", "tempeval", "TempEval-1 (2007) XML",
           (".tml", ".xml"), (Root("TempEval", any_namespace=True),), one_document=True, editor="timeml.edit:splices"),
    Format("cat", "cat:read", "timeml", "CAT XML: MEANTIME, EventStoryLine, Causal-TimeBank",
           (".xml",), (Root("Document", children=("token", "Markables")),), one_document=True),
    Format("anafora", "anafora:read", "thyme", "Anafora XML: THYME",
           (".xml",), (Root("data", children=("annotations",)),), one_document=True, naming="anafora:document_name"),
    Format("caevo", "caevo:read", "timeml", "CAEVO info XML",
           (".xml",), (Root("{http://chambers.com/corpusinfo}root"),)),
    Format("xmi", "tools.cas:read_xmi", "tools", "UIMA CAS XMI: INCEpTION, WebAnno",
           (".xmi", ".xml"), (Root("{http://www.omg.org/XMI}XMI"),), editor="tools.cas_edit:xmi_splices"),
    Format("mae", "tools.mae:read", "tools", "MAE XML, i2b2 2012",
           (".xml",), (RootStructure("tools.mae:is_root"),), editor="tools.mae:splices"),
    Format("cas-json", "tools.cas:read_json", "tools", "UIMA CAS JSON 0.4: INCEpTION",
           (".json",), (FirstObject("tools.cas:is_first_object"),), editor="tools.cas_edit:json_splices"),
    Format("label-studio", "tools.label_studio:read", "tools", "Label Studio, export JSON",
           (".json",), (FirstObject("tools.label_studio:is_first_object"),), editor="tools.label_studio:splices"),
    Format("eventfull", "eventfull:read", "matres", "EventFull and OmniTemp JSON: tokens, allMentions, allPairs",
           (".json",), (FirstObject("eventfull:is_first_object"),), writer="eventfull:text",
           editor="eventfull:splices"),
    Format("maven", "maven:read", "thyme", "MAVEN-ERE JSON Lines: events with mentions, temporal_relations by type",
           (".jsonl",), (FirstObject("maven:is_first_object"),)),
    Format("llm", "llm:read", "matres", "answers of language models: graphs, lists, tables or JSON in free text",
           (".jsonl", ".txt", ".md"), (FirstObject("llm:is_first_object", names_document=True),)),
    Format("prodigy", "tools.tasks:read_prodigy", "tools", "Prodigy, JSON Lines with relations",
           (".jsonl",), (FirstObject("tools.tasks:is_prodigy"),), editor="tools.tasks:prodigy_splices"),
    Format("doccano", "tools.tasks:read_doccano", "tools", "doccano, JSON Lines with relations",
           (".jsonl",), (FirstObject("tools.tasks:is_doccano"),), editor="tools.tasks:doccano_splices"),
    Format("tempeval2", "tempeval2:read", "tempeval", "TempEval-2 folder of tab files",
           (), (FolderFiles("tempeval2:is_folder"),)),
    Format("estonian", "tempeval2:read_estonian", "tempeval", "Estonian TimeML folder of tab files",
           (), (FolderFiles("tempeval2:is_estonian_folder"), FirstLine(r"(?i)# filename"))),
    Format("brat", "tools.brat:read", "tools", "brat standoff: .ann, with the text in a .txt file next to it",
           (".ann",), (Suffix(".ann"), FirstLine(_BRAT_LINE)), one_document=True, editor="tools.brat:splices",
           beside=(".txt",)),
    Format("timeline", "timeline:read", "timeline", "SemEval-2015 task 4 timelines",
           (".txt",), (TabRows("timeline:share_that_fits"),), one_document=True),
    Format("dense", "dense:read", "dense", "TimeBank-Dense and TDDiscourse tab text",
           (".txt", ".tsv"), (TabRows("dense:share_that_fits"),)),
    Format("matres", "dense:read_matres", "matres", "MATRES tab text",
           (".txt",), (TabRows("dense:matres_share_that_fits"),)),
    Format("deptree", "dependency:read_trees", "tempeval", "temporal dependency trees (.tdt)",
           (), (TabRows("dependency:share_of_tree_rows"),)),
    Format("depgraph", "dependency:read_graphs", "tempeval", "temporal dependency graphs",
           (".txt",), (FirstLine(r"filename:.*:SNT_LIST\s*+$"),)),
    Format("umr", "umr:read", "umr", "UMR, Uniform Meaning Representation: temporal links of the document level",
           (".umr",),
           (Suffix(".umr"), FirstLine(r"#\s*+(?:meta-info\b|::\s*+snt\s?+\d)"), TabRows("umr:share_that_fits")),
           one_document=True, editor="umr:splices"),
    Format("tsv", "tables:read_tsv", None, "links TSV: source, relation, target",
           (".tsv",), (TabRows("tables:share_that_fits"),), writer="tables:tsv_text", editor="tables_edit:tsv_splices",
           header="document\tsource\trelation\ttarget\n"),
    Format("csp", "csp:read", "links", "constraint networks of GQR",
           (".csp",), (TabRows("csp:share_that_fits"),), writer="csp:text"),
    Format("csv", "tables:read_csv", None, "CSV: one link per row",
           (".csv",), (TableLine("tables:is_first_line"),), writer="tables:csv_text", editor="tables_edit:csv_splices",
           header="document,id,source,relation,label,target,line,weight,task\r\n"),
    Format("parquet", "tables:read_parquet", None, "Parquet: one link per row", (".parquet",), (Beginning(b"PAR1"),)),
    Format("jsonl", "jsonl.read:read", None, "JSON Lines: one document per line, or one link per line",
           (".jsonl",), (Beginning(b"{", after_blanks=True),), writer="jsonl.document:text",
           editor="jsonl.edit:splices", graphs="jsonl.read:read_graphs"),
    Format("dot", None, None, "Graphviz, to be drawn", (".dot", ".gv"), writer="writers:text"),
)
# fmt: on
REGISTRY = {entry.name: entry for entry in _TABLE}
FORMATS = {name: entry for name, entry in REGISTRY.items() if entry.location is not None}  # that can be read
WRITERS = {name: entry for name, entry in REGISTRY.items() if entry.writer is not None}  # that can be written


def format_named(name: str) -> Format:
    """Return the readable format of that name. Raise UsageError with the known names if there is none."""
    if (found := FORMATS.get(name)) is not None:
        return found
    from temporacle.plugins import Group, names_of, plugin_named

    if (plugin := plugin_named(Group.FORMATS, name)) is None:
        raise UsageError(option="format", value=name, allowed=names_of(Group.FORMATS, FORMATS))
    return PluginFormat.of(plugin)


# ----------------------------------------------------------------------------------------------------
# Formats of plugins


@dataclass(frozen=True, slots=True)
class PluginFormat(Format):
    """A format that another package adds. Its documents are objects as in JSON Lines."""

    plugin: Plugin = None  # type: ignore[assignment]  # always given; the fields before it have defaults

    @classmethod
    def of(cls, plugin: Plugin) -> PluginFormat:
        """Return the facts about the format of a plugin."""
        own = plugin.implementation
        about = f"{own.about} ({plugin.package} {plugin.version})"
        writer = plugin.name if hasattr(own, "write") else None
        return cls(plugin.name, plugin.name, own.label_set, about, tuple(own.suffixes), writer=writer, plugin=plugin)

    def reader(self) -> Reader:
        return partial(located("values:read_by_plugin"), self.plugin)

    def text(self, document: Document, report: Report) -> str:  # noqa: ARG002 - a plugin reports nothing
        if self.writer is None:
            raise UsageError(f"{self.name} can be read, but not written: choose {', '.join(WRITERS)}")
        try:
            return str(self.plugin.implementation.write(document))
        except FAILURES as error:
            raise InputError(self.plugin.failed(error), path=document.path) from None


def plugin_formats() -> tuple[PluginFormat, ...]:
    """Return the formats that other packages add."""
    from temporacle.plugins import Group, plugins

    return tuple(map(PluginFormat.of, plugins(Group.FORMATS, REGISTRY)))


def recognised_by_plugins(source: Source) -> str | None:
    """Return the name of the format of a plugin that recognises a source; None if not exactly one does."""
    from temporacle.plugins import PluginWarning

    found = []
    for entry in plugin_formats():
        try:
            if entry.plugin.implementation.recognises(source.data[:_SEEN_BY_PLUGINS], source.path):
                found.append(entry.name)
        except FAILURES as error:
            warn_caller(PluginWarning(entry.plugin.failed(error)))
    return found[0] if len(found) == 1 else None


# ----------------------------------------------------------------------------------------------------
# A small example of each format, for people who want to see what it looks like.


def example_of(name: str) -> str:
    """Return the example of a format. The example of a folder format names its files after ``==>``.

    Formats of plugins have none.
    """
    if name not in REGISTRY:
        return ""
    folder = os.path.join(os.path.dirname(os.path.dirname(__file__)), "data", "examples")  # noqa: PTH118, PTH120
    with open(os.path.join(folder, f"{name}.txt"), encoding="utf-8", newline="") as file:  # noqa: PTH118, PTH123
        return file.read()
