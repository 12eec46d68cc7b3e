"""Text for people: escapes, shortened names, and the form of remarks."""

import signal

import pytest

from temporacle.errors import InputError
from temporacle.model import Action, Document, Remark, Unreadable
from temporacle.printing import escaped, harmless, printable, restored, shortened, shown, spreadsheet_cell
from temporacle.rules import RuleKind, Trouble, trouble_with
from temporacle.signals import held_back


def test_only_control_characters_are_escaped():
    assert escaped("é\n\u202eb") == "é\\n\\u202eb"
    assert escaped("plain é") == "plain é"


def test_names_of_up_to_80_characters_are_shown_whole():
    assert shown(None) == "None"
    assert shown("x" * 80) == repr("x" * 80)
    assert shown("x" * 81) == f"{'x' * 80!r}... (81 characters)"


def test_lines_of_up_to_4000_characters_are_shown_whole():
    assert printable("x" * 4000) == "x" * 4000
    assert printable("x" * 4001) == f"{'x' * 2000} [1 characters left out] {'x' * 2000}"
    assert shortened("abcde", 4) == "ab [1 characters left out] de"
    assert shortened("abcd", 4) == "abcd"


@pytest.mark.parametrize("cell", ["=1+1", "+1", "-1", "@x", "\tx", "\rx", "\nx", "'=1", "''+1"])
def test_formulas_get_an_apostrophe_that_can_be_taken_away(cell):
    assert harmless(cell) == "'" + cell
    assert restored(harmless(cell)) == cell


@pytest.mark.parametrize("cell", ["", "e1", "=", "=|si", "=|si|d", "'tis", "a=b", "b|m"])
def test_other_cells_stay(cell):
    assert harmless(cell) == restored(cell) == cell


def test_a_cell_for_spreadsheets_has_neither():
    assert spreadsheet_cell("=a\x1b") == "'=a\\x1b"


# --- remarks ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("remark", "kind"),
    [
        (Remark("unreadable", "x"), RuleKind.ERROR),
        (Remark("undecided", "x"), RuleKind.ERROR),
        (Remark("unknown-label", "x", action=Action.DROPPED), RuleKind.SKIPPED),
        (Remark("unknown-label", "x"), RuleKind.WARNING),  # nothing was dropped
        (Remark("no-such-rule", "x"), RuleKind.WARNING),
        (Remark("self-link", "x"), RuleKind.WARNING),
        (Remark("skipped-junk", "x"), RuleKind.NOTE),
    ],
    ids=lambda value: value.code if isinstance(value, Remark) else "",
)
def test_the_kind_of_a_remark(remark, kind):
    assert Trouble("d.tsv", remark).kind is kind


@pytest.mark.parametrize(
    ("path", "remark", "line"),
    [
        (None, Remark("odd", "why"), "warning[odd]: why"),
        (None, Remark("odd", ":2: why"), "warning[odd]: :2: why"),
        (None, Remark("odd", "why", 3), "warning[odd]: why"),
        (None, Remark("odd", "why", 3, "d1"), "d1:3: warning[odd]: why"),
        ("x", Remark("unreadable", "x:2:7: why"), "x:2:7: error[unreadable]: why"),
        ("x", Remark("unreadable", "xy: why"), "x: error[unreadable]: xy: why"),
        ("x.y", Remark("unreadable", "xzy: why"), "x.y: error[unreadable]: xzy: why"),
    ],
)
def test_the_line_of_a_remark(path, remark, line):
    assert str(Trouble(path, remark)) == line


def test_remarks_as_json():
    remark = Remark("odd", "why", 3, "l1")
    assert Trouble("x", remark).to_dict() == {**remark.to_dict(), "path": "x"}


def test_trouble_with_what_was_read():
    error = InputError("cut off", path="d.tsv")
    (trouble,) = trouble_with(Unreadable("d", "d.tsv", error))
    assert (trouble.path, trouble.remark) == ("d.tsv", Remark("unreadable", str(error), element="d"))
    dropped = Remark("unknown-label", "x", action=Action.DROPPED)
    document = Document("d", (), path="d.tsv", remarks=(Remark("self-link", "y"), dropped))
    assert trouble_with(document) == (Trouble("d.tsv", dropped),)


# --- signals ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def heard():
    """The signals that arrived."""
    found = []
    before = signal.signal(signal.SIGUSR1, lambda number, _frame: found.append(number))
    yield found
    signal.signal(signal.SIGUSR1, before)


def test_a_signal_that_is_held_back_comes_later(heard):
    with held_back(signal.SIGUSR1):
        signal.raise_signal(signal.SIGUSR1)  # for this thread: the tests may have others
        assert signal.SIGUSR1 in signal.pthread_sigmask(signal.SIG_BLOCK, ())
        assert heard == []
    assert signal.SIGUSR1 not in signal.pthread_sigmask(signal.SIG_BLOCK, ())
    assert heard == [signal.SIGUSR1]


def test_a_signal_comes_later_even_after_an_error(heard):
    with pytest.raises(ZeroDivisionError), held_back(signal.SIGUSR1):
        raise ZeroDivisionError
    assert signal.SIGUSR1 not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def test_systems_without_masks_hold_nothing_back(heard, monkeypatch):
    monkeypatch.delattr(signal, "pthread_sigmask")
    with held_back(signal.SIGUSR1):
        signal.raise_signal(signal.SIGUSR1)  # for this thread: the tests may have others
        assert heard == [signal.SIGUSR1]
