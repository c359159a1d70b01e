"""What was made of data files is remembered until one of the files changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from murxpy.data import load_machine
from murxpy.data.folders import data_folder, remembered
from murxpy.data.yamlfile import read_document
from murxpy.errors import InputError


def _loader() -> tuple[Any, list[Path]]:
    """A remembered function that decodes files, and the files that it was called for."""
    asked: list[Path] = []

    @remembered
    def decoded(*paths: Path) -> list[Any]:
        asked.extend(paths)
        return [read_document(path).data for path in paths]

    return decoded, asked


def test_a_file_is_read_again_when_its_content_is_another(tmp_path: Path) -> None:
    decoded, asked = _loader()
    file = tmp_path / "a.yaml"
    file.write_text("key: one")
    assert decoded(file) == decoded(file) == [{"key": "one"}]
    assert asked == [file]
    file.write_text("key: two")  # as long as before, and perhaps of the same moment
    assert decoded(file) == [{"key": "two"}]
    file.unlink()
    with pytest.raises(InputError, match="there is no such file"):
        decoded(file)
    with pytest.raises(InputError, match="there is no such file"):  # an error is not remembered
        decoded(file)
    assert len(asked) == 4


def test_each_caller_has_its_own_copy(tmp_path: Path) -> None:
    decoded, asked = _loader()
    (tmp_path / "a.yaml").write_text("key: [one]")
    for _ in range(3):
        decoded(tmp_path / "a.yaml")[0]["key"].append("more")
    assert decoded(tmp_path / "a.yaml") == [{"key": ["one"]}] and len(asked) == 1


def test_what_is_made_of_something_remembered_changes_with_its_files(tmp_path: Path) -> None:
    decoded, _ = _loader()
    file = tmp_path / "a.yaml"

    @remembered
    def outer(name: str) -> Any:
        return decoded(file)

    for text in ("one", "two", "one"):
        file.write_text(text)
        for name in ("new", text):  # the inner result is remembered when `text` is asked for
            assert outer(name) == [text]


def test_few_results_are_kept(tmp_path: Path) -> None:
    decoded, asked = _loader()
    files = [tmp_path / f"{number}.yaml" for number in range(20)]
    for file in files:
        file.write_text(file.stem)
    for file in [*files, files[-1], files[0]]:
        assert decoded(file) == [int(file.stem)]
    assert asked == [*files, files[0]]


def test_a_machine_depends_on_what_it_is_completed_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine of the user gets the limits that it does not set from the default machine."""
    folder = tmp_path / "fsm"
    folder.symlink_to(data_folder("fsm"))
    default = (data_folder("fsm") / "default.yaml").read_text()
    mine = tmp_path / "mine.yaml"
    mine.write_text(default)
    shipped = data_folder("fsm")
    monkeypatch.setattr("murxpy.data.machines.data_folder", lambda name: tmp_path / name)
    before = load_machine(str(mine))
    folder.unlink()
    folder.mkdir()
    for file in shipped.glob("*.yaml"):  # the machines that the default one walks, too
        (folder / file.name).write_text(file.read_text())
    (folder / "default.yaml").write_text(default.replace("limits:", "limits:\n  extra: 7", 1))
    assert load_machine(str(mine))["limits"] == {"extra": 7, **before["limits"]}
