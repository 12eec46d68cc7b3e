"""What is fuzzed: functions of bytes that raise nothing, unless something is wrong.

Errors that the library raises on purpose are answers. Anything else (a KeyError, a wrong verdict, a document that
breaks the promises of ``model``) is a finding.
"""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from temporacle.errors import LabelError, TemporacleError, UsageError
from temporacle.io import read_source
from temporacle.io.formats import FORMATS, format_named
from temporacle.io.source import Options, Source
from temporacle.model import Document, Unreadable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from temporacle.io.formats import Reader

SEPARATOR = b"\x1e\x1e"  # between the files of a folder
_CHOICES = (
    Options(),
    Options(encoding="latin-1"),
    Options(reading="allen"),
    Options(keep_unknown=True, doctimerel=True, during="is_included"),
)
FOLDERS = {
    "tempeval2": (
        "event-extents.tab",
        "tlinks-main-events.tab",
        "timex-extents.tab",
        "base-segmentation.tab",
        "dct.txt",
        "timex-attributes.tab",
    ),
    "estonian": (
        "event-annotation",
        "tlink-event-dct",
        "timex-annotation",
        "timex-annotation-dct",
        "base-segmentation-morph-syntax",
        "tlink-main-events.ann-a",
    ),
}


def files_of(data: bytes) -> list[bytes]:
    """The parts of an input that stands for several files."""
    return data.split(SEPARATOR)


def _options(data: bytes) -> Options:
    return _CHOICES[len(data) % len(_CHOICES)]


def check_documents(found: Iterable[Document | Unreadable]) -> None:
    """The promises of ``model``: links name known entities, ids are unique, everything can be printed."""
    for document in found:
        if isinstance(document, Unreadable):
            _require(str(document.error), "an error without words")
            continue
        ends = {end for link in document.links for end in (link.source, link.target)}
        _require(ends <= set(document.entity_ids), "a link to an unknown entity")
        _require(tuple(entity.id for entity in document.entities) == document.entity_ids, "other entities in the body")
        _require(len({link.id for link in document.links}) == len(document.links), "two links of one id")
        states_nothing = document.how_read is not None and document.how_read.format == "csp"  # networks may: ( )
        _require(states_nothing or all(link.relation for link in document.links), "a link without an atom")
        for link in document.links:
            repr(link).encode()
        text = document.text or ""
        for entity in document.entities:
            _require(all(0 <= start <= end <= len(text) for start, end in entity.spans if text), "a span off the text")


def read_file(name: str, data: bytes) -> None:
    """One file, read as a given format."""
    _check_reader(format_named(name).reader(), Source("folder/any.txt", data, _options(data)))


def read_folder(name: str, data: bytes) -> None:
    """A folder of files, read as a given format."""
    with tempfile.TemporaryDirectory() as folder:
        for file, part in zip(FOLDERS[name], files_of(data), strict=False):
            Path(folder, file).write_bytes(part)
        _check_reader(format_named(name).reader(), Source(folder, b"", _options(data)))


def edit_file(name: str, data: bytes) -> None:
    """One file with a link dropped, relabelled or commented: refused, or changed so that it says the rest as before."""
    from temporacle.io.edit import Edits, changed

    options = _options(data)
    try:
        found = [each for each in format_named(name).reader()(Source("folder/any.txt", data, options)) if each.id]
    except TemporacleError:
        return
    for document in found[:2]:
        links = document.links if isinstance(document, Document) else ()
        for link in links[:2]:
            for edits in (Edits({link.id}), Edits(relabel={link.id: "BEFORE"}), Edits(comment={link.id: "a <b> -- c"})):
                try:
                    new = changed(Source("folder/any.txt", data, options, format=name), {document.id: edits})
                except TemporacleError as error:  # where ids repeat, a change may have to be refused
                    is_odd = (
                        any(remark.code == "duplicate-id" for remark in document.remarks) or b"\xef\xbb\xbf" in data
                    )
                    _require(is_odd or "please report" not in str(error), str(error))
                else:
                    _require(isinstance(new, bytes), "no bytes")


def _check_reader(reader: Reader, source: Source) -> None:
    try:
        check_documents(reader(source))
    except TemporacleError as error:
        _require(str(error), "an error without words")


def read_anything(data: bytes) -> None:
    """A file whose format is recognised."""
    check_documents(read_source(Source("folder/any.tsv", data, _options(data))))


def parse_relation(data: bytes) -> None:
    """A relation in words: refused, or read as something that reads back as the same."""
    from temporacle.readings import load_reading
    from temporacle.relation import Relation

    reading = load_reading("links")
    try:
        relation = reading.relation(data.decode("utf-8", "replace"))
    except LabelError:
        return
    _require(isinstance(relation, Relation) and relation != 0, "no relation")
    _require(reading.relation(str(relation)) == relation, "reads back as something else")


def load_reading_file(data: bytes) -> None:
    """A user's reading."""
    from temporacle import readings

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "r.toml")
        path.write_bytes(data)
        try:
            reading = readings._load(str(path), "is_included", ())  # noqa: SLF001 - without its cache
        except UsageError as error:
            _require(str(error), "an error without words")
            return
        for label in reading.labels:
            _require(bool(reading.relation(label)), "a label without an atom")


def load_mapping_file(data: bytes) -> None:
    """A user's mapping."""
    from temporacle.io.tools.mapping import load_mapping

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "m.toml")
        path.write_bytes(data)
        try:
            mapping = load_mapping(str(path))
        except UsageError as error:
            _require(str(error), "an error without words")
            return
        _require(mapping.signed == load_mapping(str(path)).signed, "two signatures of one mapping")
        hash(mapping)


def check_certificate(data: bytes) -> None:
    """A certificate: rejected, or true according to the reasoner, which shares no code with the checker."""
    from temporacle.checker import Rejected, verify
    from temporacle.model import Link
    from temporacle.reasoner.network import Budget, Network
    from temporacle.reasoner.oracle import Oracle
    from temporacle.relation import Relation
    from temporacle.results import Verdict

    try:
        certificate = verify(data)
    except Rejected as error:
        _require(str(error), "a rejection without words")
        return
    if "calendar" in certificate:
        return  # values were worked out by the checker itself; the target "calendar" starts from documents
    links = [
        Link(str(k), entry["source"], Relation.of(*entry["relation"]), entry["target"])
        for k, entry in enumerate(certificate["links"])
    ]
    claim = certificate["claim"]
    oracle = Oracle(Network(links, certificate.get("witness", {})), budget=Budget(20))
    if claim in ("consistent", "inconsistent"):
        _require(oracle.is_consistent() is (claim == "consistent"), f"a wrong certificate: {claim}")
    else:
        query = certificate["query"]
        verdict = oracle.entails(query["source"], Relation.of(*query["relation"]), query["target"])
        _require(oracle.is_consistent(), "a certificate about an inconsistent document")
        _require(verdict in (Verdict(claim), Verdict.UNKNOWN), f"a wrong certificate: {claim}")


def decide_graph(data: bytes) -> None:
    """A small graph, three bytes a link: oracle and search on all links agree, and conflicts are minimal."""
    from temporacle.model import Link
    from temporacle.reasoner.network import Budget, Network
    from temporacle.reasoner.oracle import Oracle
    from temporacle.reasoner.reference.lanes import cdcl
    from temporacle.relation import Relation
    from temporacle.results import Consistent, Inconsistent

    links = []
    for k in range(0, min(len(data), 36) - 2, 3):
        pair, high, low = data[k : k + 3]
        mask = (high << 8 | low) & 0x1FFF
        links.append(Link(str(k), f"x{pair % 5}", Relation(mask or 0x1FFF), f"x{pair // 5 % 5}"))
    network = Network(links)
    answer = Oracle(network).consistency()
    by_search = cdcl(network, Budget())
    truth = by_search is not None and by_search.model() is not None
    _require(isinstance(answer, Consistent if truth else Inconsistent), f"oracle {answer}, search {truth}")
    if isinstance(answer, Inconsistent):
        _require(not Oracle(answer.conflict).is_consistent(), "a conflict that is none")
        for link in answer.conflict:
            rest = [other for other in answer.conflict if other is not link]
            _require(Oracle(rest).is_consistent(), "a conflict that is not minimal")


def read_time_value(data: bytes) -> None:
    """A value of a time expression: a span, a length, nothing, or a remark with a cure that can be read."""
    from temporacle.calendar.civil import Length
    from temporacle.calendar.values import BadValue, Span, read_value

    reading = read_value(data.decode("utf-8", "replace"))
    if isinstance(reading, Span):
        _require(reading.lo < reading.hi, "a span without time")
    elif isinstance(reading, Length):
        least, most, above, below = reading
        _require(0 <= above <= least <= most <= below and most > 0, "a length in the wrong order")
    elif isinstance(reading, BadValue) and reading.cure is not None:
        _require(not isinstance(read_value(reading.cure), BadValue), "a cure that does not help")


def decide_calendar(data: bytes) -> None:
    """A small document with values: the certificate of its verdict is accepted by the checker."""
    import json

    from temporacle.checker import verify
    from temporacle.model import Document, Entity, Kind, Link
    from temporacle.relation import Relation
    from temporacle.tasks.oracle import Oracle as DocumentOracle

    head, _, values = data.partition(SEPARATOR)
    written = [value.decode("utf-8", "replace") for value in values.split(b"\n")[:5]]
    names = [f"t{place}" for place in range(len(written))]
    times = tuple(
        Entity(name, Kind.TIME, value=value, begin_point=names[place - 1] if "P" in value else None)
        for place, (name, value) in enumerate(zip(names, written, strict=True))
    )
    links = []
    for k in range(0, min(len(head), 24) - 2, 3):
        pair, high, low = head[k : k + 3]
        mask = (high << 8 | low) & 0x1FFF
        ends = names[pair % len(names)], names[pair // 8 % len(names)]
        links.append(Link(f"l{k}", ends[0], Relation(mask or 0x1FFF), ends[1]))
    policy = ("within", "document", "exact")[len(head) % 3]
    oracle = DocumentOracle(
        Document("d", tuple(links), tuple(names), known_times=times), calendar=policy, time_limit=20
    )
    verify(json.dumps(oracle.certificate().to_dict()))


def _require(condition: object, finding: str) -> None:
    if not condition:
        raise AssertionError(finding)


TARGETS: dict[str, Callable[[bytes], None]] = {
    **{f"read-{name}": partial(read_folder if name in FOLDERS else read_file, name) for name in FORMATS},
    **{f"edit-{name}": partial(edit_file, name) for name, entry in FORMATS.items() if entry.editor is not None},
    "read-anything": read_anything,
    "relation": parse_relation,
    "reading": load_reading_file,
    "mapping": load_mapping_file,
    "certificate": check_certificate,
    "graph": decide_graph,
    "value": read_time_value,
    "calendar": decide_calendar,
}
