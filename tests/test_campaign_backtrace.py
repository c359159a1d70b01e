"""Native frames from gdb, where it is installed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from campaigns import only_bucket, run


@pytest.mark.skipif(shutil.which("gdb") is None, reason="gdb is not installed")
def test_native_frames_of_a_crash(tmp_path: Path) -> None:
    campaign, _ = run(tmp_path, {"every": {"stack": 8}}, runs=16, backtrace=True)
    bucket = only_bucket(campaign)
    assert bucket.backtrace.startswith("#0 ")
    text = (tmp_path / "findings" / bucket.key / "backtrace.txt").read_text()
    assert text == bucket.backtrace and len(text.splitlines()) > 10
