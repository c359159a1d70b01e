"""What has the runs of a campaign looked at by other solvers: the cross-check, the comparison with a newer
release, or an older release that is asked about unknown answers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from murxpy.judging.comparing.baseline import Baseline
from murxpy.judging.comparing.comparison import Comparison
from murxpy.judging.cross_check import CrossCheck, Hooks
from murxpy.processes.service import Replays
from murxpy.records.config import CampaignConfig

SecondLook = CrossCheck | Comparison | Baseline


def second_look(
    config: CampaignConfig,
    replays: Replays,
    versions: Sequence[str],
    jobs: int,
    hooks: Hooks,
    lowest: Callable[[], int],
) -> SecondLook:
    """The second look that `config` asks for. `versions` are those of all plans in the pool of
    `replays`, `jobs` is the number of workers, and `lowest` gives the smallest index of a run that is
    not done.
    """
    if config.compare:
        return Comparison(replays, versions, jobs, hooks, lowest)
    first = len(config.targets)
    judges = range(first, first + len(config.judges))
    cross = CrossCheck(replays, judges, versions, jobs, hooks) if judges else None
    if config.baseline is not None:
        return Baseline(replays, judges.stop, versions, hooks, cross)
    assert cross is not None, "a second look needs another solver"
    return cross
