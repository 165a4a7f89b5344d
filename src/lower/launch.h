/* src/lower/launch.h
 *
 * The launch descriptor: what one operator becomes on one machine. Everything downstream (roofline, analytic model,
 * simulator, power) reads this and never asks which operator it was.
 *
 * Two levels. dm_work is what any kernel must do, whatever its shape: the roofline needs no more. dm_kernel is one
 * kernel as a library would run it: its tile, its grid, what each CTA computes and asks for. */
#ifndef DM_LOWER_LAUNCH_H
#define DM_LOWER_LAUNCH_H

#include "dormer/dormer.h"
#include "hw/machine.h"
#include "workload/op.h"

enum { DM_OPERANDS_MAX = 8 };

/* One tensor. Distinct bytes: each counted once, however often it is asked for. */
typedef struct dm_operand {
    const char *name; /* literal */
    double unique_B;
    bool written; /* else read; a tensor updated in place is two operands */
    bool rotated; /* the timed loop walks through several copies of it (weights) */
    bool between; /* passes from one kernel of the operator to the next, so it starts in L2 if it fits */
} dm_operand;

/* Traffic between devices. */
typedef enum dm_link_domain { DM_LINK_NONE, DM_LINK_SCALE_UP, DM_LINK_SCALE_OUT } dm_link_domain;

typedef struct dm_work {
    dm_math math;       /* class of tensor_FLOP, as the recipe wants it */
    dm_math vector_math; /* class of vector_FLOP */
    double tensor_FLOP; /* matrix work; runs on the vector pipe where the machine has no tensor units for it */
    double vector_FLOP;
    double special_op;
    int operand_n;
    dm_link_domain link;
    double link_B;            /* leave one device */
    double link_in_network_B; /* the same where the network adds on the way; 0: that changes nothing */
    double link_step_n;       /* messages that follow one another */
    int64_t link_device_n;    /* devices that exchange, this one included */
    int64_t link_node_n;      /* scale-out: those on one node, which exchange over scale-up as well */
    dm_operand operand[DM_OPERANDS_MAX]; /* last, for only the first operand_n are ever set */
} dm_work;

typedef struct dm_kernel {
    const char *name; /* literal */
    dm_work work;     /* of this kernel alone, intermediates included */

    int64_t tile_m, tile_n, tile_k; /* zero for kernels without matrix tiles */
    int64_t split_k, stages;
    int64_t cta_n, cta_per_core;
    bool fractional_waves; /* the last wave is cut along k, so that cores end together */

    /* One CTA, padding included. */
    double cta_tensor_FLOP, cta_vector_FLOP, cta_special_op;
    double cta_read_B;  /* that arrive from L2 or, by multicast, together with a neighbour's */
    double l2_frac;     /* share of cta_read_B that L2 is asked for */
    double inflight_B;  /* read bytes that one core keeps under way */
    double chain_n;     /* DRAM latencies one after another in the longest CTA, beyond the streaming of its data */
    double reduce_B;    /* split partial sums that go through L2 */
    bool reduces;       /* waits for the partial sums of other CTAs */
    bool matrix;        /* its launch is that of a matrix kernel, else of a streaming one */
} dm_kernel;

typedef struct dm_launch {
    dm_work work;       /* whole operator: inputs and outputs, no intermediates */
    dm_math math;       /* class that multiplies on this machine */
    bool tensor;        /* on the tensor pipe */
    bool emulated;      /* math is not the class that the recipe wants */
    dm_kernel kernel[DM_KERNELS_MAX];
    int kernel_n;
} dm_launch;

/* Append an operand of `bytes`. */
void dm_work_read(dm_work *work, const char *name, double bytes);
void dm_work_read_weight(dm_work *work, const char *name, double bytes);
void dm_work_write(dm_work *work, const char *name, double bytes);
void dm_work_pass(dm_work *work, const char *name, double bytes, bool written); /* between kernels */

double dm_work_unique_B(const dm_work *work);
double dm_work_read_B(const dm_work *work);

/* The link of a domain. */
const dm_hw_link *dm_link_of(const dm_machine *machine, dm_link_domain domain);

/* A zeroed kernel appended to the launch. At most DM_KERNELS_MAX: ours to keep, so asserted. */
dm_kernel *dm_launch_add(dm_launch *launch, const char *name);

/* Lower for the roofline (work alone) or in full. Fails with DM_ERR_MISSING or DM_ERR_UNSUPPORTED. */
dm_status dm_lower_work(const dm_op_call *call, const dm_machine *machine, dm_launch *out, dm_err *err);
dm_status dm_lower(const dm_op_call *call, const dm_machine *machine, const struct dm_params *params, dm_launch *out,
                   dm_err *err);

extern const dm_op_table dm_ops;

#endif
