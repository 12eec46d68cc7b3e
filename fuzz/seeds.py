"""Where fuzzing starts: the project's own samples, and certificates made on the spot."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from fuzz.targets import FOLDERS, SEPARATOR
from temporacle.io.formats import example_of

ROOT = Path(__file__).resolve().parents[1]
_GRAPHS = [
    [("a", "b", "b"), ("b", "b", "c")],
    [("a", "b", "b"), ("b", "b", "c"), ("c", "b", "a")],
    [("a", "s|f", "b"), ("a", "m|s", "c"), ("a", "m|s", "d"), ("b", "o", "c"), ("b", "o", "d"), ("c", "f|fi", "d")],
    [("a", "b|bi", "b"), ("b", "m", "c")],
]
_VALUES = (
    *("1998-02-06", "1998-W06-5", "1998-Q1", "199X", "1998-02-06T10:30+02:00", "1998-02-06TMO", "P9M", "PT3H", "P1.5Y"),
    *("FY1998-Q1", "BC0044", "-0044", "1998-SU", "T24:00", "PXM", "XXXX-02-06", "2000-W7", "1999-06-10T9:00", "P5H"),
)


@cache
def seeds(target: str) -> tuple[bytes, ...]:
    """Inputs to start from, for one target; at least one."""
    if target == "certificate":
        return _certificates()
    if target == "relation":
        return (b"BEFORE|m", b"b|bi|=", b" includes ", b"before-or-overlap", b"<", b"*", b"|")
    if target == "reading":
        return tuple(path.read_bytes() for path in sorted((ROOT / "temporacle/data/readings").glob("*.toml")))
    if target == "graph":
        return (bytes(range(36)), bytes([1, 0, 1, 7, 0, 2, 10, 16, 1]), b"\x01\x10\x01\x07\x0a\x11\x0b\x05\x05")
    if target == "value":
        return tuple(value.encode() for value in _VALUES)
    if target == "calendar":
        head = bytes([8, 0, 1, 17, 0, 6, 26, 16, 1])
        return tuple(head[: 3 * size] + SEPARATOR + "\n".join(_VALUES[size : size + 4]).encode() for size in range(4))
    if target == "mapping":
        return tuple(path.read_bytes() for path in sorted((ROOT / "temporacle/data/mappings").glob("*.toml")))
    name = target.removeprefix("read-").removeprefix("edit-")
    samples = ROOT / "tests/golden/formats"
    if name in FOLDERS:
        return tuple(
            SEPARATOR.join((folder / file).read_bytes() if (folder / file).exists() else b"" for file in FOLDERS[name])
            for folder in sorted({path.parent for path in (samples / name).rglob(FOLDERS[name][0])})
        ) or (SEPARATOR,)
    folder = samples if name == "anything" else samples / name
    found = [path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file() and path.stat().st_size < 20_000]
    return tuple(found) or (example_of(name).encode(),)


def _certificates() -> tuple[bytes, ...]:
    from temporacle.reasoner.judged import Judged
    from temporacle.reasoner.network import Budget, Network
    from temporacle.reasoner.proofs.certificate import certify, certify_entailment, to_json
    from temporacle.relation import Relation

    names = ("path", "sha256", "format", "reading", "during", "encoding")
    about = {"id": "d", **dict.fromkeys(names)}
    found = []
    for graph in _GRAPHS:
        judged = Judged(Network.of(graph), Budget())
        found.append(certify(judged))
        first, last = judged.network.entities[0], judged.network.entities[-1]
        found += [certify_entailment(judged, first, Relation.of(atom), last) for atom in ("b", "bi", "o")]
    return tuple(json.dumps(to_json(certificate, about)).encode() for certificate in found)
