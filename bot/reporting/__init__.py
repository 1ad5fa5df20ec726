"""Telling: how play goes, what was recorded, what is advised; as text, tables and pictures."""
