/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The thread beside the workers: takes a sample each second, ends the ramp and the time, and passes
 * a stop of the session on.
 */
#pragma once

#include <jansson.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/util/macro.h"
#include "core/util/vec.h"

struct io_step;

struct series {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool quit;
	bool begun;	      /* the ramp is over, base is known */
	uint64_t interval_ns; /* 0: one second */
	uint64_t next_ns;
	uint64_t base_ops, base_bytes;
	VEC(uint64_t) ops;
	VEC(uint64_t) bytes;
};

/* Starts the thread; it waits at the step's gate. */
int series_start(struct io_step *s) _must_check_;
/* Ends it. */
void series_stop(struct io_step *s);
/* {interval_ns, ops: [...], bytes: [...]}. New reference. */
json_t *series_json(const struct series *r);
void series_release(struct series *r);
