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

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from temporacle.errors import UsageError
from temporacle.io.signs import (
    Beginning,
    FirstLine,
    FirstObject,
    FolderFiles,
    Root,
    Structure,
    Suffix,
    TabRows,
    located,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from temporacle.io.signs import Sign
    from temporacle.io.source import Source
    from temporacle.model import Document, PlainGraph, Remark, Unreadable

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


_HERE = "temporacle.io"
REGISTRY = {
    entry.name: entry
    for entry in (
        Format(
            "timeml",
            f"{_HERE}.timeml:read",
            "timeml",
            "TimeML 1.2.1 and its variants, NarrativeTime",
            suffixes=(".tml", ".xml"),
            signs=(Root("TimeML", any_namespace=True),),
            one_document=True,
            writer=f"{_HERE}.timeml_write:text",
            editor=f"{_HERE}.edit.timeml:splices",
        ),
        Format(
            "tempeval1",
            f"{_HERE}.tempeval1:read",
            "tempeval",
            "TempEval-1 (2007) XML",
            suffixes=(".tml", ".xml"),
            signs=(Root("TempEval", any_namespace=True),),
            one_document=True,
            editor=f"{_HERE}.edit.timeml:splices",
        ),
        Format(
            "cat",
            f"{_HERE}.cat:read",
            "timeml",
            "CAT XML: MEANTIME, EventStoryLine, Causal-TimeBank",
            suffixes=(".xml",),
            signs=(Root("Document", children=("token", "Markables")),),
            one_document=True,
        ),
        Format(
            "anafora",
            f"{_HERE}.anafora:read",
            "thyme",
            "Anafora XML: THYME",
            suffixes=(".xml",),
            signs=(Root("data", children=("annotations",)),),
            one_document=True,
            naming=f"{_HERE}.anafora:document_name",
        ),
        Format(
            "caevo",
            f"{_HERE}.caevo:read",
            "timeml",
            "CAEVO info XML",
            suffixes=(".xml",),
            signs=(Root("{http://chambers.com/corpusinfo}root"),),
        ),
        Format(
            "xmi",
            f"{_HERE}.tools.xmi:read",
            "tools",
            "UIMA CAS XMI: INCEpTION, WebAnno",
            suffixes=(".xmi", ".xml"),
            signs=(Root("{http://www.omg.org/XMI}XMI"),),
            editor=f"{_HERE}.edit.xmi:splices",
        ),
        Format(
            "mae",
            f"{_HERE}.tools.mae:read",
            "tools",
            "MAE XML, i2b2 2012",
            suffixes=(".xml",),
            signs=(Structure(f"{_HERE}.tools.mae:is_root"),),
            editor=f"{_HERE}.edit.mae:splices",
        ),
        Format(
            "cas-json",
            f"{_HERE}.tools.cas_json:read",
            "tools",
            "UIMA CAS JSON 0.4: INCEpTION",
            suffixes=(".json",),
            signs=(FirstObject(f"{_HERE}.tools.cas_json:is_first_object"),),
            editor=f"{_HERE}.edit.cas_json:splices",
        ),
        Format(
            "label-studio",
            f"{_HERE}.tools.label_studio:read",
            "tools",
            "Label Studio, export JSON",
            suffixes=(".json",),
            signs=(FirstObject(f"{_HERE}.tools.label_studio:is_first_object"),),
            editor=f"{_HERE}.edit.label_studio:splices",
        ),
        Format(
            "llm",
            f"{_HERE}.llm:read",
            "matres",
            "answers of language models: graphs, lists, tables or JSON in free text",
            suffixes=(".jsonl", ".txt", ".md"),
            signs=(FirstObject(f"{_HERE}.llm:is_first_object", names_document=True),),
        ),
        Format(
            "prodigy",
            f"{_HERE}.tools.prodigy:read",
            "tools",
            "Prodigy, JSON Lines with relations",
            suffixes=(".jsonl",),
            signs=(FirstObject(f"{_HERE}.tools.prodigy:is_first_object"),),
            editor=f"{_HERE}.edit.task_lines:prodigy_splices",
        ),
        Format(
            "doccano",
            f"{_HERE}.tools.doccano:read",
            "tools",
            "doccano, JSON Lines with relations",
            suffixes=(".jsonl",),
            signs=(FirstObject(f"{_HERE}.tools.doccano:is_first_object"),),
            editor=f"{_HERE}.edit.task_lines:doccano_splices",
        ),
        Format(
            "tempeval2",
            f"{_HERE}.tempeval2:read",
            "tempeval",
            "TempEval-2 folder of tab files",
            signs=(FolderFiles(f"{_HERE}.tempeval2:is_folder"),),
        ),
        Format(
            "estonian",
            f"{_HERE}.estonian:read",
            "tempeval",
            "Estonian TimeML folder of tab files",
            signs=(FolderFiles(f"{_HERE}.estonian:is_folder"), FirstLine(f"{_HERE}.estonian:is_first_line")),
        ),
        Format(
            "brat",
            f"{_HERE}.tools.brat:read",
            "tools",
            "brat standoff: .ann, with the text in a .txt file beside it",
            suffixes=(".ann",),
            signs=(Suffix(".ann"), FirstLine(f"{_HERE}.tools.brat_lines:is_first_line")),
            one_document=True,
            beside=(".txt",),
            editor=f"{_HERE}.edit.brat:splices",
        ),
        Format(
            "timeline",
            f"{_HERE}.timeline:read",
            "timeline",
            "SemEval-2015 task 4 timelines",
            suffixes=(".txt",),
            signs=(TabRows(f"{_HERE}.timeline:share_that_fits"),),
            one_document=True,
        ),
        Format(
            "dense",
            f"{_HERE}.dense:read",
            "dense",
            "TimeBank-Dense and TDDiscourse tab text",
            suffixes=(".txt", ".tsv"),
            signs=(TabRows(f"{_HERE}.dense:share_that_fits"),),
        ),
        Format(
            "matres",
            f"{_HERE}.matres:read",
            "matres",
            "MATRES tab text",
            suffixes=(".txt",),
            signs=(TabRows(f"{_HERE}.matres:share_that_fits"),),
        ),
        Format(
            "deptree",
            f"{_HERE}.dependency:read_trees",
            "tempeval",
            "temporal dependency trees (.tdt)",
            signs=(TabRows(f"{_HERE}.dependency:share_of_tree_rows"),),
        ),
        Format(
            "depgraph",
            f"{_HERE}.dependency:read_graphs",
            "tempeval",
            "temporal dependency graphs",
            suffixes=(".txt",),
            signs=(FirstLine(f"{_HERE}.dependency:is_first_line_of_graphs"),),
        ),
        Format(
            "tsv",
            f"{_HERE}.tsv:read",
            None,
            "links TSV: source, relation, target",
            suffixes=(".tsv",),
            signs=(TabRows(f"{_HERE}.tsv:share_that_fits"),),
            writer=f"{_HERE}.tsv:text",
            header="document\tsource\trelation\ttarget\n",
            editor=f"{_HERE}.edit.rows:tsv_splices",
        ),
        Format(
            "csp",
            f"{_HERE}.csp:read",
            "links",
            "constraint networks of GQR",
            suffixes=(".csp",),
            signs=(TabRows(f"{_HERE}.csp:share_that_fits"),),
            writer=f"{_HERE}.csp_write:text",
        ),
        Format(
            "csv",
            f"{_HERE}.csv:read",
            None,
            "CSV: one link a row",
            suffixes=(".csv",),
            signs=(FirstLine(f"{_HERE}.csv:is_first_line"),),
            writer=f"{_HERE}.csv:text",
            header="document,id,source,relation,label,target,line,weight,task\r\n",
            editor=f"{_HERE}.edit.rows:csv_splices",
        ),
        Format(
            "parquet",
            f"{_HERE}.parquet:read",
            None,
            "Parquet: one link a row",
            suffixes=(".parquet",),
            signs=(Beginning(b"PAR1"),),
        ),
        Format(
            "jsonl",
            f"{_HERE}.jsonl:read",
            None,
            "JSON Lines: one document a line, or one link a line",
            graphs=f"{_HERE}.jsonl:read_graphs",
            suffixes=(".jsonl",),
            signs=(Beginning(b"{", after_blanks=True),),
            writer=f"{_HERE}.jsonl_write:text",
            editor=f"{_HERE}.edit.jsonl:splices",
        ),
        Format(
            "dot",
            None,
            None,
            "Graphviz, to be drawn",
            suffixes=(".dot", ".gv"),
            writer=f"{_HERE}.dot:text",
        ),
    )
}
FORMATS = {name: entry for name, entry in REGISTRY.items() if entry.location is not None}  # that can be read
WRITERS = {name: entry for name, entry in REGISTRY.items() if entry.writer is not None}  # that can be written


def format_named(name: str) -> Format:
    """Return the readable format of that name. Raise UsageError with the known names if there is none."""
    try:
        return FORMATS[name]
    except KeyError:
        raise UsageError(f"unknown format {name!r}: choose {', '.join(FORMATS)}") from None
