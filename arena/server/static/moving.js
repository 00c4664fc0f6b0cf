"use strict";
/**
 * The pages that move by themselves: the home page and the board of a tournament. Messages (arena/server/live_board/channel.py) are put
 * into what the server has drawn. Where more changes than numbers (a new tournament, a new table, the end) the page's contents
 * are fetched and exchanged: never a reload, so the reader stays where he is.
 */
(() => {
  const {lang} = document.documentElement, word = arena.wordsOf("page", lang);
  const {el} = arena.kit;
  const found = (selector) => document.querySelector(selector);
  const AGAIN = 5_000;   // ms before the next try, where the server does not answer
  const MOVING = found("[data-moving]") ? "[data-moving]" : "main";   // beside a contest, which renewing.js keeps up to date

  let refreshing = null;
  /** Exchange the contents of the page for those that the server has now. */
  const refresh = () => refreshing ??= exchange().finally(() => { refreshing = null; });

  const exchange = async () => {
    let answer = null;
    while (!(answer = await arena.asked(location.href).catch(() => null))) await new Promise((done) => setTimeout(done, AGAIN));
    if (!answer.ok) return;
    const fresh = new DOMParser().parseFromString(answer.text, "text/html").querySelector(MOVING);
    const focused = document.activeElement?.closest(`${MOVING} a[href]`)?.getAttribute("href");
    found(MOVING).replaceChildren(...fresh.childNodes);
    arena.localTimes(found(MOVING));
    if (focused) found(`${MOVING} a[href="${CSS.escape(focused)}"]`)?.focus({preventScroll: true});
    tell(told);
  };

  let told = "";
  const tell = (text) => {
    const line = found("[data-live=connection]");
    told = text;
    if (line && line.textContent !== text) line.textContent = text;
  };

  const showEndings = (endings) => {
    const chips = Object.entries(endings).filter(([name, count]) => name !== "played" && count)
      .map(([name, count]) => `${word(`ending_${name}`)} ${count.toLocaleString("en-US")}`);
    const list = found("[data-live=endings]");
    if ([...list.children].map((item) => item.textContent.trim()).join() === chips.join()) return;
    list.replaceChildren(...chips.map((text) => el("li", {}, text)));
  };

  const tournament = (name, pool, isWhole) => {
    const rows = new Map();   // bot and version -> row
    const hidden = new Set();   // who is not shown, unless the reader wants all
    const tabs = () => [...document.querySelectorAll("[data-pools] a")].map((link) => link.dataset.pool);
    const goesOn = found("[data-tournament]").dataset.goesOn !== undefined;   // the ladder of a contest waits, and begins again
    let isEnded = found("[data-tournament]").dataset.state === "finished";
    const order = (one, other) => other.rating - one.rating || (one.bot < other.bot ? -1 : 1) || one.version - other.version;

    const show = (progress, news) => {
      for (const row of news) {
        const bot = `${row.bot}\n${row.version}`;
        if (row.hidden && !isWhole) hidden.add(bot);
        if (!hidden.has(bot)) rows.set(bot, row);
      }
      arena.board.progress(found("[data-tournament]"), progress);
      showEndings(progress.endings);
      const table = found("table.board");
      if (table) arena.board.rows(table, [...rows.values()].sort(order));
      if ((progress.state === "finished") !== isEnded) {
        isEnded = !isEnded;
        refresh().then(() => { if (isEnded && !goesOn) tell(word("live_ended")); });
      }
    };

    return {
      snapshot(message) {
        rows.clear();
        hidden.clear();
        const isNew = (message.pools.length > 1 || tabs().length > 0) && message.pools.join("\n") !== tabs().join("\n");
        if (isNew || (message.board.length && !found("table.board"))) {
          refresh().then(() => show(message.progress, message.board));
          return;
        }
        show(message.progress, message.board);
      },
      update(message) { show(message.progress, message.rows); },
      trouble(message) { tell(message.error); },
    };
  };

  const cardOf = (name) => found(`[data-tournament="${CSS.escape(name)}"]`);

  const showLeaders = (list, leaders) => {
    if (!list) return;
    const lines = leaders.map((one) => [one.rank === null ? "-" : String(one.rank), one.shown, one.rating.toFixed(1), one.pool && arena.poolName(one.pool, lang)]);
    const same = [...list.children].map((line) => line.querySelector(".name").textContent).join("\n") === lines.map((line) => line[1]).join("\n");
    if (!same) {
      list.replaceChildren(...lines.map(([rank, name, rating, pool]) => el("li", {},
        el("span", {class: "rank"}, pool ?? rank), el("span", {class: "name"}, name), el("span", {class: "rating"}, rating))));
      return;
    }
    lines.forEach(([, , rating], number) => arena.board.putAndMark(list.children[number].querySelector(".rating"), rating));
  };

  const contest = found("main [data-contest]")?.dataset.contest;   // is no tournament of the list
  const home = {
    home({home: {tournaments: all}}) {
      const tournaments = all.filter((one) => one.name !== contest);
      const cards = [...document.querySelectorAll("[data-tournament]")];
      const drawn = cards.map((card) => `${card.dataset.tournament} ${card.dataset.state}`).sort().join("\n");
      if (tournaments.map((one) => `${one.name} ${one.progress.state}`).sort().join("\n") !== drawn) { refresh(); return; }
      for (const one of tournaments) {
        const card = cardOf(one.name);
        arena.board.progress(card, one.progress);
        if (one.leaders.length && !card.querySelector(".leaders")) { refresh(); return; }
        showLeaders(card.querySelector(".leaders"), one.leaders);
      }
    },
  };

  const {page, pool, whole} = document.body.dataset;
  const connected = page === "home" && contest ? "" : word(page === "home" ? "begin_live" : "live_connected");
  arena.live.onState((state) => tell(state === "open" ? connected : state === "waiting" ? word("live_lost") : ""));
  if (page === "home") arena.live.watch("home", home);
  if (page === "tournament") {
    const name = found("[data-tournament]").dataset.tournament;
    arena.live.watch(`t/${name}`, tournament(name, pool || null, whole !== undefined), {pool: pool || null});
  }
})();
