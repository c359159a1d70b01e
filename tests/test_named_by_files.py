"""What a stranger's file names is shown, and neither run nor installed nor read: programs, folders,
wrappers, machines, seeds, releases. Each fake one here leaves a mark where it is used.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import outcome
from releases import offer

from murxpy.campaign.workers import names
from murxpy.releases import index

SIX_LINES = """# murxpy-trace 1
# solver z3 5.4.0
# cross-check {name}
     1 new@simple
     2 check-sat
     3 delete
"""


class Traps:
    """Programs, packages and an index in a folder, each of which leaves a mark where it is used."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.mark = folder / "mark"
        program = folder / "program" / "bin" / "python"
        program.parent.mkdir(parents=True)
        program.write_text(f"#!/bin/sh\necho program >> {self.mark}\nexit 1\n")
        program.chmod(0o755)
        for module in ("z3", "cvc5", "fakesolver"):
            package = folder / "package" / module / "__init__.py"
            package.parent.mkdir(parents=True)
            package.write_text(f"open({str(self.mark)!r}, 'a').write('package {module}\\n')\n")

    def left(self) -> str:
        """What was used."""
        return self.mark.read_text() if self.mark.exists() else ""


@pytest.fixture
def traps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Traps:
    traps = Traps(tmp_path / "traps")

    def asked(package: str) -> list[str]:
        with traps.mark.open("a") as file:
            file.write(f"index {package}\n")
        return ["1.0.8"]

    offer(tmp_path, monkeypatch, {})  # an empty cache
    monkeypatch.setattr(index, "published", asked)
    monkeypatch.setattr(names, "published", asked)
    monkeypatch.chdir(traps.folder)
    return traps


PLACES = ("./program", "program", "./package", "1.0.8", "latest")


@pytest.mark.parametrize("place", PLACES)
def test_a_header_names_no_judge(
    place: str, traps: Traps, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = traps.folder / "six.trace"
    trace.write_text(SIX_LINES.format(name=f"cvc5@{place}"))
    code, _, err = outcome(capsys, "replay", trace)
    assert (code, traps.left()) == (2, "")
    assert f"cvc5@{place}" in err and "--cross-check" in err


def test_the_command_line_names_it(traps: Traps, capsys: pytest.CaptureFixture[str]) -> None:
    trace = traps.folder / "six.trace"
    trace.write_text(SIX_LINES.format(name="cvc5@program"))
    assert outcome(capsys, "replay", trace, "--cross-check", "cvc5@program")[0] == 4
    assert traps.left() == "program\n"
