"""Fixtures that several test modules of the bot share."""

from __future__ import annotations

import os
import select
import shutil
import subprocess
from contextlib import ExitStack, contextmanager

import pytest


def _need_program(name: str) -> None:
    """Without the program: an error where everything must run (CI), a skip with the cure elsewhere."""
    if shutil.which(name) is None:
        message = f"{name} is missing: sudo apt-get install xvfb openbox xdotool"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)


@contextmanager
def _running(command, **options):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(timeout=10)


def _read_display_number(read_end: int) -> str:
    """Xvfb writes the number once it accepts clients."""
    text = b""
    while not text.endswith(b"\n"):
        ready, _, _ = select.select([read_end], [], [], 20)
        piece = os.read(read_end, 16) if ready else b""
        if not piece:
            pytest.fail(f"Xvfb did not start (said {text!r})")
        text += piece
    return text.decode().strip()


@pytest.fixture(scope="session")
def virtual_display():
    """The name (`:7`) of a virtual screen of 1280 x 1024 with a window manager, for this test run alone."""
    _need_program("Xvfb")
    _need_program("xdotool")
    read_end, write_end = os.pipe()
    with ExitStack() as stack:
        stack.callback(os.close, read_end)
        options = ["-screen", "0", "1280x1024x24", "-nolisten", "tcp", "-noreset"]
        stack.enter_context(_running(["Xvfb", "-displayfd", str(write_end), *options], pass_fds=(write_end,)))
        os.close(write_end)
        name = f":{_read_display_number(read_end)}"
        if shutil.which("openbox"):
            stack.enter_context(_running(["openbox"], env={**os.environ, "DISPLAY": name}))
        yield name
