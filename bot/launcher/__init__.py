"""The window that `minebot` opens on a desktop: what the bot sees now, and a button for each thing it can do.

Every button starts a command of the command line in a new process. The window does nothing in another way.
"""

from bot.launcher.window import open_launcher

__all__ = ["open_launcher"]
