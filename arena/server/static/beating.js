"use strict";
/**
 * Tells whether the server is still there at the other end of a socket: a proxy may swallow everything, or a network be gone, without
 * any end of the connection. Whenever nothing was heard for a while the page asks, and an answer that does not come is the end.
 *
 *   const beating = arena.beating({isOpen: () => ..., ask: () => ..., lost: () => ...});
 *   beating.begin();   // a socket is about to open, which may fail in silence, too
 *   beating.heard();   // whenever anything comes
 *   beating.stop();    // no socket is wanted
 */
(() => {
  const arena = (window.arena ??= {});
  const QUIET = 10_000, PATIENCE = 10_000, LOOK = 1_000;   // ms: without a word; for an answer; between two looks

  arena.beating = ({isOpen, ask, lost}) => {
    let last = 0, asked = null, timer = null;   // when anything was heard; since when an answer is due
    const look = () => {
      const now = performance.now();
      if (asked !== null && now - asked > PATIENCE) {
        asked = null;
        lost();
      } else if (asked === null && isOpen() && now - last > QUIET) {
        asked = now;
        ask();
      }
    };
    return {
      begin: () => {
        asked = performance.now();
        timer ??= setInterval(look, LOOK);
      },
      heard: () => {
        last = performance.now();
        asked = null;
      },
      stop: () => {
        clearInterval(timer);
        timer = asked = null;
      },
    };
  };
})();
