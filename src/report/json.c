/* src/report/json.c
 *
 * Writing JSON: see the header. */
#include "report/json.h"

#include <math.h>

#include "util/num.h"

static void add_quoted(dm_str *out, const char *text)
{
    dm_str_add(out, "\"");
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\')
            dm_str_addf(out, "\\%c", *c);
        else if ((unsigned char)*c < 0x20)
            dm_str_addf(out, "\\u%04x", (unsigned)(unsigned char)*c);
        else
            dm_str_add_n(out, c, 1);
    }
    dm_str_add(out, "\"");
}

static void begin(dm_json *json, const char *key)
{
    if (json->comma)
        dm_str_add(&json->out, ",");
    json->comma = true;
    if (key == NULL)
        return;
    add_quoted(&json->out, key);
    dm_str_add(&json->out, ":");
}

void dm_json_open(dm_json *json, const char *key, char bracket)
{
    begin(json, key);
    dm_str_add_n(&json->out, &bracket, 1);
    json->comma = false;
}

void dm_json_close(dm_json *json, char bracket)
{
    dm_str_add_n(&json->out, &bracket, 1);
    json->comma = true;
}

void dm_json_text(dm_json *json, const char *key, const char *text)
{
    begin(json, key);
    if (text == NULL)
        dm_str_add(&json->out, "null");
    else
        add_quoted(&json->out, text);
}

void dm_json_number(dm_json *json, const char *key, double value)
{
    char text[DM_NUM_TEXT_MAX];

    begin(json, key);
    if (!isfinite(value)) {
        dm_str_add(&json->out, "null");
        return;
    }
    dm_num_format(value, text);
    dm_str_add(&json->out, text);
}

void dm_json_int(dm_json *json, const char *key, int64_t value)
{
    begin(json, key);
    dm_str_addf(&json->out, "%lld", (long long)value);
}
