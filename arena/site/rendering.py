"""The hall's pages: templates filled with what the views found."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from arena import games
from arena.pages.template import environment
from arena.pages.words import LANGUAGES, PAGE, catalogue
from arena.site.assets import Assets
from arena.site.language import QUERY
from arena.site.prose import prose

TEMPLATES = Path(__file__).parent / "templates"


class Templates:
    """Makes the pages. Templates know `lang`, `word(key, **values)`, `static(file)`, `games` and `with_language(code)`."""

    def __init__(self, assets: Assets) -> None:
        self._templates = environment(TEMPLATES)
        self._templates.filters["markdown"] = prose
        self._templates.globals |= {
            "static": assets.url,
            "assets": assets.names(),
            "languages": LANGUAGES,
            "games": games.names(),
        }

    def page(self, template: str, lang: str, *, query: Iterable[tuple[str, str]] = (), **values: Any) -> str:
        """The page `template` in a language; `query`: the parameters of its address; `values`: more names for the template."""
        texts = catalogue(PAGE)[LANGUAGES[0]] | catalogue(PAGE)[lang]

        def word(key: str, **parts: Any) -> str:
            return re.sub(r"\{(\w+)\}", lambda found: str(parts.get(found[1], found[0])), texts.get(key, key))

        def with_language(code: str) -> str:
            return urlencode([*((name, value) for name, value in query if name != QUERY), (QUERY, code)])

        names = {"lang": lang, "word": word, "known_words": texts, "with_language": with_language}
        return self._templates.get_template(f"{template}.html.jinja").render(names | values)
