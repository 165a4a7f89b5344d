/* src/lower/residency.c
 *
 * L2 residency: see the header. The form is a smoothed stack-distance model (Mattson et al., IBM Systems Journal 9(2),
 * 1970: a cyclic walk hits while its distance fits); share and exponent are parameters, since hashing, partitions
 * and the replacement policy blur the step. */
#include "lower/residency.h"

#include <math.h>

double dm_residency_hit_frac(double distance_B, double capacity_B, double share_frac, double exponent)
{
    return 1.0 / (1.0 + pow(distance_B / (share_frac * capacity_B), exponent));
}

/* Distinct bytes of a round of the loop, by what becomes of them. */
typedef struct footprint {
    double rotated_B, between_B, all_B;
} footprint;

static footprint measure(const dm_work *work)
{
    footprint f = {0, 0, 0};

    for (int i = 0; i < work->operand_n; i++) {
        const dm_operand *operand = &work->operand[i];
        f.all_B += operand->unique_B;
        f.rotated_B += operand->rotated ? operand->unique_B : 0;
        f.between_B += operand->between ? operand->unique_B : 0;
    }
    return f;
}

static double between_frac(const dm_work *work, const dm_machine *machine, const dm_params *params)
{
    const footprint f = measure(work);

    if (!(machine->l2_effective_B > 0) || !(f.between_B > 0))
        return 0;
    return dm_residency_hit_frac(f.all_B, machine->l2_effective_B, params->resident_frac, params->resident_exponent);
}

dm_hits dm_residency_hits(const dm_work *work, const dm_conditions *conditions, const dm_machine *machine,
                          const dm_params *params)
{
    const double room_B = machine->l2_effective_B;
    const double share = params->resident_frac, exponent = params->resident_exponent;
    const footprint f = measure(work);
    dm_hits hits = {0, between_frac(work, machine, params), 0};

    if (!(room_B > 0) || conditions->residency == DM_RESIDENCY_COLD)
        return hits;

    const double copies = conditions->weight_copies > 0 ? (double)conditions->weight_copies : 1.0;
    const double round_B = f.all_B + (copies - 1.0) * f.rotated_B;
    hits.other_frac = dm_residency_hit_frac(f.all_B, room_B, share, exponent);
    hits.rotated_frac = copies > 1 ? dm_residency_hit_frac(round_B, room_B, share, exponent) : hits.other_frac;
    return hits;
}

dm_hits dm_residency_kernel_hits(const dm_work *whole, const dm_work *kernel, const dm_conditions *conditions,
                                 const dm_machine *machine, const dm_params *params)
{
    dm_hits hits = dm_residency_hits(whole, conditions, machine, params);

    hits.between_frac = between_frac(kernel, machine, params);
    return hits;
}

static double hit_frac_of(const dm_operand *operand, dm_hits hits)
{
    return operand->between ? hits.between_frac : operand->rotated ? hits.rotated_frac : hits.other_frac;
}

double dm_residency_dram_B(const dm_work *work, dm_hits hits)
{
    double dram_B = 0;

    for (int i = 0; i < work->operand_n; i++)
        dram_B += work->operand[i].unique_B * (1.0 - hit_frac_of(&work->operand[i], hits));
    return dram_B;
}
