/* src/util/units.c
 *
 * One row a unit name; one row a dimension. */
#include "util/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "util/num.h"

typedef struct unit_name {
    dm_unit unit;
    const char *name;
    double factor; /* SI units in one of these */
    bool shown;    /* a report may choose it */
} unit_name;

/* clang-format off */
static const unit_name names[] = {
    {DM_UNIT_HZ, "Hz", 1, true}, {DM_UNIT_HZ, "kHz", 1e3, true}, {DM_UNIT_HZ, "MHz", 1e6, true}, {DM_UNIT_HZ, "GHz", 1e9, true},

    {DM_UNIT_S, "fs", 1e-15, false}, {DM_UNIT_S, "ps", 1e-12, true}, {DM_UNIT_S, "ns", 1e-9, true}, {DM_UNIT_S, "us", 1e-6, true},
    {DM_UNIT_S, "\xc2\xb5s", 1e-6, false}, {DM_UNIT_S, "\xce\xbcs", 1e-6, false},
    {DM_UNIT_S, "ms", 1e-3, true}, {DM_UNIT_S, "s", 1, true},

    {DM_UNIT_BYTE, "B", 1, true}, {DM_UNIT_BYTE, "kB", 1e3, true}, {DM_UNIT_BYTE, "KB", 1e3, false}, {DM_UNIT_BYTE, "MB", 1e6, true},
    {DM_UNIT_BYTE, "GB", 1e9, true}, {DM_UNIT_BYTE, "TB", 1e12, true},
    {DM_UNIT_BYTE, "KiB", 1024.0, false}, {DM_UNIT_BYTE, "MiB", 1048576.0, false},
    {DM_UNIT_BYTE, "GiB", 1073741824.0, false}, {DM_UNIT_BYTE, "TiB", 1099511627776.0, false},

    {DM_UNIT_BYTE_PER_S, "B/s", 1, true}, {DM_UNIT_BYTE_PER_S, "kB/s", 1e3, true}, {DM_UNIT_BYTE_PER_S, "MB/s", 1e6, true},
    {DM_UNIT_BYTE_PER_S, "GB/s", 1e9, true}, {DM_UNIT_BYTE_PER_S, "TB/s", 1e12, true}, {DM_UNIT_BYTE_PER_S, "PB/s", 1e15, true},
    {DM_UNIT_BYTE_PER_S, "MiB/s", 1048576.0, false}, {DM_UNIT_BYTE_PER_S, "GiB/s", 1073741824.0, false}, {DM_UNIT_BYTE_PER_S, "TiB/s", 1099511627776.0, false},
    {DM_UNIT_BYTE_PER_S, "Mbit/s", 1e6 / 8, false}, {DM_UNIT_BYTE_PER_S, "Gbit/s", 1e9 / 8, false}, {DM_UNIT_BYTE_PER_S, "Tbit/s", 1e12 / 8, false},

    {DM_UNIT_BYTE_PER_CLK, "B/clk", 1, true}, {DM_UNIT_BYTE_PER_CLK, "kB/clk", 1e3, false},
    {DM_UNIT_BYTE_PER_CLK_CORE, "B/clk/core", 1, true},
    {DM_UNIT_FLOP, "FLOP", 1, true}, {DM_UNIT_OP, "op", 1, true},

    {DM_UNIT_FLOP_PER_S, "FLOP/s", 1, false}, {DM_UNIT_FLOP_PER_S, "MFLOP/s", 1e6, true}, {DM_UNIT_FLOP_PER_S, "GFLOP/s", 1e9, true},
    {DM_UNIT_FLOP_PER_S, "TFLOP/s", 1e12, true}, {DM_UNIT_FLOP_PER_S, "PFLOP/s", 1e15, true}, {DM_UNIT_FLOP_PER_S, "TOP/s", 1e12, false},

    {DM_UNIT_W, "mW", 1e-3, false}, {DM_UNIT_W, "W", 1, true}, {DM_UNIT_W, "kW", 1e3, false}, {DM_UNIT_W, "MW", 1e6, false},
    {DM_UNIT_J_PER_FLOP, "pJ/FLOP", 1e-12, true}, {DM_UNIT_J_PER_FLOP, "fJ/FLOP", 1e-15, false}, {DM_UNIT_J_PER_FLOP, "nJ/FLOP", 1e-9, false},
    {DM_UNIT_J_PER_BYTE, "pJ/bit", 8e-12, true}, {DM_UNIT_J_PER_BYTE, "pJ/B", 1e-12, false}, {DM_UNIT_J_PER_BYTE, "nJ/B", 1e-9, false},
    {DM_UNIT_V, "V", 1, true}, {DM_UNIT_V, "mV", 1e-3, false},
    {DM_UNIT_M2, "mm2", 1e-6, true}, {DM_UNIT_M2, "cm2", 1e-4, false},
    {DM_UNIT_USD, "USD", 1, true},
};

static const struct {
    const char *measure, *example;
} dimensions[DM_UNIT_N] = {
    [DM_UNIT_NONE] = {"a bare number", ""},
    [DM_UNIT_HZ] = {"a frequency", "1.83 GHz"},
    [DM_UNIT_S] = {"a time", "340 ns"},
    [DM_UNIT_BYTE] = {"a size", "50 MiB"},
    [DM_UNIT_BYTE_PER_S] = {"a rate", "16 TB/s"},
    [DM_UNIT_BYTE_PER_CLK] = {"bytes per clock", "128 B/clk"},
    [DM_UNIT_BYTE_PER_CLK_CORE] = {"bytes per clock and core", "37 B/clk/core"},
    [DM_UNIT_FLOP] = {"work per clock and core", "4096 FLOP"},
    [DM_UNIT_OP] = {"operations per clock and core", "16 op"},
    [DM_UNIT_FLOP_PER_S] = {"a rate of work", "989 TFLOP/s"},
    [DM_UNIT_W] = {"a power", "700 W"},
    [DM_UNIT_J_PER_FLOP] = {"an energy per operation", "0.55 pJ/FLOP"},
    [DM_UNIT_J_PER_BYTE] = {"an energy per bit", "6 pJ/bit"},
    [DM_UNIT_V] = {"a voltage", "0.85 V"},
    [DM_UNIT_M2] = {"an area", "814 mm2"},
    [DM_UNIT_USD] = {"a price", "35000 USD"},
};
/* clang-format on */

enum { NAME_N = sizeof names / sizeof names[0] };

const char *dm_units_measure(dm_unit unit)
{
    return dimensions[unit].measure;
}

const char *dm_units_example(dm_unit unit)
{
    return dimensions[unit].example;
}

static const unit_name *find_name(dm_slice text)
{
    for (size_t i = 0; i < NAME_N; i++)
        if (dm_slice_is(text, names[i].name))
            return &names[i];
    return NULL;
}

/* The name that differs from what was written by case alone or by a typo, in the wanted dimension. */
static dm_nearest nearest_name(dm_unit unit, dm_slice text)
{
    dm_nearest nearest = dm_nearest_start(text);

    for (size_t i = 0; i < NAME_N; i++)
        if (names[i].unit == unit)
            dm_nearest_offer(&nearest, names[i].name);
    return nearest;
}

static dm_status parse_plain(dm_slice text, const char *what, const dm_source *source, dm_place place, double *out,
                             dm_err *err)
{
    double value;
    const size_t used = dm_num_parse(text.at, text.len, &value);

    if (used == 0)
        return dm_fail_at(err, DM_ERR_INPUT, source, place, "%s: '%.*s' is not a number", what, dm_slice_shown(text),
                          text.at);
    if (used != text.len)
        return dm_fail_at(err, DM_ERR_INPUT, source, place, "%s: '%.*s' has a unit, a bare number is wanted", what,
                          dm_slice_shown(text), text.at);
    *out = value;
    return DM_OK;
}

dm_status dm_units_parse(dm_unit unit, dm_slice text, const char *what, const dm_source *source, dm_place place,
                         double *out, dm_err *err)
{
    double value;
    char hint[DM_NEAREST_TEXT_MAX];

    text = dm_slice_trim(text);
    const int shown = dm_slice_shown(text);
    if (unit == DM_UNIT_NONE)
        return parse_plain(text, what, source, place, out, err);

    const size_t used = dm_num_parse(text.at, text.len, &value);
    if (used == 0)
        return dm_fail_at(err, DM_ERR_INPUT, source, place, "%s: '%.*s' is not a number, %s is wanted (such as %s)",
                          what, shown, text.at, dm_units_measure(unit), dm_units_example(unit));

    const dm_slice suffix = dm_slice_trim((dm_slice){text.at + used, text.len - used});
    if (suffix.len == 0)
        return dm_fail_at(err, DM_ERR_INPUT, source, place, "%s: '%.*s' has no unit, %s is wanted (such as %s)", what,
                          shown, text.at, dm_units_measure(unit), dm_units_example(unit));

    const unit_name *name = find_name(suffix);
    if (name == NULL) {
        const dm_nearest nearest = nearest_name(unit, suffix);
        return dm_fail_at(err, DM_ERR_INPUT, source, place, "%s: unknown unit '%.*s', %s is wanted (such as %s)%s",
                          what, dm_slice_shown(suffix), suffix.at, dm_units_measure(unit),
                          dm_units_example(unit), dm_nearest_text(&nearest, hint));
    }
    if (name->unit != unit)
        return dm_fail_at(err, DM_ERR_INPUT, source, place, "%s: '%.*s' is %s, %s is wanted (such as %s)", what, shown,
                          text.at, dm_units_measure(name->unit), dm_units_measure(unit), dm_units_example(unit));
    *out = value * name->factor;
    return DM_OK;
}

static const unit_name *best_name(dm_unit unit, double value)
{
    const unit_name *best = NULL;

    for (size_t i = 0; i < NAME_N; i++) {
        const unit_name *name = &names[i];
        if (name->unit != unit || !name->shown)
            continue;
        if (best == NULL || fabs(value) >= name->factor)
            best = name;
    }
    return best;
}

void dm_units_format(dm_unit unit, double value, char out[DM_UNITS_TEXT_MAX])
{
    const unit_name *name = best_name(unit, value);
    char number[DM_NUM_TEXT_MAX];

    if (name == NULL) {
        dm_num_format(value, number);
        (void)snprintf(out, DM_UNITS_TEXT_MAX, "%s", number);
        return;
    }
    /* The division may leave noise in the last digit; 15 digits hide it and still read back. */
    (void)snprintf(out, DM_UNITS_TEXT_MAX, "%.15g %s", value / name->factor, name->name);
}

void dm_units_format_short(dm_unit unit, double value, int digits, char out[DM_UNITS_TEXT_MAX])
{
    const unit_name *name = best_name(unit, value);
    const double scaled = name != NULL ? value / name->factor : value;
    const double magnitude = fabs(scaled) >= 1 ? floor(log10(fabs(scaled))) : 0;
    const int decimals = digits - 1 - (int)magnitude;

    (void)snprintf(out, DM_UNITS_TEXT_MAX, "%.*f%s%s", decimals > 0 ? decimals : 0, scaled, name != NULL ? " " : "",
                   name != NULL ? name->name : "");
}
