"""End games solved exactly: what the search is measured against, and what a strategy gives away to a perfect rival.

tree.py is a game as a tree of decisions with what each seat knows at them, solve.py solves it, rooms.py grows it from a room's
own rules. naga.py, yaniv.py and hisatsu.py find end games that are small enough, and list the worlds that may be behind what
the seats see. Nothing here is for bots: a position of the middle game has more worlds than there are seconds.
"""
