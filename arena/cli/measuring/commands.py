"""What command bots cost: rows of `arena bench seats`. Trivial programs in three languages, each where its tool is here."""

import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from arena import games
from arena.agent import BotFiles, StartInfo
from arena.match import Answer
from arena.match.sandbox import CommandSeat, Supervisor
from arena.records import DEFAULT_LIMITS, Clock

STARTS = 20
ROUND_TRIPS = 2000
_CLOCK = Clock(move=5.0, bank=5.0)

_PYTHON = b"""
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] != "end":
        answer = {"ok": True} if message["type"] == "start" else {"action": 0}
        print(json.dumps({"id": message["id"], **answer}), flush=True)
"""
_NODE = b"""
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "end") return;
  const answer = message.type === "start" ? { ok: true } : { action: 0 };
  process.stdout.write(JSON.stringify({ id: message.id, ...answer }) + "\\n");
});
"""
_C = b"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
    static char line[70000];
    while (fgets(line, sizeof line, stdin)) {
        unsigned long long id = strtoull(strstr(line, "\\"id\\":") + 5, NULL, 10);
        if (strstr(line, "\\"type\\":\\"start\\"")) printf("{\\"id\\":%llu,\\"ok\\":true}\\n", id);
        else if (strstr(line, "\\"type\\":\\"act\\"")) printf("{\\"id\\":%llu,\\"action\\":0}\\n", id);
        fflush(stdout);
    }
    return 0;
}
"""


class CommandCost(msgspec.Struct, frozen=True):
    """Figures of one language's programs on one machine. Medians of wall time unless they say otherwise."""

    language: str
    start_ms: float
    """Milliseconds from a warm zygote to a bot that is ready."""
    start_cpu_ms: float
    """CPU time of the seat for it, the lock included."""
    round_trip_us: float
    """A decision of a trivial bot, asked and answered, the text of its position included."""
    round_trip_p99_us: float
    round_trip_cpu_us: float
    """Mean CPU time of the program for it."""


def command_costs(game: str) -> list[CommandCost]:
    """Measure each language whose tool is on this machine, with decisions of `room`."""
    builders: dict[str, tuple[str, Callable[[], BotFiles]]] = {
        "C": ("cc", _compiled),
        "Python without arena": ("python3", lambda: _script(["python3", "-I", "-S", "bot"], _PYTHON)),
        "Node.js": ("node", lambda: _script(["node", "bot"], _NODE)),
    }
    with Supervisor((game,)) as supervisor:
        _ = supervisor.level  # its zygote is up
        return [
            _cost(supervisor, game, language, build()) for language, (tool, build) in builders.items() if shutil.which(tool)
        ]


def _cost(supervisor: Supervisor, name: str, language: str, bot: BotFiles) -> CommandCost:
    game = games.load(name)
    options = game.resolve_options({}, game.seats[0])
    info = StartInfo(name, options, game.seats[0], 0, _CLOCK)
    starts, cpus = [], []
    for _ in range(STARTS):
        with _seat(supervisor, bot) as seat:
            began = time.perf_counter()
            fault = seat.start(info)
            starts.append(time.perf_counter() - began)
            assert fault is None, fault
            cpus.append(time.clock_gettime((~seat.pid << 3) | 2))
    states = game.deal(info.seats, options, 1)
    trips, used = [], 0.0
    with _seat(supervisor, bot) as seat:
        seat.start(info)
        for _ in range(ROUND_TRIPS):
            codes = game.legal_list(states)
            began = time.perf_counter()
            seat.ask(game.view(game, game.observed(states, 0), 0, codes=codes, events=list, clock=_CLOCK))
            answer = seat.answer()
            trips.append(time.perf_counter() - began)
            assert isinstance(answer, Answer), answer
            used += answer.cpu_seconds
    trips.sort()
    return CommandCost(
        language=language,
        start_ms=1e3 * statistics.median(starts),
        start_cpu_ms=1e3 * statistics.median(cpus),
        round_trip_us=1e6 * statistics.median(trips),
        round_trip_p99_us=1e6 * trips[len(trips) * 99 // 100],
        round_trip_cpu_us=1e6 * used / ROUND_TRIPS,
    )


def _seat(supervisor: Supervisor, bot: BotFiles) -> CommandSeat:
    return CommandSeat(supervisor, bot, seed=1, params={}, limits=DEFAULT_LIMITS)


def _script(command: list[str], source: bytes) -> BotFiles:
    toml = f'name = "trivial"\ncommand = {msgspec.json.encode(command).decode()}\n'
    return BotFiles("bot.toml", {"bot.toml": toml.encode(), "bot": source})


def _compiled() -> BotFiles:
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["cc", "-O2", "-x", "c", "-o", "bot", "-"], cwd=folder, input=_C, check=True)
        return _script(["./bot"], Path(folder, "bot").read_bytes())
