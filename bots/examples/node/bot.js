// A bot in JavaScript that plays every game: uniformly random legal actions, always the same from the same seed.
//
// The hall writes one JSON object a line to standard input and reads one a line from standard output:
//   {"type": "start", "id": 7, "game": "naga", "seats": 2, "seat": 0, "seed": "...", ...}   answer {"id": 7, "ok": true}
//   {"type": "act", "id": 8, "position": {...}, "legal": [...], "events": [...], ...}        answer {"id": 8, "action": 0}
//   {"type": "end", "id": 9, "places": [1, 2], "scores": [3, 1]}                             no answer; the input ends
// Standard output is for answers alone: console.log would break the protocol. console.error is kept for you when a match fails.

"use strict";

const readline = require("node:readline");

let random = () => 0;

/** A generator of numbers in [0, 1) from 32 bits (mulberry32). Math.random() would make matches impossible to repeat. */
function generator(state) {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** The place in `message.legal` of the action to play. This is where your ideas go. */
function choose(message) {
  return Math.floor(random() * message.legal.length);
}

function reply(message) {
  process.stdout.write(JSON.stringify(message) + "\n");
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "start") {
    random = generator(parseInt(message.seed.slice(0, 8), 16)); // 32 hex digits: 8 of them are 32 bits
    reply({ id: message.id, ok: true });
  } else if (message.type === "act") {
    reply({ id: message.id, action: choose(message) }); // or the text: message.legal[...]
  }
});
