"""The Python interpreter of a session."""

from __future__ import annotations

import gc
import sys


def settle_interpreter() -> None:
    """Set up the Python interpreter of a session before the first run."""
    # integers in models may have more digits than Python converts by default
    sys.set_int_max_str_digits(0)
    gc.collect()
    gc.freeze()  # a `gc` line need not look at what is loaded now
    # the run alone may decide when objects die, not what was allocated before it
    gc.disable()
