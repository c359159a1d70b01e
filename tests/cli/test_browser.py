"""The pages of `murxpy report` and `murxpy watch` in a real browser."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from urllib.request import urlopen

import pytest
from browser import PROGRAM, Browser
from store_buckets import kept, stored

from murxpy.cli.report import page
from murxpy.cli.report.written import report_of
from murxpy.findings.store import Changes, Store, TargetState
from murxpy.records.timeline import Point

pytest.importorskip("jinja2")
pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(PROGRAM is None, reason="there is no Chromium here"),
]
SCRIPT = "(set-logic ALL)\n(check-sat) ; unsat\n"
HOSTILE = "</pre></main><script>document.title = 'taken'</script><img src=x onerror=\"document.title='taken'\">"


def campaign(out: Path) -> None:
    """A campaign with 130 defects, the first with hostile texts, and figures over time."""
    forms = {"smt2": SCRIPT, "min.trace": "# murxpy-trace 1\n 1 new\n"}
    buckets = [
        kept(
            out,
            f"wrong-unsat-{n:03}",
            forms,
            kind="wrong-unsat",
            message=f"{HOSTILE if n == 0 else 'answered unsat'}: m{n}",
            triage={"evidence": [HOSTILE]},
        )
        for n in range(130)
    ]
    stored(out, *buckets)
    with closing(Store(out)) as store:
        points = [Point(1.0, float(at), *(at * k for k in (30, 90, 60, 5))) for at in range(60)]
        targets = [TargetState("z3", "z3", "5.4.1")]
        store.save(Changes(targets, session=(1.0, None, None, "{}"), points=points))


@contextmanager
def watched(out: Path) -> Iterator[str]:
    """The link to the page of a campaign."""
    command = [sys.executable, "-m", "murxpy", "watch", str(out), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip()
        finally:
            process.send_signal(signal.SIGINT)
            assert process.wait(10) == 130


@pytest.mark.parametrize("dark", [False, True])
def test_a_report_works_from_a_file(tmp_path: Path, dark: bool) -> None:
    campaign(tmp_path)
    file = tmp_path / "report.html"
    file.write_text(page.html(report_of(tmp_path)))
    with Browser(dark=dark) as browser:
        browser.open(file.as_uri())
        assert browser.value("document.title") == "murxpy: z3 5.4.1"
        assert browser.value("document.querySelectorAll('.copy-button').length") > 100
        browser.value("document.querySelector('.copy-button').click()")
        browser.wait("/copied|selected/.test(document.querySelector('.copy-button').textContent)")
        find = "(word => { const box = document.querySelector('#find input'); box.value = word;"
        find += "box.dispatchEvent(new Event('input')); return [...document.querySelectorAll("
        find += "'[data-defect]')].filter(one => !one.hidden).length; })"
        assert browser.value(f"{find}('wrong-unsat-129')") == 1
        assert browser.value(f"{find}('')") == 130
        assert browser.value("getComputedStyle(document.body).colorScheme") == "light dark"
        # the page is no wider than the window
        assert browser.value("document.documentElement.scrollWidth <= innerWidth")
        assert browser.complaints() == []


def test_a_page_follows_its_campaign(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with watched(out) as link, Browser() as browser:
        browser.open(link)
        browser.wait("document.body.textContent.includes('waiting for a campaign')")
        out.mkdir()
        campaign(out)
        browser.wait("document.querySelectorAll('[data-defect]').length === 130")
        assert browser.value("document.title") != "taken"
        # what the reader opened stays open when the part is replaced
        browser.value("document.getElementById('wrong-unsat-050').open = true")
        with closing(Store(out)) as store:
            more = replace(store.buckets()[0], count=777)
            store.save(Changes(buckets=[more], counters=Counter({"run:total": 12_245})))
        browser.wait("document.getElementById('head').textContent.includes('12,345')")
        browser.wait("document.getElementById('defects').textContent.includes('777 findings')")
        assert browser.value("document.getElementById('wrong-unsat-050').open")
        assert browser.complaints() == []


def test_many_browsers_look_at_one_campaign(tmp_path: Path) -> None:
    campaign(tmp_path)
    with watched(tmp_path) as link, Browser() as one, Browser() as other:
        for browser in (one, other):
            browser.open(link)
            browser.wait("document.querySelectorAll('svg').length > 3")
        assert urlopen(link).status == 200
        assert (
            json.loads(one.value("JSON.stringify(performance.getEntriesByType('resource').length)"))
            < 9
        )
