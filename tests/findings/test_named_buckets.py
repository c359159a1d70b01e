"""A bucket is named by its folder, or by the beginning of its key."""

from __future__ import annotations

from pathlib import Path

import pytest
from campaigns import run
from commands import error, outcome

from murxpy.findings.bucket_names import bucket_named, kept_trace


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a campaign with two buckets of crashes."""
    folder = tmp_path_factory.mktemp("named") / "out"
    run(folder, {"every": {"segfault": 4, "segfault+again": 4}}, runs=16)
    return folder


def test_the_beginning_of_a_key_names_a_bucket(
    capsys: pytest.CaptureFixture[str], out: Path
) -> None:
    for folder in (out / "findings").iterdir():
        assert bucket_named(folder.name[:-1], out) == bucket_named(folder.name, out) == folder
        trace = kept_trace(folder)
        assert (trace.parent, trace.suffixes) == (folder, [".trace"])
        named = outcome(capsys, "translate", folder.name, "--to", "murxla", "--out", out)
        assert named == outcome(capsys, "translate", trace, "--to", "murxla")
        small = trace.with_suffix(".min.trace")
        small.write_text("1 new\n")
        assert kept_trace(folder) == small and kept_trace(folder, smaller=False) == trace
        small.unlink()


@pytest.mark.parametrize("command", ["replay", "minimize", "eval", "bisect", "translate"])
def test_a_name_that_fits_several_buckets_or_none_is_one_clear_error(
    capsys: pytest.CaptureFixture[str], out: Path, tmp_path: Path, command: str
) -> None:
    more = ("--to", "smt2") if command == "translate" else ()
    keys = ", ".join(sorted(folder.name for folder in (out / "findings").iterdir()))
    code, said = error(capsys, command, "crash", "--out", out, *more)
    assert (code, said) == (2, f"2 buckets of {out} begin with 'crash': {keys}")
    code, said = error(capsys, command, "abort", *more, "--out", out)
    assert (code, said) == (2, f"no bucket of {out} begins with 'abort'; its buckets are {keys}")
    assert "no campaign here" in error(capsys, command, "crash", *more, "--out", tmp_path)[1]
    assert error(capsys, command, "gone.trace", *more)[1] == "gone.trace: there is no such file"
