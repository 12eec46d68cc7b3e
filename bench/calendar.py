"""What values of time expressions cost: ``check --calendar`` against plain ``check``.

On TE3 silver, machine-made links and values of 2,452 news texts (shared data, skipped if it is absent): documents whose
values are dates only, and documents with lengths. Both sides read the files; the plain side never reads values. And one
large document.
"""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from random import Random
from time import process_time
from typing import TYPE_CHECKING

import temporacle as tp
from bench.harness import Row, in_turn
from temporacle.model import Entity, Kind, Link
from temporacle.relation import Relation

if TYPE_CHECKING:
    from collections.abc import Iterator

SILVER = Path(__file__).resolve().parents[1].parent / "shared" / "corpora" / "te3-silver"
LINKS, VALUES = 100_000, 10_000
SAMPLE = 300
LENGTH = re.compile(rb'value="P[0-9T]')


def rows() -> Iterator[Row]:
    """The rows of the table."""
    if SILVER.exists():
        yield from silver_rows()
    yield from large_rows()


def silver_rows() -> Iterator[Row]:
    dated, lengths = [], []
    for path in sorted(SILVER.rglob("*.tml")):
        (lengths if LENGTH.search(path.read_bytes()) else dated).append(path)
    for name, paths, goal in (("without lengths", dated, 1.5), ("with lengths", lengths, 3)):
        files = [str(path) for path in paths[:: max(1, len(paths) // SAMPLE)]]
        plain, verdicts, conflicts = in_turn(
            [
                partial(tp.check, files, jobs=1),
                partial(tp.check, files, jobs=1, calendar="within", explain=False),
                partial(tp.check, files, jobs=1, calendar="within"),
            ],
            process_time,
            least=3,
        )
        found = sum(
            check.verdict == "inconsistent" for check in tp.check(files, jobs=1, calendar="within", explain=False)
        )
        # The plain check finds no contradiction here, so it never pays for a conflict and its sentences.
        note = f"{1000 * verdicts / len(files):.2f} ms a document; with the conflicts of {found} of {len(files)}"
        note += f" documents {conflicts / plain:.1f} x"
        yield Row(f"check --calendar --no-explain, te3-silver {name}", "check", verdicts / plain, goal, note=note)


def large_rows() -> Iterator[Row]:
    """Events on their days and among each other, in the order of time; then one link is turned round."""
    rng = Random(0)
    times = [Entity(f"t{day}", Kind.TIME, value=date(day)) for day in range(VALUES)]
    place = {f"e{event}": rng.randrange(VALUES) for event in range(LINKS // 4)}
    links = [("d", event, f"t{day}") for event, day in place.items()]
    names = sorted(place, key=place.__getitem__)
    while len(links) < LINKS:
        one, other = sorted((rng.randrange(len(names)), rng.randrange(len(names))))
        if place[names[one]] < place[names[other]]:
            links.append(("b", names[one], names[other]))
    for name, changed in (("consistent", links), ("contradictory", [*links[:-1], ("b", links[-1][2], links[-1][1])])):
        document = tp.Document(
            "large",
            tuple(Link(f"l{k}", a, Relation(atom), b, atom) for k, (atom, a, b) in enumerate(changed)),
            tuple(dict.fromkeys([*place, *(time.id for time in times)])),
            known_times=tuple(times),
        )
        checks = [partial(tp.check, document, jobs=1, calendar=policy) for policy in (None, "within")]
        plain, calendar = in_turn(checks, process_time, least=3)
        yield Row(
            f"check --calendar, {LINKS:,} links and {VALUES:,} values, {name}",
            "check",
            calendar / plain,
            10,
            note=f"{calendar:.1f} s",
        )


def date(day: int) -> str:
    """A day of months with 28 days: enough of them, and all real."""
    return f"{1990 + day // 336}-{1 + day // 28 % 12:02}-{1 + day % 28:02}"
