"""Our programs, forked from a process that has imported them and loaded the kernel already.

To start `python -m bot` takes a second of a processor, most of it for what is the same each time. A forked one is a
process of its own, with its own arguments, environment and streams, and ends as any other. `python forked.py FD` is
what they are forked from: one for each process of pytest. It ends when nobody can ask it any more.
"""

from __future__ import annotations

import atexit
import faulthandler
import importlib
import json
import os
import runpy
import select
import selectors
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from pathlib import Path

COMMANDS = ("advise", "advisor", "coach", "doctor", "game", "play", "read")
MODULES = ("calibration.cli", "calibration.live.session", "bot.reporting.recording", "mss", "window_game")
"""The commands of the bot, and the modules besides, that are imported before anybody asks for them. What looks at the
environment as it is imported is not among them, such as pynput."""
_MOST_BYTES = 1 << 20


class Forked:
    """`python -X faulthandler -m MODULE ...`: it can what tests need of a `subprocess.Popen` with text.

    Attributes:
        stdout, stderr: what it says, where it says that to a pipe.
        pid: of its process.
        returncode: its exit code, or the number of the signal that ended it, below 0; None while it runs.

    Args:
        command: the module, such as "bot" or "calibration", and its arguments.
        env: its environment.
        stdout, stderr: open files; None for a pipe.
    """

    def __init__(self, command, env, stdout=None, stderr=None):
        self.args = list(map(str, command))
        self._report, report = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        (self.stdout, its_stdout), (self.stderr, its_stderr) = _stream(stdout), _stream(stderr)
        request = json.dumps([self.args, env]).encode()
        with report, its_stdout, its_stderr:
            fds = [stream.fileno() for stream in (its_stdout, its_stderr, report)]
            socket.send_fds(_server(), [request], fds)
        self.pid = int(self._report.recv(_MOST_BYTES))
        self.returncode = None

    def poll(self):
        """Its exit code, None while it runs."""
        return self._ended_within(0)

    def wait(self, timeout=None):
        """Wait for its end; returns the exit code."""
        if self._ended_within(timeout) is None:
            raise subprocess.TimeoutExpired(self.args, timeout)
        return self.returncode

    def communicate(self, timeout=None):
        """Wait for its end; returns what it said on standard output and standard error, None where that was a file."""
        with ThreadPoolExecutor(2) as readers:
            said = [readers.submit(_rest, stream) for stream in (self.stdout, self.stderr)]
            try:
                self.wait(timeout)
            except subprocess.TimeoutExpired:
                self.kill()
                raise
            return tuple(text.result() for text in said)

    def send_signal(self, number):
        """Send it a signal, if it still runs."""
        if self.poll() is None:
            with suppress(ProcessLookupError):  # it ended right now
                os.kill(self.pid, number)

    def terminate(self):
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self):
        """End it."""
        self.send_signal(signal.SIGKILL)

    def _ended_within(self, timeout_s):
        if self.returncode is None and select.select([self._report], [], [], timeout_s)[0]:
            self.returncode = int(self._report.recv(_MOST_BYTES))
            self._report.close()
        return self.returncode


def _stream(file):
    """What a program writes to, and where that can be read: a file, and None, or both ends of a pipe."""
    if file is not None:
        return None, os.fdopen(os.dup(file.fileno()), "w")
    ours, its = os.pipe()
    return os.fdopen(ours, encoding="utf-8"), os.fdopen(its, "w")


def _rest(stream):
    """All that is still to be read, and None where there is no pipe."""
    if stream is None:
        return None
    with stream:
        return stream.read()


@cache
def _server():
    """The socket on which this process asks for programs."""
    requests, its_requests = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    server = subprocess.Popen(
        [sys.executable, __file__, str(its_requests.fileno())],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,  # as those of a program are, or Python takes them for files
        stderr=subprocess.PIPE,
        pass_fds=[its_requests.fileno()],
    )
    its_requests.close()

    def end():
        requests.close()
        server.communicate(timeout=10)

    atexit.register(end)
    return requests


def _serve(requests):
    """Fork a process for each request, and report its number and its exit code; returns what a fork is asked to run."""
    selector = selectors.DefaultSelector()
    selector.register(requests, selectors.EVENT_READ)
    while True:
        for key, _ in selector.select():
            if key.fileobj is not requests:
                pid, report = key.data
                exit_code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
                os.write(report, str(exit_code).encode())
                selector.unregister(key.fileobj)
                os.close(key.fileobj)
                os.close(report)
                continue
            request, fds, _, _ = socket.recv_fds(requests, _MOST_BYTES, 3)
            if not request:
                sys.exit()
            pid = os.fork()
            if pid == 0:
                os.dup2(fds[0], 1)
                os.dup2(fds[1], 2)
                selector.close()
                requests.detach()
                os.closerange(3, os.sysconf("SC_OPEN_MAX"))
                return json.loads(request)
            os.write(fds[2], str(pid).encode())
            os.close(fds[0])
            os.close(fds[1])
            selector.register(os.pidfd_open(pid), selectors.EVENT_READ, (pid, fds[2]))


def main():
    """Import the programs, then be asked for copies; a copy goes on as `python -m MODULE`."""
    faulthandler.enable()
    sys.path.append(sys.path[0])  # for programs of the tests
    sys.path[0] = str(Path.cwd())  # as `python -m` has it
    from bot import last_resort

    for name, value in last_resort._OF_LIBRARIES.items():
        os.environ.setdefault(name, value)
    from bot import cli  # numpy reads the environment
    from solver import kernel

    cli.make_parser(COMMANDS)
    for name in MODULES:
        importlib.import_module(name)
    kernel.load()
    (module, *arguments), env = _serve(socket.socket(fileno=int(sys.argv[1])))
    os.environ.clear()
    os.environ.update(env)
    sys.argv[1:] = arguments
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
