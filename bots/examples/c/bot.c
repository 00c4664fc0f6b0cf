/* A bot in C that plays every game: uniformly random legal actions, always the same from the same seed.
 *
 * Build it in this folder, on a machine like the one that plays, then submit the folder:
 *
 *     cc -O2 -o bot bot.c
 *
 * The hall never runs a compiler: what it runs is the file `bot` that bot.toml names.
 *
 * The hall writes one JSON object a line to standard input and reads one a line from standard output:
 *   {"type": "start", "id": 7, ..., "seed": "32 hex digits", ...}    answer {"id": 7, "ok": true}
 *   {"type": "act", "id": 8, ..., "legal": ["...", ...], ...}        answer {"id": 8, "action": INDEX}
 *   {"type": "end", ...}                                             no answer; the input ends
 * A bot that thinks would read `position` with a JSON library. This one only walks the text far enough to find three keys.
 */

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = (64 << 10) + 2 }; /* the longest message, its line feed, the final zero */

static uint64_t state; /* of the generator: nothing else may decide, and a match can be repeated */

/* 64 random bits (splitmix64). */
static uint64_t next_random(void) {
    uint64_t mixed = (state += 0x9e3779b97f4a7c15u);
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return mixed ^ (mixed >> 31);
}

/* The first character after a JSON value that begins at `at`. */
static const char *after_value(const char *at) {
    int depth = 0, in_text = 0;
    for (; *at; at++) {
        if (in_text) {
            if (*at == '\\' && at[1]) at++;
            else if (*at == '"') in_text = 0;
        } else if (*at == '"') {
            in_text = 1;
        } else if (*at == '{' || *at == '[') {
            depth++;
        } else if (*at == '}' || *at == ']') {
            if (depth == 0) return at;
            depth--;
        } else if (*at == ',' && depth == 0) {
            return at;
        }
    }
    return at;
}

static const char *skip_space(const char *at) {
    while (isspace((unsigned char)*at)) at++;
    return at;
}

/* The value of `key` in the JSON object `object`, not in those inside it; NULL without it. */
static const char *find(const char *object, const char *key) {
    size_t length = strlen(key);
    const char *at = skip_space(object);
    while (*at == '{' || *at == ',') {
        const char *name = skip_space(at + 1);
        const char *colon = name;
        if (*name != '"') return NULL;
        for (colon = name + 1; *colon && *colon != '"'; colon++) {
        } /* the keys of messages hold no escapes */
        const char *value = skip_space(skip_space(colon + 1) + 1);
        if ((size_t)(colon - name - 1) == length && strncmp(name + 1, key, length) == 0) return value;
        at = after_value(value);
    }
    return NULL;
}

/* How many values an array holds. */
static unsigned count(const char *array) {
    unsigned number = 0;
    const char *at = skip_space(array + 1);
    while (*at && *at != ']') {
        number++;
        at = after_value(at);
        if (*at == ',') at = skip_space(at + 1);
    }
    return number;
}

int main(void) {
    static char line[LINE_BYTES];
    while (fgets(line, sizeof line, stdin)) {
        const char *type = find(line, "type"), *id = find(line, "id");
        if (!type || !id) {
            fprintf(stderr, "not a message: %.80s\n", line); /* kept for the author when a match fails */
            return 1;
        }
        unsigned long long number = strtoull(id, NULL, 10);
        if (strncmp(type, "\"start\"", 7) == 0) {
            char digits[17] = {0};
            const char *seed = find(line, "seed");
            if (seed) strncpy(digits, seed + 1, 16); /* half of the 32 hex digits: 64 bits */
            state = strtoull(digits, NULL, 16);
            printf("{\"id\": %llu, \"ok\": true}\n", number);
        } else if (strncmp(type, "\"act\"", 5) == 0) {
            const char *legal = find(line, "legal");
            unsigned choices = legal ? count(legal) : 1;
            printf("{\"id\": %llu, \"action\": %u}\n", number, (unsigned)(next_random() % choices));
        }
        fflush(stdout); /* else the answer stays here, and the clock runs */
    }
    return 0;
}
