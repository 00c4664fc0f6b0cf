"use strict";
/**
 * Boards that move: one socket a tab, which asks for channels and hands their messages on.
 *
 *   arena.live.watch("home", {home(message) {...}});
 *   arena.live.watch("t/duel", {snapshot(message) {...}, update(message) {...}, trouble(message) {...}}, {pool: "naga"});
 *   arena.live.onState((state) => ...);   // "open", "waiting" or "closed"
 *
 * Messages of a channel are numbered. After a break (a laptop that slept, a server that was started anew) the tab names the last one
 * it knows and gets the rest, or a snapshot. What a message holds: arena/server/live_board/channel.py.
 */
(() => {
  const arena = (window.arena ??= {});
  const FIRST_WAIT = 500, LONGEST_WAIT = 15_000;  // ms before the next try, doubled each time
  const TICK = 4_000;                             // ms; a timer that is much later has slept
  const CHANGING = ["bot", "version", "rank", "rank_low", "rank_high", "separable", "rating", "mu", "low", "high", "matches",
    "wins", "mean_place", "faults", "online", "bound"];    // as ChangedRow has them
  const channels = new Map();                     // "name|pool" -> {name, pool, handlers, epoch, last, rows}
  const listeners = new Set();
  let socket = null, wait = FIRST_WAIT, timer = null, ticked = Date.now(), state = "waiting", pings = 0;

  const keyOf = (name, pool) => `${name}|${pool ?? ""}`;

  const say = (next) => {
    if (next === state) return;
    state = next;
    listeners.forEach((listener) => listener(state));
  };

  const nameOf = (row) => `${row.bot} ${row.version}`;

  /** A row of a board from the numbers that have changed, which come as an array. */
  const whole = (channel, values) => {
    const changed = Object.fromEntries(CHANGING.map((field, place) => [field, values[place]]));
    const row = {...channel.rows.get(nameOf(changed)), ...changed};
    channel.rows.set(nameOf(row), row);
    return row;
  };

  const ask = (channel) => socket.send(JSON.stringify(
    {watch: channel.name, pool: channel.pool, epoch: channel.epoch, last: channel.last}));

  const receive = (text) => {
    const message = JSON.parse(text);
    if (message.kind === "alive") return;
    const channel = channels.get(keyOf(message.channel, message.asked));
    if (!channel) return;
    if (message.kind === "update" && (message.epoch !== channel.epoch || message.number !== channel.last + 1)) {
      channel.epoch = channel.last = null;  // something is missing: ask for all of it
      again();
      return;
    }
    if (message.kind === "snapshot") channel.rows = new Map(message.board.map((row) => [nameOf(row), row]));
    if (message.kind === "update") message.rows = message.rows.map((values) => whole(channel, values));
    channel.epoch = message.epoch;
    channel.last = message.number;
    channel.handlers[message.kind]?.(message);
  };

  const beating = arena.beating({
    isOpen: () => socket?.readyState === WebSocket.OPEN,
    ask: () => socket.send(JSON.stringify({ping: ++pings})),
    lost: () => {
      say("waiting");
      again();
    },
  });

  const connect = () => {
    clearTimeout(timer);
    timer = null;
    beating.begin();
    const own = socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/live`);
    own.onopen = () => {
      beating.heard();
      wait = FIRST_WAIT;
      say("open");
      channels.forEach(ask);
    };
    own.onmessage = (event) => {
      if (own !== socket) return;
      beating.heard();
      receive(event.data);
    };
    own.onclose = () => { if (own === socket) later(); };
  };

  /** Try again after a while, a longer one each time. */
  const later = () => {
    socket = null;
    beating.stop();
    say("waiting");
    timer ??= setTimeout(connect, wait * (0.75 + Math.random() / 2));  // not all tabs at once
    wait = Math.min(LONGEST_WAIT, 2 * wait);
  };

  /** Begin anew at once. */
  const again = () => {
    const old = socket;
    socket = null;
    old?.close();
    if (channels.size) connect();
  };

  const watch = (name, handlers, {pool = null} = {}) => {
    const channel = {name, pool, handlers, epoch: null, last: null, rows: new Map()};
    channels.set(keyOf(name, pool), channel);
    if (socket === null && timer === null) connect();
    else if (socket?.readyState === WebSocket.OPEN) ask(channel);
  };

  // A machine that slept does not notice that its connection is gone: a tick that comes far too late tells.
  setInterval(() => {
    const now = Date.now();
    if (now - ticked > 4 * TICK && channels.size) again();
    ticked = now;
  }, TICK);
  addEventListener("online", () => { if (channels.size && socket?.readyState !== WebSocket.OPEN) again(); });
  addEventListener("pagehide", () => {  // no socket keeps the page out of the browser's cache of pages gone by
    const old = socket;
    socket = null;
    beating.stop();
    clearTimeout(timer);
    timer = null;
    old?.close();
    say("closed");
  });
  addEventListener("pageshow", (event) => { if (event.persisted && channels.size) connect(); });

  arena.live = {watch, onState: (listener) => { listeners.add(listener); listener(state); }};
})();
