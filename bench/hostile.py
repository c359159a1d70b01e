"""Give what reads files hostile ones, and tell of each fault: another error than a clear one, a
hang, too much memory.

`python bench/hostile.py KIND` prints the figures of `bench/results/hostile.md`, and writes
`bench/results/hostile-KIND.json`.

    python bench/hostile.py script --runs 100000
    python bench/hostile.py --show trace 4711      # the file of a fault

The readers run in this process, and behind each reader what uses what it gives: printers,
evaluator, lifter, translators. An error that murxpy means to show must be an InputError with its
file; where the reader itself raises it, a place is expected, too.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

import hostile_small
from common import RESULTS, ROOT, _commit
from hostile_inputs import KINDS, SCRIPT_OF_MODEL, hostile

from murxpy.cli import run as murxpy_run
from murxpy.data import load_catalogue, load_machine, load_wrapper
from murxpy.data.wrappers import load_profile
from murxpy.errors import InputError
from murxpy.findings.buckets import Known
from murxpy.findings.known import read_known
from murxpy.logic.catalogue import Catalogue, build_catalogue
from murxpy.machine.trace.grammar import parse_trace, read_trace
from murxpy.machine.trace.lift import lift
from murxpy.semantics.values import CannotSay
from murxpy.smtlib.logics import theories
from murxpy.smtlib.printed_models import Valuation, read_model, read_printed_model
from murxpy.smtlib.printing.scripts import print_script
from murxpy.smtlib.reading.scripts import read_file, read_script, read_text
from murxpy.smtlib.script import Script
from murxpy.translate.murxla import to_murxla
from murxpy.translate.python import to_python
from murxpy.translate.smtlib import to_smtlib

WALL = 10  # seconds of processor time for one file
MEMORY = 1 << 30  # bytes of the process


class Hang(BaseException):
    """The time for a file is over; no handler of errors may catch it."""


@cache
def catalogue() -> Catalogue:
    """The theories that we ship."""
    return build_catalogue(load_catalogue())


@cache
def wrapper(name: str) -> dict[str, Any]:
    """A wrapper that we ship."""
    return load_wrapper(name)


DEEP = [True]  # False: files are read, and what is read is not used


def clear(use: Callable[[], object]) -> None:
    """Use what was read: errors that murxpy means to show are no faults."""
    if not DEEP[0]:
        return
    with contextlib.suppress(InputError, CannotSay):
        use()


def read(path: Path, kind: str) -> Any:
    """What is in the file. Raises InputError with the file."""
    try:
        return READERS[kind](path)
    except InputError as error:
        if str(path) not in str(error):
            raise AssertionError(f"an error without its file: {error}") from error
        return None


def _script(path: Path) -> Any:
    theories(read_text(path))
    script = read_file(path, catalogue())
    for dialect in ("standard", "z3", "cvc5"):
        clear(
            lambda dialect=dialect: read_script(
                print_script(script, dialect), "printed", catalogue()
            )
        )  # type: ignore[misc]
    clear(lambda: parse_trace(lift(script).text(), "lifted"))
    return script


def _trace(path: Path) -> Any:
    trace = parse_trace(read_trace(path), str(path))
    clear(lambda: parse_trace(trace.text(), "printed"))
    clear(lambda: to_smtlib(trace, catalogue(), "z3", lossy=True))
    clear(lambda: to_murxla(trace, catalogue(), lossy=True))
    clear(
        lambda: to_python(
            trace, catalogue(), wrapper(trace.solver if trace.solver in ("z3", "cvc5") else "z3")
        )
    )
    return trace


def _model(path: Path) -> Any:
    script = _script_of_model()
    text = read_text(path)
    for model in (read_printed_model(text, script), read_model(text, str(path), script)):
        clear(
            lambda model=model: [
                Valuation(script, model).holds(formula) for formula in script.assertions()
            ]
        )  # type: ignore[misc]


@cache
def _script_of_model() -> Script:
    return read_script(SCRIPT_OF_MODEL, "script", catalogue())


def _known(path: Path) -> Any:
    return "z3-crash-sigsegv-mk-term-op-bv-udiv-0a1b2c3d4e5f" in Known(read_known(path))


def _theory(path: Path) -> Any:
    return build_catalogue(load_catalogue(path.parent))


def _command(*words: str | Path) -> None:
    """Run a command in this process. Raises AssertionError if it ends otherwise than it should."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = murxpy_run([str(word) for word in words])
    message = err.getvalue()
    if code not in (0, 1, 2) or "internal error" in message or "Traceback" in message:
        raise AssertionError(f"{words[0]} ends with {code}: {message[-300:]}")
    if len(message) > LONGEST_ERROR:
        raise AssertionError(f"{words[0]} prints an error of {len(message)} characters")


def small(cases: Iterable[str], most: float = float("inf")) -> dict[str, Any]:
    """Give each of the small inputs with these names to the commands that read it, and measure the
    processor time of each command.
    """
    signal.signal(signal.SIGVTALRM, _alarm)
    faults, began, slowest, done = {}, time.monotonic(), (0.0, ""), 0
    with tempfile.TemporaryDirectory(prefix="murxpy-hostile-") as folder:
        model = Path(folder, "model.smt2")
        model.write_text(hostile_small.MODEL)
        for case in cases:
            name, text = case, hostile_small.SCRIPTS.get(case) or hostile_small.TRACES[case]
            script = case in hostile_small.SCRIPTS
            file = Path(folder, f"f.{'smt2' if script else 'trace'}")
            file.write_text(text)
            for words in _OF_A_SCRIPT if script else _OF_A_TRACE:
                start = time.process_time()
                signal.setitimer(signal.ITIMER_VIRTUAL, WALL)
                try:
                    _command(
                        *(file if w == "FILE" else model if w == "MODEL" else w for w in words)
                    )
                except Hang:
                    faults[f"{name}: {words[0]}: no end within {WALL} s"] = [1, name]
                except Exception as error:
                    faults[f"{name}: {type(error).__name__}: {str(error)[:200]}"] = [1, name]
                finally:
                    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
                spent = round(time.process_time() - start, 2)
                slowest = max(slowest, (spent, f"{name}: {words[0]}"))
                done += 1
            if time.monotonic() - began > most:
                break
    return {
        "kind": "small",
        "files": done,
        "faults": faults,
        "slowest": slowest,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10,
        "seconds": round(time.monotonic() - began, 1),
    }


_OF_A_SCRIPT: tuple[tuple[str, ...], ...] = (("lift", "FILE"), ("eval", "FILE", "--model", "MODEL"))
_OF_A_TRACE: tuple[tuple[str, ...], ...] = (
    ("translate", "FILE", "--to", "smt2", "--output", "/dev/null"),
    ("translate", "FILE", "--to", "murxla", "--output", "/dev/null"),
    ("eval", "FILE", "--planted"),
)
LONGEST_ERROR = 1000  # characters
READERS: dict[str, Callable[[Path], Any]] = {
    "script": _script,
    "trace": _trace,
    "model": _model,
    "known": _known,
    "machine": lambda path: load_machine(str(path)),
    "theory": _theory,
    "wrapper": lambda path: load_wrapper(str(path)),
    "profile": load_profile,
}
SUFFIXES = {"script": "smt2", "trace": "trace", "model": "smt2", "known": "txt"}


def place_for(kind: str, folder: Path) -> Path:
    """Where the file of a kind is put; a theory stands beside the core theory without extensions,
    whose definitions need other theories.
    """
    folder = folder / kind
    folder.mkdir(exist_ok=True)
    if kind == "theory":
        core = (ROOT / "fsm" / "theories" / "core.yaml").read_text(encoding="utf-8")
        (folder / "core.yaml").write_text(core.partition("\nextensions:")[0] + "\n")
    return folder / f"f.{SUFFIXES.get(kind, 'yaml')}"


def fault(kind: str, number: int, path: Path) -> str | None:
    """What goes wrong with the hostile file `number`; None where nothing does."""
    path.write_bytes(hostile(kind, number))
    signal.setitimer(signal.ITIMER_VIRTUAL, WALL)
    try:
        read(path, kind)
    except Hang:
        return f"no end within {WALL} s, in {_frames(sys.exc_info()[2])}"
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:200]}, in {_frames(error.__traceback__)}"
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return None


def _frames(trace: Any) -> str:
    ours = [
        f"{Path(f.filename).name}:{f.lineno}"
        for f in traceback.extract_tb(trace)
        if "murxpy" in f.filename or "bench" in f.filename
    ]
    return " > ".join(ours[-3:])


def _alarm(*_: object) -> None:
    raise Hang


def run(kind: str, numbers: range, most: float = float("inf")) -> dict[str, Any]:
    """Read the files with these numbers, for at most `most` seconds; faults by what they are, each
    with the number of its first file.
    """
    faults: dict[str, list[int]] = {}
    signal.signal(signal.SIGVTALRM, _alarm)
    began, done, slowest = time.monotonic(), 0, (0.0, -1)
    with tempfile.TemporaryDirectory(prefix="murxpy-hostile-") as folder:
        path = place_for(kind, Path(folder))
        for number in numbers:
            start = time.monotonic()
            found = fault(kind, number, path)
            slowest = max(slowest, (round(time.monotonic() - start, 2), number))
            done += 1
            if found is not None:
                faults.setdefault(found, []).append(number)
            if time.monotonic() - began > most:
                break
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    examples = {text: [len(files), *files[:3]] for text, files in faults.items()}
    return {
        "kind": kind,
        "first": numbers.start,
        "files": done,
        "faults": examples,
        "slowest": slowest,
        "peak_mb": peak,
        "seconds": round(time.monotonic() - began, 1),
    }


def main() -> None:
    """Measure one kind of file, or print one file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("kind", choices=(*KINDS, "small"))
    parser.add_argument("number", type=int, nargs="?", help="with --show: which file")
    parser.add_argument("--runs", type=int, default=1000, help="hostile files")
    parser.add_argument("--first", type=int, default=0, help="number of the first one")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after this time")
    parser.add_argument(
        "--memory", type=int, default=MEMORY >> 20, help="megabytes that the process may have"
    )
    parser.add_argument("--show", action="store_true", help="write one file to standard output")
    parser.add_argument("--no-save", action="store_true", help="write nothing under bench/results")
    args = parser.parse_args()
    if args.show:
        sys.stdout.buffer.write(hostile(args.kind, args.number))
        return
    resource.setrlimit(resource.RLIMIT_AS, (args.memory << 20,) * 2)
    if args.kind == "small":
        result = small([*hostile_small.SCRIPTS, *hostile_small.TRACES], args.seconds)
    else:
        result = run(args.kind, range(args.first, args.first + args.runs), args.seconds)
    print(json.dumps(result, indent=1))
    if not args.no_save:
        (RESULTS / f"hostile-{args.kind}.json").write_text(
            json.dumps(
                {
                    "command": " ".join(["python", "bench/hostile.py", *sys.argv[1:]]),
                    "commit": _commit(),
                    **result,
                },
                indent=1,
            )
            + "\n"
        )
    raise SystemExit(int(bool(result["faults"])))


if __name__ == "__main__":
    main()
