"""Data files that a name finds: shipped ones in a folder of `fsm`, and files of the user."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from murxpy.data.folders import data_folder
from murxpy.errors import InputError, nearest


@dataclass(frozen=True)
class Named:
    """The files of `kind`, such as `grammar`, of which murxpy ships those in `fsm/<folder>`."""

    kind: str
    folder: str

    def names(self) -> list[str]:
        """The names of the shipped files, sorted."""
        return sorted(path.stem for path in self.shipped().glob("*.yaml"))

    def path(self, name: str) -> Path:
        """The shipped file called `name`, or else the user's own at this path. Raises InputError
        where it is neither a shipped name nor the path of a YAML file.
        """
        known, own = self.names(), Path(name).expanduser()
        if name in known:
            return self.shipped() / f"{name}.yaml"
        if own.suffix not in (".yaml", ".yml"):
            raise InputError(
                f"unknown {self.kind} '{name}'{nearest(name, known)}; known are {', '.join(known)}, "
                "and files of your own whose names end with .yaml"
            )
        return own

    def shipped(self) -> Path:
        """The folder of the shipped files."""
        return data_folder("fsm") / self.folder
