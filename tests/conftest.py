"""Settings of all tests: Hypothesis draws the same examples each time, so that a failure is one of the change at hand."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("same", derandomize=True)
settings.load_profile("same")
