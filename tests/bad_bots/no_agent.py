"""Has no Agent class. Expected: refused before the tournament."""
