"""File systems that are too small."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Callable[[int], Path]]:
    """Mounts a file system of so many bytes."""
    mounted: list[Path] = []

    def mount(size: int) -> Path:
        folder = tmp_path / f"disk-{size}"
        folder.mkdir()
        if subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(folder)], capture_output=True
        ).returncode:
            pytest.skip("only root can mount a file system")
        mounted.append(folder)
        return folder

    yield mount
    for folder in mounted:
        # A worker that was just killed may still have a file open there for a moment.
        subprocess.run(["umount", "--lazy", str(folder)], check=True)
