"""The files of a corpus: opened without waiting, and written so that a crash or another program loses nothing.

read_regular(path)                    the bytes of a regular file; pipes and devices are refused, not waited for
read_regular(path, confines=...)      the same for servers: no link leads outside the paths that were given
atomic(path), atomic_bytes(path)      a new file that gets its name when it is complete
replaced(path, data, before=digest)   new content for a file, unless another program has changed it
"""

from __future__ import annotations

import errno
import os
import re
import stat
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path, PurePath
from time import sleep, time_ns
from typing import IO, TYPE_CHECKING, Any

from temporacle.errors import InputError, UsageError, spelled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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


def require_writable(path: str | os.PathLike[str], kind: str = "file") -> None:
    """Raise UsageError if a file (or ``kind``: folder, place) cannot be written there. Nothing is left behind."""
    target = Path(path)
    is_folder = target.is_dir()
    try:
        if is_folder and kind == "file":
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not is_folder and kind == "folder" and target.exists():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        _refuse_device(str(target))
        place = target if is_folder else target.parent
        while not os.path.lexists(place):
            place = place.parent
        part, descriptor = _new_file_beside(str(place / "try"))
        try:
            os.close(descriptor)
        finally:
            Path(part).unlink()
    except OSError as error:
        raise _cannot_write(target, error) from error


def _refuse_device(target: str) -> int:
    """Raise OSError for a device or a pipe, which no file must replace. Return the mode of what is there, or 0."""
    try:
        before = os.lstat(target).st_mode
        after = os.stat(target).st_mode if stat.S_ISLNK(before) else before  # noqa: PTH116
    except FileNotFoundError:
        return 0
    if not (stat.S_ISREG(after) or stat.S_ISDIR(after)):
        raise OSError(errno.EINVAL, "it is a device or a pipe; give the name of a file")
    return before


def _allow_the_same(descriptor: int, target: str) -> None:
    """Give a new file the permissions of the file that it will replace."""
    before = _refuse_device(target)
    with suppress(OSError, AttributeError):  # Windows has no fchmod
        if stat.S_ISREG(before):
            os.fchmod(descriptor, before & 0o777)


def keep_copy(path: str | os.PathLike[str], copy: str | os.PathLike[str], confines: Confines | None = None) -> None:
    """Copy a file under a name that is not taken. The copy is complete, or it is not there. Links are not followed."""
    from shutil import copystat  # costs start-up time

    data = read_regular(path, confines=confines)
    target = str(Path(copy))
    try:
        part, descriptor = _new_file_beside(target)
        try:
            with open(descriptor, "wb") as file:  # noqa: PTH123
                file.write(data)
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


def _cannot_write(target: str | os.PathLike[str], error: OSError) -> UsageError:
    return UsageError(f"cannot write {Path(target)}: {error.strerror or error}")


def _new_file_beside(target: str, within: int | None = None) -> tuple[str, int]:
    """Return a new file with a random, unused name, opened without following a link.

    ``within``: the descriptor of the folder that the name is in.
    """
    from secrets import token_hex  # costs start-up time

    folder, name = os.path.split(target)
    start = safe_name(name)[:_LONGEST_START]
    for _ in range(_ATTEMPTS):
        part = os.path.join(folder, f".{start}.{token_hex(8)}.part")  # noqa: PTH118
        with suppress(FileExistsError):
            return part, os.open(part, _TO_MAKE, 0o666, dir_fd=within)
    raise FileExistsError(errno.EEXIST, "no free name for a temporary file", target)


# ----------------------------------------------------------------------------------------------------
# Opening files of a corpus. What is asked of a file is asked of the opened file, so that it cannot be exchanged for
# another one in between. A pipe and a device are opened without waiting, and refused.

_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_TO_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
_TO_ENTER = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_TO_MAKE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK | getattr(os, "O_BINARY", 0)
LARGEST = 2 << 30  # bytes of a file that is taken into memory as a whole, unless the caller says otherwise


@dataclass(frozen=True, slots=True)
class Confines:
    """The files and folders that a server was given, all links followed. It opens nothing else."""

    roots: tuple[str, ...]
    follow_links: bool = False  # links may lead outside: corpora of git-annex and DVC consist of such links

    def holds(self, path: str | os.PathLike[str]) -> bool:
        """Return whether a path leads to one of the roots or into one, all links followed."""
        return self.follow_links or self._root(os.path.realpath(path)) is not None

    def _root(self, place: str) -> str | None:
        return next((root for root in self.roots if PurePath(place).is_relative_to(root)), None)

    def require(self, path: str | os.PathLike[str]) -> str:
        """Return where a path leads. Raise InputError if that is outside."""
        place = os.path.realpath(path)
        if not self.follow_links and self._root(place) is None:
            raise InputError(
                "is a link that leads outside the corpus; it is not read",
                path=os.fspath(path),
                cure="copy the file into the corpus, give the folder that it leads to as another PATH,"
                f" or allow such links with {spelled('follow_links', True)}",
            )
        return place

    def open(self, place: str, flags: int) -> int:
        """Open a place without following a link on the way from its root: one may have been put there just now."""
        root = None if self.follow_links else self._root(place)
        parts = PurePath(place).relative_to(root).parts if root is not None else ()
        if root is None or not parts or os.open not in os.supports_dir_fd:
            return os.open(place, flags | _NO_LINK)
        folder = os.open(root, _TO_ENTER | _NO_LINK)
        try:
            for part in parts[:-1]:
                inner = os.open(part, _TO_ENTER | _NO_LINK, dir_fd=folder)
                os.close(folder)
                folder = inner
            return os.open(parts[-1], flags | _NO_LINK, dir_fd=folder)
        finally:
            os.close(folder)


def open_regular(path: str | os.PathLike[str], confines: Confines | None = None) -> int:
    """Open a file and return its descriptor. Raise InputError if it is not a regular file, or outside."""
    try:
        descriptor = os.open(path, _TO_READ) if confines is None else confines.open(confines.require(path), _TO_READ)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"cannot be opened: {reason}", path=os.fspath(path)) from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise InputError("is not a regular file", path=os.fspath(path))
    return descriptor


def read_regular(path: str | os.PathLike[str], *, confines: Confines | None = None, largest: int = LARGEST) -> bytes:
    """Return the bytes of a regular file. Raise InputError if it cannot be read, is too large or is outside."""
    with os.fdopen(open_regular(path, confines), "rb") as file:
        if os.fstat(file.fileno()).st_size > largest:
            reason, cure = (
                f"is larger than {largest} bytes",
                f"if this is intended, raise the limit: {spelled('read_limit', f'file={2 * largest}')}",
            )
            raise InputError(reason, path=os.fspath(path), cure=cure)
        try:
            return file.read()
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror or error}", path=os.fspath(path)) from error


def digest_of(data: bytes) -> str:
    """Return the digest of a file by its bytes."""
    from hashlib import sha256  # costs start-up time

    return sha256(data).hexdigest()


# ----------------------------------------------------------------------------------------------------
# New content for a file of a corpus. Another program may write the file at any moment, also between the last look at it
# and the moment at which the new file takes its name. So the two files are exchanged, in one step of the system, and
# what came out is looked at: if it is not what was expected, it is put back.

_EXCHANGE = 2  # RENAME_EXCHANGE of Linux


def replaced(path: str, data: bytes, *, before: str, confines: Confines | None = None) -> bool:
    """Replace the content of a file, if it still has the digest ``before``; return whether that was done.

    Whatever happens, the file is the old one or the new one. When this returns, the new one is on the disk. A link to
    the file stays a link. Raise UsageError if it cannot be written.
    """
    place = os.path.realpath(path) if confines is None else confines.require(path)
    try:
        with _folder_of(place, confines) as (folder, name):
            return _replaced(name, folder, data, before)
    except OSError as error:
        raise _cannot_write(path, error) from error


@contextmanager
def _folder_of(place: str, confines: Confines | None) -> Iterator[tuple[int | None, str]]:
    """Provide the folder of a file, and the file's name in it; other systems have no descriptors of folders."""
    if os.open not in os.supports_dir_fd:
        yield None, place
        return
    folder, name = os.path.split(place)
    is_root = confines is not None and place in confines.roots
    descriptor = (Confines((folder,)) if confines is None or is_root else confines).open(folder, _TO_ENTER)
    try:
        yield descriptor, name
    finally:
        os.close(descriptor)


def _replaced(name: str, folder: int | None, data: bytes, before: str) -> bool:
    part, descriptor = _new_file_beside(name, folder)
    is_spare = True  # nothing is lost if the file is removed
    try:
        with open(descriptor, "wb") as file:  # noqa: PTH123
            with suppress(OSError, AttributeError):
                os.fchmod(descriptor, os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode & 0o777)
            file.write(data)
            file.flush()
            os.fsync(descriptor)
        if _digest_at(name, folder) != before:
            return False
        is_spare = False
        if not _exchanged(part, name, folder):  # this system cannot do that: the look just now has to do
            is_spare = True
            os.replace(part, name, src_dir_fd=folder, dst_dir_fd=folder)
        elif _digest_at(part, folder) != before:
            _exchanged(part, name, folder)
            if _digest_at(part, folder) != digest_of(data):  # written by another program in this very moment
                _exchanged(part, name, folder)
            is_spare = True
            return False
        is_spare = True
    finally:
        if is_spare:
            with suppress(OSError):
                os.unlink(part, dir_fd=folder)
    if folder is not None:
        _flush_folder(folder)
    return True


def _digest_at(name: str, folder: int | None) -> str | None:
    """Return the digest of a file in a folder; None if there is no regular file."""
    try:
        descriptor = os.open(name, _TO_READ | _NO_LINK, dir_fd=folder)
    except OSError:
        return None
    with open(descriptor, "rb") as file:  # noqa: PTH123
        is_regular = stat.S_ISREG(os.fstat(descriptor).st_mode)
        return digest_of(file.read()) if is_regular else None


def _exchanged(one: str, other: str, folder: int | None) -> bool:
    """Exchange the names of two files in a folder; return whether this system can do that."""
    exchange = _exchange()
    if exchange is None or folder is None:
        return False
    return bool(exchange(folder, os.fsencode(one), folder, os.fsencode(other), _EXCHANGE) == 0)


def _exchange() -> Callable[..., Any] | None:
    """Return ``renameat2`` of the C library of Linux; None elsewhere."""
    try:
        from ctypes import CDLL, c_char_p, c_int, c_uint

        found = CDLL(None).renameat2
        found.argtypes = c_int, c_char_p, c_int, c_char_p, c_uint
    except (ImportError, OSError, AttributeError, TypeError):
        return None
    return found


def _flush_folder(folder: int) -> None:
    """Put the names in a folder on the disk. The files are complete in any case, so a failure loses nothing."""
    with suppress(OSError):
        descriptor = os.open(".", os.O_RDONLY, dir_fd=folder)  # what was only entered cannot be flushed
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


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
