"""Settings of all tests.

Hypothesis draws the same examples each time, so that a failure is one of the change at hand, and
asks for no time, which a busy machine would not keep.
What the tests load is frozen before the first of them: runs collect garbage, and need not look at
all modules and tests each time. A session switches the collector off, as is right in a worker; the
process of the tests goes on with it.
No configuration file of the user is read, and no variable of the environment gives an option.
Signals that the starter of the tests ignores, as `nohup` does, have their usual effect in the
tests: murxpy leaves an ignored signal ignored.
"""

from __future__ import annotations

import gc
import importlib
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

for number in (signal.SIGHUP, signal.SIGTERM):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, signal.SIG_DFL)
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# murxpy's processes compile its modules once, and not each one again
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# no configuration of whoever runs the tests
os.environ["XDG_CONFIG_HOME"] = os.devnull
for _name in [name for name in os.environ if name.startswith("MURXPY_")]:
    del os.environ[_name]

gc.disable()  # loading the tests leaves hardly any garbage

settings.register_profile("same", derandomize=True, deadline=None)
settings.load_profile("same")


def pytest_collection_finish(session: pytest.Session) -> None:
    """Freeze what is loaded."""
    gc.collect()
    gc.freeze()
    gc.enable()


def pytest_runtest_teardown() -> None:
    """Collect garbage behind a test that made a session in this process."""
    gc.enable()


@pytest.fixture
def bench_module(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Any]]:
    """Imports a program of `bench/` by its name. Behind the test, none of them is imported any more."""
    folder = Path(__file__).parents[1] / "bench"
    monkeypatch.syspath_prepend(str(folder))
    yield importlib.import_module
    for name, module in [*sys.modules.items()]:
        if (file := getattr(module, "__file__", None)) and Path(file).parent == folder:
            del sys.modules[name]


@pytest.fixture
def bare_findings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Campaigns of this process keep and confirm findings, and do no more: gdb is not asked for
    frames, and nothing is reduced and written as a program. That costs a second for each finding.
    """
    from murxpy.campaign.behind.queue import Queue
    from murxpy.findings.frames import Backtraces

    monkeypatch.setattr(Backtraces, "add", lambda self, key, plan, trace: None)
    monkeypatch.setattr(Queue, "add", lambda self, request: None)


@pytest.fixture(scope="module")
def kept_solvers() -> Iterator[None]:
    """The commands and campaigns of a module have a solver that an earlier one loaded for the same
    setup: for tests in which it does not matter who loads it, and no process is looked for.
    """
    from keeping import KeptParent

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("murxpy.processes.pool.WarmParent", KeptParent)
        yield
        KeptParent.close_all()
