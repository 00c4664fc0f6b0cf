"""What the rows of finished matches say: ratings and how sure they are, the luck of the seats, pairs, seats, versions."""
