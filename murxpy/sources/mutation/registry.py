"""All sources of runs by name: each module of `fuzzers/` declares one, and the walk is another one."""

from __future__ import annotations

import importlib
import pkgutil

from murxpy.sources.mutation import fuzzers
from murxpy.sources.mutation.entry import Entry

API = "api"  # the source that walks the state machine
WALK = Entry(API, "Fuzz a solver through its Python API.", labels=lambda settings: ())
FUZZERS: dict[str, Entry] = {
    name: importlib.import_module(f"{fuzzers.__name__}.{name}").ENTRY
    for name in sorted(module.name for module in pkgutil.iter_modules(fuzzers.__path__))
}
SOURCES: dict[str, Entry] = {API: WALK, **FUZZERS}
