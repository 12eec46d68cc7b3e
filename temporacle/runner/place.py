"""Until the score, the audit and the report call ``work`` themselves: the plan of a run under its old name."""

from __future__ import annotations

from typing import Self

from temporacle.runner.plan import Backend, Plan

__all__ = ["Backend", "Place", "Plan"]


class Place:
    """A plan, as a context."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        pass
