"""The text of a file with a way back to its bytes, so that a change touches the bytes of what changes and no others.

Editors look for places in the decoded text and say what to replace there (``Splice``). The new file is put together
from the bytes of the old one: a byte order mark, line ends and the encoding stay as they are.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from temporacle.errors import InternalError, UsageError
from temporacle.io.signs import looks_like_xml
from temporacle.printing import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from temporacle.io.source import Source

# The longer marks come first: that of UTF-32 begins with that of UTF-16.
_MARKS = {
    b"\xef\xbb\xbf": None,
    b"\xff\xfe\0\0": "utf-32-le",
    b"\0\0\xfe\xff": "utf-32-be",
    b"\xff\xfe": "utf-16-le",
    b"\xfe\xff": "utf-16-be",
}
_WITHOUT_MARK = {b"<\0": "utf-16-le", b"\0<": "utf-16-be"}  # how XML in UTF-16 begins
_DECLARED = re.compile(rb"""\s*<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z0-9._:-]+)["']""")


class Splice(NamedTuple):
    """Replace ``text[start:end]`` by ``new``."""

    start: int
    end: int
    new: str = ""


class EditableText:
    """The text of a source, and its bytes with other text in some places."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._mark, self.encoding = _encoding(source)
        self._is_xml = looks_like_xml(source.data)
        # Lines that could not be read may hold bytes that are not text. They stay as they are.
        self._errors = "strict" if self.encoding.lower().startswith(("utf-16", "utf-32")) else "surrogateescape"
        try:
            self.text = source.data[len(self._mark) :].decode(self.encoding, self._errors)
        except UnicodeError as error:
            raise source.error(f"cannot be changed: it is not text in {self.encoding}: {error}") from None

    def spliced(self, splices: Iterable[Splice]) -> bytes:
        """Return the bytes of the file after all replacements. A replacement inside a larger removal has no effect."""
        before, after = [self._mark], [self._mark]
        position = 0
        for splice in _in_order(splices):
            kept = self._original(position, splice.start)
            before += (kept, self._original(splice.start, splice.end))
            after += (kept, self._encoded(splice.new))
            position = splice.end
        rest = self._original(position, len(self.text))
        if b"".join((*before, rest)) != self._source.data:  # an encoding with several spellings of one text
            raise self._source.error(
                f"cannot be changed in place: its bytes are not the only way to write it in {self.encoding}",
                cure="save it as UTF-8 first",
            )
        return b"".join((*after, rest))

    def _original(self, start: int, end: int) -> bytes:
        return self.text[start:end].encode(self.encoding, self._errors)

    def _encoded(self, new: str) -> bytes:
        try:
            return new.encode(self.encoding, "xmlcharrefreplace" if self._is_xml else "strict")
        except UnicodeEncodeError as error:
            character = shown(new[error.start])
            raise UsageError(f"{self._source.path}: {character} cannot be written in {self.encoding}") from None


def _encoding(source: Source) -> tuple[bytes, str]:
    """Return the byte order mark, if there is one, and the encoding in which the file was read."""
    data, chosen = source.data, source.options.encoding
    for mark, name in _MARKS.items():
        if data.startswith(mark):
            return mark, name or chosen or "utf-8"
    if chosen is not None:
        return b"", chosen
    if (wide := _WITHOUT_MARK.get(data[:2])) is not None:
        return b"", wide
    declared = _DECLARED.match(data)
    return b"", declared[1].decode() if declared else "utf-8"


def _in_order(splices: Iterable[Splice]) -> Iterator[Splice]:
    """Yield the splices in order, without those inside a removal. Raise an error if two overlap in another way."""
    end = 0
    for splice in sorted(splices, key=lambda each: (each.start, each.end > each.start, -each.end)):  # insertions first
        if splice.start >= end:
            yield splice
            end = splice.end
        elif splice.end > end:
            raise InternalError(f"two changes overlap at {splice.start}: nothing was written")
