"""Stored matches as data to learn from: `arena export` (docs/export.md)."""
