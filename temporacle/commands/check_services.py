"""``check --output github|sarif|junit``: findings in the formats of services that show them next to the code.

    github   workflow commands of GitHub Actions: a line for each finding, shown beside the line of the file
    sarif    SARIF 2.1.0, the exchange format of code scanning, one object for the run
    junit    JUnit XML, as GitLab and most other services read it: a test case for each document

Every finding is listed, without those of ``--ignore`` and, with ``--quiet``, without warnings and notes.
"""

from __future__ import annotations

import json
import os
import re
import sys
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from temporacle import __version__
from temporacle.commands.terminal import remarks
from temporacle.model import Link, Remark, counted
from temporacle.printing import LONGEST_LINE, escaped, shortened
from temporacle.rules import RuleKind, rules

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from temporacle.checks import Check
    from temporacle.commands.common import ExitCode
    from temporacle.results import Fact
    from temporacle.tasks.gate import BaselineJudgement, CheckFinding, Known

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_MOST_LOCATIONS = 50  # links of one conflict


class GatePrinter:
    """Shared by the three printers: which findings are listed."""

    def add(self, check: Check, findings: Iterable[BaselineJudgement]) -> None:
        """Take the findings of a document."""
        raise NotImplementedError

    def finish(self, fixed: Iterable[tuple[Known, int]], code: ExitCode) -> None:
        """Print what is left, once all documents are there."""
        raise NotImplementedError


def listed(findings: Iterable[BaselineJudgement]) -> Iterator[BaselineJudgement]:
    """Yield the findings that are wanted."""
    printer = remarks()
    for each in findings:
        finding = each.finding
        is_wanted = finding.kind is RuleKind.ERROR or printer.wants(Remark(finding.code, ""))
        if is_wanted and (each.fails or not printer.quiet):
            yield each


def level_of(judged: BaselineJudgement) -> str:
    """Return how much a finding matters: error if the gate fails for it."""
    return "error" if judged.fails else "note" if judged.known or judged.finding.kind is RuleKind.NOTE else "warning"


def shown_path(path: str | None) -> str | None:
    """Return a path as services expect it: relative if it is in the working folder, with slashes."""
    if path is None or path == "-":
        return None
    relative = os.path.relpath(path)
    return Path(path if relative.startswith("..") else relative).as_posix()


def text_of(message: str) -> str:
    """Return a message with its own line breaks, without other control characters and endless lines."""
    return "\n".join(escaped(shortened(line, LONGEST_LINE)) for line in message.split("\n"))


class GithubPrinter(GatePrinter):
    """``::error file=gold/d1.tml,line=71,title=inconsistent::These 2 links contradict each other.``"""

    def add(self, check: Check, findings: Iterable[BaselineJudgement]) -> None:
        for each in listed(findings):
            finding, level = each.finding, level_of(each).replace("note", "notice")
            place = {"file": shown_path(finding.path), "line": finding.line, "title": f"temporacle {finding.code}"}
            given = ",".join(
                f"{name}={_property(escaped(str(value)))}" for name, value in place.items() if value is not None
            )
            about = "known: " if each.known else ""
            message = _data(f"{about}{escaped(check.document)}: {text_of(finding.message)}")
            sys.stdout.write(f"::{level} {given}::{message}\n")

    def finish(self, fixed: Iterable[tuple[Known, int]], code: ExitCode) -> None:  # noqa: ARG002 - the step has it
        for entry, count in fixed:
            message = _data(f"{escaped(entry.document)}: {text_of(entry.message)}{_times(count)}")
            sys.stdout.write(f"::notice title={_property(f'temporacle fixed {entry.code}')}::{message}\n")


def _times(count: int) -> str:
    return f" ({count} times)" if count > 1 else ""


def _data(text: str) -> str:
    r"""Return the message of a workflow command.

    >>> _data("50%\nof it")
    '50%25%0Aof it'
    """
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """Return the value of a property of a workflow command.

    >>> _property("a,b: c")
    'a%2Cb%3A c'
    """
    return _data(text).replace(":", "%3A").replace(",", "%2C")


class SarifPrinter(GatePrinter):
    """One object, printed at the end."""

    def __init__(self, *, compares: bool) -> None:
        self._compares = compares  # with a baseline
        self._results: list[dict[str, Any]] = []
        self._rules: dict[str, int] = {}  # used ones, by code, with their place in the list

    def add(self, check: Check, findings: Iterable[BaselineJudgement]) -> None:  # noqa: ARG002 - findings name their document
        for each in listed(findings):
            finding = each.finding
            result = {
                **self._rule(finding.code),
                "level": level_of(each),
                "message": {"text": f"{escaped(finding.document)}: {text_of(finding.message)}"},
                "partialFingerprints": {"temporacle/v1": finding.fingerprint},
            }
            if location := _location(finding.path, finding.line):
                result["locations"] = [location]
            if location and finding.links:
                result["relatedLocations"] = [
                    {"id": number, "message": {"text": text_of(_stated(link))}, **_location(finding.path, link.line)}
                    for number, link in enumerate(finding.links[:_MOST_LOCATIONS], 1)
                ]
            if self._compares:
                result["baselineState"] = "unchanged" if each.known else "new"
            self._results.append(result)

    def finish(self, fixed: Iterable[tuple[Known, int]], code: ExitCode) -> None:
        self._results += [
            {
                **self._rule(entry.code),
                "level": "none",
                "message": {"text": f"{escaped(entry.document)}: {text_of(entry.message)}{_times(count)}"},
                "partialFingerprints": {"temporacle/v1": entry.fingerprint},
                "baselineState": "absent",
            }
            for entry, count in fixed
        ]
        driver = {"name": "Temporacle", "version": __version__, "rules": [_descriptor(code) for code in self._rules]}
        run = {
            "tool": {"driver": driver},
            "invocations": [{"executionSuccessful": True, "exitCode": int(code)}],
            "columnKind": "unicodeCodePoints",
            "results": self._results,
        }
        sys.stdout.write(json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1) + "\n")

    def _rule(self, code: str) -> dict[str, Any]:
        return {"ruleId": code, "ruleIndex": self._rules.setdefault(code, len(self._rules))}


def _descriptor(code: str) -> dict[str, Any]:
    rule = rules().get(code)
    if rule is None:  # of a baseline that another version wrote
        return {"id": code}
    level = {RuleKind.WARNING: "warning", RuleKind.NOTE: "note"}.get(rule.kind, "error")
    return {
        "id": code,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.meaning},
        "help": {"text": rule.cure},
        "defaultConfiguration": {"level": level},
    }


def _location(path: str | None, line: int | None) -> dict[str, Any]:
    found = shown_path(path)
    if found is None:
        return {}
    place: dict[str, Any] = {"artifactLocation": {"uri": uri_of(found)}}
    if line is not None:
        place["region"] = {"startLine": line}
    return {"physicalLocation": place}


def uri_of(path: str) -> str:
    """Return a path as a URI reference: a relative path unchanged, an absolute one with its scheme.

    >>> uri_of("gold/a b.tml"), uri_of("/data/d1.tml")
    ('gold/a%20b.tml', 'file:///data/d1.tml')
    """
    quoted = quote(os.fsencode(path))
    return f"file://{quoted}" if path.startswith("/") else quoted


def _stated(fact: Fact) -> str:
    return f"{fact.id}: {fact.said}" if isinstance(fact, Link) else fact.said


_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class JunitPrinter(GatePrinter):
    """A test case for each document: a failure for what is wrong, an error for what could not be done."""

    def __init__(self) -> None:
        self._cases: list[str] = []
        self._failures = self._errors = 0
        self._seconds = 0.0

    def add(self, check: Check, findings: Iterable[BaselineJudgement]) -> None:
        found = list(listed(findings))
        failing = [each.finding for each in found if each.fails]
        kind = (
            "error"
            if failing and all(each.code in {"unreadable", "undecided", "unchecked"} for each in failing)
            else "failure"
        )
        self._failures += bool(failing) and kind == "failure"
        self._errors += kind == "error"
        self._seconds += check.seconds
        body = "".join(_problem(kind, failing)) if failing else ""
        others = [each for each in found if not each.fails]
        if others:
            lines = "\n".join(f"{'known: ' if each.known else ''}{_line(each.finding)}" for each in others)
            body += f"<system-out>{_xml(lines)}</system-out>"
        place = _xml(shown_path(check.path) or check.document)
        attributes = f'classname="{place}" name="{_xml(check.document)}" file="{place}" time="{check.seconds:.3f}"'
        self._cases.append(f"  <testcase {attributes}>{body}</testcase>\n" if body else f"  <testcase {attributes}/>\n")

    def finish(self, fixed: Iterable[tuple[Known, int]], code: ExitCode) -> None:  # noqa: ARG002 - JUnit has no code
        counts = f'tests="{len(self._cases)}" failures="{self._failures}" errors="{self._errors}"'
        gone = "\n".join(f"fixed: {entry.document}: {entry.code}: {entry.message}" for entry, _ in fixed)
        sys.stdout.write(
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            f'<testsuites {counts} time="{self._seconds:.3f}">\n'
            f' <testsuite name="temporacle check" {counts} time="{self._seconds:.3f}">\n'
        )
        sys.stdout.writelines(self._cases)
        if gone:
            sys.stdout.write(f"  <system-out>{_xml(gone)}</system-out>\n")
        sys.stdout.write(" </testsuite>\n</testsuites>\n")


def _problem(kind: str, failing: list[CheckFinding]) -> Iterator[str]:
    """Yield one element for everything wrong with a document: services show one for each test case."""
    codes = list(dict.fromkeys(each.code for each in failing))
    first = failing[0].message.partition("\n")[0]
    more = f" (and {counted(len(failing) - 1, 'more finding')})" if len(failing) > 1 else ""
    text = "\n\n".join(map(_line, failing))
    yield f'<{kind} type="{_xml(" ".join(codes))}" message="{_xml(first + more)}">{_xml(text)}</{kind}>'


def _line(finding: CheckFinding) -> str:
    place = ":".join(str(part) for part in (shown_path(finding.path), finding.line) if part is not None)
    return f"{place}: {finding.kind}[{finding.code}]: {finding.message}"


def _xml(text: str) -> str:
    return escape(_NOT_XML.sub("\ufffd", text_of(text)))
