"""Names of corpora and systems on a page: no local path, and as short as they stay different."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def short_names(paths: Sequence[str]) -> list[str]:
    """Return the parts of paths in which they differ; the last part if there is only one path.

    >>> short_names(["/data/runs/a/", "/data/runs/b"]), short_names(["x/a/out", "x/b/out"])
    (['a', 'b'], ['a', 'b'])
    >>> short_names(["/c/gold"]), short_names(["a/x/out", "b/x/out", "b/y/out"])
    (['gold'], ['a/x', 'b/x', 'b/y'])
    """
    parts = [[part for part in path.replace("\\", "/").split("/") if part not in ("", ".")] or [path] for path in paths]
    if len(set(map(tuple, parts))) < len(parts):
        return list(paths)  # equal in all their parts: nothing shorter distinguishes them
    if len(parts) == 1:
        return [parts[0][-1]]
    first = 0
    while all(len(each) > first + 1 for each in parts) and len({each[first] for each in parts}) == 1:
        first += 1
    last = 0
    while all(len(each) - last > first + 1 for each in parts) and len({each[-1 - last] for each in parts}) == 1:
        last += 1
    return ["/".join(each[first : len(each) - last]) for each in parts]


def common_root(paths: Sequence[str]) -> str | None:
    """Return the folders that a page leaves out at the beginning of paths: those above the given paths; None without
    paths.

    >>> common_root(["/data/corpus"]), common_root(["runs/a", "runs/b/x"]), common_root(["a.tsv", "/b"])
    ('/data/', 'runs/', '')
    """
    if not paths:
        return None
    try:
        folder = os.path.commonpath(paths if len(paths) > 1 else [Path(paths[0]).parent])
    except ValueError:  # absolute and relative ones
        return ""
    return "" if folder in ("", ".") else f"{folder.rstrip('/')}/"


def shown_path(path: str, root: str | None) -> str:
    """Return a path without its root; if the root is not known, the last folder and the file.

    >>> shown_path("/data/corpus/a.tml", "/data/"), shown_path("/data/corpus/a.tml", None)
    ('corpus/a.tml', 'corpus/a.tml')
    """
    return "/".join(path.split("/")[-2:]) if root is None else path.removeprefix(root)
