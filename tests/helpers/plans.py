"""Plans of a league whose bots and games are names only."""

from arena.match.faults import FaultPolicy
from arena.match.seeds import key_from_seed
from arena.records import Clock, Limits
from arena.tournament.formats.plan import CYCLIC, Contestant, Entry, Plan


def plan(bots: int = 4, *, entries: list[tuple[int, int]] = [(2, 3)], rotations: str = CYCLIC, seed: int | None = 1) -> Plan:  # noqa: B006
    """`entries`: (seats, deals) each."""
    return Plan(
        entries=tuple(
            Entry(game="naga", rules_version=1, seats=seats, options={"number": number}, deals=deals, pool=f"p{number}")
            for number, (seats, deals) in enumerate(entries)
        ),
        contestants=tuple(Contestant(name=f"bot{number}", sha256=f"{number:064}", games=("naga",)) for number in range(bots)),
        rotations=rotations,
        clock=Clock(1, 10),
        limits=Limits(memory=1),
        faults=FaultPolicy(),
        key=key_from_seed(seed or 0),
        seed=seed,
    )
