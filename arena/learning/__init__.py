"""Doors to the learning libraries: each is imported by itself, and nothing else of arena imports it (docs/learning.md)."""
