"""The map of the reasoner names every file, and constants with the values that they have."""

import re
from pathlib import Path

import temporacle.reasoner
from temporacle.reasoner import judged
from temporacle.reasoner.conflicts import conflicts
from temporacle.reasoner.disjunctions import residual, search
from temporacle.reasoner.optimise import choices
from temporacle.reasoner.proofs import certificate

MAP = temporacle.reasoner.__doc__
ROOM = Path(temporacle.reasoner.__file__).parent


def test_every_file_is_on_the_map():
    words = set(re.findall(r"\w+", MAP))
    assert {path.stem for path in ROOM.rglob("*.py")} - {"__init__"} <= words
    assert {path.name for path in ROOM.iterdir() if (path / "__init__.py").exists()} <= words


def test_what_the_map_says_about_constants_is_true():
    chosen = MAP[MAP.index("the constants that choose") :]
    assert (judged._MOST_ROWS, "1,000 entities" in chosen) == (1000, True)
    assert (residual.MOST_CHOICES, residual.MOST_BRANCHINGS) == (12, 200)
    assert "up to 12 disjunctions" in chosen
    assert "within 200 branchings" in chosen
    assert (search.MOST_TRIANGLES, "2 million triangles" in chosen) == (2_000_000, True)
    assert (judged._MOST_CLOSED, "more than 20,000 entities" in chosen) == (20_000, True)
    assert (conflicts._MANY_DISJUNCTIONS, "more than 12 disjunctions" in chosen) == (12, True)
    assert (choices._PATIENCE, "CP-SAT after 2,000 steps" in chosen) == (2000, True)
    assert (certificate._FEW_BRANCHINGS, certificate._MANY_BRANCHINGS) == (32, 500)
    assert "up to 32 branchings (500 with" in chosen
