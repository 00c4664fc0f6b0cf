"""The pages of the server: the documentation, the rules of the games, boards and replays."""

import asyncio
import re

from arena.errors import ConfigError
from arena.mcp.arguments import STORED
from arena.mcp.catalogue import MARKDOWN, PLAIN, SCHEME, NoPage, Page
from arena.mcp.commands import Commands
from arena.mcp.foreign import marked
from arena.reports.manual import docs_names, docs_page, games_with_rules, index, rules_texts

_DOCS, _RULES, _BOARDS, _REPLAYS = (f"{SCHEME}{kind}/" for kind in ("docs", "rules", "boards", "replays"))
_FOLDER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}")
PATTERNS = (
    Page(_BOARDS + "{tournament}", "The leaderboard of a tournament; archive: of all"),
    Page(_REPLAYS + "{match}", "A stored match, decision by decision, all cards open", PLAIN),
)


def pages() -> list[Page]:
    """The pages that are listed: the documentation and all rules, in each language."""
    about = {name: text for group in index().values() for name, text in group.items()}
    found = [Page(_DOCS + name, about.get(name, "The index of the documentation")) for name in docs_names()]
    return found + [
        Page(f"{_RULES}{game}/{language}", f"{title} ({language})")
        for game, title in games_with_rules().items()
        for language in rules_texts(game)
    ]


async def read_page(uri: str, commands: Commands) -> tuple[str, str]:
    """The text of an address, and its kind. Raises NoPage, and ArenaError where it cannot be read."""
    if uri.startswith(_DOCS) or uri.startswith(_RULES):
        return await asyncio.to_thread(_shipped, uri), MARKDOWN
    kinds = ((_BOARDS, _FOLDER, ("leaderboard",), ("--format", "md"), MARKDOWN), (_REPLAYS, STORED, ("replay",), (), PLAIN))
    for start, allowed, verb, options, kind in kinds:
        name = uri.removeprefix(start)
        if uri.startswith(start) and allowed.fullmatch(name):
            return marked(await commands.text(*verb, name, *options)), kind
    raise NoPage(
        f"nothing at {uri[:200]!r}; there are {_DOCS}NAME, {_RULES}GAME/en, {_BOARDS}TOURNAMENT and {_REPLAYS}MATCH_ID"
    )


def _shipped(uri: str) -> str:
    try:
        if uri.startswith(_DOCS):
            return docs_page(uri.removeprefix(_DOCS)).text
        game, _, language = uri.removeprefix(_RULES).partition("/")
        return rules_texts(game)[language or "en"]
    except (ConfigError, KeyError) as error:
        raise NoPage(str(error)) from None
