"""Answers of language models: JSON Lines with one answer each, or one answer as plain text.

    {"document": "harbour", "labels": "matres", "asked": [["1", "2"]], "text": "sailed(1) before docked(2)"}

The text can be under another key (``TEXTS``).
``labels`` names the reading (default: ``matres``); ``asked`` lists the pairs of ids that were asked about. With it, a
statement about another id is left out, and pairs without an answer are reported. ``statements_in`` finds the
statements. A run file of GlobalZeroShotTRE is one object: ``{"harbour.json": {"target": "the answer"}}``, and so is a
file of texts by name: ``{"harbour": "the answer"}``, or ``{"harbour": ["one answer", "another"]}``.
"""

from __future__ import annotations

import json
import re
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.errors import InputError
from temporacle.io.builder import DocumentBuilder
from temporacle.io.columns import OTHER_NAMES
from temporacle.io.jsonl.read import numbered_lines, parse_object, read_line
from temporacle.io.rows import require_content, with_body
from temporacle.io.source import strip_suffixes
from temporacle.io.tools.json_file import whole_object
from temporacle.model import ANSWERS, Body, Entity, Remark, Unreadable
from temporacle.printing import shown
from temporacle.readings import BUILT_IN, canonical
from temporacle.relation import EVERYTHING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from temporacle.io.source import Source
    from temporacle.model import Document
    from temporacle.readings import Reading

TEXTS = ("text", "answer", "response", "completion", "output", "content")  # keys of the text of an answer
_NAMES_OF_TEXTS = ("document", *OTHER_NAMES["document"])  # keys of the name of a document
_NAMES_OF_ANSWERS = (*_NAMES_OF_TEXTS, "id", "name")
_OF_PEOPLE = frozenset({"text", "content"})  # with an id, they may be raw texts
_BESIDE = frozenset({*_NAMES_OF_ANSWERS, "asked", "labels", "model", "prompt", "run", "seed", "sample"})
_DEFAULT = "matres"
# Words that models use for the labels of a reading, where the reading does not have the word itself.
_WORDS = {
    "BEFORE": ("PRECEDE", "PRECEDES", "FOLLOWED_BY", "PRIOR_TO"),
    "AFTER": ("FOLLOW", "FOLLOWS", "PRECEDED_BY"),
    "EQUAL": ("EQUALS", "SIMULTANEOUS", "SAME_TIME", "SAME"),
    "SIMULTANEOUS": ("EQUAL", "EQUALS", "SAME_TIME", "SAME"),
    "VAGUE": ("UNKNOWN", "UNCLEAR", "UNCERTAIN"),
    "IS_INCLUDED": ("INCLUDED_IN", "DURING"),
}
# What models write around them: "happened before", "at the same time as".
_FIRST = re.compile(
    r"^(?:IS|WAS|HAPPEN(?:S|ED)|OCCUR(?:S|RED)|COMES|CAME|TAKES_PLACE|TOOK_PLACE)_(?:AT_THE_)?|^AT_THE_"
)
_LAST = re.compile(r"(?<=SAME_TIME)_AS$|(?<=EQUAL)_TO$|(?<=SIMULTANEOUS)_(?:WITH|TO)$")
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
    """Return whether an object is an answer of a model, or a run file."""
    return is_answer(record) or _is_run(record)


def is_answer(record: Mapping[str, Any]) -> bool:
    """Return whether an object is one answer of a model.

    >>> is_answer({"document": "harbour", "text": "no"}), is_answer({"id": "harbour", "response": ""}), is_answer({})
    (True, True, False)
    """
    if "text" in record and record.keys() & {"asked", "labels"}:
        return "entities" not in record
    texts = record.keys() & set(TEXTS)
    names = _NAMES_OF_TEXTS if texts & _OF_PEOPLE else _NAMES_OF_ANSWERS
    return len(texts) == 1 and any(name in record for name in names) and record.keys() <= _BESIDE | texts


def text_of(answer: object) -> str:
    """Return an answer as text: values as the JSON that a model would write, a conversation by its last message.

    >>> text_of([{"role": "user", "content": "?"}, {"role": "assistant", "content": "left(1) before docked(2)"}])
    'left(1) before docked(2)'
    >>> text_of({"relations": []}), text_of(None)
    ('{"relations": []}', '')
    """
    if isinstance(answer, str):
        return answer
    if isinstance(answer, bytes | bytearray):
        return bytes(answer).decode("utf-8", "replace")
    message = answer[-1] if isinstance(answer, list | tuple) and answer else answer  # a conversation ends with it
    if isinstance(message, dict):
        if (text := _message(message)) is not None and ("content" in message or "role" in message or message is answer):
            return text
        if isinstance(choices := message.get("choices"), list) and choices and isinstance(choices[0], dict):
            return text_of(choices[0].get("message", choices[0]))
    try:
        return json.dumps(answer) if isinstance(answer, dict | list | tuple) else ""
    except (TypeError, ValueError, RecursionError):  # values that JSON does not have
        return ""


def is_message(value: object) -> bool:
    """Return whether a value is a message (``role``, ``content``), a reply (``choices``), or a conversation."""
    if isinstance(value, list | tuple):
        return bool(value) and all(isinstance(each, dict) and ("role" in each or "content" in each) for each in value)
    return isinstance(value, dict) and (("role" in value and "content" in value) or "choices" in value)


def _message(record: Mapping[str, Any]) -> str | None:
    return next((each for key in TEXTS if (each := _written(record.get(key))) is not None), None)


def _written(content: object) -> str | None:
    """Return the text of a record or a message, which may be in parts: ``[{"type": "text", "text": "..."}]``."""
    if isinstance(content, str):
        return str(content)
    if not isinstance(content, list) or not all(isinstance(each, dict) and "type" in each for each in content):
        return None
    parts = [each["text"] for each in content if "text" in each]
    return "\n".join(parts) if parts and all(isinstance(each, str) for each in parts) else None


def _is_run(record: Mapping[str, Any]) -> bool:
    """Return whether an object is a run file: answers by the name of their document. A cut-off one has keys only."""
    answers = [each for each in record.values() if each is not None]
    if not answers:
        return bool(record) and all(name.endswith(".json") for name in record)
    if all(type(each) is dict and "target" in each for each in answers):
        return True
    if record.keys() & {*TEXTS, *_NAMES_OF_ANSWERS, "links"} or not all(type(each) in (str, list) for each in answers):
        return False
    texts = [text for each in answers for text in ([each] if type(each) is str else each)]
    return all(type(each) is str for each in texts) and any(statements_in(each).statements for each in texts)


def read(source: Source) -> Iterator[Document | Unreadable]:
    """Yield one document for each answer in a file."""
    if source.has_place:  # an empty file may be a lost one; an empty text is what the model said
        require_content(source)
    if source.data.lstrip()[:1] != b"{":
        yield read_text(source)
        return
    if (value := whole_object(source)) is not None and _is_run(value):
        for key, own in value.items():
            for each in own if type(own) is list else [own]:
                text = text_of(each["target"] if type(each) is dict else each)
                yield document_of(strip_suffixes(key), text, None, _reading(source, _DEFAULT), source)
        return
    if value is not None and not value.keys() & {*TEXTS, *_NAMES_OF_ANSWERS, "links"}:  # the JSON that a model wrote
        yield read_text(source)
        return
    for number, line in numbered_lines(source):
        name = f"{source.name}:{number}"
        try:
            record = parse_object(_printable(line), number, source)
            if "links" in record:  # a document of JSON Lines among answers
                yield read_line(line, number, source)
                continue
            name = next((str(record[key]) for key in _NAMES_OF_ANSWERS if record.get(key) not in (None, "")), name)
            yield _of_record(name, record, number, source)
        except InputError as error:
            yield Unreadable(name, source.path, error, is_answer=True)


def _printable(line: bytes) -> bytes:
    """Return a line in which bytes that are not UTF-8, and halves of characters, are replaced: models write them."""
    text = line.decode("utf-8", "replace")
    if "\\u" not in text:
        return text.encode()
    try:
        return json.dumps(json.loads(text), ensure_ascii=False).encode("utf-8", "replace")
    except (ValueError, RecursionError):  # which the reader names
        return line


def read_text(source: Source) -> Document:
    """Return a whole text as one answer, in whichever form it is."""
    text = source.decode() if source.options.encoding else source.data.decode("utf-8-sig", "replace")
    return document_of(source.name, text, None, _reading(source, _DEFAULT), source)


def _reading(source: Source, default: str) -> Reading:
    """Return what labels mean: as chosen, as for those that the answers are compared with, or as the answer says."""
    return source.options.chosen_reading or source.options.labels_like or source.reading(default)


def _of_record(name: str, record: dict[str, Any], number: int, source: Source) -> Document:
    asked, labels = record.get("asked"), record.get("labels")
    key = next((each for each in TEXTS if each in record), None)
    text = record[key] if key is not None else None
    if key is None:
        raise source.error("the object has no text", line=number, cure='add "text": "the answer of the model"')
    if asked is not None and not _are_pairs(asked):
        raise source.error("asked must be a list of pairs of ids", line=number, cure='write [["1", "2"], ...]')
    is_chosen = source.options.chosen_reading is not None or source.options.labels_like is not None
    if labels is not None and labels not in BUILT_IN and not is_chosen:
        raise source.error(f"unknown label set {labels!r:.60}", line=number, cure=f"choose {', '.join(BUILT_IN)}")
    pairs = None if asked is None else [(str(first), str(second)) for first, second in asked]
    return document_of(name, text_of(text), pairs, _reading(source, labels or _DEFAULT), source, line=number)


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
    builder = DocumentBuilder(name, source, ANSWERS, reading)
    found = statements_in(text.encode("utf-8", "replace").decode())  # halves of characters cannot be printed
    builder.remarks += [_REMARKS[code]._replace(line=line) for code in found.problems if code in _REMARKS]
    known = None if asked is None else {end for pair in asked for end in pair}
    met: dict[tuple[str, str, int, str], None] = {}
    for number, statement in enumerate(found.statements, 1):
        _add(builder, statement, str(number), known, met, line=line)
    if "cut-off" in found.problems:
        builder.drop("cut-off", "the text ends inside a statement, which is left out", line=line)
    if not found.statements:
        builder.drop("no-answer", "the text has no statement that could be read", line=line)
    if asked is not None:
        builder.declared = dict.fromkeys(end for pair in asked for end in pair)
        _report_unanswered(builder, asked, line)
    words: dict[str, str] = {}
    for statement in found.statements:
        for end in (statement.source, statement.target):
            word, bracket, _ = end.strip().strip(_QUOTES + "*").rpartition("(")
            if bracket and word.strip() and (own := id_of(end)) is not None:
                words.setdefault(own, word.strip())
    return with_body(builder.build(), partial(_entities, words))


def _entities(words: Mapping[str, str], ids: tuple[str, ...]) -> Body:
    """Return entities with the words that the model wrote before their ids."""
    return Body(tuple(Entity(name, text=words.get(name)) for name in ids))


def _add(
    builder: DocumentBuilder,
    statement: WrittenStatement,
    number: str,
    known: set[str] | None,
    met: dict[tuple[str, str, int, str], None],
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
    by_name = label if relation == EVERYTHING else ""  # such a label may mean something that its reading does not know
    if (source, target, int(relation), by_name) in met:
        builder.warn("repeated", f"{source} {label} {target} is stated a second time", line=line, element=number)
        return
    met[source, target, int(relation), by_name] = None
    if by_name in {"", "VAGUE"}:
        met[target, source, int(relation.converse()), by_name] = None
    builder.add_link(number, source, label, target, line=line)


def known_label(word: str, reading: Reading) -> str | None:
    """Return the label of a reading that a word stands for; None if there is none.

    >>> from temporacle.readings import load_reading
    >>> [known_label(word, load_reading("matres")) for word in ("Precedes", "happened before", "contains")]
    ['BEFORE', 'BEFORE', None]
    """
    stated = canonical(word)
    for label in (stated, _LAST.sub("", _FIRST.sub("", stated))):
        if label in reading.labels:
            return label
        for own, words in _WORDS.items():
            if own in reading.labels and label in words:
                return own
    return None


def _report_unanswered(builder: DocumentBuilder, asked: list[tuple[str, str]], line: int | None) -> None:
    answered = {frozenset((link.source, link.target)) for link in builder.links}
    missing = [pair for pair in asked if frozenset(pair) not in answered]
    if missing:
        pairs = ", ".join(f"{first}-{second}" for first, second in missing[:_SHOWN_PAIRS])
        more = ", ..." if len(missing) > _SHOWN_PAIRS else ""
        count = "1 pair was" if len(missing) == 1 else f"{len(missing)} pairs were"
        builder.warn("unanswered-pair", f"{count} asked about and not answered: {pairs}{more}", line=line)


# ----------------------------------------------------------------------------------------------------
# Triples in the free text of a language model: graphs, lists, tables, JSON. Tolerant in form, strict in meaning.
#
# What is read, in this order: the edges of the last graph; else edges without a graph; else JSON objects, rows of
# tables and list lines, one answer each. Reasoning (up to ``</think>``) is not read. A statement that is not understood
# is reported, never guessed.
#
#     "sailed(1)" -- "docked(2)" [rel=before];      - **sailed(1) before docked(2)**: the voyage came first
#     | sailed(1) | docked(2) | before |            {"event1": "sailed(1)", "event2": "docked(2)", "relation":
#     "BEFORE"}

_QUOTES = "\"'\u201c\u201d\u2018\u2019`"
_LONG_DASHES = "\u2013\u2014\u2212"
_NAMES = re.compile(rf"[{_QUOTES}]|[^\s{_QUOTES}\[\]{{}};,|:*]++")  # a quotation mark, or a bare name
_ITEMS = re.compile(rf"[^\s{_QUOTES}|:,;]++")
_AFTER_QUOTED = re.compile(rf"[^{_QUOTES}\n]*+[{_QUOTES}]")
_NUMBER = re.compile(r"[ \t]*+\([^()\s]*+\)")  # behind a name
_BEHIND_NAME = re.compile(rf"[(<\-{_LONG_DASHES}\u2192]")
_DASHES = {"-": re.compile("-++"), **dict.fromkeys(_LONG_DASHES, re.compile(rf"[{_LONG_DASHES}]++"))}
_BLANKS = re.compile(r"\s*+")
_LABEL_END = re.compile(r"[\]\n]")
_BEGUN = rf"\s*+((?:--|->|<?[{_LONG_DASHES}]|\u2192))"
_BEGUN_EDGE = re.compile(rf"[{_QUOTES}](?=[^{_QUOTES}\n]*+[{_QUOTES}]{_BEGUN})|[^\s{_QUOTES}\[\]{{}};,|:*](?={_BEGUN})")
_GRAPH = re.compile(r"\bgraph\b", re.IGNORECASE)
_COMMENT = re.compile(r"//[^\n]*+|/\*|^[ \t]*+#[^\n]*+", re.MULTILINE)
_LINE_COMMENT = re.compile(r"//[^\n]*+|^[ \t]*+#[^\n]*+", re.MULTILINE)
_LABEL = re.compile(r"""\b(?:rel|label|relation|type)\s*=\s*["'\u201c]?([^"'\u201d,;\s\]]+)""", re.IGNORECASE)
_CLOSING, _OPENING = re.compile(r"</think>", re.IGNORECASE), re.compile(r"<think>", re.IGNORECASE)
_NUMBERED = re.compile(r"\(\s*([^()\s]+)\s*\)\s*\Z")
_ID = re.compile(r"[A-Za-z]{1,3}[0-9]+")
_MARK = re.compile(r"^\s*(?:[-*+\u2022]|\d+[.)])?\s*")
_WORD = r"[A-Za-z_]+(?:[-_ ][A-Za-z_]+)?"
_ITEM_END = rf"(?:[{_QUOTES}]?([^\s{_QUOTES}|:,;]+(?:[ \t]*\([^()\s]*\))?)[{_QUOTES}]?)"
_SENTENCE = re.compile(rf"{_ITEM_END}\s+([A-Za-z_|-]+)\s+{_ITEM_END}")
_PAIR_LABEL = re.compile(r"\s*+:\s*+\**+\s*+([A-Za-z_|-]++)")
_BRACKET = re.compile(r"[\[{]")
_JSON_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)
_MOST_BRACKETS = 900  # inside each other
_SOURCES = ("source", "event1", "e1", "head", "from", "subject", "first", "arg1")
_TARGETS = ("target", "event2", "e2", "tail", "to", "object", "second", "arg2")
_RELATIONS = ("relation", "label", "rel", "type", "predicate")


class WrittenStatement(NamedTuple):
    """A statement as the model wrote it."""

    source: str
    label: str
    target: str


class Found(NamedTuple):
    """All statements of a text in order, and the codes of what is odd about the text."""

    statements: list[WrittenStatement]
    problems: list[str]


def statements_in(text: str) -> Found:
    """Return the statements of a text.

    >>> statements_in("1. sailed(1) -- docked(2): before").statements
    [WrittenStatement(source='sailed(1)', label='before', target='docked(2)')]
    """
    problems: list[str] = []
    answer = _without_reasoning(text.replace("\r\n", "\n"), problems)
    graphs = _graphs(answer)
    part = _without_comments(answer[graphs[-1] :] if graphs else answer)
    if graphs:
        part, brace, _ = part.partition("}")
        if len(graphs) > 1:
            problems.append("several-graphs")
    edges = list(_edges(part))
    found = list(map(_edge, edges))
    rest = part[edges[-1].end :] if edges else part
    if (graphs and not brace) or edges:
        begun = rest.rstrip("` \n\t;")
        if begun and (_ends_in_edge(begun) or (graphs and not brace)):
            problems.append("cut-off")
    if not edges:
        found = list(_without_graph(answer))
        if found:
            problems.append("no-graph")
    return Found(found, problems)


def id_of(name: str) -> str | None:
    """Return the id in a name: what stands in parentheses at its end, or a name such as e12 itself; None for a word.

    >>> id_of("sailed (1)"), id_of("e12"), id_of("sailed")
    ('1', 'e12', None)
    """
    name = name.strip().strip(_QUOTES + "*")
    found = _NUMBERED.search(name)
    if found is not None:
        return found[1]
    return name if _ID.fullmatch(name) or name.isdigit() else None


def _without_reasoning(text: str, problems: list[str]) -> str:
    closings = list(_CLOSING.finditer(text))
    if closings:
        text = text[closings[-1].end() :]
        problems.append("reasoning-skipped")
    opening = _OPENING.search(text)
    if opening is not None:
        text = text[: opening.start()]
        problems.append("reasoning-not-closed")
    return text


def _edge(edge: _Arrow) -> WrittenStatement:
    label = _LABEL.search(edge.label)
    return WrittenStatement(edge.source, label[1] if label else edge.label.strip() or "?", edge.target)


def _graphs(text: str) -> list[int]:
    """Return where the braces of graphs begin: behind the word graph in the same line."""
    found, end = [], 0
    for part in text.split("{")[:-1]:
        end += len(part) + 1
        if _GRAPH.search(part, part.rfind("\n") + 1):
            found.append(end)
    return found


def _without_comments(text: str) -> str:
    kept: list[str] = []
    start, pattern = 0, _COMMENT
    while (comment := pattern.search(text, start)) is not None:
        end = comment.end()
        if comment[0] == "/*":
            close = text.find("*/", end)
            if close < 0:  # then no other of them is closed, either
                pattern = _LINE_COMMENT
                continue
            end = close + 2
        kept += (text[start : comment.start()], " ")
        start = end
    return "".join(kept) + text[start:]


def _ends_in_edge(text: str) -> bool:
    """Return whether an edge begins in a text whose bracket is never closed."""
    last = text.rfind("]")
    return any(max(begun.start(1), begun.start(2)) > last for begun in _BEGUN_EDGE.finditer(text))


def _without_graph(text: str) -> Iterator[WrittenStatement]:
    """Yield statements of JSON; if there is none, those of table rows and list lines."""
    objects = list(_json_statements(text))
    yield from objects
    if objects:
        return
    for line in text.split("\n"):
        if line.count("|") >= 3:
            yield from _row(line)
        else:
            yield from _sentence(line)


class _Uncounted(str):
    """A text whose lines are not counted: errors of JSON would do so, from the beginning of the text for each."""

    __slots__ = ()

    def count(self, *_: object) -> int:
        return 0

    def rfind(self, *_: object) -> int:
        return -1


def _json_statements(text: str) -> Iterator[WrittenStatement]:
    decoder = json.JSONDecoder()
    text = _Uncounted(text)
    failing: set[int] = set()  # brackets that were open where the text stopped being JSON
    position = 0
    while (bracket := _BRACKET.search(text, position)) is not None:
        start = bracket.start()
        position = start + 1
        if start in failing:
            failing.remove(start)
            continue
        try:
            value, position = decoder.raw_decode(text, start)
        except json.JSONDecodeError as error:
            failing.update(_open_brackets(text, start, error.pos))
        except (ValueError, RecursionError):  # a number of too many digits, or brackets in brackets
            failing.update(_open_brackets(text, start, len(text)))
        else:
            yield from _of_json(value)
        failing.discard(start)


def _open_brackets(text: str, start: int, end: int) -> list[int]:
    """Return the brackets that are open at the end of a part of JSON, or where they are too many."""
    found: list[int] = []
    for token in _JSON_TOKEN.finditer(text, start, end):
        if token[0] in ("[", "{"):
            found.append(token.start())
        elif token[0] in ("]", "}"):
            found.pop()
        if len(found) in (0, _MOST_BRACKETS):
            break
    return found


def _of_json(value: Any) -> Iterator[WrittenStatement]:
    """Yield the objects and triples inside a JSON value, with an explicit stack in their order."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            ends = [_first(each, keys) for keys in (_SOURCES, _RELATIONS, _TARGETS)]
            if all(isinstance(end, str) for end in ends):
                yield WrittenStatement(*ends)
            else:
                waiting += reversed([inner for inner in each.values() if isinstance(inner, dict | list)])
        elif isinstance(each, list):
            if len(each) == 3 and all(isinstance(part, str) for part in each):
                yield _ordered(each)
            else:
                waiting += reversed(each)


def _first(record: dict[str, Any], keys: tuple[str, ...]) -> Any:
    lower = {str(key).lower().replace(" ", "").replace("_", ""): value for key, value in record.items()}
    found = next((lower[key] for key in keys if key in lower), None)
    return str(found) if isinstance(found, int) and not isinstance(found, bool) else found


def _ordered(parts: list[str]) -> WrittenStatement:
    """Return a triple whose label stands in the middle, or at the end where the middle is an entity."""
    first, second, third = parts
    return (
        WrittenStatement(first, third, second)
        if id_of(second) and not id_of(third)
        else WrittenStatement(first, second, third)
    )


def _row(line: str) -> Iterator[WrittenStatement]:
    """Yield the statement of a row of a Markdown table: two names with ids, and the one other cell that is a word."""
    cells = [cell.strip().strip("*` ") for cell in line.strip().strip("|").split("|")]
    names = [cell for cell in cells if _NUMBERED.search(cell) or _ID.fullmatch(cell)]
    words = [cell for cell in cells if cell not in names and re.fullmatch(_WORD, cell)]
    if len(names) == 2 and words:
        yield WrittenStatement(names[0], words[0], names[1])


def _sentence(line: str) -> Iterator[WrittenStatement]:
    """Yield the statement that begins a line of a list; what follows it is an explanation."""
    plain = _MARK.sub("", line, count=1).lstrip("*_ ")
    pair = _pair_line(plain)
    if pair is not None:
        yield WrittenStatement(pair.source, pair.label, pair.target)
        return
    sentence = _SENTENCE.match(plain)
    if sentence is not None and id_of(sentence[1]) and id_of(sentence[3].rstrip("*.,;:")):
        yield WrittenStatement(sentence[1], sentence[2], sentence[3].rstrip("*.,;:"))


# ----------------------------------------------------------------------------------------------------
# Two names with a dash between them, and a label behind. A name may hold dashes and parentheses itself, so that there
# are many ways to cut a text; the first name is as long as it can be, then the dash. A regular expression would try all
# starts with all ends. Here each place is looked at a fixed number of times, whatever the text is: what follows a place
# does not depend on where the name before it began.


class _Label(NamedTuple):
    text: str
    end: int


class _Ending(NamedTuple):
    """The second name and the label, found behind a dash."""

    target: str
    label: str
    end: int


class _Arrow(NamedTuple):
    source: str
    target: str
    label: str
    end: int


class _Run:
    """A longest stretch of characters of bare names, and what is known of a second name that ends with it."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self.start = start
        self.end = end
        self.number = text.rfind("(", start + 1, end)  # only the last can reach beyond the end
        self.endings: list[tuple[int, _Label] | None] | None = None  # at the end, and from the number on


class _Dashes(NamedTuple):
    start: int
    end: int
    least: int  # how many of these signs are a dash
    last: int  # where the longest dash that an ending follows ends; behind an arrow head: beyond all
    ending: _Ending | None


class _Arrows:
    """The search in one text. Kinds of arrows differ in their quotation marks and labels."""

    def __init__(self, text: str, names: re.Pattern[str]) -> None:
        self._text = text
        self._names = names
        self._run = _Run(text, 0, 0)
        self._dashes = _Dashes(0, 0, 0, 0, None)

    def label(self, place: int) -> _Label | None:
        """Return the label behind a second name."""
        raise NotImplementedError

    def second(self, place: int) -> _Ending | None:
        """Return the ending that begins here, behind a dash and blanks."""
        raise NotImplementedError

    def closed(self, place: int) -> int:
        """Return the place behind the quotation mark that may end a name."""
        raise NotImplementedError

    def from_bare(self, start: int, end: int) -> _Arrow | None:
        """Return the arrow whose first name begins a run of bare characters."""
        text, self._run = self._text, _Run(self._text, start, end)
        places = [place.start() for place in _BEHIND_NAME.finditer(text, start + 1, end)]
        for place in (end, *reversed(places)):
            number = _NUMBER.match(text, place)
            for stop in (place,) if number is None else (number.end(), place):
                ending = self.behind(self.closed(stop))
                if ending is not None:
                    return _Arrow(text[start:stop], *ending)
        return None

    def behind(self, place: int) -> _Ending | None:
        """Return what follows a first name that ends at this place."""
        text = self._text
        place = _end_of(_BLANKS, text, place)
        sign = text[place : place + 1]
        if sign == "\u2192":
            return self._ending(place + 1, self._run_at(place))
        if sign == "<":
            place += 1
            sign = text[place : place + 1]
            if sign == "-":
                return None
        if sign not in _DASHES or not sign:
            return None
        dashes = self._dashes
        if not dashes.start <= place < dashes.end:
            dashes = self._dashes = self._dashes_at(place, sign)
        return dashes.ending if dashes.last >= place + dashes.least else None

    def _dashes_at(self, place: int, sign: str) -> _Dashes:
        text, start = self._text, place
        while start and _DASHES.get(text[start - 1]) is _DASHES[sign]:
            start -= 1
        end = _end_of(_DASHES[sign], text, place)
        least = 2 if sign == "-" else 1
        run = self._run_at(start)
        if text[end : end + 1] == ">" and (ending := self._ending(end + 1, run)) is not None:
            return _Dashes(start, end, least, len(text) + least, ending)
        for last in range(end, start + least - 1, -1):
            if (ending := self._ending(last, run)) is not None:
                return _Dashes(start, end, least, last, ending)
        return _Dashes(start, end, least, -1, None)

    def _run_at(self, place: int) -> _Run:
        run = self._run
        return run if run.start <= place < run.end else _Run(self._text, place, _end_of(self._names, self._text, place))

    def _ending(self, place: int, run: _Run) -> _Ending | None:
        """Return what follows a dash that ends at this place, in this run or at its end."""
        return self.bare_ending(place, run) if place < run.end else self.second(_end_of(_BLANKS, self._text, place))

    def bare_ending(self, place: int, run: _Run) -> _Ending | None:
        """Return the ending with the bare name that begins here."""
        if run.endings is None:
            run.endings = [self._numbered(run.end) or self._labelled(run.end), None]
            if run.number >= 0:
                run.endings[1] = self._numbered(run.number)
        found = run.endings[0] or (run.endings[1] if run.number > place else None)
        return None if found is None else _Ending(self._text[place : found[0]], *found[1])

    def _numbered(self, place: int) -> tuple[int, _Label] | None:
        number = _NUMBER.match(self._text, place)
        return None if number is None else self._labelled(number.end())

    def _labelled(self, stop: int) -> tuple[int, _Label] | None:
        label = self.label(self.closed(stop))
        return None if label is None else (stop, label)


class _Edges(_Arrows):
    """Edges: names, bare or in quotation marks, and a label in brackets."""

    def __init__(self, text: str) -> None:
        super().__init__(text, _NAMES)
        self._closing = (0, -1)  # no end of a label between these places but the second

    def found(self) -> Iterator[_Arrow]:
        place = 0
        while (name := _NAMES.search(self._text, place)) is not None:
            edge = self._quoted(name.start()) if name[0] in _QUOTES else self.from_bare(*name.span())
            if edge is not None:
                yield edge
            place = name.end() if edge is None else edge.end

    def _quoted(self, start: int) -> _Arrow | None:
        name = _AFTER_QUOTED.match(self._text, start + 1)
        ending = None if name is None else self.behind(name.end())
        return None if name is None or ending is None else _Arrow(name[0][:-1], *ending)

    def label(self, place: int) -> _Label | None:
        text = self._text
        place = _end_of(_BLANKS, text, place)
        if text[place : place + 1] != "[":
            return None
        first, close = self._closing
        if not first <= place < close:
            found = _LABEL_END.search(text, place)
            first, close = self._closing = place, len(text) if found is None else found.start()
        return _Label(text[place + 1 : close], close + 1) if text[close : close + 1] == "]" else None

    def second(self, place: int) -> _Ending | None:
        found = _NAMES.match(self._text, place)
        if found is None:
            return None
        if found[0] not in _QUOTES:
            return self.bare_ending(place, _Run(self._text, *found.span()))
        name = _AFTER_QUOTED.match(self._text, place + 1)
        label = None if name is None else self.label(name.end())
        return None if name is None or label is None else _Ending(name[0][:-1], *label)

    def closed(self, place: int) -> int:
        return place


class _Pairs(_Arrows):
    """Lines with a pair of names and its label behind a colon. A quotation mark may stand on either side of a name."""

    def __init__(self, text: str) -> None:
        super().__init__(text, _ITEMS)

    def first(self) -> _Arrow | None:
        """Return the pair that begins the text."""
        found = _ITEMS.match(self._text, self.closed(0))
        return None if found is None else self.from_bare(*found.span())

    def label(self, place: int) -> _Label | None:
        found = _PAIR_LABEL.match(self._text, place)
        return None if found is None else _Label(found[1], found.end())

    def second(self, place: int) -> _Ending | None:
        found = _ITEMS.match(self._text, self.closed(place))
        return None if found is None else self.bare_ending(found.start(), _Run(self._text, *found.span()))

    def closed(self, place: int) -> int:
        return place + 1 if self._text[place : place + 1] in set(_QUOTES) else place


def _edges(text: str) -> Iterator[_Arrow]:
    return _Edges(text).found()


def _pair_line(text: str) -> _Arrow | None:
    return _Pairs(text).first()


def _end_of(pattern: re.Pattern[str], text: str, place: int) -> int:
    found = pattern.match(text, place)
    return place if found is None else found.end()
