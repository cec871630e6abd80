/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions in supervised child processes, one or several at once: whatever they do (crash, hang, exit), the
 * caller gets a reason and goes on, and nothing of them is left running but what a record's "kept" names: leaders
 * of sessions, [pid], whose processes go on until they end. This process must live as long as they are to be spared.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
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
	bool over;	   /* the child has ended: the rest is filled in */
	enum stepproc_end end;
	int result;	   /* 0 or -errno, whatever the end */
	struct err err;	   /* why result is not 0 */
	json_t *record;	   /* never NULL when over */
	uint64_t elapsed_ns;
	uint64_t user_ns, system_ns; /* of the child and all that it waited for, by wait4 */
};

/* 0, or -errno when no child could be made. *res is to be released when 0 was returned. */
int stepproc_run(const struct stepproc *sp, struct stepproc_result *res) _must_check_;

/*
 * Several children at once. Their signal_fd, tick and stoppable are those of the first; each has its own
 * timeout, which does not run while a child waits at its gate.
 */
struct stepproc_group {
	const struct stepproc *v;
	size_t n;
	struct stepproc_result *res; /* n of them */
	struct live_gate *gate;	     /* that the children's `live` have too, or NULL */
	/* Each time that something happened: a child came to its gate, to its end, or is over. */
	void (*turn)(struct stepproc_group *g);
	void *arg;	    /* of turn */
	uint64_t *kill_at_ns; /* private */
};

/* As stepproc_run(). Returns when all are over; res are to be released when 0 was returned. */
int stepproc_run_group(struct stepproc_group *g) _must_check_;
/* From turn: child i is to end. With LIVE_STOP_GIVE_UP it is killed after the grace time. */
void stepproc_stop(struct stepproc_group *g, size_t i, enum live_stop how);
void stepproc_result_release(struct stepproc_result *res);
