"""All pages as HTML for a browser, without a network."""

import base64
import hashlib
import html as escaping
import re
from pathlib import Path

from arena.cache import cached_folder, keep_newest
from arena.reports.manual.markdown import html, tokens
from arena.reports.manual.pages import (
    FOLDER,
    ManualPage,
    docs_names,
    docs_page,
    games_with_rules,
    index,
    page_of_link,
    rules_page,
)

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
@media (max-width: 50rem) {{ body {{ display: block; }} }}
</style>
<nav>
{navigation}</nav>
<main>
{content}</main>
</html>
"""


def written(page: ManualPage) -> Path:
    """The file of a page as HTML in the user's cache, with all other pages beside it."""
    pages = [*map(docs_page, docs_names()), *map(rules_page, games_with_rules())]
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
