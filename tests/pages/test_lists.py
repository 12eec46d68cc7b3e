"""Lists on the pages are those of the program: formats, label sets, exit codes, words of the glossary."""

import json
import pydoc
import re

import pytest
from documentation import PAGES, ROOT, text_of
from test_plain_words import messages

import temporacle
from bench.reference import page as page_of_commands
from temporacle.cli import COMMANDS
from temporacle.commands.common import ExitCode
from temporacle.io import project
from temporacle.io.columns import OTHER_NAMES
from temporacle.io.formats import FORMATS, WRITERS
from temporacle.plugins import _PROTOCOLS
from temporacle.readings import BUILT_IN, OFFERED
from temporacle.results import Verdict
from temporacle.rules import schema_names
from temporacle.scoring.metric import METRICS, WITH_EXACT_SCORE
from temporacle.scoring.official.registry import PROGRAMS
from temporacle.scoring.pairs import CONVENTIONS

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


def test_the_page_lists_every_exit_code():
    assert [int(row[0]) for row in rows(text_of("docs/exit-codes.md"), "exit code")] == sorted(ExitCode)


def test_the_page_lists_every_schema():
    assert sorted(names(row[0] for row in rows(text_of("docs/schemas.md"), "schema"))) == sorted(schema_names())


def test_the_page_lists_every_key_of_the_project_file():
    listed = names(row[0] for row in rows(text_of("docs/project-file.md"), "key"))
    assert listed == [*project._READING, *project._RUN]


def test_the_page_of_python_names_every_command_that_is_a_function_and_those_that_are_not():
    text = text_of("docs/python.md")
    missing = names([re.search(r"^Every command is a function.*?except (.*?)\. ", text, re.DOTALL | re.MULTILINE)[1]])
    assert missing == sorted(name for name in COMMANDS if name not in temporacle.__all__)
    assert not [name for name in COMMANDS if name not in missing and f"tp.{name}" not in text]


def test_the_page_lists_every_metric():
    assert set(names(row[0] for row in rows(text_of("docs/metrics.md"), "metric"))) == set(METRICS)
    clinical = names(row[2] for row in rows(text_of("docs/clinical.md"), "task"))
    assert {*clinical, "qa-tempeval"} == set(WITH_EXACT_SCORE)
    assert "official qa-tempeval" in text_of("docs/questions.md")


def test_the_page_lists_every_convention_with_the_number_of_its_labels():
    listed = {name: row[1] for row in rows(text_of("docs/metrics.md"), "convention") for name in names([row[0]])}
    assert set(listed) == set(CONVENTIONS)
    for name, said in listed.items():
        numbers = {len(each.labels) for each in CONVENTIONS[name].label_sets}
        assert {int(number) for number in re.findall(r"\d+", said)} == numbers, name


def test_every_official_program_is_on_a_page():
    pages = " ".join(text_of(f"docs/{page}.md") for page in ("official", "clinical", "metrics", "matres", "questions"))
    assert not [name for name in PROGRAMS if f"`{name}`" not in pages and f"official {name}" not in pages]
    beginning = rows(text_of("docs/matres.md"), "the paper")
    assert set(names(row[1] for row in beginning)) <= set(PROGRAMS)


def test_the_page_lists_every_group_of_plugins():
    listed = names(row[0] for row in rows(text_of("docs/platform.md"), "group"))
    assert sorted(name.removeprefix("temporacle.") for name in listed) == sorted(_PROTOCOLS)


def test_the_page_lists_every_verdict():
    pages = [text_of(f"docs/{page}.md") for page in ("python", "reasoner")]
    for page in pages:
        assert {name.lower() for name in names(row[0] for row in rows(page, "verdict"))} == {
            each.value for each in Verdict
        }


def test_the_page_lists_every_name_of_a_column():
    listed = {names(row[:1])[0]: tuple(names(row[1:])) for row in rows(text_of(FORMATS_PAGE), "role")}
    assert listed == {role: tuple(others) for role, others in OTHER_NAMES.items()}


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_names_of_python_on_the_page_exist(page):
    for named in set(re.findall(r"`((?:tp|temporacle)(?:\.[A-Za-z_]\w*)+)\b(?!\.)", text_of(page))):
        if not re.search(r"\.(?:toml|html|xml|js|py|formats|metrics|label_sets|programs|engines)$", named):
            assert pydoc.locate(re.sub(r"^tp\.", "temporacle.", named)) is not None, named


def test_texts_of_the_program_name_no_file_of_the_repository():
    modules = sorted((ROOT / "temporacle").rglob("*.py"))
    found = [(path.name, text) for path in modules for text in messages(path) if re.search(r"docs/[a-z-]+\.md", text)]
    assert not found, "write temporacle explain CODE, or temporacle docs PAGE"
