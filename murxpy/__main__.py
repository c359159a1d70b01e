"""The program: `murxpy`, and `python -m murxpy`."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType

_INTERRUPTED = 130  # the exit code of a command that Ctrl-C ends


def main() -> None:
    """Run the command line and exit the process.

    Loading the program takes some tenths of a second. Ctrl-C ends the process without a word
    during this time, since nothing was begun that could be told about.
    """
    by_default = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if by_default:
        signal.signal(signal.SIGINT, _leave)
    from murxpy.cli import run

    if by_default:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    raise SystemExit(run(sys.argv[1:]))


def _leave(number: int, frame: FrameType | None) -> None:
    os._exit(_INTERRUPTED)


if __name__ == "__main__":
    main()
