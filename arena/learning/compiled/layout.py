"""What the places in the arrays of compiled tables mean: `settings` for all tables together, a row of `books` for each."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Books: TypeAlias = NDArray[np.int64]
"""[tables, COLUMNS + 2 * seats]: a row for each table, see below."""
Places: TypeAlias = NDArray[np.int64]
"""[arrays, 4]: address and shape of each array, see single.py."""
Masks: TypeAlias = NDArray[np.bool_]
"""[tables, actions]: which actions are legal."""

# Places in `settings`. OWN_SEAT: the single learner's seat, ROTATES or SEVERAL. From FIRST_ROLE on: the roles of the seats, a
# row for each OWN that there can be; then the unit of each seat.
(SEATS, OWN_SEAT, BY_ROUND, AFTER_END, BY_SCORE, RAISES, LOGS, TABLES, FIRST_ROLE) = range(9)
# What stands for the single learner's seat: it has another one in each episode; there are several learners.
ROTATES, SEVERAL = -1, -2
# What BY_ROUND says that an episode is: a whole match; its first round; each round of a match that goes on.
WHOLE, FIRST_ROUND, EACH_ROUND = range(3)
# What happens with a table whose episode is over: the next one is dealt in the same step, in the next step, or never.
SAME_STEP, NEXT_STEP, OFF = range(3)
# Roles of seats. OUTSIDE: chosen for outside of the compiled code, without an observation; ALWAYS_OUTSIDE: even if only one
# action is legal; SNAPSHOT: chosen for by an earlier state of the learning policy, with an observation.
LEARNER, RANDOM, POLICY, OUTSIDE, ALWAYS_OUTSIDE, SNAPSHOT = range(6)
# States of a table. CHOOSING: a learner is to choose. WAITING: a seat that is chosen for outside. FULL: its log is. NEW: to be
# dealt. OVER: its episode is over. UNUSED: never dealt.
UNUSED, CHOOSING, WAITING, FULL, NEW, OVER = range(6)
# What a call is to do: play the learners' choices, go on where WAITING or FULL, deal where NEW, or only see whether all choices
# are legal.
STEP, RESUME, DEAL, CHECK = range(4)

# Columns of a book. COUNT: of legal actions. EPISODE: counts them, from a number that is drawn. CHOICES: of learners in this
# episode. OWN: the seat of the single learner; 0 where there are several. LENGTH: of the log. HALF: which half of the logs this
# episode's is in. ENDED_...: of the episode that ended last. EMPTY: episodes in a row in which no learner had a choice.
# RNG: for deals, RIVAL_RNG: for choices of rivals, sfc32; DEAL_SEED: of this episode's cards.
(STATUS, SEAT, COUNT, EPISODE, CHOICES, OWN, LENGTH, HALF, ENDED_OWN, ENDED_LENGTH, ENDED_ILLEGAL, EMPTY,
 RNG) = range(13)  # fmt: skip
RIVAL_RNG, DEAL_SEED, ENDED_DEAL, COLUMNS = (RNG + 4 * place for place in range(1, 5))
# After them, a column for each seat: the places of the episode that ended last; then one for each: what `evaluate` said when
# the round before ended, in billionths, where each round is an episode.
BILLION = 1_000_000_000

# Columns of `numbers`: the reward of who chose last; each seat's reward; each seat's score in the episode that ended last.
REWARD, FIRST_REWARD = range(2)

NO_CHOICE = "no learner ever has a choice in these episodes"
MOST_EMPTY = 10_000  # episodes in a row in which no learner had a choice: then there will be none
