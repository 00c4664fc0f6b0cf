/* The messages of the arena wire protocol 1. Written from protocol.schema.json: do not change it. */
#ifndef MESSAGES_H
#define MESSAGES_H

#include <stddef.h>
#include <stdio.h>

#include "json.h"

/* The text of a legal action, or (text is NULL) its index in `legal`. */
struct action {
    const char *text;
    long long index;
};

/* A seat's CPU seconds: `move` for each decision, `bank` for all slow ones of a match together, `start` to
 * get ready. */
struct clock {
    double move;
    double bank;
    double start;
};

/* The first message to the bot: the match that it plays now. The bot answers with Ready. */
struct start {
    long long id;
    long long protocol;
    const char *game;
    const struct json *options;
    long long seats;
    long long seat;
    const char *seed;
    struct clock clock;
    const struct json *params;
};

/* One of `events`: [seat, action]. */
struct event {
    long long seat;
    const char *action;
};

/* A message to the bot that asks for a decision. The bot answers with Choice. */
struct act {
    long long id;
    const struct json *position;
    const char *const *legal;
    size_t legal_count;
    const struct event *events;
    size_t events_count;
    struct clock clock;
};

/* The last message to the bot: the match is over. The bot does not answer; the end of the input follows. */
struct end {
    long long id;
    const long long *places;
    size_t places_count;
    const double *scores;
    size_t scores_count;
};

/* The bot's answer to Start: it is ready to play. */
struct ready {
    long long id;
    int ok;
};

/* What the bot notes about the decision, for its author alone: [text, number or null], at most 1 KB in all. */
struct note {
    const char *text;
    int has_number;
    double number;
};

/* The bot's answer to Act: its action. */
struct choice {
    long long id;
    struct action action;
    const struct note *notes;
    size_t notes_count;
};

/* Each returns 0 where the value is no such message. What is read lasts until the next line is read. */
int read_clock(const struct json *from, struct clock *into);
int read_start(const struct json *from, struct start *into);
int read_event(const struct json *from, struct event *into);
int read_act(const struct json *from, struct act *into);
int read_end(const struct json *from, struct end *into);

/* Each writes a reply without the line feed. */
void write_ready(FILE *out, const struct ready *from);
void write_note(FILE *out, const struct note *from);
void write_choice(FILE *out, const struct choice *from);

#endif
