"""The hall's pages: templates filled with what the views found."""

from pathlib import Path
from typing import Any

from arena import games
from arena.pages.template import environment
from arena.pages.words import LANGUAGES, PAGE, catalogue
from arena.site.assets import Assets

TEMPLATES = Path(__file__).parent / "templates"


class Templates:
    """Makes the pages. Each template has these names: `lang`, `languages`, `word(key, **values)`, `static(file)`, `games`."""

    def __init__(self, assets: Assets) -> None:
        self._templates = environment(TEMPLATES)
        self._templates.globals |= {
            "static": assets.url,
            "assets": assets.names(),
            "languages": LANGUAGES,
            "games": games.names(),
        }

    def page(self, template: str, lang: str, **values: Any) -> str:
        """The page `template` in a language; `values` are more names for the template."""

        def word(key: str, **parts: Any) -> str:
            text = catalogue(PAGE)[lang].get(key) or catalogue(PAGE)[LANGUAGES[0]].get(key) or key
            for name, value in parts.items():
                text = text.replace(f"{{{name}}}", str(value))
            return text

        return self._templates.get_template(f"{template}.html.jinja").render(lang=lang, word=word, **values)
