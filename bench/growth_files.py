"""The files that ``bench.command_growth`` gives to commands, each made once for each size."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random
from typing import TYPE_CHECKING

from bench.documents import local_links

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from temporacle.model import Link

SMALL = 10  # links of a document where documents are counted
ASKED = 1_000  # links of the document where questions are counted


@dataclass(frozen=True)
class Files:
    """The files of one size: so many documents, or one document of so many links, or with so many questions."""

    folder: Path
    axis: str  # documents, links or questions
    size: int

    def path(self, name: str) -> Path:
        """Return a file or folder, made if need be. A new process makes it: a command counts its parent's memory."""
        endings = {"certificates": "", "questions": ".txt"}
        place = self.folder / f"{name}{endings.get(name, '.jsonl')}"
        if not place.exists():
            if name == "certificates":
                command = [sys.executable, "-m", "temporacle", "check", str(self.path("gold")), "--jobs", "1"]
                subprocess.run([*command, "--certificates", str(place), "--quiet"], capture_output=True, check=False)
            elif (child := os.fork()) == 0:
                self._write(name, place)
                os._exit(0)
            else:
                os.waitpid(child, 0)
        return place

    def _write(self, name: str, place: Path) -> None:
        with place.open("w") as file:
            if name == "questions":
                rng = Random(self.size)
                for number in range(self.size):
                    first = rng.randrange(ASKED // 2 - 6)
                    asked = f"IS e{first} BEFORE e{first + rng.randint(1, 6)}"
                    file.write(f"{number}|d0|{asked}|Is it so?|yes\n")
                return
            record = _RECORDS[name]
            for number, links in enumerate(self._corpus()):
                file.write(json.dumps({"document": f"d{number}", **record(links)}) + "\n")

    def _corpus(self) -> Iterator[list[Link]]:
        rng = Random(self.size)
        if self.axis == "documents":
            return (local_links(rng, 3 * SMALL // 4, SMALL) for _ in range(self.size))
        links = self.size if self.axis == "links" else ASKED
        return iter([local_links(rng, max(7, links // 2), links)])


def _stated(links: list[Link]) -> list[dict[str, str]]:
    return [{"source": each.source, "relation": each.label, "target": each.target} for each in links]


def _gold(links: list[Link]) -> dict[str, object]:
    return {"links": _stated(links)}


def _system(links: list[Link]) -> dict[str, object]:
    """Four fifths of the links."""
    return {"links": _stated(links[: max(1, 4 * len(links) // 5)])}


def _broken(links: list[Link]) -> dict[str, object]:
    """One link in 10,000, at least one, is contradicted by another one."""
    stated = _stated(links)
    turned = [
        {**each, "relation": "bi" if each["relation"] == "b" else "b"} for each in stated[: len(links) // 10_000 or 1]
    ]
    return {"links": stated + turned}


def _scores(links: list[Link]) -> dict[str, object]:
    pairs = [
        {"source": each.source, "target": each.target, "scores": {each.label: 0.7, "VAGUE": 0.3}} for each in links
    ]
    return {"pairs": pairs}


def _dated(links: list[Link]) -> dict[str, object]:
    """As many links: events within days that follow each other. Every second link is between days."""
    days = len(links) // 2 + 1
    first = date(1000, 1, 1)
    entities: list[object] = [f"e{number}" for number in range(days)]
    entities += (
        {"id": f"t{number}", "kind": "time", "type": "DATE", "value": (first + timedelta(number)).isoformat()}
        for number in range(days)
    )
    stated = [{"source": f"e{number}", "relation": "d", "target": f"t{number}"} for number in range(days)]
    stated += (
        {"source": f"e{number}", "relation": "b", "target": f"e{number + 1}"} for number in range(len(links) - days)
    )
    return {"entities": entities, "links": stated[: len(links)]}


_RECORDS: dict[str, Callable[[list[Link]], dict[str, object]]] = {
    "gold": _gold,
    "system": _system,
    "broken": _broken,
    "scores": _scores,
    "dated": _dated,
}
