"""Each study is a class on one engine, and a command that is found in its folder. A forgotten part is named."""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path

import pytest
from commands import error, outcome

from murxpy import studies
from murxpy.cli import commands
from murxpy.cli import studies as shown
from murxpy.findings.folder import Folder, study_file, writer_of
from murxpy.processes.inquiries import Answer
from murxpy.studies.study import Store, Study, Subject

DOCS = Path(__file__).parents[2] / "docs"
for _module in pkgutil.iter_modules(studies.__path__, "murxpy.studies."):
    importlib.import_module(_module.name)
STUDIES = {study.name: study for study in Study.__subclasses__()}
COMMANDS = [one.name.replace("_", "-") for one in pkgutil.iter_modules(shown.__path__)]
ONE = '''"""Say how many words there are."""
import click


@click.command()
@click.argument("words", nargs=-1)
def counted(words):
    """Count words."""
    click.echo(len(words))
'''


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_has_a_command_and_a_page(name: str) -> None:
    assert name in COMMANDS, f"murxpy/cli/studies/ has no module {name}"
    assert writer_of(study_file(name)) == f"'murxpy {name}'"


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_of_the_folder_has_a_line_and_a_page(name: str) -> None:
    line = commands()[name]
    assert line.endswith(".") and len(line) < 80, f"the text of the module is the line of {name}"
    assert any(f"murxpy {name}" in page.read_text() for page in DOCS.glob("*.md")), (
        f"docs/ has no page on {name}"
    )


def test_a_study_that_lacks_a_part_is_not_made() -> None:
    with pytest.raises(
        TypeError, match="the study Bare lacks name, session, subjects, setup, seed"
    ):

        class Bare(Study[int]):  # type: ignore[misc]
            def found(self, store: Store) -> int:
                return 0


def test_a_command_is_found_in_its_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "counted.py").write_text(ONE)
    monkeypatch.setattr(shown, "__path__", [*shown.__path__, str(tmp_path)])
    assert commands()["counted"] == "Say how many words there are."
    assert outcome(capsys, "counted", "a", "b")[:2] == (0, "2\n")
    assert "Say how many words" in outcome(capsys, "--all")[1]


def test_the_folder_of_a_study_is_no_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "study-counted.sqlite").touch()
    (tmp_path / "study-.sqlite").touch()  # anybody's
    Folder(tmp_path, "study-counted.sqlite").close()
    code, line = error(capsys, "fuzz", "z3", "--out", tmp_path)
    assert code == 2 and "that of 'murxpy counted', which wrote study-counted.sqlite" in line


def test_answers_without_a_folder_are_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    store = Store(None, study_file("counted"), make=True)
    one, two, again = store.numbers([Subject(name, range(3)) for name in ("a", "b", "a")])
    store.keep(two, store.target("z3"), [(1, Answer("sat", 5))])
    assert one == again and store.done(two, store.target("z3")) == {1}
    assert dict(store.scripts(two)) == {1: {1: Answer("sat", 5)}} and not [*tmp_path.iterdir()]
