"""Links in a data frame: pandas, polars, Arrow, or a dict of columns. None of these libraries is needed here.

A frame is whatever has named columns. ``source``, ``relation`` and ``target`` are needed, ``document``, ``id`` and
``weight`` are used if they are there, as in CSV and Parquet (``link_rows``). Whole numbers are names, too: event ids
often are. Missing cells (None, NaN) are empty.
"""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import TYPE_CHECKING, Any

from temporacle.errors import UsageError
from temporacle.io.columns import ColumnsError, roles_of
from temporacle.io.source import Options, Source

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from temporacle.model import Document

_NAMES = frozenset({"document", "source", "target", "id"})


def is_frame(value: object) -> bool:
    """Return whether a value has named columns.

    >>> is_frame({"source": ["a"], "relation": ["b"], "target": ["c"]}), is_frame([("a", "b", "c")])
    (True, False)
    """
    return isinstance(value, Mapping) or column_names(value) is not None


def column_names(frame: Any) -> list[str] | None:
    """Return the names of the columns; None if the value is not a frame."""
    if isinstance(frame, Mapping):
        return list(map(str, frame))
    for attribute in ("column_names", "columns"):  # pyarrow has both, and its columns are not names
        names = getattr(frame, attribute, None)
        if names is not None and not callable(names):
            return list(map(str, names))
    return None


def read_frame(frame: object, options: Options, name: str = "frame") -> Iterator[Document]:
    """Yield the documents of a frame, in the order of first mention."""
    from temporacle.io.link_rows import documents_in

    names = column_names(frame) or []
    try:
        roles = roles_of(names, options.named_columns)
    except ColumnsError as error:
        raise UsageError(f"the frame has {error}; rename them, or give columns={{'source': 'event1', ...}}") from None
    used = {role: name for role, name in zip(roles, names, strict=True) if role}
    cells = [[_cell(role, value) for value in _values(frame, name)] for role, name in used.items()]
    rows = (dict(zip(used, row, strict=True)) for row in zip(*cells, strict=True))
    yield from documents_in(Source(name, b"", options, format="frame"), "frame", enumerate(rows, 1))


def frame_rows(frame: object, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """Return the rows of some columns. Missing cells are None, and integers in columns of names become text."""
    cells = [[_cell(column, value) for value in _values(frame, column)] for column in columns]
    return zip(*cells, strict=True)


def _values(frame: Any, column: str) -> list[Any]:
    values = frame[column]
    for method in ("to_list", "tolist", "to_pylist"):  # polars and pandas, numpy, Arrow
        if hasattr(values, method):
            found: list[Any] = getattr(values, method)()
            return found
    return list(values)


def _cell(column: str, value: Any) -> Any:
    if value is None or value != value:  # noqa: PLR0124 - NaN is how frames write a missing cell
        return None
    return str(value) if column in _NAMES and isinstance(value, Integral) else value
