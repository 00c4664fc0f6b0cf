"""The laws of the rules engine: functions of a table that raise AssertionError with the reason.

What is said about hidden things is checked at every decision, against the true state and against another world that
looks the same to a seat; in long matches, at a sample of the decisions.
"""

import json
import random
from collections.abc import Callable
from typing import Any

import numpy as np

from arena.audit.laws.encoding_laws import ENCODING_LAWS
from arena.audit.laws.parts import CHANCE_LAWS, SKETCH_LAWS, WORLD_LAWS
from arena.engine.game import Document, Game, States
from arena.engine.random_tables import Decision, Table, copy, decisions, final_states, resampled
from arena.errors import PositionError
from arena.ratings.losers import said_by_game
from arena.records import Clock, canonical_json

HIDDEN = "?"
DEALS = 12  # by each word of a deal seed: as many all equal by chance is unlikely, even with three cards

_WHO = ("turn", "starter", "parent", "dropped")  # who leads or still plays may depend on the rounds before


def legal_lists_are_canonical(table: Table) -> None:
    """A legal list is not empty until the round is over, ascends and has no duplicates (docs/notation.md, "Actions")."""
    for moment in decisions(table):
        assert 0 <= moment.seat < table.seats, f"{table}: {moment}: no such seat"
        assert not table.game.engine.is_round_over(moment.states), f"{table}: {moment}: the round is over already"
        assert moment.codes == sorted(set(moment.codes)), f"{table}: {moment}: not ascending: {moment.codes}"
        assert len(moment.codes) <= table.game.rules.MAX_ACTIONS, f"{table}: {moment}: more than MAX_ACTIONS"


def observed_state_is_enough(table: Table) -> None:
    """The seen state gives the same legal list, course and sampled worlds as the true one, byte for byte."""
    game = table.game
    for moment in decisions(table):
        true = moment.states
        for seat in range(table.seats):
            seen = game.observed(true, seat)
            _equal(game.observed(seen, seat), seen, f"{table}: {moment}: observing twice, seat {seat}")
            assert _course(game, seen) == _course(game, true), f"{table}: {moment}: seat {seat} sees another course"
            if seat == moment.seat:
                assert game.legal_list(seen) == moment.codes, f"{table}: {moment}: legal list of the observed state"
            rngs = [moment.rng.copy(), moment.rng.copy()]
            worlds = [resampled(game, states, seat, rng) for states, rng in zip((true, seen), rngs)]
            _equal(worlds[1], worlds[0], f"{table}: {moment}: determinize of the observed and of the true state")
            assert (rngs[0] == rngs[1]).all(), f"{table}: {moment}: determinize drew another number of words"


def worlds_look_the_same(table: Table) -> None:
    """The leak proof: a world resampled for a seat gives that seat the same bytes, list, position, text and events."""
    game = table.game
    for moment in decisions(table):
        for seat in range(table.seats):
            where = f"{table}: {moment}: seat {seat} in another world"
            world = resampled(game, moment.states, seat, moment.rng.copy())
            _equal(game.observed(world, seat), game.observed(moment.states, seat), f"{where}: observed state")
            assert not _same_secret(game, world, moment.states), f"{where}: the deal seed was not resampled"
            true, other = _as_seen(game, moment.states, seat), _as_seen(game, world, seat)
            assert true == other, f"{where}: sees {other}, not {true}"
            if seat == moment.seat:
                assert game.legal_list(world) == moment.codes, f"{where}: another legal list"
            _check_seen_actions(game, moment, world, seat, where)


def text_needs_what_is_seen(table: Table) -> None:
    """Masked position, description and action texts are the same from the seen state as from the true one."""
    game = table.game
    for moment in decisions(table):
        for seat in range(table.seats):
            seen = game.observed(moment.states, seat)
            true, observed = _as_seen(game, moment.states, seat), _as_seen(game, seen, seat)
            assert true == observed, f"{table}: {moment}: seat {seat}: from the observed state {observed}, not {true}"
        seen = game.observed(moment.states, moment.seat)
        for code in moment.codes:
            text = game.action_text(moment.states, code)
            assert game.action_text(seen, code) == text, f"{table}: {moment}: text of {code}"
            assert game.text.parse_action(seen[0], text) == code, f"{table}: {moment}: parse of {text!r}"


def masked_position_only_masks(table: Table) -> None:
    """A masked position is the position with `?` for what is hidden; no generator, nothing else changed or left out."""
    game = table.game
    for moment in decisions(table):
        full = game.text.to_position(moment.states[0])
        for seat in range(table.seats):
            masked = game.text.masked_position(game.observed(moment.states, seat)[0], seat)
            assert "rng" not in masked, f"{table}: {moment}: the masked position shows the generator"
            missing = {key for key in full if key not in masked and not _is_empty(full[key])} - {"rng", "memory"}
            assert not missing, f"{table}: {moment}: not in the masked position: {missing}"
            for key, value in masked.items():
                same = key == "memory" or _is_masked(value, full.get(key))
                assert same, f"{table}: {moment}: seat {seat}: {key} is {value}, in truth {full.get(key)}"


def simultaneous_choices_are_hidden(table: Table) -> None:
    """Whatever an earlier seat chose, a later seat of the same choice sees the same state and the same legal list."""
    game = table.game
    for moment in decisions(table):
        if not game.engine.is_simultaneous(moment.states):
            continue
        views = set()
        for code in moment.codes:
            states = copy(game, moment.states)
            game.engine.step(states, code)
            later = int(game.engine.current_seat(states))
            if not game.engine.is_round_over(states) and game.engine.is_simultaneous(states) and later > moment.seat:
                views.add((later, game.observed(states, later).tobytes(), tuple(game.legal_list(states))))
        assert len(views) <= 1, f"{table}: {moment}: the choice shows in what seat {moment.seat + 1} sees"


def rollouts_are_blind(table: Table) -> None:
    """The rollout policy plays legal actions; policy and prior are the same in all worlds that look the same to the mover."""
    game, rollout = table.game, table.game.rollout
    constants = game.constants
    for moment in decisions(table):
        found = []
        for states in (moment.states, resampled(game, moment.states, moment.seat, moment.rng.copy())):
            actions, priors = game.new_actions(), np.zeros(game.rules.MAX_ACTIONS)
            actions[: len(moment.codes)] = moment.codes
            rollout.prior(states[0], actions, len(moment.codes), constants, priors)
            action = int(rollout.rollout_action(states[0], actions, len(moment.codes), constants, moment.rng.copy()))
            assert action in moment.codes, f"{table}: {moment}: the rollout policy's {action} is not legal"
            assert np.isfinite(priors).all(), f"{table}: {moment}: a prior that is no number"
            found.append((priors.tolist(), action))
        assert found[0] == found[1], f"{table}: {moment}: prior or rollout policy use what the seat cannot see"


def notation_round_trips(table: Table) -> None:
    """Positions and actions survive the way through text; a position thereby keeps all cards and all options."""
    game = table.game
    for moment in decisions(table):
        _check_position(table, moment.states)
        texts = game.text.action_texts(moment.states[0], moment.codes)
        assert len(set(texts)) == len(texts), f"{table}: {moment}: two actions share a text: {texts}"
        for code, text in zip(moment.codes, texts):
            parsed = game.text.parse_action(moment.states[0], text)
            assert parsed == code, f"{table}: {moment}: {text!r} is read as {parsed}, not {code}"
    _check_position(table, final_states(table))


def garbage_is_refused(table: Table) -> None:
    """A text that is no legal action is refused with PositionError, or read as a code that is not legal."""
    game = table.game
    for moment in decisions(table):
        texts = set(game.text.action_texts(moment.states[0], moment.codes))
        junk = {"", " ", "nonsense", "-1", "0", "\N{SUPERSCRIPT TWO}", "play", "null"}
        for text in sorted(texts)[:5]:
            junk |= {text + " ", " " + text, text + " x", text.upper(), text.replace(" ", "  "), f"{text} {text}"}
        for text in junk - texts:
            try:
                code = game.text.parse_action(moment.states[0], text)
            except PositionError:
                continue
            assert code not in moment.codes, f"{table}: {moment}: {text!r} is read as a legal action"


def damaged_positions_are_refused(table: Table) -> None:
    """A damaged position is refused with PositionError, or is another good position: never a crash."""
    game, rng = table.game, random.Random(table.seed)
    junk: tuple[Any, ...] = (None, [], {}, "", "?", "x", -1, 0, 1, 99, 10**20, 1.5, True, [None], [[]], {"1": 1}, "tie")
    for moment in decisions(table):
        whole = json.dumps(game.text.to_position(moment.states[0]))
        for _ in range(10):
            document = _damaged(json.loads(whole), rng, junk)
            try:
                states = game.text.from_position(document)
                assert game.text.from_position(game.text.to_position(states[0])).tobytes() == states.tobytes()
                if not game.engine.is_terminal(states):
                    game.engine.advance(states, game.legal_list(states)[0])
            except PositionError:
                continue
            except Exception as error:
                raise AssertionError(f"{table}: {moment}: not refused: {json.dumps(document)}: {error!r}") from error


def same_seed_same_match(table: Table) -> None:
    """A match depends on nothing but seats, options, seed and actions; each word of the seed counts."""
    game = table.game
    first, second = ([moment.states.tobytes() for moment in decisions(table)] for _ in range(2))
    assert first == second, f"{table}: two runs differ"
    deals = {(_cards(game, table.deal()),) * DEALS}
    for bit in (0, 32, 64, 96):
        seeds = [table.seed ^ number << bit for number in range(1, 1 + DEALS)]
        deals.add(tuple(_cards(game, game.deal(table.seats, table.options, seed)) for seed in seeds))
    assert len(deals) == 5, f"{table}: a word of the deal seed has no effect on the deal"


def deals_do_not_depend_on_play(table: Table) -> None:
    """What is dealt in round 2 depends on the seed and on who leads, not on how round 1 was played.

    See docs/formats.md, "Keys and seeds".
    """
    game = table.game
    firsts = [game.text.to_position(game.deal(table.seats, table.options, seed)[0]) for seed in range(8)]
    dealt = [key for key in firsts[0] if key not in (*_WHO, "rng") and any(p[key] != firsts[0][key] for p in firsts)]
    found: dict[str, set[str]] = {}
    for chooser in range(3 * table.seats):
        document = _second_round(table, random.Random(chooser))
        if document is not None:
            who = json.dumps([document.get(key) for key in _WHO])
            found.setdefault(who, set()).add(json.dumps([document[key] for key in dealt]))
    for who, deals in found.items():
        assert len(deals) == 1, f"{table}: the second deal depends on the first round (with {_WHO} = {who})"


def rounds_halt(table: Table) -> None:
    """`step` halts where a round is over, `next_round` deals the next one, and `advance` does both."""
    game, rng = table.game, random.Random(table.seed)
    states, number = table.deal(), 1
    while not game.engine.is_terminal(states):
        assert not game.engine.is_round_over(states), f"{table}: round {number} is over before a decision"
        action = rng.choice(game.legal_list(states))
        advanced = copy(game, states)
        game.engine.advance(advanced, action)
        game.engine.step(states, action)
        if game.engine.is_round_over(states) and not game.engine.is_terminal(states):
            game.rules.next_round(states[0])
            number += 1
            assert game.text.to_position(states[0])["round"] == number, f"{table}: number of round {number}"
        _equal(advanced, states, f"{table}: advance differs from step and next_round in round {number}")
    assert game.engine.is_round_over(states), f"{table}: the match is over but its last round is not"


def results_are_in_order(table: Table) -> None:
    """Places are 1, 2, 2, 4, follow the scores (upwards or downwards), and team mates share them.

    Where seats drop out of a match (`dropped` in the position), the round goes before the score; where a call decides between
    several who could win (`caller`), the caller's unit stands apart.
    """
    game, states = table.game, final_states(table)
    scores, places = game.final(states, table.seats)
    where = f"{table}: scores {scores}, places {places}"
    assert places == [1 + sum(other < place for other in places) for place in places], f"{where}: not a ranking"
    position, units = game.text.to_position(states[0]), game.units(table.seats, table.options)
    dropped = position.get("dropped") or [0] * table.seats
    caller = position.get("caller")
    seats = [seat for seat in range(table.seats) if caller is None or units[seat] != units[caller] or places[seat] > 1]
    pairs = [(a, b) for a in seats for b in seats if places[a] < places[b] and dropped[a] == dropped[b]]
    up, down = (all(sign * scores[a] >= sign * scores[b] for a, b in pairs) for sign in (1, -1))
    assert np.isfinite(scores).all() and (up or down), f"{where}: places do not follow the scores"
    assert len(set(zip(units, places))) == len(set(units)), f"{where}: units {units} do not share their places"
    one_loser = game.engine.has_one_loser(states)
    said = said_by_game(game.name, canonical_json(table.options), table.seats)
    assert one_loser == said, f"{table}: whether a match names one loser does not follow from its options"
    if one_loser:
        assert places.count(1) == len(places) - 1, f"{where}: one loser was announced"


LAWS: tuple[Callable[[Table], None], ...] = (
    legal_lists_are_canonical,
    observed_state_is_enough,
    worlds_look_the_same,
    text_needs_what_is_seen,
    masked_position_only_masks,
    simultaneous_choices_are_hidden,
    rollouts_are_blind,
    notation_round_trips,
    garbage_is_refused,
    damaged_positions_are_refused,
    same_seed_same_match,
    deals_do_not_depend_on_play,
    rounds_halt,
    results_are_in_order,
    *CHANCE_LAWS,
    *ENCODING_LAWS,
    *SKETCH_LAWS,
    *WORLD_LAWS,
)


def _equal(states: States, others: States, where: str) -> None:
    names = [name for name in states.dtype.names or () if states[name].tobytes() != others[name].tobytes()]
    assert not names, f"{where}: differs in {', '.join(f'{name}: {states[name][0]} / {others[name][0]}' for name in names)}"


def _same_secret(game: Game, states: States, others: States) -> bool:
    return "seed" in game.rules.STATE.names and bool((states["seed"] == others["seed"]).all())


def _course(game: Game, states: States) -> tuple[Any, ...]:
    """Return what every seat knows about where the match stands."""
    engine = game.engine
    entries = (engine.current_seat, engine.is_simultaneous, engine.is_round_over, engine.is_terminal)
    return tuple(entry(states) for entry in entries)


def _as_seen(game: Game, states: States, seat: int) -> tuple[Document, str, str]:
    """Everything a seat is shown of a state except the events. Fails if an attribute of its typed view does not work."""
    observed = game.observed(states, seat)
    codes = game.legal_list(observed) if seat == game.engine.current_seat(observed) else []
    view = game.view(game, observed, seat, codes=codes, events=list, clock=Clock(1.0, 0.0))
    for name in dir(view):
        if not name.startswith("_"):
            getattr(view, name)
    return game.text.masked_position(states[0], seat), game.text.describe(states[0], seat), str(view)


def _check_seen_actions(game: Game, moment: Decision, world: States, viewer: int, where: str) -> None:
    """Seen codes tell the own actions apart, and tell nothing that the state seen afterwards does not tell."""
    seen = [game.engine.seen_action(moment.states, code, viewer) for code in moment.codes]
    if viewer == moment.seat:
        assert 0 not in seen and len(set(seen)) == len(seen), f"{where}: own actions share a code: {seen}"
    codes = game.legal_list(world)
    there = dict(zip(game.text.action_texts(world[0], codes), codes))
    for code, learnt, text in zip(moment.codes, seen, game.text.action_texts(moment.states[0], moment.codes)):
        results = [copy(game, moment.states), copy(game, world)]
        if text not in there:
            continue
        game.engine.step(results[0], code)
        game.engine.step(results[1], there[text])
        if game.observed(results[0], viewer).tobytes() == game.observed(results[1], viewer).tobytes():
            other = game.engine.seen_action(world, there[text], viewer)
            assert learnt == other, f"{where}: {text!r} is seen as {learnt} and {other}"
            events = [game.text.event_texts(states[0], learnt) for states in (moment.states, world)] if learnt else [[]]
            assert events[0] == events[-1], f"{where}: {text!r} reads {events[0]} and {events[-1]}"


def _check_position(table: Table, states: States) -> None:
    game = table.game
    document = game.text.to_position(states[0])
    assert json.loads(json.dumps(document)) == document, f"{table}: not plain JSON: {document}"
    assert document["game"] == game.name and document["seats"] == table.seats, f"{table}: {document}"
    found = game.options_of(document)
    assert found == table.options, f"{table}: options in the position: {found}"
    _equal(game.text.from_position(document), states, f"{table}: read back from its position")


def _is_empty(value: object) -> bool:
    return value is None or (isinstance(value, list | dict | str) and not value)


def _is_masked(value: object, truth: object) -> bool:
    """Return whether `value` is `truth` with `?` for some of it."""
    if isinstance(value, list) and isinstance(truth, list):
        return len(value) == len(truth) and all(_is_masked(*pair) for pair in zip(value, truth))
    if isinstance(value, dict) and isinstance(truth, dict):
        return value.keys() == truth.keys() and all(_is_masked(value[key], truth[key]) for key in value)
    if isinstance(value, str) and isinstance(truth, str) and len(value) == len(truth):
        return all(shown in (HIDDEN, true) for shown, true in zip(value, truth))
    return value == truth or (value == HIDDEN and not isinstance(truth, list | dict))


def _damaged(document: Document, rng: random.Random, junk: tuple[Any, ...]) -> Document:
    """The position with one value somewhere replaced, left out or put in twice."""
    place: Any = document
    while True:
        key = rng.choice(list(place) if isinstance(place, dict) else range(len(place)))
        if not (isinstance(place[key], list | dict) and place[key] and rng.random() < 0.7):
            break
        place = place[key]
    kind = rng.randrange(4)
    if kind == 0:
        del place[key]
    elif kind == 1 and isinstance(place, list):
        place.append(place[key])
    else:
        place[key] = rng.choice(junk)
    return document


def _cards(game: Game, states: States) -> str:
    """The position without its generator."""
    return json.dumps({key: value for key, value in game.text.to_position(states[0]).items() if key != "rng"})


def _second_round(table: Table, rng: random.Random) -> Document | None:
    """The position after the second deal; None where the match ends before."""
    game, states = table.game, table.deal()
    while not game.engine.is_round_over(states):
        game.engine.step(states, rng.choice(game.legal_list(states)))
    if game.engine.is_terminal(states):
        return None
    game.rules.next_round(states[0])
    return game.text.to_position(states[0])
