"""What the page of the Python API shows: public names as a caller sees them, examples as code.

The declaration of a task fills in its docstring and its options when the package is loaded, so both are taken from
there.
"""

from __future__ import annotations

import inspect
import re
from typing import Any

import griffe

import temporacle


class Examples(griffe.Extension):
    """Gives tasks their docstring and signature, and puts examples without a heading under one."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change one object before its docstring is parsed."""
        if isinstance(obj, griffe.Function):
            self._as_called(obj)
        if obj.docstring is not None:
            obj.docstring.value = re.sub(
                r"(?m)(?<!Examples:\n)^>>> (?:.+\n?)+", _under_a_heading, obj.docstring.value, count=1
            )

    @staticmethod
    def _as_called(obj: griffe.Function) -> None:
        """Take docstring and options of a task from the package."""
        value = getattr(temporacle, obj.name, None) if obj.name in temporacle.__all__ else None
        if value is None or value.__module__ != obj.module.path:
            return
        if obj.docstring is not None:
            obj.docstring.value = inspect.cleandoc(value.__doc__)
        if hasattr(value, "streams"):
            shown = inspect.signature(value)
            obj.parameters = griffe.Parameters(*(_parameter(each) for each in shown.parameters.values()))
            obj.returns = inspect.formatannotation(shown.return_annotation)


def _parameter(argument: inspect.Parameter) -> griffe.Parameter:
    kind = getattr(griffe.ParameterKind, argument.kind.name.lower())
    default = None if argument.default is inspect.Parameter.empty else repr(argument.default)
    shown = inspect.formatannotation(argument.annotation)
    return griffe.Parameter(argument.name, annotation=shown, kind=kind, default=default)


def _under_a_heading(found: re.Match[str]) -> str:
    lines = found[0].rstrip().splitlines()
    return "\n".join(["Examples:", *(f"    {line}" for line in lines), ""])
