"""What the library of a solver prints, for the helpers of wrappers whose binding gives it no other way. The
file imports only the standard library.
"""

from __future__ import annotations

import ctypes
import os


class Printed:
    """Takes what native code prints to the standard output of the process inside of a `with`."""

    text = ""

    def __enter__(self) -> Printed:
        _flush()
        self._kept = os.dup(1)
        self._file = os.memfd_create("printed")
        os.dup2(self._file, 1)
        return self

    def __exit__(self, *ignored: object) -> None:
        _flush()
        os.dup2(self._kept, 1)
        os.close(self._kept)
        with open(self._file, "rb") as file:
            file.seek(0)
            self.text = file.read().decode("utf-8", "replace")


def _flush() -> None:
    ctypes.CDLL(None).fflush(None)
