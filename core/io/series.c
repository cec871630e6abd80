/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The thread beside the workers. */
#include "core/io/series.h"

#include <errno.h>
#include <time.h>

#include "core/io/clock.h"
#include "core/io/step.h"
#include "core/util/clock.h"
#include "core/util/json.h"

/* How late a stop by the session is seen. */
#define SERIES_POLL_NS (20 * NSEC_PER_MSEC)
/* The same in a group, whose members end together. */
#define SERIES_POLL_GROUP_NS (5 * NSEC_PER_MSEC)
/* After which a data workload is ended that did not end itself. */
#define SERIES_GRACE_NS NSEC_PER_MSEC

static void series_read(const struct io_step *s, uint64_t *ops, uint64_t *bytes)
{
	const struct live *l = s->wl->live;

	*ops = *bytes = 0;
	for (uint32_t i = 0; i < s->n; i++) {
		*ops += live_get(l->w[i].ops);
		*bytes += live_get(l->w[i].bytes);
	}
}

static void series_begin(struct io_step *s)
{
	struct series *r = &s->series;

	r->begun = true;
	r->next_ns = s->start_ns + r->interval_ns;
	if (s->ramp_ns) {
		series_read(s, &r->base_ops, &r->base_bytes);
		getrusage(RUSAGE_SELF, &s->before);
		live_set(s->wl->live->phase, LIVE_RUN);
	}
}

/* All intervals that are over; woken late, the work is shared out evenly among them. */
static void series_sample(struct io_step *s, uint64_t now)
{
	struct series *r = &s->series;
	uint64_t ops, bytes, late = (now - r->next_ns) / r->interval_ns + 1;

	series_read(s, &ops, &bytes);
	for (; late; late--) {
		uint64_t o = (ops - r->base_ops) / late, b = (bytes - r->base_bytes) / late;

		vec_push(&r->ops, o);
		vec_push(&r->bytes, b);
		r->base_ops += o;
		r->base_bytes += b;
		r->next_ns += r->interval_ns;
	}
}

/* Does what is due; returns when to look again. */
static uint64_t series_turn(struct io_step *s, uint64_t now)
{
	struct series *r = &s->series;
	uint64_t wake = now + (s->wl->live->gate ? SERIES_POLL_GROUP_NS : SERIES_POLL_NS);
	int stop = live_get(s->wl->live->stop);
	/* The core's loop sees the end by itself, by an I/O that completes after it. */
	const uint64_t end = s->deadline_ns && s->data ? s->deadline_ns + SERIES_GRACE_NS
						       : s->deadline_ns;

	if (stop == LIVE_STOP_GIVE_UP)
		step_set(s->interrupted, 1);
	if (stop != LIVE_GO_ON)
		step_set(s->stop, 1);
	if (!r->begun && now >= s->start_ns)
		series_begin(s);
	if (r->begun && now >= r->next_ns)
		series_sample(s, now);
	if (end && now >= end)
		step_set(s->stop, 1);
	else if (end)
		wake = MIN(wake, end);
	return MIN(wake, r->begun ? r->next_ns : s->start_ns);
}

static void *series_main(void *arg)
{
	struct io_step *s = arg;
	struct series *r = &s->series;
	uint64_t wake;

	gate_watch(&s->gate);
	if (!s->start_ns) /* opened by force: there is nothing to watch */
		return NULL;
	pthread_mutex_lock(&r->lock);
	for (;;) {
		struct timespec ts;

		wake = series_turn(s, io_clock_ns());
		if (r->quit)
			break;
		ts.tv_sec = (time_t)(wake / NSEC_PER_SEC);
		ts.tv_nsec = (long)(wake % NSEC_PER_SEC);
		pthread_cond_timedwait(&r->wake, &r->lock, &ts);
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

int series_start(struct io_step *s)
{
	struct series *r = &s->series;
	pthread_condattr_t attr;
	int code;

	if (!r->interval_ns)
		r->interval_ns = NSEC_PER_SEC;
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->wake, &attr);
	pthread_condattr_destroy(&attr);
	code = pthread_create(&r->thread, NULL, series_main, s);
	return code ? err_set(s->wl->err, code, "thread for the time series") : 0;
}

void series_stop(struct io_step *s)
{
	struct series *r = &s->series;

	pthread_mutex_lock(&r->lock);
	r->quit = true;
	pthread_cond_signal(&r->wake);
	pthread_mutex_unlock(&r->lock);
	pthread_join(r->thread, NULL);
	pthread_cond_destroy(&r->wake);
	pthread_mutex_destroy(&r->lock);
}

static json_t *series_array(const uint64_t *v, size_t n)
{
	json_t *a = js_array();

	for (size_t i = 0; i < n; i++)
		js_push(a, js_u64(v[i]));
	return a;
}

json_t *series_json(const struct series *r)
{
	json_t *o = js_object();

	js_set(o, "interval_ns", js_u64(r->interval_ns ? r->interval_ns : NSEC_PER_SEC));
	js_set(o, "ops", series_array(r->ops.v, r->ops.n));
	return js_set(o, "bytes", series_array(r->bytes.v, r->bytes.n));
}

void series_release(struct series *r)
{
	vec_free(&r->ops);
	vec_free(&r->bytes);
}
