"""Files of annotation tools: reading XMI against parsing it."""

from __future__ import annotations

from pathlib import Path
from random import Random
from time import process_time
from typing import TYPE_CHECKING

from lxml import etree

from bench.harness import Row, in_turn
from temporacle.io import read_source
from temporacle.io.source import Options, Source

if TYPE_CHECKING:
    from collections.abc import Iterator

_E3C = Path(__file__).resolve().parents[1].parent / "shared" / "corpora" / "annotation-tools" / "e3c"
_HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<xmi:XMI xmlns:cas="http:///uima/cas.ecore" xmlns:xmi="http://www.omg.org/XMI"'
    ' xmlns:custom="http:///webanno/custom.ecore"'
    ' xmlns:seg="http:///de/tudarmstadt/ukp/dkpro/core/api/segmentation/type.ecore" xmi:version="2.0">\n'
)


def clinical_case(seed: int, tokens: int = 700, events: int = 100) -> bytes:
    """An invented XMI file as WebAnno exports it: tokens, events with link features, and the text."""
    rng = Random(seed)
    lines = [_HEAD]
    lines += [
        f'    <seg:Token xmi:id="{1000 + k}" sofa="1" begin="{6 * k}" end="{6 * k + 5}" order="0"/>\n'
        for k in range(tokens)
    ]
    links = []
    for k in range(events):
        link = f' TLINK="{5000 + k}"' if k % 10 else ""
        place = 6 * rng.randrange(tokens)
        lines.append(
            f'    <custom:EVENT xmi:id="{3000 + k}" sofa="1" begin="{place}" end="{place + 5}"{link}'
            ' contextualModality="ACTUAL" degree="N/A" docTimeRel="BEFORE" polarity="POS"/>\n'
        )
        if link:
            target = 3000 + rng.randrange(events)
            links.append(f'    <custom:EVENTTLINKLink xmi:id="{5000 + k}" role="OVERLAP" target="{target}"/>\n')
    text = "words " * tokens
    members = " ".join(str(1000 + k) for k in range(tokens))
    return "".join(
        (
            *lines,
            *links,
            f'    <cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" mimeType="text" sofaString="{text}"/>\n',
            f'    <cas:View sofa="1" members="{members}"/>\n</xmi:XMI>\n',
        )
    ).encode()


def rows() -> Iterator[Row]:
    made = [clinical_case(seed) for seed in range(40)]
    yield _reading_against_parsing("40 invented XMI files", made, Options())
    if _E3C.is_dir():
        shared = [path.read_bytes() for path in sorted(_E3C.glob("*.xml"))]
        yield _reading_against_parsing(f"{len(shared)} files of E3C", shared, Options(mapping="e3c"))


def _reading_against_parsing(what: str, files: list[bytes], options: Options) -> Row:
    parser = etree.XMLParser(resolve_entities=False, no_network=True)

    def parse() -> None:
        for data in files:
            etree.fromstring(data, parser)

    def read() -> None:
        for data in files:
            for document in read_source(Source("x.xmi", data, options)):
                assert document.entities  # type: ignore[union-attr]

    parsing, reading = in_turn([parse, read], process_time)
    return Row(f"reading {what}, with texts and spans", "lxml parsing them", reading / parsing, 5)
