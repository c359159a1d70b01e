"""A real browser without a driver: headless Chromium, told what to do through two pipes by its DevTools
protocol.
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser")
_PATIENCE = 60.0  # seconds


class Browser:
    """A window of `width` by `height` pixels, light or dark. Close it by `with`."""

    def __init__(self, width: int = 1200, height: int = 900, *, dark: bool = False) -> None:
        assert PROGRAM is not None
        self._home = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_read, self._told = os.pipe()
        self._said, to_write = os.pipe()
        # Chromium reads from descriptor 3 and writes to descriptor 4.
        script = f'exec 3<&{to_read} 4>&{to_write}; exec {PROGRAM} "$@"'
        options = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage")
        options += ("--remote-debugging-pipe", f"--user-data-dir={self._home.name}")
        options += (f"--window-size={width},{height}", "--hide-scrollbars", "about:blank")
        self._process = subprocess.Popen(
            ["bash", "-c", script, "bash", *options],
            pass_fds=(to_read, to_write),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(to_read)
        os.close(to_write)
        self._rest, self._number, self._session = b"", 0, ""
        self.messages: list[dict[str, Any]] = []  # events, such as refusals of the page's policy
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self._told)
        os.close(self._said)
        self._home.cleanup()

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """The result of a method of the protocol."""
        self._number += 1
        asked = {"id": self._number, "method": method, "params": params}
        asked |= {"sessionId": self._session} if self._session else {}
        os.write(self._told, json.dumps(asked).encode() + b"\0")
        until = time.monotonic() + _PATIENCE
        while True:
            message = self._message(until)
            if message.get("id") == self._number:
                assert "error" not in message, message
                return dict(message["result"])
            self.messages.append(message)

    def _message(self, until: float) -> dict[str, Any]:
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._said], [], [], max(0.0, until - time.monotonic()))
            data = os.read(self._said, 1 << 20) if ready else b""
            assert data, "the browser does not answer"
            self._rest += data
        first, _, self._rest = self._rest.partition(b"\0")
        return dict(json.loads(first))

    def open(self, url: str) -> None:
        """Go to a page, and wait until it is loaded."""
        self.call("Page.navigate", url=url)
        self.wait("document.readyState === 'complete' && location.href !== 'about:blank'")

    def value(self, script: str) -> Any:
        """The value of an expression in the page."""
        found = self.call(
            "Runtime.evaluate",
            expression=script,
            returnByValue=True,
            awaitPromise=True,
            userGesture=True,
        )
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def wait(self, script: str) -> None:
        """Wait until an expression in the page is true."""
        until = time.monotonic() + _PATIENCE
        while not self.value(script):
            assert time.monotonic() < until, f"never true: {script}"
            time.sleep(0.1)

    def complaints(self) -> list[str]:
        """What the browser complained about, such as what the policy of the page forbids."""
        self.value("0")
        return [
            str(one["params"])
            for one in self.messages
            if one.get("method") in ("Log.entryAdded", "Runtime.exceptionThrown")
        ]

    def picture(self, file: Path, form: str = "webp", quality: int = 60) -> None:
        """Save a picture of the window."""
        told = {"quality": quality} if form != "png" else {}
        data = self.call("Page.captureScreenshot", format=form, **told)["data"]
        file.write_bytes(base64.b64decode(data))
