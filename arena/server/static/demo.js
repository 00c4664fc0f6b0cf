"use strict";
/**
 * The front page of a server where nothing was played yet: a match of house bots, which the page asks for and then shows. What it
 * says meanwhile, and the files of the player, stand in the page.
 */
(() => {
  const POLL_MS = 700, SPEED = 2, FIRST = "naga";   // of few decisions, and soon compiled
  const root = document.getElementById("demo"), part = (name) => root.querySelector(`.demo-${name}`);
  const {el} = arena.kit, words = JSON.parse(root.dataset.words);
  const rest = (ms) => new Promise((done) => setTimeout(done, ms));
  let turn = 0;   // of who asked last: what was asked for before is not shown any more
  let files = null;

  const fetched = (link) => new Promise((done) => {
    const href = link.getAttribute("href"), isStyle = link.rel === "stylesheet";
    const element = isStyle ? el("link", {rel: "stylesheet", href}) : el("script", {src: href});
    element.async = false;
    element.onload = element.onerror = done;
    document.head.append(element);
  });

  /** The files of the player, which only this part of the page needs. */
  const load = () => files ??= Promise.all(Array.from(root.querySelector("template").content.querySelectorAll("link"), fetched));

  const ask = async (address, options) => {
    const answer = await arena.asked(address, options), found = JSON.parse(answer.text);
    if (!answer.ok) throw new Error(found.error ?? String(answer.status));
    return found;
  };

  const tell = (text) => { part("said").textContent = text; };

  /** A bot of the house as the table names it: by its level, in the reader's language. */
  const named = (bot) => {
    const word = arena.wordsOf("page", document.documentElement.lang);
    return bot.replace(/^[a-z]+/, (level) => { const text = word(`level_${level}`); return text === `level_${level}` ? level : text; });
  };

  const show = async (game) => {
    const mine = ++turn, isMine = () => mine === turn && root.isConnected;
    for (const button of root.querySelectorAll("button[data-game]")) button.setAttribute("aria-pressed", String(button.dataset.game === game));
    try {
      const {match} = await ask(`/api/demo/${encodeURIComponent(game)}`, {method: "POST"});
      let {card} = await ask(`/api/ask/${encodeURIComponent(match)}`);
      while (isMine() && card.is_running) {
        tell(words[card.state]);
        await rest(POLL_MS);
        ({card} = await ask(`/api/ask/${encodeURIComponent(match)}`));
      }
      await load();
      if (!isMine()) return;
      if (!card.match_id) throw new Error(card.state);
      tell(card.names.map(named).join(" – "));
      part("whole").href = `/m/${card.match_id}`;
      part("whole").hidden = false;
      const place = el("div");
      part("player").replaceChildren(place);
      part("player").hidden = false;
      await arena.player(place, arena.replays.match(card.match_id), {lang: document.documentElement.lang, isBare: true, isPlaying: true, speed: SPEED});
    } catch (error) {
      if (isMine()) tell(words.failed.replace("{why}", error.message));
    }
  };

  for (const button of root.querySelectorAll("button[data-game]")) button.addEventListener("click", () => show(button.dataset.game));
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches && root.querySelector(`button[data-game="${FIRST}"]`)) show(FIRST);
})();
