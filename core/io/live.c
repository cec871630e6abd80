/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared memory between a session and the step it watches. */
#include "core/io/live.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/util/clock.h"

/*
 * From the opening of a gate to the start: longer than it takes to wake the processes, so that they
 * begin by the clock and not one after the other as they are woken.
 */
#define LIVE_LEAD_NS (NSEC_PER_MSEC / 2)

static size_t live_size(uint32_t n_workers)
{
	return sizeof(struct live) + (size_t)n_workers * sizeof(struct live_worker);
}

struct live *live_new(uint32_t n_workers)
{
	struct live *l = mmap(NULL, live_size(n_workers), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (l == MAP_FAILED) {
		fprintf(stderr, "fstrial: error: shared memory for %u workers: %s\n", n_workers,
			strerror(errno));
		abort();
	}
	l->n_workers = n_workers;
	return l;
}

void live_free(struct live *l, uint32_t n_workers)
{
	if (l)
		munmap(l, live_size(n_workers));
}

struct live_gate *live_gate_new(void)
{
	struct live_gate *g = mmap(NULL, sizeof(*g), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (g == MAP_FAILED)
		return NULL;
	g->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (g->wake_fd < 0) {
		int code = errno;

		munmap(g, sizeof(*g));
		errno = code;
		return NULL;
	}
	return g;
}

void live_gate_free(struct live_gate *g)
{
	if (!g)
		return;
	close(g->wake_fd);
	munmap(g, sizeof(*g));
}

void live_gate_open(struct live_gate *g, bool go)
{
	/* Nobody else opens it. */
	if (live_get(g->state) != LIVE_GATE_CLOSED)
		return;
	g->start_ns = clock_now_ns() + LIVE_LEAD_NS;
	__atomic_store_n(&g->state, go ? LIVE_GATE_OPEN : LIVE_GATE_CALLED_OFF, __ATOMIC_RELEASE);
	syscall(SYS_futex, &g->state, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* The counter is full after 2^64 - 2 words only: nothing is lost. */
static void live_tell(const struct live_gate *g)
{
	const uint64_t one = 1;
	ssize_t n = write(g->wake_fd, &one, sizeof(one));

	(void)n;
}

bool live_gate_pass(struct live *l)
{
	struct live_gate *g = l->gate;

	if (!g)
		return true;
	live_set(l->phase, LIVE_READY);
	live_tell(g);
	while (__atomic_load_n(&g->state, __ATOMIC_ACQUIRE) == LIVE_GATE_CLOSED)
		syscall(SYS_futex, &g->state, FUTEX_WAIT, LIVE_GATE_CLOSED, NULL, NULL, 0);
	if (live_get(g->state) != LIVE_GATE_OPEN)
		return false;
	while (clock_now_ns() < g->start_ns)
		;
	return true;
}

void live_end(struct live *l)
{
	live_set(l->ended, 1);
	if (l->gate)
		live_tell(l->gate);
}
