/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When the next I/O of a worker is due. */
#include "core/io/sched.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A stream of its own: what fst_random() gives does not depend on the rate. */
#define SCHED_SALT 0x7363686564ull

bool sched_wanted(const struct io_params *p)
{
	return p->rate || p->rate_iops || p->thinktime_ns;
}

void sched_init(struct sched *s, const struct io_params *p, uint64_t seed, uint32_t worker)
{
	memset(s, 0, sizeof(*s));
	s->op_ns = p->rate_iops ? 1e9 / (double)p->rate_iops : 0;
	s->byte_ns = p->rate ? 1e9 / (double)p->rate : 0;
	s->poisson = p->rate_process == IO_RATE_POISSON;
	s->think_ns = p->thinktime_ns;
	s->think_every = p->thinktime_blocks ? p->thinktime_blocks : 1;
	s->until_think = s->think_every;
	prng_seed(&s->rng, seed ^ SCHED_SALT, worker);
	if (p->rate || p->rate_iops) {
		s->service = hist_new();
		s->lag = hist_new();
	}
}

void sched_release(struct sched *s)
{
	free(s->service);
	free(s->lag);
	s->service = s->lag = NULL;
}

void sched_begin(struct sched *s, uint64_t now)
{
	s->origin_ns = now;
	s->next_ns = 0;
}

void sched_reset(struct sched *s)
{
	s->issued = s->issued_bytes = 0;
	if (s->service) {
		hist_reset(s->service);
		hist_reset(s->lag);
	}
}

uint64_t sched_take(struct sched *s, uint64_t length)
{
	const uint64_t due = sched_due_ns(s);
	double gap = s->op_ns + s->byte_ns * (double)length;

	s->issued++;
	s->issued_bytes += length;
	if (s->think_ns)
		s->until_think--;
	if (!sched_has_rate(s))
		return 0;
	/* 1 - u is never 0. */
	if (s->poisson)
		gap *= -log(1 - (double)(prng_next(&s->rng) >> 11) * 0x1p-53);
	s->next_ns += gap;
	return due;
}

void sched_end(struct sched *s, uint64_t end_ns)
{
	const double mean = s->op_ns +
			    (s->issued ? s->byte_ns * (double)s->issued_bytes / (double)s->issued
				       : 0);

	if (sched_has_rate(s) && mean > 0 && end_ns > sched_due_ns(s))
		s->missed = 1 + (uint64_t)((double)(end_ns - sched_due_ns(s)) / mean);
}
