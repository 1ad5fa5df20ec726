"""Perceive, decide, act: the bot that plays a clone on the screen."""
