/* JSON values: read from a line, and parts of replies written. Nothing but the standard library is needed. */
#ifndef JSON_H
#define JSON_H

#include <stddef.h>
#include <stdio.h>

enum json_kind { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_TEXT, JSON_LIST, JSON_OBJECT };

struct json {
    enum json_kind kind;
    double number;            /* exact for whole numbers up to 2^53, as all ids are */
    const char *text;         /* in UTF-8 */
    const char *key;          /* of a value in an object */
    size_t count;             /* of the items of a list, or of the values of an object */
    const struct json *first; /* the first of them */
    const struct json *next;  /* the one after this one */
};

/* Reads one value. NULL: `json_error()` says what is wrong. The line is changed, and all that was read before is gone. */
const struct json *json_read(char *line);
const char *json_error(void);

/* Memory that lasts until the next line is read; NULL: there is no more. */
void *json_take(size_t bytes);

/* The value of a key of an object, an item of a list (from 0); NULL without it. */
const struct json *json_get(const struct json *object, const char *key);
const struct json *json_at(const struct json *list, size_t place);

/* Each returns 0, and changes nothing, where the value is another one, or NULL. */
int json_as_integer(const struct json *value, long long *into);
int json_as_number(const struct json *value, double *into);
int json_as_text(const struct json *value, const char **into);
int json_as_flag(const struct json *value, int *into);
int json_as_object(const struct json *value, const struct json **into);

void json_write_integer(FILE *out, long long number);
void json_write_number(FILE *out, double number);
void json_write_text(FILE *out, const char *text);
void json_write_flag(FILE *out, int flag);

#endif
