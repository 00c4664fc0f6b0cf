"""The laws of encodings: what learning programs see is whole, within its bounds, and nothing that a seat cannot know."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from arena.engine.contract import Features
from arena.engine.encoding import Encoding, Plane
from arena.engine.game import States
from arena.engine.random_tables import Decision, Table, copy, decisions, final_states, resampled

_MARGIN = 8  # places before and behind those that are to be written; 4 rows behind those of the actions
_FILLS = (np.nan, 7.5)  # what a buffer holds before; what an encoding leaves or adds to is seen in one of them


def features_are_whole(table: Table) -> None:
    """Each place of the features is written for each seat at each moment, within its plane's bounds, and nothing else is."""
    encoding = table.game.encoding
    for states, where in _moments(table):
        for seat in range(table.seats):
            seen = table.game.observed(states, seat)
            found = _written(encoding, seen, seat, f"{where}: seat {seat}")
            _check_bounds(encoding.planes, found, f"{where}: seat {seat}")
            _same(encoding.features(seen, seat), found, encoding.planes, f"{where}: seat {seat}: what Python callers get")


def action_features_are_whole(table: Table) -> None:
    """Each legal action has its row of features within the bounds; other rows are left alone; its code is in CODES."""
    encoding = table.game.encoding
    for moment in decisions(table):
        where = f"{table}: {moment}"
        seen = table.game.observed(moment.states, moment.seat)
        rows = _written_rows(encoding, seen, moment, where)
        for row in rows:
            _check_bounds(encoding.action_planes, row, f"{where}: an action")
        _same(encoding.action_features(seen, moment.seat, moment.codes), rows, encoding.action_planes, f"{where}: in Python")
        if encoding.codes is not None:
            assert list(encoding.codes) == sorted(set(encoding.codes)), "CODES do not ascend"
            assert set(moment.codes) <= set(encoding.codes), f"{where}: codes that are not in CODES"


def features_are_blind(table: Table) -> None:
    """The leak proof of encodings: another world that looks the same to a seat gives it the same features."""
    game, encoding = table.game, table.game.encoding
    for moment in decisions(table):
        for seat in range(table.seats):
            where = f"{table}: {moment}: seat {seat} in another world"
            world = resampled(game, moment.states, seat, moment.rng.copy())
            true, other = (game.observed(states, seat) for states in (moment.states, world))
            _same(encoding.features(other, seat), encoding.features(true, seat), encoding.planes, where)
            if seat == moment.seat:
                rows = [encoding.action_features(seen, seat, moment.codes) for seen in (other, true)]
                _same(rows[0], rows[1], encoding.action_planes, f"{where}: an action")


def actions_look_different(table: Table) -> None:
    """Two actions share a row of features only if what the seat sees after them has the same features, too."""
    game, encoding = table.game, table.game.encoding
    for moment in decisions(table):
        rows = encoding.action_features(game.observed(moment.states, moment.seat), moment.seat, moment.codes)
        alike: dict[bytes, list[int]] = {}
        for code, row in zip(moment.codes, rows):
            alike.setdefault(row.tobytes(), []).append(code)
        for codes in alike.values():
            after = {_after(table, moment, code) for code in codes} if len(codes) > 1 else set()
            texts = game.text.action_texts(moment.states[0], codes)
            assert len(after) <= 1, f"{table}: {moment}: {', '.join(texts)} have the same features, but lead to others"


ENCODING_LAWS: tuple[Callable[[Table], None], ...] = (
    features_are_whole,
    action_features_are_whole,
    features_are_blind,
    actions_look_different,
)


def _moments(table: Table) -> Iterator[tuple[States, str]]:
    """The decisions, the ends of the rounds that follow them, and the end of the match."""
    for moment in decisions(table):
        yield moment.states, f"{table}: {moment}"
        states = copy(table.game, moment.states)
        table.game.engine.step(states, moment.action)
        if table.game.engine.is_round_over(states):
            yield states, f"{table}: the end of a round"
    yield final_states(table), f"{table}: the end of the match"


def _written(encoding: Encoding, seen: States, seat: int, where: str) -> Features:
    """The features, written into buffers that were filled with something else before."""
    before, found = seen.tobytes(), []
    for fill in _FILLS:
        buffer = np.full(encoding.size + 2 * _MARGIN, fill, np.float32)
        encoding.write(seen, seat, buffer[_MARGIN:-_MARGIN])
        margins = np.concatenate([buffer[:_MARGIN], buffer[-_MARGIN:]])
        assert np.array_equal(margins, np.full(2 * _MARGIN, fill), equal_nan=True), f"{where}: more than PLANES say is written"
        found.append(buffer[_MARGIN:-_MARGIN])
    _same(found[0], found[1], encoding.planes, f"{where}: depends on what stood there before")
    assert seen.tobytes() == before, f"{where}: the state is changed"
    return found[0]


def _written_rows(encoding: Encoding, seen: States, moment: Decision, where: str) -> Features:
    before, found = seen.tobytes(), []
    actions, count = np.array(moment.codes, np.int64), len(moment.codes)
    for fill in _FILLS:
        buffer = np.full((count + _MARGIN, encoding.action_size), fill, np.float32)
        encoding.write_actions(seen, moment.seat, actions, count, buffer)
        rest = buffer[count:]
        assert np.array_equal(rest, np.full(rest.shape, fill), equal_nan=True), f"{where}: rows of no action are written"
        found.append(buffer[:count])
    _same(found[0], found[1], encoding.action_planes, f"{where}: an action: depends on what stood there before")
    assert seen.tobytes() == before and actions.tolist() == moment.codes, f"{where}: the state or the actions are changed"
    return found[0]


def _check_bounds(planes: Sequence[Plane], found: Features, where: str) -> None:
    sizes = [plane.size for plane in planes]
    low, high = (np.repeat(np.array([getattr(plane, end) for plane in planes]), sizes) for end in ("low", "high"))
    for place in np.flatnonzero(~((low <= found) & (found <= high))):  # true for what is no number, too
        raise AssertionError(f"{where}: {_plane_at(planes, int(place))} holds {found[place]}")


def _same(found: Features, others: Features, planes: Sequence[Plane], where: str) -> None:
    """Fail, naming a plane, unless the features are the same bit for bit; what is no number counts as equal to itself."""
    differing = np.argwhere(np.ascontiguousarray(found).view(np.int32) != np.ascontiguousarray(others).view(np.int32))
    for place in differing:
        pair = f"{found[tuple(place)]}, not {others[tuple(place)]}"
        raise AssertionError(f"{where}: {_plane_at(planes, int(place[-1]))} is {pair}")


def _plane_at(planes: Sequence[Plane], place: int) -> str:
    """The plane of a place, in words."""
    for plane in planes:
        if place < plane.size:
            return f"`{plane.name}`[{place}]"
        place -= plane.size
    raise IndexError(place)


def _after(table: Table, moment: Decision, code: int) -> bytes:
    """Return what the seat sees after an action, as features."""
    states = copy(table.game, moment.states)
    table.game.engine.step(states, code)
    return table.game.encoding.features(table.game.observed(states, moment.seat), moment.seat).tobytes()
