"""Language models in a tournament: what a config says of them, what is checked before they are asked, and when a run stops."""

import datetime
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import msgspec

from arena.agent import BotFiles
from arena.errors import ConfigError
from arena.llm.calls import key_problem
from arena.llm.kept_answers import FOLDER, AnswerFolder
from arena.match.model_seat import STOPS_AT
from arena.records import CallRecord, MatchRecord, SeatRecord
from arena.tournament.prices import PriceList, read_prices
from arena.tournament.workers.backend import Failure


class ModelConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The key `llm` of a config."""

    mix: bool = False
    """Whether matches with language models are rated together with all others of the game."""
    max_tokens: int | None = None
    """How many tokens the tournament may use, prompts and answers together; None: as many as it takes."""
    max_cost: float | None = None
    """How much it may cost, in the currency of the prices."""
    prices: str | None = None
    """The file with the prices, relative to the config's folder or the current one."""
    transcripts: bool = False
    """Whether what was asked is kept beside each answer."""


class ModelRun(msgspec.Struct, frozen=True, kw_only=True):
    """What a checked config says of language models."""

    max_tokens: int | None = None
    max_cost: float | None = None
    prices: PriceList | None = None
    transcripts: bool = False


class HasModels(Protocol):
    """A bot of a config, as far as this module looks at it."""

    @property
    def name(self) -> str:
        """The name of the bot."""
        ...

    @property
    def files(self) -> BotFiles:
        """The files of the bot."""
        ...


def checked_models(config: ModelConfig, folders: Sequence[Path]) -> ModelRun:
    """Check the key `llm`. `folders`: where the file of prices may lie. Raises ConfigError."""
    if config.max_tokens is not None and config.max_tokens < 1:
        raise ConfigError(f"llm.max_tokens: at least 1, not {config.max_tokens}")
    if config.max_cost is not None and not 0 < config.max_cost < float("inf"):
        raise ConfigError(f"llm.max_cost: an amount above 0 is needed, not {config.max_cost}")
    if config.max_cost is not None and config.prices is None:
        raise ConfigError("llm.max_cost: what tokens cost is not known here: name a file in llm.prices (arena docs llm)")
    prices = None
    if config.prices is not None:
        found = next((path for folder in folders if (path := folder / config.prices).exists()), None)
        if found is None:
            raise ConfigError(f"llm.prices: no such file: {folders[0] / config.prices}")
        prices = read_prices(found)
    return ModelRun(
        max_tokens=config.max_tokens, max_cost=config.max_cost, prices=prices, transcripts=config.transcripts
    )  # fmt: skip


def models_of(bots: Iterable[HasModels]) -> dict[str, str]:
    """The model of each bot that is one, by the hash of its files."""
    return {bot.files.sha256: bot.files.model.llm.model for bot in bots if bot.files.model is not None}


def most_model_seconds(bots: Iterable[HasModels]) -> float:
    """The wall seconds that the seat of a model may keep its match waiting; 0 where no bot is one."""
    return max((bot.files.model.llm.match_timeout_s for bot in bots if bot.files.model is not None), default=0.0)


def check_can_ask(bots: Iterable[HasModels], run: ModelRun, *, is_offline: bool, is_cluster: bool) -> None:
    """Raise ConfigError if models are to be asked and cannot be: no key, no price, other machines."""
    asked = [bot for bot in bots if bot.files.model is not None]
    if asked and is_cluster:
        raise ConfigError(
            f"--address: {asked[0].name} is a language model, and is asked from this machine alone: leave --address out"
        )
    for bot in asked:
        assert bot.files.model is not None
        key = bot.files.model.llm.key_env
        if key and not is_offline and (problem := key_problem(key)):
            raise ConfigError(f"{bot.name}: llm.key_env: {problem}")
    if run.max_cost is not None and run.prices is not None:
        names = [bot.files.model.llm.model for bot in asked if bot.files.model is not None]
        if missing := run.prices.missing(names, datetime.datetime.now(datetime.UTC).date()):
            raise ConfigError(f"llm.prices: no price for {', '.join(missing)} today; without one llm.max_cost says nothing")


def answer_folder(folder: Path, bots: Iterable[HasModels], run: ModelRun, offline: Path | None) -> AnswerFolder | None:
    """The folder in which the answers of a tournament's models are kept; None: no bot of it is one.

    `folder`: the tournament's; `offline`: that of a tournament whose answers are played again, without asking.
    """
    if not models_of(bots):
        return None
    place = (offline or folder) / FOLDER
    return AnswerFolder(folder=str(place.absolute()), is_offline=offline is not None, keeps_prompts=run.transcripts)


class Stopped(Exception):
    """The run is to stop for now: a budget is used up, or a model cannot be reached. The same command goes on."""


@dataclass
class Spending:
    """What the models of a tournament have used, and what went wrong with asking them in a row."""

    run: ModelRun
    models: Mapping[str, str]
    """The model of each bot that is one; see `models_of`."""
    tokens: int = 0
    cost: float = 0.0
    unpriced: int = 0
    """How many calls have no price."""
    in_a_row: int = 0
    """Host failures of models since the last match that was finished; one that does not pass counts STOPS_AT."""

    def add(self, records: Iterable[MatchRecord]) -> None:
        """Add the calls of matches."""
        for record in records:
            for call in record.calls:
                self.tokens += call.prompt_tokens + call.completion_tokens
                cost = self.cost_of(record, record.seats[call.seat], call)
                self.cost += cost or 0.0
                self.unpriced += cost is None

    def cost_of(self, record: MatchRecord, seat: SeatRecord, call: CallRecord) -> float | None:
        """What a call cost; None: that is not known."""
        if self.run.prices is None:
            return None
        day = datetime.datetime.fromtimestamp(record.ended, datetime.UTC).date()
        return self.run.prices.cost(self.models.get(seat.bot_sha256, call.model), call, day)

    def check_budget(self) -> None:
        """Raise Stopped if a budget is used up."""
        run = self.run
        if run.max_tokens is not None and self.tokens >= run.max_tokens:
            raise Stopped(f"llm.max_tokens: {self.tokens:,} of {run.max_tokens:,} tokens are used; raise it to go on")
        if run.max_cost is not None and run.prices is not None and self.cost >= run.max_cost:
            money = run.prices.currency
            raise Stopped(f"llm.max_cost: {self.cost:.2f} of {run.max_cost:g} {money} are spent; raise it to go on")

    def hear(self, finished: int, failures: Iterable[Failure]) -> None:
        """Take note of a chunk of matches. Raises Stopped after several host failures of models in a row."""
        if finished:
            self.in_a_row = 0
        for failure in failures:
            self.in_a_row += failure.stops
            if self.in_a_row >= STOPS_AT:
                reason = failure.reason.partition(": ")[2] or failure.reason
                raise Stopped(f"the run stops, because a model cannot be asked: {reason}")
