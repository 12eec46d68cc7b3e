"""Inputs that are crafted to outlast a time limit, for every command that has one.

Each input is given to some of the commands in turn, so that each command meets each kind of input. What counts is the
processor time of the command and of the processes that it starts, with loading the program: at most 1.5 times the limit
and 0.5 s.

``python -m fuzz.limits`` prints each run with its seconds; ``--every`` gives each input to all commands.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random
from time import monotonic
from typing import TYPE_CHECKING

from temporacle.relation import ATOMS, Relation

if TYPE_CHECKING:
    from collections.abc import Iterator

LIMIT = 1.0
ALLOWED = 1.5 * LIMIT + 0.5
PATIENCE = 30  # seconds on the clock: the machine may be busy
AT_A_TIME = 1  # commands for each input
SAID = "said"  # the file for standard error
WRONG_USAGE = "no such option"


def random_links(entities: int, degree: float, atoms: float, seed: int) -> str:
    """Return random disjunctions, hardest to decide at about 9 links for each entity."""
    rng = Random(f"{entities} {degree} {atoms} {seed}")
    lines = []
    for i in range(entities):
        for j in range(i + 1, entities):
            mask = sum(1 << atom for atom in range(len(ATOMS)) if rng.random() < atoms / len(ATOMS))
            if mask and rng.random() < degree / (entities - 1):
                lines.append(f"x{i}\t{Relation(mask)}\tx{j}\n")
    return "".join(lines)


def contradictions(entities: int, links: int, labels: str, seed: int) -> str:
    """Return random links with very many conflicts."""
    rng = Random(f"{entities} {links} {seed}")
    return "".join(f"x{i}\t{rng.choice(labels.split())}\tx{j}\n" for i, j in pairs(rng, entities, links))


def pairs(rng: Random, entities: int, links: int) -> list[list[int]]:
    return [rng.sample(range(entities), 2) for _ in range(links)]


def chain(links: int, *more: str) -> str:
    return "".join((*(f"x{k}\tb\tx{k + 1}\n" for k in range(links)), *more))


def dated(times: int, seed: int) -> str:
    """Return a TimeML file of times with and without values, and random links between them."""
    rng = Random(seed)
    values = [f"{rng.randint(1990, 2030)}-{rng.randint(1, 12):02}" for _ in range(times)]
    marked = "".join(f'<TIMEX3 tid="x{k}" type="DATE" value="{value}">v</TIMEX3> ' for k, value in enumerate(values))
    labels = ("BEFORE", "INCLUDES", "AFTER")
    made = "".join(
        f'<TLINK lid="l{n}" relType="{rng.choice(labels)}" timeID="x{i}" relatedToTime="x{j}"/>'
        for n, (i, j) in enumerate(pairs(rng, times, times))
    )
    return f"<TimeML><TEXT>{marked}</TEXT>{made}</TimeML>"


def inputs() -> dict[str, tuple[str, str]]:
    """Return the inputs by name: the format, and the text."""
    made: dict[str, tuple[str, str]] = {}
    for entities, degree, atoms in (
        *((30, 8, 6.5), (40, 8, 6.5), (50, 8.5, 6.5), (60, 9, 6.5), (70, 9, 6.5), (80, 9, 6.5), (100, 9, 6.5)),
        *((150, 9.5, 6.5), (60, 20, 10), (40, 39, 11), (200, 4, 4), (400, 3, 3)),
    ):
        made[f"disjunctions {entities} {degree:g} {atoms:g}"] = "tsv", random_links(entities, degree, atoms, 1)
    for entities, links in ((30, 200), (60, 400), (100, 1000), (200, 4000), (1000, 3000), (3000, 20000)):
        made[f"conflicts {entities} {links}"] = "tsv", contradictions(entities, links, "b m o d =", 1)
    for entities, links in ((12, 60), (20, 100), (40, 300), (100, 500)):
        made[f"conflicts of either-or {entities}"] = "tsv", contradictions(entities, links, "b|bi m|mi b|o|d s|f|=", 2)
    for size in (2_000, 20_000, 50_000):
        made[f"chain {size}"] = "tsv", chain(size)
        made[f"ring {size}"] = "tsv", chain(size, f"x{size}\tb\tx0\n")
        made[f"hub {size}"] = "tsv", "".join(f"x0\tb\tx{k}\n" for k in range(1, size))
        made[f"equal {size}"] = "tsv", "".join(f"x{k}\t=\tx{k + 1}\n" for k in range(size))
    made["clique"] = "tsv", "".join(f"x{i}\t=\tx{j}\n" for i in range(300) for j in range(i))
    made["ladder"] = "tsv", "".join(f"x{i}\tb|m\tx{j}\n" for i in range(400) for j in range(i + 1, min(i + 20, 400)))
    made["overlaps"] = "tsv", "".join(f"x{i}\to\tx{j}\n" for i in range(300) for j in range(i + 1, i + 9))
    made["diamonds"] = "tsv", "".join(f"x{i}\tb|bi\tx{i + 1}\nx{i}\tb|bi\tx{i + 2}\n" for i in range(2_000))
    made["one pair many times"] = "tsv", "x0\tb\tx1\n" * 100_000
    made["two labels many times"] = "tsv", "x0\tb\tx1\nx1\tb\tx0\n" * 20_000
    made["two-cycles"] = "tsv", "".join(f"x{k}\tb\ty{k}\ny{k}\tb\tx{k}\n" for k in range(5_000))
    for times in (50, 300, 2_000):
        made[f"dates {times}"] = "timeml", dated(times, times)
    statement = '"x0(1)" -- "x1(2)" [rel=before];\n'
    made["letters after a statement"] = "llm", statement + "a" * 200_000
    made["graphs"] = "llm", statement + "graph " * 50_000
    made["begun edges"] = "llm", statement + '"a" -- ' * 50_000
    made["brackets"] = "llm", statement + "[" * 200_000
    made["dashes"] = "llm", statement + "-" * 200_000
    made["quotes"] = "llm", statement + '"' * 100_000
    made["comments"] = "llm", statement + "/*" * 100_000
    made["bars"] = "llm", statement + "|" * 200_000
    text = "x0 x1 " * 3
    made["event line"] = "brat", f"T1\tEvent 0 2\tx0\nE1\tEvent:T1{' a:b' * 100_000}\n" + text
    made["blanks"] = "brat", f"T1\tEvent 0 2\tx0\nA1\tNote T1{' ' * 200_000}x\n"
    made["long cell"] = "tsv", "x" * 1_000_000 + "\tb\tx1\nx0\tb\tx1\n"
    made["tabs"] = "tsv", "x0\tb\tx1" + "\t" * 500_000 + "\n"
    made["labels"] = "tsv", "x0\t" + "|".join(["b", "m"] * 100_000) + "\tx1\n"
    made["attributes"] = "timeml", f"<TimeML {' '.join(f'a{k}={chr(34)}1{chr(34)}' for k in range(20_000))}/>"
    made["levels"] = "timeml", "<TimeML>" + "<s>" * 250 + "</s>" * 250 + "</TimeML>"
    made["entities of xml"] = "timeml", "<TimeML><TEXT>" + "&lt;" * 200_000 + "</TEXT></TimeML>"
    made["tags without an end"] = "timeml", "<TimeML>" + "<TLINK " * 100_000
    made["json lists"] = "jsonl", json.dumps({"document": "d", "links": [[]] * 100_000}) + "\n"
    made["ids of one name"] = (
        "jsonl",
        json.dumps({"document": "d", "links": [{"id": "l", "source": "x0", "relation": "b", "target": "x1"}] * 50_000}),
    )
    return made


def commands(path: str, format_name: str) -> list[list[str]]:
    """Return all commands with a time limit, about one file."""
    if format_name == "scores":
        return [["decode", path], ["decode", path, "--margins"], ["decode", path, "--alternatives", "3"]]
    read = ["--format", format_name]
    return [
        ["check", path, *read],
        ["closure", path, *read, "--output", "json"],
        ["fix", path, "--dry-run", *read],
        ["stats", path, *read],
        ["report", path, "-o", "report.html", *read],
        ["score", path, path, *read],
        ["reduce", path, *read, "--output", "json"],
        ["bounds", path, *read, "--output", "json"],
        ["entails", path, "x0", "b", "x1", *read],
        ["ask", path, "IS x0 BEFORE x1", *read],
        ["diff", path, path, *read],
        ["agree", path, path, *read],
        ["audit", path, path, *read],
        ["official", "awareness", path, path],
        ["check", path, *read, "--certificates", "certificates", "--all-conflicts", "all"],
    ]


def scores(pairs_of: int, entities: int) -> str:
    """Return scored pairs of which the best labels contradict each other."""
    rng = Random(entities)
    rows = [
        {"source": f"x{i}", "target": f"x{j}", "scores": {each: rng.random() for each in ("BEFORE", "AFTER", "EQUAL")}}
        for i, j in sorted({tuple(sorted(pair)) for pair in pairs(rng, entities, pairs_of)})
    ]
    return json.dumps({"document": "d", "reading": "matres", "pairs": rows})


def runs(*, every: bool) -> Iterator[tuple[str, list[str]]]:
    """Yield the runs, each with the name of its input. Files are written to the present folder."""
    made = inputs()
    made |= {f"scores {n}": ("scores", scores(n, size)) for n, size in ((300, 40), (1_000, 80), (5_000, 150))}
    for number, (name, (format_name, text)) in enumerate(made.items()):
        path = Path(f"input{number}.{'ann' if format_name == 'brat' else format_name}")
        path.write_text(text)
        path.with_suffix(".txt").write_text("x0 x1")
        of_input = commands(str(path), format_name)
        taken = range(len(of_input)) if every else [(number * AT_A_TIME + k) % len(of_input) for k in range(AT_A_TIME)]
        for each in taken:
            yield name, of_input[each]


def seconds_of(command: list[str]) -> tuple[float, int]:
    """Return the processor time of a command with a limit, and its exit code: -1 if it did not understand the call."""
    seconds, code = _run(command)
    is_understood = WRONG_USAGE not in Path(SAID).read_text("utf-8")
    return seconds, code if is_understood else -1


def _run(command: list[str]) -> tuple[float, int]:
    whole = [sys.executable, "-m", "temporacle", *command, "--time-limit", f"{LIMIT:g}", "-q"]
    whole = whole if command[0] not in {"entails", "ask", "diff", "agree"} else whole[:-1]
    with open(os.devnull, "wb") as nothing, open(SAID, "wb") as said:  # noqa: PTH123
        process = subprocess.Popen(whole, stdin=nothing, stdout=nothing, stderr=said, start_new_session=True)
    end = monotonic() + PATIENCE
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return usage.ru_utime + usage.ru_stime, process.returncode
        if monotonic() > end:
            os.killpg(process.pid, signal.SIGKILL)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            return usage.ru_utime + usage.ru_stime, process.returncode
        signal.sigtimedwait([], 0.02)


def late(seconds: float, *, every: bool = False, tell: bool = False) -> tuple[int, list[str], int, bool]:
    """Return how many runs were tried, those that took too long, how many were left out, and whether any were."""
    here, end = Path.cwd(), monotonic() + seconds
    tries, survivors, skipped = 0, [], 0
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PYTHONPATH"] = os.pathsep.join((str(here), os.environ.get("PYTHONPATH", "")))
        os.chdir(folder)
        try:
            for name, command in runs(every=every):
                if monotonic() > end:
                    skipped += 1
                    continue
                took, code = seconds_of(command)
                tries += 1
                if tell:
                    print(f"{took:6.2f} s  exit {code:3}  {command[0]:9} {name}", flush=True)
                if took > ALLOWED or code not in {0, 1, 2, 3}:
                    survivors.append(f"{' '.join(command)} ({name}): {took:.1f} s of {ALLOWED:g} s, exit code {code}")
        finally:
            os.chdir(here)
    return tries, survivors, skipped, skipped > 0


if __name__ == "__main__":
    asked = argparse.ArgumentParser(prog="python -m fuzz.limits", description=__doc__)
    asked.add_argument("--seconds", type=float, default=600)
    asked.add_argument("--every", action="store_true")
    chosen = asked.parse_args()
    done, found, left, _ = late(chosen.seconds, every=chosen.every, tell=True)
    print("\n".join(found))
    print(f"{done} runs, {len(found)} took too long, {left} left out for want of time")
    sys.exit(bool(found))
