"use strict";
/**
 * The big screen: plays the most interesting match that it has not shown yet, at human speed, with the board of its tournament
 * beside it; then the next one.
 */
(() => {
  const PAUSE_MS = 4000, EMPTY_MS = 5000, MOST_REMEMBERED = 200, MOST_ROWS = 16;
  const {el} = arena.kit, {ask, match, link} = arena.replays;
  const lang = document.documentElement.lang, word = arena.wordsOf("page", lang);
  const part = (name) => document.getElementById(`tv-${name}`);
  const shown = [];   // the last matches, by id
  const loaded = new Map();   // address -> promise that it is there
  const rest = (ms) => new Promise((done) => setTimeout(done, ms));

  const fetched = (tag, attributes) => new Promise((done) => {
    const element = el(tag, attributes);
    element.async = false;
    element.onload = element.onerror = done;
    document.head.append(element);
  });

  /** Load what draws a game's table, each file once; the addresses stand in the page. */
  const load = (game) => {
    const files = document.querySelector(`template[data-game="${CSS.escape(game)}"]`)?.content.querySelectorAll("link") ?? [];
    return Promise.all(Array.from(files, (file) => {
      const href = file.getAttribute("href");
      if (!loaded.has(href)) {
        loaded.set(href, file.rel === "stylesheet" ? fetched("link", {rel: "stylesheet", href}) : fetched("script", {src: href}));
      }
      return loaded.get(href);
    }));
  };

  /** The match to show next: the first one that was not shown lately, else the one that was shown longest ago. */
  const chosen = (matches) => matches.find((one) => !shown.includes(one.match_id))
    ?? matches.toSorted((one, other) => shown.lastIndexOf(one.match_id) - shown.lastIndexOf(other.match_id))[0];

  const showBoard = async (one) => {
    const found = await ask(`/api/t/${encodeURIComponent(one.tournament)}?pool=${encodeURIComponent(one.pool)}`);
    part("rows").replaceChildren(...found.board.slice(0, MOST_ROWS).map((row) =>
      el("li", {class: one.bots.includes(row.bot) ? "plays" : null},
        el("span", {class: "rank"}, row.rank === null ? "-" : String(row.rank)),
        el("span", {class: "name"}, row.shown), el("span", {class: "rating"}, row.rating.toFixed(1)))));
    part("board-title").textContent = word("board_of", {pool: arena.poolName(one.pool, lang)});
    part("board").hidden = !found.board.length;
  };

  const play = async (one, root) => {
    const source = match(one.match_id), first = await source.page(null, 0);
    await load(first.header.game);
    part("title").textContent = `${one.bots.join(" – ")}`;
    part("about").textContent = `${arena.poolName(one.pool, lang)} · ${word(`why_${one.reason}`)}`;
    part("link").href = link(one.match_id, {seat: null, at: "0"});
    root.hidden = false;
    part("result").replaceChildren();
    const place = el("div");
    root.replaceChildren(place);
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    await new Promise((done) => arena.player(place, source, {lang, isBare: true, isPlaying: true, resultPlace: part("result"), speed: isStill ? 1 : 2, onEnd: done}).catch(done));
  };

  const run = async () => {
    for (;;) {
      try {
        const found = await ask("/api/tv"), one = chosen(found.matches);
        if (!one) { await rest(EMPTY_MS); continue; }
        shown.push(one.match_id);
        shown.splice(0, shown.length - MOST_REMEMBERED);
        await showBoard(one);
        await play(one, part("player"));
        await rest(PAUSE_MS);
      } catch {
        await rest(EMPTY_MS);   // the server was closed, or the match is gone: try again
      }
    }
  };
  run();
})();
