"""What is known of a position: worlds that look the same, views of random matches, what an encoding says plane by plane."""

from collections.abc import Iterator
from itertools import accumulate, pairwise
from typing import Any

import msgspec

from arena import games
from arena.engine.game import Game, States
from arena.engine.random_tables import Decision, Table, copy, decisions, make_table, resampled
from arena.engine.rng import seed_words
from arena.games import encoding


def sampled(game, states, seat, count, seed):
    """`count` states that look to `seat` like this one."""
    rng = seed_words(seed)
    for _ in range(count):
        yield resampled(game, states, seat, rng)


def worlds(game, moment, viewer, count=3):
    """`count` positions that `viewer` cannot tell from that of a decision."""
    rng = moment.rng.copy()
    for _ in range(count):
        yield resampled(game, moment.states, viewer, rng)


def laid_open(game: Game, states: States) -> bytes:
    """What all people at a table see at the end of a round, bots not: the hands. Empty before it."""
    outcomes = games.outcomes(game.name) if game.engine.is_round_over(states) else None
    return b"" if outcomes is None else msgspec.json.encode(outcomes.table(states[0]))


def same_action(game: Game, states: States, moment: Decision) -> int | None:
    """The code of the decision's action in another world, where codes may count other cards; None where it is not legal."""
    text = game.action_text(moment.states, moment.action)
    codes = game.legal_list(states)
    return dict(zip(game.text.action_texts(states[0], codes), codes)).get(text)


def seen_after(game: Game, states: States, moment: Decision, viewer: int) -> bytes:
    """What people at the viewer's seat know after the decision; empty where the world has no such action."""
    action = same_action(game, states, moment)
    if action is None:
        return b""
    after = copy(game, states)
    game.engine.step(after, action)
    return game.observed(after, viewer).tobytes() + laid_open(game, after)


def deals_anew(game: Game, states: States, action: int) -> bool:
    """Whether another round follows the action: other worlds have other deals."""
    after = copy(game, states)
    game.engine.step(after, action)
    return bool(game.engine.is_round_over(after)) and not game.engine.is_terminal(after)


def view_of(game: Game, states: States, seat: int, codes: list[int] | None = None) -> Any:
    """What a seat sees of these states; `codes`: its legal actions, if it is to choose."""
    codes = game.legal_list(states) if codes is None else codes
    return game.view(game, game.observed(states, seat), seat, codes=codes, events=list, clock=None)


def views(game: Game, matches: int, most: int = 12) -> Iterator[tuple[Table, Any]]:
    """Views of seats that have to choose, up to `most` of each of so many random matches of all variants."""
    for seed in range(matches):
        table = make_table(game, seed)
        course = list(decisions(table))
        for moment in course[:: max(1, len(course) // most)]:
            yield table, view_of(game, moment.states, moment.seat, moment.codes)


def planes(states, seat, game):
    """The features of each plane of what `seat` knows, by the plane's name."""
    found = encoding(game)
    return _by_plane(found.planes, found.features(game.observed(states, seat), seat))


def action_planes(states, game):
    """The features of each plane of the legal actions, by the action's text, by the plane's name."""
    found, seat, codes = encoding(game), int(game.engine.current_seat(states)), game.legal_list(states)
    rows = found.action_features(game.observed(states, seat), seat, codes)
    texts = game.text.action_texts(states[0], codes)
    return {text: _by_plane(found.action_planes, row) for text, row in zip(texts, rows, strict=True)}


def ones(features):
    """The places of the features that are 1; all others must be 0."""
    assert set(features) <= {0.0, 1.0}
    return [place for place, feature in enumerate(features) if feature]


def _by_plane(planes, features):
    ends = accumulate((plane.size for plane in planes), initial=0)
    return {plane.name: features[start:end].tolist() for plane, (start, end) in zip(planes, pairwise(ends), strict=True)}
