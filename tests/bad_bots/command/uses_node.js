// Reads, writes, connects and runs programs with Node's own means. Expected: refused; the bot plays on: played, no blame.
const attempts = {
  read: () => require("node:fs").readFileSync("/etc/passwd"),
  list: () => require("node:fs").readdirSync("/root"),
  write: () => require("node:fs").writeFileSync("/tmp/arena-was-here", "x"),
  run: () => {
    const run = require("node:child_process").spawnSync("/bin/sh", ["-c", "true"]);
    if (run.error) throw run.error;
  },
  kill: () => process.kill(process.ppid, "SIGKILL"),
};
module.exports = () => {
  for (const [name, attempt] of Object.entries(attempts)) {
    try {
      attempt();
      console.error("GOT", name);
    } catch (error) {
      console.error("REFUSED", name, error.code);
    }
  }
};
