#include "json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEVELS = 100,          /* objects and lists inside each other; messages have fewer than ten */
    MEMORY_BYTES = 8 << 20 /* a line of 64 KiB holds at most 32 Ki values; pages that nothing touches take no memory */
};

static _Alignas(16) unsigned char memory[MEMORY_BYTES];
static size_t taken;
static const char *error;
static char *at; /* where the reader is */

static struct json *read_value(int level);

void *json_take(size_t bytes) {
    size_t rounded = (bytes + 15) / 16 * 16;
    if (rounded < bytes || rounded > MEMORY_BYTES - taken) return NULL;
    taken += rounded;
    return memory + taken - rounded;
}

const char *json_error(void) { return error; }

static void *wrong(const char *what) {
    if (!error) error = what;
    return NULL;
}

static void skip_space(void) {
    while (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n') at++;
}

static int takes(char letter) {
    skip_space();
    if (*at != letter) return 0;
    at++;
    return 1;
}

static int hex(const char *from) {
    int code = 0;
    for (int place = 0; place < 4; place++) {
        const char *digits = "0123456789abcdef", *found;
        char letter = from[place] >= 'A' && from[place] <= 'F' ? (char)(from[place] + 'a' - 'A') : from[place];
        if (!letter || !(found = strchr(digits, letter))) return -1;
        code = code * 16 + (int)(found - digits);
    }
    return code;
}

static char *write_utf8(char *to, long code) {
    if (code < 0x80) {
        *to++ = (char)code;
        return to;
    }
    int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const int first[] = {0, 0xc0, 0xe0, 0xf0};
    *to++ = (char)(first[more] | code >> (6 * more));
    while (more-- > 0) *to++ = (char)(0x80 | (code >> (6 * more) & 0x3f));
    return to;
}

/* The text that begins at the quote, written over itself: what is escaped is never shorter. */
static const char *read_text(void) {
    static const char escapes[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    if (*at != '"') return wrong("JSON: a text is needed");
    char *start = ++at, *to = start;
    while (*at != '"') {
        if (!*at) return wrong("JSON: a text has no end");
        if (*at != '\\') {
            *to++ = *at++;
            continue;
        }
        const char *found = at[1] ? strchr(escapes, at[1]) : NULL;
        if (found) {
            *to++ = meanings[found - escapes];
            at += 2;
            continue;
        }
        long code = at[1] == 'u' ? hex(at + 2) : -1;
        if (code < 0) return wrong("JSON: no such escape");
        at += 6;
        if (code >= 0xd800 && code < 0xdc00 && at[0] == '\\' && at[1] == 'u' && hex(at + 2) >= 0xdc00) {
            code = 0x10000 + ((code - 0xd800) << 10) + ((hex(at + 2) - 0xdc00) & 0x3ff);
            at += 6;
        }
        to = write_utf8(to, code);
    }
    at++;
    *to = '\0';
    return start;
}

static struct json *read_nested(struct json *into, char end, int level) {
    struct json **last = (struct json **)&into->first;
    at++;
    if (takes(end)) return into;
    do {
        const char *key = NULL;
        if (end == '}') {
            skip_space();
            if (!(key = read_text())) return NULL;
            if (!takes(':')) return wrong("JSON: a colon is needed");
        }
        struct json *item = read_value(level + 1);
        if (!item) return NULL;
        item->key = key;
        *last = item;
        last = (struct json **)&item->next;
        into->count++;
    } while (takes(','));
    return takes(end) ? into : wrong("JSON: a comma or the end of an object or list is needed");
}

static int takes_word(const char *word) {
    if (strncmp(at, word, strlen(word)) != 0) return 0;
    at += strlen(word);
    return 1;
}

static struct json *read_value(int level) {
    struct json *value = json_take(sizeof *value);
    if (!value) return wrong("JSON: too many values");
    if (level > LEVELS) return wrong("JSON: too many levels");
    memset(value, 0, sizeof *value);
    skip_space();
    if (*at == '{' || *at == '[') {
        value->kind = *at == '{' ? JSON_OBJECT : JSON_LIST;
        return read_nested(value, *at == '{' ? '}' : ']', level);
    }
    if (*at == '"') {
        value->kind = JSON_TEXT;
        return (value->text = read_text()) ? value : NULL;
    }
    if (takes_word("null")) return value;
    value->kind = JSON_TRUE;
    if (takes_word("true")) return value;
    value->kind = JSON_FALSE;
    if (takes_word("false")) return value;
    value->kind = JSON_NUMBER;
    char *end = at;
    if (*at && strchr("-0123456789", *at)) value->number = strtod(at, &end);
    if (end == at) return wrong("JSON: a value is needed");
    at = end;
    return value;
}

const struct json *json_read(char *line) {
    taken = 0;
    error = NULL;
    at = line;
    struct json *value = read_value(0);
    skip_space();
    return value && *at ? wrong("JSON: more than one value") : value;
}

const struct json *json_get(const struct json *object, const char *key) {
    if (!object || object->kind != JSON_OBJECT) return NULL;
    for (const struct json *value = object->first; value; value = value->next)
        if (strcmp(value->key, key) == 0) return value;
    return NULL;
}

const struct json *json_at(const struct json *list, size_t place) {
    if (!list || list->kind != JSON_LIST) return NULL;
    const struct json *item = list->first;
    while (item && place-- > 0) item = item->next;
    return item;
}

int json_as_number(const struct json *value, double *into) {
    if (!value || value->kind != JSON_NUMBER) return 0;
    *into = value->number;
    return 1;
}

int json_as_integer(const struct json *value, long long *into) {
    if (!value || value->kind != JSON_NUMBER || !(fabs(value->number) <= 9007199254740992.0)) return 0;
    if ((double)(long long)value->number != value->number) return 0;
    *into = (long long)value->number;
    return 1;
}

int json_as_text(const struct json *value, const char **into) {
    if (!value || value->kind != JSON_TEXT) return 0;
    *into = value->text;
    return 1;
}

int json_as_flag(const struct json *value, int *into) {
    if (!value || (value->kind != JSON_TRUE && value->kind != JSON_FALSE)) return 0;
    *into = value->kind == JSON_TRUE;
    return 1;
}

int json_as_object(const struct json *value, const struct json **into) {
    if (!value || value->kind != JSON_OBJECT) return 0;
    *into = value;
    return 1;
}

void json_write_integer(FILE *out, long long number) { fprintf(out, "%lld", number); }

void json_write_number(FILE *out, double number) {
    if (isfinite(number)) fprintf(out, "%.17g", number);
    else fputs("null", out); /* JSON has no infinity */
}

void json_write_text(FILE *out, const char *text) {
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') fprintf(out, "\\%c", *text);
        else if ((unsigned char)*text < 0x20) fprintf(out, "\\u%04x", (unsigned)*text);
        else fputc(*text, out);
    }
    fputc('"', out);
}

void json_write_flag(FILE *out, int flag) { fputs(flag ? "true" : "false", out); }
