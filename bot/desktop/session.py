"""Whether this desktop session can be seen and clicked at all, and what to do when it cannot."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from bot.errors import ScreenError

if TYPE_CHECKING:
    from collections.abc import Mapping


def check_session(environment: Mapping[str, str] | None = None, platform: str = sys.platform) -> None:
    """Make sure there is a display that programs may capture and click.

    Args:
        environment: the environment variables to judge by; the process's own when None.
        platform: as `sys.platform`.

    Raises:
        ScreenError: no display, or Wayland, which lets no program see or click other windows.
    """
    env = os.environ if environment is None else environment
    if platform in ("win32", "darwin"):
        return
    if env.get("WAYLAND_DISPLAY") or env.get("XDG_SESSION_TYPE") == "wayland":
        raise ScreenError(
            "this is a Wayland session: it lets no program see or click another program's window.\n"
            "Log out and choose an X11 (Xorg) session, or try the bot on a virtual screen: minebot demo --headless.\n"
            "Pictures can be read here: minebot read IMAGE."
        )
    if not env.get("DISPLAY"):
        raise ScreenError(
            "there is no display: DISPLAY is not set.\n"
            "Start it in a desktop session, or on a virtual screen (Debian: apt-get install xvfb; "
            "xvfb-run minebot play), or see it play on its own one: minebot demo --headless."
        )


def has_display(environment: Mapping[str, str] | None = None, platform: str = sys.platform) -> bool:
    """Whether there is any screen; a Wayland session has one, which the bot cannot use.

    Args:
        environment: as for `check_session`.
        platform: as `sys.platform`.
    """
    env = os.environ if environment is None else environment
    return platform in ("win32", "darwin") or bool(env.get("DISPLAY") or env.get("WAYLAND_DISPLAY"))
