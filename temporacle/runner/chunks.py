"""Until the report calls ``work`` itself: the answer to a question about one document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, NamedTuple, TypeAlias, TypeVar

from temporacle.runner.documents import documents_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from temporacle.model import Document, Unreadable

__all__ = ["Answer", "Question", "Result", "documents_of"]

Result = TypeVar("Result")
Question: TypeAlias = "Callable[[Document | Unreadable], Result]"


class Answer(NamedTuple, Generic[Result]):
    """What the function said about one document."""

    document: str
    path: str | None
    result: Result
    first_line: int = 1  # of the source in its file
    position: int = 0  # in the source
    is_last: bool = True  # of the source
    readable: bool = True
    twin: str | None = None  # another file with a document of this name
