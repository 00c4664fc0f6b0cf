"""The news as an Atom feed (RFC 4287), in the reader's language, and the answer that a feed reader need not load again.

All texts come from untrusted authors: the tree of elements escapes each, and `shown` has made visible what XML cannot hold.
"""

import hashlib
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime
from xml.etree.ElementTree import Element, SubElement, tostring

from starlette.requests import Request
from starlette.responses import Response

import arena
from arena.reports.pages.words import Words
from arena.reports.table import shown
from arena.server.problems import FEED
from arena.server.views.news import FINISHED, REFUSED, News, NewsBot, NewsItem
from arena.server.visitors import QUERY

MEDIA_ATOM = "application/atom+xml"
_NAMESPACE = "http://www.w3.org/2005/Atom"
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
_NOTHING_YET = "1970-01-01T00:00:00+00:00"
"""When a feed without entries was last changed: it has to say so."""


def feed(news: News, lang: str, origin: str) -> bytes:
    """The feed as XML. `origin`: the server as who asks reaches it, from which the id of the feed follows."""
    word = Words(lang)
    top = Element("feed", {"xmlns": _NAMESPACE, _LANGUAGE: lang})
    title = word("news_title") if news.contest is None else f"{word('news_title')}: {shown(news.contest)}"
    for name, text in (("id", f"{origin}{FEED}"), ("title", f"{title} - arena"), ("updated", updated(news))):
        SubElement(top, name).text = text
    own = {"rel": "self", "type": MEDIA_ATOM, "hreflang": lang, "href": f"{origin}{FEED}?{QUERY}={lang}"}
    SubElement(top, "link", own)
    SubElement(top, "link", {"rel": "alternate", "type": "text/html", "href": f"{origin}/"})
    SubElement(SubElement(top, "author"), "name").text = "arena"
    SubElement(top, "generator", {"version": arena.__version__}).text = "arena"
    for item in news.items:
        _add(top, item, word, origin)
    found: bytes = tostring(top, encoding="utf-8", xml_declaration=True)
    return found


def updated(news: News) -> str:
    """When the newest entry came: UTC, ISO 8601."""
    return news.items[0].at if news.items else _NOTHING_YET


def answered(request: Request, body: bytes, changed: str) -> Response:
    """The feed, or status 304 where the reader has it already. `changed`: when it was last changed; UTC, ISO 8601."""
    moment = datetime.fromisoformat(changed).astimezone(UTC)
    tag = f'W/"{hashlib.sha256(body).hexdigest()[:32]}"'  # weak: compressed or not, it says the same
    headers = {
        "etag": tag, "last-modified": format_datetime(moment, usegmt=True), "cache-control": "private, no-cache",
        "vary": "accept-language, authorization, cookie",
    }  # fmt: skip
    if _is_known(request, tag, moment):
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type=f"{MEDIA_ATOM}; charset=utf-8")


def _add(top: Element, item: NewsItem, word: Words, origin: str) -> None:
    entry = SubElement(top, "entry")
    for name, text in (("id", item.id), ("title", item.title), ("updated", item.at), ("summary", _summary(item, word))):
        if text:
            SubElement(entry, name).text = text
    SubElement(entry, "category", {"term": item.kind})
    SubElement(entry, "link", {"rel": "alternate", "type": "text/html", "href": f"{origin}{item.page}"})


def _summary(item: NewsItem, word: Words) -> str:
    """The first bots of each table, a line each, and how many matches were played."""
    if item.kind == REFUSED:
        return ""  # why is for the page to tell, in many words
    played = word("matches_count", n=f"{item.matches:,}")
    if item.kind != FINISHED:
        return played
    pools = list(dict.fromkeys(one.pool for one in item.bots))
    lines = [_line(pool, [one for one in item.bots if one.pool == pool], word) for pool in pools]
    return "\n".join([*lines, played])


def _line(pool: str | None, bots: list[NewsBot], word: Words) -> str:
    names = ", ".join(one.shown if one.rank is None else f"{one.rank}. {one.shown}" for one in bots)
    return names if pool is None else f"{word.pool(pool)}: {names}"


def _is_known(request: Request, tag: str, moment: datetime) -> bool:
    """Return whether the reader has what it would get (RFC 9110, 13.2.2: dates count only where no tag came)."""
    tags = request.headers.get("if-none-match")
    if tags is not None:
        known = {one.strip().removeprefix("W/") for one in tags.split(",")}
        return "*" in known or tag.removeprefix("W/") in known
    try:
        since = parsedate_to_datetime(request.headers.get("if-modified-since", ""))
        return moment <= (since if since.tzinfo is not None else since.replace(tzinfo=UTC))
    except (ValueError, OverflowError):
        return False
