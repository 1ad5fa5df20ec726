"""Seeing: pixels become boards, cells and counts, here and nowhere else.

Knows frames and skins; never clicks, never waits.
"""
