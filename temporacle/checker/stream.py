"""Clausal proofs in a file of their own, beside the certificate: read line by line, never held as a whole.

Each line is a JSON list:

    ["v", left, right]         the next variable, counted from 1
    ["c", literals, fact]      the next clause; clauses and lemmas are numbered together, from 0
    ["l", literals, hints]     the next lemma, which follows by its hints
    ["d", numbers]             clauses and lemmas that are not needed any more

The last line is the empty lemma. Only clauses and lemmas that have not been given up are in memory.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .clauses import check_clause, point
from .form import Rejected, check_fields, is_int, is_list, is_number, require
from .propagation import follows_by_hints, is_clause

if TYPE_CHECKING:
    from .facts import Fact

FIELDS = {"file", "sha256"}
LONGEST = 1 << 24  # bytes of a line
_NAME = re.compile(r"[^./\\\x00][^/\\\x00]*\.proof\.jsonl")


def is_reference(proof: Any) -> bool:
    """Return whether a proof is in a file of its own."""
    return isinstance(proof, dict) and "file" in proof


def check_form(proof: Any) -> None:
    """Check the form of a reference to a file with a proof."""
    check_fields(proof, FIELDS, "proof")
    good = isinstance(proof["file"], str) and _NAME.fullmatch(proof["file"]) is not None
    require(good, "proof: the file is not named NAME.proof.jsonl")
    sha256 = proof["sha256"]
    require(isinstance(sha256, str) and re.fullmatch("[0-9a-f]{64}", sha256) is not None, "proof: not a digest")


class ProofFile:
    """A proof that is read from a file when it is checked. ``folder``: where the certificate stands."""

    def __init__(self, reference: dict[str, str], folder: str | None) -> None:
        self._name = reference["file"]
        self._sha256 = reference["sha256"]
        require(folder is not None, f"its proof is in the file {self._name}: give the certificate as a file beside it")
        self._path = Path(folder or "") / self._name

    def check(self, facts: dict[Any, Fact]) -> None:
        """Check every line, and that the bytes are the recorded ones."""
        found = os.path.isfile(self._path)  # noqa: PTH113 - not is_file, which fails on a name that is too long
        require(found, f"its proof, {self._name}, is not beside it")
        proof, digest, place = _Proof(facts), hashlib.sha256(), 0
        with self._path.open("rb") as file:
            while line := file.readline(LONGEST + 1):
                place += 1
                digest.update(line)
                name = f"{self._name}, line {place}"
                require(len(line) <= LONGEST and line.endswith(b"\n"), f"{name}: too long, or without an end")
                proof.read(_parsed(line, name), name)
        require(digest.hexdigest() == self._sha256, f"{self._name} is not the file that the certificate names")
        require(proof.is_done, "the lemmas do not lead to a contradiction")


def _parsed(line: bytes, name: str) -> list[Any]:
    try:
        entry = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        raise Rejected(f"{name}: not JSON") from None
    require(isinstance(entry, list) and bool(entry), f"{name}: not a list")
    return entry  # type: ignore[no-any-return]


class _Proof:
    """What is known at a line."""

    def __init__(self, facts: dict[Any, Fact]) -> None:
        self.is_done = False  # whether the last line was the empty lemma
        self._facts = facts
        self._points: list[tuple[Any, ...]] = []  # by variable
        self._known: dict[int, list[int]] = {}  # by number, unless given up
        self._count = 0

    def read(self, entry: list[Any], name: str) -> None:
        self.is_done = False
        if entry[0] == "v":
            require(is_list(entry, 3) and all(isinstance(each, str) for each in entry), f"{name}: a bad variable")
            self._points.append((point(entry[1]), point(entry[2])))
        elif entry[0] == "d":
            require(is_list(entry, 2) and isinstance(entry[1], list), f"{name}: not a list of clauses")
            for number in entry[1]:
                require(is_int(number) and number in self._known, f"{name}: gives up a clause that is not there")
                del self._known[number]
        else:
            require(is_list(entry, 3) and entry[0] in ("c", "l"), f"{name}: of no kind")
            require(is_clause(entry[1], len(self._points)), f"{name}: a bad clause")
            (self._read_clause if entry[0] == "c" else self._read_lemma)(entry[1], entry[2], name)
            self._known[self._count] = entry[1]
            self._count += 1

    def _read_clause(self, clause: list[int], fact: Any, name: str) -> None:
        require(fact is None or is_number(fact), f"{name}: a bad clause")
        check_clause(clause, fact, self._points, self._facts, name)

    def _read_lemma(self, lemma: list[int], hints: Any, name: str) -> None:
        good = isinstance(hints, list) and all(is_int(hint) and 0 <= hint < self._count for hint in hints)
        require(good, f"{name}: bad hints")
        require(follows_by_hints(lemma, hints, self._known), f"{name}: the lemma does not follow by its hints")
        self.is_done = not lemma
