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

/* The sizes take turns, so that what else happens on the machine falls on all of them. */
static void pace_sample_begin(struct pace *p, uint32_t size)
{
	p->size = size;
	p->limit = 1u << size;
	p->sample_ios = 0;
	p->sample_ns = 0;
}

static void pace_try(struct pace *p)
{
	p->state = PACE_TRYING;
	p->n_sizes = 0;
	while (p->n_sizes < PACE_SIZES && 1u << p->n_sizes <= p->depth)
		p->best[p->n_sizes++] = UINT64_MAX;
	p->n_samples = 0;
	pace_sample_begin(p, 0);
}

/* The smallest number that is as good as the best. */
static void pace_settle(struct pace *p, uint64_t now)
{
	uint64_t best = UINT64_MAX;
	uint32_t i;

	for (i = 0; i < p->n_sizes; i++)
		best = MIN(best, p->best[i]);
	for (i = 0; p->best[i] > best + best / PACE_SLACK; i++)
		;
	p->state = PACE_SETTLED;
	p->limit = 1u << i;
	p->again_ns = now + PACE_AGAIN_NS;
}

static void pace_sample(struct pace *p, uint32_t ios, uint64_t elapsed, uint64_t now)
{
	uint64_t *best = &p->best[p->size];

	p->sample_ios += ios;
	p->sample_ns += elapsed;
	if (p->sample_ios < PACE_SAMPLE)
		return;
	*best = MIN(*best, p->sample_ns * PACE_SAMPLE / p->sample_ios);
	if (++p->n_samples < PACE_SAMPLES * p->n_sizes)
		pace_sample_begin(p, p->n_samples % p->n_sizes);
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
		pace_try(p);
	else if (p->state == PACE_TRYING && (more || ios == p->depth))
		pace_sample(p, ios, elapsed, now);
	else if (p->state == PACE_SETTLED && now >= p->again_ns)
		pace_try(p);
}
