/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time. */
#include "core/util/clock.h"

#include <stdio.h>
#include <time.h>

static uint64_t clock_read(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
}

uint64_t clock_now_ns(void)
{
	return clock_read(CLOCK_MONOTONIC);
}

uint64_t clock_wall_ns(void)
{
	return clock_read(CLOCK_REALTIME);
}

const char *clock_format_utc(uint64_t wall_ns, char *buf, size_t size)
{
	time_t t = (time_t)(wall_ns / NSEC_PER_SEC);
	struct tm tm;

	if (!gmtime_r(&t, &tm) || !strftime(buf, size, "%Y-%m-%dT%H:%M:%SZ", &tm))
		snprintf(buf, size, "?");
	return buf;
}
