"""The bot in a terminal of its own: what it shows there, what Ctrl-C does, and whether it leaves the terminal clean."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import termios
import threading
from contextlib import contextmanager

from bot_process import environment
from patience import PATIENCE_S

CTRL_C = b"\x03"
END = b"\x04"
"""What no program writes: the tests' own sign that nothing more comes."""
HIDDEN, SHOWN = b"\x1b[?25l", b"\x1b[?25h"
OTHER_SCREEN, OWN_SCREEN = b"\x1b[?1049h", b"\x1b[?1049l"


class TerminalBot:
    """`python -m bot ...` as a terminal's foreground program."""

    def __init__(self, arguments, display):
        self._master, self._slave = pty.openpty()
        termios.tcsetwinsize(self._slave, (40, 120))
        self._before = termios.tcgetattr(self._slave)
        self.shown = b""
        self._heard = threading.Condition()
        self.process = subprocess.Popen(
            ["setsid", "--ctty", sys.executable, "-m", "bot", *arguments],
            stdin=self._slave,
            stdout=self._slave,
            stderr=self._slave,
            env=environment(display) | {"TERM": "xterm-256color"},
        )
        self._thread = threading.Thread(target=self._listen)
        self._thread.start()

    def _listen(self):
        data = b""
        while not data.endswith(END):
            data = os.read(self._master, 65536)
            with self._heard:
                self.shown += data.removesuffix(END)
                self._heard.notify_all()

    def _hear_the_rest(self):
        if self._thread.is_alive():
            os.write(self._slave, END)
            self._thread.join(10)

    def close(self):
        """End it if it is still there."""
        self.process.kill()
        self.process.wait()
        self._hear_the_rest()
        os.close(self._slave)
        os.close(self._master)

    def type(self, keys):
        """Type into its terminal."""
        os.write(self._master, keys)

    def count(self, text):
        """How often it has shown a text."""
        return self.shown.count(text.encode())

    def wait_for(self, text, n_times=1, timeout_s=PATIENCE_S):
        """Wait until it has shown a text so often; whether it did."""
        with self._heard:
            return self._heard.wait_for(lambda: self.count(text) >= n_times, timeout_s)

    def finish(self, timeout_s=PATIENCE_S):
        """Wait for its end: its exit code."""
        return self.process.wait(timeout_s)

    def left_behind(self):
        """What is not as it was before it ran, in words; empty where all is."""
        self._hear_the_rest()
        wrong = []
        if termios.tcgetattr(self._slave) != self._before:
            wrong.append("the terminal's settings differ")
        if self.shown.rfind(HIDDEN) > self.shown.rfind(SHOWN):
            wrong.append("the cursor is hidden")
        if self.shown.rfind(OTHER_SCREEN) > self.shown.rfind(OWN_SCREEN):
            wrong.append("the alternate screen is shown")
        if not self.shown.endswith(b"\n"):
            wrong.append(f"the last line is not ended: {self.shown[-80:]!r}")
        return wrong


@contextmanager
def bot_in_terminal(*arguments, display):
    """Run the bot in a terminal while the block runs."""
    bot = TerminalBot(arguments, display)
    try:
        yield bot
    finally:
        bot.close()
