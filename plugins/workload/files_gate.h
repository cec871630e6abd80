/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the workers of a step wait for each other between its phases. All must come to each gate, also
 * one that failed; whether there is a next phase is decided by the last one for all.
 */
#pragma once

#include <pthread.h>
#include <sched.h>

#include <fstrial/plugin.h>

#if defined(__SANITIZE_THREAD__)
#define FILES_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FILES_TSAN 1
#endif
#endif

/*
 * Gives the calling thread a table of open files of its own: opening and closing in one table is what
 * threads would wait for each other at. It works without, so a refusal does not matter. Not under the thread
 * sanitizer, which takes equal numbers of files for the same file.
 */
static inline void files_own_table(void)
{
#ifndef FILES_TSAN
	(void)unshare(CLONE_FILES);
#endif
}

struct files_gate {
	pthread_mutex_t lock;
	pthread_cond_t open;
	uint32_t expected;
	uint32_t arrived;
	uint64_t turn;
	int (*last)(void *arg); /* what the last one does before all are let through */
	void *arg;
	int ret; /* of it */
};

static inline void files_gate_init(struct files_gate *g, uint32_t workers)
{
	pthread_mutex_init(&g->lock, NULL);
	pthread_cond_init(&g->open, NULL);
	g->expected = workers;
}

static inline void files_gate_release(struct files_gate *g)
{
	pthread_cond_destroy(&g->open);
	pthread_mutex_destroy(&g->lock);
}

static inline void files_gate_open(struct files_gate *g)
{
	g->arrived = 0;
	g->turn++;
	g->ret = g->last ? g->last(g->arg) : 0;
	pthread_cond_broadcast(&g->open);
}

/* Waits for all; what `last` returned. */
static inline int files_gate_pass(struct files_gate *g, int (*last)(void *arg), void *arg)
{
	uint64_t turn;
	int ret;

	pthread_mutex_lock(&g->lock);
	g->last = last;
	g->arg = arg;
	turn = g->turn;
	if (++g->arrived == g->expected)
		files_gate_open(g);
	else
		while (turn == g->turn)
			pthread_cond_wait(&g->open, &g->lock);
	ret = g->ret;
	pthread_mutex_unlock(&g->lock);
	return ret;
}
