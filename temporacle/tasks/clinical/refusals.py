"""When inputs and options of a clinical program have no exact score: a number would mislead."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from temporacle.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from temporacle.scoring.official.i2b2.program import NotePair

# What the exact score depends on: other values change the output of the original program only.
_EXACT: dict[str, dict[str, tuple[object, ...]]] = {
    "i2b2": {"mode": ("tempeval",), "tags": ("all", "tlink"), "blocks": ("shown",)},
    "anafora": {"include": ((),), "exclude": ((),), "overlap": (False,)},
}
_NOTE_TAGS = (b"<TAGS", b"<EVENT", b"<TIMEX3", b"<TLINK")


def refuse_program_options(metric: str, choices: Any) -> None:
    """Refuse options that would not change the exact score."""
    known = _EXACT.get(metric, {})
    if given := [f"--{name}" for name, values in known.items() if getattr(choices, name) not in values]:
        raise UsageError(
            f"the exact score of {metric} does not use {', '.join(given)}: leave it out, or add --official"
            " to score as the original program does"
        )


def refuse_other_notes(pairs: Iterable[NotePair], gold: str) -> None:
    """Refuse files that are not notes of i2b2."""
    if not any(tag in pair.gold for pair in pairs for tag in _NOTE_TAGS):
        raise UsageError(
            f"{gold}: no file has tags of i2b2 2012 (TAGS, EVENT, TIMEX3, TLINK); give files of that task,"
            " or choose a metric for links such as awareness"
        )


def refuse_unanswered(gold: str, system: str, answered: Collection[bool]) -> None:
    """Refuse folders in which anaforatools finds no document, or no answer to any document."""
    layout = "each document is a folder NAME with a file NAME*.xml, in GOLD and in SYSTEM"
    if not answered:
        raise UsageError(f"{gold}: no document in the layout of Anafora was found: {layout}")
    if not any(answered):
        raise UsageError(f"{system}: no document of {gold} has an answer here: {layout}")


def refuse_other_patients(gold: Collection[str], system: Collection[str]) -> None:
    """Refuse timelines of different patients."""
    if gold and system and not set(gold) & set(system):
        raise UsageError(
            f"gold and system have no patient in common. Gold: {', '.join(sorted(gold)[:4])}."
            f" System: {', '.join(sorted(system)[:4])}. Write the same ids on both sides"
        )
