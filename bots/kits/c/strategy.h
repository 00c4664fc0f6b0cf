#ifndef STRATEGY_H
#define STRATEGY_H

#include "messages.h"

/* Before the first decision: the game, the seats, your seat, the rule options and the params. Copy what you keep. */
void strategy_start(const struct start *start);

/* One of act->legal, at every decision with more than one of them; `into` has the id, all else is zero. */
void strategy_choose(const struct act *act, struct choice *into);

/* After the match. */
void strategy_end(const struct end *end);

#endif
