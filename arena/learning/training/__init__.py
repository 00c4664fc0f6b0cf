"""How games learn: self-play, small networks fitted to it, and generations of both. Names no game (docs/training.md)."""
