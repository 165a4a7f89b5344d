/* src/config/text.c
 *
 * Plain text: see the header. Stricter than UTF-8 in one point: the other line breaks of Unicode are refused, since
 * YAML counts lines by them and editors do not. */
#include "config/text.h"

#include <string.h>

#include "util/str.h"

typedef const unsigned char *bytes;

/* NEL, LINE SEPARATOR, PARAGRAPH SEPARATOR, and the C1 controls around the first. */
static bool is_wide_control(bytes at, size_t len)
{
    return (len == 2 && at[0] == 0xc2 && at[1] < 0xa0) ||
           (len == 3 && at[0] == 0xe2 && at[1] == 0x80 && (at[2] == 0xa8 || at[2] == 0xa9));
}

/* What is wrong with the character at `at`; NULL and its length if nothing is. */
static const char *wrong_with(bytes at, size_t left, size_t *len)
{
    *len = 1;
    if (at[0] >= 0x80) {
        *len = dm_utf8_len((const char *)at, left);
        if (*len == 0)
            return "is not UTF-8; save the file as UTF-8";
        return is_wide_control(at, *len) ? "begins a control character; plain text is wanted" : NULL;
    }
    if (at[0] >= 0x20 && at[0] != 0x7f)
        return NULL;
    if (at[0] == '\n' || at[0] == '\t' || (at[0] == '\r' && left > 1 && at[1] == '\n'))
        return NULL;
    if (at[0] == '\r')
        return "is a carriage return without a line feed; lines end with LF or CR LF";
    return "is a control character; plain text is wanted";
}

static bool is_utf16(const dm_source *source)
{
    return source->len >= 2 && (memcmp(source->text, "\xff\xfe", 2) == 0 || memcmp(source->text, "\xfe\xff", 2) == 0);
}

dm_status dm_text_check(const dm_source *source, dm_err *err)
{
    static const char bom[] = "\xef\xbb\xbf";
    const bytes text = (bytes)source->text;
    dm_place place = {1, 1, 1};
    size_t at = source->len >= 3 && memcmp(text, bom, 3) == 0 ? 3 : 0, len;

    if (is_utf16(source))
        return dm_fail_at(err, DM_ERR_INPUT, source, (dm_place){0, 0, 0}, "the file is UTF-16; save it as UTF-8");
    for (; at < source->len; at += len) {
        const char *wrong = wrong_with(text + at, source->len - at, &len);
        if (wrong != NULL)
            return dm_fail_at(err, DM_ERR_INPUT, source, place, "byte 0x%02x %s", text[at], wrong);
        place.col++;
        if (text[at] == '\n') {
            place.line++;
            place.col = 1;
        }
    }
    return DM_OK;
}
