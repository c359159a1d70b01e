"""Tiny wheels of a fake solver in a folder that pip and uv take for the package index."""

from __future__ import annotations

import base64
import hashlib
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from campaigns import FAKES

from murxpy.processes import targets
from murxpy.processes.environments import FOLDER

NAME = "fakesolver"
SOURCE = {path.name: path.read_text() for path in (FAKES / NAME).glob("*.py")}


def offer(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    releases: Mapping[str, Mapping[str, str]],
) -> Path:
    """Offer `releases` of the fake solver, each with the files in which it differs, and nothing
    else; gives the folder of the cache, which is empty.
    """
    index = folder / "index"
    index.mkdir(parents=True)
    for release, files in releases.items():
        wheel(index, release, files)
    for variable in ("PIP_NO_INDEX", "UV_NO_INDEX", "UV_OFFLINE"):
        monkeypatch.setenv(variable, "1")
    for variable in ("PIP_FIND_LINKS", "UV_FIND_LINKS"):
        monkeypatch.setenv(variable, str(index))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv(FOLDER, str(folder / "cache"))
    targets.releases_of.cache_clear()
    return folder / "cache"


def wheel(folder: Path, release: str, files: Mapping[str, str]) -> None:
    """Write the wheel of a release of the fake solver."""
    info = f"{NAME}-{release}.dist-info"
    source = {**SOURCE, **files}
    source["__init__.py"] += f'\n__version__ = "{release}"\n'
    content = {f"{NAME}/{name}": text for name, text in source.items()}
    content["faults.py"] = (FAKES / "faults.py").read_text()
    content[f"{info}/METADATA"] = f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {release}\n"
    content[f"{info}/WHEEL"] = (
        "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    )
    record = f"{info}/RECORD"
    with zipfile.ZipFile(folder / f"{NAME}-{release}-py3-none-any.whl", "w") as archive:
        rows = []
        for name, text in content.items():
            archive.writestr(name, text)
            digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest())
            rows.append(f"{name},sha256={digest.decode().rstrip('=')},{len(text.encode())}")
        archive.writestr(record, "\n".join([*rows, f"{record},,", ""]))
