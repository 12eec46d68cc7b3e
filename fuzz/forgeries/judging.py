"""The two checkers side by side. The second one runs in a process of its own, which gets certificates as lines."""

from __future__ import annotations

import base64
import json
import subprocess
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from fuzz.forgeries.truth import is_true
from temporacle.checker import Rejected, trusted, verify

if TYPE_CHECKING:
    from collections.abc import Sequence

SECOND = ("node", str(files("temporacle") / "data" / "checker.js"), "--lines")


class Finding(NamedTuple):
    """Something that must not happen, and the certificate it happens with."""

    what: str
    content: bytes


class Judged(NamedTuple):
    """Whether both checkers accepted, rejected, or what is wrong."""

    accepted: bool
    finding: Finding | None


class Judges:
    """Both checkers. Use it in a ``with`` statement."""

    def __init__(self, second: Sequence[str] = SECOND) -> None:
        self._process = subprocess.Popen(second, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def judge(self, contents: Sequence[bytes]) -> list[Judged]:
        """Return the verdicts. At most some hundred at a time: their answers must fit into a pipe."""
        sent, received = self._process.stdin, self._process.stdout
        if sent is None or received is None:
            raise RuntimeError("the second checker has no pipes")
        sent.write(b"".join(base64.b64encode(content) + b"\n" for content in contents))
        sent.flush()
        first = [self._first(content) for content in contents]
        return [
            self._compared(content, mine, received.readline()) for content, mine in zip(contents, first, strict=True)
        ]

    @staticmethod
    def _first(content: bytes) -> dict[str, Any] | str | Exception:
        try:
            return verify(content)
        except Rejected as reason:
            return str(reason)
        except Exception as error:
            return error

    @staticmethod
    def _compared(content: bytes, mine: dict[str, Any] | str | Exception, line: bytes) -> Judged:
        if not line:
            raise RuntimeError("the second checker ended")
        other = json.loads(line)
        if isinstance(mine, Exception):
            return Judged(False, Finding(f"the first checker fails: {mine!r}", content))
        if isinstance(mine, str):
            if other["valid"] is not False:
                return Judged(False, Finding(f"the second checker accepts; the first: {mine}", content))
            return Judged(False, None)
        if not other["valid"]:
            return Judged(False, Finding(f"the second checker rejects: {other['reason']}", content))
        if different := [name for name, value in _report(mine).items() if other.get(name) != value]:
            return Judged(True, Finding(f"the reports differ in {', '.join(different)}", content))
        if not is_true(mine):
            return Judged(True, Finding("both checkers accept, and the claim is false", content))
        return Judged(True, None)


def _report(certificate: dict[str, Any]) -> dict[str, Any]:
    """Return what a checker reports about an accepted certificate."""
    if certificate["claim"] == "score":
        names = ("claim", "metric", "options", "counts", "precision", "recall", "f1")
        return {name: certificate[name] for name in names} | {"links": len(certificate["gold"]["links"])}
    about = certificate["document"]
    told = {name: about[name] for name in ("format", "reading", "sha256")}
    told |= {"claim": certificate["claim"], "document": about["id"], "links": len(certificate["links"])}
    told["dropped"] = len(about.get("dropped", ()))
    if "calendar" in certificate:
        told |= {"calendar": certificate["calendar"]["policy"], "trusted": trusted(certificate)}
    return told
