"""Random documents for ``bench.frozen``. Made by the standard library alone: no change of the tree moves them."""

from __future__ import annotations

import json
from datetime import date, timedelta
from random import Random
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

Row = dict[str, Any]

ATOMS = ("b", "m", "o", "fi", "di", "s", "=", "si", "d", "f", "oi", "mi", "bi")
CONVEX = (
    "b", "bi", "d", "di", "=", "m", "mi", "o", "oi", "s", "si", "f", "fi", "b|m", "bi|mi", "b|m|o", "s|=|si", "f|=|fi",
    "s|d|f|=", "si|di|fi|=", "b|m|o|fi|di", "o|fi|di|s|=|si|d|f|oi", "b|m|o|s|d",
)  # fmt: skip
MATRES = ("BEFORE", "AFTER", "EQUAL", "VAGUE")


def holding(first: tuple[int, int], second: tuple[int, int]) -> str:
    """Return the atom that holds between two intervals."""
    (a, b), (c, d) = first, second
    if b <= c or d <= a:
        return ("m" if b == c else "b") if b <= c else ("mi" if d == a else "bi")
    if a == c:
        return "=" if b == d else "s" if b < d else "si"
    if b == d:
        return "f" if a > c else "fi"
    if a < c:
        return "o" if b < d else "di"
    return "d" if b < d else "oi"


def network(
    rng: Random, name: str, entities: int, links: int, *, disjunctive: float = 0.0, errors: int = 0, window: int = 0
) -> Row:
    """Links that are true of a hidden model but for ``errors`` of them; some have weights."""
    model = [(start, start + rng.randint(1, 12)) for start in (rng.randrange(2 * entities) for _ in range(entities))]
    rows: list[Row] = []
    for number in range(links):
        source = rng.randrange(entities)
        target = min(entities - 1, source + rng.randint(1, window)) if window else rng.randrange(entities)
        if source == target:
            target = (source + 1) % entities
        true = holding(model[source], model[target])
        if number < errors:
            relation = rng.choice(ATOMS)
        elif rng.random() < disjunctive:
            atoms = {true, *rng.sample(ATOMS, rng.randint(1, 4))}
            relation = "|".join(atom for atom in ATOMS if atom in atoms)
        else:
            relation = rng.choice([each for each in CONVEX if true in each.split("|")])
        row: Row = {"id": f"l{number}", "source": f"e{source}", "relation": relation, "target": f"e{target}"}
        if rng.random() < 0.2:
            row["weight"] = rng.randint(1, 5)
        rows.append(row)
    rng.shuffle(rows)
    return {"document": name, "links": rows}


def tangled(rng: Random, name: str, entities: int, links: int) -> Row:
    """Random relations without a hidden model: often inconsistent."""
    rows = []
    for number in range(links):
        source, target = rng.sample(range(entities), 2)
        atoms = rng.sample(ATOMS, rng.choice((1, 1, 2, 3, 5, 7)))
        relation = "|".join(atom for atom in ATOMS if atom in atoms)
        rows.append({"id": f"l{number}", "source": f"e{source}", "relation": relation, "target": f"e{target}"})
    return {"document": name, "links": rows}


def dated(rng: Random, name: str, events: int, times: int, links: int) -> Row:
    """Events and dates with values; most links are true of a hidden calendar."""
    first = date(1995 + rng.randrange(20), 1 + rng.randrange(12), 1 + rng.randrange(28))
    places: dict[str, tuple[int, int]] = {}
    entities: list[Row] = []
    for number in range(events):
        start = rng.randrange(600)
        places[f"e{number}"] = (start, start + rng.randint(1, 90))
        entities.append({"id": f"e{number}", "kind": "event"})
    for number in range(times):
        day = first + timedelta(days=rng.randrange(600))
        kind = rng.choice(("day", "day", "month", "year", "quarter", "season", "week", "clock", "duration", "broken"))
        row = {"id": f"t{number}", "kind": "dct" if number == 0 else "time", "type": "DATE"}
        start, length = (day - first).days, 1
        if kind == "day" or number == 0:
            value = day.isoformat()
        elif kind == "month":
            value, start, length = f"{day:%Y-%m}", (day.replace(day=1) - first).days, 30
        elif kind == "year":
            value, start, length = f"{day:%Y}", (day.replace(month=1, day=1) - first).days, 365
        elif kind == "quarter":
            quarter = (day.month - 1) // 3
            value, start = f"{day.year}-Q{quarter + 1}", (day.replace(month=3 * quarter + 1, day=1) - first).days
            length = 90
        elif kind == "season":
            value, length = f"{day.year}-{rng.choice(('SP', 'SU', 'FA', 'WI'))}", 90
        elif kind == "week":
            value, start, length = "{}-W{:02}".format(*day.isocalendar()[:2]), start - day.weekday(), 7
        elif kind == "clock":
            value, row["type"] = f"{day.isoformat()}T{rng.randrange(24):02}:{rng.randrange(60):02}", "TIME"
        elif kind == "duration":
            value, row["type"] = rng.choice(("P3D", "P2W", "P1M", "P1Y", "PT5H")), "DURATION"
            if number > 1 and rng.random() < 0.5:
                row |= {"beginPoint": "t0", "endPoint": "t1"}
        else:
            value = rng.choice(("XXXX-05", "FUTURE_REF", "19", "1998-13-40"))
        if rng.random() < 0.15:
            row["mod"] = rng.choice(("START", "MID", "END", "BEFORE", "APPROX", "LESS_THAN"))
        entities.append(row | {"value": value})
        places[f"t{number}"] = (start, start + length)
    rows = []
    for number in range(links):
        source, target = rng.sample(list(places), 2)
        true = holding(places[source], places[target])
        wide = [each for each in CONVEX if true in each.split("|")]
        relation = rng.choice(ATOMS) if rng.random() < 0.08 else rng.choice([true, *wide])
        if rng.random() < 0.1:
            relation = "b|bi"
        rows.append({"id": f"l{number}", "source": source, "relation": relation, "target": target})
    return {"document": name, "entities": entities, "links": rows}


def scored(rng: Random, name: str, entities: int, pairs: int) -> Row:
    """Pairs with a score for each label, as a classifier gives them."""
    rows = []
    for _ in range(pairs):
        source, target = sorted(rng.sample(range(entities), 2))
        parts = [rng.random() ** 2 + 0.001 for _ in MATRES]
        shares = {label: round(part / sum(parts), 6) for label, part in zip(MATRES, parts, strict=True)}
        rows.append({"source": f"e{source}", "target": f"e{target}", "scores": shares})
    return {"document": name, "pairs": rows}


def answer_to(rng: Random, gold: Row) -> Row:
    """Return what a system might answer: links left out, changed, turned round, added."""
    links = []
    names = sorted({link[end] for link in gold["links"] for end in ("source", "target")})
    for link in gold["links"]:
        chance = rng.random()
        if chance < 0.15:
            continue
        changed = {name: value for name, value in link.items() if name != "weight"}
        if chance < 0.4:
            changed["relation"] = rng.choice(CONVEX)
        links.append(changed)
    for number in range(3):
        source, target = rng.sample(names, 2)
        relation = rng.choice(CONVEX)
        links.append({"id": f"n{number}", "source": source, "relation": relation, "target": target})
    return {"document": gold["document"], "links": links}


def families() -> dict[str, list[list[Row]]]:
    """Return the documents: family -> chunks of documents. Each chunk has a seed of its own."""
    found: dict[str, list[list[Row]]] = {}
    for chunk in range(6):
        rng = Random(100 + chunk)
        found.setdefault("convex-small", []).append(
            [network(rng, f"c{i}", rng.randint(3, 6), rng.randint(3, 10), errors=i % 3) for i in range(30)]
        )
        found.setdefault("disjunctive-small", []).append(
            [
                network(rng, f"d{i}", rng.randint(3, 6), rng.randint(4, 12), disjunctive=0.7, errors=i % 2)
                for i in range(15)
            ]
            + [tangled(rng, f"x{i}", rng.randint(3, 5), rng.randint(3, 9)) for i in range(15)]
        )
        found.setdefault("dated", []).append(
            [dated(rng, f"t{i}", rng.randint(2, 8), rng.randint(2, 7), rng.randint(4, 18)) for i in range(25)]
        )
        found.setdefault("sides", []).append(
            [network(rng, f"g{i}", rng.randint(4, 14), rng.randint(4, 24), errors=i % 3 // 2) for i in range(12)]
        )
    for chunk in range(4):
        rng = Random(200 + chunk)
        found.setdefault("convex-medium", []).append(
            [network(rng, f"c{i}", n := rng.randint(20, 60), 2 * n, errors=i % 4, window=8) for i in range(12)]
        )
        found.setdefault("disjunctive-medium", []).append(
            [
                network(rng, f"d{i}", n := rng.randint(10, 24), 2 * n, disjunctive=0.5, errors=i % 3, window=6)
                for i in range(8)
            ]
            + [tangled(rng, f"x{i}", n := rng.randint(7, 11), 2 * n) for i in range(4)]
        )
        found.setdefault("scored", []).append(
            [scored(rng, f"s{i}", rng.randint(3, 7), rng.randint(3, 12)) for i in range(20)]
            + [scored(rng, f"m{i}", rng.randint(10, 16), rng.randint(16, 40)) for i in range(4)]
        )
    for chunk in range(2):
        rng = Random(250 + chunk)
        found.setdefault("tiny", []).append(
            [network(rng, f"c{i}", rng.randint(3, 4), rng.randint(2, 7), errors=i % 2) for i in range(6)]
            + [tangled(rng, f"x{i}", rng.randint(3, 4), rng.randint(2, 5)) for i in range(6)]
        )
    rng = Random(300)
    found["large"] = [
        [network(rng, "l400", 400, 800, errors=2, window=6)],
        [network(rng, "l1500", 1500, 3000, window=6)],
        [network(rng, "l3000d", 3000, 5000, disjunctive=0.02, window=4)],
        [network(rng, "l6000", 6000, 12000, errors=1, window=6)],
        [network(rng, "l30000", 30000, 50000, window=5)],
    ]
    return found


def write_all(folder: Path) -> dict[str, list[str]]:
    """Write the documents as JSON Lines; return the names of the files by family."""
    names: dict[str, list[str]] = {}
    for family, chunks in families().items():
        for number, rows_ in enumerate(chunks):
            name = f"{family}-{number}.gold.jsonl" if family == "sides" else f"{family}-{number}.jsonl"
            write(folder / name, rows_)
            if family == "sides":
                rng = Random(400 + number)
                write(folder / name.replace("gold", "system"), [answer_to(rng, row) for row in rows_])
            names.setdefault(family, []).append(name)
    return names


def write(path: Path, rows_: list[Row]) -> None:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows_), "utf-8")


def rows(file: str) -> list[Row]:
    """Return the documents of a file in the current folder."""
    with open(file, encoding="utf-8") as text:  # noqa: PTH123 - a name in the current folder
        return [json.loads(line) for line in text]


def questions(row: Row) -> list[tuple[str, str, str]]:
    """Return some questions about a document, always the same."""
    rng = Random(len(row["links"]))
    names = sorted({link[end] for link in row["links"] for end in ("source", "target")})
    asked = []
    for number in range(12):
        start = rng.randrange(len(names))
        source, target = names[start], names[(start + rng.randint(1, len(names) - 1)) % len(names)]
        if number % 2:
            link = rng.choice(row["links"])
            source, target = link["source"], link["target"]
        asked.append((source, rng.choice((*CONVEX, "b|bi", "m|mi|=")), target))
    return asked
