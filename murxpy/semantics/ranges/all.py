"""Enters all backward rules."""

import murxpy.semantics.ranges.core
import murxpy.semantics.ranges.numbers  # noqa: F401
