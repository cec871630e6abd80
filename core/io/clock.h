/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The one clock of the timed path, in ns of CLOCK_MONOTONIC. Where the processor's time stamp counter
 * runs evenly and the kernel itself keeps time by it, it is read directly, which takes a few ns
 * instead of tens; elsewhere by clock_gettime(2), which the vDSO answers without a system call.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#define IO_CLOCK_TSC 1
#else
#define IO_CLOCK_TSC 0
#endif

enum { IO_CLOCK_SHIFT = 32 };

struct io_clock {
	uint64_t base_tsc, base_ns;
	uint64_t mult; /* ns of a tick, times 2^32; 0: clock_gettime(2) */
};
extern struct io_clock io_clock;

static inline uint64_t io_clock_kernel_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static inline uint64_t io_clock_ns(void)
{
#if IO_CLOCK_TSC
	if (__builtin_expect(io_clock.mult != 0, 1)) {
		unsigned int cpu;
		/* rdtscp waits for what was loaded before: the end of an I/O is not seen too early. */
		uint64_t ticks = __rdtscp(&cpu) - io_clock.base_tsc;

		return io_clock.base_ns +
		       (uint64_t)(((unsigned __int128)ticks * io_clock.mult) >> IO_CLOCK_SHIFT);
	}
#endif
	return io_clock_kernel_ns();
}

/*
 * Calibrates the clock, once a process that measures; a few ms at most. Before that, and in
 * processes that do not ask, it is clock_gettime(2). Not while another thread reads the clock.
 */
void io_clock_start(void);
/*
 * How far the clock went wrong since io_clock_start(), as a share of the time that passed; 0 for
 * clock_gettime(2).
 */
double io_clock_drift(void);
