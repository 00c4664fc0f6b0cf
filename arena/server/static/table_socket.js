"use strict";
/**
 * The socket of a table: it connects again whenever it can, and the server then sends all there is to know once more.
 *
 *   const socket = arena.tableSocket(id, {onMessage(message), onState(state)});   // "open", "lost", or "closed"
 *   socket.send({kind: "act", ...});   // false if it cannot be sent now
 *
 * What a message holds: arena/server/table_process/messages.py.
 */
(() => {
  const FIRST_WAIT = 300, LONGEST_WAIT = 8_000;   // ms before the next try, doubled each time
  const TICK = 3_000;                             // ms; a timer that is much later has slept
  const LEFT = "left";                            // why the server closes the sockets of who has left the table

  arena.tableSocket = (id, {onMessage, onState}) => {
    let socket = null, wait = FIRST_WAIT, timer = null, ticked = Date.now(), isOver = false, isKnown = false;

    const beating = arena.beating({
      isOpen: () => isOpen(), lost: () => again(), ask: () => socket.send(JSON.stringify({kind: "ping", at: performance.now()})),
    });

    const connect = () => {
      clearTimeout(timer);
      timer = null;
      beating.begin();
      const own = socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/tables/${encodeURIComponent(id)}/socket`);
      own.onopen = () => {
        if (own !== socket) return;
        beating.heard();
        wait = FIRST_WAIT;
        isKnown = true;
        onState("open");
      };
      own.onmessage = ({data}) => {
        if (own !== socket) return;
        beating.heard();
        onMessage(JSON.parse(data));
      };
      own.onclose = ({reason}) => {
        if (own !== socket) return;
        socket = null;
        beating.stop();
        if (reason === LEFT) end(); else later();
        if (!isKnown) look();
        isKnown = false;
      };
    };

    /** A browser does not tell why a socket was refused: ask for the table itself. */
    const look = async () => {
      const answer = await arena.asked(`/api/tables/${encodeURIComponent(id)}`).catch(() => null);
      if (answer && [401, 403, 404].includes(answer.status)) end();
    };

    const end = () => {
      close();
      onState("closed");
    };

    const later = () => {
      onState("lost");
      timer ??= setTimeout(connect, wait * (0.75 + Math.random() / 2));
      wait = Math.min(LONGEST_WAIT, 2 * wait);
    };

    /** Begin anew at once: the old connection may be dead without knowing. */
    const again = () => {
      if (isOver) return;
      const old = socket;
      socket = null;
      old?.close();
      onState("lost");
      connect();
    };

    const close = () => {
      isOver = true;
      beating.stop();
      clearTimeout(timer);
      clearInterval(watch);
      const old = socket;
      socket = null;
      old?.close();
    };

    const isOpen = () => socket?.readyState === WebSocket.OPEN;
    const watch = setInterval(() => {   // a machine that slept does not notice that its connection is gone
      const now = Date.now();
      if (now - ticked > 4 * TICK) again();
      ticked = now;
    }, TICK);
    addEventListener("online", () => again());
    addEventListener("offline", () => { if (!isOver) onState("lost"); });
    document.addEventListener("visibilitychange", () => { if (!document.hidden && !isOpen()) again(); });
    addEventListener("pagehide", () => {   // no socket keeps the page out of the browser's cache of pages gone by
      const old = socket;
      socket = null;
      beating.stop();
      clearTimeout(timer);
      timer = null;
      old?.close();
    });
    addEventListener("pageshow", (event) => { if (event.persisted && !isOver) connect(); });
    connect();

    return {
      close, isOpen,
      send: (message) => {
        if (!isOpen()) return false;
        socket.send(JSON.stringify(message));
        return true;
      },
    };
  };
})();
