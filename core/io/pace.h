/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How many I/Os are handed over at once. On a device that works while we do other things: as many as
 * the depth has room for. Where all are complete when the call returns, they were done one after the
 * other inside of it: more at once only makes each wait for the others, and the latency would be our
 * own queue's. There the smallest number is taken that costs no throughput.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
	PACE_SIZES = 7,	   /* 1, 2, 4 ... 64 */
	PACE_INLINE = 16,  /* rounds in a row that must have completed all */
	PACE_SAMPLE = 64,  /* I/Os of one sample, at least */
	PACE_SAMPLES = 32, /* of each size; the quickest counts: what disturbs only makes slower */
	PACE_SLACK = 20,   /* a smaller number may cost one part in so many */
};
#define PACE_AGAIN_NS 5000000000ull /* it is found out anew */

enum pace_state { PACE_FULL, PACE_TRYING, PACE_SETTLED, PACE_FIXED };

struct pace {
	uint32_t limit; /* I/Os of the next batch */
	uint32_t depth;
	int state;	 /* enum pace_state */
	uint32_t rounds; /* FULL: in a row that completed all */
	uint32_t size;	 /* TRYING: its number */
	uint32_t n_sizes;
	uint32_t n_samples;  /* of all sizes */
	uint32_t sample_ios; /* of the sample under way */
	uint64_t sample_ns;
	uint64_t best[PACE_SIZES]; /* ns of PACE_SAMPLE I/Os */
	uint64_t again_ns;
};

/* fixed: what the job asks for; 0: to be found out. */
void pace_init(struct pace *p, uint32_t depth, uint32_t fixed);
/*
 * A round is over at now: ios completed in elapsed ns, all says whether nothing is left in flight,
 * more whether the limit alone ended the batch.
 */
void pace_round(struct pace *p, uint32_t ios, bool all, bool more, uint64_t elapsed, uint64_t now);

/* Has pace_round() anything to do? On the common ways nothing. */
static inline bool pace_cares(const struct pace *p, bool all, uint64_t now)
{
	switch (p->state) {
	case PACE_FULL:
		return all || p->rounds;
	case PACE_SETTLED:
		return !all || now >= p->again_ns;
	default:
		return p->state == PACE_TRYING;
	}
}
