"""Answers of language models: JSON Lines with one answer each, or one answer as plain text.

    {"document": "harbour", "labels": "matres", "asked": [["1", "2"]], "text": "sailed(1) before docked(2)"}

``labels`` names the reading (default: ``matres``); ``asked`` lists the pairs of ids that were asked about. With it, a
statement about another id is left out, and pairs without an answer are reported. ``llm_text`` finds the statements.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from temporacle.errors import InputError
from temporacle.io.builder import DocumentBuilder
from temporacle.io.jsonl import numbered_lines, parse_object
from temporacle.io.llm_text import id_of, statements_in
from temporacle.io.rows import require_content
from temporacle.model import Remark, Unreadable
from temporacle.printing import shown
from temporacle.readings import canonical

if TYPE_CHECKING:
    from collections.abc import Iterator

    from temporacle.io.llm_text import Stated
    from temporacle.io.source import Source
    from temporacle.model import Document
    from temporacle.readings import Reading

_DEFAULT = "matres"
# Words that models use for the labels of a reading, where the reading does not have the word itself.
_WORDS = {
    "BEFORE": ("PRECEDE", "PRECEDES"),
    "AFTER": ("FOLLOW", "FOLLOWS"),
    "EQUAL": ("EQUALS", "SIMULTANEOUS", "SAME_TIME", "SAME"),
    "SIMULTANEOUS": ("EQUAL", "EQUALS", "SAME_TIME", "SAME"),
    "VAGUE": ("UNKNOWN", "UNCLEAR", "UNCERTAIN"),
}
_REMARKS = {
    each.code: each
    for each in (
        Remark("reasoning-skipped", "the reasoning up to </think> is not read"),
        Remark("reasoning-not-closed", "<think> is never closed; nothing after it is read"),
        Remark("several-graphs", "the text has several graphs; the last one is read"),
        Remark("no-graph", "the text has no graph; lists, tables and JSON are read instead"),
    )
}
_SHOWN_PAIRS = 5


def is_first_object(record: dict[str, Any]) -> bool:
    """Return whether an object is an answer of a model."""
    return "text" in record and bool(record.keys() & {"asked", "labels"}) and "entities" not in record


def read(source: Source) -> Iterator[Document | Unreadable]:
    """Yield one document for each answer in a file."""
    require_content(source)
    if source.data.lstrip()[:1] != b"{":
        yield document_of(source.name, source.decode(), None, source.reading(_DEFAULT), source)
        return
    for number, line in numbered_lines(source):
        name = f"{source.name}:{number}"
        try:
            record = parse_object(line, number, source)
            name = str(record.get("document") or name)
            yield _of_record(name, record, number, source)
        except InputError as error:
            yield Unreadable(name, source.path, error)


def _of_record(name: str, record: dict[str, Any], number: int, source: Source) -> Document:
    text, asked, labels = record.get("text"), record.get("asked"), record.get("labels")
    if not isinstance(text, str):
        raise source.error("the object has no text", line=number, cure='add "text": "the answer of the model"')
    if asked is not None and not _are_pairs(asked):
        raise source.error("asked must be a list of pairs of ids", line=number, cure='write [["1", "2"], ...]')
    default = labels if isinstance(labels, str) and not labels.endswith(".toml") else _DEFAULT
    pairs = None if asked is None else [(str(first), str(second)) for first, second in asked]
    return document_of(name, text, pairs, source.reading(default), source, line=number)


def _are_pairs(asked: object) -> bool:
    return isinstance(asked, list) and all(isinstance(pair, list) and len(pair) == 2 for pair in asked)


def document_of(
    name: str,
    text: str,
    asked: list[tuple[str, str]] | None,
    reading: Reading,
    source: Source,
    *,
    line: int | None = None,
) -> Document:
    """Return the links of one answer. Parts that were not understood are dropped with a remark."""
    builder = DocumentBuilder(name, source, "llm", reading)
    found = statements_in(text)
    builder.remarks += [_REMARKS[code]._replace(line=line) for code in found.problems if code in _REMARKS]
    known = None if asked is None else {end for pair in asked for end in pair}
    met: dict[tuple[str, str, int], None] = {}
    for number, statement in enumerate(found.statements, 1):
        _add(builder, statement, str(number), known, met, line=line)
    if "cut-off" in found.problems:
        builder.drop("cut-off", "the text ends inside a statement, which is left out", line=line)
    if not found.statements:
        builder.drop("no-answer", "the text has no statement that could be read", line=line)
    if asked is not None:
        builder.declared = dict.fromkeys(end for pair in asked for end in pair)
        _report_unanswered(builder, asked, line)
    return builder.build()


def _add(
    builder: DocumentBuilder,
    statement: Stated,
    number: str,
    known: set[str] | None,
    met: dict[tuple[str, str, int], None],
    *,
    line: int | None,
) -> None:
    source, target = id_of(statement.source), id_of(statement.target)
    if source is None or target is None:
        message = f"{shown(statement.source)} and {shown(statement.target)} have no ids; write name(id)"
        builder.drop("no-id", message, line=line, element=number)
        return
    for end in (source, target):
        if known is not None and end not in known:
            builder.drop("unknown-id", f"{shown(end)} was not asked about", line=line, element=number)
            return
    if source == target:
        builder.drop("self-pair", f"{shown(source)} is related to itself", line=line, element=number)
        return
    label = known_label(statement.label, builder.reading)
    if label is None:
        message = f"{shown(statement.label)} is not one of {builder.reading.vocabulary()}"
        builder.drop("unknown-label", message, line=line, element=number)
        return
    relation = builder.reading.relation(label)
    if (source, target, int(relation)) in met:
        builder.warn("repeated", f"{source} {label} {target} is stated a second time", line=line, element=number)
        return
    met[source, target, int(relation)] = None
    met[target, source, int(relation.converse())] = None
    builder.add_link(number, source, label, target, line=line)


def known_label(word: str, reading: Reading) -> str | None:
    """Return the label of a reading that a word stands for; None if there is none.

    >>> from temporacle.readings import load_reading
    >>> known_label("Precedes", load_reading("matres")), known_label("contains", load_reading("matres"))
    ('BEFORE', None)
    """
    label = canonical(word)
    if label in reading.labels:
        return label
    return next((own for own, words in _WORDS.items() if own in reading.labels and label in words), None)


def _report_unanswered(builder: DocumentBuilder, asked: list[tuple[str, str]], line: int | None) -> None:
    answered = {frozenset((link.source, link.target)) for link in builder.links}
    missing = [pair for pair in asked if frozenset(pair) not in answered]
    if missing:
        pairs = ", ".join(f"{first}-{second}" for first, second in missing[:_SHOWN_PAIRS])
        more = ", ..." if len(missing) > _SHOWN_PAIRS else ""
        count = "1 pair was" if len(missing) == 1 else f"{len(missing)} pairs were"
        builder.warn("unanswered-pair", f"{count} asked about and not answered: {pairs}{more}", line=line)
