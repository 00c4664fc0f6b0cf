/* The conversation with the hall: a line of JSON in, a line of JSON out. What to play is decided in strategy.c. */

#include <stdio.h>
#include <string.h>

#include "json.h"
#include "messages.h"
#include "strategy.h"

enum { LINE_BYTES = (64 << 10) + 2 }; /* the longest message, its line feed, the final zero */

/* Answers one message; 0: it is none that can be answered. Nothing but answers may be printed to standard output. */
static int answer(const struct json *message) {
    const char *type;
    struct start start;
    struct act act;
    struct end end;
    if (!json_as_text(json_get(message, "type"), &type)) return 0;
    if (strcmp(type, "start") == 0 && read_start(message, &start)) {
        struct ready ready = {.id = start.id, .ok = 1};
        strategy_start(&start); /* before the answer: once it is sent, no file can be opened any more */
        write_ready(stdout, &ready);
    } else if (strcmp(type, "act") == 0 && read_act(message, &act)) {
        struct choice choice = {.id = act.id};
        strategy_choose(&act, &choice);
        write_choice(stdout, &choice);
    } else if (strcmp(type, "end") == 0 && read_end(message, &end)) {
        strategy_end(&end);
        return 1; /* not answered */
    } else {
        return 0;
    }
    putchar('\n');
    return fflush(stdout) == 0; /* else the answer stays here, and the clock runs */
}

int main(void) {
    static char line[LINE_BYTES];
    while (fgets(line, sizeof line, stdin)) {
        const struct json *message = json_read(line);
        if (!message || !answer(message)) {
            fprintf(stderr, "not a message: %s\n", message ? "of another kind" : json_error()); /* kept for you when a match fails */
            return 1;
        }
    }
    return 0;
}
