"""The games of arena and of other installed distributions, loaded and warmed. How they are found: discovery.py."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from arena import search
from arena.engine import contract, jit
from arena.engine.chance import STATES, Luck, bind_luck
from arena.engine.contract import Numbers
from arena.engine.defaults import default_encoding, filled_rollout, filled_state_features
from arena.engine.encoding import Encoding, bind_encoding
from arena.engine.entries import Engine, bind_engine, entry_names
from arena.engine.game import Game, TextModule
from arena.engine.net import KINDS, Nets
from arena.engine.net_files import read_nets
from arena.engine.options import OptionValue
from arena.engine.readiness import CHANCE, ENCODING, SAMPLING, SAMPLING_ENTRIES, Part, is_loaded, require
from arena.engine.rng import seed_words
from arena.errors import ConfigError, nearest
from arena.games.discovery import Place, places

__all__ = [
    "LUCK",
    "PARTS",
    "compile_rules",
    "compiled_entries",
    "encoding",
    "explanations",
    "has_luck",
    "load",
    "luck",
    "luck_nets",
    "luck_numbers",
    "names",
    "outcomes",
    "package",
    "part",
    "ready_luck",
    "tells_luck_well",
    "warm",
    "win_features",
]

PARTS = (SAMPLING, ENCODING, *search.METHODS)
"""What every game has beside its rules and bots may ask for: parts that are compiled by themselves."""
LUCK = "luck"
"""The folder of a game with its network for luck, which `arena train GAME --luck` makes."""
_RULES = ("VERSION", "SEATS", "OPTIONS", "STATE", "MAX_ACTIONS")
_PLAIN_RULES = {"resolve_options": "resolved, seats, given", "units": "seats, resolved"}
_VIEW = ("VIEW", "warm")
_ENCODING = ("PLANES", "ACTION_PLANES", "CODES")
_STATE_FEATURES = ("STATE_FEATURES", "BELIEF_FEATURES", "LEARNS")


def names() -> list[str]:
    """All games, in alphabetical order: those of arena and those of other installed distributions. Raises ConfigError."""
    return list(places())


def package(name: str) -> str:
    """The package of a game, such as `arena.games.naga`. Raises ConfigError for an unknown name."""
    return _place(name).package


@cache
def load(name: str) -> Game:
    """A game, loaded. Raises ConfigError for an unknown name, and for a game that does not load or breaks the contract."""
    place = _place(name)
    rules, text, view = (_module(name, place, part) for part in ("rules", "text", "view"))
    rollout = _module(name, place, "rollout") if find_spec(f"{place.package}.rollout") else None
    state_features = _module(name, place, "state_features") if find_spec(f"{place.package}.state_features") else None
    broken = [
        *_lacking(rules, "rules.py", _RULES, {**_PLAIN_RULES, **contract.RULES}),
        *_lacking(text, "text.py", (), {name: "" for name in vars(TextModule) if not name.startswith("_")}),
        *_lacking(view, "view.py", _VIEW, {}),
        *(() if rollout is None else _misshapen(rollout, "rollout.py", contract.ROLLOUT)),
        *(() if state_features is None else _lacking(state_features, "state_features.py", _STATE_FEATURES, {})),
        *(() if state_features is None else _misshapen(state_features, "state_features.py", contract.FEATURE_FUNCTIONS)),
    ]
    if broken:
        raise ConfigError(f"game: {name}: {place} breaks the contract: {'; '.join(broken)}")
    record = jit.record_type(rules.STATE)
    if contract.GAMES.setdefault(record, rules) is not rules:
        raise ConfigError(f"game: {name}: the fields of STATE are those of {contract.GAMES[record].__name__}; rename one")
    contract.ROLLOUTS[record] = filled_rollout(rollout, place.package)
    contract.STATE_FEATURES[record] = filled_state_features(state_features, place.package)
    game = Game(
        name, rules, contract.ROLLOUTS[record], text, view.VIEW, view.warm,
        bind_engine(place.package, rules.MAX_ACTIONS), _ready_encoding, contract.STATE_FEATURES[record],
        read_nets(Path(rules.__file__).parent),
    )  # fmt: skip
    contract.ENCODINGS.loaders[record] = partial(_encoding_module, game)
    return replace(game, engine=_asking_for_sampling(game))


def explanations(name: str) -> ModuleType | None:
    """The `explanations.py` of a game, for people at its table (docs/tables.md); None for a game without one.

    Raises ConfigError for an unknown name.
    """
    module = f"{_place(name).package}.explanations"
    return import_module(module) if find_spec(module) else None


def outcomes(name: str) -> ModuleType | None:
    """The `outcomes.py` of a game, which says how a round ended (docs/tables.md); None for a game without one.

    Raises ConfigError for an unknown name.
    """
    module = f"{_place(name).package}.outcomes"
    return import_module(module) if find_spec(module) else None


@cache
def encoding(game: Game) -> Encoding:
    """What learning programs see of a game: that of the game's encoding.py, or all numbers of its record.

    Raises ConfigError for an encoding.py that breaks the contract. Its functions are loaded or compiled where they are called;
    `Game.encoding` has them ready.
    """
    return bind_encoding(contract.ENCODINGS[jit.record_type(game.rules.STATE)], game.package)


def has_luck(name: str) -> bool:
    """Whether a game says what chance decides in it. Raises ConfigError for an unknown name."""
    return find_spec(f"{_place(name).package}.chance") is not None


@cache
def luck(game: Game) -> Luck:
    """What works out the luck of a game's matches; loaded or compiled where it is called. `ready_luck` has it ready.

    Raises ConfigError for a game without a chance.py, and for one that breaks the contract.
    """
    place = _place(game.name)
    if not has_luck(game.name):
        raise ConfigError(f"game: {game.name}: {place} has no chance.py, so the luck of its matches is not known")
    module = _module(game.name, place, "chance")
    broken = _lacking(module, "chance.py", (), contract.CHANCE)
    if broken:
        raise ConfigError(f"game: {game.name}: {place} breaks the contract: {'; '.join(broken)}")
    contract.CHANCES[jit.record_type(game.rules.STATE)] = module
    return bind_luck(place.package)


def ready_luck(game: Game) -> Luck:
    """What works out the luck of a game's matches, with the part CHANCE ready."""
    require(part(game, CHANCE))
    return luck(game)


@cache
def luck_nets(game: Game) -> Nets:
    """The network by which a game tells luck, in its folder `luck`; none where there is no such folder.

    Raises ArenaError for files that do not belong together.
    """
    nets, module = read_nets(game.folder / LUCK), win_features(game)
    nets.check_inputs(dict.fromkeys(KINDS, 0) | {"value": 0 if module is None else module.WIN_FEATURES})
    return nets


def win_features(game: Game) -> ModuleType | None:
    """The `win_features.py` of a game, which writes what a network for luck is asked; None for a game without one."""
    module = f"{game.package}.win_features"
    return import_module(module) if find_spec(module) else None


def tells_luck_well(name: str, seats: int, options: Mapping[str, OptionValue]) -> bool:
    """Whether a game has a network for luck that it asks at such tables: there it surely pays. `options`: resolved."""
    if not has_luck(name) or seats not in luck_nets(load(name)).seats:
        return False
    module = win_features(load(name))
    return module is not None and bool(module.asks(options))


@cache
def luck_numbers(game: Game) -> Numbers:
    """What the functions of a game's chance.py are handed as constants: those of its rollout.py, its network behind them.

    The network is written as the 32-bit floats that it consists of, two in the place of one: `view(np.float32)` reads them.
    """
    nets = luck_nets(game)
    if not nets.nets:
        return game.constants
    padded = np.concatenate([nets.numbers, np.zeros(len(nets.numbers) % 2, np.float32)])
    return np.concatenate([game.constants, padded.view(np.float64)])


def warm(game: Game) -> None:
    """Call all entries that matches need, and what views and texts call, once: compiled where the cache lacks it."""
    seats = game.seats[0]
    states, seen = game.deal(seats, game.resolve_options({}, seats), 1), game.new_states()
    engine = game.engine
    seat = engine.current_seat(states)
    engine.is_simultaneous(states)
    engine.observe(states, seat, seen)
    view = game.view(game, seen, seat, codes=game.legal_list(seen), events=list, clock=None)
    game.warm_view(view)
    game.text.describe(states[0], None)
    _ = (str(view), view.position)
    learnt = engine.seen_action(states, game.legal_list(states)[0], seat)
    if learnt:
        game.text.event_texts(states[0], learnt)
    engine.step(states, game.legal_list(states)[0])
    engine.advance(states, game.legal_list(states)[0])
    engine.play_log(states, np.zeros(0, np.int64), np.zeros(0, np.int64), game.new_actions())
    engine.is_round_over(states)
    engine.is_terminal(states)
    engine.has_one_loser(states)
    engine.scores(states, np.zeros(max(game.seats)))
    engine.places(states, np.zeros(max(game.seats), np.int64))


def compile_rules(game: Game) -> None:
    """Load what `warm` calls into this process. Compile it if the cache lacks it, under the game's lock."""
    if jit.is_warm(game.package):  # then nobody waits for another process that compiles a part of the game
        warm(game)
        return
    with jit.compiling(game.package):
        warm(game)
        if not jit.is_warm(game.package):
            jit.mark_warm(game.package)


def part(game: Game, name: str) -> Part:
    """One of the PARTS of a game, or CHANCE if it has luck."""
    warms = {SAMPLING: _warm_sampling, ENCODING: _warm_encoding, CHANCE: _warm_luck}
    if name in warms:
        return Part(game.name, name, game.package, game.package, partial(warms[name], game))
    return search.compiled(game, name)


def compiled_entries(game: Game) -> Sequence[Callable[..., Any]]:
    """The dispatchers of a game's entries; those of its encoding only if that part is loaded."""
    entries = [_dispatcher(game.engine, name) for name in entry_names()]
    if is_loaded(game.package, ENCODING):
        entries += [encoding(game).write, encoding(game).write_actions]
    return entries


def _warm_sampling(game: Game) -> None:
    """Call the entries of the part once."""
    seats = game.seats[0]
    resolved = game.resolve_options({}, seats)
    states, rng, out = game.deal(seats, resolved, 1), seed_words(1), game.new_actions()
    determinize, play_random, play_many = (_dispatcher(game.engine, name) for name in SAMPLING_ENTRIES)
    seat = game.engine.current_seat(states)
    determinize(game.observed(states, seat), seat, rng)
    play_random(states, rng, out, 1 << 20)
    play_many(states, seats, game.options_vector(resolved), 1, 1, rng, out)


def _asking_for_sampling(game: Game) -> Engine:
    """The engine of a game whose entries for sampling have the part ready before they are called."""
    wanted = part(game, SAMPLING)
    entries: dict[str, Any] = {name: _asking(wanted, getattr(game.engine, name)) for name in SAMPLING_ENTRIES}
    return replace(game.engine, **entries)


def _asking(wanted: Part, dispatcher: Callable[..., Any]) -> Callable[..., Any]:
    """A compiled function that has its part ready before it is called."""

    def entry(*arguments: Any) -> Any:
        require(wanted)
        return dispatcher(*arguments)

    entry.dispatcher = dispatcher  # type: ignore[attr-defined]
    return entry


def _encoding_module(game: Game) -> Any:
    """The encoding.py of a game, or what stands in for it."""
    place = _place(game.name)
    if not find_spec(f"{place.package}.encoding"):
        return default_encoding(game.rules.STATE, place.package)
    module = _module(game.name, place, "encoding")
    broken = _lacking(module, "encoding.py", _ENCODING, contract.ENCODING)
    if broken:
        raise ConfigError(f"game: {game.name}: {place} breaks the contract: {'; '.join(broken)}")
    return module


def _ready_encoding(game: Game) -> Encoding:
    """The encoding of a game, with the part ENCODING ready; a locked seat cannot even import it otherwise."""
    require(part(game, ENCODING))
    return encoding(game)


def _warm_encoding(game: Game) -> None:
    """Call the entries of the part once."""
    states, found = game.deal(game.seats[0], game.resolve_options({}, game.seats[0]), 1), encoding(game)
    seat = game.engine.current_seat(states)
    seen = game.observed(states, seat)
    found.features(seen, seat)
    found.action_features(seen, seat, game.legal_list(seen))


def _warm_luck(game: Game) -> None:
    """Call the entries of the part once."""
    seats = game.seats[0]
    options, found = game.options_vector(game.resolve_options({}, seats)), luck(game)
    states, numbers = np.zeros(STATES, game.rules.STATE), np.zeros((1, 2, seats))
    found.corrections(
        states,
        seats,
        options,
        seed_words(1),
        seed_words(2),
        np.zeros(0, np.int64),
        0,
        luck_numbers(game),
        numbers,
        numbers[:, 0],
    )


def _dispatcher(engine: Engine, name: str) -> Callable[..., Any]:
    """The compiled function of an entry itself."""
    entry: Callable[..., Any] = getattr(engine, name)
    return getattr(entry, "dispatcher", entry)


def _place(name: str) -> Place:
    known = places()
    if name not in known:
        raise ConfigError(f'game: no game "{name}"; {nearest(name, known)}')
    return known[name]


def _module(name: str, place: Place, part: str) -> Any:
    """A module of a game. Raises ConfigError where another distribution's does not load; where ours does not, that is a bug."""
    try:
        return import_module(f"{place.package}.{part}")
    except Exception as error:
        if place.distribution is None:
            raise
        raise ConfigError(f"game: {name}: {part}.py of {place} does not load: {type(error).__name__}: {error}") from error


def _lacking(module: Any, file: str, constants: Sequence[str], functions: Mapping[str, str]) -> list[str]:
    """What a module must define and does not, in words. `functions`: names and parameters."""
    missing = [name for name in (*constants, *functions) if not hasattr(module, name)]
    return [*([f"{file} lacks {', '.join(missing)}"] if missing else []), *_misshapen(module, file, functions)]


def _misshapen(module: Any, file: str, functions: Mapping[str, str]) -> list[str]:
    """Functions of a module with another number of parameters than the contract's, in words."""
    found = []
    for name, parameters in functions.items():
        count = len(parameters.split(", "))
        if parameters and hasattr(module, name) and len(inspect.signature(getattr(module, name)).parameters) != count:
            found.append(f"{file}: {name} takes {inspect.signature(getattr(module, name))}, ({parameters}) is needed")
    return found
