/* src/hw/hw_schema.c
 *
 * The hardware file, field by field: one row is the parser, the range check, `--set`, and the line in the manual. */
#include <stdlib.h>
#include <string.h>

#include "hw/hw.h"
#include "util/num.h"

#define HW(member) offsetof(dm_hw, member)
#define REAL(path, unit, member, lo, hi, help)                                                               \
    {path, DM_KIND_REAL, unit, HW(member), lo, hi, false, NULL, NULL, NULL, NULL, help}
#define COUNT(path, member, lo, hi, help)                                                                    \
    {path, DM_KIND_INT, DM_UNIT_NONE, HW(member), lo, hi, false, NULL, NULL, NULL, NULL, help}
#define TEXT(path, member, help)                                                                             \
    {path, DM_KIND_TEXT, DM_UNIT_NONE, HW(member), 0, 0, false, NULL, NULL, NULL, NULL, help}
#define MATHS(block, member, unit, lo, hi, what)                                                             \
    REAL(block ".fp64", unit, member[DM_MATH_FP64], lo, hi, what ", fp64"),                                  \
        REAL(block ".fp32", unit, member[DM_MATH_FP32], lo, hi, what ", fp32"),                              \
        REAL(block ".tf32", unit, member[DM_MATH_TF32], lo, hi, what ", tf32"),                              \
        REAL(block ".fp16", unit, member[DM_MATH_FP16], lo, hi, what ", fp16"),                              \
        REAL(block ".bf16", unit, member[DM_MATH_BF16], lo, hi, what ", bf16"),                              \
        REAL(block ".fp8", unit, member[DM_MATH_FP8], lo, hi, what ", fp8 (both forms, mxfp8)"),             \
        REAL(block ".int8", unit, member[DM_MATH_INT8], lo, hi, what ", int8"),                              \
        REAL(block ".fp4", unit, member[DM_MATH_FP4], lo, hi, what ", fp4 (mxfp4, nvfp4)"),                  \
        REAL(block ".int4", unit, member[DM_MATH_INT4], lo, hi, what ", int4")

static const dm_choice kinds[] = {
    {"gpu", "cores that run many threads, with tensor units"},
    {"systolic", "arrays of multipliers fed from a scratchpad"},
    {"vector", "vector cores without tensor units"},
    {NULL, NULL},
};

static const dm_choice features[] = {
    {"async_copy", "loads go from L2 to shared memory without passing registers (cp.async)"},
    {"tensor_memory_access", "a copy engine in each core moves whole tiles (TMA)"},
    {"clusters", "CTAs of neighbouring cores share operands (multicast)"},
    {"tensor_memory", "accumulators live in memory of their own, so that one tile's epilogue overlaps the next tile"},
    {"fractional_waves", "persistent kernels cut the last wave along k (stream-K), so that waves need not be whole"},
    {NULL, NULL},
};

static const dm_choice topologies[] = {
    {"switch", "every device reaches every other at full rate"},
    {"mesh", "a link pair to each other device; the rate is the sum over all of them"},
    {"ring", "links to two neighbours"},
    {"torus", "links to the neighbours in two or three dimensions"},
    {"host", "no links of its own: traffic goes through the host's PCIe"},
    {NULL, NULL},
};

/* ---- package.dies: [{name: gpu, area: 814 mm2, node: 4N, count: 1}] ---- */

#define DIE(member) offsetof(dm_hw_die, member)

static const dm_field die_rows[] = {
    {"name", DM_KIND_TEXT, DM_UNIT_NONE, DIE(name), 0, 0, true, NULL, NULL, NULL, NULL, "what the die is"},
    {"area", DM_KIND_REAL, DM_UNIT_M2, DIE(area_m2), 1e-7, 0.1, true, NULL, NULL, NULL, NULL, "area of one die"},
    {"node", DM_KIND_TEXT, DM_UNIT_NONE, DIE(node), 0, 0, false, NULL, NULL, NULL, NULL, "process node"},
    {"count", DM_KIND_INT, DM_UNIT_NONE, DIE(count), 1, 1000, false, "1", NULL, NULL, NULL, "dies of this kind"},
};
static const dm_fields die_fields = DM_FIELDS(die_rows);

static dm_status parse_dies(const dm_field *field, const dm_node *node, const dm_reader *reader, void *at)
{
    dm_hw_dies dies = {.n = 0};

    (void)field;
    if (node->kind != DM_NODE_LIST)
        return dm_fail_at(reader->err, DM_ERR_INPUT, reader->source, node->place,
                          "dies: %s where a list is wanted (such as [{name: gpu, area: 814 mm2, node: 4N}])",
                          dm_doc_kind_text(node));
    for (const dm_node *item = node->first; item != NULL; item = item->next) {
        if (item->kind != DM_NODE_MAP || dies.n == DM_HW_DIES_MAX)
            return dm_fail_at(reader->err, DM_ERR_INPUT, reader->source, item->place,
                              "dies: at most %d maps such as {name: gpu, area: 814 mm2, node: 4N} are wanted",
                              DM_HW_DIES_MAX);
        dm_hw_die *die = &dies.die[dies.n++];
        dm_fields_init(die_fields, die);
        dm_status status = dm_fields_read(die_fields, item, reader, die, NULL, NULL);
        if (status == DM_OK)
            status = dm_fields_require(die_fields, die, item, reader);
        if (status != DM_OK)
            return status;
    }
    *(dm_hw_dies *)at = dies;
    return DM_OK;
}

static void print_dies(const void *at, dm_str *out)
{
    const dm_hw_dies *dies = at;
    char area[DM_UNITS_TEXT_MAX];

    for (size_t i = 0; i < dies->n; i++) {
        const dm_hw_die *die = &dies->die[i];
        dm_units_format(DM_UNIT_M2, die->area_m2, area);
        dm_str_addf(out, "%s{name: %s, area: %s", i == 0 ? "[" : ", ", die->name, area);
        if (die->node != NULL)
            dm_str_addf(out, ", node: %s", die->node);
        dm_str_addf(out, ", count: %lld}", (long long)die->count);
    }
    if (dies->n > 0)
        dm_str_add(out, "]");
}

/* ---- power.vf: [[0.75 V, 1.0 GHz], …], rising in both ---- */

/* One side of a pair; the ranges hold whatever a chip may run at. */
static const dm_field vf_voltage = {"vf", DM_KIND_REAL, DM_UNIT_V, 0, 0.01, 100, true, NULL, NULL, NULL, NULL, ""};
static const dm_field vf_clock = {"vf", DM_KIND_REAL, DM_UNIT_HZ, 0, 1e6, 1e11, true, NULL, NULL, NULL, NULL, ""};

static dm_status parse_point(const dm_node *point, const dm_reader *reader, double *voltage_V, double *clock_Hz)
{
    const dm_node *first = point->first, *second = first != NULL ? first->next : NULL;

    if (point->kind != DM_NODE_LIST || point->n != 2 || second == NULL || first->kind != DM_NODE_SCALAR ||
        second->kind != DM_NODE_SCALAR)
        return dm_fail_at(reader->err, DM_ERR_INPUT, reader->source, point->place,
                          "vf: a pair such as [0.75 V, 1.0 GHz] is wanted");
    const dm_status status = dm_field_set(&vf_voltage, first, reader, voltage_V);

    return status == DM_OK ? dm_field_set(&vf_clock, second, reader, clock_Hz) : status;
}

static dm_status parse_vf(const dm_field *field, const dm_node *node, const dm_reader *reader, void *at)
{
    dm_hw_vf vf = {.n = 0};

    (void)field;
    if (node->kind != DM_NODE_LIST || node->n < 2 || node->n > DM_HW_VF_MAX)
        return dm_fail_at(reader->err, DM_ERR_INPUT, reader->source, node->place,
                          "vf: a list of 2 to %d pairs such as [0.75 V, 1.0 GHz] is wanted", DM_HW_VF_MAX);
    for (const dm_node *point = node->first; point != NULL; point = point->next, vf.n++) {
        const dm_status status = parse_point(point, reader, &vf.voltage_V[vf.n], &vf.clock_Hz[vf.n]);
        if (status != DM_OK)
            return status;
        const double v_before = vf.n > 0 ? vf.voltage_V[vf.n - 1] : 0, f_before = vf.n > 0 ? vf.clock_Hz[vf.n - 1] : 0;
        if (!(vf.voltage_V[vf.n] >= v_before && vf.clock_Hz[vf.n] > f_before))
            return dm_fail_at(reader->err, DM_ERR_INPUT, reader->source, point->place,
                              "vf: below the pair before it; clocks must rise from pair to pair, voltages must not fall");
    }
    *(dm_hw_vf *)at = vf;
    return DM_OK;
}

static void print_vf(const void *at, dm_str *out)
{
    const dm_hw_vf *vf = at;
    char v[DM_UNITS_TEXT_MAX], f[DM_UNITS_TEXT_MAX];

    for (size_t i = 0; i < vf->n; i++) {
        dm_units_format(DM_UNIT_V, vf->voltage_V[i], v);
        dm_units_format(DM_UNIT_HZ, vf->clock_Hz[i], f);
        dm_str_addf(out, "%s[%s, %s]", i == 0 ? "[" : ", ", v, f);
    }
    if (vf->n > 0)
        dm_str_add(out, "]");
}

/* ---- the table ---- */

#define LINK(block, member, what)                                                                            \
    TEXT(block ".kind", member.kind, "name of the " what " link"),                                           \
        COUNT(block ".links", member.link_n, 1, 1024, "links of one device"),                                \
        REAL(block ".bandwidth", DM_UNIT_BYTE_PER_S, member.bw_Bps, 1e6, 1e16,                               \
             what " rate of one device, one direction, all its links"),                                      \
        REAL(block ".latency", DM_UNIT_S, member.latency_s, 1e-9, 1e-2,                                      \
             what " latency of one hop, software included"),                                                 \
        {block ".topology", DM_KIND_CHOICE, DM_UNIT_NONE, HW(member.topology), 0, 0, false, "switch",        \
         topologies, NULL, NULL, "how " what " links join devices"},                                         \
        {block ".in_network_reduce", DM_KIND_BOOL, DM_UNIT_NONE, HW(member.in_network_reduce), 0, 0, false,  \
         "false", NULL, NULL, NULL, "the " what " switch can add (NVLS, SHARP)"},                            \
        COUNT(block ".devices", member.device_n, 2, 1000000, "devices that one " what " domain joins")

/* clang-format off */
static const dm_field rows[] = {
    {"schema", DM_KIND_INT, DM_UNIT_NONE, HW(schema), 1, 1, true, NULL, NULL, NULL, NULL, "version of this format; 1"},
    {"name", DM_KIND_TEXT, DM_UNIT_NONE, HW(name), 0, 0, true, NULL, NULL, NULL, NULL, "id of the device; the file's name"},
    TEXT("title", title, "name for people"),
    TEXT("vendor", vendor, "who makes it"),
    COUNT("year", year, 1990, 2100, "year of launch"),
    {"kind", DM_KIND_CHOICE, DM_UNIT_NONE, HW(kind), 0, 0, false, "gpu", kinds, NULL, NULL, "class of machine"},
    TEXT("architecture", architecture, "what shares kernels and calibrations"),

    REAL("clocks.base", DM_UNIT_HZ, clock_base_Hz, 1e6, 1e11, "guaranteed core clock"),
    REAL("clocks.boost", DM_UNIT_HZ, clock_boost_Hz, 1e6, 1e11, "highest core clock; in force while power allows"),
    REAL("clocks.datasheet", DM_UNIT_HZ, clock_datasheet_Hz, 1e6, 1e11, "clock that the data sheet's peaks belong to"),
    REAL("clocks.memory", DM_UNIT_HZ, clock_memory_Hz, 1e6, 1e11, "memory clock"),

    {"compute.cores", DM_KIND_INT, DM_UNIT_NONE, HW(core_n), 1, 10000000, true, NULL, NULL, NULL, NULL, "cores (SMs, CUs) that are enabled"},
    COUNT("compute.cores_full", core_full_n, 1, 10000000, "cores on the die"),
    MATHS("compute.tensor", tensor_FLOP, DM_UNIT_FLOP, 1e-3, 1e9, "tensor units, dense, per core and clock"),
    MATHS("compute.tensor_sparse", tensor_sparse_FLOP, DM_UNIT_FLOP, 1e-3, 1e9, "tensor units, structured sparsity, per core and clock"),
    MATHS("compute.tensor_narrow", tensor_narrow_FLOP, DM_UNIT_FLOP, 1e-3, 1e9, "tensor units with 16-bit accumulators, per core and clock"),
    MATHS("compute.vector", vector_FLOP, DM_UNIT_FLOP, 1e-3, 1e9, "vector units, per core and clock"),
    MATHS("compute.datasheet", datasheet_FLOPps, DM_UNIT_FLOP_PER_S, 1e6, 1e21, "dense peak as the data sheet prints it"),
    REAL("compute.special", DM_UNIT_OP, special_op, 1e-3, 1e9, "special functions (exp, rsqrt …) per core and clock"),
    COUNT("compute.limits.warps", warp_n, 1, 65536, "warps (wavefronts) resident on one core"),
    COUNT("compute.limits.threads", thread_n, 1, 1048576, "threads resident on one core"),
    COUNT("compute.limits.ctas", cta_n, 1, 65536, "CTAs (work-groups) resident on one core"),
    COUNT("compute.limits.warp_size", warp_size, 1, 1024, "threads in a warp"),
    REAL("compute.limits.registers", DM_UNIT_BYTE, registers_B, 1, 1e9, "register file of one core"),
    REAL("compute.limits.shared", DM_UNIT_BYTE, shared_B, 1, 1e9, "shared memory that CTAs of one core can use"),
    COUNT("compute.tile.m_min", tile_m_min, 1, 65536, "smallest tile in m that a matrix instruction serves well"),
    COUNT("compute.tile.m_max", tile_m_max, 1, 65536, "largest tile in m"),
    COUNT("compute.tile.n_min", tile_n_min, 1, 65536, "smallest tile in n"),
    COUNT("compute.tile.n_max", tile_n_max, 1, 65536, "largest tile in n"),
    COUNT("compute.tile.area_min", tile_area_min, 1, 1 << 30, "fewest accumulators (m x n) of a tile"),
    COUNT("compute.tile.area_max", tile_area_max, 1, 1 << 30, "most accumulators (m x n) that one CTA holds"),
    {"compute.tile.cluster", DM_KIND_INT, DM_UNIT_NONE, HW(tile_cluster_n), 1, 16, false, "1", NULL, NULL, NULL, "CTAs that fetch an operand which they share from L2 once (multicast)"},
    {"compute.features", DM_KIND_FLAGS, DM_UNIT_NONE, HW(features), 0, 0, false, NULL, features, NULL, NULL, "what kernels may use"},

    REAL("memory.shared.bandwidth", DM_UNIT_BYTE_PER_CLK, shared_Bpclk, 1e-3, 1e9, "L1 and shared memory of one core"),
    REAL("memory.shared.latency", DM_UNIT_S, shared_latency_s, 1e-11, 1e-3, "L1 and shared memory, load to use"),
    REAL("memory.l2.capacity", DM_UNIT_BYTE, l2_B, 1, 1e15, "last cache that all cores share"),
    COUNT("memory.l2.partitions", l2_partition_n, 1, 1024, "parts of the L2 with different distances"),
    {"memory.l2.effective", DM_KIND_REAL, DM_UNIT_NONE, HW(l2_effective_frac), 0.1, 1, false, "1", NULL, NULL, NULL, "share of the L2 that holds distinct data; below 1 where each partition keeps a copy"},
    REAL("memory.l2.bandwidth", DM_UNIT_BYTE_PER_CLK_CORE, l2_Bpclk, 1e-3, 1e9, "read rate from L2 of one core, all reading"),
    REAL("memory.l2.latency", DM_UNIT_S, l2_latency_s, 1e-11, 1e-3, "near hit, load to use"),
    REAL("memory.l2.far_latency", DM_UNIT_S, l2_far_latency_s, 1e-11, 1e-3, "hit in the other partition"),
    REAL("memory.llc.capacity", DM_UNIT_BYTE, llc_B, 1, 1e15, "cache between L2 and memory"),
    REAL("memory.llc.bandwidth", DM_UNIT_BYTE_PER_S, llc_bw_Bps, 1e6, 1e18, "read rate of that cache"),
    REAL("memory.llc.latency", DM_UNIT_S, llc_latency_s, 1e-11, 1e-3, "hit in that cache"),
    TEXT("memory.dram.kind", dram_kind, "HBM3e, GDDR6 …"),
    COUNT("memory.dram.stacks", dram_stack_n, 1, 1024, "stacks (HBM) or packages"),
    REAL("memory.dram.capacity", DM_UNIT_BYTE, dram_B, 1, 1e18, "size of device memory"),
    {"memory.dram.bandwidth", DM_KIND_REAL, DM_UNIT_BYTE_PER_S, HW(dram_bw_Bps), 1e6, 1e17, true, NULL, NULL, NULL, NULL, "peak rate of device memory"},
    REAL("memory.dram.latency", DM_UNIT_S, dram_latency_s, 1e-10, 1e-3, "unloaded, load to use"),

    LINK("links.scale_up", scale_up, "scale-up"),
    LINK("links.scale_out", scale_out, "scale-out"),
    LINK("links.host", host, "host"),

    REAL("launch.graph", DM_UNIT_S, launch_graph_s, 1e-9, 1e-1, "smallest matrix kernel inside a captured graph"),
    REAL("launch.stream", DM_UNIT_S, launch_stream_s, 1e-9, 1e-1, "smallest kernel launched back to back"),
    REAL("launch.eager", DM_UNIT_S, launch_eager_s, 1e-9, 1e-1, "one framework operator launched by the host and waited for"),
    REAL("launch.node", DM_UNIT_S, launch_node_s, 1e-9, 1e-1, "smallest streaming kernel inside a captured graph"),

    REAL("power.tdp", DM_UNIT_W, tdp_W, 1e-3, 1e6, "power cap of the device"),
    REAL("power.idle", DM_UNIT_W, idle_W, 0, 1e6, "nothing runs"),
    REAL("power.active_idle", DM_UNIT_W, active_idle_W, 0, 1e6, "clocks up, no work"),
    REAL("power.settling", DM_UNIT_S, settling_s, 1e-7, 1e3, "time constant of the power controller"),
    MATHS("power.energy", energy_JpFLOP, DM_UNIT_J_PER_FLOP, 1e-16, 1e-6, "energy at nominal voltage"),
    REAL("power.energy.dram", DM_UNIT_J_PER_BYTE, energy_dram_JpB, 1e-15, 1e-6, "energy of device memory"),
    REAL("power.energy.l2", DM_UNIT_J_PER_BYTE, energy_l2_JpB, 1e-15, 1e-6, "energy of the L2"),
    REAL("power.energy.scale_up", DM_UNIT_J_PER_BYTE, energy_scale_up_JpB, 1e-15, 1e-6, "energy of the scale-up links"),
    {"power.vf", DM_KIND_OWN, DM_UNIT_NONE, HW(vf), 0, 0, false, NULL, NULL, parse_vf, print_vf, "voltage-frequency curve: pairs, rising"},

    {"package.dies", DM_KIND_OWN, DM_UNIT_NONE, HW(dies), 0, 0, false, NULL, NULL, parse_dies, print_dies, "dies of the package: {name, area, node, count}"},
    TEXT("package.interposer.kind", interposer_kind, "packaging"),
    REAL("package.interposer.area", DM_UNIT_M2, interposer_m2, 1e-7, 1, "area of the interposer"),
    REAL("package.transistors", DM_UNIT_NONE, transistor_n, 1, 1e15, "transistors in all dies"),

    REAL("price.usd", DM_UNIT_NONE, price_USD, 0, 1e12, "price of one device in US dollars"),
    COUNT("price.year", price_year, 1990, 2100, "year of that price"),
};
/* clang-format on */

_Static_assert(sizeof rows / sizeof rows[0] <= DM_HW_FIELDS_MAX, "raise DM_HW_FIELDS_MAX");

const dm_fields dm_hw_fields = DM_FIELDS(rows);
