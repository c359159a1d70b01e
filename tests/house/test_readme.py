"""The README's commands: there are two, `.ci/run` runs the second as it stands, and what they name
exists.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from murxpy.cli import commands

ROOT = Path(__file__).parents[2]


def readme_commands() -> list[str]:
    """The lines in the README that install something."""
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.startswith("    ") and "pip install" in line]


def test_two_commands_install_and_run() -> None:
    first, second = readme_commands()
    assert "murxpy fuzz z3 --time 60s" in first
    assert second.endswith("pytest -q")


def test_ci_runs_the_test_command() -> None:
    _, command = readme_commands()
    assert command in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()


def test_commands_install_what_the_project_offers() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = re.findall(r"\[(\w+)\]", " ".join(readme_commands()))
    assert extras == ["test"]
    assert set(extras) <= set(project["optional-dependencies"])


def test_named_commands_exist() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"(?:^ {4}(?:\S+/)?|`)murxpy ([a-z][a-z-]*)", text, re.M))
    assert named
    assert named <= set(commands())


def test_links_lead_somewhere() -> None:
    for name in ("README.md", "CONTRIBUTING.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        links = [link for link in re.findall(r"\]\(([^)#]+)", text) if "://" not in link]
        assert links
        assert not [link for link in links if not (ROOT / link).exists()]
