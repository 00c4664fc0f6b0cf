/* What the bot plays. This is the file to change; the others carry its decisions to the hall. */

#include "strategy.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* One match: the program is started for every match, and plays one seat of it. */
static long long own_seat, seats;
static uint64_t state; /* of the random numbers */

/* 64 random bits (splitmix64): from the same seed always the same ones, so that matches can be repeated. */
static uint64_t next_random(void) {
    uint64_t mixed = (state += 0x9e3779b97f4a7c15u);
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return mixed ^ (mixed >> 31);
}

void strategy_start(const struct start *start) {
    char digits[17] = {0};
    strncpy(digits, start->seed, 16); /* half of the 32 hex digits: 64 bits */
    state = strtoull(digits, NULL, 16);
    own_seat = start->seat;
    seats = start->seats;
}

void strategy_choose(const struct act *act, struct choice *into) {
    /* Begin here. act->position is what your seat sees ("?" for each hidden card); what is in it differs from game to game:
     * `arena docs notation`. For instance: long long turn; json_as_integer(json_get(act->position, "turn"), &turn); */
    static struct note note = {.text = "legal actions", .has_number = 1}; /* for you, in the replay */
    note.number = (double)act->legal_count;
    into->action.index = (long long)(next_random() % act->legal_count);
    into->notes = &note;
    into->notes_count = 1;
}

void strategy_end(const struct end *end) {
    long long place = (size_t)own_seat < end->places_count ? end->places[own_seat] : 0;
    fprintf(stderr, "place %lld of %lld\n", place, seats); /* kept for you when a match fails */
}
