"""Chaos on a Ray cluster, several nodes on one machine: they join, die and freeze, and the results are those of a calm run.

Only processes below the nodes that a test has started get signals. Each test asserts from the log that its event did happen.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import arena
from arena.tournament.session import Results, read_results
from helpers.processes import until
from helpers.ray_nodes import RayNodes
from helpers.tournaments import GOOD_BOTS, assert_same, ended, journalled, write_config
from helpers.tournaments import run as run_local

DEALS = 40
COUNTING, SETS, FOLDER = GOOD_BOTS
BOTS = [{"path": str(COUNTING), "trusted": True}, str(SETS), {"path": str(FOLDER), "trusted": True}]  # one is locked in
GATED = """
import sys
from pathlib import Path
from arena.cli.main import main
from arena.tournament.workers.ray import cluster

cluster.QUIET_SECONDS, cluster.ANSWER_SECONDS = 0.5, 2.5
choose, gate = cluster.Cluster.choose, Path(sys.argv[1])
cluster.Cluster.choose = lambda self: choose(self) if self.slots >= int(gate.read_text()) else None
sys.exit(main(sys.argv[2:]))
"""
"""A driver that hands out no chunk while the cluster has fewer slots than the gate's file says."""


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """The results of an undisturbed run on one worker, without Ray."""
    return run_local(tmp_path_factory.mktemp("calm"), bots=BOTS, deals=DEALS)


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RayNodes]:
    """A head with one CPU, and a node beside it with another version of arena."""
    other = tmp_path_factory.mktemp("other") / "arena"
    shutil.copytree(Path(arena.__file__).parent, other, ignore=shutil.ignore_patterns("__pycache__"))
    with (other / "records.py").open("a") as file:
        file.write("# not what the driver has\n")
    with RayNodes() as started:
        started.add("head")
        started.add("old", PYTHONPATH=str(other.parent))
        yield started


class Run:
    """`arena tournament` on a cluster, in a process of its own: Ray would end this one when its cluster is gone."""

    def __init__(self, nodes: RayNodes, folder: Path, environment: dict[str, str]) -> None:
        self.results = folder / "out" / "small"
        self._log, self._gate = folder / "log", folder / "gate"
        self.open_at(2)
        config = write_config(folder, bots=BOTS, deals=DEALS)
        words = [self._gate, "tournament", config, "--out", folder / "out"]
        with self._log.open("w") as said:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-c", GATED, *map(str, words)], stdout=subprocess.DEVNULL, stderr=said, text=True,
                env=environment | {"RAY_ADDRESS": nodes.address, "PYTHONHASHSEED": "0"},
            )  # fmt: skip

    def open_at(self, slots: int) -> None:
        """From now on chunks are handed out while there are so many slots. The driver never reads half a file."""
        written = self._gate.with_suffix(".new")
        written.write_text(str(slots))
        written.replace(self._gate)

    @property
    def said(self) -> str:
        return self._log.read_text()

    def until(self, found: Callable[[], object]) -> None:
        until(lambda: found() or self.process.poll() is not None, seconds=300.0)  # nodes start: minutes on a busy machine
        assert found(), self.said

    def until_said(self, pattern: str) -> int:
        """Returns how many matches are journalled then."""
        self.until(lambda: re.search(pattern, self.said))
        return journalled(self.results)

    def until_played(self, matches: int) -> None:
        self.until(lambda: journalled(self.results) >= matches)

    def ended(self) -> int:
        return ended(self.process)[0]


@pytest.fixture
def start(nodes: RayNodes, tmp_path: Path) -> Iterator[Callable[..., Run]]:
    """Start runs; none is left at the end."""
    runs: list[Run] = []

    def start_one(**environment: str) -> Run:
        runs.append(Run(nodes, tmp_path, nodes.environment | environment))
        return runs[-1]

    yield start_one
    for each in runs:
        each.process.kill()
        each.process.wait()


@pytest.mark.slow
def test_the_same_command_on_a_cluster_and_a_node_with_another_host_is_left_alone(
    calm: Results, nodes: RayNodes, start: Callable[..., Run]
) -> None:
    run = start()
    run.until_said("node old is not used")
    run.open_at(1)
    assert run.ended() == 0, run.said
    assert f"playing on the Ray cluster at {nodes.address}" in run.said
    assert re.search(r"warning: node old is not used: arena .* \(sources .*\) instead of .* \(sources .*\)\n", run.said)
    assert re.findall(r"plays? now: (.*);", run.said) == ["head"]
    assert_same(read_results(run.results), calm)


@pytest.mark.slow
def test_nodes_that_join_die_and_freeze(calm: Results, nodes: RayNodes, start: Callable[..., Run]) -> None:
    run = start()
    run.open_at(1)
    run.until_played(5)
    run.open_at(3)
    doomed, frozen = nodes.add("doomed"), nodes.add("frozen")
    joined = run.until_said("; 3 slots")

    run.until_played(joined + 10)
    doomed.kill()
    run.open_at(2)
    died = run.until_said("node doomed is gone; [0-9]+ of its chunks")

    run.until_played(died + 10)
    frozen.freeze()
    run.open_at(1)
    froze = run.until_said("node frozen has not answered for [0-9]+ s; [0-9]+ of its chunks")

    assert run.ended() == 0, run.said
    assert 5 <= joined < died < froze < calm.manifest.played
    assert_same(read_results(run.results), calm)
    frozen.kill()


@pytest.mark.slow
@pytest.mark.parametrize(("token", "says"), [("ab" * 32, "somebody listens there"), ("", "none is here")])
def test_without_the_token_of_the_cluster_one_line_says_so(
    nodes: RayNodes, start: Callable[..., Run], tmp_path: Path, token: str, says: str
) -> None:
    run = start(RAY_AUTH_TOKEN=token, HOME=str(tmp_path))
    assert run.ended() == 2
    last = run.said.splitlines()[-1]
    assert last.startswith("arena: --address") and says in last and "RAY_AUTH_TOKEN" in last
    assert "InvalidAuthToken" not in run.said
