"""Starts the process beside a campaign: `python -m murxpy.campaign.behind PID GATE NICE GRANTS PLUGINS`. The
plug-ins of the campaign are named before the modules to which they add are imported.
"""

from __future__ import annotations

import gc
import json
import sys

from murxpy import plugins

if __name__ == "__main__":
    gc.disable()  # what is loaded stays
    plugins.use(json.loads(sys.argv[5]))
    from murxpy.campaign.behind.process import main

    gc.freeze()
    gc.enable()
    main(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), json.loads(sys.argv[4]))
