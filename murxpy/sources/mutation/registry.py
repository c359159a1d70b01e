"""All sources of runs by name: each module of `fuzzers/` declares one, and walks are the others."""

from __future__ import annotations

from murxpy.modules import load_modules
from murxpy.sources.mutation.entry import Entry

API = "api"  # the source that walks the state machine of the campaign
WALK = Entry(API, "Walk a state machine.", labels=lambda settings: ())
FUZZERS: dict[str, Entry] = {
    name: module.ENTRY for name, module in load_modules("murxpy.sources.mutation.fuzzers").items()
}


def entry_of(source: str) -> Entry:
    """The declaration of a source. Sources that are no mutation fuzzers walk: over the machine of the
    campaign, or over the one that they are named after.
    """
    return FUZZERS.get(source, WALK)
