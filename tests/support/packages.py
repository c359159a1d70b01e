"""Packages put into a folder as an installer would: the modules, and beside them the metadata that
names their entry points.
"""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Mapping
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "plugin"


def put_example(site: Path) -> None:
    """Put the example of a plug-in into the folder `site`."""
    declared = tomllib.loads((EXAMPLE / "pyproject.toml").read_text(encoding="utf-8"))
    project = declared["project"]
    for name in declared["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"]:
        source = EXAMPLE / name
        if source.is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(source, site / name, ignore=ignored)
        else:
            shutil.copy(source, site / name)
    put_metadata(site, project["name"], project["version"], project["entry-points"])


def put_metadata(
    site: Path, name: str, version: str, groups: Mapping[str, Mapping[str, str]]
) -> None:
    """Put the metadata of a package with these entry points into the folder `site`."""
    folder = site / f"{name.replace('-', '_')}-{version}.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    lines = [
        line
        for group, entries in groups.items()
        for line in (f"[{group}]", *(f"{key} = {value}" for key, value in entries.items()))
    ]
    (folder / "entry_points.txt").write_text("\n".join(lines) + "\n")
