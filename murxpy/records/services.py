"""Services of a campaign that work at the same time as its runs: judging, confirming, reducing and so
on.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from murxpy.records.snapshot import Left


class Service:
    """Something that a campaign does beside everything else. The loop of the campaign calls each of
    its services in turn, and none of them waits. A service reports its results by the functions that
    it was given. A new service is a class with some of these methods, and an entry in the list of the
    campaign.
    """

    def feed(self) -> None:
        """Begin what can begin now."""

    def poll(self) -> None:
        """Take the results that arrived."""

    def look(self) -> None:
        """Look at what changed since the store was written last."""

    @property
    def busy(self) -> bool:
        """Whether something is under way that the campaign has to wait for, although it has no more runs."""
        return False

    @property
    def left(self) -> Left:
        """The work that the service still has to do for findings."""
        return Left()

    def cpu(self) -> Mapping[str, float]:
        """The seconds of all processors that it took until now, by parts."""
        return {}

    def state(self) -> Mapping[str, Any]:
        """The state of the service as plain data, which the store keeps so that a campaign can
        continue after a kill.
        """
        return {}

    def end_runs(self, *, at_once: bool) -> None:
        """Note that there are no more runs. With `at_once`, the user waits only for the first finding."""

    def settle(self) -> None:
        """Note that there is no more time, so that it is known what is left."""

    def close(self) -> None:
        """End everything that is under way. The service may be closed more than once."""
