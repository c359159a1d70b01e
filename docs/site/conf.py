"""The documentation site: `sphinx-build -W -c docs/site . build/site` from the folder of the checkout.

The pages are those of the checkout, at the places that they have there, so that a link means the same
on the site and in a checkout. The pages under docs/reference are made from the code and the data.
"""

from __future__ import annotations

import sys
from pathlib import Path

from sphinx.application import Sphinx

sys.path.insert(0, str(Path(__file__).parent))

import reference

import murxpy

project = "murxpy"
author = "the authors of murxpy"
version = release = murxpy.__version__
extensions = ["myst_parser"]
root_doc = "docs/index"
include_patterns = [
    *("README.md", "CHANGELOG.md", "CONTRIBUTING.md"),
    *("docs/**.md", "traces/FORMAT.md", "traces/regressions/**.md", "bench/results/**.md"),
]
exclude_patterns = [".venv", "**/node_modules"]
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
suppress_warnings = ["myst.header", "misc.highlighting_failure"]
html_theme = "furo"
html_title = "murxpy"
html_extra_path = ["home"]
html_copy_source = False
html_show_copyright = False


def setup(app: Sphinx) -> None:
    """Make the pages of the reference before Sphinx looks for pages."""
    reference.write(Path(app.srcdir) / "docs" / "reference")
    app.connect("source-read", _titled)


def _titled(app: Sphinx, page: str, text: list[str]) -> None:
    """Give a page without a title, as benches write them, the name of its file."""
    if not text[0].startswith("#"):
        text[0] = f"# {page.rpartition('/')[2]}\n\n{text[0]}"
