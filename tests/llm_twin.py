"""A second reader of answers of language models: the rules one after another, with plain patterns.

It shares no code with the reader of the package. It is slow on hostile texts.
"""

import json
import re

QUOTES = "\"'\u201c\u201d\u2018\u2019`"
DASH = r"(?:--+>?|-+>|<?[\u2013\u2014\u2212]+>?|\u2192)"
BARE = rf"[^\s{QUOTES}\[\]{{}};,|:*]+(?:[ \t]*\([^()\s]*\))?"
EDGE = re.compile(rf"(?:[{QUOTES}]([^{QUOTES}\n]*)[{QUOTES}]|({BARE}))\s*{DASH}\s*"
                  rf"(?:[{QUOTES}]([^{QUOTES}\n]*)[{QUOTES}]|({BARE}))\s*\[([^\]\n]*)\]")  # fmt: skip
ITEM = rf"[{QUOTES}]?([^\s{QUOTES}|:,;]+(?:[ \t]*\([^()\s]*\))?)[{QUOTES}]?"
LABELS = {"before": "BEFORE", "precede": "BEFORE", "precedes": "BEFORE", "after": "AFTER", "follow": "AFTER",
          "follows": "AFTER", "equal": "EQUAL", "equals": "EQUAL", "simultaneous": "EQUAL", "same_time": "EQUAL",
          "same": "EQUAL", "vague": "VAGUE", "unknown": "VAGUE", "unclear": "VAGUE", "uncertain": "VAGUE"}  # fmt: skip
CONVERSE = {"BEFORE": "AFTER", "AFTER": "BEFORE"}
KEYS = (
    ("source", "event1", "e1", "head", "from", "subject", "first", "arg1"),
    ("relation", "label", "rel", "type", "predicate"),
    ("target", "event2", "e2", "tail", "to", "object", "second", "arg2"),
)


def links_of(text, asked=None):
    """The links (source, label, target) that an answer states, with the labels of MATRES."""
    known = None if asked is None else {str(end) for pair in asked for end in pair}
    links = []
    for first, word, second in statements(text):
        source, target = identifier(first), identifier(second)
        label = LABELS.get(word.strip().lower().replace(" ", "_").replace("-", "_"))
        if source is None or target is None or label is None or source == target:
            continue
        if known is not None and not {source, target} <= known:
            continue
        stated = (source, label, target)
        if stated not in links and (target, CONVERSE.get(label, label), source) not in links:
            links.append(stated)
    return links


def identifier(name):
    name = name.strip().strip(QUOTES + "*")
    if numbered := re.search(r"\(\s*([^()\s]+)\s*\)\s*$(?!\n)", name):
        return numbered[1]
    return name if re.fullmatch(r"[A-Za-z]{1,3}[0-9]+", name) or name.isdigit() else None


def statements(text):
    text = text.replace("\r\n", "\n")
    text = re.split(r"</think>", text, flags=re.IGNORECASE)[-1]
    text = re.split(r"<think>", text, flags=re.IGNORECASE)[0]
    answer = text
    graphs = [each.end() for each in re.finditer(r"\bgraph\b[^\n{]*\{", text, re.IGNORECASE)]
    if graphs:
        text = text[graphs[-1] :]
    text = re.sub(r"//[^\n]*|/\*.*?\*/|^[ \t]*#[^\n]*", " ", text, flags=re.DOTALL | re.MULTILINE)
    if graphs:
        text = text.split("}")[0]
    edges = []
    for each in EDGE.finditer(text):
        named = re.search(
            r"\b(?:rel|label|relation|type)\s*=\s*[\"'\u201c]?([^\"'\u201d,;\s\]]+)", each[5], re.IGNORECASE
        )
        edges.append((each[1] or each[2] or "", named[1] if named else each[5], each[3] or each[4] or ""))
    return edges or list(objects(answer)) or [found for line in answer.split("\n") if (found := of_line(line))]


def objects(text):
    place = 0
    while place < len(text):
        if text[place] not in "[{":
            place += 1
            continue
        try:
            value, place = json.JSONDecoder().raw_decode(text, place)
        except (ValueError, RecursionError):
            place += 1
            continue
        yield from inside(value)


def inside(value):
    if isinstance(value, dict):
        plain = {re.sub("[ _]", "", key).lower(): each for key, each in value.items()}
        parts = [next((plain[key] for key in keys if key in plain), None) for keys in KEYS]
        parts = [str(part) if type(part) is int else part for part in parts]
        if all(isinstance(part, str) for part in parts):
            yield tuple(parts)
        else:
            for each in value.values():
                yield from inside(each)
    elif isinstance(value, list):
        if len(value) == 3 and all(isinstance(part, str) for part in value):
            first, second, third = value
            yield (first, third, second) if identifier(second) and not identifier(third) else (first, second, third)
        else:
            for each in value:
                yield from inside(each)


def of_line(line):
    if line.count("|") >= 3:
        cells = [cell.strip().strip("*` ") for cell in line.strip().strip("|").split("|")]
        names = [
            cell
            for cell in cells
            if re.search(r"\(\s*[^()\s]+\s*\)\s*\Z", cell) or re.fullmatch("[A-Za-z]{1,3}[0-9]+", cell)
        ]
        words = [cell for cell in cells if cell not in names and re.fullmatch("[A-Za-z_]+([-_ ][A-Za-z_]+)?", cell)]
        return (names[0], words[0], names[1]) if len(names) == 2 and words else None
    line = re.sub(r"^\s*(?:[-*+\u2022]|\d+[.)])?\s*", "", line, count=1).lstrip("*_ ")
    if pair := re.match(rf"{ITEM}\s*{DASH}\s*{ITEM}\s*:\s*\**\s*([A-Za-z_|-]+)", line):
        return pair[1], pair[3], pair[2]
    if said := re.match(rf"{ITEM}\s+([A-Za-z_|-]+)\s+{ITEM}", line):
        second = said[3].rstrip("*.,;:")
        if identifier(said[1]) and identifier(second):
            return said[1], said[2], second
    return None
