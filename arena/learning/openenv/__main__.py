"""`python -m arena.learning.openenv GAME [--host HOST] [--port PORT] [--sessions N]`: the server of the environment."""

import argparse
import sys

import uvicorn

from arena.errors import ArenaError, printable
from arena.learning.language_models.settings import EpisodeSettings
from arena.learning.openenv.environment import SESSIONS, app


def main() -> int:
    """Serve until it is stopped; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m arena.learning.openenv", description=__doc__)
    parser.add_argument("game")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--sessions", type=int, default=SESSIONS, help="how many clients at once")
    asked = parser.parse_args()
    try:
        served = app(EpisodeSettings(game=asked.game), sessions=asked.sessions)
    except ArenaError as error:
        print(printable(str(error)), file=sys.stderr)
        return 2
    uvicorn.run(served, host=asked.host, port=asked.port)
    return 0


if __name__ == "__main__":
    sys.exit(main())
