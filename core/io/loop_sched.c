/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The loop's waiting for a schedule. */
#include <time.h>

#include "core/io/loop_private.h"
#include "core/util/clock.h"

/*
 * A sleep ends some ten microseconds late: the rest is waited for awake. A stop is seen by then, too.
 */
#define SCHED_AWAKE_NS 60000u
#define SCHED_LONGEST_NS (10 * NSEC_PER_MSEC)

static void sched_sleep(uint64_t ns)
{
	struct timespec ts = { (time_t)(ns / NSEC_PER_SEC), (long)(ns % NSEC_PER_SEC) };

	nanosleep(&ts, NULL);
}

bool loop_sched_due(struct loop *l)
{
	const struct sched *s = l->sched;

	if (s->think_ns && !s->until_think)
		return false;
	return !sched_has_rate(s) || sched_due_ns(s) <= io_clock_ns();
}

/* Until then, or until something else is to be looked at. True: then is now. */
static bool sched_wait_until(struct loop *l, uint64_t then)
{
	uint64_t now = io_clock_ns();

	while (now < then && !loop_should_stop(l)) {
		uint64_t left = (then < l->alarm_ns ? then : l->alarm_ns) - now;

		if (now >= l->alarm_ns)
			loop_alarm(l, now);
		else if (left > SCHED_AWAKE_NS)
			sched_sleep(left - SCHED_AWAKE_NS < SCHED_LONGEST_NS ? left - SCHED_AWAKE_NS
									     : SCHED_LONGEST_NS);
		now = io_clock_ns();
	}
	return now >= then;
}

bool loop_sched_wait(struct loop *l)
{
	struct sched *s = l->sched;

	if (s->think_ns && !s->until_think) {
		if (!sched_wait_until(l, io_clock_ns() + s->think_ns))
			return false;
		s->until_think = s->think_every;
	}
	return !sched_has_rate(s) || sched_wait_until(l, sched_due_ns(s));
}

uint64_t loop_sched_count(struct loop *l, const struct loop_slot *slot, uint64_t now)
{
	/* The ramp's end is seen by loop_count(), which comes after this: then it is not counted. */
	if (l->measure) {
		hist_add(l->sched->service, now - slot->start_ns);
		hist_add(l->sched->lag, slot->start_ns - slot->due_ns);
	}
	return slot->due_ns;
}
