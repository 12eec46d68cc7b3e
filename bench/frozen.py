"""The answers of today, frozen in one file: what a change of the tree must not alter.

    python -m bench.frozen                 compare all answers with the file; differences are listed, exit code 1
    python -m bench.frozen --quick         a sample of all parts
    python -m bench.frozen --part seeds    one part: seeds, corpora, golden, scores
    python -m bench.frozen --write         renew the file (with --part: the lines of that part)

Only the command line and the names of ``import temporacle`` are used, so that modules can move freely. Each line of
the file is about one document or case: short values as they are, long ones as digests. Times, versions and the words
of messages are left out, and so is every text of a corpus. Data beside the project (``../shared``) may be absent: its
parts are then skipped. The documents of the part ``seeds`` are made here (see ``bench/frozen_seeds.py``).
"""

from __future__ import annotations

import argparse
import gc
import gzip
import hashlib
import json
import multiprocessing
import os
import pkgutil
import re
import resource
import runpy
import shlex
import shutil
import sys
import tarfile
import tempfile
import time
import traceback
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench import frozen_seeds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"
FILE = Path(__file__).with_suffix(".jsonl.gz")
LISTED = 40  # differences that are printed, unless --all

Row = dict[str, Any]
Lines = dict[str, Row]


@dataclass(frozen=True)
class Run:
    """One run of commands. Its lines in the file are called ``part/name DOCUMENT``."""

    part: str
    name: str
    work: Callable[..., Lines]
    arguments: tuple[Any, ...]
    folder: Path  # the current folder of the commands, so that no answer holds a path of this machine
    quick: bool = False
    heavy: bool = False  # started first, so that no process waits for the last one

    @property
    def key(self) -> str:
        return f"{self.part}/{self.name}"


# --- what is kept of an answer ----------------------------------------------------------------------------------------

# Words, places and times. They may change without any answer changing.
LEFT_OUT = {
    "seconds", "path", "warnings", "explanation", "message", "reason", "reasons", "certificate", "source_text",
    "target_text", "text", "question", "system", "annotators", "line", "why", "notes", "remarks", "file",
}  # fmt: skip
PLAIN = re.compile(r"[A-Za-z_.-]{0,8}\d*(?:[.:_-]\d+)*|[a-z]{1,16}(?:-[a-z]{1,16}){0,2}|-?\d+/\d+|[\d.]+")
VARYING = re.compile(r"\|(?:version|ortools):[^|]*")


def digest(value: object) -> str:
    """Return the first 12 digits of the SHA-256 of a value's canonical JSON."""
    if not isinstance(value, bytes):
        value = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()
    return hashlib.sha256(value).hexdigest()[:12]


def kept(value: Any) -> Any:
    """Return a value of JSON without words, places and times; numbers have 12 digits."""
    if isinstance(value, dict):
        return {name: kept(each) for name, each in value.items() if name not in LEFT_OUT}
    if isinstance(value, list):
        return [kept(each) for each in value]
    if isinstance(value, float):
        return float(f"{value:.12g}")
    if isinstance(value, str):
        return VARYING.sub("", value)
    return value


def short(value: Any) -> Any:
    """Return a short plain value as it is, and the number of parts and the digest of any other."""
    value = kept(value)
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, str):
        return value if PLAIN.fullmatch(value) else digest(value)
    if not value or (isinstance(value, list) and len(value) <= 5 and all(is_plain(each) for each in value)):
        return value
    return f"{len(value)}:{digest(value)}"


def is_plain(value: object) -> bool:
    return isinstance(value, (bool, int)) or (isinstance(value, str) and bool(PLAIN.fullmatch(value)))


def without_nothing(row: Row) -> Row:
    return {name: value for name, value in row.items() if value not in (None, [], {}, False, 0)}


# --- commands ---------------------------------------------------------------------------------------------------------


def load_all() -> None:
    """Load all modules of the package, wherever they stand, so that a copied process need not do it again."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # a process with threads is better not copied
    import temporacle

    for module in pkgutil.walk_packages(temporacle.__path__, "temporacle.", onerror=lambda _: None):
        if not module.name.endswith("__main__") and ".peers" not in module.name:
            try:
                import_module(module.name)
            except ImportError:  # an extra that is not installed
                continue
    gc.collect()
    gc.freeze()  # a copied process then leaves these pages alone


@contextmanager
def temporary_folder() -> Iterator[str]:
    """Give a folder that no copy of this process removes when it ends, as ``TemporaryDirectory`` would."""
    folder = tempfile.mkdtemp()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def command(*arguments: object) -> tuple[int, bytes]:
    """Run a command line in a copy of this process; return exit code and standard output."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        if (child := os.fork()) == 0:
            run_here([str(each) for each in arguments], out.fileno(), errors.fileno())
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        out.seek(0)
        errors.seek(0)
        complaint = errors.read()
        if b"Traceback" in complaint or b"internal error" in complaint:
            sys.stderr.write(f"{shlex.join(map(str, arguments))}: {complaint.decode(errors='replace')}\n")
        return code, out.read()


def run_here(arguments: list[str], out: int, errors: int) -> None:
    """Be ``python -m temporacle`` in a process that was copied for it, and end that process."""
    try:
        os.dup2(out, 1)
        os.dup2(errors, 2)
        sys.stdout, sys.stderr = os.fdopen(1, "w", encoding="utf-8"), os.fdopen(2, "w", encoding="utf-8")
        sys.argv = ["temporacle", *arguments]
        runpy.run_module("temporacle", run_name="__main__", alter_sys=True)
    except SystemExit as leaving:
        sys.stdout.flush()
        os._exit(leaving.code if isinstance(leaving.code, int) else 70)
    except BaseException:  # noqa: BLE001 - the copy must never go on as its parent
        traceback.print_exc()
        sys.stderr.flush()
    os._exit(70)


def rows_of(*arguments: object) -> tuple[int, list[Row]]:
    """Run a command with ``--output json``; return exit code and rows."""
    code, out = command(*arguments, "--output", "json")
    return code, [json.loads(line) for line in out.splitlines()]


class Named:
    """Lines by the names of their documents; a name that comes again gets a number."""

    def __init__(self, code: int | None = None) -> None:
        self.lines: Lines = {} if code is None else {"": {"exit": code}}
        self._seen: Counter[str] = Counter()

    def add(self, name: str, row: Row) -> None:
        self._seen[name] += 1
        self.lines[name if self._seen[name] == 1 else f"{name}#{self._seen[name]}"] = row


# --- kinds of runs: each returns lines by document --------------------------------------------------------------------


def checked(paths: list[str], options: list[str]) -> Lines:
    """Verdict, who decided, conflicts and repair of each document."""
    code, rows = rows_of("check", *paths, *options, "--jobs", 1)
    found = Named(code)
    for row in rows:
        found.add(place_of(row), judgement(row))
    return found.lines


def place_of(row: Row) -> str:
    """Return path and name of a document, without the suffix and without repeating the name."""
    path, name = str(row.get("path") or ""), str(row["document"])
    stem = str(Path(path).with_suffix("")) if path else ""
    return stem if Path(stem).name == name or path.endswith(name) else f"{stem}:{name}"


def judgement(row: Row) -> Row:
    facts = row["conflict"]
    return without_nothing(
        {
            "verdict": row["verdict"],
            "by": row["decided_by"],
            "entities": row["entities"],
            "links": row["links"],
            "dropped": row["dropped"],
            "remarks": short(Counter(each["code"] for each in row["warnings"])),
            "size": len(facts),
            "conflict": short([each["id"] for each in facts]),
            "facts": digest(kept(facts)) if facts else None,
            "conflicts": short([len(each) for each in row["conflicts"]]) if len(row["conflicts"]) > 1 else None,
            "all": digest(kept(row["conflicts"])) if len(row["conflicts"]) > 1 else None,
            "weight": kept(sum(float(each.get("weight") or 1) for each in row["repair"] or ())),
            "repair": short([each["id"] for each in row["repair"]]) if row["repair"] is not None else "none",
            "relabel": short(row.get("relabel")),
            "explained": digest(row["explanation"]) if row.get("explanation") else None,
            "unread": bool(row["error"]),
        }
    )


def grouped(arguments: list[str]) -> Lines:
    """One digest for the rows of each document: closures, reductions, bounds."""
    code, rows = rows_of(*arguments)
    found = Named(code)
    name, group = None, []
    for row in rows:
        if row.get("document") != name and group:
            found.add(str(name), group_of(group))
            group = []
        name = row.get("document")
        group.append(row)
    if group:
        found.add(str(name), group_of(group))
    return found.lines


def group_of(rows: list[Row]) -> Row:
    first = rows[0]
    if "verdict" in first and len(first) <= 4:
        return {"verdict": first["verdict"]}
    sizes = {name: len(value) for name, value in first.items() if isinstance(value, list)} if len(rows) == 1 else {}
    return {"rows": len(rows), **sizes, "digest": digest([kept(row) for row in rows])}


def certified(arguments: list[str], with_digest: bool = True) -> Lines:
    """Certificates that a command writes: what they claim, whether they are accepted, their digest."""
    with temporary_folder() as folder:
        code, _ = command(*arguments, "--certificates", folder, "--output", "json")
        files = sorted(path for path in Path(folder).rglob("*") if path.is_file())
        accepted, rows = rows_of("verify", folder, "--jobs", 1) if files else (0, [])
        found = Named()
        found.lines[""] = {"exit": code, "verify": accepted, "certificates": len(rows)}
        digests = {str(path): digest(path.read_bytes().replace(folder.encode(), b"")) for path in files}
        for row in rows:
            path = str(row["certificate"])
            line = {"claim": row["claim"], "valid": row["valid"], "links": row.get("links")}
            if with_digest:
                line["digest"] = digests.pop(path.partition("#")[0], None)
            found.add(str(Path(path).relative_to(folder)), without_nothing(line))
        return found.lines


def decoded(arguments: list[str]) -> Lines:
    """The optimum of each document: objective, bound, labels, margins."""
    code, rows = rows_of("decode", *arguments)
    found = Named(code)
    for row in map(kept, rows):
        links = row.get("links", [])
        short_row = {name: row.get(name) for name in ("verdict", "objective", "argmax_objective", "bound")}
        short_row["labels"] = digest([[each[name] for name in ("source", "label", "target")] for each in links])
        found.add(str(row["document"]), without_nothing({**short_row, "digest": digest(row)}))
    return found.lines


def scored(arguments: list[str]) -> Lines:
    """The digits of each document and of the totals."""
    code, rows = rows_of("score", *arguments)
    found = Named(code)
    for row in rows:
        if row.get("total"):
            numbers = {name: row.get(name) for name in ("precision", "recall", "f1", "documents", "stops")}
            name = "-".join(["TOTAL", *(str(row[each]) for each in ("metric", "convention") if row.get(each))])
            found.add(name, {**without_nothing(kept(numbers) | {"stops": bool(row.get("stops"))}), **rest(row)})
        else:
            found.add(str(row.get("document")), {**without_nothing({"f1": kept(row.get("f1"))}), **rest(row)})
    return found.lines


def rest(row: Row) -> Row:
    return {"digest": digest({**kept(row), "skipped": len(row.get("skipped", ())), "stops": bool(row.get("stops"))})}


def printed(arguments: list[str]) -> Lines:
    """Exit code and the digest of the bytes that a command prints."""
    code, out = command(*arguments)
    return {"": without_nothing({"bytes": len(out), "digest": digest(out)}) | {"exit": code}}


def case_of(lists: list[tuple[str, Callable[..., Lines], list[str]]]) -> Lines:
    """Several commands about one case: a line for each."""
    found: Lines = {}
    for name, work, arguments in lists:
        for document, row in work(arguments).items():
            found[f"{name} {document}".strip()] = row
    return found


def answered(file: str) -> Lines:
    """The questions of an oracle, from Python, in a copy of this process."""
    reading, writing = os.pipe()
    if (child := os.fork()) == 0:
        try:
            with os.fdopen(writing, "w", encoding="utf-8") as out:
                json.dump({row["document"]: answers(row) for row in frozen_seeds.rows(file)}, out)
            os._exit(0)
        except BaseException:  # noqa: BLE001 - the copy must never go on as its parent
            traceback.print_exc()
            os._exit(70)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as answer:
        text = answer.read()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return {"": {"exit": code}, **(json.loads(text) if code == 0 else {})}


def answers(row: Row) -> Row:
    import temporacle as tp

    links = [(each["source"], each["relation"], each["target"]) for each in row["links"]]
    oracle = tp.Oracle(links)
    state = oracle.consistency()
    asked = frozen_seeds.questions(row)
    verdicts = [oracle.entails(*each).value for each in asked]
    found = {"verdict": type(state).__name__.lower(), "entails": "".join(each[0] for each in verdicts)}
    if isinstance(state, tp.Consistent):
        why = [oracle.why(*each) for each in asked]
        return found | {
            "strongest": digest([list(oracle.strongest(each[0], each[2]).atoms) for each in asked]),
            "witness": digest({name: list(place) for name, place in oracle.witness().items()}),
            "why": digest([None if each is None else [link.id for link in each] for each in why]),
            "sizes": digest([None if each is None else len(each) for each in why]),
        }
    return found | {"conflict": short([link.id for link in state.conflict])}


# --- the parts --------------------------------------------------------------------------------------------------------

POLICIES = ("within", "document", "exact")


def seeds(folder: Path) -> Iterator[Run]:
    """Random documents, made by this program; nothing else is needed."""
    for family, chunks in frozen_seeds.write_all(folder).items():
        for number, file in enumerate(chunks):
            for name, work, arguments in commands_for(family, file):
                quick = number == 0 and not family.startswith("large")
                yield Run("seeds", f"{file} {name}", work, tuple(arguments), folder, quick, family.startswith("large"))


def commands_for(family: str, file: str) -> Iterator[tuple[str, Callable[..., Lines], list[Any]]]:
    if family == "scored":
        yield "decode", decoded, [[file, "--margins", "--labels", "matres"]]
        yield "decode prob", decoded, [[file, "--objective", "prob", "--labels", "matres"]]
        yield "decode certified", certified, [["decode", file, "--labels", "matres"]]
    elif family == "sides":
        gold, system = file, file.replace("gold", "system")
        metrics = ["--metric", "awareness", "--metric", "closure", "--metric", "core", "--metric", "reduction"]
        yield "score", scored, [[gold, system, *metrics]]
        yield "score relaxed", scored, [[gold, system, *metrics[2:], "--relaxed", "--average", "macro"]]
        for policy in ("repair", "refuse"):
            yield f"score {policy}", scored, [[gold, system, *metrics, "--contradictions", policy]]
        yield "score by label", scored, [[gold, system, "--by", "label", "--vague", "count", "--empty", "1"]]
        yield "score certified", certified, [["score", gold, system]]
        yield "compare", scored, [[gold, system, "--compare", gold, "--resamples", "200"]]
        yield "agreement", scored, [[gold, system, "--agreement"]]
    elif family == "dated":
        yield "plain", checked, [[file], ["--repair"]]
        for policy in POLICIES:
            options = ["--calendar", policy, "--repair", "--hemisphere", "north", "--zone", "+01:00"]
            yield f"calendar {policy}", checked, [[file], options]
        yield "protect values", checked, [[file], ["--calendar", "--repair", "--protect", "values"]]
        yield "bounds", grouped, [["bounds", file]]
        yield "bounds exact", grouped, [["bounds", file, "--calendar", "exact"]]
        yield "closure", grouped, [["closure", file, "--calendar"]]
        yield "certified", certified, [["check", file, "--calendar", "--repair", "--jobs", "1"]]
    else:
        yield "check", checked, [[file], []]
        yield "repair", checked, [[file], ["--repair", "--relabel", "--all-conflicts", "3"]]
        yield "oracle", answered, [file]
        if family != "large":
            yield "closure", grouped, [["closure", file]]
            yield "points", grouped, [["closure", file, "--points"]]
            yield "reduce", grouped, [["reduce", file]]
            yield "certified", certified, [["check", file, "--repair", "--jobs", "1"]]
        if family != "large" and (not family.endswith("medium") or file.endswith("-0.jsonl")):
            yield "closure certified", certified, [["closure", file]]
        if family == "tiny":
            for engine in ("cpsat", "enumeration", "propagation", "path-consistency", "ord-horn"):
                yield f"closure {engine}", grouped, [["closure", file, "--engine", engine]]
        if family == "convex-small":
            yield "closure timegraph", grouped, [["closure", file, "--engine", "timegraph"]]


CAN_WAIT = {"te3-silver", "narrativetime", "caevo-annotators", "te3-systems", "structtemprel-output", "tempeval1"}
WITH_DATES = {"te3-platinum", "te3-toolkit", "golden-calendar", "timebank-dense", "matres", "te3-silver sample"}
OPTIONS = {  # what a corpus needs beside its path
    "annotation-tools/e3c": ["--mapping", "e3c"],
    "annotation-tools/timeset": ["--mapping", "timeset"],
}


def corpora(scratch: Path) -> Iterator[Run]:
    """Verdicts, closures, reductions, bounds and certificates over the corpora and the folders of golden cases."""
    folder = SHARED
    places = sorted(path for room in ("corpora", "golden") for path in (SHARED / room).iterdir() if path.is_dir())
    for path in places:
        name = path.name if path.parent.name == "corpora" else f"golden-{path.name}"
        where = str(path.relative_to(SHARED))
        if path.name == "te3-silver":
            yield from silver(sorted(str(file.relative_to(SHARED)) for file in path.glob("*.tml")))
            continue
        yield from over(name, [where], folder, quick=name not in CAN_WAIT and path.parent.name == "corpora")
    for place, options in OPTIONS.items():
        if (SHARED / "corpora" / place).is_dir():
            yield Run("corpora", f"{place} mapped", checked, ([f"corpora/{place}"], ["--repair", *options]), folder)
    during = ["--during", "is_included", "--keep-unknown"]
    for name in ("te3-systems", "timebank-dense", "structtemprel-output", "te3-toolkit", "narrativetime"):
        if (SHARED / "corpora" / name).is_dir():
            yield Run("corpora", f"{name} during", checked, ([f"corpora/{name}"], during), folder)
    for reading in ("timeml-loose", "tempeval-loose", "dense-loose"):
        if (SHARED / "corpora/te3-toolkit").is_dir():
            what = ["--labels", reading, "--repair"]
            yield Run("corpora", f"te3-toolkit {reading}", checked, (["corpora/te3-toolkit"], what), folder, quick=True)
    merged = ["corpora/tempeval1/training"]
    if (SHARED / merged[0]).is_dir():
        yield Run("corpora", "tempeval1 merged", checked, (merged, ["--merge", "--repair"]), folder)
    archive = SHARED / "corpora/cavat-testcorpus/test_corpus.tar.gz"
    if archive.exists():
        with tarfile.open(archive) as packed:
            packed.extractall(scratch / "cavat", filter="data")
        for during in ("simultaneous", "is_included"):
            yield Run("corpora", f"cavat {during}", checked, (["cavat"], ["--during", during]), scratch)


def over(name: str, paths: list[str], folder: Path, *, quick: bool) -> Iterator[Run]:
    """All commands that ask each document."""
    heavy = name in CAN_WAIT

    def run(what: str, work: Callable[..., Lines], *arguments: Any, quick: bool = False) -> Run:
        return Run("corpora", f"{name} {what}", work, arguments, folder, quick, heavy)

    yield run("check", checked, paths, [], quick=quick)
    yield run("repair", checked, paths, ["--repair", "--relabel", "--all-conflicts", "3"], quick=quick)
    yield run("calendar", checked, paths, ["--calendar", "--repair"], quick=quick and name != "timebank-dense")
    if name.startswith("golden-") and name != "golden-calendar":
        return
    yield run("closure", grouped, ["closure", *paths], quick=quick)
    yield run("reduce", grouped, ["reduce", *paths])
    yield run("certified", certified, ["check", *sampled(paths, folder, 4 if heavy else 1), "--repair", "--jobs", "1"])
    if name in WITH_DATES:
        for policy in ("exact", "document"):
            yield run(f"calendar {policy}", checked, paths, ["--calendar", policy])
        if len(paths) == 1:  # what follows a path is an entity
            yield run("bounds", grouped, ["bounds", *paths])
        yield run("closure calendar", grouped, ["closure", *paths, "--calendar"])
        sample = sampled(paths, folder, 4 if name == "timebank-dense" else 1)
        yield run("calendar certified", certified, ["check", *sample, "--calendar", "--repair", "--jobs", "1"])
        if name not in {"timebank-dense", "matres"}:  # a minute of processor time
            yield run("closure certified", certified, ["closure", *sampled(paths, folder, 4)])


def sampled(paths: list[str], folder: Path, step: int) -> list[str]:
    """Return every ``step``-th file under the paths; the paths themselves if that is every file."""
    if step == 1:
        return paths
    files = [
        file
        for path in paths
        for file in ([folder / path] if (folder / path).is_file() else (folder / path).rglob("*"))
    ]
    return sorted(str(file.relative_to(folder)) for file in files if file.is_file() and file.name[0] != ".")[::step]


def silver(files: list[str]) -> Iterator[Run]:
    """Verdicts of all documents with and without dates, and the rest of a sample."""
    for number in range(4):
        quarter = files[number::4]
        yield Run("corpora", f"te3-silver {number} check", checked, (quarter, []), SHARED, quick=number == 0)
        yield Run("corpora", f"te3-silver {number} calendar", checked, (quarter, ["--calendar"]), SHARED, heavy=True)
    yield from over("te3-silver sample", files[::40], SHARED, quick=False)


def golden(scratch: Path) -> Iterator[Run]:
    """What the official programs print, optima, dates and answers to questions, over the golden cases."""
    for number, run in enumerate(golden_cases(scratch)):
        yield Run("golden", *run, quick=number % 9 == 0)


def golden_cases(scratch: Path) -> Iterator[tuple[str, Callable[..., Lines], tuple[Any, ...], Path]]:
    room = SHARED / "golden"
    official = ["--official"]
    for case in cases(room / "official"):
        sides = relative(case / "gold", case / "system")
        if case.name.startswith("r"):
            ways = [[], ["--method", "acl11"], ["--method", "implicit_in_recall"]]
            runs = [(f"printed{way[1:]}", printed, ["score", *sides, *official, *way]) for way in ways]
            explained = [*sides, *official, "--explain-difference"]
            runs += [("differences", scored, explained), ("exact", scored, [*sides, "--metric", "awareness"])]
        else:
            ways = [["--metric", "timeline"], ["--metric", "timeline", "--ordering-only"]]
            runs = [(f"printed{way[2:]}", printed, ["score", *sides, *official, *way]) for way in ways]
            runs += [(f"exact{way[2:]}", scored, [*sides, *way]) for way in ways]
        yield f"official {case.name}", case_of, (runs,), SHARED
    for case in cases(room / "normalizer"):
        sides = relative(case / "gold.tml", case / "system.tml")
        sides = sides if (case / "gold.tml").exists() else relative(case / "gold", case / "system")
        arguments = ["score", *sides, *official, "--align", "tempeval3"]
        yield f"normalizer {case.name}", printed, (arguments,), SHARED
    for case in cases(room / "te3_runs"):
        sides = relative(case / "gold", case / "system")
        runs = [("printed", printed, ["score", *sides, *official]), ("exact", scored, [*sides, "--align", "spans"])]
        runs += [
            (way, printed, ["score", *sides, *official, "--method", way]) for way in ("acl11", "implicit_in_recall")
        ]
        yield f"te3_runs {case.name}", case_of, (runs,), SHARED
    for case in cases(room / "tempeval1"):
        yield from tempeval1_case(case)
    for case in cases(room / "pairwise"):
        yield f"pairwise {case.name}", case_of, (list(pairwise(case)),), SHARED
    for case in cases(room / "clinical"):
        yield f"clinical {case.name}", case_of, (list(clinical(case)),), SHARED
    for case in cases(room / "qa-tempeval"):
        (where,) = relative(case)
        score = ["score", where, where, "--metric", "qa-tempeval"]
        runs = [("ask", printed, ["ask", where, where, "--output", "json"]), ("score", printed, score)]
        runs += [("official", printed, [*score, *official])]
        yield f"qa-tempeval {case.name}", case_of, (runs,), SHARED
    yield from decode_cases(room / "decode/cases.jsonl", scratch)
    yield from calendar_cases(room / "calendar/cases.jsonl", scratch)


def cases(room: Path) -> list[Path]:
    return sorted(path for path in room.iterdir() if path.is_dir()) if room.is_dir() else []


def relative(*paths: Path) -> list[str]:
    return [str(path.relative_to(SHARED)) for path in paths]


def tempeval1_case(case: Path) -> Iterator[tuple[str, Callable[..., Lines], tuple[Any, ...], Path]]:
    pair = relative(case / "key", case / "response")
    runs: list[tuple[str, Callable[..., Lines], list[str]]] = []
    for way in ([], ["--relaxed"]):
        arguments = [*pair, "--metric", "tempeval1", *way]
        runs += [
            (f"printed{way}", printed, ["score", *arguments, "--official"]),
            (f"exact{way}", scored, arguments),
        ]
    yield f"tempeval1 {case.name}", case_of, (runs,), SHARED


def pairwise(case: Path) -> Iterator[tuple[str, Callable[..., Lines], list[str]]]:
    expected = json.loads((case / "expected.json").read_text("utf-8"))
    kind = case.name[0]
    if kind in "pq":
        sides = relative(case / "gold.tsv", case / "system.tsv")
        labels = ["--label-set", expected.get("label_set", "auto")]
        for policy, conventions in expected.get("policies", {}).items():
            missing = ["--metric", "pairs", "--missing", policy]
            for convention in conventions:
                official = ["--official", *missing, "--convention", convention]
                official += labels if convention.endswith(("econet", "compact")) else []
                yield f"{convention} {policy}", printed, ["score", *sides, *official]
            every = [word for convention in conventions for word in ("--convention", convention)]
            yield f"exact {policy}", scored, [*sides, *missing, *every, *(labels if kind == "q" else [])]
        return
    if kind == "g":
        voted = len(list(case.glob("system-*.json"))) > 1
        sides = relative(case / "gold", *sorted(case.glob("system-*.json")))
        convention = "global-zero-shot-voted" if voted else "global-zero-shot"
    else:
        files = {"m": ("test.jsonl", "test_prediction.jsonl"), "t": ("gold.tsv", "system.tsv")}
        sides = relative(*(case / name for name in files.get(kind, ("annotator1.tsv", "annotator2.tsv"))))
        convention = {"m": "maven-ere", "t": "tieval"}.get(kind, "narrativetime")
    way = ["score", *sides, "--metric", "pairs", "--convention", convention, "--official"]
    yield "official", printed, way
    yield "json", scored, way[1:]


def clinical(case: Path) -> Iterator[tuple[str, Callable[..., Lines], list[str]]]:
    modes = json.loads((case / "expected.json").read_text("utf-8"))["modes"]
    for mode, about in modes.items():
        arguments = clinical_arguments(case, mode, about)
        yield mode, printed, ["score", *arguments, "--official"]
    first = clinical_arguments(case, *next(iter(modes.items())))
    yield "json", scored, [*first, "--official"]
    if metric := {"i": "i2b2", "a": "anafora"}.get(case.name[0]):
        yield "exact", scored, [*relative(case / "gold", case / "system"), "--metric", metric]


def clinical_arguments(case: Path, mode: str, about: Row) -> list[str]:
    given = shlex.split(about["arguments"])
    if case.name[0] == "i":
        tags, spans, method = (each.lstrip("-") for each in given)
        sides = [case / "gold", case / "system"]
        if mode.startswith("file"):
            first = min(each.name for each in sides[0].iterdir())
            sides = [side / first for side in sides]
        blocks = ["--blocks", "all"] if about.get("restored_blocks") else []
        return [*relative(*sides), "--metric", "i2b2", "--tags", tags, "--spans", spans, "--mode", method, *blocks]
    if case.name[0] == "a":
        options, flag = [], ""
        for word in given:
            if word in {"-i", "-e"}:
                flag = {"-i": "--include", "-e": "--exclude"}[word]
            else:
                options += [word] if word.startswith("--") else [flag, word]
        return [*relative(case / "gold", case / "system"), "--metric", "anafora", *options]
    method = "strict" if "--strict" in given else given[-1]
    ids = ["--ids", *relative(case / "ids.txt")]
    ids += ["--gold-ids", *relative(case / "gold_ids.txt")] if (case / "gold_ids.txt").exists() else []
    edition = ["--mode", method, "--edition", about["program"], "--run-date", about.get("run_date", "2024-03-15")]
    return [*relative(case / "gold.json", case / "system.json"), "--metric", "chemotimelines", *ids, *edition]


def decode_cases(file: Path, scratch: Path) -> Iterator[tuple[str, Callable[..., Lines], tuple[Any, ...], Path]]:
    if not file.exists():
        return
    by_reading: dict[str, list[str]] = {}
    for line in file.read_text("utf-8").splitlines():
        case = json.loads(line)
        given = {name: value for name, value in case["input"].items() if name != "reading"}
        by_reading.setdefault(case["input"]["reading"], []).append(json.dumps(given | {"document": case["case"]}))
    for reading, lines in sorted(by_reading.items()):
        (scratch / f"decode-{reading}.jsonl").write_text("".join(f"{line}\n" for line in lines), "utf-8")
        given = [f"decode-{reading}.jsonl", "--labels", reading]
        for objective in ("logprob", "prob"):
            options = ["--objective", objective, "--margins", "--alternatives", "2"]
            yield f"decode {reading} {objective}", decoded, ([*given, *options],), scratch
        yield f"decode {reading} certified", certified, (["decode", *given],), scratch


def calendar_cases(file: Path, scratch: Path) -> Iterator[tuple[str, Callable[..., Lines], tuple[Any, ...], Path]]:
    if not file.exists():
        return
    by_options: dict[tuple[str, ...], list[str]] = {}
    for line in file.read_text("utf-8").splitlines():
        case = json.loads(line)
        options: list[str] = []
        if "hemisphere" in case["options"]:
            options += ["--hemisphere", case["options"]["hemisphere"]]
        if (zone := case["options"].get("zone")) is not None:
            options += ["--zone", f"{'-' if zone < 0 else '+'}{abs(zone) // 3600:02}:{abs(zone) // 60 % 60:02}"]
        by_options.setdefault(tuple(options), []).append(json.dumps(case["document"]))
    for number, (options, lines) in enumerate(sorted(by_options.items())):
        name = f"calendar-{number}.jsonl"
        (scratch / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
        title = " ".join(["calendar", *options])
        for policy in POLICIES:
            way = ["--calendar", policy, *options]
            yield f"{title} {policy}", checked, ([name], ["--repair", "--all-conflicts", "2", *way]), scratch
            yield f"{title} {policy} bounds", grouped, (["bounds", name, *way],), scratch
            yield f"{title} {policy} closure", grouped, (["closure", name, *way],), scratch
            certificates = ["check", name, "--repair", "--jobs", "1", *way]
            yield f"{title} {policy} certified", certified, (certificates,), scratch


METRICS = ["awareness", "closure", "core", "reduction"]


def scores(_: Path) -> Iterator[Run]:
    """Systems against gold by every metric, agreement, comparison, official digits, optima of scored pairs."""
    room = SHARED / "corpora"

    def run(name: str, work: Callable[..., Lines], *arguments: str, quick: bool = False, heavy: bool = False) -> Run:
        return Run("scores", name, work, (list(arguments),), SHARED, quick, heavy)

    every = [part for metric in METRICS for part in ("--metric", metric)]
    platinum = "corpora/te3-platinum"
    key = "corpora/te3-systems/TE3-test-key/key/test-TaskABC"
    systems = sorted({str(path.parent.relative_to(SHARED)) for path in room.glob("te3-systems/*/*/*/*.tml")} - {key})
    for number, system in enumerate(systems):
        name = "/".join(Path(system).parts[2:4])
        yield run(f"{name} spans", scored, key, system, *every, "--align", "spans", quick=number == 2)
        yield run(f"{name} labels", scored, key, system, "--align", "spans", "--by", "label")
        yield run(f"{name} ids", scored, key, system, "--average", "macro", "--by", "kind", quick=number == 3)
        yield run(f"{name} official", printed, "score", key, system, "--official", "--align", "tempeval3")
    outputs = sorted(str(path.relative_to(SHARED)) for path in room.glob("structtemprel-output/pred*"))
    for number, system in enumerate(outputs):
        name = Path(system).name
        gold = "corpora/te3-platinum-normalized" if name.endswith("normalized") else platinum
        yield run(f"{name} metrics", scored, gold, system, *every, quick=number == 1)
        yield run(f"{name} relaxed", scored, gold, system, *every[2:], "--relaxed")
        for policy in ("repair", "refuse"):
            yield run(f"{name} {policy}", scored, gold, system, *every, "--contradictions", policy)
        yield run(f"{name} calendar", scored, gold, system, "--calendar", "within")
        yield run(f"{name} official", printed, "score", gold, system, "--official")
        yield run(f"{name} differences", scored, gold, system, "--official", "--explain-difference")
        yield run(f"{name} certified", certified, "score", gold, system, quick=number == 1)
    if outputs:
        yield run("compare", scored, platinum, outputs[0], "--compare", outputs[-2], "--resamples", "300", quick=True)
        yield run("consensus", decoded, "--consensus", *outputs[::2], "--absent", "0.3")
        yield run("several", scored, platinum, *outputs[::2], *every)
    toolkit = sorted(path for path in room.glob("te3-toolkit/data/*") if path.is_dir())
    if len(toolkit) > 1:
        gold, system = relative(toolkit[0], toolkit[1])
        yield run("toolkit", printed, "score", gold, system, "--official", "--align", "tempeval3", quick=True)
    annotators = "corpora/narrativetime/timebank/nt_converted_to_tml"
    if (SHARED / annotators).is_dir():
        pair = [f"{annotators}/a1", f"{annotators}/a2"]
        yield run("narrativetime metrics", scored, *pair, *every, heavy=True)
        yield run("narrativetime agreement", scored, *pair, "--agreement", heavy=True)
    timelines = "corpora/timeline-semeval2015"
    if (SHARED / timelines).is_dir():
        pair = [f"{timelines}/trial/timelines_gold"] * 2
        yield run("timelines", scored, *pair, "--metric", "timeline", quick=True)
    tempeval = sorted(path for path in room.glob("tempeval1/t*/task*") if path.is_dir())
    for path in tempeval:
        pair = relative(path, path)
        yield run(f"tempeval1 {path.parent.name}/{path.name}", scored, *pair, "--metric", "tempeval1", "--by", "task")
    for file in sorted(room.glob("scores/*.jsonl")):
        (where,) = relative(file)
        quick = file.name == "seed102.tcr.jsonl"
        way = [where, "--labels", "matres"]
        yield run(f"decode {file.name}", decoded, *way, quick=quick)
        yield run(f"decode prob {file.name}", decoded, *way, "--objective", "prob")
        if quick:
            yield run(f"decode margins {file.name}", decoded, *way, "--margins")
            yield run(f"decode certified {file.name}", certified, "decode", *way)


PARTS: dict[str, Callable[[Path], Iterable[Run]]] = {
    "seeds": seeds,
    "corpora": corpora,
    "golden": golden,
    "scores": scores,
}
NEEDED = {"corpora": ("corpora", "golden"), "golden": ("golden",), "scores": ("corpora",)}


# --- running and comparing --------------------------------------------------------------------------------------------


def processor_time() -> float:
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def done(run: Run) -> tuple[str, Lines, float]:
    """Run one, and return its lines under their keys, and the seconds of processor time."""
    began = processor_time()
    os.chdir(run.folder)
    try:
        lines = run.work(*run.arguments)
    except Exception as error:  # noqa: BLE001 - one answer that cannot be read is a difference, not the end
        traceback.print_exc()
        lines = {"": {"failed": f"{type(error).__name__}: {error}"[:200]}}
    return run.key, {f"{run.key} {name}".strip(): row for name, row in lines.items()}, processor_time() - began


def results(runs: list[Run], jobs: int) -> Iterator[tuple[str, Lines, float]]:
    """Run all, the heavy ones first, in processes copied from this one."""
    load_all()
    runs = sorted(runs, key=lambda run: not run.heavy)
    with multiprocessing.get_context("fork").Pool(jobs) as pool:
        yield from pool.imap_unordered(done, runs)


def stored(file: Path) -> dict[str, Lines]:
    """Return the frozen lines by run."""
    found: dict[str, Lines] = {}
    with gzip.open(file, "rt", encoding="utf-8") as text:
        for line in text:
            row = json.loads(line)
            found.setdefault(row.pop("run"), {})[row.pop("key")] = row
    return found


def store(file: Path, frozen: dict[str, Lines]) -> None:
    """Write the lines, sorted, without the time of writing."""
    with file.open("wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as packed:
        for run, lines in sorted(frozen.items()):
            for key, row in sorted(lines.items()):
                line = {"run": run, "key": key, **row}
                packed.write(json.dumps(line, separators=(",", ":"), ensure_ascii=True).encode() + b"\n")


def differences(old: Lines, new: Lines) -> Iterator[tuple[str, str, str]]:
    """Name each line that differs, its field, and both values."""
    for key in sorted(old.keys() | new.keys()):
        if key not in new:
            yield key, "-", "the line is frozen, but there is no such answer now"
        elif key not in old:
            yield key, "+", f"no such line is frozen: {json.dumps(new[key])}"
        else:
            for field in sorted(old[key].keys() | new[key].keys()):
                before, after = old[key].get(field), new[key].get(field)
                if before != after:
                    yield key, field, f"{json.dumps(before)} -> {json.dumps(after)}"


def chosen_runs(parts: list[str], scratch: Path) -> list[Run]:
    """Return the runs of the parts; a part whose data is absent is skipped with a sentence."""
    runs: list[Run] = []
    for part in parts:
        absent = [name for name in NEEDED.get(part, ()) if not (SHARED / name).is_dir()]
        if absent:
            print(f"{part}: skipped, needs ../shared/{absent[0]}, third-party data that is not part of the project")
            continue
        room = scratch / part
        room.mkdir()
        runs += PARTS[part](room)
    return runs


def options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.frozen", description="Compare all answers with frozen ones.")
    parser.add_argument("--write", action="store_true", help="renew the frozen answers")
    parser.add_argument("--part", action="append", choices=PARTS, help="only this part; repeatable")
    parser.add_argument("--run", metavar="TEXT", help="only runs whose name contains TEXT")
    parser.add_argument("--quick", action="store_true", help="a sample of all parts")
    parser.add_argument("--jobs", type=int, default=2, help="number of processes (default 2)")
    parser.add_argument("--ignore", action="append", default=[], metavar="FIELD", help="do not compare this field")
    parser.add_argument("--all", action="store_true", help=f"list all differences, not only {LISTED}")
    parser.add_argument("--progress", action="store_true", help="name each run when it is done")
    parser.add_argument("--times", action="store_true", help="list the runs that take most time")
    parser.add_argument("--file", type=Path, default=FILE, help="the file of frozen answers")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    chosen = options(arguments)
    began = time.monotonic()
    frozen = stored(chosen.file) if chosen.file.exists() else {}
    if not frozen and not chosen.write:
        print(f"{chosen.file}: there are no frozen answers; write them with --write")
        return 2
    with temporary_folder() as scratch:
        parts = chosen.part or list(PARTS)
        known = chosen_runs(parts, Path(scratch))
        there = {run.part for run in known}
        runs = [run for run in known if (run.quick or not chosen.quick) and (chosen.run or "") in run.key]
        if chosen.write:
            names = {run.key for run in known}
            frozen = {key: lines for key, lines in frozen.items() if key in names or key.split("/")[0] not in there}
        found, lines, times = Counter[str](), 0, []
        if not (chosen.quick or chosen.run):
            for key in sorted(key for key in frozen if key.split("/")[0] in there):
                if key not in {run.key for run in runs}:
                    found["-"] += 1
                    print(f"{key}: the run is frozen, but there is no such run now")
        for key, new, seconds in results(runs, chosen.jobs):
            times.append((seconds, key))
            if chosen.progress:
                print(f"{seconds:7.2f} s  {key}", file=sys.stderr, flush=True)
            lines += len(new)
            if chosen.write:
                frozen[key] = new
                continue
            for where, field, what in differences(frozen.get(key, {}), new):
                if field not in chosen.ignore:
                    found[field] += 1
                    if chosen.all or found.total() <= LISTED:
                        print(f"{where}: {field}: {what}", flush=True)
    if chosen.times:
        print("\n".join(f"{seconds:7.2f} s  {key}" for seconds, key in sorted(times, reverse=True)[:40]))
    seconds = f"{time.monotonic() - began:.0f} s, {sum(seconds for seconds, _ in times):.0f} s of processor time"
    took = f"{len(runs)} runs, {lines} lines, {seconds}"
    if chosen.write:
        store(chosen.file, frozen)
        refused = sorted(key for lines in frozen.values() for key, row in lines.items() if row.get("exit") in {2, 70})
        print(f"refused, so that nothing else is frozen of it: {', '.join(refused) or 'none'}")
        print(f"{took}: written to {chosen.file.name}, {chosen.file.stat().st_size:,} bytes")
        return 0
    if found.total() > LISTED and not chosen.all:
        print(f"... and {found.total() - LISTED} more; list them with --all")
    by_field = ", ".join(f"{name} {count}" for name, count in found.most_common())
    print(f"{took}: {f'{found.total()} differences ({by_field})' if found else 'no difference'}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
