"""Exact values of a grown game: equilibria, best responses, what a strategy gives away."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array, hstack

from lab.exact.tree import NOTHING, Node, Profile, Strategy, Tree

CLOSE = 1e-9  # rewards that differ by no more are equal


@dataclass(frozen=True)
class Equilibrium:
    """A solved game of two seats."""

    value: float
    """What seat 0 gets when both play perfectly."""
    profile: Profile


def solve(tree: Tree) -> Equilibrium:
    """An equilibrium of a game of two seats whose rewards add up to the same everywhere, by linear programming.

    The sequence form (D. Koller, N. Megiddo, B. von Stengel 1996): the plan of seat 0 that is best against the best response,
    which the dual of seat 1's own linear program stands for; that dual's solution is the plan of seat 1.
    Raises ValueError for another game.
    """
    from scipy.optimize import linprog  # only now: most tests are collected without it

    sequences, weights, rewards = tree.ends
    if tree.seats != 2 or np.ptp(rewards.sum(axis=1)) > CLOSE:
        raise ValueError("the seats must be two, and their rewards add up to the same at every end")
    own, other = tree.lengths
    payoff = coo_array((weights * rewards[:, 0], (sequences[:, 0], sequences[:, 1])), shape=(own, other)).tocsr()
    flow, other_flow = (_flow(tree, seat) for seat in range(2))
    start, other_start = (np.eye(1, matrix.shape[0])[0] for matrix in (flow, other_flow))
    result = linprog(
        np.concatenate([np.zeros(own), -other_start]),
        A_ub=hstack([-payoff.T, other_flow.T]),
        b_ub=np.zeros(other),
        A_eq=hstack([flow, csr_array((flow.shape[0], len(other_start)))]),
        b_eq=start,
        bounds=[(0, None)] * own + [(None, None)] * len(other_start),
        method="highs",
    )
    plans = (result.x[:own], -result.ineqlin.marginals)
    return Equilibrium(-float(result.fun), [_behaviour(tree, seat, plans[seat]) for seat in range(2)])


def expected(tree: Tree, profile: Profile) -> NDArray[np.float64]:
    """What each seat gets when all play `profile`."""
    sequences, weights, rewards = tree.ends
    reached = weights.copy()
    for seat in range(tree.seats):
        reached *= _plan(tree, seat, profile[seat])[sequences[:, seat]]
    return reached @ rewards


def best_response(tree: Tree, seat: int, profile: Profile) -> tuple[float, Strategy]:
    """The most that a seat can get against the others' strategies of `profile`, and how."""
    sequences, weights, rewards = tree.ends
    reached = weights * rewards[:, seat]
    for other in range(tree.seats):
        if other != seat:
            reached = reached * _plan(tree, other, profile[other])[sequences[:, other]]
    gains = np.bincount(sequences[:, seat], reached, tree.lengths[seat])
    response = np.zeros(tree.lengths[seat])
    response[0] = 1.0
    for information_set in reversed(tree.information_sets[seat]):
        best = information_set.first + int(np.argmax(gains[information_set.sequences]))
        response[best] = 1.0
        gains[information_set.parent] += gains[best]
    return float(gains[0]), response


def exploitability(tree: Tree, profile: Profile) -> float:
    """What a seat gains by playing perfectly against others who stay with `profile`: the mean over the seats.

    0 in an equilibrium. For two seats and rewards that add up to nothing it is what a strategy loses against its worst enemy,
    on average over the seats (NashConv by the number of seats: M. Lanctot et al., "A Unified Game-Theoretic Approach to
    Multiagent Reinforcement Learning", 2017).
    """
    best = [best_response(tree, seat, profile)[0] for seat in range(tree.seats)]
    return float(np.mean(best - expected(tree, profile)))


def backward_value(tree: Tree) -> float | None:
    """What the seat that moves first gets by backward induction, for any number of seats; None where that is not certain.

    From the last decisions to the first: at an information set the mover's best action is certain if it does not depend on
    what the others may have chosen where it could not see it. Worlds that differ by chance alone are weighed. Where several
    actions are best for the mover they must be the same to all who have chosen before. Raises ValueError unless one
    information set is the root of all worlds.
    """
    if len({id(root.information_set) for root in tree.roots}) != 1:
        raise ValueError("in all worlds the same seat must see the same")
    worth = {id(leaf): np.array(leaf.rewards) for leaf in tree.leaves}
    members: dict[int, list[Node]] = {}
    for node in _decisions(tree.roots):
        members.setdefault(id(node.information_set), []).append(node)
    waiting = list(members.values())
    while waiting:
        rest = []
        for nodes in waiting:
            if all(id(child) in worth for node in nodes for child in node.children):
                values = np.array([[worth[id(child)] for child in node.children] for node in nodes])
                best = _certain_choice(nodes, values)
                if best is None:
                    return None
                worth |= {id(node): values[i, best] for i, node in enumerate(nodes)}
            else:
                rest.append(nodes)
        if len(rest) == len(waiting):
            return None  # the information sets of two seats depend on each other
        waiting = rest
    return float(sum(root.weight * worth[id(root)][_mover(root)] for root in tree.roots))


def _certain_choice(nodes: list[Node], values: NDArray[np.float64]) -> int | None:
    """The action that is best whatever the others have chosen. `values`: (nodes, actions, seats)."""
    mover = _mover(nodes[0])
    groups: dict[tuple[int, ...], NDArray[np.float64]] = {}
    for node, outcome in zip(nodes, values):
        others = (*node.sequences[:mover], *node.sequences[mover + 1 :])
        groups[others] = groups.get(others, 0.0) + node.weight * outcome
    means = np.array(list(groups.values()))
    own = means[:, :, mover]
    equal = np.flatnonzero((own >= own.max(axis=1, keepdims=True) - CLOSE).all(axis=0))
    before = [seat for seat in range(means.shape[2]) if any(node.sequences[seat] != NOTHING for node in nodes)]
    if len(equal) == 0 or (np.ptp(means[:, equal][:, :, before], axis=1) > CLOSE).any():
        return None
    return int(equal[0])


def _mover(node: Node) -> int:
    assert node.information_set is not None
    return node.information_set.seat


def _decisions(roots: list[Node]) -> Iterator[Node]:
    waiting = list(roots)
    while waiting:
        node = waiting.pop()
        if node.information_set is not None:
            yield node
            waiting += node.children


def _flow(tree: Tree, seat: int) -> csr_array:
    """Rows of a plan's equations: nothing yet has 1; the sequences of an information set add up to the one before."""
    rows, columns, values = [0], [0], [1.0]
    for number, information_set in enumerate(tree.information_sets[seat], 1):
        rows.append(number)
        columns.append(information_set.parent)
        values.append(-1.0)
        for sequence in range(information_set.first, information_set.first + len(information_set.actions)):
            rows.append(number)
            columns.append(sequence)
            values.append(1.0)
    shape = (len(tree.information_sets[seat]) + 1, tree.lengths[seat])
    return coo_array((values, (rows, columns)), shape=shape).tocsr()


def _plan(tree: Tree, seat: int, strategy: Strategy) -> Strategy:
    """How likely a seat's own choices are to lead through each of its sequences."""
    plan = strategy.copy()
    for information_set in tree.information_sets[seat]:
        plan[information_set.sequences] *= plan[information_set.parent]
    return plan


def _behaviour(tree: Tree, seat: int, plan: Strategy) -> Strategy:
    """The strategy of a plan; uniform where the plan never comes to."""
    strategy = tree.uniform(seat)
    for information_set in tree.information_sets[seat]:
        chances = np.maximum(plan[information_set.sequences], 0.0)
        if chances.sum() > CLOSE:
            strategy[information_set.sequences] = chances / chances.sum()
    return strategy
