// Plays five legal decisions of Naga, then attacks. Not an attack itself: each is a file beside it that exports a function.

"use strict";

const attack = require(`./${process.argv[2]}`);
let asked = 0;

require("node:readline")
  .createInterface({ input: process.stdin })
  .on("line", (line) => {
    const message = JSON.parse(line);
    if (message.type === "end") return;
    if (message.type === "act" && ++asked === 6) attack();
    const answer = message.type === "start" ? { ok: true } : { action: 0 };
    process.stdout.write(JSON.stringify({ id: message.id, ...answer }) + "\n");
  });
