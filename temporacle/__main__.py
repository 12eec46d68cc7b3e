"""The program: ``temporacle``, or ``python -m temporacle``."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from typing import Any, NoReturn


def program() -> NoReturn:
    """Run the command line of this process. While it is being loaded, a signal ends the process without a traceback."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _end_at_once)
    if sys.argv[1:] in (["--help"], ["-h"]):
        from temporacle.overview import page

        with suppress(OSError, ValueError, AttributeError):  # output that cannot be written is left to the program
            os.write(2, b"")  # a stream of errors that is closed or full is not passed over
            sys.stdout.write(page())
            sys.stdout.flush()
            os._exit(0)
    from temporacle import cli

    cli.program()


def _end_at_once(number: int, _: Any) -> NoReturn:
    os._exit(128 + number)  # nothing was begun that would have to be tidied up


if __name__ == "__main__":
    program()
