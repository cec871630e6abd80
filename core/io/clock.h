/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The one clock of the timed path: CLOCK_MONOTONIC in ns, by the vDSO and so without a system call.
 */
#pragma once

#include <stdint.h>
#include <time.h>

static inline uint64_t io_clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}
