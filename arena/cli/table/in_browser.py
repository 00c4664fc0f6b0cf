"""A table in the browser: a server of its own, which opens one table for whoever comes with its address."""

import contextlib
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path

from arena.agent.files import read_unparsed
from arena.agent.loading import HOUSE
from arena.agent.submissions import PREFIX
from arena.cli.shared.printing import note, say
from arena.cli.shared.web import LOOPBACK, PORT, browser_at, has_screen
from arena.engine.options import OptionValue
from arena.errors import ConfigError


def choices(levels: Sequence[str], against: Sequence[str], seat: int, params: Sequence[str]) -> list[str]:
    """The choice for each seat of the table, as the server takes it. Raises ConfigError for bots that have no name there."""
    if params:
        raise ConfigError("--param: not with --browser, where bots play as they are")
    named = [bot if bot.startswith((HOUSE, PREFIX)) else _model(bot) for bot in against]
    others = [f"level:{one}" for one in levels] or named
    if not 0 <= seat <= len(others):
        raise ConfigError(f"--seat: a seat from 0 to {len(others)}, not {seat}")
    return [*others[:seat], "me", *others[seat:]]


def _model(bot: str) -> str:
    """The choice of a language model by its path. Raises ConfigError for any other path."""
    from arena.server.people.levels import MODEL  # only now: the terminal does without

    path = Path(bot).absolute()
    if not path.exists() or read_unparsed(path).model is None:
        raise ConfigError(
            f"--browser: {bot}: house:NAME, submitted:NAME or a language model; submit a bot of your own with: arena submit"
        )
    return f"{MODEL}{path}"


def play_in_browser(
    game: str,
    seats: Sequence[str],
    name: str | None,
    usual_name: str,
    *,
    options: Mapping[str, OptionValue],
    seed: int | None,
    out: Path,
) -> None:
    """Open the server of a results folder with a table for the person, and serve it until Ctrl-C. Raises ConfigError.

    `name`: None for the name that the browser is known by, or else `usual_name`.
    """
    from arena.server.app import application  # only now: the terminal does without
    from arena.server.guard import rules_for
    from arena.server.playing import PREPARED
    from arena.server.problems import Problem
    from arena.server.server import listener, run
    from arena.server.tables.plan import Opening, Prepared, in_real_time, planned
    from arena.server.visitors import checked_person_name

    ticks, resolved = in_real_time(game, options, seats)
    opening = Opening(game=game, seats=list(seats), options=resolved, tick_ms=ticks, name=name)
    try:
        planned(opening, out, usual_name, models=seats)  # what is wrong is said here, not in the browser
        if name is not None:
            checked_person_name(name)
    except Problem as problem:
        raise ConfigError(problem.message) from None
    token, code = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
    prepared = Prepared(opening=opening, usual_name=usual_name, seed=seed)
    app = application(out, token=token, rules=rules_for(LOOPBACK), prepared={code: prepared})
    with contextlib.ExitStack() as opened:
        try:
            place = opened.enter_context(listener(LOOPBACK, PORT))  # a browser knows a person again at the same port
        except ConfigError:
            place = opened.enter_context(listener(LOOPBACK, 0))
        url = f"http://{LOOPBACK}:{place.getsockname()[1]}/login#token={token}&next={PREPARED}/{code}"
        say(f"Your table is ready: {url}")
        note("Ctrl-C closes it")
        if has_screen():
            opened.enter_context(browser_at(url))
        run(app, place)
