"""The contest of a hall: its file, and the ladder beside the hall."""
