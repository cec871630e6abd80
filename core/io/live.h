/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shared memory between a session and the step it watches: a stop flag down, progress up. No locks.
 */
#pragma once

#include <stdint.h>

#include "core/util/macro.h"

enum live_phase {
	LIVE_START,
	LIVE_PREPARE,
	LIVE_RAMP,
	LIVE_RUN,
	LIVE_VERIFY,
	LIVE_CLEANUP,
	LIVE_END
};

struct live_worker {
	uint64_t ops; /* done so far, ramp included */
	uint64_t bytes;
	uint64_t pad[6]; /* a cache line each: written by one worker only */
};

struct live {
	int stop;		 /* session -> step: finish now, keep what was measured */
	int phase;		 /* enum live_phase */
	uint64_t expected_bytes; /* of this phase; 0: not known */
	uint64_t run_started_ns; /* CLOCK_MONOTONIC */
	uint64_t run_ends_ns;	 /* 0: not bounded by time */
	uint32_t n_workers;
	uint32_t reserved;
	struct live_worker w[] __attribute__((aligned(64)));
};

/* MAP_SHARED|MAP_ANONYMOUS, zeroed, for n workers at most; aborts when there is no memory. */
struct live *live_new(uint32_t n_workers);
void live_free(struct live *l, uint32_t n_workers);

#define live_get(field) __atomic_load_n(&(field), __ATOMIC_RELAXED)
#define live_set(field, value) __atomic_store_n(&(field), (value), __ATOMIC_RELAXED)
