"""The experiments, by name. A new experiment is one file and one line here."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from temporacle.errors import UsageError

if TYPE_CHECKING:
    from temporacle.experiments.outcome import Outcome, Progress, Settings

_HERE = "temporacle.experiments"
EXPERIMENTS = {
    "recall-decay": f"{_HERE}.recall_decay:run",
    "precision-noise": f"{_HERE}.precision_noise:run",
    "minimal-growth": f"{_HERE}.minimal_growth:run",
    "awareness-decay": f"{_HERE}.awareness_decay:run",
    "timegraph-growth": f"{_HERE}.timegraph_growth:run",
    "phase-transition": f"{_HERE}.phase_transition:run",
}


def run_experiment(name: str, settings: Settings, progress: Progress) -> Outcome:
    """Return the outcome of the experiment of that name. Raise UsageError with the known names if there is none."""
    if name not in EXPERIMENTS:
        raise UsageError(f"unknown experiment {name!r}: choose {', '.join(EXPERIMENTS)}")
    module, function = EXPERIMENTS[name].split(":")
    outcome: Outcome = getattr(import_module(module), function)(settings, progress)
    return outcome
