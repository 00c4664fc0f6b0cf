"""The laboratory of arena's developers: measurements and storms, run by `python -m lab TOPIC`; not in the wheel."""
