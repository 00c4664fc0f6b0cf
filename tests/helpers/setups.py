"""Set-ups of single matches with seeds that depend on the deal, the rotation and the seat alone."""

from arena.agent import BotFiles
from arena.engine.game import Game
from arena.engine.options import OptionValue
from arena.engine.rng import derive
from arena.match import MatchSetup, Player
from arena.records import Clock

KEY = b"house bots"
CLOCK = Clock(60.0, 600.0)


def setup_of(game: Game, bots: list[BotFiles], deal: int, rotation: int, **options: OptionValue) -> MatchSetup:
    seats = range(len(bots))
    return MatchSetup(
        index=deal,
        match_id=f"{deal:024x}",
        game=game.name,
        pool=game.name,
        options=game.resolve_options(options, len(bots)),
        deal=deal,
        rotation=rotation,
        players=tuple(Player(bot.main, bot.sha256) for bot in bots),
        deal_seed=derive(KEY, "deal", game.name, deal),
        bot_seeds=tuple(derive(KEY, "bot", deal, rotation, seat) for seat in seats),
        fallback_seeds=tuple(derive(KEY, "fallback", deal, rotation, seat) for seat in seats),
        clock=CLOCK,
    )
