"""The server: a socket on this machine only, and an event loop that ends without a trace."""

from __future__ import annotations

import secrets
import socket
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from temporacle.errors import UsageError
from temporacle.signals import handled

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Iterator

    from temporacle.workbench.bench import Workbench

INSTALL = "the workbench needs other packages: pip install 'temporacle[workbench]'"
HOST = "127.0.0.1"
_BACKLOG = 2048  # connections that may wait
_LAST_SECONDS = 2  # for requests that are under way when the server ends


def require_packages() -> None:
    """Raise UsageError if the packages of the server are not installed."""
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise UsageError(INSTALL) from error


def bound(port: int) -> socket.socket:
    """Return a socket at a port of this machine, 0 for any. Raise UsageError if the port is in use."""
    place = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        place.bind((HOST, port))
        place.listen(_BACKLOG)
    except (OSError, OverflowError) as error:
        place.close()
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"cannot use port {port}: {reason}; choose another --port, or 0 for any free one") from error
    return place


def serve(bench: Workbench, place: socket.socket, opened: Callable[[str], None]) -> None:
    """Answer requests until SIGINT or SIGTERM. ``opened`` gets the address when the server is ready."""
    import uvicorn

    from temporacle.workbench.http import LONGEST_WAIT, Guard
    from temporacle.workbench.routes import application

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            opened(f"http://{HOST}:{port}/?token={token}")

        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            """Take signals as the end of the work. Other than usual they do not end the program afterwards."""
            with handled(self._end):
                yield

        def _end(self, number: int, frame: Any) -> None:
            bench.closing = True
            self.handle_exit(number, frame)

    _allow_many_connections()
    port: int = place.getsockname()[1]
    token = secrets.token_urlsafe(32)
    config = uvicorn.Config(
        Guard(application(bench, token), token, port),
        http=_protocol(LONGEST_WAIT),
        ws="none",
        loop="asyncio",
        lifespan="off",
        log_config=None,
        access_log=False,
        log_level="critical",
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=_LAST_SECONDS,
    )
    Server(config).run(sockets=[place])


def _protocol(seconds: float) -> type[asyncio.Protocol]:
    """Return the protocol of a connection. It is closed if the headers of a request take longer than some seconds."""
    import h11
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class Impatient(H11Protocol):
        _limit: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._watch()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._watch()

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            self._watch(is_over=True)

        def _watch(self, *, is_over: bool = False) -> None:
            is_begun = self.conn.their_state is h11.IDLE and not is_over  # the headers are not complete
            if is_begun and self._limit is None:
                self._limit = self.loop.call_later(seconds, self.transport.close)
            elif not is_begun and self._limit is not None:
                self._limit.cancel()
                self._limit = None

    return Impatient


def _allow_many_connections() -> None:
    """Raise the number of files that may be open, as far as the system lets a user do that."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
