"""Why seeds cannot be used: they are no SMT-LIB, or in the dialect of another solver."""

from __future__ import annotations

import functools
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from murxpy.data import load_catalogue
from murxpy.errors import InputError
from murxpy.foreign import read_bytes
from murxpy.logic.catalogue import STANDARD, Catalogue, build_catalogue
from murxpy.machine.trace.grammar import Trace, parse_trace, read_trace
from murxpy.smtlib import problems
from murxpy.smtlib.reading.scripts import read_file, read_text
from murxpy.sources.mutation.registry import FUZZERS
from murxpy.sources.mutation.workshop import MutationSession, Seed
from murxpy.sources.setups import SourcesSetup
from murxpy.translate.formula import formula_of


@functools.cache
def _catalogue() -> Catalogue:
    return build_catalogue(load_catalogue())


def fault_of(seed: Seed, dialect: str) -> str:
    """Why a solver with this dialect cannot use a seed; empty if it can."""
    try:
        MutationSession(_catalogue(), frozenset(), dialect).read(seed)
    except InputError as error:
        return str(error)
    return ""


def is_script(path: str) -> bool:
    """Whether a file can be read as SMT-LIB, with what any of the dialects has."""
    try:
        read_file(Path(path), _catalogue())
    except InputError:
        return False
    return True


def none_usable(sources: SourcesSetup, family: str) -> str:
    """Tell that no seed can be used, and why. `sources` is that part of a session's setup, `family` the
    kind of its solver.
    """
    files = sources["seeds"]
    fault = next(filter(None, _faults(sources, family)), "")
    why = fault or "the solver's answers contradict their labels"
    if len(files) == 1:
        return f"the only seed cannot be used: {why}"
    return f"none of the {len(files):,} seeds can be used{'; of the first' * bool(fault)}: {why}"


def all_faulty(sources: SourcesSetup, family: str) -> bool:
    """Whether no seed can be read in the dialect of the solver. This reads the seeds until one can."""
    return all(_faults(sources, family))


def _faults(sources: SourcesSetup, family: str) -> Iterator[str]:
    """Why each of the seeds cannot be used, in their order; empty for one that can be."""
    dialect = str(sources.get("dialect") or family)
    return (fault_of(Seed(*file), dialect) for file in sources["seeds"])


# Characters of seeds that are read before a campaign begins. 527 scripts with 975,000 characters took
# 0.5 s on one core.
READ = 6_000_000


def unusable(sources: SourcesSetup, family: str) -> dict[tuple[str, str], str]:
    """Return the reason why a fuzzer cannot use a seed, by the names of both, as far as that is known
    without a solver. Seeds behind the first READ characters are not read.
    """
    catalogue = _catalogue()
    dialect = str(sources.get("dialect") or family)
    shop = MutationSession(catalogue, frozenset(catalogue.operators), dialect)
    entries = [FUZZERS[name] for name, _ in sources["mix"] if name in FUZZERS]
    found: dict[tuple[str, str], str] = {}
    left = READ
    for file in sources["seeds"]:
        seed = Seed(*file)
        if len(seed.text) > left:
            continue
        left -= len(seed.text)
        try:
            script = shop.read(seed)
        except InputError as error:
            found.update({(entry.name, seed.name): error.reason for entry in entries})
            continue
        for entry in entries:
            reason = entry.lacks(shop, script, seed)
            if reason:
                found[entry.name, seed.name] = reason
    return found


# ----------------------------------------------------------------------
# Seed files for the mutation fuzzers. They are found in folders, read, and labelled by their
# own declarations.


SUFFIX, TRACE, PROBLEM = ".smt2", ".trace", problems.SUFFIX
SIZE_LIMIT = 100_000  # the largest size of a seed in bytes; the user can change it
_STATUS = re.compile(r"\(\s*set-info\s+:status\s+(sat|unsat|unknown)\s*\)")
_LABELS = re.compile(rf"{_STATUS.pattern}|\(\s*check-sat")
_CHECK = re.compile(r"\(\s*check-sat")


@dataclass
class SeedFiles:
    """The seeds that were found (name, text and label), and the files that were left out, by
    reason.
    """

    files: list[list[str]] = field(default_factory=list)
    left_out: dict[str, list[str]] = field(default_factory=dict)

    def leave_out(self, path: Path, reason: str) -> None:
        """Record a file that is no seed."""
        self.left_out.setdefault(reason, []).append(str(path))

    def unreadable(self, path: Path, error: OSError | InputError) -> None:
        """Record a file or folder that cannot be read."""
        reason = error.reason if isinstance(error, InputError) else error.strerror
        self.leave_out(path, f"not readable ({reason})")

    def notices(self) -> list[str]:
        """The seeds that were left out, one line for each reason."""
        return [
            f"{len(paths)} of the seed files left out, {reason}: {', '.join(paths[:3])}{', ...' if len(paths) > 3 else ''}"
            for reason, paths in self.left_out.items()
        ]


def collect_seeds(
    paths: Iterable[Path], size_limit: int = SIZE_LIMIT, dialect: str = STANDARD
) -> SeedFiles:
    """The scripts among files, and among the files in folders, in the order of their paths. The seed of
    a trace is its formula, in this dialect or else in that of the trace's solver.

    A file that cannot be a seed is left out with its reason. Raises InputError for a path that does
    not exist, or if no seed is left.
    """
    found = SeedFiles()
    paths = list(paths)
    for path in dict.fromkeys(script_files(paths, found.unreadable)):
        _read(found, path, size_limit, dialect)
    if not found.files:
        reasons = "".join(f"; {notice}" for notice in found.notices())
        raise InputError(
            f"no seeds in {', '.join(map(str, paths))}: expected SMT-LIB scripts (*{SUFFIX}), "
            f"synthesis problems (*{PROBLEM}) or traces (*{TRACE}){reasons}"
        )
    return found


def script_files(
    paths: Iterable[Path], unreadable: Callable[[Path, OSError], None] | None = None
) -> Iterator[Path]:
    """The files among `paths`, and the scripts and traces in the folders among them. Of a trace and a
    script of the same name, which lie in the folder of a finding, only the script is taken.

    Raises InputError for a path that does not exist, and for a folder that cannot be read, unless
    `unreadable` takes it.
    """

    def failed(error: OSError) -> None:
        if unreadable is None:
            raise InputError(
                f"the folder cannot be read: {error.strerror}", file=str(error.filename)
            )
        unreadable(Path(error.filename), error)

    for path in paths:
        if path.is_dir():
            inside = (
                Path(folder, name)
                for folder, _, names in os.walk(path, onerror=failed)
                for name in names
            )
            files = {
                file
                for file in inside
                if file.name.endswith((SUFFIX, TRACE, PROBLEM)) and file.is_file()
            }
            yield from sorted(
                file
                for file in files
                if file.suffix != TRACE or file.with_suffix(SUFFIX) not in files
            )
        elif path.is_file():
            yield path
        else:
            raise InputError(
                f"no such file or folder: {path}; expected seeds, SMT-LIB scripts, traces or folders of them"
            )


def script_text(path: Path) -> str:
    """The text of the script in a file, that of the problem in it, or of the formula of the trace in it.
    Raises InputError.
    """
    return formula_in(path) if path.suffix == TRACE else _as_script(read_text(path), path)


def _as_script(text: str, path: Path) -> str:
    """A script as it is, and a problem as a script. Raises InputError."""
    problem = path.suffix == PROBLEM or problems.is_problem(text)
    return problems.as_script(text, str(path)) if problem else text


def formula_in(path: Path, dialect: str = STANDARD) -> str:
    """The formula of the trace in a file, in a dialect, or in that of the trace's solver where the
    dialect lacks a word for a part of it. Raises InputError where both lack one.
    """
    trace, catalogue = parse_trace(read_trace(path), str(path)), _catalogue()
    own = trace.solver if trace.solver in catalogue.dialects else dialect
    for name in dict.fromkeys((dialect, own)):
        formula = formula_of(trace, catalogue, name)
        if not formula.lost:
            return formula.text
    line, action, what = formula.lost[0]
    raise InputError(f"{what}, so that '{action}' would be missing", file=str(path), line=line)


_LOGIC_NAME = re.compile(r"[A-Z][A-Z_]{0,39}")


def new_seed_file(folder: Path, logic: str, label: str, stem: str) -> Path:
    """A file `LOGIC/LABEL/STEM.smt2` in a folder, which is made, for a new seed; with a number behind the
    stem where another seed has the name. A logic that is not spelled like one counts as ALL, because it is
    a word of a stranger, which could lead out of the folder. Raises OSError.
    """
    inside = folder / (logic if _LOGIC_NAME.fullmatch(logic) else "ALL") / label
    inside.mkdir(parents=True, exist_ok=True)
    file, again = inside / f"{stem}{SUFFIX}", 1
    while file.exists():
        again += 1
        file = inside / f"{stem}.{again}{SUFFIX}"
    return file


_LOGIC = re.compile(r"^\(set-logic (\w+)\)$", re.MULTILINE)


class SeedFolder:
    """A folder into which the formulas of traces are written, `LOGIC/STATUS/NAME.smt2`, each part
    between two resets as a file of its own. The status is `unknown` where no label is known. `left_out`
    counts the traces of which no file was written, by reason.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder
        self.written = 0
        self.left_out: Counter[str] = Counter()

    def take(self, trace: Trace, name: str, dialect: str) -> None:
        """Write the formula of a trace in a dialect. Raises InputError for a trace that is malformed, and
        OSError where the folder takes no files.
        """
        formula = formula_of(trace, _catalogue(), dialect)
        if formula.lost:
            self.left_out[formula.lost[0][2]] += 1
            return
        parts = [part for part in formula.parts if "(assert" in part and _CHECK.search(part)]
        if not parts:
            self.left_out["without an assertion or a check"] += 1
        for number, text in enumerate(parts, 1):
            label = label_of(text)
            logic = _LOGIC.search(text)
            inside = (
                self.path
                / (logic[1] if logic else "ALL")
                / (label if label in ("sat", "unsat") else "unknown")
            )
            inside.mkdir(parents=True, exist_ok=True)
            stem = name if len(parts) == 1 else f"{name}-{number}"
            (inside / f"{stem}{SUFFIX}").write_text(text, encoding="utf-8")
            self.written += 1


def _read(found: SeedFiles, path: Path, size_limit: int, dialect: str) -> None:
    if any("\ud800" <= char <= "\udfff" for char in str(path)):  # the store keeps UTF-8 only
        found.leave_out(path, "its name is not UTF-8")
        return
    try:
        if path.stat().st_size > size_limit:
            found.leave_out(path, f"larger than {size_limit} bytes")
            return
        text = (
            formula_in(path, dialect)
            if path.suffix == TRACE
            else _as_script(read_bytes(path, "script", size_limit).decode("utf-8"), path)
        )
    except (OSError, InputError) as error:
        found.unreadable(path, error)
        return
    except UnicodeDecodeError:
        found.leave_out(path, "no text")
        return
    if _CHECK.search(text) is None:
        found.leave_out(path, "without a check-sat")
        return
    found.files.append([str(path), text, label_of(text) or _label_of_folder(path, text)])


def _label_of_folder(path: Path, text: str) -> str:
    """The label of the folder, for a script with one check that does not say its answer, or says
    unknown.
    """
    labelled = any(status != "unknown" for status in _STATUS.findall(text))
    return folder_label(path) if not labelled and len(_CHECK.findall(text)) == 1 else ""


def folder_label(path: Path) -> str:
    """`sat` or `unsat` for a script in a folder of that name; empty for any other."""
    folder = path.absolute().parent.name
    return folder if folder in ("sat", "unsat") else ""


def label_of(text: str) -> str:
    """`sat`, `unsat` or `sat unsat`: the answers of its checks that a script declares. The text is
    empty if the script does not declare all of them, or only unknown ones.
    """
    found = statuses_of(text)
    return " ".join(label for label in ("sat", "unsat") if label in found)


def with_status(text: str, label: str) -> str:
    """A script with one check, whose declared status is `label`."""
    status = f"(set-info :status {label})"
    changed, count = _STATUS.subn(status, text)
    return changed if count else f"{status}\n{text}"


def statuses_of(text: str) -> tuple[str, ...]:
    """The status that a script declares for each check: `sat`, `unsat` or `unknown`. The list is
    empty if a check has no status.
    """
    found: list[str] = []
    waiting: list[str] = []
    for match in _LABELS.finditer(text):
        if match[1]:
            waiting.append(match[1])
        elif len(waiting) == 1:
            found.append(waiting.pop())
        else:
            return ()
    return tuple(found)
