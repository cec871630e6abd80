/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds out how many I/Os are best handed over at once. */
#include "core/io/pace.h"

#include "core/util/macro.h"

void pace_init(struct pace *p, uint32_t depth, uint32_t fixed)
{
	*p = (struct pace){ .depth = depth, .limit = depth };
	if (fixed) {
		p->limit = MIN(fixed, depth);
		p->state = PACE_FIXED;
	}
}

static void pace_full(struct pace *p)
{
	p->state = PACE_FULL;
	p->limit = p->depth;
	p->rounds = 0;
}

static void pace_try(struct pace *p, uint32_t size)
{
	p->state = PACE_TRYING;
	p->size = size;
	p->limit = 1u << size;
	p->n_samples = 0;
	p->sample_ios = 0;
	p->sample_ns = 0;
	p->best[size] = UINT64_MAX;
}

/* The smallest number that is as good as the best. */
static void pace_settle(struct pace *p, uint64_t now)
{
	uint64_t best = UINT64_MAX;
	uint32_t i;

	for (i = 0; i <= p->size; i++)
		best = MIN(best, p->best[i]);
	for (i = 0; p->best[i] > best + best / PACE_SLACK; i++)
		;
	p->state = PACE_SETTLED;
	p->limit = 1u << i;
	p->again_ns = now + PACE_AGAIN_NS;
}

static void pace_sample(struct pace *p, uint32_t ios, uint64_t elapsed, uint64_t now)
{
	p->sample_ios += ios;
	p->sample_ns += elapsed;
	if (p->sample_ios < PACE_SAMPLE)
		return;
	p->best[p->size] =
		MIN(p->best[p->size], p->sample_ns * PACE_SAMPLE / p->sample_ios);
	p->sample_ios = 0;
	p->sample_ns = 0;
	if (++p->n_samples < PACE_SAMPLES)
		return;
	if (p->size + 1 < PACE_SIZES && 2u << p->size <= p->depth)
		pace_try(p, p->size + 1);
	else
		pace_settle(p, now);
}

void pace_round(struct pace *p, uint32_t ios, bool all, bool more, uint64_t elapsed, uint64_t now)
{
	if (p->state == PACE_FIXED)
		return;
	if (!all)
		pace_full(p);
	else if (p->state == PACE_FULL && ++p->rounds >= PACE_INLINE)
		pace_try(p, 0);
	else if (p->state == PACE_TRYING && (more || ios == p->depth))
		pace_sample(p, ios, elapsed, now);
	else if (p->state == PACE_SETTLED && now >= p->again_ns)
		pace_try(p, 0);
}
