"""Rules of a mapping about types that no file has: a misspelt name must not read nothing without a word."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING

from temporacle.errors import InputError
from temporacle.io.source import STANDARD_INPUT, Source
from temporacle.io.tools.mapping import Mapping
from temporacle.model import Remark
from temporacle.printing import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from temporacle.io.source import Options
    from temporacle.model import Unreadable


def watched(
    sources: Iterator[Source | Unreadable], options: Options, report: Callable[[Remark], None]
) -> Iterator[Source | Unreadable]:
    """Yield the sources unchanged. At the end, report the names that occurred in none of them.

    Files are looked into only until every name has been met: usually that is the first file.
    """
    missing = dict.fromkeys(options.mapping.types if isinstance(options.mapping, Mapping) else ())
    is_any = False
    for source in sources:
        if missing and isinstance(source, Source) and source.path != STANDARD_INPUT:
            is_any = True
            with suppress(InputError, OSError):
                data = source.data if source.carried else Source(source.path, None, options).data
                for name in [name for name in missing if name.encode() in data or _escaped(name) in data]:
                    del missing[name]
        yield source
    if missing and is_any and isinstance(options.mapping, Mapping):
        names = ", ".join(map(shown, missing))
        report(Remark("unused-rule", f"mapping {shown(options.mapping.name)}: no file has anything called {names}"))


def _escaped(name: str) -> bytes:
    """Return a name as it may be written in JSON."""
    return json.dumps(name)[1:-1].encode()
