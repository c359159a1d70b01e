"""Waiting for what another process does, however busy the machine is."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE = 150.0  # seconds; a guard against a test that hangs


def wait_for(condition: Callable[[], object], state: Callable[[], object] = lambda: "") -> None:
    """Return when `condition` holds. If it never does, the error shows what `state` returns."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, state()
        time.sleep(0.02)
