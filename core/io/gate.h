/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A barrier that releases all workers at once, stamps the common start, and can be opened by force
 * when not all workers could be made. The last to arrive does not sleep: with one worker the start
 * is exact.
 */
#pragma once

#include <stdint.h>

struct gate {
	uint32_t expected;
	uint32_t arrived;
	uint32_t open;		    /* futex */
	void (*opening)(void *arg); /* by the last one, just before all go */
	void *arg;
};

void gate_arrive(struct gate *g);
/* Waits without being counted. */
void gate_watch(struct gate *g);
/* Opens without waiting for who is missing; opening is not called. */
void gate_force(struct gate *g);
