"""All commands with what each does, in one line. `arena --help` is printed from this table and imports nothing else.

A new verb is a file in `verbs/` with a function of its name, and a line here; a new bench topic likewise, in `bench/`.
"""

from collections.abc import Mapping

PANELS: Mapping[str, Mapping[str, str]] = {
    "To start with": {
        "init": "Write configs, the house bots and a README into a folder",
        "docs": "Show a page of the documentation, or list all pages",
        "rules": "Show the rules of a game as they are played here",
    },
    "For authors of bots": {
        "new": "Write a working bot to start from",
        "dev": "Check and compare a bot each time it is saved",
        "check": "Play a bot through its games and report its faults, speed and memory",
        "submit": "Check a bot and store it as the next version of its name",
        "join": "Play a bot on this machine on a server elsewhere",
        "withdraw": "Take a submitted bot out of new tournaments",
        "rename": "Give a submitted bot another name",
        "bots": "List the submitted bots with their last ratings",
        "tune": "Find good parameters of a bot by playing many candidates",
        "train": "Let a game's searches learn from self-play",
        "exploit": "Measure what a bot gives away at least, by best responders trained against it",
        "capsule": "Save the decision where a bot failed, and run the bot there again",
    },
    "For organisers of tournaments": {
        "tournament": "Play a tournament and print its leaderboard",
        "ladder": "Play the most informative matches until the ranking is certain enough",
        "compare": "Play until it is certain whether one bot is better than another",
        "invite": "Make join links for people, who need no password",
        "notify": "Post what is news on a server to a webhook",
        "plan": "Tell what a config would play and how long it would take",
        "status": "Show how far tournaments are and the commands that resume them",
    },
    "Results": {
        "leaderboard": "Print the leaderboard of a tournament",
        "serve": "Show all results in the browser, live while tournaments are played, and let people play",
        "report": "Write a tournament as one page of HTML that works offline",
        "replay": "Print a stored match, decision by decision",
        "luck": "Take the luck of the cards out of a tournament's results",
        "rerate": "Rate a tournament again from its stored matches",
        "export": "Write the decisions of finished tournaments, or of people's matches, as a dataset",
        "archive": "Add finished tournaments to the archive and list its tournaments",
        "verify-results": "Audit a tournament: play every stored match again and check all results",
    },
    "Single matches": {
        "match": "Play one match between bots",
        "play": "Play against bots in the terminal or the browser",
        "mcp": "Let programs that use tools play, write bots and look at results, by the Model Context Protocol",
    },
    "Rules and this machine": {
        "trace": "Print random matches as JSON Lines",
        "verify": "Check cases and traces against the rules",
        "warmup": "Compile the rules now instead of at the first use",
        "bench": "Measure the speed of this machine",
        "doctor": "Test whether untrusted bots can be locked in here, and folders, memory, compiled code and graphics cards",
    },
}
"""Every verb with its one-line help, grouped as `arena --help` shows them."""

VERBS: Mapping[str, str] = {verb: text for panel in PANELS.values() for verb, text in panel.items()}
"""Every verb with its one-line help. Its function and module have its name, with `_` for `-`."""

BENCH = "bench"
"""The verb that has commands of its own, the topics."""

TOPICS: Mapping[str, str] = {
    "engine": "Measure random play, copies and compile times of each game",
    "match": "Measure what a match costs beside the thinking of its bots",
    "search": "Measure simulations per second and time budgets of the search",
    "seats": "Measure what locked seats and command bots cost",
    "env": "Measure steps of learning environments per second",
    "channels": "Measure what locked bots can tell their next match, or each other",
    "scale": "Measure whole tournaments: throughput, memory and start-up time",
}
"""Every topic of `arena bench` with its one-line help."""
