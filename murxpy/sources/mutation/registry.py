"""All sources of runs by name: each module of `fuzzers/` declares one, and the walk is another one."""

from __future__ import annotations

from murxpy.modules import load_modules
from murxpy.sources.mutation.entry import Entry

API = "api"  # the source that walks the state machine
WALK = Entry(API, "Walk the state machine.", labels=lambda settings: ())
FUZZERS: dict[str, Entry] = {
    name: module.ENTRY for name, module in load_modules("murxpy.sources.mutation.fuzzers").items()
}
SOURCES: dict[str, Entry] = {API: WALK, **FUZZERS}
