/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shared memory between a session and the step it watches: a stop flag down, progress up. No locks.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/util/macro.h"

enum live_phase {
	LIVE_START,
	LIVE_PREPARE,
	LIVE_READY, /* at the gate of its group */
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

enum live_stop {
	LIVE_GO_ON = 0,
	LIVE_STOP_GIVE_UP = 1, /* finish now, keep what was measured: it is a part only */
	LIVE_STOP_END = 2,     /* finish now, as when the runtime is over: all is well */
};

/*
 * Where the steps of a group, each in a process of its own, wait for each other once they are
 * prepared.
 */
struct live_gate {
	uint32_t state;	   /* futex, enum live_gate_state */
	int wake_fd;	   /* eventfd: a step got to the gate, or to its end */
	uint64_t start_ns; /* CLOCK_MONOTONIC; when all begin */
};

enum live_gate_state { LIVE_GATE_CLOSED, LIVE_GATE_OPEN, LIVE_GATE_CALLED_OFF };

struct live {
	int stop;		 /* session -> step: enum live_stop */
	int phase;		 /* enum live_phase */
	int ended;		 /* what is measured came to its end, and went well */
	struct live_gate *gate;	 /* at the same place in all processes; NULL: in no group */
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

/* Shared likewise, with its eventfd. NULL with errno set when there is none to be had. */
struct live_gate *live_gate_new(void);
void live_gate_free(struct live_gate *g);
/*
 * By the session alone: all who wait begin at once, or (go false) not at all. The first call
 * counts.
 */
void live_gate_open(struct live_gate *g, bool go);
/*
 * By a step that is ready: waits until all may begin, on a common tick of the clock. False: called
 * off. At once true without a gate.
 */
bool live_gate_pass(struct live *l);
/* By a step: what is measured is over, and went well. */
void live_end(struct live *l);

#define live_get(field) __atomic_load_n(&(field), __ATOMIC_RELAXED)
#define live_set(field, value) __atomic_store_n(&(field), (value), __ATOMIC_RELAXED)
