"""Corpora: checking against parsing, two cores against one, a million graphs against ``json.loads``, one huge document.

The first rows use the corpus ``te3-silver`` where it stands in the folder ``shared`` beside the project, else a
generated twin of as many documents.
"""

from __future__ import annotations

import json
import os
import resource
import tempfile
from functools import partial
from itertools import chain, combinations
from pathlib import Path
from random import Random
from statistics import median
from time import process_time
from typing import TYPE_CHECKING

from bench.documents import as_timeml, local_links
from bench.harness import ROOT, Row, Seconds, in_turn, programs_time, python
from temporacle.corpus.inputs import Asking, pieces, size_of
from temporacle.io import read_source, sources
from temporacle.io.source import Options, Source
from temporacle.model import Document, Link
from temporacle.reasoner.check import check_document
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.reference import cpsat
from temporacle.relation import Relation
from temporacle.runner import Plan, work
from temporacle.runner.job import all_results

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TWIN = 2452  # documents
REPEATED = 4  # times the corpus is checked in a run on several cores
GRAPHS = 20_000
GRAPH_LINKS = 20
HUGE = 100_000  # links


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        yield from corpus(Path(folder))
        yield from graphs(Path(folder))
        yield from huge_document(Path(folder))
    yield from minimal_network()
    yield from start_up()


# --- a folder of XML ----------------------------------------------------------------------------------------


def silver(folder: Path) -> tuple[str, str]:
    """The corpus and what it is called."""
    real = ROOT.parent / "shared" / "corpora" / "te3-silver"
    if real.is_dir():
        return str(real), "te3-silver"
    twin = folder / "twin"
    twin.mkdir()
    rng = Random(8)
    for number in range(TWIN):
        links = local_links(rng, rng.randint(10, 60), rng.randint(10, 80))
        (twin / f"d{number:04}.tml").write_bytes(as_timeml(links, 12_000))
    return str(twin), f"{TWIN} generated documents"


def corpus(folder: Path) -> Iterator[Row]:
    from lxml import etree

    path, name = silver(folder)
    files = [source.path for source in sources(path) if isinstance(source, Source)]
    parsed, read, alone = per_file(files, [etree.parse, read_file, check_file], repeat=7)
    yield Row(f"read {name}, one core", "lxml parse of the same files", read / parsed, 3)
    rate = f"{len(files) / alone:,.0f} documents a second"
    yield Row(f"check {name}, one core", "lxml parse of the same files", alone / parsed, 2, note=rate)

    def check(jobs: int) -> int:
        # Several times over: workers are started for each run, which takes some tenths of a second.
        items = chain.from_iterable(pieces([path], Options()) for _ in range(REPEATED))
        return sum(
            len(found) for _, found in work(items, Asking(check_document, graphs=True), Plan(jobs=jobs), size=size_of)
        )

    one, two = in_turn([lambda: check(1), lambda: check(2)], seconds=60)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    note = f"{REPEATED * len(files) / two:,.0f} documents a second; {cores} cores here, which must be idle"
    yield Row(f"check {name}, one core", "the same on 2 cores", one / two, 1.8, at_least=True, note=note)
    before = [resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    check(2)
    after = [resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    main, workers = (
        end.ru_utime + end.ru_stime - begin.ru_utime - begin.ru_stime for begin, end in zip(before, after, strict=True)
    )
    note = f"{main:.2f} s and {workers:.2f} s of processor time; what the main process does cannot be shared"
    yield Row(f"check {name} on 2 cores, main process", "its workers", main / workers, 0.15, note=note)
    page = str(folder / "report.html")
    reported, checked = in_turn(
        [
            partial(python, "-m", "temporacle", "report", path, "--jobs", "1", "-o", page),
            partial(python, "-m", "temporacle", "check", path, "--jobs", "1"),
        ],
        programs_time,
        seconds=60,
    )
    note = f"{reported:.1f} s and {checked:.1f} s"
    yield Row(f"report {name}, one core", "check of the same files", reported / checked, 3, note=note)


def read_file(path: str) -> object:
    return list(read_source(Source(path)))


def check_file(path: str) -> object:
    """What a worker does with one file."""
    return all_results(Asking(check_document, graphs=True), [Source(path)])


def per_file(files: list[str], functions: list[Callable[[str], object]], repeat: int) -> list[Seconds]:
    """Seconds of each function for all files, file by file in turn, so that a slow moment hits all of them.

    The first function runs twice: the difference is the noise.
    """
    rounds: list[list[float]] = [[0.0] * repeat for _ in (*functions, functions[0])]
    for round_ in range(repeat):
        for file in files:
            for seconds, function in zip(rounds, (*functions, functions[0]), strict=True):
                start = process_time()
                result = function(file)
                del result  # freeing it is part of the work
                seconds[round_] += process_time() - start
    noise = median(abs(one - two) / min(one, two) for one, two in zip(rounds[0], rounds[-1], strict=True))
    return [Seconds(each, noise) for each in rounds[:-1]]


# --- many small graphs in JSON Lines ------------------------------------------------------------------------


def graphs(folder: Path) -> Iterator[Row]:
    path = folder / "graphs.jsonl"
    rng = Random(20)
    lines = []
    for number in range(GRAPHS):
        links = local_links(rng, 15, GRAPH_LINKS)
        triples = [{"source": each.source, "relation": each.label, "target": each.target} for each in links]
        lines.append(json.dumps({"document": f"d{number}", "links": triples}))
    path.write_text("\n".join(lines) + "\n")

    def load() -> None:
        for line in lines:
            json.loads(line)

    def check() -> None:
        for _ in work(pieces([str(path)], Options()), Asking(check_document, graphs=True), Plan(jobs=1), size=size_of):
            pass

    loaded, checked = in_turn([load, check], process_time)
    minutes = 1_000_000 / GRAPHS * checked / 60
    note = f"{GRAPHS / checked:,.0f} graphs a second on one core; a million, extrapolated: {minutes:.1f} minutes"
    yield Row(
        f"check {GRAPHS:,} graphs of {GRAPH_LINKS} links",
        "json.loads of the same lines",
        checked / loaded,
        10,
        note=note,
    )


# --- one huge document --------------------------------------------------------------------------------------


def huge_document(folder: Path) -> Iterator[Row]:
    links = local_links(Random(5), HUGE // 2, HUGE)
    tsv, tml = folder / "huge.tsv", folder / "huge.tml"
    tsv.write_text("".join(f"{each.source}\t{each.label}\t{each.target}\n" for each in links))
    tml.write_bytes(as_timeml([each for each in links if str(each.relation) not in {"o", "oi"}], 0))
    for path in (tsv, tml):

        def read(path: Path = path) -> Document:
            (document,) = read_source(Source(str(path)))
            assert isinstance(document, Document)
            return document

        document = read()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        work = [read, lambda document=document: check_document(document)]
        reading, checking = in_turn(work, process_time)
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        note = f"{checking:.2f} s; at most {grown:.0f} MB more memory, {peak:.0f} MB in all"
        what = f"consistency of one document, {len(document.links):,} links"
        yield Row(what, f"reading it ({path.suffix})", checking / reading, 5, note=note)


# --- an exact minimal network -------------------------------------------------------------------------------


def minimal_network() -> Iterator[Row]:
    links = local_links(Random(13), 400, 1000, disjunctions=20)
    network = Network(links)
    pairs = sum(1 for _ in combinations(network.entities, 2))
    work = [lambda: Oracle(links).minimal_network(), lambda: solve_one_atom(links)]
    exact, one = in_turn(work, process_time, least=3)
    note = f"{exact:.2f} s and, from one solve of {one * 1000:.0f} ms for 13 atoms of {pairs:,} pairs, extrapolated"
    ratio = 13 * pairs * one / exact
    yield Row(
        "one CP-SAT solve per atom and pair, 1,000 links with 20 disjunctions",
        "exact minimal network",
        ratio,
        1000,
        at_least=True,
        note=note,
    )


def solve_one_atom(links: list[Link]) -> None:
    """Whether one atom is possible for one pair, asked of CP-SAT: the model is built anew, as for each question."""
    first, second = Network(links).entities[:2]
    cpsat.decider(Network([*links, Link("asked", first, Relation(1), second)]), Budget()).model()


# --- start-up -----------------------------------------------------------------------------------------------


def start_up() -> Iterator[Row]:
    """Processor time of whole processes: the clock would also measure what else the machine does."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "convex.tsv"
        path.write_text("left\tBEFORE\tdocked\ndocked\tINCLUDES\tunloaded\n")
        helped, checked, bare = in_turn(
            [
                partial(python, "-m", "temporacle", "--help"),
                partial(python, "-m", "temporacle", "check", str(path)),
                partial(python, "-c", "pass"),
            ],
            programs_time,
        )
    note = f"{1000 * bare:.0f} ms"
    yield Row("temporacle --help", "python -c pass", helped / bare, 10, note=f"{1000 * helped:.0f} ms and {note}")
    yield Row(
        "temporacle check on one document",
        "python -c pass",
        checked / bare,
        25,
        note=f"{1000 * checked:.0f} ms and {note}",
    )
