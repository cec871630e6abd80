/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A function in a supervised child process: whatever it does (crash, hang, exit), the caller gets a reason
 * and goes on, and nothing of it is left running.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/io/live.h"
#include "core/util/err.h"
#include "core/util/macro.h"

struct stepproc {
	/* In the child. record is an empty object that travels back; e says why when it returns < 0. */
	int (*fn)(void *arg, json_t *record, struct err *e);
	void *arg;
	uint64_t timeout_ns;
	int signal_fd;	   /* of signals_begin(), or -1 */
	bool stoppable;	   /* a wish to stop sets live->stop and, after a grace time, kills; else waits for the end */
	struct live *live; /* or NULL */
	void (*tick)(void *arg); /* progress, about four times a second; or NULL */
	void *tick_arg;
};

enum stepproc_end {
	STEPPROC_DONE,	      /* fn returned; result is what it returned */
	STEPPROC_CRASHED,     /* a signal ended it */
	STEPPROC_EXITED,      /* it called exit */
	STEPPROC_TIMED_OUT,
	STEPPROC_INTERRUPTED, /* killed because it did not stop in time when asked to */
};

struct stepproc_result {
	enum stepproc_end end;
	int result;	   /* 0 or -errno, whatever the end */
	struct err err;	   /* why result is not 0 */
	json_t *record;	   /* never NULL */
	uint64_t elapsed_ns;
	uint64_t user_ns, system_ns; /* of the child and all that it waited for, by wait4 */
};

/* 0, or -errno when no child could be made. *res is to be released when 0 was returned. */
int stepproc_run(const struct stepproc *sp, struct stepproc_result *res) _must_check_;
void stepproc_result_release(struct stepproc_result *res);
