"""A table in the terminal, where one person plays against bots: `arena play`."""
