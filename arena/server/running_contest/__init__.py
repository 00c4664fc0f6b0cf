"""The contest of a server: its file, and the ladder beside the server."""
