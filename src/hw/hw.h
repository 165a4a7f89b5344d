/* src/hw/hw.h
 *
 * A machine as its YAML file states it. Absent reals are NaN, absent counts 0, absent text NULL: whoever needs one
 * asks with dm_hw_need, which names the field in its error. The struct belongs to its arena and is const once loaded. */
#ifndef DM_HW_HW_H
#define DM_HW_HW_H

#include "config/field.h"
#include "util/dtype.h"

enum { DM_HW_DIES_MAX = 8, DM_HW_VF_MAX = 16, DM_HW_FILES_MAX = 8, DM_HW_FIELDS_MAX = 160 };

typedef enum dm_hw_kind { DM_HW_GPU, DM_HW_SYSTOLIC, DM_HW_VECTOR } dm_hw_kind;

/* Bits of dm_hw.features; see hw_schema.c for what each one allows. */
enum {
    DM_FEATURE_ASYNC_COPY = 1u << 0,
    DM_FEATURE_TENSOR_MEMORY_ACCESS = 1u << 1,
    DM_FEATURE_CLUSTERS = 1u << 2,
    DM_FEATURE_TENSOR_MEMORY = 1u << 3,
    DM_FEATURE_FRACTIONAL_WAVES = 1u << 4
};

typedef enum dm_topology { DM_TOPOLOGY_SWITCH, DM_TOPOLOGY_MESH, DM_TOPOLOGY_RING, DM_TOPOLOGY_TORUS, DM_TOPOLOGY_HOST } dm_topology;

/* A link domain, per device and direction. */
typedef struct dm_hw_link {
    const char *kind;
    int64_t link_n;
    double bw_Bps, latency_s;
    int topology; /* dm_topology */
    bool in_network_reduce;
    int64_t device_n; /* devices that the domain joins */
} dm_hw_link;

typedef struct dm_hw_die {
    const char *name, *node;
    double area_m2;
    int64_t count;
} dm_hw_die;

typedef struct dm_hw_dies {
    dm_hw_die die[DM_HW_DIES_MAX];
    size_t n;
} dm_hw_dies;

typedef struct dm_hw_vf {
    double voltage_V[DM_HW_VF_MAX], clock_Hz[DM_HW_VF_MAX];
    size_t n;
} dm_hw_vf;

/* Where one field's value is from. Strings belong to the device's arena. */
typedef struct dm_hw_source {
    const char *pattern, *from, *confidence;
} dm_hw_source;

struct dm_hw {
    dm_arena arena;
    const char *name, *title, *vendor, *architecture;
    int64_t schema, year;
    int kind; /* dm_hw_kind */

    double clock_base_Hz, clock_boost_Hz, clock_datasheet_Hz, clock_memory_Hz;

    int64_t core_n, core_full_n;
    double tensor_FLOP[DM_MATH_N];        /* dense, per core and clock */
    double tensor_sparse_FLOP[DM_MATH_N]; /* structured sparsity */
    double tensor_narrow_FLOP[DM_MATH_N]; /* 16-bit accumulators */
    double vector_FLOP[DM_MATH_N];
    double datasheet_FLOPps[DM_MATH_N]; /* as printed, at clock_datasheet_Hz */
    double special_op;
    int64_t warp_n, thread_n, cta_n, warp_size;
    double registers_B, shared_B;
    int64_t tile_m_min, tile_m_max, tile_n_min, tile_n_max, tile_area_min, tile_area_max, tile_cluster_n;
    uint32_t features;

    double shared_Bpclk, shared_latency_s;
    double l2_B, l2_Bpclk, l2_latency_s, l2_far_latency_s, l2_effective_frac;
    int64_t l2_partition_n;
    double llc_B, llc_bw_Bps, llc_latency_s;
    const char *dram_kind;
    int64_t dram_stack_n;
    double dram_B, dram_bw_Bps, dram_latency_s;

    dm_hw_link scale_up, scale_out, host;

    double launch_graph_s, launch_stream_s, launch_eager_s, launch_node_s;

    double tdp_W, idle_W, active_idle_W, settling_s;
    double energy_JpFLOP[DM_MATH_N];
    double energy_dram_JpB, energy_l2_JpB, energy_scale_up_JpB;
    dm_hw_vf vf;

    dm_hw_dies dies;
    const char *interposer_kind, *node;
    double interposer_m2, transistor_n;
    double price_USD;
    int64_t price_year;

    /* Provenance: which file set each field, and what that file says of its sources. */
    struct {
        const dm_source *text;
        dm_hw_source *source;
        size_t source_n;
    } file[DM_HW_FILES_MAX]; /* [0] is the device's own file, then what it extends */
    size_t file_n;
    signed char set_by[DM_HW_FIELDS_MAX]; /* index in file, -1: default or absent, DM_HW_FILES_MAX: --set */
};

extern const dm_fields dm_hw_fields;

/* A device from the text of its file, for tests and fuzzers; what it extends is looked for as dm_hw_load does. */
dm_status dm_hw_parse(const dm_search *search, const dm_source *source, dm_hw **out, dm_err *err);

/* DM_OK when *value is a number, else DM_ERR_MISSING naming the device, the field behind the pointer, its meaning
 * and `why` it is needed. `value` points into hw. */
dm_status dm_hw_need(const dm_hw *hw, const double *value, const char *why, dm_err *err);

/* Where a field's value is from; NULL if it is absent or nobody says. */
const dm_hw_source *dm_hw_source_of(const dm_hw *hw, size_t field_index);

/* Fields that hold a value which no `sources` pattern covers; how many, and the first one's path. */
size_t dm_hw_unsourced(const dm_hw *hw, const char **first);

/* The text that identifies this machine: every set field, one a line, in the table's order. For hashes and records. */
void dm_hw_print(const dm_hw *hw, bool with_sources, dm_str *out);

#endif
