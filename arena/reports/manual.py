"""The pages that ship with arena: as Markdown with links that lead to where the reader can follow them, in the terminal, and
as HTML for a browser without a network. The one door to markdown_it.
"""

import base64
import hashlib
import html as escaping
import re
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import ClassVar

import msgspec
from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import Heading, Markdown, MarkdownElement, TableElement
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from arena import games
from arena.cache import cached_folder, keep_newest
from arena.errors import ConfigError
from arena.shipped import PACKAGE

Link = Callable[[str], str]
"""What a link's target becomes; empty if the reader cannot go there."""

_COMMENT = re.compile(r"^<!--.*?-->\n", re.MULTILINE)
_HEADING_SIGNS = re.compile(r"[^\w\- ]")


def tokens(text: str) -> list[Token]:
    """The blocks of a page. Lines that are comments are dropped; any other HTML is text."""
    return _parser().parse(_COMMENT.sub("", text))


def html(found: list[Token], link: Link) -> str:
    """The blocks as HTML. Headings have anchors, as GitHub makes them; pictures go through `link` as links do."""
    for place, token in enumerate(found):
        if token.type == "heading_open":
            token.attrs["id"] = anchor(found[place + 1].content)
        for child in token.children or ():
            if child.type == "link_open":
                child.attrs["href"] = link(str(child.attrs["href"]))
            elif child.type == "image":
                child.attrs["src"] = link(str(child.attrs["src"]))
    return str(_parser().renderer.render(found, _parser().options, {}))


def with_commands(found: list[Token], command: Link) -> list[Token]:
    """The blocks for a terminal: a link is its text, then the command that `command` gives for its target.

    A link whose text is only the name of the file it leads to becomes that command alone. Links to the outside stay.
    """
    for token in found:
        if token.children:
            token.children = list(_followed(token.children, command))
    return found


def anchor(heading: str) -> str:
    """The anchor of a heading, as GitHub makes it.

    >>> anchor("What `arena check` does, and why")
    'what-arena-check-does-and-why'
    """
    return _HEADING_SIGNS.sub("", heading.lower()).replace(" ", "-")


def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def _followed(children: list[Token], command: Link) -> Iterator[Token]:
    """The inline parts with each link inside arena replaced."""
    target, is_link = "", False
    inside: list[Token] = []
    for child in children:
        if child.type == "link_open" and not re.match(r"https?:", str(child.attrs["href"])):
            is_link, target, inside = True, str(child.attrs["href"]), []
        elif child.type == "link_close" and is_link:
            is_link = False
            words = command(target)
            if not words:
                yield from inside
            elif "".join(part.content for part in inside) == target:
                yield _code(words)
            else:
                yield from [*inside, _text(" ("), _code(words), _text(")")]
        elif is_link:
            inside.append(child)
        else:
            yield child


def _text(words: str) -> Token:
    return Token("text", "", 0, content=words)


def _code(words: str) -> Token:
    return Token("code_inline", "code", 0, markup="`", content=words)


FOLDER = PACKAGE / "docs"
INDEX = "README"
"""The page that lists the others: under a heading in bold, a table of pages with what each is about."""
RULES = "RULES.md"

_HEADING = re.compile(r"\*\*(.+)\*\*")
_RULES_LINK = re.compile(r"\.\./games/(\w+)/RULES\.md")
_ROW = re.compile(r"\| \[[^\]]+\]\(([\w-]+)\.md\) \| (.+) \|")


class ManualPage(msgspec.Struct, frozen=True):
    """A page as it ships."""

    command: str
    """The command that shows the page, such as `arena docs views`."""
    file: str
    """The name of the page's file in the browser, without `.html`; no two pages have the same."""
    text: str
    """The page in Markdown."""


def docs_page(name: str) -> ManualPage:
    """A page of the documentation. Raises ConfigError for an unknown name."""
    known = docs_names()
    if name not in known:
        raise ConfigError(f'no page "{name}"; there are: {", ".join(known)}')
    return ManualPage(f"arena docs {name}", "index" if name == INDEX else name, _read(FOLDER / f"{name}.md"))


def docs_names() -> list[str]:
    """The names of all pages in the order of the index, which comes last."""
    return [name for group in index().values() for name in group] + [INDEX]


def index() -> dict[str, dict[str, str]]:
    """For each group of readers the names of the pages for them, and what each page is about."""
    groups: dict[str, dict[str, str]] = {}
    for line in _read(FOLDER / f"{INDEX}.md").splitlines():
        if heading := _HEADING.fullmatch(line):
            groups[heading[1]] = {}
        elif row := _ROW.fullmatch(line):
            groups[next(reversed(groups))][row[1]] = row[2]
    return groups


def rules_page(game: str) -> ManualPage:
    """The rules of a game as they are played here. Raises ConfigError for an unknown game, and for one without such a page."""
    path = _rules_path(game)
    if not path.is_file():
        raise ConfigError(f"{game}: there is no {RULES} in {path.parent}")
    return ManualPage(f"arena rules {game}", f"rules-{game}", _read(path))


def rules_texts(game: str) -> dict[str, str]:
    """The rules of a game in Markdown by language: English, then those with a `RULES.<language>.md`. Raises ConfigError."""
    translated = sorted(_rules_path(game).parent.glob("RULES.*.md"))
    return {"en": rules_page(game).text} | {path.name.split(".")[1]: _read(path) for path in translated}


def guide_texts(game: str) -> dict[str, str]:
    """The rules of a game in short, for players, in Markdown by language; empty for a game without any. Raises ConfigError."""
    folder = _rules_path(game).parent / "page"
    found = {"en": folder / "rules.md"} | {path.name.split(".")[1]: path for path in sorted(folder.glob("rules.*.md"))}
    return {language: _read(path) for language, path in found.items()} if found["en"].is_file() else {}


def game_titles(game: str) -> dict[str, str]:
    """The title of a game's rules, by language; its name, if it has no rules to read."""
    try:
        return {language: _title(text) for language, text in rules_texts(game).items()}
    except ConfigError:
        return {"en": game}


def _title(text: str) -> str:
    """The first heading of a text in Markdown, without what stands behind a colon."""
    return re.split("[:：]", text.partition("\n")[0].lstrip("# "))[0].strip()


def games_with_rules() -> dict[str, str]:
    """The title of each game's rules, by the game's name."""
    found = [name for name in games.names() if _rules_path(name).is_file()]
    return {name: rules_page(name).text.partition("\n")[0].lstrip("# ") for name in found}


def page_of_link(target: str) -> ManualPage | None:
    """The page that a link in a page of the documentation leads to; None if it leads elsewhere."""
    path = target.partition("#")[0]
    if found := _RULES_LINK.fullmatch(path):
        return rules_page(found[1])
    name = path.removesuffix(".md")
    return docs_page(name) if path.endswith(".md") and name in docs_names() else None


def _rules_path(game: str) -> Path:
    spec = find_spec(games.package(game))
    if spec is None or not spec.submodule_search_locations:
        raise ConfigError(f"{game}: its package {games.package(game)} cannot be found")
    return Path(spec.submodule_search_locations[0]) / RULES


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None


CODE_THEME = "ansi_dark"
"""The terminal's own colours, on its own background."""
_GAP = 2  # blanks between the columns of a table; as many are at both edges together


class _LeftHeading(Heading):
    """A heading at the left margin, where the library puts that of the page into the middle."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        text = self.text.copy()
        text.justify = "left"
        yield text


class _WholeTable(TableElement):
    """A table of which nothing is cut: where it is too wide for the console, every row becomes a list."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        headings, rows = self._cells()
        widths = _fitted([[heading, *cells] for heading, *cells in zip(headings, *rows)], options.max_width)
        if widths:
            table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
            for heading, width in zip(headings, widths):
                table.add_column(heading, width=width)
            for row in rows:
                table.add_row(*row)
            yield table
            return
        for row in rows:
            for place, (heading, cell) in enumerate(zip(headings, row)):
                line = Text.assemble(heading, ": " if heading.plain else "", cell)
                yield Padding(line, (0, 0, 0, 2 if place else 0))
            yield Text()

    def _cells(self) -> tuple[list[Text], list[list[Text]]]:
        assert self.header is not None and self.header.row is not None and self.body is not None
        rows = [[cell.content for cell in row.cells] for row in self.body.rows]
        return [cell.content for cell in self.header.row.cells], rows


class TerminalPage(Markdown):
    """A page to print on a console of any width."""

    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements, "heading_open": _LeftHeading, "table_open": _WholeTable,
    }  # fmt: skip

    def __init__(self, page: ManualPage) -> None:
        super().__init__("", code_theme=CODE_THEME, hyperlinks=False)
        self.parsed = with_commands(tokens(page.text), _command)


def _fitted(columns: Sequence[Sequence[Text]], room: int) -> list[int]:
    """Widths of the columns of a table of at most `room` characters that break no word; empty if there are none.

    The library would cut words while other columns still have room.
    """
    least = [max((cell_len(word) for cell in column for word in cell.plain.split()), default=0) for column in columns]
    widths = [max(cell_len(cell.plain) for cell in column) for column in columns]
    while sum(widths) + _GAP * len(columns) > room:
        wider = [place for place, width in enumerate(widths) if width > least[place]]
        if not wider:
            return []
        widths[max(wider, key=widths.__getitem__)] -= 1
    return widths


def _command(target: str) -> str:
    """The command that shows the page that a link leads to; empty for a place in the same page."""
    page = page_of_link(target)
    return "" if page is None else page.command


_KEPT = 3  # versions of the pages in the cache
_OUTSIDE = re.compile(r"https?:")
_TEMPLATE = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 78rem; padding: 1rem; display: grid;
  grid-template-columns: 13rem minmax(0, 1fr); gap: 2.5rem; }}
nav {{ font-size: 0.9rem; }}
nav ul {{ list-style: none; margin: 0 0 1rem; padding: 0; }}
nav [aria-current] {{ font-weight: bold; }}
pre, .table {{ overflow-x: auto; }}
pre, code {{ font-family: ui-monospace, monospace; font-size: 0.9em; }}
pre {{ background: #8881; padding: 0.8rem; line-height: 1.35; }}
table {{ border-collapse: collapse; }}
img {{ max-width: 100%; height: auto; }}
th, td {{ border-bottom: 1px solid #8886; padding: 0.3rem 0.8rem 0.3rem 0; text-align: left; vertical-align: top; }}
@media (max-width: 50rem) {{ body {{ display: flex; flex-direction: column; }} main {{ min-width: 0; }} nav {{ order: 1; }} }}
</style>
<nav>
{navigation}</nav>
<main>
{content}</main>
</html>
"""


def written(page: ManualPage) -> Path:
    """The file of a page as HTML in the user's cache, with all other pages beside it."""
    pages = [*map(docs_page, docs_names()), *map(rules_page, games_with_rules()), page]
    texts = {f"{one.file}.html": _document(one) for one in pages}
    digest = hashlib.sha256("\0".join(texts.values()).encode()).hexdigest()[:16]

    def fill(folder: Path) -> None:
        for name, text in texts.items():
            (folder / name).write_text(text, "utf-8")

    folder = cached_folder(f"manual/{digest}", fill)
    keep_newest("manual/*", _KEPT, folder)
    return folder / f"{page.file}.html"


def _document(page: ManualPage) -> str:
    title = page.text.partition("\n")[0].lstrip("# ")
    content = html(tokens(page.text), _target).replace("<table>", '<div class="table"><table>')
    return _TEMPLATE.format(
        title=escaping.escape(title), navigation=_navigation(page), content=content.replace("</table>", "</table></div>")
    )


def _target(link: str) -> str:
    """The address that a link leads to: the file of a page, a place in a page, the outside, or a file of the package.

    A picture is its own address: the page needs no other file.
    """
    path, sign, place = link.partition("#")
    if _OUTSIDE.match(link) or not path:
        return link
    page = page_of_link(path)
    if page is not None:
        return f"{page.file}.html{sign}{place}"
    if path.endswith(".png"):
        return "data:image/png;base64," + base64.b64encode((FOLDER / path).read_bytes()).decode()
    return (FOLDER / path).resolve().as_uri()


def _navigation(page: ManualPage) -> str:
    groups = {title: {f"{name}.html": name for name in names} for title, names in index().items()}
    groups["The rules"] = {f"rules-{name}.html": name for name in games_with_rules()}
    lines = ['<p><a href="index.html">arena</a></p>']
    for title, links in groups.items():
        lines += [f"{escaping.escape(title)}<ul>", *(_item(file, name, page) for file, name in links.items()), "</ul>"]
    return "\n".join([*lines, ""])


def _item(file: str, name: str, page: ManualPage) -> str:
    current = ' aria-current="page"' if file == f"{page.file}.html" else ""
    return f'<li><a href="{file}"{current}>{escaping.escape(name)}</a></li>'
