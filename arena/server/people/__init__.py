"""People at the server's tables: their names, the opponents they choose by strength, their matches and their ratings."""
