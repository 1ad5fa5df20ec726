"""Programs of this project, forked from a server that has imported them and loaded the kernel.

Starting `python -m bot` takes a second of processor time, most of it for imports. A forked program skips them. It has
its own process, arguments, environment and streams, and the interpreter shuts down as usual. Each pytest process starts
one server, `python forked.py FD`. The server ends when the socket FD is closed.
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

from patience import PATIENCE_S

COMMANDS = ("advise", "advisor", "coach", "doctor", "game", "play", "read")
MODULES = ("calibration.cli", "calibration.live.session", "bot.reporting.recording", "mss", "window_game")
"""The bot's commands and the other modules that the server imports. Modules that read the environment when they are
imported, such as pynput, are left out."""
_MOST_BYTES = 1 << 20


class Forked:
    """A forked `python -X faulthandler -m MODULE ...`, with the methods of `subprocess.Popen` that tests use.

    Attributes:
        stdout, stderr: the pipes with its output, as text; None for output that goes to a file.
        pid: the process id.
        returncode: the exit code, or minus the signal that ended the program; None while it runs.

    Args:
        command: the module, such as "bot" or "calibration", and its arguments.
        env: the environment.
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
        """The exit code; None while the program runs."""
        return self._ended_within(0)

    def wait(self, timeout=None):
        """Wait until the program has ended; returns the exit code."""
        if self._ended_within(timeout) is None:
            raise subprocess.TimeoutExpired(self.args, timeout)
        return self.returncode

    def communicate(self, timeout=None):
        """Wait until the program has ended; returns its standard output and standard error, None for a file."""
        with ThreadPoolExecutor(2) as readers:
            said = [readers.submit(_rest, stream) for stream in (self.stdout, self.stderr)]
            try:
                self.wait(timeout)
            except subprocess.TimeoutExpired:
                self.kill()
                raise
            return tuple(text.result() for text in said)

    def send_signal(self, number):
        """Send a signal if the program still runs."""
        if self.poll() is None:
            with suppress(ProcessLookupError):  # it ended right now
                os.kill(self.pid, number)

    def terminate(self):
        """Send SIGTERM."""
        self.send_signal(signal.SIGTERM)

    def kill(self):
        """Send SIGKILL."""
        self.send_signal(signal.SIGKILL)

    def _ended_within(self, timeout_s):
        if self.returncode is None and select.select([self._report], [], [], timeout_s)[0]:
            self.returncode = int(self._report.recv(_MOST_BYTES))
            self._report.close()
        return self.returncode


def _stream(file):
    """The end to read from and the end that the program writes to. A file has no end to read from: None."""
    if file is not None:
        return None, os.fdopen(os.dup(file.fileno()), "w")
    ours, its = os.pipe()
    return os.fdopen(ours, encoding="utf-8"), os.fdopen(its, "w")


def _rest(stream):
    """The rest of a pipe's text; None where there is no pipe."""
    if stream is None:
        return None
    with stream:
        return stream.read()


@cache
def _server():
    """The socket to the server; the first call starts it."""
    requests, its_requests = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    server = subprocess.Popen(
        [sys.executable, __file__, str(its_requests.fileno())],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,  # Python buffers a forked program's output as it did the server's
        stderr=subprocess.PIPE,
        pass_fds=[its_requests.fileno()],
    )
    its_requests.close()

    def end():
        requests.close()
        server.communicate(timeout=PATIENCE_S)

    atexit.register(end)
    return requests


def _serve(requests):
    """Fork a process for each request and report its end. In the server this never returns.

    Returns:
        In a forked process: the request, as a command and an environment.
    """
    selector = selectors.DefaultSelector()
    selector.register(requests, selectors.EVENT_READ)
    while True:
        for key, _ in selector.select():
            if key.fileobj is not requests:
                _report_end(selector, key)
                continue
            request = _fork(selector, requests)
            if request is not None:
                return request


def _fork(selector, requests):
    """Receive a request and fork. Returns the request in the forked process, None in the server."""
    request, fds, _, _ = socket.recv_fds(requests, _MOST_BYTES, 3)
    if not request:
        sys.exit()
    stdout, stderr, report = fds
    pid = os.fork()
    if pid == 0:
        os.dup2(stdout, 1)
        os.dup2(stderr, 2)
        selector.close()
        requests.detach()
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))
        return json.loads(request)
    os.write(report, str(pid).encode())
    os.close(stdout)
    os.close(stderr)
    selector.register(os.pidfd_open(pid), selectors.EVENT_READ, (pid, report))
    return None


def _report_end(selector, key):
    """Report the exit code of a forked process that has ended."""
    pid, report = key.data
    exit_code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    os.write(report, str(exit_code).encode())
    selector.unregister(key.fileobj)
    os.close(key.fileobj)
    os.close(report)


def main():
    """Import the programs and serve requests. A forked process runs its module as `python -m` does."""
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
