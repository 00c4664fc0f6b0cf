"""End games and small games solved exactly: what searches are measured against, and what a policy gives away.

tree.py is a game as a tree of decisions with what each seat knows at them, solve.py solves it, games.py grows it from a game's
own rules. A module named like a game finds end games of it that are small enough, and lists the worlds that may be behind what
the seats see (`moments(game)`). For a game without such a module whole.py takes the whole round, if it is small. moments.py
lists all these kinds. Nothing here is for bots: before the end of most games there are too many worlds.

Two games can be made of one position. Behind what *all* see, with every hand that each seat may hold: the game as it is. Behind
the view of *one* seat, whose cards are then the same in all worlds: its rivals, who play perfectly, play as if they knew them.
A search from that view plays this second game; for two seats its value is never above what the hand is worth in the first.
Policies are measured in the first: against a fixed policy a best response can be found for each hand alone (`games.gain`).
"""
