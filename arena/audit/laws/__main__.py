"""`python -m arena.audit.laws GAME` prints the game's playthrough.txt as the rules play it now."""

import sys

from arena.audit.laws import playthrough
from arena.games import load

if __name__ == "__main__":
    sys.stdout.write(playthrough(load(sys.argv[1])))
