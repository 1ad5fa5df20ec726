"""The bot as a person runs it: a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from contextlib import contextmanager

import forked
from patience import PATIENCE_S


def environment(display):
    """This process's environment, for a program on `display` or, with None, on no display at all."""
    session = ("DISPLAY", "WAYLAND_DISPLAY", "XDG_SESSION_TYPE", "XAUTHORITY")
    env = {name: value for name, value in os.environ.items() if name not in session}
    return env if display is None else env | {"DISPLAY": display}


class BotProcess:
    """`python -m bot ...`, with what it says kept line by line."""

    def __init__(self, process):
        self.process = process
        self.remarks: list[str] = []
        self._heard = threading.Condition()
        self._thread = threading.Thread(target=self._listen)
        self._thread.start()

    def wait_for(self, text, timeout_s=PATIENCE_S):
        """Wait until a line on standard error holds `text`."""
        with self._heard:
            said = self._heard.wait_for(lambda: any(text in line for line in self.remarks), timeout_s)
        assert said, f"the bot did not say {text!r} within {timeout_s} s but: {self.remarks}"

    def finish(self, timeout_s=PATIENCE_S):
        """Wait for its end; returns (exit code, standard output)."""
        output = self.process.stdout.read()
        code = self.process.wait(timeout_s)
        self._thread.join()
        return code, output

    def _listen(self):
        for line in self.process.stderr:
            with self._heard:
                self.remarks.append(line.rstrip("\n"))
                self._heard.notify_all()


@contextmanager
def running_bot(*arguments, module="bot", display=None, **variables):
    """Run the bot, or `calibration`, on a display while the block runs; it is ended if it is still there."""
    process = _start((module, *arguments), environment(display) | variables, is_forked=not variables)
    bot = BotProcess(process)
    try:
        yield bot
    finally:
        process.kill()
        process.wait()
        bot._thread.join()
        sys.stdout.write("\n  ".join(["the bot said:", *bot.remarks]) + "\n")  # for who looks into a failure
        process.stdout.close()
        process.stderr.close()


def run_bot(*arguments, display=None, timeout_s=PATIENCE_S, **variables):
    """Run the bot to its end, on a display or without one: returns (exit code, standard output, standard error)."""
    env = environment(display) | variables
    process = _start(("bot", *arguments), env, is_forked=not variables)  # some are read at the start
    try:
        output, remarks = process.communicate(timeout=timeout_s)
    finally:
        process.kill()
        process.wait()
    return process.returncode, output, remarks


def _start(command, env, *, is_forked=True):
    """A module with pipes: forked, unless a real start is asked for or the system cannot fork like that."""
    if is_forked and hasattr(os, "pidfd_open"):
        return forked.Forked(command, env)
    return subprocess.Popen(
        [sys.executable, "-m", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env
    )
