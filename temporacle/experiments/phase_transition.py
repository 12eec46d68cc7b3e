"""``phase-transition``: how many networks of disjunctions are consistent, and what deciding them costs.

Random networks with few links are nearly all consistent, those with many nearly all inconsistent. Where one turns into
the other they are hardest to decide (Cheeseman, Kanefsky and Taylor 1991; Nebel 1997 for interval relations). For the
families A and H (``hardnetworks``) and growing average degree d this draws

    the share of consistent networks, and of those that path consistency alone does not refute
    processor time of the oracle, of backtracking over ORD-Horn relations, and of CP-SAT alone

``--entities`` is the size of the networks, ``--graphs`` their number for each d. If the environment variable ``GQR``
names the program of that name, it is measured too. If two verdicts differ, the experiment ends with an error. Times are
seconds of the processor that runs this: the only figures that the seed does not fix.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from pathlib import Path
from random import Random
from time import process_time
from typing import TYPE_CHECKING, NamedTuple

from temporacle.errors import BudgetExceeded, InternalError, UsageError
from temporacle.experiments.graphs import FAMILIES, hard_network
from temporacle.experiments.outcome import Outcome, PaperClaim, PlottedFigure, Progress, Settings, averaged, quiet
from temporacle.io.csp import text
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.oracle import Oracle

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from temporacle.model import Document

    Row = tuple[str | int | float, ...]

_DEGREES = {"A": (4, 5, 6, 7, 8, 9, 9.5, 10, 11, 12, 14), "H": (2, 3, 4, 4.5, 5, 5.5, 6, 7, 8)}
_LIMIT = 10.0  # seconds for a network and an engine
_COLUMNS = ("family", "degree", "network", "links", "consistent", "not_refuted_by_path_consistency")


def run(settings: Settings, progress: Progress = quiet) -> Outcome:
    """Decide random networks of both families with all engines."""
    random = Random(settings.seed)
    other = program()
    names = [*_engines(), *(["gqr"] if other else [])]
    plan = [
        (family, degree, number)
        for family in FAMILIES
        for degree in _DEGREES[family]
        if degree <= settings.entities - 1
        for number in range(1, settings.graphs + 1)
    ]
    rows: list[Row] = []
    for done, (family, degree, number) in enumerate(plan, 1):
        document = hard_network(random, family, settings.entities, degree, str(number))
        rows.append((family, degree, number, *_measured(document, other)))
        progress(done, len(plan))
    notes = [f"networks of {settings.entities} entities"]
    if settings.corpus:
        notes.append("networks are generated: the corpus takes no part")
    return _outcome(rows, names, tuple(notes))


def _engines() -> Mapping[str, Callable[[Network, Budget], bool]]:
    """Return methods to decide consistency, by name."""
    from temporacle.reasoner.published import ord_horn
    from temporacle.reasoner.reference import cpsat

    return {
        "exact": lambda network, budget: Oracle(network, budget=budget).is_consistent(),
        "ord-horn": ord_horn.is_consistent,
        "cpsat": lambda network, budget: cpsat.decider(network, budget).model() is not None,
    }


def _measured(document: Document, other: str | None) -> Row:
    """Return the links, the verdict (1, 0, or -1 if no engine knows), that of path consistency, and the seconds of each
    engine.
    """
    from temporacle.reasoner.published.path_consistency import closure

    network = Network.of(document)
    verdicts: dict[str, bool | None] = {}
    seconds = []
    for name, decide in _engines().items():
        start = process_time()
        try:
            verdicts[name] = decide(network, Budget(_LIMIT))
        except BudgetExceeded:
            verdicts[name] = None
        seconds.append(process_time() - start)
    if other is not None:
        answers = ask(other, [document], _LIMIT)
        verdicts["gqr"] = answers.consistent[0]
        seconds.append(answers.seconds)
    known = {verdict for verdict in verdicts.values() if verdict is not None}
    left = closure(network, Budget()) is not None
    if len(known) > 1 or (True in known and not left):
        raise InternalError(f"engines disagree about a network: {verdicts}, path consistency {left}")
    return (len(network.links), int(known.pop()) if known else -1, int(left), *seconds)


def _outcome(rows: list[Row], names: list[str], notes: tuple[str, ...]) -> Outcome:
    figures = [
        PlottedFigure(
            "phase-transition-share",
            "Consistent networks",
            "average degree d",
            "share of networks",
            tuple(
                averaged(f"{family}{what}", [(float(row[1]), float(row[place])) for row in rows if row[0] == family])
                for family in FAMILIES
                for what, place in (("", 4), (", not refuted by path consistency", 5))
            ),
        )
    ]
    claims = []
    for family in FAMILIES:
        own = [row for row in rows if row[0] == family]
        figures.append(
            PlottedFigure(
                f"phase-transition-cost-{family}",
                f"Cost of deciding, family {family}",
                "average degree d",
                "seconds",
                tuple(
                    averaged(name, [(float(row[1]), float(row[6 + place])) for row in own])
                    for place, name in enumerate(names)
                ),
            )
        )
        claims += _claims(family, own)
    return Outcome(
        name="phase-transition",
        columns=(*_COLUMNS, *(f"{name}_seconds" for name in names)),
        rows=tuple(rows),
        figures=tuple(figures),
        claims=tuple(claims),
        notes=notes,
    )


def _claims(family: str, rows: list[Row]) -> list[PaperClaim]:
    decided = [row for row in rows if row[4] != -1]
    shares = averaged(family, [(float(row[1]), float(row[4])) for row in decided]).points
    if len(shares) < 2:
        return []
    falls = PaperClaim(
        f"family {family} turns from consistent to inconsistent as d grows",
        shares[0].y > 0.5 > shares[-1].y,
        f"{shares[0].y:.0%} at d = {shares[0].x:g}, {shares[-1].y:.0%} at d = {shares[-1].x:g}",
    )
    missed = sum(row[4] == 0 and row[5] == 1 for row in decided)
    wrong = sum(row[4] == 0 for row in decided)
    misses = PaperClaim(
        f"path consistency misses inconsistent networks of family {family}",
        missed > 0,
        f"{missed} of {wrong}",
    )
    return [falls, misses]


# ----------------------------------------------------------------------------------------------------
# Run GQR, a constraint solver in C++, for comparison. It runs only if the user names it.
#
# The environment variable ``GQR`` is the path of the program, ``GQR_DATA_DIR`` the folder with its calculi, which the
# program itself looks up.

_ANSWER = re.compile(r"#\s*(.*): ([01])")


class EngineAnswers(NamedTuple):
    """The verdict on each network (consistent or not, None if it was stopped before), and the processor time."""

    consistent: tuple[bool | None, ...]
    seconds: float


def program() -> str | None:
    """Return the path of GQR that the user gives; None if there is none."""
    return os.environ.get("GQR") or None


def ask(path: str, networks: Sequence[Document], limit: float) -> EngineAnswers:
    """Run GQR on networks, with a time limit in seconds, and return its answers."""
    with tempfile.TemporaryDirectory() as folder:
        return ask_about_file(path, _written(Path(folder), networks), len(networks), limit)


def _written(folder: Path, networks: Sequence[Document]) -> Path:
    import dataclasses

    numbered = (dataclasses.replace(network, id=str(number)) for number, network in enumerate(networks))
    file = folder / "networks.csp"
    file.write_text("".join(text(network, lambda _remark: None) for network in numbered))
    return file


def ask_about_file(path: str, file: Path, count: int, limit: float) -> EngineAnswers:
    """Return an engine's answers about a file whose networks are named by numbers from 0 on."""
    import resource  # not on every system

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(  # noqa: S603 - the program that the user names
            [path, "c", "-C", "allen", str(file)], capture_output=True, text=True, timeout=limit, check=False
        )
        output = done.stdout
        if done.returncode:
            raise UsageError(f"GQR failed: {(done.stderr or output).strip()[:200]} (is GQR_DATA_DIR set?)")
    except OSError as error:
        raise UsageError(f"GQR cannot be run: {error}") from error
    except subprocess.TimeoutExpired as late:
        output = late.stdout.decode() if isinstance(late.stdout, bytes) else late.stdout or ""
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    found: list[bool | None] = [None] * count
    for name, answer in _ANSWER.findall(output):
        if name.isdigit() and int(name) < count:
            found[int(name)] = answer == "1"
    return EngineAnswers(tuple(found), after.ru_utime - before.ru_utime)
