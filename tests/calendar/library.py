"""The library's answers about a document of the calendar tests, in the form of the reference."""

from __future__ import annotations

from dataclasses import replace

from certificate_maker import zone_text

import temporacle as tp
from temporacle.io.jsonl.document import document_of
from temporacle.io.source import Options, Source


def read(record: dict) -> tp.Document:
    document = document_of(record["document"], record, 1, Source("random.jsonl", b"", Options()))
    return replace(document, path=None)  # there is no such file


def oracle_of(record: dict, policy: str, *, hemisphere: str = "unknown", zone: int | None = None, **more) -> tp.Oracle:
    return tp.Oracle(read(record), calendar=policy, hemisphere=hemisphere, zone=zone_text(zone), **more)


def options_of(*, hemisphere: str = "unknown", zone: int | None = None) -> dict:
    """Options of the calendar as ``tp.check`` takes them."""
    return {"hemisphere": hemisphere, "zone": zone_text(zone)}


def command_line(policy: str, *, hemisphere: str = "unknown", zone: int | None = None) -> list[str]:
    options = ["--calendar", policy, "--hemisphere", hemisphere]
    return options if zone is None else [*options, f"--zone={zone_text(zone)}"]
