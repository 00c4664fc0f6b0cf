"""What the driver does about the nodes of a cluster, on a Ray that is played by the test: no process is started."""

import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from arena.agent.command_bot import CommandBot
from arena.errors import ArenaError
from arena.match.sandbox import NAMESPACE
from arena.tournament.config import read_config
from arena.tournament.field import admit
from arena.tournament.formats.plan import Plan
from arena.tournament.run import run_tournament
from arena.tournament.session import Settings
from arena.tournament.workers.ray import cluster
from arena.tournament.workers.ray import installation as installed
from arena.tournament.workers.ray.backend import RayBackend, _attach_trouble
from arena.tournament.workers.ray.cluster import Cluster
from arena.tournament.workers.ray.installation import differences, installation
from arena.tournament.workers.ray.node_agent import NodeAgent
from arena.tournament.workers.worker import Job
from helpers.paths import PACKAGE
from helpers.tournaments import GOOD_BOTS, write_config


class RayError(Exception):
    """Ray's."""


class RayTaskError(RayError):
    """Ray's."""


class Clock:
    """Time that passes when the test says so, a tick a look."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += max(seconds, cluster.LOOK_SECONDS)


class Ray:
    """As much of Ray as a Cluster uses: nodes that answer what they are told to, or not at all."""

    def __init__(self, port: int) -> None:
        self.alive: dict[str, int] = {}
        self.answers: dict[str, Callable[[str], Any]] = {}
        self.silent: set[str] = set()
        self.free = 8.0
        self.killed: list[str] = []
        self.questions: list[tuple[str, str]] = []
        self.exceptions = SimpleNamespace(RayError=RayError, RayTaskError=RayTaskError)
        self.cloudpickle = SimpleNamespace(register_pickle_by_value=lambda module: None)
        strategy = SimpleNamespace(NodeAffinitySchedulingStrategy=lambda node_id, soft: node_id)
        self.util = SimpleNamespace(scheduling_strategies=strategy)
        self.get_runtime_context = lambda: SimpleNamespace(gcs_address=f"127.0.0.1:{port}")

    def nodes(self) -> list[dict[str, Any]]:
        return [
            {"NodeID": name, "NodeName": name, "NodeManagerAddress": "10.0.0.1", "Alive": True, "Resources": {"CPU": cpus}}
            for name, cpus in self.alive.items()
        ]

    def available_resources(self) -> dict[str, float]:
        return {"CPU": self.free}

    def remote(self, _class: type) -> Any:
        return SimpleNamespace(
            options=lambda scheduling_strategy, **_: SimpleNamespace(remote=lambda: Actor(self, scheduling_strategy))
        )

    def wait(self, references: list[tuple[str, str, int]], **_: Any) -> tuple[list[Any], list[Any]]:
        return [reference for reference in references if reference[0] not in self.silent], []

    def get(self, reference: tuple[str, str, int]) -> Any:
        node, question, _ = reference
        answer = self.answers[node](question)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def kill(self, actor: "Actor") -> None:
        self.killed.append(actor.node)


class Actor:
    """The handle of a node agent."""

    def __init__(self, ray: Ray, node: str) -> None:
        self.ray, self.node = ray, node

    def __getattr__(self, question: str) -> Any:
        def remote(*_: Any) -> tuple[str, str, int]:
            self.ray.questions.append((self.node, question))
            return self.node, question, len(self.ray.questions)

        return SimpleNamespace(remote=remote)


class Host:
    """A Cluster on such a Ray."""

    def __init__(self, job: Job, port: int) -> None:
        self.ray, self.job, self.said = Ray(port), job, list[str]()
        self.ours = installation(["naga"])

    def add(self, name: str, cpus: int = 2, **differing: str) -> None:
        self.ray.alive[name] = cpus
        theirs = self.ours | differing
        self.ray.answers[name] = lambda question: theirs if question == "installation" else {}

    def open(self, most: int | None = None) -> Cluster:
        found = Cluster(self.ray, self.job, most, self.said.append)
        found.wait_until_ready()
        return found


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr(cluster, "time", found)
    return found


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Job:
    tournament = read_config(write_config(tmp_path_factory.mktemp("config"), bots=GOOD_BOTS[:2]))
    contestants, *_ = admit(tournament, isolation=NAMESPACE, unsafe_trust_bots=False)
    plan = Plan(
        entries=tournament.entries, contestants=contestants, rotations=tournament.rotations, clock=tournament.clock,
        limits=tournament.limits, faults=tournament.faults, key=bytes(32), seed=7,
    )  # fmt: skip
    return Job(plan, {bot.files.sha256: bot.files for bot in tournament.bots})


@pytest.fixture
def host(job: Job, clock: Clock) -> Iterator[Host]:
    with socket.create_server(("127.0.0.1", 0)) as head:
        yield Host(job, head.getsockname()[1])


def looks(found: Cluster, clock: Clock, seconds: float) -> list[str]:
    """The names of nodes that were lost meanwhile."""
    lost = []
    for _ in range(int(seconds)):
        clock.now += 1.0
        lost += [node.name for node in found.look()]
    return lost


def test_chunks_go_where_the_fewest_wait_and_no_more_than_two_a_slot(host: Host) -> None:
    host.add("large", cpus=4)
    host.add("small", cpus=1)
    found, taken = host.open(), []
    while (node := found.choose()) is not None:
        node.chunks += 1
        taken.append(node.name)
    assert found.slots == 5 and taken.count("large") == 8 and taken.count("small") == 2
    assert taken[:5].count("small") == 1


def test_of_some_slots_no_more_are_used_than_asked_for(host: Host) -> None:
    host.add("a", cpus=2)
    host.add("b", cpus=4)
    found, taken = host.open(most=3), []
    while (node := found.choose()) is not None:
        node.chunks += 1
        taken.append(node.name)
    assert found.slots == 3 and sorted(taken) == ["a"] * 4 + ["b"]  # b has more CPUs than its share: one chunk at a time


def test_a_node_that_differs_is_named_with_the_difference_and_the_others_play(host: Host) -> None:
    host.add("a")
    host.add("old", numba="0.1")
    found = host.open()
    assert found.slots == 2 and host.ray.killed == ["old"]
    (warning,) = [line for line in host.said if "warning" in line]
    assert warning == f"warning: node old is not used: numba 0.1 instead of {host.ours['numba']}"


def test_where_every_node_differs_the_tournament_is_refused(host: Host) -> None:
    host.add("a", Python="3.9.1 (CPython)")
    host.add("b", processor="abacus")
    with pytest.raises(
        ArenaError, match=r"a: Python 3\.9\.1 .* instead of .*; b: processor abacus instead of .*Install the same"
    ):
        host.open()


def test_without_cpus_or_without_a_free_one_it_says_so(host: Host) -> None:
    with pytest.raises(ArenaError, match="no node with CPUs"):
        host.open()
    host.add("a")
    host.ray.free = 0.0
    with pytest.raises(ArenaError, match="all 2 CPUs of the cluster are in use"):
        host.open()


def test_a_node_that_cannot_lock_bots_in_or_compile_is_not_used(host: Host) -> None:
    host.add("a")
    host.add("b")
    host.ray.answers["b"] = lambda question: host.ours if question == "installation" else {"error": "no lock"}
    assert host.open().slots == 2
    assert "warning: node b is not used: no lock" in host.said


def test_a_silent_node_is_asked_then_lost_and_comes_back_when_it_answers(host: Host, clock: Clock) -> None:
    host.add("a")
    host.add("b")
    found = host.open()
    (b,) = [node for node, _ in found._shares() if node.name == "b"]
    b.chunks = 3
    asked = len(host.ray.questions)
    host.ray.silent = {"b"}
    assert looks(found, clock, cluster.QUIET_SECONDS + cluster.ANSWER_SECONDS + 5) == ["b"]
    assert host.ray.questions[asked:] == [("b", "answer")] and found.slots == 2
    assert host.said[-1].startswith("node b has not answered for ") and host.said[-1].endswith(
        "; 3 of its chunks are played again"
    )
    b.chunks = 0
    host.ray.silent = set()
    assert looks(found, clock, 2) == [] and found.slots == 4 and "1 node plays now: b" in host.said[-1]


def test_a_driver_that_was_stopped_blames_no_node(host: Host, clock: Clock) -> None:
    host.add("a")
    found = host.open()
    node = found.choose()
    assert node is not None
    node.chunks = 1
    host.ray.silent = {"a"}
    looks(found, clock, cluster.QUIET_SECONDS + 2)
    clock.now += 3600.0
    assert looks(found, clock, 2) == [] and found.slots == 2


def test_nodes_come_and_go(host: Host, clock: Clock) -> None:
    host.add("a")
    found = host.open()
    host.add("b")
    looks(found, clock, 3)
    assert found.slots == 4
    node = found.choose()
    assert node is not None
    node.chunks = 2
    del host.ray.alive[node.name]
    assert looks(found, clock, 2) == [node.name] and found.slots == 2
    assert f"node {node.name} is gone; 2 of its chunks are played again" in host.said
    host.ray.alive.clear()
    looks(found, clock, 2)
    assert found.slots == 0 and found.choose() is None and host.said[-1].startswith("no node plays now")


def test_a_node_agent_that_dies_is_replaced_and_one_that_fails_is_believed(host: Host, clock: Clock) -> None:
    host.add("a")
    host.add("b")
    deaths = [RayError("killed"), RayError("killed")]
    host.ray.answers["a"] = lambda question: deaths.pop() if deaths else host.ours if question == "installation" else {}
    host.ray.answers["b"] = lambda question: RayTaskError("Traceback\nOSError: no space left")
    found = host.open()
    looks(found, clock, 4 * cluster.AGENT_SECONDS)
    assert found.slots == 2 and not deaths
    assert "warning: node b is not used: OSError: no space left" in host.said


def test_a_head_that_is_gone_ends_the_run_with_a_word(job: Job, clock: Clock) -> None:
    with socket.create_server(("127.0.0.1", 0)) as head:
        host = Host(job, head.getsockname()[1])
        host.add("a")
        found = host.open()
    with pytest.raises(ArenaError, match=r"the head of the cluster, .*, is gone .* the same command goes on"):
        looks(found, clock, cluster.HEAD_SECONDS + 5)


def test_a_node_without_a_bot_s_program_says_so() -> None:
    bot = CommandBot(name="stranger", command=["no-such-program", "bot.js"])
    said = NodeAgent().prepare([], NAMESPACE, True, False, [bot])
    assert "stranger cannot play there" in said["error"] and "no-such-program is not on this machine's PATH" in said["error"]


def test_what_is_installed_differs_in_words() -> None:
    here = installation(["naga"])
    assert differences(here, dict(here)) == []
    assert differences(here, {"arena": "none (No module named 'arena')"})[0] == (
        f"arena none (No module named 'arena') instead of {here['arena']}"
    )


MISMATCH = """Version mismatch: The cluster was started with:
    Ray: 2.50.0
    Python: 3.12.1
This process on node 10.0.0.2:6379 was started with:
    Ray: 2.60.0
    Python: 3.11.7
"""


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (RuntimeError(MISMATCH), "the cluster runs Ray 2.50.0, Python 3.12.1, this machine Ray 2.60.0, Python 3.11.7"),
        (ConnectionRefusedError(111, "Connection refused"), "no cluster answers there (Connection refused)"),
        (RuntimeError("No node info found matching attributes: ''"), "no node of it runs on this machine"),
    ],
)
def test_what_keeps_us_out_is_one_line(error: Exception, says: str) -> None:
    assert says in _attach_trouble(error) and "\n" not in _attach_trouble(error)


@pytest.mark.parametrize("address", ["ray://head:10001", "head", "10.0.0.1", ""])
def test_an_address_that_is_none_is_refused_before_anything_is_written(tmp_path: Any, address: str) -> None:
    with pytest.raises(ArenaError, match="--address: HOST:PORT of a Ray cluster's head"):
        run_tournament(write_config(tmp_path), Settings(out=tmp_path / "out", address=address))
    assert not (tmp_path / "out").exists()


def test_a_change_anywhere_in_the_package_is_another_installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert installed.PACKAGE == PACKAGE
    copy = tmp_path / "arena"
    (copy / "deep" / "inside").mkdir(parents=True)
    monkeypatch.setattr(installed, "PACKAGE", copy)
    (copy / "deep" / "inside" / "rules.py").write_text("A = 1\n")
    before = installed.installation(())["arena"]
    (copy / "deep" / "inside" / "rules.py").write_text("A = 2\n")
    after = installed.installation(())["arena"]
    assert after != before
    monkeypatch.setattr(installed, "HOUSE", copy / "house")
    (copy / "house").mkdir()
    (copy / "house" / "bot.py").write_text("A = 3\n")  # a wheel has the house bots, a checkout has them elsewhere
    assert installed.installation(())["arena"] == after


def test_what_a_bot_asks_for_is_compiled_on_every_node_before_it_plays_on(host: Host, clock: Clock) -> None:
    host.add("a")
    host.add("b")
    found = host.open()
    looks(found, clock, 2)
    assert found.slots == 4
    host.ray.silent = {"b"}
    found.compile("naga", "flat")
    assert found.slots == 0 and host.ray.questions[-2:] == [("a", "prepare"), ("b", "prepare")]
    looks(found, clock, 2)
    assert found.slots == 2 and "naga: search by flat on every node" in " ".join(host.said)
    found.compile("naga", "pimc")  # b has not answered yet: it is asked again
    host.ray.silent = set()
    looks(found, clock, 3)
    assert found.slots == 4
    assert [name for name, question in host.ray.questions[-4:] if question == "prepare"].count("b") == 2
    asked = len(host.ray.questions)
    found.compile("naga", "flat")
    assert found.slots == 4 and len(host.ray.questions) == asked


def test_a_ray_that_is_too_slow_to_start_is_one_message(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ray raises a plain Exception where its own processes are not up in time."""

    def too_slow(**_: object) -> None:
        raise Exception("The current node timed out during startup.")

    monkeypatch.setattr("ray.init", too_slow)
    with pytest.raises(ArenaError, match=r"Ray did not start on this machine: The current node timed out .* `--backend local`"):
        RayBackend(cast("Any", None), workers=1)
