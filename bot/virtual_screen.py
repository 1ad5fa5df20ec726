"""A screen of the bot's own, for machines without one: Xvfb, started and ended with the block."""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from bot.errors import ScreenError
from bot.signals import held_back

if TYPE_CHECKING:
    from collections.abc import Iterator

SIZE = "1280x1024x24"
_SESSION_VARIABLES = ("DISPLAY", "WAYLAND_DISPLAY", "XDG_SESSION_TYPE", "XAUTHORITY")


@contextmanager
def xvfb(*options: str) -> Iterator[str]:
    """Run Xvfb on a free display number; yields the display's name, such as ":7".

    Args:
        options: more of its options.

    Raises:
        ScreenError: Xvfb is not installed, or does not start.
    """
    program = shutil.which("Xvfb")
    if program is None:
        raise ScreenError("a virtual screen needs Xvfb (Debian: apt-get install xvfb), and it is not installed")
    read_end, write_end = os.pipe()
    command = [program, "-displayfd", str(write_end), "-screen", "0", SIZE, "-nolisten", "tcp", "-noreset"]
    command += options
    with ExitStack() as stack:
        pipe = stack.enter_context(os.fdopen(read_end))
        with held_back():  # a screen that is started is ended, too
            server = subprocess.Popen(  # noqa: S603 - the program was found on PATH, the arguments are fixed
                command,
                pass_fds=[write_end],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is for us: the screen is needed until all is told and closed
            )
            stack.callback(server.wait)
            stack.callback(server.terminate)
        os.close(write_end)
        number = pipe.readline().strip()
        if not number:
            raise ScreenError(f"Xvfb did not start (exit code {server.wait()}); try it by hand: {' '.join(command)}")
        yield f":{number}"


@contextmanager
def virtual_screen() -> Iterator[str]:
    """Run Xvfb, and point this process and those it starts at it; yields the display's name.

    Raises:
        ScreenError: as `xvfb`.
    """
    with xvfb() as name:
        before = {variable: os.environ.pop(variable, None) for variable in _SESSION_VARIABLES}
        os.environ["DISPLAY"] = name
        try:
            yield name
        finally:
            os.environ.pop("DISPLAY", None)
            os.environ.update({variable: value for variable, value in before.items() if value is not None})
