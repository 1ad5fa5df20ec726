"""A real Chromium without a window, driven by real input: its own protocol over a pipe [1]. Nothing leaves the machine.

[1] https://chromedevtools.github.io/devtools-protocol/
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import subprocess
import time
from contextlib import contextmanager
from tempfile import TemporaryDirectory

from chromium import QUIET
from patience import PATIENCE_S

_KEYS = {"ArrowRight": 39, "ArrowLeft": 37, "Home": 36, "End": 35}


@contextmanager
def browser(program, *, width=1400, height=1000):
    """Run Chromium while the block runs; its page."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        its_in, our_out = map(_moved_away, os.pipe())
        our_in, its_out = map(_moved_away, os.pipe())

        def take_pipes():  # Chromium reads from 3 and writes to 4
            os.dup2(its_in, 3)
            os.dup2(its_out, 4)

        process = subprocess.Popen(
            [
                program,
                *QUIET,
                "--headless",
                "--hide-scrollbars",
                f"--user-data-dir={folder}",
                f"--window-size={width},{height}",
                "--remote-debugging-pipe",
                "about:blank",
            ],
            pass_fds=(3, 4),
            preexec_fn=take_pipes,  # noqa: PLW1509 - it calls nothing but dup2
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(its_in)
        os.close(its_out)
        page = Page(our_out, our_in)
        try:
            page.attach()
            yield page
        finally:
            os.close(our_out)
            process.terminate()
            process.wait(20)
            os.close(our_in)


def _moved_away(descriptor):
    """The same pipe under a number that is in nobody's way."""
    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 50)
    os.close(descriptor)
    return moved


class Page:
    """The one page of a browser."""

    def __init__(self, out, into):
        self._out, self._into = out, into
        self._n = 0
        self._buffer = b""
        self._session = None
        self.events = []

    def attach(self):
        """Take up the page that the browser begins with."""
        end = time.monotonic() + PATIENCE_S
        while True:
            pages = [one for one in self.call("Target.getTargets")["targetInfos"] if one["type"] == "page"]
            if pages:
                break
            assert time.monotonic() < end, "the browser has no page"
        target = pages[0]["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method, **params):
        """Ask the browser something; its answer."""
        self._n += 1
        message = {"id": self._n, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._n:
                assert "error" not in answer, answer
                return answer["result"]
            self.events.append(answer)

    def _next(self):
        end = time.monotonic() + PATIENCE_S
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._into], [], [], max(0.0, end - time.monotonic()))
            assert ready, "the browser does not answer"
            read = os.read(self._into, 1 << 20)
            assert read, "the browser has ended"
            self._buffer += read
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)

    def open(self, path):
        """Load a file and wait until it stands."""
        self.call("Page.navigate", url=path.as_uri())
        end = time.monotonic() + PATIENCE_S
        while self.value("document.readyState + location.protocol") != "completefile:":
            assert time.monotonic() < end, "the page does not load"

    def value(self, script):
        """What an expression is on the page."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def press(self, key):
        """Press a key and let it go."""
        text = key if len(key) == 1 else None
        fields = {"key": key, "windowsVirtualKeyCode": _KEYS.get(key, ord(key[0].upper()))}
        self.call("Input.dispatchKeyEvent", type="keyDown", **fields, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", **fields)

    def point(self, selector):
        """Move the mouse to the middle of an element; where that is."""
        element = f"document.querySelector({json.dumps(selector)})"
        self.value(f"{element}.scrollIntoView({{block: 'nearest'}})")
        x, y = self._place(selector, 0.5, 0.5)
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        return x, y

    def _place(self, selector, across, down):
        box = f"document.querySelector({json.dumps(selector)}).getBoundingClientRect()"
        return self.value(f"(b => [b.x + b.width * {across}, b.y + b.height * {down}])({box})")

    def click(self, selector, *, at=None):
        """Click the middle of an element, or a share of its width and height."""
        x, y = self.point(selector)
        if at is not None:
            x, y = self._place(selector, *at)
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def picture(self):
        """What is seen, as the content of a PNG file."""
        return base64.b64decode(self.call("Page.captureScreenshot")["data"])

    def printed(self):
        """The page as it is printed, as the content of a PDF file."""
        answer = self.call("Page.printToPDF", preferCSSPageSize=True, printBackground=True)
        return base64.b64decode(answer["data"])

    def complaints(self):
        """Errors and warnings on the page's console, and whatever it asked a network for."""
        self.value("1")
        told = []
        for event in self.events:
            method, params = event.get("method"), event.get("params", {})
            if method in {"Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled"}:
                told.append(params)
            elif method == "Network.requestWillBeSent" and not params["request"]["url"].startswith(("file:", "data:")):
                told.append(params["request"]["url"])
        return told
