"""Which command a command line loads, and what reaches it."""

import pytest

from temporacle import cli

# --- which command is loaded ------------------------------------------------------------------------------------------


def loaded(arguments):
    """Names of the commands whose own function is there, not a placeholder."""
    app = cli.application(arguments)
    return {each.name for each in app.registered_commands if each.callback is cli.command(each.name)}


def test_only_the_named_command_is_loaded(monkeypatch):
    monkeypatch.delenv("_TEMPORACLE_COMPLETE", raising=False)
    monkeypatch.setenv("COMP_WORDS", "temporacle check")
    assert loaded(["--help"]) == set()
    assert loaded(["--debug", "entails", "check"]) == {"entails"}
    assert {each.name for each in cli.application([]).registered_commands} == set(cli.COMMANDS)


def test_the_others_are_left_out_if_the_command_comes_first(monkeypatch):
    monkeypatch.delenv("_TEMPORACLE_COMPLETE", raising=False)

    def known(*arguments):
        return {each.name for each in cli.application(arguments).registered_commands}

    assert known("entails", "check") == {"entails"}
    assert known("--help", "check") == known("chek") == known("--version") == set(cli.COMMANDS)


@pytest.mark.parametrize("variable", ["COMP_WORDS", "_TYPER_COMPLETE_ARGS"])
def test_the_command_that_a_shell_completes_is_loaded(monkeypatch, variable):
    monkeypatch.setenv("_TEMPORACLE_COMPLETE", "complete_bash")
    monkeypatch.delenv("COMP_WORDS", raising=False)
    monkeypatch.setenv(variable, "temporacle reduce --out")
    assert loaded([]) == {"reduce"}


def test_an_empty_line_to_complete_loads_nothing(monkeypatch):
    monkeypatch.setenv("_TEMPORACLE_COMPLETE", "complete_bash")
    monkeypatch.delenv("COMP_WORDS", raising=False)
    monkeypatch.delenv("_TYPER_COMPLETE_ARGS", raising=False)
    assert loaded([]) == set()


def test_placeholders_say_what_their_commands_do(capsys):
    assert cli.run(["--help"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert all(" ".join(line.split()[:6]) in said for line in cli.COMMANDS.values())


def test_no_arguments_show_the_help_in_both_spellings(capsys):
    cli.run([])
    shown = capsys.readouterr()
    assert cli.run(["-h"]) == 0
    assert capsys.readouterr().out.strip() == (shown.out + shown.err).strip()
    assert "Usage: temporacle" in shown.out + shown.err


# --- what reaches a command -------------------------------------------------------------------------------------------


@pytest.fixture
def called(monkeypatch):
    """The arguments that commands get; they print nothing and return nothing."""
    found = []

    def application(arguments):
        def program(args, prog_name, standalone_mode):
            assert (list(args), prog_name, standalone_mode) == (list(arguments), "temporacle", False)
            found.append(list(args))

        return program

    monkeypatch.setattr(cli, "application", application)
    return found


def test_debug_and_policies_are_taken_from_anywhere_on_the_line(called):
    assert cli.run(["check", "--debug", "d.tsv"]) == 0
    assert cli.run(["check", "--calendar", "d.tsv"]) == 0
    assert cli.run(["check", "--calendar", "exact", "d.tsv"]) == 0
    assert called == [
        ["check", "d.tsv"],
        ["check", "--calendar=within", "d.tsv"],
        ["check", "--calendar=exact", "d.tsv"],
    ]


def test_help_is_plain_text_with_plain_names_of_values(capsys):
    assert cli.run(["crosscheck", "--help"]) == 0
    said = capsys.readouterr().out
    assert "--cases N" in " ".join(said.split())
    assert "INTEGER" not in said
    assert "╭" not in said
