"""Renews `docs/status.svg`, the live view of a real campaign: `python docs/status_picture.py
[SECONDS]`.
"""

from __future__ import annotations

import io
import re
import sys
import tempfile
from pathlib import Path

from rich.console import Console

from murxpy.campaign.campaign import Campaign
from murxpy.cli.report.live import StatusView
from murxpy.processes.plans import Request, make_plans
from murxpy.records.config import CampaignConfig
from murxpy.records.events import Started, Tick

WIDTH, HEIGHT = 104, 22
_REMOTE_FONTS = re.compile(r"@font-face \{.*?\}\s*", re.S)


def last_view(seconds: float, out: Path) -> StatusView:
    """The live view at the end of a campaign of `seconds` on z3."""
    config = CampaignConfig(make_plans(Request(("z3",))), out, seed=7, jobs=2, time=seconds)
    started: Started | None = None
    view: StatusView | None = None
    for event in Campaign(config):
        if isinstance(event, Started):
            started = event
        elif isinstance(event, Tick) and started is not None and event.elapsed <= seconds:
            shown = Started(
                **{name: getattr(started, name) for name in Started.__slots__}
                | {"out": "murxpy-out"}
            )
            view = StatusView(shown, event.snapshot)
    if view is None:
        raise SystemExit("the campaign ended before it showed anything")
    return view


def main() -> None:
    """Run it."""
    with tempfile.TemporaryDirectory() as folder:
        view = last_view(
            float(sys.argv[1]) if len(sys.argv) > 1 else 60.0, Path(folder) / "murxpy-out"
        )
    console = Console(
        record=True,
        width=WIDTH,
        height=HEIGHT,
        file=io.StringIO(),
        force_terminal=True,
        highlight=False,
    )
    console.print(view)
    picture = console.export_svg(title="murxpy fuzz z3 --time 60s")
    picture = _REMOTE_FONTS.sub("", picture).replace("<text ", '<text xml:space="preserve" ')
    (Path(__file__).parent / "status.svg").write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
