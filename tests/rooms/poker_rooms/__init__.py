"""Two small games of another distribution: arena finds them by the entry points of this distribution (pyproject.toml)."""
