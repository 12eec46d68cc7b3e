"""Lists on the pages are those of the program: formats, label sets, exit codes, words of the glossary."""

import json
import re

import pytest
from documentation import PAGES, ROOT, text_of

from bench.reference import page as page_of_commands
from temporacle.commands.common import ExitCode
from temporacle.io.formats import FORMATS, WRITERS
from temporacle.readings import BUILT_IN, OFFERED

FORMATS_PAGE = next(page for page in PAGES if page.name == "formats.md")


def section(page, title):
    """Return the text under a heading of the second level."""
    return re.search(rf"^## {title}.*?$(.*?)(?=^## |\Z)", text_of(page), re.DOTALL | re.MULTILINE)[1]


def rows(text, first):
    """Return the rows of the table whose first heading is ``first``, as lists of cells."""
    table = re.search(rf"^\| {first} \|.*\n\|[-|]+\n((?:\|.*\n)*)", text, re.MULTILINE)[1]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table.splitlines()]


def names(cells):
    """Return the words in backticks; of an option with its value, the value."""
    return [name.removeprefix("--labels ") for cell in cells for name in re.findall(r"`([^`]+)`", cell)]


def test_the_page_lists_every_format_that_is_read():
    table = rows(section(FORMATS_PAGE, "What is read"), "name")
    assert sorted(names(row[0] for row in table)) == sorted(FORMATS)


def test_the_page_lists_every_format_that_is_written():
    table = rows(section(FORMATS_PAGE, "Writing and converting"), "format")
    assert sorted(names(row[0] for row in table)) == sorted(WRITERS)


def test_the_page_names_every_label_set():
    named = set(names([section(FORMATS_PAGE, "Label sets: what labels mean")]))
    assert set(OFFERED) <= named
    table = rows(section(FORMATS_PAGE, "What is read"), "name")
    assert set(names(row[2] for row in table)) <= set(BUILT_IN)


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_tables_of_exit_codes_have_codes_that_exist(page):
    for head in ("exit code", "code"):
        if re.search(rf"^\| {head} \| meaning", text_of(page), re.MULTILINE):
            listed = [int(row[0]) for row in rows(text_of(page), head)]
            assert set(listed) <= set(ExitCode)
            assert listed == sorted(listed)


def test_the_page_of_commands_is_made_from_the_help_texts():
    assert text_of("docs/commands.md") == page_of_commands(), "python -m bench.reference > docs/commands.md"


def test_the_page_lists_the_keys_of_check():
    schema = json.loads((ROOT / "temporacle" / "data" / "schemas" / "check.json").read_text("utf-8"))["anyOf"][0]
    page = next(page for page in PAGES if page.name == "certify.md")
    table = rows(section(page, "For programs"), "key")
    assert sorted(names(row[0] for row in table)) == sorted(schema["properties"])
    assert sorted(names(row[0] for row in table if row[1] == "always")) == sorted(schema["required"])


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_bars_in_cells_are_shown_without_a_backslash(page):
    cells = [line for line in text_of(page).splitlines() if line.startswith("|")]
    assert not [line for line in cells if re.search(r"`[^`]*\\\|[^`]*`", line)], "write <code>a&#124;b</code>"
