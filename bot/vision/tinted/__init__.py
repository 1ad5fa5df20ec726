"""Boards of numbers on tinted grounds, laid out in blocks (`skins.skin.Tints`): where they are, and what they say."""

from bot.vision.tinted.find import find_tinted
from bot.vision.tinted.match import TintMatcher, tint_matcher_of

__all__ = ["TintMatcher", "find_tinted", "tint_matcher_of"]
