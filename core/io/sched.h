/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * When the next I/O of a worker is due: at a rate that does not wait for the device (an open loop), or
 * after a time to think. What is late stays due: its response time counts from when it should have
 * begun, so that a device that stalls cannot hide what waited meanwhile.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/io/hist.h"
#include "core/io/options.h"
#include "core/util/prng.h"

struct sched {
	double op_ns,
		byte_ns; /* from one I/O to the next: fixed, and for each byte; both 0: no rate */
	bool poisson;
	struct prng rng;
	uint64_t origin_ns;
	double next_ns;				     /* since origin: when the next I/O is due */
	uint64_t think_ns, think_every, until_think; /* 0: none */
	uint64_t issued, issued_bytes;		     /* since the ramp ended */
	uint64_t missed;			     /* due before the end and never begun */
	struct hist *service, *lag;		     /* NULL: no rate */
};

/* Is there anything to keep to? */
bool sched_wanted(const struct io_params *p);
void sched_init(struct sched *s, const struct io_params *p, uint64_t seed, uint32_t worker);
void sched_release(struct sched *s);
/* The schedule's first I/O is due at now. */
void sched_begin(struct sched *s, uint64_t now);
/* What was counted so far was the ramp. */
void sched_reset(struct sched *s);
/* An I/O of length bytes is taken from the schedule; when it was due, or 0 where there is no rate. */
uint64_t sched_take(struct sched *s, uint64_t length);
/* After the last I/O, where time ended it. */
void sched_end(struct sched *s, uint64_t end_ns);

static inline bool sched_has_rate(const struct sched *s)
{
	return s->service != NULL;
}

static inline uint64_t sched_due_ns(const struct sched *s)
{
	return s->origin_ns + (uint64_t)s->next_ns;
}
