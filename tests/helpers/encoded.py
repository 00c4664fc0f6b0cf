"""What an encoding says about a position, plane by plane, for the tests."""

from itertools import accumulate, pairwise

from arena.games import encoding


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
