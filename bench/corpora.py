"""The state of temporal corpora: one row for each local copy, and the smallest conflict of every document that has one.

    python -m bench.corpora ../shared/corpora -o bench/results/corpora.md
    python -m bench.corpora ../shared/corpora --add "TimeBank 1.2=timebank/data/timeml" --add "E3C=e3c/layer1:e3c"

A folder is searched for the corpora of the list below. ``--add NAME=PATH`` is a row of your own; ``:MAPPING`` at its
end names a mapping of annotation tools. Nothing of a text is written but ids, labels and single words.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import temporacle as tp

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_LOOSE = {
    "timeml": "timeml-loose",
    "tempeval": "tempeval-loose",
    "dense": "dense-loose",
    "thyme": "thyme-loose",
    "umr": "umr-loose",
}
_LISTED = 40  # inconsistent documents of a corpus that are listed


class Corpus(NamedTuple):
    """A corpus of the list: where it lies below a folder, and how it is read."""

    name: str
    patterns: tuple[str, ...]
    labels: str  # the reading that its format has
    options: dict[str, Any] = {}  # noqa: RUF012 - never changed
    dated: bool = False  # whether it has values of time expressions
    whole: str = ""  # the corpus that it is a sample of: left out where that one is added


CORPORA = (
    Corpus("TempEval-3 platinum", ("te3-platinum/*.tml",), "timeml", dated=True),
    Corpus("TempEval-3 silver", ("te3-silver/*",), "timeml", dated=True),
    Corpus("TempEval-1 training, tasks A and B", ("tempeval1/training/taskAB/*",), "tempeval", dated=True),
    Corpus("TempEval-1 training, task C", ("tempeval1/training/taskC/*",), "tempeval", dated=True),
    Corpus("TimeBank-Dense, T3", ("timebank-dense/TimebankDense.T3.txt",), "dense"),
    Corpus("TimeBank-Dense as TimeML", ("timebank-dense/tml/**/*.tml",), "timeml", dated=True),
    Corpus("TimeBank-Dense, all merged links (CAEVO)", ("caevo-annotators/merged/alldocs.merged",), "dense"),
    Corpus("TimeBank-Dense, annotator cassidy", ("caevo-annotators/individual_with_dct/*.cassidy",), "dense"),
    Corpus("TimeBank-Dense, annotator mcdowell", ("caevo-annotators/individual_with_dct/*.mcdowell",), "dense"),
    Corpus("MATRES, TimeBank", ("matres/timebank.txt",), "matres"),
    Corpus("MATRES, AQUAINT", ("matres/aquaint.txt",), "matres"),
    Corpus("MATRES, platinum", ("matres/platinum.txt",), "matres"),
    Corpus("NarrativeTime, first annotator", ("narrativetime/timebank/nt_converted_to_tml/a1/*",), "timeml"),
    Corpus("NarrativeTime, second annotator", ("narrativetime/timebank/nt_converted_to_tml/a2/*",), "timeml"),
    Corpus("EventFull, example of the tool", ("eventfull/export_example.json",), "matres"),
    Corpus("UMR 3.0, four English documents", ("umr/*.umr",), "umr", dated=True, whole="UMR 3.0"),
    Corpus("E3C, 20 documents", ("annotation-tools/e3c/*.xml",), "thyme", {"mapping": "e3c"}, whole="E3C"),
    Corpus(
        *("TimeSET, 20 documents", ("annotation-tools/timeset/**/*.ann",), "tools", {"mapping": "timeset"}),
        whole="TimeSET",
    ),
)


@dataclass
class Row:
    """The figures of one corpus."""

    name: str
    documents: int = 0
    links: int = 0
    skipped: int = 0
    inconsistent: int = 0
    loose: int | None = None  # None: there is no loose reading
    dated: int | None = None  # None: there are no values
    undecided: int = 0
    to_remove: int = 0
    redundant: int = 0
    judged_links: int = 0
    decided: int = 0
    pairs: int = 0
    digest: str = ""
    seconds: float = 0.0
    conflicts: list[tuple[str, str]] = field(default_factory=list)  # document and its smallest conflict

    def cells(self) -> list[str]:
        """Return the cells of the table."""
        return [
            self.name,
            f"{self.documents:,}",
            f"{self.links:,}",
            f"{self.skipped:,}",
            f"{self.inconsistent:,}" + (f" ({self.undecided} undecided)" if self.undecided else ""),
            "-" if self.loose is None else f"{self.loose:,}",
            "-" if self.dated is None else f"{self.dated:,}",
            f"{self.to_remove:,}",
            _percent(self.redundant, self.judged_links),
            _percent(self.decided, self.pairs),
            f"`{self.digest}`",
            f"{self.seconds:.1f}",
        ]


def row_of(corpus: Corpus, paths: Sequence[Path]) -> Row:
    """Return the figures of a corpus."""
    start = perf_counter()
    row = Row(corpus.name, digest=digest(paths))
    documents = _read(paths, **corpus.options)
    for check in tp.check(documents, jobs=1):
        row.documents += 1
        row.links += check.links
        row.skipped += sum(check.skipped_links.values())
        row.undecided += check.verdict.value == "undecided"
        if check.verdict.value == "inconsistent":
            row.inconsistent += 1
            row.to_remove += len(check.to_drop)
            row.conflicts.append((check.document, _in_words(check)))
    if (loose := _LOOSE.get(corpus.labels)) is not None:
        row.loose = _inconsistent(_read(paths, labels=loose, **corpus.options))
    if corpus.dated:
        row.dated = _inconsistent(documents, calendar=True)
    figures = tp.stats(documents).total.figures
    row.redundant, row.judged_links = figures.redundant, figures.judged_links
    row.decided, row.pairs = figures.decided, figures.pairs
    row.seconds = perf_counter() - start
    return row


def _read(paths: Sequence[Path], **options: Any) -> list[tp.Document]:
    return [each for each in tp.read_corpus(*map(str, paths), **options) if isinstance(each, tp.Document)]


def _inconsistent(documents: list[tp.Document], **options: Any) -> int:
    found = tp.check(documents, explain=False, jobs=1, **options)
    return sum(check.verdict.value == "inconsistent" for check in found)


def _in_words(check: tp.Check) -> str:
    """Return a smallest conflict by ids, labels and one word of each entity."""
    words = check.excerpts.texts

    def named(entity: str) -> str:
        word = next(iter(words.get(entity, "").split()), "")
        return f'{entity} "{word}"' if word and word != entity else entity

    stated = [f"{named(fact.source)} {fact.label} {named(fact.target)}" for fact in check.conflict]
    return "; ".join(stated).replace("|", "\\|")


def digest(paths: Sequence[Path]) -> str:
    """Return twelve characters that identify the content of files."""
    total = sha256()
    for path in sorted(paths, key=lambda path: path.name):
        total.update(path.name.encode() + b"\0" + sha256(path.read_bytes()).digest())
    return total.hexdigest()[:12]


def _percent(number: int, of: int) -> str:
    return f"{100 * number / of:.1f} %" if of else "-"


_HEAD = (
    *("corpus", "documents", "links", "skipped", "inconsistent", "loose", "with dates", "links to remove"),
    *("redundant links", "pairs decided", "files", "s"),
)


def page(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the lines of the page."""
    yield from _INTRODUCTION.splitlines()
    yield ""
    yield f"| {' | '.join(_HEAD)} |"
    yield f"|{'---|' * len(_HEAD)}"
    for row in rows:
        yield f"| {' | '.join(row.cells())} |"
    yield from _ABOUT.splitlines()
    for row in rows:
        if row.conflicts:
            more = len(row.conflicts) - _LISTED
            yield from ("", f"### {row.name}", "", "| document | a smallest conflict |", "|---|---|")
            yield from (f"| `{name}` | {words} |" for name, words in islice(row.conflicts, _LISTED))
            if more > 0:
                yield from ("", f"And {more} more documents.")


_INTRODUCTION = """# The state of temporal corpora

What an exact check finds in published corpora. The page is made by one command from local copies. No text of a corpus
is part of it, only ids, labels and single words.

    python -m bench.corpora ../shared/corpora -o bench/results/corpora.md

Add a row for a copy of your own, such as one that needs a licence (TimeBank 1.2, AQUAINT, THYME, MAVEN-ERE):
`--add "TimeBank 1.2=timebank/data/timeml"`."""

_ABOUT = """
- *skipped*: links that cannot be used, because of an unknown label or id.
- *inconsistent*: documents whose links cannot all be true, with the
  label set of the format. *loose*: the same if borders may touch. *with
  dates*: the same with the values of time expressions (`--calendar`). A dash: there is no such label
  set, or there are no values.
- *links to remove*: the fewest links whose removal makes all documents consistent.
- *redundant links*: the share of links that follow from the others. *pairs decided*: the share of pairs of entities of
  which one of the 13 relations follows; labels about start points alone decide none. Both are about consistent
  documents.
- *files*: a digest of the files. *s*: seconds for the whole row on one core of a machine with other work.

## Conflicts

For each inconsistent document a smallest set of links that contradict each other. At least one of them is wrong, or is
read more strictly than it was meant."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.corpora", description=__doc__.partition("\n\n")[0])
    parser.add_argument("folders", nargs="*", type=Path, metavar="DIR", help="with corpora of the list")
    parser.add_argument("--add", action="append", default=[], metavar="NAME=PATH[:MAPPING]", help="another corpus")
    parser.add_argument("-o", "--output", type=Path, help="the page to write; default: standard output")
    chosen = parser.parse_args()
    rows = []
    added = [_added(each) for each in chosen.add]
    whole = {corpus.name.partition(",")[0] for corpus, _ in added}
    listed = [each for each in _listed(chosen.folders) if each[0].whole not in whole]
    for corpus, paths in (*listed, *added):
        rows.append(row_of(corpus, paths))
        print(" | ".join(rows[-1].cells()), file=sys.stderr, flush=True)
    text = "\n".join(page(rows)) + "\n"
    if chosen.output is None:
        sys.stdout.write(text)
    else:
        chosen.output.write_text(text, encoding="utf-8")
    return 0 if rows else 2


def _listed(folders: Sequence[Path]) -> Iterator[tuple[Corpus, list[Path]]]:
    for corpus in CORPORA:
        found = [path for folder in folders for pattern in corpus.patterns for path in sorted(folder.glob(pattern))]
        if found := [path for path in found if path.is_file() and path.name != "README.txt"]:
            yield corpus, found


def _added(text: str) -> tuple[Corpus, list[Path]]:
    name, _, place = text.partition("=")
    path, _, mapping = place.partition(":")
    files = [each for each in sorted(Path(path).rglob("*")) if each.is_file()] if Path(path).is_dir() else [Path(path)]
    first = next(each for each in tp.read_corpus(path, **({"mapping": mapping} if mapping else {})) if each.id)
    labels = first.reading.name if isinstance(first, tp.Document) else "timeml"
    return Corpus(name, (), labels, {"mapping": mapping} if mapping else {}, dated=True), files


if __name__ == "__main__":
    sys.exit(main())
