/* src/report/json.h
 *
 * JSON into a string: commas by themselves, shortest digits that read back equal, null for what is not a number. */
#ifndef DM_REPORT_JSON_H
#define DM_REPORT_JSON_H

#include <stdint.h>

#include "util/str.h"

typedef struct dm_json {
    dm_str out;
    bool comma; /* the next value follows another */
} dm_json;

/* A key of NULL is for an element of an array, or the document itself. */
void dm_json_open(dm_json *json, const char *key, char bracket); /* '{' or '[' */
void dm_json_close(dm_json *json, char bracket);                 /* '}' or ']' */
void dm_json_text(dm_json *json, const char *key, const char *text); /* NULL: null */
void dm_json_number(dm_json *json, const char *key, double value);   /* NaN, infinity: null */
void dm_json_int(dm_json *json, const char *key, int64_t value);

#endif
