"""What the page on language models says: its settings, its config, its list of normalisations."""

import re
import tomllib
from pathlib import Path

from arena.agent import read_bot
from arena.agent.model_bot import ModelSettings
from arena.llm.answer import NORMALISATIONS
from arena.tournament.config import read_config
from arena.tournament.prices import read_prices
from helpers.paths import DOCS
from helpers.stub_model import model_folder

PAGE = (DOCS / "llm.md").read_text("utf-8")


def block(kind: str, first: str) -> str:
    """The block of that kind that begins so."""
    (found,) = re.findall(rf"```{kind}\n({re.escape(first)}.*?)```", PAGE, re.DOTALL)
    return str(found)


def test_its_settings_are_all_there_are_with_their_defaults(tmp_path: Path) -> None:
    text = block("toml", 'name = "mymodel"')
    (tmp_path / "bot.toml").write_text(text)
    bot, given = read_bot(tmp_path).model, tomllib.loads(text)["llm"]
    assert bot is not None and set(given) == set(ModelSettings.__struct_fields__)
    usual = ModelSettings(base_url=bot.llm.base_url, model=bot.llm.model)
    for key in ("max_tokens", "rethinks", "legal", "memory", "language", "timeout_s", "match_timeout_s"):
        assert given[key] == getattr(usual, key), key


def test_its_ablation_is_a_config(tmp_path: Path) -> None:
    for name in ("mymodel", "mymodel-list"):
        model_folder(tmp_path / "bots", "http://127.0.0.1:9/v1", name=name)
    (tmp_path / "ablation.yaml").write_text(block("yaml", "name: ablation"))
    found = read_config(tmp_path / "ablation.yaml")
    assert [entry.pool for entry in found.entries] == ["llm/naga"]
    assert [bot.name for bot in found.bots if bot.files.model is not None] == ["plain", "again", "list"]


def test_its_prices_are_read(tmp_path: Path) -> None:
    (tmp_path / "prices.yaml").write_text(block("yaml", "currency: USD"))
    prices = read_prices(tmp_path / "prices.yaml")
    assert prices.currency == "USD" and prices.models["some-model"][0].completion == 10.0


def test_it_lists_what_is_done_to_an_action() -> None:
    listed = re.findall(r"^\d\. (.+)$", PAGE, re.MULTILINE)
    assert tuple(listed) == NORMALISATIONS
