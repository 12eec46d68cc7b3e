"""The part of SARIF 2.1.0 that ``check --output sarif`` uses, as a JSON schema.

It is stricter than the standard's own schema: whatever is not listed here is refused.
"""


def _object(required=(), **properties):
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


_TEXT = {"type": "string", "minLength": 1}
_MESSAGE = _object(["text"], text=_TEXT)
_LEVEL = {"enum": ["none", "note", "warning", "error"]}
_PHYSICAL = _object(
    ["artifactLocation"],
    artifactLocation=_object(["uri"], uri={"type": "string", "format": "uri-reference", "pattern": r"^[^\s\\]+$"}),
    region=_object(["startLine"], startLine={"type": "integer", "minimum": 1}),
)
_LOCATION = _object(physicalLocation=_PHYSICAL, message=_MESSAGE, id={"type": "integer", "minimum": -1})
_RULE = _object(
    ["id"],
    id=_TEXT,
    shortDescription=_MESSAGE,
    fullDescription=_MESSAGE,
    help=_MESSAGE,
    defaultConfiguration=_object(level=_LEVEL),
)
_RESULT = _object(
    ["message", "ruleId"],
    ruleId=_TEXT,
    ruleIndex={"type": "integer", "minimum": 0},
    level=_LEVEL,
    message=_MESSAGE,
    locations={"type": "array", "items": _LOCATION, "minItems": 1},
    relatedLocations={"type": "array", "items": _LOCATION, "uniqueItems": True},
    partialFingerprints={"type": "object", "additionalProperties": _TEXT},
    baselineState={"enum": ["new", "unchanged", "updated", "absent"]},
)
_RUN = _object(
    ["tool"],
    tool=_object(
        ["driver"],
        driver=_object(
            ["name"], name=_TEXT, version=_TEXT, rules={"type": "array", "items": _RULE, "uniqueItems": True}
        ),
    ),
    invocations={
        "type": "array",
        "items": _object(
            ["executionSuccessful"], executionSuccessful={"type": "boolean"}, exitCode={"type": "integer"}
        ),
    },
    columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
    results={"type": "array", "items": _RESULT},
)
SCHEMA = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    **_object(
        ["version", "runs"],
        **{"$schema": {"type": "string", "format": "uri"}},
        version={"const": "2.1.0"},
        runs={"type": "array", "items": _RUN},
    ),
}
