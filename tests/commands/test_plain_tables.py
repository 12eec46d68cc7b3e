"""Tables in files against what Rich prints for the same rows."""

from random import Random

import pytest

from temporacle.commands import terminal

WORDS = ("", "e1", "0.5", "-12", "0.25 [0.10, 0.40]", "[bold]x[/bold]", "two words", "a  b", "x" * 70, ":smile:", "\\n")
ODD = ("été", "日本", " left", "right ", "\t", "a\nb", "x" * 11_000)


def printed_by(monkeypatch, capsys, *, richly, columns, rows):
    monkeypatch.setattr(terminal, "_may_be_terminal", lambda: richly)
    terminal.print_table(columns, rows)
    return capsys.readouterr().out


@pytest.mark.parametrize("words", [WORDS, WORDS[1:4], WORDS + ODD], ids=["plain", "short", "odd"])
@pytest.mark.parametrize("seed", range(25))
def test_a_table_in_a_file_is_as_rich_prints_it(monkeypatch, capsys, seed, words):
    rng = Random(seed)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.delenv("TTY_COMPATIBLE", raising=False)
    columns = [rng.choice(("document", "n", "the verdict", *words)) for _ in range(rng.randint(1, 6))]
    rows = [[rng.choice(words) for _ in columns] for _ in range(rng.randrange(8))]
    quick, rich = (
        printed_by(monkeypatch, capsys, richly=richly, columns=columns, rows=rows) for richly in (False, True)
    )
    assert quick == rich


def test_most_tables_do_not_need_rich():
    assert list(terminal.plain_lines(["document", "n"], [["d1", "7"], ["d22", "10"]], [False, True])) == [
        "document   n",
        "d1         7",
        "d22       10",
    ]


@pytest.mark.parametrize("cell", ODD[:4])
def test_what_only_rich_can_measure_is_left_to_it(cell):
    assert terminal.plain_lines(["document"], [["d1"], [cell]], [False]) is None


@pytest.mark.parametrize(("name", "value"), [("FORCE_COLOR", "1"), ("TTY_COMPATIBLE", "1")])
def test_colours_that_were_asked_for_come_in_files_too(monkeypatch, capsys, name, value):
    monkeypatch.setenv(name, value)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    terminal.print_table(["document"], [["d1"]])
    assert "\x1b[" in capsys.readouterr().out
