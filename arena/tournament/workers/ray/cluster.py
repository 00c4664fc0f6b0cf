"""The nodes of a running Ray cluster: which of them play, how many chunks at once, and which no longer answer.

Nodes come and go while a tournament runs. Each new one gets a node agent, an actor beside the workers, which compares what is
installed there with what is installed here and compiles the rules, once a node. Only then are matches played there. A node
that differs is left alone, with a line that says why, and the others play: its results could differ, and nobody wants a long
tournament to end because a machine with an old image has joined. Only where no node fits is the tournament refused.

Ray notices a dead machine soon, a silent one (its network is gone, it swaps, it is frozen) after long or never. So a node
that has chunks and has not been heard of for a while is asked, and taken for lost when it does not answer.
"""

import contextlib
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any

from arena.engine.readiness import part_text
from arena.errors import ArenaError
from arena.tournament.workers.compiling import needs_of
from arena.tournament.workers.processes import HASH_SEED, ONE_THREAD
from arena.tournament.workers.ray import node_agent
from arena.tournament.workers.ray.installation import differences, installation
from arena.tournament.workers.worker import Job

LOOK_SECONDS = 1.0  # between looks at the list of nodes
QUIET_SECONDS = 5.0  # without a sign of life, before a node is asked for one
ANSWER_SECONDS = 20.0  # for the answer: a loaded machine may need some
STOPPED_SECONDS = 5.0  # between two looks: this process itself did not run
WORD_SECONDS = 30.0  # between lines on what is waited for
HEAD_SECONDS = 20.0  # without the head, before we give up; Ray itself would wait for a minute, and then kill us
FREE_SECONDS = 10.0  # for CPUs to become free at the start: the workers of a run that was just killed still go
AGENTS = 3  # lost ones, after which a node is left alone
AGENT_SECONDS = 5.0  # before the next one is sent: perhaps the node is gone, and Ray does not know yet
IN_FLIGHT = 2  # chunks per CPU: one runs, one waits for it
ENVIRONMENT = {"env_vars": HASH_SEED | ONE_THREAD}
"""Ray's `runtime_env` for everything that a tournament runs on a cluster."""


class State(Enum):
    """How far a node is prepared."""

    COMPARING = "its installation is being compared"
    PREPARING = "rules are being compiled there"
    READY = "plays"
    SILENT = "does not answer"
    REFUSED = "is not used"


@dataclass(eq=False)
class Node:
    """A node that Ray reports as alive."""

    node_id: str
    name: str
    cpus: int
    strategy: Any
    """Ray's scheduling strategy that puts tasks on this node."""
    agent: Any
    question: Any
    """The reference to the node agent's answer that is awaited; None: no answer is."""
    asked: float
    """When the node agent was asked, in monotonic seconds."""
    heard: float
    """When the node was last heard of, in monotonic seconds."""
    state: State = State.COMPARING
    chunks: int = 0
    """How many chunks the node is playing."""
    failed: int = 0
    """How many chunks of the node Ray reported as lost since the last line of news."""
    lost_agents: int = 0
    parts: int = 0
    """How many parts of games the node agent was asked to compile."""
    why: str = ""
    """Why a refused node does not play."""


class Cluster:
    """The nodes of a cluster, and what is known about each."""

    def __init__(self, ray: Any, job: Job, most: int | None, say: Callable[[str], None]) -> None:
        """`most`: how many CPUs to use at the same time (None: all); `say`: is given each line of news."""
        self._ray, self._job, self._most, self._say = ray, job, most, say
        self._needs = {game: sorted(parts) for game, parts in needs_of(job.plan, job.bots, with_luck=job.with_luck).items()}
        self._games = list(self._needs)
        self._has_untrusted = any(not bot.trusted for bot in job.plan.contestants)
        commands = [bot.command for bot in job.bots.values()]
        self._programs = [bot for bot in commands if bot is not None and "/" not in bot.command[0]]
        self._ours = installation(self._games)
        ray.cloudpickle.register_pickle_by_value(node_agent)
        self._agent = ray.remote(node_agent.NodeAgent)
        self._nodes: dict[str, Node] = {}
        self._left_alone: set[str] = set()  # lines that were said already
        self._looked, self._head_heard = 0.0, time.monotonic()

    @property
    def slots(self) -> int:
        """How many chunks can run at the same time on the nodes that are known now."""
        return sum(share for _, share in self._shares())

    @property
    def _parts(self) -> int:
        """How many parts of games have to be compiled."""
        return sum(map(len, self._needs.values()))

    def wait_until_ready(self) -> None:
        """Wait until the first node can play. Raises ArenaError if none ever will."""
        self._require_cpus()
        self._say("comparing what is installed on the nodes, and compiling the rules there ...")
        told = time.monotonic()
        while not self.slots:
            self.look()
            if time.monotonic() - told > WORD_SECONDS:
                told = time.monotonic()
                self._say("waiting: " + "; ".join(f"node {node.name}: {node.state.value}" for node in self._nodes.values()))
            states = {node.state for node in self._nodes.values()}
            if states <= {State.REFUSED}:
                reasons = "; ".join(f"{node.name}: {node.why}" for node in self._nodes.values())
                raise ArenaError(f"no node of the cluster can play ({reasons}). Install the same on every node and here")
            time.sleep(0.05)

    def compile(self, game: str, part: str) -> None:
        """Have a part that a bot asked for compiled on every node. A node plays no new chunk meanwhile."""
        if part in self._needs[game]:
            return  # it is being compiled, or a new node has not heard of the end of that yet
        self._say(f"compiling {part_text(game, part)} on every node: a bot asks for it for the first time ...")
        self._needs[game] = sorted([*self._needs[game], part])
        for node in self._nodes.values():
            if node.state is State.READY:
                self._prepare(node)

    def choose(self) -> Node | None:
        """The node for the next chunk: the one with the fewest chunks per slot. None: no node has room."""
        free = [
            (node.chunks / share, node)
            for node, share in self._shares()
            if node.chunks < (IN_FLIGHT * share if share == node.cpus else share)  # a share cannot be left to Ray
        ]
        return min(free, key=lambda pair: pair[0])[1] if free else None

    def look(self) -> list[Node]:
        """Update the list of nodes; returns the nodes whose chunks are lost. Raises ArenaError if the head is gone."""
        now = time.monotonic()
        self._hear(now)
        if now - self._looked < LOOK_SECONDS:
            return []
        if now - self._looked > STOPPED_SECONDS:  # we were stopped ourselves: nobody else is late
            for node in self._nodes.values():
                node.asked = node.heard = now
        self._looked = now
        gone = self._compare_with(self._alive()) if self._has_head(now) else []
        gone += [node for node in self._nodes.values() if self._has_fallen_silent(node, now)]
        if gone and not self.slots:
            self._say("no node plays now; the run goes on when one does (Ctrl-C keeps what was played)")
        return [node for node in gone if node.chunks]

    def close(self) -> None:
        """End the node agents without waiting for their answers."""
        for node in self._nodes.values():
            self._dismiss(node)
        self._nodes.clear()

    def _shares(self) -> Iterator[tuple[Node, int]]:
        """The nodes that play, and how many slots each has."""
        left = self._most
        for node in self._nodes.values():
            if node.state is State.READY:
                share = node.cpus if left is None else min(node.cpus, left)
                left = None if left is None else left - share
                if share:
                    yield node, share

    def _alive(self) -> dict[str, dict[str, Any]]:
        """Ray's entries for the living nodes that have CPUs, by id."""
        entries = self._ray.nodes()
        return {entry["NodeID"]: entry for entry in entries if entry["Alive"] and entry["Resources"].get("CPU", 0) >= 1}

    def _compare_with(self, alive: dict[str, dict[str, Any]]) -> list[Node]:
        """Add new nodes and remove nodes that are gone; returns the removed ones."""
        for node_id in sorted(set(alive) - set(self._nodes)):  # at the start: the same order everywhere
            self._nodes[node_id] = self._greet(node_id, alive[node_id])
        for node in self._nodes.values():
            is_due = node.agent is None and time.monotonic() - node.asked > AGENT_SECONDS
            if is_due and node.node_id in alive:
                self._send_agent(node)
        gone = [node for node_id, node in self._nodes.items() if node_id not in alive]
        for node in gone:
            del self._nodes[node.node_id]
            if node.state is not State.REFUSED:
                self._say(f"node {node.name} is gone{_elsewhere(node)}")
        return gone

    def _greet(self, node_id: str, entry: dict[str, Any]) -> Node:
        strategy = self._ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(node_id, soft=False)
        name = entry.get("NodeName") or entry["NodeManagerAddress"]
        if name in {node.name for node in self._nodes.values()}:
            name = f"{name} ({node_id[:8]})"
        now = time.monotonic()
        node = Node(node_id, name, int(entry["Resources"]["CPU"]), strategy, None, None, asked=now, heard=now)
        self._send_agent(node)
        return node

    def _send_agent(self, node: Node) -> None:
        node.agent = self._agent.options(
            num_cpus=0, scheduling_strategy=node.strategy, runtime_env=ENVIRONMENT, max_restarts=0
        ).remote()
        self._ask(node, "installation", self._games)
        node.state = State.COMPARING

    def _ask(self, node: Node, question: str, *arguments: Any) -> None:
        node.question = getattr(node.agent, question).remote(*arguments)
        node.asked = time.monotonic()

    def _hear(self, now: float) -> None:
        """Handle the answers that have come."""
        waiting = {node.question: node for node in self._nodes.values() if node.question is not None}
        if not waiting:
            return
        ready, _ = self._ray.wait(list(waiting), num_returns=len(waiting), timeout=0)
        newly_ready = []
        for reference in ready:
            node = waiting[reference]
            node.question, node.heard = None, now
            try:
                answer = self._ray.get(reference)
            except self._ray.exceptions.RayError as error:
                self._lose_agent(node, error)
            else:
                newly_ready += [node] * self._take(node, answer)
        if newly_ready:
            names = ", ".join(node.name for node in newly_ready)
            self._say(
                f"{len(newly_ready)} {'node plays' if len(newly_ready) == 1 else 'nodes play'} now: {names}; {self.slots} slots"
            )

    def _take(self, node: Node, answer: dict[str, str] | None) -> bool:
        """Handle a node's answer; returns whether the node plays from now on."""
        if node.state is State.COMPARING and answer is not None:
            found = differences(self._ours, answer)
            if found:
                self._leave_alone(node, "; ".join(found))
            else:
                self._prepare(node)
        elif node.state is State.PREPARING and answer is not None:
            if "error" in answer:
                self._leave_alone(node, answer["error"])
                return False
            if node.parts < self._parts:  # somebody asked for another one meanwhile
                self._prepare(node)
                return False
            if answer.get("reason"):
                self._say(f"node {node.name}: bots that are not trusted are held by {answer['isolation']}: {answer['reason']}")
            for text in (answer.get("cache"), answer.get("compiled")):
                if text:
                    self._say(f"node {node.name}: {text}")
            node.state, node.lost_agents = State.READY, 0
            return True
        elif node.state is State.SILENT:
            if node.parts < self._parts:  # somebody asked for another one while the node was silent
                self._prepare(node)
                return False
            node.state = State.READY
            return True
        return False

    def _prepare(self, node: Node) -> None:
        node.state, node.parts = State.PREPARING, self._parts
        self._ask(node, "prepare", self._needs, self._job.isolation, self._job.least, self._has_untrusted, self._programs)

    def _lose_agent(self, node: Node, error: Exception) -> None:
        node.lost_agents += 1
        if isinstance(error, self._ray.exceptions.RayTaskError) or node.lost_agents >= AGENTS:
            self._leave_alone(node, str(error).strip().splitlines()[-1])
        else:
            node.state, node.agent, node.asked = State.COMPARING, None, time.monotonic()

    def _leave_alone(self, node: Node, why: str) -> None:
        node.state, node.why = State.REFUSED, why
        self._dismiss(node)
        line = f"warning: node {node.name} is not used: {why}"
        if line not in self._left_alone:  # a pod that comes again and again is named once
            self._left_alone.add(line)
            self._say(line)

    def _dismiss(self, node: Node) -> None:
        if node.agent is not None:
            with contextlib.suppress(self._ray.exceptions.RayError):  # it is gone already
                self._ray.kill(node.agent)

    def _has_head(self, now: float) -> bool:
        """Return whether the head node listens. Without a head Ray blocks, and ends this process after a minute."""
        host, _, port = self._ray.get_runtime_context().gcs_address.rpartition(":")
        try:
            socket.create_connection((host.strip("[]"), int(port)), timeout=LOOK_SECONDS).close()
        except OSError as error:
            if now - self._head_heard > HEAD_SECONDS:
                raise ArenaError(
                    f"the head of the cluster, {host}:{port}, is gone ({error.strerror or error}); what was played is kept, "
                    f"the same command goes on"
                ) from None
            return False
        self._head_heard = now
        return True

    def _has_fallen_silent(self, node: Node, now: float) -> bool:
        """Ask a silent node that has chunks for a sign of life; true, once, if it does not answer in time."""
        if node.state is not State.READY:
            return False
        if node.question is None:
            if node.chunks and now - node.heard > QUIET_SECONDS:
                self._ask(node, "answer")
            return False
        if now - node.asked < ANSWER_SECONDS:
            return False
        node.state = State.SILENT  # until that answer comes
        self._say(f"node {node.name} has not answered for {now - node.heard:.0f} s{_elsewhere(node)}")
        return True

    def _require_cpus(self) -> None:
        """Raise ArenaError if the cluster has no CPUs, or none that are free."""
        total = int(sum(entry["Resources"]["CPU"] for entry in self._alive().values()))
        if not total:
            raise ArenaError("the cluster has no node with CPUs; start one with `ray start --address=HOST:PORT`")
        end = time.monotonic() + FREE_SECONDS
        while self._ray.available_resources().get("CPU", 0) < 1:
            if time.monotonic() > end:
                raise ArenaError(
                    f"all {total} CPUs of the cluster are in use by others; wait until some are free (`ray status`)"
                )
            time.sleep(0.2)


def _elsewhere(node: Node) -> str:
    count, node.failed = node.chunks + node.failed, 0
    return f"; {count} of its chunks {'is' if count == 1 else 'are'} played again" if count else ""
