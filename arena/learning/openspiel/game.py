"""The games of arena as OpenSpiel's Python games: turn by turn, with hidden choices where seats choose together.

OpenSpiel's states are cloned with `copy.deepcopy` of what they hold, so a state holds one Node and nothing else. The first move
of a game is chance: the deal, by which all later cards are settled, too.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pyspiel

from arena import games
from arena.engine import jit
from arena.engine.contract import Features, States
from arena.engine.game import Game
from arena.engine.readiness import ENCODING, SAMPLING
from arena.learning.openspiel import setups
from arena.learning.openspiel.nodes import Learnt, Node, drawn_words, seen_node
from arena.learning.openspiel.setups import (
    ANY_SEED,
    PLACES,
    Parameters,
    Setup,
    Value,
    fixed_deals,
    numbered_deal,
    possible_deals,
    setup_of,
)
from arena.learning.rendering import note_visibly
from arena.match.seeds import key_from_seed, new_key
from arena.tournament.workers.compiling import warm_games

PREFIX = "arena_"
LONGEST = 1_000_000_000  # decisions of a match; nothing says how many there can be
_PARTS = (SAMPLING, ENCODING)
_CHANCE, _TERMINAL = int(pyspiel.PlayerId.CHANCE), int(pyspiel.PlayerId.TERMINAL)


def register(game: Game) -> None:
    """Let `pyspiel.load_game` know a game of arena, as `arena_` and its name."""
    pyspiel.register_game(_game_type(game, is_explicit=False), _Creator(game.name))


class _Creator:
    """Makes the games of one name for OpenSpiel."""

    def __init__(self, name: str) -> None:
        self._name = name
        # OpenSpiel drops its reference after Python has ended, when nothing can be freed any more: this one is never dropped.
        self._kept = self

    def __call__(self, params: Mapping[str, Value] | None = None) -> "ArenaGame":
        _have_compiled(games.load(self._name))
        return ArenaGame(self._name, params or {})


class ArenaGame(pyspiel.Game):  # type: ignore[misc]
    """A game of arena with its seats and options, as OpenSpiel knows games."""

    def __init__(self, name: str, params: Mapping[str, Value], starts: Sequence[Node] = ()) -> None:
        """`params`: those of the module parameters; `starts`: the positions in which the game begins, where it has no deal.

        Raises ConfigError, which says what is wrong with the parameters.
        """
        game = games.load(name)
        self.read: Parameters = setups.read_parameters(game, params)
        self.setup: Setup = setup_of(name, self.read.seats, self.read.options, self.read.reward)
        is_any = self.read.rng_seed == ANY_SEED and not self.read.is_explicit
        self.key = new_key() if is_any else key_from_seed(max(0, self.read.rng_seed))
        self.dealt = 0
        """How many deals were drawn so far, where each is a new one."""
        self.starts = starts or [Node(self.setup, states) for states in self._deals()]
        """The positions after the deal, each as likely as another; empty where each deal is a new one."""
        self.given, self._given = dict(params), starts
        bound = 1.0 if self.read.reward == PLACES else np.inf
        super().__init__(
            _game_type(game, is_explicit=bool(self.starts)),
            pyspiel.GameInfo(
                num_distinct_actions=self.setup.action_count,
                max_chance_outcomes=max(1, len(self.starts)),
                num_players=self.setup.seats,
                min_utility=-bound,
                max_utility=bound,
                utility_sum=0.0,
                max_game_length=LONGEST,
            ),
            setups.changed_parameters(game, params),
        )

    def __reduce__(self) -> tuple[Callable[..., "ArenaGame"], tuple[Any, ...]]:
        return _restored_game, (self.setup.game.name, self.given, self._given, self.key, self.dealt)

    def new_initial_state(self) -> "ArenaState":
        """The state before the deal."""
        return ArenaState(self)

    def seen_state(self, observed: States, seat: int, learnt: Learnt, draw: Callable[[], float]) -> "ArenaState":
        """A state that `seat` thinks possible, drawn at random from what it sees: what to hand to a bot of OpenSpiel.

        `observed`: the position as `observe` shows it to the seat; `learnt`: what else it was shown; `draw`: random numbers
        from 0 to 1. The state has no history.
        """
        states = observed.copy()
        self.setup.game.engine.determinize(states, seat, drawn_words(draw))
        state = ArenaState(self)
        state.node = seen_node(self.setup, states, seat, learnt)
        return state

    def max_chance_nodes_in_history(self) -> int:
        """The deal, and nothing else."""
        return 1

    def make_py_observer(self, iig_obs_type: Any = None, params: Mapping[str, Any] | None = None) -> "ArenaObserver | None":
        """Return what a player sees.

        None for kinds of observation that the games of arena do not have, such as the public part.
        """
        if params:
            raise ValueError(f"observers of {self} take no parameters, not {dict(params)}")
        if iig_obs_type is None:
            return ArenaObserver(self.setup, has_all=False)
        is_own = iig_obs_type.public_info and iig_obs_type.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        return ArenaObserver(self.setup, has_all=iig_obs_type.perfect_recall) if is_own else None

    def node_after_deal(self, outcome: int) -> Node:
        """The position after a chance outcome."""
        if self.starts:
            return self.starts[outcome]
        self.dealt += 1
        return Node(self.setup, numbered_deal(self.setup, self.key, self.dealt - 1))

    def _deals(self) -> list[States]:
        read = self.read
        if read.position is not None:
            states = self.setup.game.text.from_position(read.position)
            return possible_deals(self.setup, states, self.key, read.deals or 1)
        return fixed_deals(self.setup, self.key, read.deals) if read.deals else []


class ArenaState(pyspiel.State):  # type: ignore[misc]
    """A state of a game of arena: before the deal, a position in which a seat is to choose, or the end."""

    def __init__(self, game: ArenaGame) -> None:
        super().__init__(game)
        self.node: Node | None = None
        """The position; None before the deal."""

    def __reduce__(self) -> tuple[Callable[..., "ArenaState"], tuple[ArenaGame, str]]:
        return _restored_state, (self.get_game(), self.serialize())

    def current_player(self) -> int:
        """The seat that is to choose, or OpenSpiel's number for chance or the end."""
        node = self.node
        return _CHANCE if node is None else _TERMINAL if node.is_over else node.seat

    def is_terminal(self) -> bool:
        """Return whether the match is over."""
        return self.node is not None and self.node.is_over

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The deals with their chances; a single one where each deal is a new one."""
        count = max(1, len(self.get_game().starts))
        return [(outcome, 1.0 / count) for outcome in range(count)]

    def returns(self) -> list[float]:
        """Return what the match brings each player; nothing before its end."""
        node = self.node
        return node.setup.returns(node.states) if node is not None and node.is_over else [0.0] * self.num_players()

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> "ArenaState":
        """A state that `player` cannot tell from this one. It has no history: that would hold what the player cannot know."""
        state = ArenaState(self.get_game())
        if self.node is not None:
            state.node = self.node.resampled(player, drawn_words(sampler))
        return state

    def _legal_actions(self, _player: int) -> list[int]:
        node = self.node
        assert node is not None
        places = node.setup.place_of_code
        return list(range(len(node.codes))) if places is None else [places[code] for code in node.codes]

    def _apply_action(self, action: int) -> None:
        self.node = self.get_game().node_after_deal(action) if self.node is None else self.node.after(self._code(action))

    def _action_to_string(self, _player: int, action: int) -> str:
        return f"deal {action}" if self.node is None else self.node.setup.game.action_text(self.node.states, self._code(action))

    def _code(self, action: int) -> int:
        node = self.node
        assert node is not None
        codes = node.setup.encoding.codes
        if codes is None:
            if not 0 <= action < len(node.codes):
                raise ValueError(f"action {action} is not among the {len(node.codes)} legal ones")
            return node.codes[action]
        if not 0 <= action < len(codes) or codes[action] not in node.codes:
            raise ValueError(f"action {action} is not legal; legal are {self._legal_actions(node.seat)}")
        return codes[action]

    def __str__(self) -> str:
        node = self.node
        return "before the deal" if node is None else node.setup.game.text.describe(node.states[0], None)


class ArenaObserver:
    """What a player sees of a state: the features of the game's encoding as a tensor, and a text."""

    def __init__(self, setup: Setup, *, has_all: bool) -> None:
        """`has_all`: the text stands for all that the player has been shown, else it describes the position to people."""
        self._setup, self._has_all = setup, has_all
        self.tensor: Features = np.zeros(setup.encoding.size, np.float32)
        self.dict: dict[str, Features] = {}
        first = 0
        for plane in setup.encoding.planes:
            self.dict[plane.name] = self.tensor[first : first + plane.size]
            first += plane.size

    def set_from(self, state: ArenaState, player: int) -> None:
        """Write what the player sees into the tensor; nothing before the deal."""
        if state.node is None:
            self.tensor.fill(0)
        else:
            self._setup.encoding.write(state.node.observed(player), player, self.tensor)

    def string_from(self, state: ArenaState, player: int) -> str:
        """Return what the player was shown, as a digest (equal for what it cannot tell apart); or what it sees, in words."""
        node = state.node
        if node is None:
            return f"seat {player}, before the deal"
        if self._has_all:
            return f"seat {player} {node.known(player).hex()}"
        return self._setup.game.text.describe(node.observed(player)[0], player)


def _game_type(game: Game, *, is_explicit: bool) -> Any:
    modes = pyspiel.GameType.ChanceMode
    return pyspiel.GameType(
        short_name=PREFIX + game.name,
        long_name=f"{game.name} of arena",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=modes.EXPLICIT_STOCHASTIC if is_explicit else modes.SAMPLED_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=max(game.seats),
        min_num_players=min(game.seats),
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        provides_factored_observation_string=False,
        parameter_specification=setups.specification(game),
    )


def _have_compiled(game: Game) -> None:
    """Compile the rules of a game, what draws worlds and what writes features, unless the cache has them."""
    if not all(jit.is_warm(game.package, part) for part in _PARTS):
        warm_games({game.name: _PARTS}, note_visibly)


def _restored_game(name: str, params: Mapping[str, Value], starts: Sequence[Node], key: bytes, dealt: int) -> ArenaGame:
    game = ArenaGame(name, params, starts)
    game.key, game.dealt = key, dealt
    return game


def _restored_state(game: ArenaGame, data: str) -> ArenaState:
    state: ArenaState = game.deserialize_state(data)
    return state
