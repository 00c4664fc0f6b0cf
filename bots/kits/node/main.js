// The conversation with the hall: a line of JSON in, a line of JSON out. What to play is decided in strategy.js.

"use strict";

const readline = require("node:readline");

const { Strategy } = require("./strategy.js");

/** @type {Strategy | null} */
let strategy = null;

/**
 * Sends one line. Nothing else may be printed to standard output: use console.error, not console.log.
 * @param {import("./messages.js").Ready | import("./messages.js").Choice} reply
 */
function answer(reply) {
  process.stdout.write(JSON.stringify(reply) + "\n");
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  /** @type {import("./messages.js").Request} */
  const message = JSON.parse(line);
  if (message.type === "start") {
    strategy = new Strategy(message); // before the answer: once it is sent, no file can be opened any more
    answer({ id: message.id, ok: true });
  } else if (message.type === "act" && strategy) {
    answer(strategy.choose(message));
  } else if (message.type === "end" && strategy) {
    strategy.end(message); // not answered
  } else {
    throw new Error(`an unexpected message: ${line}`);
  }
});
