"""Doors to the learning libraries, each imported by itself (docs/learning.md); `training` and `exploit`: docs/training.md."""
