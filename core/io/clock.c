/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The clock of the timed path: may the time stamp counter be used, and how fast is it? */
#include "core/io/clock.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/util/clock.h"
#include "core/util/macro.h"

struct io_clock io_clock;

#if IO_CLOCK_TSC

/* Both ends of the interval are known to some 50 ns: 25 of a million. */
#define CLOCK_MIN_NS (4 * NSEC_PER_MSEC)

struct clock_pair {
	uint64_t tsc, ns;
};

/* One instant by both clocks: the closest of several pairs. */
static struct clock_pair clock_pair(void)
{
	struct clock_pair best = { 0, 0 };
	uint64_t width = UINT64_MAX;
	unsigned int cpu;

	for (int i = 0; i < 16; i++) {
		uint64_t before = __rdtscp(&cpu), ns = io_clock_kernel_ns();
		uint64_t after = __rdtscp(&cpu);

		if (after - before < width) {
			width = after - before;
			best = (struct clock_pair){ before + width / 2, ns };
		}
	}
	return best;
}

/*
 * When the program was loaded. A step is measured long after that as a rule, so that the rate is known
 * without waiting for it.
 */
static struct clock_pair clock_loaded;

static __attribute__((constructor)) void clock_note_loaded(void)
{
	clock_loaded = clock_pair();
}

static size_t clock_read(const char *path, char *buf, size_t size)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, buf, size - 1);

	buf[n > 0 ? n : 0] = '\0';
	return n > 0 ? (size_t)n : 0;
}

static bool clock_flags_ok(void)
{
	char text[8192], *flags, *end;

	clock_read("/proc/cpuinfo", text, sizeof(text));
	flags = strstr(text, "\nflags");
	end = flags ? strchr(flags + 1, '\n') : NULL;
	if (!end)
		return false;
	*end = '\0';
	return strstr(flags, " constant_tsc") && strstr(flags, " nonstop_tsc") &&
	       strstr(flags, " rdtscp");
}

/* Even, never stopping, the same on all processors: what the kernel trusts for its own time. */
static bool clock_tsc_usable(void)
{
	char source[32];

	clock_read("/sys/devices/system/clocksource/clocksource0/current_clocksource", source,
		   sizeof(source));
	return !strcmp(source, "tsc\n") && clock_flags_ok();
}

void io_clock_start(void)
{
	struct clock_pair from = clock_loaded, to = clock_pair();

	io_clock.mult = 0;
	if (!clock_tsc_usable() || to.ns < from.ns)
		return;
	while (to.ns - from.ns < CLOCK_MIN_NS)
		to = clock_pair();
	if (to.tsc <= from.tsc)
		return;
	io_clock.base_tsc = to.tsc;
	io_clock.base_ns = to.ns;
	io_clock.mult = (uint64_t)(((unsigned __int128)(to.ns - from.ns) << IO_CLOCK_SHIFT) /
				   (to.tsc - from.tsc));
}

double io_clock_drift(void)
{
	uint64_t kernel, ours, passed;

	if (!io_clock.mult)
		return 0;
	ours = io_clock_ns();
	kernel = io_clock_kernel_ns();
	passed = kernel - io_clock.base_ns;
	/* What lies between the two readings is no drift. */
	ours += (io_clock_ns() - ours) / 2;
	return passed > NSEC_PER_MSEC ? fabs((double)(int64_t)(ours - kernel)) / (double)passed : 0;
}

#else

void io_clock_start(void)
{
}

double io_clock_drift(void)
{
	return 0;
}

#endif
