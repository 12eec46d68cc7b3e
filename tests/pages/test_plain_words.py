"""Pages, help texts and messages avoid turns of phrase that new users stumbled over.

To quote one of them on a page, write it as code (in backticks) or in a block quote (a line that starts with ``>``).
A message that has to quote one is listed in ``QUOTING``.
"""

import ast
import inspect
import re
from pathlib import Path

import pytest
import typer
from documentation import PAGES, ROOT, prose, text_of

import temporacle
from temporacle.cli import COMMANDS, application

STUMBLING = [
    r"\b(?:is|are|was|were|be|been) told\b",
    r"\b(?:nobody|somebody)\b",
    r"(?<!there )\b(?:is|are|was|were) no (?!(?:longer|more|less|fewer|earlier|later|smaller|larger)\b)[a-z]+",
    r"\bsays? nothing\b",
    r"(?<!not )\bat all\b",
    r"\bexact or silent\b",
    r"\bworked on again\b",
    r"\bnothing (?:of|to) (?:it|this|that) is (?:told|said)\b",
    r"\bis (?:called|answered|judged) as\b",
    r"\bis the business of\b",
    r"\bgoes on from\b",
    r"\bone(?: \w+)? a (?:line|row)\b",
    r"\bgoes with (?:its|the)\b",
    r"\btakes? it for\b",
    r", too[.:;)]",
    r"\bwhatever\b",
    r"\bmend(?:s|ed|ing)?\b",
    r"\blightest\b",
    r"\bin any case\b",
    r"\bbeside (?:the|this|another|those)\b",
]
QUOTING: set[str] = set()
MORE = ["SECURITY.md", "CHANGELOG.md", "bench/NOTES.md", "fuzz/NOTES.md"]
EXAMPLES = {
    r"\b(?:is|are|was|were|be|been) told\b": "a broken line is told with its number",
    r"\bsays? nothing\b": "a link to itself says nothing",
    r"(?<!not )\bat all\b": "a closure of nothing at all",
}


def stumbles(text):
    """Return the phrases of a text that are on the list."""
    plain = " ".join(text.split())
    return [found[0] for pattern in STUMBLING for found in re.finditer(pattern, plain, re.IGNORECASE)]


@pytest.mark.parametrize("page", [*PAGES, *(Path(each) for each in MORE)], ids=str)
def test_pages_are_plain(page):
    text = re.sub(r"^>.*$", "", prose(text_of(page)), flags=re.MULTILINE)
    assert not stumbles(text)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_is_plain(name):
    command = typer.main.get_command(application([name])).commands[name]
    texts = [command.help or "", *(getattr(each, "help", None) or "" for each in command.params)]
    assert not stumbles("\n".join(texts))


def messages(path):
    """Return the texts in a module that are not docstrings; values in them are written as ``{}``."""
    tree = ast.parse(path.read_text("utf-8"))
    parts = {id(part) for each in ast.walk(tree) if isinstance(each, ast.JoinedStr) for part in ast.walk(each)}
    statements = {id(each.value) for each in ast.walk(tree) if isinstance(each, ast.Expr)}
    for each in ast.walk(tree):
        if isinstance(each, ast.JoinedStr):
            yield "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in each.values)
        elif isinstance(each, ast.Constant) and isinstance(each.value, str) and not {id(each)} & (parts | statements):
            yield each.value


@pytest.mark.parametrize("name", temporacle.__all__)
def test_docstrings_of_public_names_are_plain(name):
    value = getattr(temporacle, name)
    members = inspect.getmembers(value) if inspect.isclass(value) else ()
    said = [inspect.getdoc(each) or "" for key, each in members if not key.startswith("_")]
    assert not stumbles("\n\n".join([inspect.getdoc(value), *said]))


def test_messages_are_plain():
    modules = sorted((ROOT / "temporacle").rglob("*.py"))
    found = [(path.name, text) for path in modules for text in messages(path) if stumbles(text)]
    assert not [(name, text) for name, text in found if text not in QUOTING]


def test_the_list_finds_what_it_should():
    assert all(stumbles(text) for text in EXAMPLES.values())
    assert stumbles("the file is no document") == ["is no document"]
    assert not stumbles("There is no total, and there are no errors. It is no longer needed.")
