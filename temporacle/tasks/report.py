"""``report`` and ``report_comparison``: pages about a corpus, and about systems and a gold standard.

    report("corpus/", out="report.html")
    report_comparison("gold/", {"ours": "run1/", "baseline": "run2/"}, out="scores.html")

They write HTML that needs no network and return what they wrote. What makes the pages takes time to load, so it stands
in other modules.
"""

from __future__ import annotations

from os import PathLike  # noqa: TC003 - read at run time
from typing import TYPE_CHECKING, Annotated, TypeAlias, Unpack

from temporacle.corpus.observer import SILENT, Observer
from temporacle.corpus.options import Corpus, DatedPageOptions, Going, PageOptions
from temporacle.declared import OUTPUT, RUNNING, About, float_of_seconds, whole_task

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from temporacle.corpus.inputs import Inputs
    from temporacle.report.systems.gather import NamedCorpus
    from temporacle.tasks.report_work import ComparisonReport, CorpusReport

Systems: TypeAlias = "Mapping[str, Inputs] | Sequence[NamedCorpus] | Inputs"
"""Systems by name, a path or several, or the documents of one system."""


PageFile: TypeAlias = Annotated[
    "str | PathLike[str]", About("The page to write.", value="FILE", path="file", group=OUTPUT, short="-o")
]
Heading: TypeAlias = Annotated[
    str | None, About("The heading of the page (default: the names of the files or folders).", value="TITLE")
]
LayoutChoice: TypeAlias = Annotated[
    str,
    About(
        "All details on one page, or on linked pages next to it (auto: with more than 60 documents).",
        choices=("auto", "single", "linked"),
    ),
]
PageLimit: TypeAlias = Annotated[
    float | str | None,
    About(
        "Per document, such as 90, 1m or 1h; then undecided. A page also draws the documents.",
        value="TIME",
        group=RUNNING,
        parse=float_of_seconds,
    ),
]


@whole_task
def report(
    source: Corpus,
    *,
    out: PageFile = "report.html",
    title: Heading = None,
    layout: LayoutChoice = "auto",
    all_details: Annotated[
        bool,
        About(
            "For a corpus of more than 60 documents: also list details of consistent documents without warnings, and"
            " draw all consistent documents."
        ),
    ] = False,
    use_certificates: Annotated[
        str | PathLike[str] | None,
        About(
            "For a corpus: a folder of certificates, made by temporacle check --certificates, to put on the page. The"
            " browser of the reader checks them.",
            value="PATH",
            path="read",
        ),
    ] = None,
    time_limit: PageLimit = 60,
    observer: Observer = SILENT,
    **shared: Unpack[DatedPageOptions],
) -> CorpusReport:
    """Write a page about the documents of a source: verdicts, conflicts, repairs, texts and drawings.

    Details of many documents are in a folder next to the page.

    Args:
        observer: Hears remarks about the corpus, what could not be read or decided, and how the work goes on.

    Returns:
        The path of the page, and what was found.

    Raises:
        UsageError: No document could be read; then no page is written.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     report([("left", "BEFORE", "docked")], out=f"{folder}/report.html").verdicts
        {'consistent': 1}
    """
    going = Going.over(source, {**shared, "time_limit": time_limit})
    from temporacle.tasks.report_work import corpus_report  # a command line starts without the pages

    return corpus_report(
        source,
        going,
        observer,
        out,
        title=title,
        layout=layout,
        certificates=use_certificates,
        all_details=all_details,
    )


@whole_task
def report_comparison(
    gold: Annotated[Inputs | NamedCorpus, About("File or folder of the gold standard.", value="GOLD", path="read")],
    systems: Annotated[Systems, About("Systems by name, a path or several, or the documents of one system.")],
    *,
    out: PageFile = "report.html",
    title: Heading = None,
    layout: LayoutChoice = "auto",
    align: Annotated[
        str, About("For a comparison: how to match entities, by ids or by text spans.", choices=("ids", "spans"))
    ] = "ids",
    seed: Annotated[
        int, About("For a comparison: seed of the p-values, if over 20 documents differ.", value="N", least=0)
    ] = 0,
    time_limit: PageLimit = 60,
    observer: Observer = SILENT,
    **shared: Unpack[PageOptions],
) -> ComparisonReport:
    """Write a page about one or more systems against a gold standard: scores, and a reason for every link.

    Args:
        observer: Gets every step; ``steps`` says how many there are.

    Returns:
        The path of the page, and the names of the systems.

    Raises:
        UsageError: One side has no readable document, or a score would mislead.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> links = [("left", "BEFORE", "docked"), ("docked", "BEFORE", "unloaded")]
        >>> with TemporaryDirectory() as folder:
        ...     report_comparison(links, {"ours": links[:1]}, out=f"{folder}/systems.html").systems
        ('ours',)
    """
    going = Going.over((), {**shared, "time_limit": time_limit})
    from temporacle.tasks.report_comparison import comparison_report

    return comparison_report(
        gold, systems, going, observer, out=out, title=title, layout=layout, align=align, seed=seed
    )
