"""The compiled play that networks are trained on: generic code, bound to one game."""
