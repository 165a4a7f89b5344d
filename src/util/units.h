/* src/util/units.h
 *
 * Quantities: "3.35 TB/s" in a file is 3.35e12 inside, and TB/s again only in a report. kB is 1000, KiB is 1024. */
#ifndef DM_UTIL_UNITS_H
#define DM_UTIL_UNITS_H

#include "util/err.h"
#include "util/str.h"

/* What a field is measured in. Rates "per clock" become rates with the clock in force. */
typedef enum dm_unit {
    DM_UNIT_NONE,
    DM_UNIT_HZ,
    DM_UNIT_S,
    DM_UNIT_BYTE,
    DM_UNIT_BYTE_PER_S,
    DM_UNIT_BYTE_PER_CLK,      /* per clock; of one core or of the device, as the field says */
    DM_UNIT_BYTE_PER_CLK_CORE, /* per clock and core */
    DM_UNIT_FLOP,              /* per clock and core */
    DM_UNIT_OP,                /* per clock and core */
    DM_UNIT_FLOP_PER_S,
    DM_UNIT_W,
    DM_UNIT_J_PER_FLOP,
    DM_UNIT_J_PER_BYTE,
    DM_UNIT_V,
    DM_UNIT_M2,
    DM_UNIT_USD,
    DM_UNIT_N
} dm_unit;

/* Parse "number unit". On failure the message names what was found, what is wanted, and an example; it starts with
 * `what` (a key). The place spans the whole text. */
dm_status dm_units_parse(dm_unit unit, dm_slice text, const char *what, const dm_source *source, dm_place place,
                         double *out, dm_err *err);

/* "a rate"; what a unit measures, with its article. */
const char *dm_units_measure(dm_unit unit);
/* An example quantity, such as "16 TB/s"; "" for DM_UNIT_NONE. */
const char *dm_units_example(dm_unit unit);

/* A quantity with the largest unit that leaves a number of at least one, such as "3.35 TB/s". */
enum { DM_UNITS_TEXT_MAX = 48 };
void dm_units_format(dm_unit unit, double value, char out[DM_UNITS_TEXT_MAX]);
/* The same to `digits` significant digits, for people. */
void dm_units_format_short(dm_unit unit, double value, int digits, char out[DM_UNITS_TEXT_MAX]);

#endif
