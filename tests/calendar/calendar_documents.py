"""Random documents with values, for every comparison of two ways to reason about them.

They are small and crowded: dates lie close together, so that many documents are contradictory and most of the others
nearly are. A document is a dict as in JSON Lines; ``case`` gives one with options of the calendar.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from naive_calendar import ATOMS, SIGNS

if TYPE_CHECKING:
    from random import Random

CLOSE_DATES = (
    *(f"1998-02-0{day}" for day in range(4, 10)),
    *("1998-02", "1998-01", "1998-03", "1998", "1997", "1999", "199", "19", "1998-Q1", "1998-Q2", "1998-H1", "1998-H2"),
    *("1998-W06", "1998-W07", "1998-W06-5", "1998-W06-WE", "1998-W07-1"),
)
CLOCKS = (
    "1998-02-06T10",
    "1998-02-06T10:30",
    "1998-02-06T10:30:15",
    "1998-02-06T23",
    "1998-02-06T24:00",
    "1998-02-07T00",
)
ZONED = ("1998-02-06T10:00Z", "1998-02-06T22:30+02:00", "1998-02-06T03-0500", "1998-02-07T06:15+09", "1998-02-06TMOZ")
HULLS = (
    *("1998-SP", "1998-SU", "1998-FA", "1998-WI", "1997-WI", "199X", "19XX", "1998-XX", "1998-XX-XX", "1998-02-XX"),
    *("1998-W06-X", "1998-WXX", "FY1998", "FY1999-Q1", "199X-Q4", "199X-W05", "1998-QX", "-0044", "1998-XX-12T10"),
    *("1998-02-06TMO", "1998-02-06TAF", "1998-02-06TEV", "1998-02-06TNI", "1998-02-06TXX", "1998-02-06T10:30:15.5"),
)
LENGTHS = (
    *("P1D", "P2D", "P3D", "P5D", "P1W", "P2W", "P1M", "P2M", "P9M", "P1Y", "P18M", "P1Y6M", "P1Q", "P1DE", "P1C"),
    *("PT1H", "PT3H", "PT12H", "PT24H", "PT90M", "P0.5D", "P1.5M", "P1WE", "PT1S"),
)
SILENT = ("PRESENT_REF", "PAST_REF", "XXXX-02-06", "T10:30", "PXM", "P1NI", "", "soon", "1999-02-30", "P0D", "1998-W54")
MODS_OF_DATES = ("START", "MID", "END", "APPROX", "BEFORE", "AFTER", "ON_OR_BEFORE", "ON_OR_AFTER", "LESS_THAN", "ODD")
MODS_OF_LENGTHS = ("LESS_THAN", "EQUAL_OR_LESS", "MORE_THAN", "EQUAL_OR_MORE", "APPROX", "START")
FUNCTIONS = ("CREATION_TIME", "PUBLICATION_TIME", "NONE")


def random_value(rng: Random) -> str:
    pools = (CLOSE_DATES, CLOSE_DATES, CLOSE_DATES, CLOCKS, ZONED, HULLS, LENGTHS, LENGTHS, SILENT)
    return rng.choice(rng.choice(pools))


def random_relation(rng: Random, kind: str) -> str:
    """``atom``, ``convex`` (an interval of signs on every pair of endpoints), ``pointisable`` (with !=), or ``any``."""
    if kind == "atom":
        return rng.choice(ATOMS)
    if kind == "any":
        return "|".join(sorted(rng.sample(ATOMS, rng.randint(1, 6)), key=ATOMS.index))
    while True:
        choices = ({-1}, {0}, {1}, {-1, 0}, {0, 1}, {-1, 0, 1}, *([{-1, 1}] if kind == "pointisable" else []))
        allowed = [rng.choice(choices) for _ in range(4)]
        atoms = [a for a in ATOMS if all(sign in each for sign, each in zip(SIGNS[a], allowed, strict=True))]
        if atoms:
            return "|".join(atoms)


def random_document(rng: Random, *, entities: int | None = None, kinds: tuple[str, ...] | None = None) -> dict:
    count = rng.randint(2, 6) if entities is None else entities
    names = [f"t{place}" if rng.random() < 0.65 else f"e{place}" for place in range(1, count + 1)]
    kinds = kinds or rng.choice((("atom",), ("convex",), ("atom", "convex"), ("pointisable", "atom"), ("any", "atom")))
    links = []
    for place in range(1, rng.randint(1, count + 3) + 1):
        source, target = rng.choice(names), rng.choice(names)
        if source != target or rng.random() < 0.05:
            relation = random_relation(rng, rng.choice(kinds))
            links.append({"id": f"l{place}", "source": source, "relation": relation, "target": target})
    return {"document": "random", "entities": [random_entity(rng, name, names) for name in names], "links": links}


def random_entity(rng: Random, name: str, names: list[str]) -> dict:
    if name.startswith("e"):
        return {"id": name, "kind": "event"}
    value = random_value(rng)
    is_length = value.startswith("P") and not value.endswith("REF")
    entity = {"id": name, "kind": "dct" if rng.random() < 0.1 else "time", "value": value}
    if rng.random() < 0.8:
        entity["type"] = ("DURATION" if is_length else "DATE") if rng.random() < 0.93 else rng.choice(["SET", "TIME"])
    if rng.random() < 0.2:
        entity["mod"] = rng.choice(MODS_OF_LENGTHS if is_length else MODS_OF_DATES)
    if rng.random() < 0.1:
        entity["function"] = rng.choice(FUNCTIONS)
    for attribute in ("beginPoint", "endPoint"):
        if rng.random() < (0.3 if is_length else 0.08):
            entity[attribute] = rng.choice([*names, "t99", ""])
    return entity


def random_options(rng: Random) -> dict:
    """Hemisphere, and the zone in seconds, as ``naive_calendar.calendar_of`` takes them."""
    return {
        "hemisphere": rng.choice(("unknown", "unknown", "north", "south")),
        "zone": rng.choice((None, None, None, 0, 3600, -18_000, 20_700)),
    }


PIECES = (
    *("1998", "1900", "2000", "0000", "199X", "19XX", "1XXX", "XXXX", "199", "19", "20", "1", "X", "XX", "BC0044", "-"),
    *("-02", "-12", "-13", "-00", "-29", "-30", "-31", "-XX", "-W01", "-W06", "-W52", "-W53", "-W54", "-W00", "-WXX"),
    *("-1", "-5", "-7", "-8", "-WE", "-X", "-Q1", "-Q4", "-Q5", "-QX", "-H1", "-H2", "-H3", "-HX", "-SP", "-SU", "-WI"),
    *(
        "T",
        "T10",
        "T00",
        "T23",
        "T24",
        "T25",
        ":00",
        ":30",
        ":59",
        ":60",
        ":XX",
        "TXX",
        "TMO",
        "TNI",
        "TEV",
        ".5",
        ".25",
    ),
    *("Z", "+02", "+0200", "+02:00", "-05:00", "+15", "+02:60", "FY1998", "FY0000", "P", "PT", "1Y", "2M", "3W", "4D"),
    *("1.5Y", "0.5D", "0D", "XM", "XXD", "2H", "10M", "30S", "1Q", "1DE", "1E", "1C", "1CE", "1L", "1ML", "1WE", "2WE"),
    *("1NI", "2MO", "1SU", "1234567D", "999999D", "PRESENT_REF", "PAST_REF", " ", "/", "x", "é", "²", "\u0661"),
)
WHOLE = (*CLOSE_DATES, *CLOCKS, *ZONED, *HULLS, *LENGTHS, *SILENT)


def random_text(rng: Random) -> str:
    """Something that is a value, was one before a slip, or is made of a value's pieces."""
    if rng.random() < 0.5:
        return "".join(rng.choice(PIECES) for _ in range(rng.randint(1, 5)))
    text = list(rng.choice(WHOLE))
    for _ in range(rng.randint(0, 2)):
        place = rng.randrange(len(text) + 1)
        change = rng.choice(("insert", "replace", "delete"))
        if change == "insert":
            text.insert(place, rng.choice("0123456789XTWQH-:.PYMDZ+ "))
        elif place < len(text):
            text[place : place + 1] = rng.choice("0123456789XTWQH-:.PYMDZ+ ") if change == "replace" else ""
    return "".join(text)
