"""The program of a finding for a command: its forms are tried on a solver, as a campaign tries them,
and the first that shows the finding is given.
"""

from __future__ import annotations

import tempfile
from contextlib import closing
from pathlib import Path

from murxpy.campaign.reduction.reproducers import write_programs
from murxpy.campaign.reduction.script_sights import Shown
from murxpy.campaign.workers.limits import Limits
from murxpy.campaign.workers.pool import Pool
from murxpy.campaign.workers.targets import Plan, version_of
from murxpy.oracles.crash import INVALID_MODEL
from murxpy.oracles.disagreement import KIND as DISAGREEMENT
from murxpy.oracles.regression import KINDS as REGRESSIONS
from murxpy.oracles.regression import OF_ANSWERS


def to_show(kind: str, key: str, message: str) -> Shown:
    """What a program must show of a finding. Of two releases that are compared, the program is for
    the newer one alone, so it shows the answer that this one gives, or its finding.
    """
    if kind in OF_ANSWERS:
        kind = DISAGREEMENT
    elif kind in REGRESSIONS:
        key = key.removeprefix(f"{kind}-")
        kind = INVALID_MODEL if key.startswith(INVALID_MODEL) else kind
    return Shown(kind, key, message)


def loaded_release(plan: Plan) -> str:
    """The solver of a target with its release, such as `z3 5.4.1`. Raises TargetError where it cannot
    be loaded.
    """
    with closing(Pool([plan], Limits())) as pool:
        (about,) = pool.warm()
    return f"{plan.target.family} {version_of(about)}".strip()


def tried_program(plan: Plan, text: str, shown: Shown) -> str | None:
    """The first program of the trace `text` that shows the finding on the target of `plan`; None
    where none of them does. Raises OSError.
    """
    with tempfile.TemporaryDirectory(prefix="murxpy-program-") as folder:
        trace = Path(folder, "finding.trace")
        for form in write_programs(plan, trace, text, shown, forms=("python",)):
            if form.reproduces:
                return Path(form.file).read_text(encoding="utf-8", errors="surrogatepass")
    return None
