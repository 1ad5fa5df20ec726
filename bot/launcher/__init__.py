"""The window that `minebot` opens on a desktop: what the bot sees now, and a button for each thing it can do.

Every button runs a command of the command line as a process of its own: the window knows no other way.
"""

from bot.launcher.window import open_launcher

__all__ = ["open_launcher"]
