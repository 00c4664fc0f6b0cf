"""Too little memory is said before a tournament begins; afterwards the kernel kills without a word."""

import itertools
from pathlib import Path

import pytest

from arena.cli.verbs import doctor
from arena.errors import ArenaError
from arena.tournament import memory
from arena.tournament.config import read_config
from arena.tournament.memory import Kills, check_memory, memory_needed
from arena.tournament.session import LOCAL, RAY, Settings
from helpers.paths import HOUSE_BOTS


def says(folder: Path, megabytes: int, *, is_trusted: bool, **settings: object) -> list[str]:
    """What is said of a tournament where so much memory is there."""
    config, said = folder / "cup.yaml", list[str]()
    bots = "".join(f"  - {{path: {HOUSE_BOTS}/{name}.py, trusted: {is_trusted}}}\n" for name in ("random_bot", "naga_greedy"))
    config.write_text(f"name: cup\ngames: [{{game: naga, seats: 2}}]\nbots:\n{bots}deals: 1\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(memory, "memory_here", lambda: megabytes << 20)
        check_memory(read_config(config), Settings(out=folder, **settings), said.append)  # type: ignore[arg-type]
    return said


@pytest.mark.parametrize(
    ("megabytes", "is_trusted", "backend"), [(256, False, LOCAL), (384, False, LOCAL), (384, False, RAY), (256, True, RAY)]
)
def test_too_little_memory_for_one_worker_is_refused_with_what_it_takes(
    megabytes: int, is_trusted: bool, backend: str, tmp_path: Path
) -> None:
    words = rf"not enough memory: {megabytes} MB here, .* takes \d+ MB with one worker"
    with pytest.raises(ArenaError, match=words) as refused:
        says(tmp_path, megabytes, is_trusted=is_trusted, backend=backend)
    assert ("--backend local" in str(refused.value)) == (backend == RAY)


@pytest.mark.parametrize(("is_trusted", "megabytes"), [(True, 192), (False, 768)])
def test_where_not_all_workers_fit_it_is_said_how_many_do(is_trusted: bool, megabytes: int, tmp_path: Path) -> None:
    (said,) = says(tmp_path, megabytes, is_trusted=is_trusted, backend=LOCAL, workers=64)
    assert f"{megabytes} MB: the kernel may kill some; --workers 1 fits" in said
    assert says(tmp_path, megabytes, is_trusted=is_trusted, backend=LOCAL, workers=1) == []


def test_the_workers_of_a_cluster_are_elsewhere(tmp_path: Path) -> None:
    assert says(tmp_path, 100, is_trusted=False, address="10.0.0.1:6379") == []


def test_a_worker_that_the_kernel_killed_for_its_memory_is_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    said = list[str]()
    monkeypatch.setattr(memory, "memory_kills", itertools.count().__next__)
    kills = Kills(said.append)
    kills.look(0)
    assert not said
    kills.look(1)
    kills.look(2)
    assert len(said) == 1 and "killed a process for want of memory" in said[0] and "--workers" in said[0]


def test_the_doctor_says_how_much_a_tournament_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for megabytes, is_enough in ((256, False), (4096, True)):
        monkeypatch.setattr(doctor, "memory_here", lambda here=megabytes: here << 20)
        found = {finding.name: finding for finding in doctor.examine_machine(tmp_path)}["memory"]
        assert (found.works, found.is_needed) == (is_enough, False)
        assert f"{memory_needed(workers=1, is_locked=True, is_on_ray=False) >> 20} MB" in found.detail
