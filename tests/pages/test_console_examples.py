"""Every console example of README and docs prints what its page shows.

A console block holds commands after ``$`` and their output. In the output, ``...`` stands for anything. Blanks at the
end of a line do not matter, and neither do version numbers in a signature. A command that prints nothing on standard
output is compared with what it writes to standard error.
"""

import doctest
import re
import shlex
import shutil
from functools import cache

import pytest
import typer
from documentation import PAGES, ROOT, code_blocks, text_of

from temporacle.cli import COMMANDS, application, run

SLOW = {"experiments.md"}
COMMAND = re.compile(r"^(?:\$ )?(temporacle(?: .*)?)$", re.MULTILINE)


def examples(page):
    """Return the commands of a page's console blocks with the output that the page shows."""
    blocks = [block for language, block in code_blocks(text_of(page)) if language == "console"]
    parts = [part for block in blocks for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    return [(command, output) for command, _, output in (part.partition("\n") for part in parts)]


def tidy(output):
    """Return the lines of an output without blanks at their ends."""
    return "\n".join(line.rstrip() for line in output.rstrip().splitlines())


def fits(shown, printed):
    """Return whether an output is what a page shows of it."""
    version = r"version:[0-9.]+\|ortools:[0-9.]+"
    wanted, found = (re.sub(version, "version:...|ortools:...", tidy(text)) for text in (shown, printed))
    return re.fullmatch(re.escape(wanted).replace(re.escape("..."), r"[\s\S]*?"), found) is not None


@pytest.fixture
def in_a_copy(tmp_path, monkeypatch):
    """Work in a folder that has the examples, so that a command may write files."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, id=str(page), marks=[pytest.mark.slow] if page.name in SLOW else [])
        for page in PAGES
        if examples(page)
    ],
)
@pytest.mark.usefixtures("in_a_copy")
def test_console_examples_print_what_the_page_shows(page, capsys):
    for command, shown in examples(page):
        program, *arguments = shlex.split(command, comments=True)
        assert program == "temporacle", command
        if arguments[:1] == ["experiment"]:
            pytest.importorskip("matplotlib", reason="figures need the extra: pip install -e '.[figures]'")
        run(arguments)
        output = capsys.readouterr()
        printed = output.out or output.err
        assert fits(shown, printed), f"{command}\nprints\n{printed}\nand {page} shows\n{shown}"


@pytest.mark.usefixtures("in_a_copy")
@pytest.mark.parametrize("name", ["low-score.md", "models.md"])  # others with such examples have tests of their own
def test_python_examples_give_what_the_page_shows(name):
    page = ROOT / "docs" / name
    blocks = "".join(block for language, block in code_blocks(text_of(page)) if language == "python")
    test = doctest.DocTestParser().get_doctest(blocks, {}, page.name, str(page), 0)
    assert doctest.DocTestRunner().run(test) == (0, len(test.examples))
    assert test.examples


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_commands_with_output_stand_in_console_blocks(page):
    others = [block for language, block in code_blocks(text_of(page)) if language != "console"]
    assert not [block for block in others if re.search(r"^\$ temporacle", block, re.MULTILINE)]


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_options_on_the_page_exist(page):
    lines = [line for _, block in code_blocks(text_of(page)) for line in COMMAND.findall(block)]
    assert not [line for line in lines if unknown_words(line)]


def unknown_words(line):
    """Return the command and the options of a command line that the program does not have."""
    words = shlex.split(re.split(r" {3,}| \| | > ", line)[0], comments=True)[1:]
    if words[0].startswith("-"):
        return set(words) - {"--version", "--help"}
    if words[0] not in COMMANDS:
        return {words[0]}
    options = {word.partition("=")[0] for word in words[1:] if re.match(r"--?[a-z]", word)}
    return options - options_of(words[0]) - {"--help", "-h", "--debug"}


@cache
def options_of(name):
    """Return the options of a command."""
    command = typer.main.get_command(application([name])).commands[name]
    return {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
