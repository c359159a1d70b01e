"""The ways in which a script is given to a solver: the solver's own program where its package has
one, and the reader of scripts in its Python API.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from murxpy.campaign.reduction.programs import run_command
from murxpy.campaign.workers.limits import Limits
from murxpy.campaign.workers.scratch import Scratch
from murxpy.campaign.workers.targets import Plan
from murxpy.oracles.crash import Outcome

NO_SCRIPTS = 77  # exit code of a runner whose solver reads no scripts
FILE = "FILE"  # stands for the script in a command line that people read


@dataclass(frozen=True, slots=True)
class FrontEnd:
    """One way to run a script. `said` is the command line, or the words for what is run instead, and
    `where` says in a sentence where a person finds that; it may be empty.
    """

    said: str
    where: str = ""
    command: tuple[str, ...] = ()
    runner: str = ""

    def run(self, plan: Plan, script: Path, trace: str, seconds: float, limits: Limits) -> Outcome:
        """Run a script. Raises OSError."""
        if self.command:
            command = [*self.command, str(script.absolute())]
            return run_command(plan, command, script.parent, trace, seconds, limits)
        with Scratch("script") as folder:
            program = folder / "run.py"
            program.write_text(self.runner, encoding="utf-8")
            bare = ["-S"] if plan.target.bare else []
            command = [plan.target.interpreter, *bare, str(program), str(script.absolute())]
            return run_command(plan, command, folder, trace, seconds, limits)


def front_ends(plan: Plan) -> list[FrontEnd]:
    """The ways to run a script on a target, the most telling first. None where its wrapper says
    nothing of scripts.
    """
    wrapper = plan.setup["wrapper"]
    found = list(_programs(plan, wrapper.get("script-program") or {}))
    runner, reader = wrapper.get("script-runner"), wrapper.get("script-reader")
    if runner:
        said = f"the reader of the Python package {wrapper['package']}"
        found.append(FrontEnd(said, f"This reader is {reader}" if reader else "", runner=runner))
    return found


def _programs(plan: Plan, data: dict[str, list[str]]) -> Iterator[FrontEnd]:
    """The program of the target with each of its options."""
    root = Path(plan.target.root or Path(plan.target.interpreter).absolute().parent.parent)
    files = [file for place in data.get("places", ()) for file in sorted(root.glob(place))]
    for file in [file for file in files if file.is_file()][:1]:
        where = _where(file.relative_to(root), plan.setup["wrapper"]["package"])
        for options in data.get("options", [""]):
            words = options.split()
            yield FrontEnd(" ".join([file.name, *words, FILE]), where, (str(file), *words))


def _where(file: Path, package: str) -> str:
    """Where the program `file` stands, as seen from the folder of the solver."""
    if file.parts[0] in ("bin", "lib"):
        return f"In a virtual environment, 'pip install {package}' makes {file.name} as {file}"
    return f"{file.name} is {file} in the folder where the solver was built"
