"""Writing files so that a crash leaves no half file and no document can choose where it lands."""

from __future__ import annotations

import errno
import os
import re
import stat
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from pathlib import Path
from time import sleep, time_ns
from typing import IO, TYPE_CHECKING

from temporacle.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

_LONGEST = 180  # bytes: file systems allow 255, and suffixes follow
_LONGEST_START = 40  # characters of a name that the name of its temporary file begins with
_ATTEMPTS = 100
ORIGINAL = ".orig"  # what is added to the name of a file for the copy of it before it was edited
_TEMPORARY = re.compile(r"\..*\.[0-9a-f]{16}\.part")
_RESERVED = {"con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(1, 10))}


def safe_name(document: str) -> str:
    r"""Return a file name for a document id: one path component on every system, different for different ids.

    >>> safe_name("wsj_0011"), safe_name("../../etc/passwd"), safe_name("a b&c"), safe_name(""), safe_name("a\n%")
    ('wsj_0011', '%2E.%2F..%2Fetc%2Fpasswd', 'a b&c', '%', 'a%0A%25')
    """
    name = "".join(character if _is_harmless(character) else _encoded(character) for character in document)
    if name.startswith((".", " ", "-")) or name.partition(".")[0].lower() in _RESERVED:
        name = _encoded(name[0]) + name[1:]  # hidden, an option, or a device
    if name.endswith((".", " ")):
        name = name[:-1] + _encoded(name[-1])
    if len(name.encode()) > _LONGEST:
        from hashlib import sha256  # costs start-up time

        digest = sha256(document.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        name = f"{name.encode()[: _LONGEST - 17].decode('utf-8', 'ignore')}~{digest}"
    return name or "%"


def original_name(name: str) -> str:
    """Return the document's name that ``safe_name`` made a file name of; the name itself if that cannot be.

    >>> original_name(safe_name("50% off: a/b")), original_name("50% off"), original_name("a%20b")
    ('50% off: a/b', '50% off', 'a%20b')
    """
    from urllib.parse import unquote_to_bytes

    try:
        decoded = unquote_to_bytes(name).decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return name
    return decoded if safe_name(decoded) == name else name


def _is_harmless(character: str) -> bool:
    return character.isprintable() and character not in '/\\:*?"<>|%~'


def _encoded(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "surrogatepass"))


def is_temporary(name: str) -> bool:
    """Return whether a file has the name of one that is still being written, by this run or another.

    >>> is_temporary(".out.tml.018dedb8fc3bacd1.part"), is_temporary(".hidden.part")
    (True, False)
    """
    return _TEMPORARY.fullmatch(name) is not None


@contextmanager
def atomic(path: str | os.PathLike[str]) -> Iterator[IO[str]]:
    """Provide a text file that gets its final name only when everything has been written.

    Missing folders are made. After an exception nothing is left behind, and a file that was there before is unchanged.
    A link under that name is replaced, not followed.
    """
    with atomic_bytes(path) as file:
        text = TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
        yield text
        text.detach()


@contextmanager
def atomic_bytes(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Provide the same for bytes."""
    # Paths as strings: a report writes thousands of small files, and path objects would take as long as the system.
    target = str(Path(path))
    try:
        try:
            part, descriptor = _new_file_beside(target)
        except FileNotFoundError:
            Path(target).parent.mkdir(parents=True, exist_ok=True)
            part, descriptor = _new_file_beside(target)
    except OSError as error:
        raise _cannot_write(target, error) from error
    try:
        with open(descriptor, "wb") as file:  # noqa: PTH123
            _allow_the_same(descriptor, target)
            yield file
        os.replace(part, target)  # noqa: PTH105
    except BaseException as error:
        with suppress(OSError):
            os.unlink(part)  # noqa: PTH108
        if isinstance(error, OSError):
            raise _cannot_write(target, error) from error
        raise


def _allow_the_same(descriptor: int, target: str) -> None:
    """Give a new file the permissions of the file that it will replace."""
    with suppress(OSError, AttributeError):  # Windows has no fchmod
        before = os.lstat(target).st_mode
        if stat.S_ISREG(before):
            os.fchmod(descriptor, before & 0o777)


def keep_copy(path: str | os.PathLike[str], copy: str | os.PathLike[str]) -> None:
    """Copy a file under a name that is not taken. The copy is complete, or it is not there. Links are not followed."""
    from shutil import copystat  # costs start-up time

    target = str(Path(copy))
    try:
        part, descriptor = _new_file_beside(target)
        try:
            with open(descriptor, "wb") as file:  # noqa: PTH123
                file.write(Path(path).read_bytes())
                file.flush()
                os.fsync(file.fileno())
            copystat(path, part)
            _name_once(part, target)
        finally:
            Path(part).unlink(missing_ok=True)
    except OSError as error:
        raise _cannot_write(target, error) from error


def _name_once(part: str, target: str) -> None:
    """Give a finished file its name, unless something else has it."""
    try:
        os.link(part, target, follow_symlinks=False)
    except FileExistsError:
        raise
    except OSError:  # a file system without links: a name that is taken is noticed, except in the very moment
        if os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, "File exists", target) from None
        Path(part).rename(target)


def _cannot_write(target: str, error: OSError) -> UsageError:
    return UsageError(f"cannot write {Path(target)}: {error.strerror or error}")


def _new_file_beside(target: str) -> tuple[str, int]:
    """Return a new file with a random, unused name, opened without following a link."""
    from secrets import token_hex  # costs start-up time

    folder, name = os.path.split(target)
    start = safe_name(name)[:_LONGEST_START]
    for _ in range(_ATTEMPTS):
        part = os.path.join(folder, f".{start}.{token_hex(8)}.part")  # noqa: PTH118
        with suppress(FileExistsError):
            return part, os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o666)
    raise FileExistsError(errno.EEXIST, "no free name for a temporary file", target)


_CLOCK_TICK = 10_000_000  # nanoseconds: file systems note times as of the last tick of a slow clock


def a_moment() -> int:
    """Return a time such that files changed before this call are older, and files changed after it are not."""
    sleep(2 * _CLOCK_TICK / 1e9)
    return time_ns() - _CLOCK_TICK


def changed_since(path: str, moment: int) -> bool:
    """Return whether a file, or a file in a folder, was changed at or after ``a_moment``, or is gone."""
    files = [path]
    if os.path.isdir(path):  # noqa: PTH112 - names as the caller wrote them
        files += [os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names]  # noqa: PTH118
    try:
        times = [os.stat(file) for file in files]  # noqa: PTH116
    except OSError:
        return True
    return any(max(each.st_mtime_ns, each.st_ctime_ns) >= moment for each in times)
