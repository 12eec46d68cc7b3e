"""What the page of the Python API shows: public names as a caller sees them, fields of classes, examples as code.

The declaration of a task fills in its docstring and its options when the package is loaded, so both are taken from
there. What a field of a class means is taken from the comment behind it, what a property means
from its docstring.
"""

from __future__ import annotations

import inspect
import linecache
import re
from typing import TYPE_CHECKING, Any

import griffe

import temporacle

if TYPE_CHECKING:
    from collections.abc import Iterator


class Examples(griffe.Extension):
    """Gives tasks their docstring and signature, classes their fields, and examples without a heading one."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change one object before its docstring is parsed."""
        if isinstance(obj, griffe.Function):
            self._as_called(obj)
        if obj.docstring is not None:
            obj.docstring.value = re.sub(
                r"(?m)(?<!Examples:\n)^>>> (?:.+\n?)+", _under_a_heading, obj.docstring.value, count=1
            )

    def on_class_members(self, *, cls: griffe.Class, **_: Any) -> None:
        """List the fields and short properties of a class in its docstring."""
        rows = [f"    {name} ({kind}): {said[0].upper()}{said[1:]}" for name, kind, said in fields_of(cls)]
        if cls.docstring is not None and rows:
            cls.docstring.value = "\n".join([cls.docstring.value, "", "Attributes:", *rows])

    @staticmethod
    def _as_called(obj: griffe.Function) -> None:
        """Take docstring and options of a task, and what a public class is made from, from the package."""
        name = obj.name if obj.name != "__init__" or obj.parent is None else obj.parent.name
        value = getattr(temporacle, name, None) if name in temporacle.__all__ else None
        if value is None or value.__module__ != obj.module.path:
            return
        if obj.docstring is not None:
            obj.docstring.value = inspect.cleandoc(value.__doc__)
        if hasattr(value, "streams") or "keywords" in {str(each.value) for each in obj.decorators}:
            shown = inspect.signature(value)
            obj.parameters = griffe.Parameters(*(_parameter(each) for each in shown.parameters.values()))
        if hasattr(value, "streams"):
            obj.returns = inspect.formatannotation(shown.return_annotation)


def fields_of(cls: griffe.Class) -> Iterator[tuple[str, str, str]]:
    """Yield name, type and meaning of public fields: the comment behind each, or a dash.

    Properties that say what they return in one line are fields as well, and have no heading of their own then.
    """
    for name, field in [*cls.attributes.items()]:
        if name.startswith("_") or field.lineno is None or field.endlineno is None:
            continue
        lines = [linecache.getline(str(cls.filepath), line) for line in range(field.lineno, field.endlineno + 1)]
        kind = str(field.annotation or "")
        if "property" in field.labels:
            said = field.docstring.value if field.docstring is not None else ""
            if "\n" in said or not said.startswith("Return "):
                continue
            del cls.members[name]
            yield name, kind, said.removeprefix("Return ")
        elif "ClassVar" not in lines[0] and field.docstring is None:
            said = "".join(line.strip().partition("  # ")[2].partition("noqa")[0] for line in lines)
            yield name, kind, f"{said}{'' if said.endswith('.') else '.'}" if said else "-"


def _parameter(argument: inspect.Parameter) -> griffe.Parameter:
    kind = getattr(griffe.ParameterKind, argument.kind.name.lower())
    default = None if argument.default is inspect.Parameter.empty else repr(argument.default)
    shown = inspect.formatannotation(argument.annotation)
    return griffe.Parameter(argument.name, annotation=shown, kind=kind, default=default)


def _under_a_heading(found: re.Match[str]) -> str:
    lines = found[0].rstrip().splitlines()
    return "\n".join(["Examples:", *(f"    {line}" for line in lines), ""])
