/* The messages of the arena wire protocol 1. Written from protocol.schema.json: do not change it. */

#include "messages.h"

static void write_action(FILE *out, const struct action *from) {
    if (from->text) json_write_text(out, from->text);
    else json_write_integer(out, from->index);
}

int read_clock(const struct json *from, struct clock *into) {
    into->start = 10.0;
    return json_as_number(json_get(from, "move"), &into->move)
        && json_as_number(json_get(from, "bank"), &into->bank)
        && (!json_get(from, "start") || json_as_number(json_get(from, "start"), &into->start));
}

int read_start(const struct json *from, struct start *into) {
    return json_as_integer(json_get(from, "id"), &into->id)
        && json_as_integer(json_get(from, "protocol"), &into->protocol)
        && json_as_text(json_get(from, "game"), &into->game)
        && json_as_object(json_get(from, "options"), &into->options)
        && json_as_integer(json_get(from, "seats"), &into->seats)
        && json_as_integer(json_get(from, "seat"), &into->seat)
        && json_as_text(json_get(from, "seed"), &into->seed)
        && read_clock(json_get(from, "clock"), &into->clock)
        && json_as_object(json_get(from, "params"), &into->params);
}

int read_event(const struct json *from, struct event *into) {
    return json_as_integer(json_at(from, 0), &into->seat)
        && json_as_text(json_at(from, 1), &into->action);
}

static int read_legal(const struct json *from, struct act *into) {
    size_t place = 0;
    if (!from || from->kind != JSON_LIST) return 0;
    const char **items = json_take(from->count * sizeof *items);
    if (!items) return 0;
    for (const struct json *item = from->first; item; item = item->next)
        if (!json_as_text(item, &items[place++])) return 0;
    into->legal = items;
    into->legal_count = from->count;
    return 1;
}

static int read_events(const struct json *from, struct act *into) {
    size_t place = 0;
    if (!from || from->kind != JSON_LIST) return 0;
    struct event *items = json_take(from->count * sizeof *items);
    if (!items) return 0;
    for (const struct json *item = from->first; item; item = item->next)
        if (!read_event(item, &items[place++])) return 0;
    into->events = items;
    into->events_count = from->count;
    return 1;
}

int read_act(const struct json *from, struct act *into) {
    return json_as_integer(json_get(from, "id"), &into->id)
        && json_as_object(json_get(from, "position"), &into->position)
        && read_legal(json_get(from, "legal"), into)
        && read_events(json_get(from, "events"), into)
        && read_clock(json_get(from, "clock"), &into->clock);
}

static int read_places(const struct json *from, struct end *into) {
    size_t place = 0;
    if (!from || from->kind != JSON_LIST) return 0;
    long long *items = json_take(from->count * sizeof *items);
    if (!items) return 0;
    for (const struct json *item = from->first; item; item = item->next)
        if (!json_as_integer(item, &items[place++])) return 0;
    into->places = items;
    into->places_count = from->count;
    return 1;
}

static int read_scores(const struct json *from, struct end *into) {
    size_t place = 0;
    if (!from || from->kind != JSON_LIST) return 0;
    double *items = json_take(from->count * sizeof *items);
    if (!items) return 0;
    for (const struct json *item = from->first; item; item = item->next)
        if (!json_as_number(item, &items[place++])) return 0;
    into->scores = items;
    into->scores_count = from->count;
    return 1;
}

int read_end(const struct json *from, struct end *into) {
    return json_as_integer(json_get(from, "id"), &into->id)
        && read_places(json_get(from, "places"), into)
        && read_scores(json_get(from, "scores"), into);
}

void write_ready(FILE *out, const struct ready *from) {
    fputs("{\"id\": ", out);
    json_write_integer(out, from->id);
    fputs(", \"ok\": ", out);
    json_write_flag(out, from->ok);
    fputs("}", out);
}

void write_note(FILE *out, const struct note *from) {
    fputs("[", out);
    json_write_text(out, from->text);
    fputs(", ", out);
    if (from->has_number) json_write_number(out, from->number);
    else fputs("null", out);
    fputs("]", out);
}

void write_choice(FILE *out, const struct choice *from) {
    fputs("{\"id\": ", out);
    json_write_integer(out, from->id);
    fputs(", \"action\": ", out);
    write_action(out, &from->action);
    if (from->notes_count) {
        fputs(", \"notes\": [", out);
        for (size_t place = 0; place < from->notes_count; place++) {
            if (place) fputs(", ", out);
            write_note(out, &from->notes[place]);
        }
        fputs("]", out);
    }
    fputs("}", out);
}
