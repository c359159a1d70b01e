"""The program: `murxpy`, and `python -m murxpy`."""

from __future__ import annotations

import gc
import os
import signal
import sys
import time
from types import FrameType


def main() -> None:
    """Run the command line and exit the process.

    Loading the program takes some tenths of a second. A signal ends the process without a word
    during this time, since nothing was begun that could be told about.
    """
    began = time.monotonic()
    gc.disable()  # what is loaded stays; the command is run with the collector on again
    try:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
                signal.signal(number, _leave)
    except KeyboardInterrupt:
        _leave(signal.SIGINT, None)
    from murxpy.cli import run
    from murxpy.processes.interrupts import to_the_end

    code = to_the_end(lambda: run(sys.argv[1:], began))
    gc.freeze()  # the interpreter need not look for garbage while it ends
    raise SystemExit(code)


def _leave(number: int, frame: FrameType | None) -> None:
    os._exit(128 + number)


if __name__ == "__main__":
    main()
