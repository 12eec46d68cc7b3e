"""The arguments of a tool call, checked before anything is computed.

A call comes from a program that a language model steers. Everything in it is taken as data: no name is ever opened as
a file, sizes are limited, and what does not fit is refused with the cause and a cure.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    NotRequired,
    TypeAlias,
    TypedDict,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)
from unicodedata import category

from temporacle.calendar.values import BadValue, read_value
from temporacle.errors import InputError, nearest
from temporacle.io.llm import known_label
from temporacle.model import Document, Entity, HowRead, Kind, Link
from temporacle.old_names import EVERY_COMMAND, OLD_OPTIONS
from temporacle.printing import shown
from temporacle.readings import BUILT_IN, load_reading

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from temporacle.readings import Reading
    from temporacle.relation import Relation

MOST_STATEMENTS = 1000  # also of pairs, values and names of entities
MOST_LABELS = 50  # of a scored pair
LONGEST_TEXT = 200  # characters of a name, a relation or a value
DEFAULT_BUDGET, MOST_BUDGET = 10.0, 60.0  # seconds
DEFAULT_ROWS, MOST_ROWS = 200, 2000
LEAST_WEIGHT = 1e-9
LARGEST_NUMBER = 10**9  # of weights and scores, and of names that are numbers
READINGS = tuple(name for name in BUILT_IN if name != "timeline")
POLICIES = ("within", "exact")
TRIPLE = 'write ["left", "BEFORE", "docked"] or {"source": "left", "relation": "BEFORE", "target": "docked"}'
_NO_FILES = "files are never opened: give the statements themselves"
_UNWRITABLE = {"Cc", "Cs", "Zl", "Zp"}  # control characters, halves of characters, line and paragraph separators

# --- what statements and pairs are -----------------------------------------------------------------------------------

Schema: TypeAlias = dict[str, Any]
RELATION_WORDS = (
    "A label of the label set (BEFORE, AFTER, INCLUDES, IS_INCLUDED, SIMULTANEOUS, ...), one of Allen's atoms"
    " b bi m mi o oi s si d di f fi =, or several joined by |, such as b|m."
)
Name: TypeAlias = Annotated[str | int, ("maxLength", LONGEST_TEXT)]
Label: TypeAlias = Annotated[str, ("maxLength", LONGEST_TEXT), ("description", RELATION_WORDS)]


class Statement(TypedDict):
    """A statement, as a call gives it."""

    id: NotRequired[Annotated[Name, ("description", "Names the statement in answers; default: l1, l2, ...")]]
    source: Name
    relation: NotRequired[Label | list[str]]
    label: NotRequired[Label]
    target: Name
    weight: NotRequired[
        Annotated[float, ("minimum", LEAST_WEIGHT), ("description", "For repair: what removing it costs; default 1.")]
    ]


class Pair(TypedDict):
    """A scored pair, as a call gives it."""

    id: NotRequired[Name]
    source: Name
    target: Name
    scores: Annotated[dict[str, float | None], ("minProperties", 1), ("maxProperties", MOST_LABELS)]


_THREE = (("minItems", 3), ("maxItems", 3))
Names: TypeAlias = Annotated[list[Name], ("maxItems", MOST_STATEMENTS)]
Statements: TypeAlias = Annotated[list[Annotated[list[Name], *_THREE] | Statement], ("maxItems", MOST_STATEMENTS)]
Pairs: TypeAlias = Annotated[list[Annotated[list[Any], *_THREE] | Pair], ("minItems", 1), ("maxItems", MOST_STATEMENTS)]
_FROM_ANSWERS = ("line", "source_text", "target_text")  # links of an answer can be given back as they are
_KINDS = {str: "string", int: "integer", float: "number", NoneType: "null"}


def schema_of(kind: Any) -> Schema:
    """Return the JSON Schema of a declaration.

    >>> schema_of(Annotated[list[str | int], ("maxItems", 3)])
    {'type': 'array', 'items': {'type': ['string', 'integer']}, 'maxItems': 3}
    """
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return schema_of(parts[0]) | dict(parts[1:])
    if origin is NotRequired:
        return schema_of(parts[0])
    if is_typeddict(kind):
        hints = get_type_hints(kind, include_extras=True)
        return {
            "type": "object",
            "properties": {name: schema_of(each) for name, each in hints.items()},
            "required": [name for name, each in hints.items() if get_origin(each) is not NotRequired],
        }
    if origin is list:
        return {"type": "array"} if parts[0] is Any else {"type": "array", "items": schema_of(parts[0])}
    if origin is dict:
        return {"type": "object", "additionalProperties": schema_of(parts[1])}
    if origin in {UnionType, Union}:
        if all(each in _KINDS for each in parts):
            return {"type": [_KINDS[each] for each in parts]}
        return {"anyOf": [schema_of(each) for each in parts]}
    return {"type": _KINDS[kind]}


def refusal(cause: str, cure: str) -> InputError:
    """Return the error for an argument that cannot be used."""
    return InputError(cause, cure=cure)


def renamed(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the arguments of a call with their new names."""
    old = {name[2:]: new[2:].replace("-", "_") for name, new in OLD_OPTIONS[EVERY_COMMAND].items()}
    if not isinstance(given, Mapping) or not old.keys() & given.keys():
        return given
    return {old[name] if name in old and old[name] not in given else name: value for name, value in given.items()}


# --- single values ---------------------------------------------------------------------------------------------------


def text_of(value: object, what: str) -> str:
    """Return a name or label. Whole numbers are names, too."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= LARGEST_NUMBER:
        return str(value)
    if not isinstance(value, str) or not value.strip():
        raise refusal(f"{what} is {_briefly(value)}", "give a text that is not empty")
    if len(value) > LONGEST_TEXT:
        raise refusal(f"{what} has {len(value)} characters", f"give at most {LONGEST_TEXT}")
    if any(category(character) in _UNWRITABLE for character in value):
        raise refusal(f"{what} is {_briefly(value)}", "leave out control characters and line breaks")
    return value.strip()


def number_of(value: object, what: str, *, least: float, most: float = LARGEST_NUMBER) -> float:
    """Return a finite number within limits."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise refusal(f"{what} is {_briefly(value)}", f"give a number from {least:g} to {most:g}")
    return value


def names_of(given: Mapping[str, Any], name: str) -> list[str]:
    """Return a list of names; empty if it is not given."""
    values = _list_of(given.get(name), name, 'write a list such as ["left", "docked"]')
    return list(dict.fromkeys(text_of(value, f"{name}, item {position},") for position, value in enumerate(values, 1)))


def budget_of(given: Mapping[str, Any]) -> float:
    """Return the seconds for the call, at most ``MOST_BUDGET``.

    >>> budget_of({}), budget_of({"time_limit": 2}), budget_of({"time_limit": 3600})
    (10.0, 2, 60.0)
    """
    value = given.get("time_limit")
    if value is None:
        return DEFAULT_BUDGET
    if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:  # NaN is not above 0, either
        raise refusal(f"time_limit is {_briefly(value)}", f"give seconds: more than 0, at most {MOST_BUDGET:g}")
    return min(value, MOST_BUDGET)


def checked(given: Mapping[str, Any], schemas: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the arguments of a call with defaults; those that are a choice, a flag or a number fit their schemas.

    >>> checked({"why": True}, {"why": {"type": "boolean"}, "limit": {"type": "integer", "default": 200}})
    {'why': True, 'limit': 200}
    """
    if unknown := [str(name) for name in given if name not in schemas]:
        raise refusal(
            f"unknown argument {shown(unknown[0])}", f"{_meant(unknown[0], schemas)}this tool has {', '.join(schemas)}"
        )
    found = dict(given)
    for name, schema in schemas.items():
        value, kind = given.get(name), schema.get("type")
        if value is None:
            found[name] = schema.get("default", False if kind == "boolean" else None)
        elif "enum" in schema and not (isinstance(value, str) and value in schema["enum"]):
            files = "; files are never opened" if name == "labels" else ""
            choices = schema["enum"]
            raise refusal(f"{name} is {_briefly(value)}", f"{_meant(value, choices)}choose {', '.join(choices)}{files}")
        elif kind == "boolean" and not isinstance(value, bool):
            raise refusal(f"{name} is {_briefly(value)}", "give true or false")
        elif kind == "integer" and not (
            isinstance(value, int) and not isinstance(value, bool) and schema["minimum"] <= value <= schema["maximum"]
        ):
            cure = f"give a whole number from {schema['minimum']} to {schema['maximum']}"
            raise refusal(f"{name} is {_briefly(value)}", cure)
    return found


def _meant(name: object, known: Iterable[str]) -> str:
    """Return a question about the nearest of some names; nothing if none is near."""
    near = nearest(name, known) if isinstance(name, str) else None
    return "" if near is None else f"did you mean {near}? "


# --- documents -------------------------------------------------------------------------------------------------------


def document_of(given: Mapping[str, Any], key: str = "statements") -> Document:
    """Return the document that statements and values make up.

    >>> document_of({"statements": [["left", "BEFORE", "docked"]], "values": {"docked": "1998-02-09"}}).entity_ids
    ('left', 'docked')
    """
    if given.get(key) is None:
        raise refusal(f"there is no argument {key}", f"give a list; for each statement {TRIPLE}")
    reading = reading_of(given)
    links = links_of(given[key], key, reading)
    times = _times_of(given.get("values"))
    names = dict.fromkeys((*(end for link in links for end in link.entities), *(time.id for time in times)))
    return Document("statements", links, tuple(names), how_read=HowRead("statements", reading), known_times=times)


def reading_of(given: Mapping[str, Any]) -> Reading:
    """Return the label set of a call, with atoms."""
    return load_reading(given.get("labels") or "links", given.get("during") or "simultaneous").with_atoms()


def links_of(items: object, what: str, reading: Reading) -> tuple[Link, ...]:
    """Return statements as links. Their ids are l1, l2, ... unless they have ids of their own."""
    links = tuple(
        _link(item, position, f"{what}, item {position},", reading)
        for position, item in enumerate(_list_of(items, what, f"give a list; for each statement {TRIPLE}"), 1)
    )
    met: set[str] = set()
    for link in links:
        if link.id in met:
            raise refusal(f"two {what} have the id {shown(link.id)}", "give each statement its own id, or none")
        met.add(link.id)
    return links


def _link(item: object, position: int, what: str, reading: Reading) -> Link:
    if isinstance(item, list | tuple) and len(item) == 3:
        item = dict(zip(("source", "relation", "target"), item, strict=True))
    if not isinstance(item, Mapping):
        raise refusal(f"{what} is {_briefly(item)}", f"{TRIPLE}; {_NO_FILES}")
    if unknown := [str(key) for key in item if key not in (*Statement.__annotations__, *_FROM_ANSWERS)]:
        raise refusal(f"{what} has an unknown key {shown(unknown[0])}", TRIPLE)
    source, target = (text_of(item.get(end), f"{what} {end}") for end in ("source", "target"))
    atoms = item.get("relation")
    written = "|".join(map(str, atoms)) if isinstance(atoms, list) and atoms else atoms
    label = label_of(text_of(item.get("label") or written, f"{what} relation"), reading)
    relation = _meaning(label, what, reading)
    stated = label if written is None else label_of(text_of(written, f"{what} relation"), reading)
    if _meaning(stated, what, reading) != relation:
        raise refusal(f"{what} has a label and a relation that differ in meaning", "leave one of them out")
    name = text_of(item["id"], f"{what} id") if item.get("id") is not None else f"l{position}"
    weight = number_of(item.get("weight", 1), f"{what} weight", least=LEAST_WEIGHT)
    return Link(name, source, relation, target, label, weight=weight)


def label_of(word: str, reading: Reading) -> str:
    """Return the label that a model means: its own word, or that of the label set for "happened before"."""
    return word if reading.knows(word) else known_label(word, reading) or word


def _meaning(label: str, what: str, reading: Reading) -> Relation:
    try:
        return reading.relation(label)
    except InputError as error:
        raise refusal(
            f"{what} has an {error.reason}", f"{_meant(label, reading.labels)}labels: {', '.join(reading.labels)}"
        ) from None


def _times_of(values: object) -> tuple[Entity, ...]:
    cure = 'write an object of times and their values: {"t1": "1998-02-09"}'
    if values is None:
        return ()
    if not isinstance(values, Mapping):
        raise refusal(f"values is {_briefly(values)}", cure)
    _require_few(len(values), "values")
    times: dict[str, Entity] = {}
    for name, value in values.items():
        entity, text = text_of(name, "a name in values"), text_of(value, f"the value of {shown(str(name))}")
        meaning = read_value(text)
        if isinstance(meaning, BadValue):
            right = f"write {meaning.cure}" if meaning.cure else "write a value such as 1998-02-09, 1998-W07 or P3D"
            raise refusal(f"the value of {shown(entity)} is {shown(text)}, which is not a TIMEX3 value", right)
        if entity in times:
            raise refusal(f"values has {shown(entity)} twice", "blanks around a name do not count: give it once")
        times[entity] = Entity(entity, Kind.TIME, value=text)
    return tuple(times.values())


def pairs_of(items: object, reading: Reading) -> list[dict[str, Any]]:
    """Return scored pairs in the form of the reader of scores, which checks labels and scores."""
    cure = 'write {"source": "left", "target": "docked", "scores": {"BEFORE": 0.9, "AFTER": 0.1}}'
    pairs = _list_of(items, "pairs", f"give a list; for each pair {cure}")
    if not pairs:
        raise refusal("there are no pairs", cure)
    found = []
    for position, item in enumerate(pairs, 1):
        what = f"pairs, item {position},"
        if isinstance(item, list | tuple) and len(item) == 3:
            item = dict(zip(("source", "target", "scores"), item, strict=True))  # noqa: PLW2901 - the same in full
        if not isinstance(item, Mapping) or not isinstance(item.get("scores"), Mapping):
            raise refusal(f"{what} is {_briefly(item)}", f"{cure}; files are never opened")
        if unknown := [str(key) for key in item if key not in Pair.__annotations__]:
            raise refusal(f"{what} has an unknown key {shown(unknown[0])}", cure)
        if len(item["scores"]) > MOST_LABELS:
            raise refusal(f"{what} has {len(item['scores'])} labels", f"give at most {MOST_LABELS}")
        scores = {}
        for label, score in item["scores"].items():
            name = label_of(text_of(label, f"{what} label"), reading)
            if name in scores:
                raise refusal(f"{what} has the label {shown(name)} twice", "give each label once")
            if score is not None:
                scores[name] = number_of(score, f"{what} score of {shown(name)}", least=-LARGEST_NUMBER)
        ends = {end: text_of(item.get(end), f"{what} {end}") for end in ("source", "target")}
        found.append({"id": item.get("id") and text_of(item["id"], f"{what} id"), **ends, "scores": scores})
    return found


def _list_of(value: object, what: str, cure: str) -> Sequence[Any]:
    if value is None:
        return ()
    if not isinstance(value, list | tuple):
        raise refusal(f"{what} is {_briefly(value)}", f"{cure}; files are never opened")
    _require_few(len(value), what)
    return value


def _require_few(count: int, what: str) -> None:
    if count > MOST_STATEMENTS:
        raise refusal(
            f"{what} has {count} items, and the limit is {MOST_STATEMENTS}",
            "split them into groups that share no entity, or use the commands of temporacle on a file",
        )


def _briefly(value: object) -> str:
    """Return a value for a message: its kind if it is large."""
    if value is None:
        return "missing"
    if isinstance(value, str):
        return shown(value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return f"{value:g}" if isinstance(value, float) or abs(value) <= LARGEST_NUMBER else "a very large number"
    return "an object" if isinstance(value, Mapping) else "a list"
