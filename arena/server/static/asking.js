"use strict";
/**
 * Asks the server for something, and gives up after a while: a proxy may swallow the question or the answer, and a browser waits for
 * ever.
 *
 *   const {ok, status, text} = await arena.asked("/api/tv");   // throws where nothing comes
 */
(() => {
  const arena = (window.arena ??= {});
  const PATIENCE = 60_000;   // ms; opinions on a match are computed when they are asked for

  arena.asked = async (address, options = {}) => {
    const given = new AbortController(), timer = setTimeout(() => given.abort(new Error("the server does not answer")), PATIENCE);
    try {
      const answer = await fetch(address, {...options, signal: given.signal});
      return {ok: answer.ok, status: answer.status, text: await answer.text()};
    } finally {
      clearTimeout(timer);
    }
  };
})();
