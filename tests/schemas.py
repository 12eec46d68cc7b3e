"""Every line of JSON that a command prints in a test is compared with the schema of the command."""

import json
from functools import cache

from jsonschema import Draft202012Validator

from temporacle import cli
from temporacle.commands import common
from temporacle.rules import schema_text

_printing = [""]  # the command that runs


@cache
def validator(name):
    return Draft202012Validator(json.loads(schema_text(name)))


def watch():
    """Let every command compare what it prints. Commands take ``print_json`` when they are loaded, after this."""
    load, write = cli.command, common.print_json

    def loaded(name):
        _printing[0] = name
        return load(name)

    def compared(value):
        require(_printing[0], json.loads(common.json_text(value)))
        write(value)

    cli.command, common.print_json = loaded, compared


def require(name, line):
    """Fail if a line does not fit."""
    if (error := next(validator(name).iter_errors(line), None)) is not None:
        said = next((each.message for each in error.context or ()), error.message)
        raise AssertionError(f"{name} --output json does not fit temporacle/data/schemas/{name}.json: {said}")
