/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The workloads of a group: prepared each in a process of its own, begun together, and ended by the group's
 * rule. What happens to one of them against the plan ends them all: half a group measures something else.
 */
#include <errno.h>
#include <stdlib.h>

#include "core/run/judge.h"
#include "core/run/signals.h"
#include "core/run/steady.h"
#include "core/run/steprec.h"
#include "core/run/trial_private.h"
#include "core/util/json.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

struct member {
	size_t index; /* in the job's steps */
	struct step *step;
	json_t *rec; /* borrowed from the trial */
	struct call call;
	char *label;
	bool cut; /* ended because another had */
};

struct band {
	struct trial *t;
	const struct job_parallel *g;
	struct member *v; /* those that are active in the variant */
	size_t n;
	struct live **live;
	struct stepproc *proc;
	struct stepproc_result *res;
	struct live_gate *gate;
	size_t culprit; /* the first that failed, or could not work here; n: none */
	size_t ender;	/* whose end was the end of the others; n: nobody's yet */
};

static const char *member_name(const struct band *b, size_t i)
{
	return b->t->env->job->steps[b->v[i].index].name;
}

/* ---- before ----------------------------------------------------------------------------------- */

/* One cannot run: none does. */
static void band_call_off(struct band *b, size_t culprit, bool skipped)
{
	struct err e = { 0 };

	if (skipped)
		err_set(&e, EOPNOTSUPP, "%s, which runs beside it, was skipped",
			member_name(b, culprit));
	for (size_t i = 0; skipped && i < b->n; i++) {
		if (i != culprit)
			steprec_status(b->v[i].rec, "skipped", &e);
	}
}

/* Every member has a record, whatever becomes of the others. */
static bool band_open(struct band *b)
{
	bool skipped = false;

	for (size_t i = 0; i < b->n; i++) {
		struct member *m = &b->v[i];
		bool skip;

		m->step = trial_open_step(b->t, m->index, &m->rec, &skip);
		if (!m->step && b->culprit == b->n) {
			b->culprit = i;
			skipped = skip;
		}
	}
	if (b->culprit < b->n)
		band_call_off(b, b->culprit, skipped);
	return b->culprit == b->n;
}

/* One that is to begin cold: all of them do. */
static bool band_cold(struct band *b)
{
	json_t **records;
	bool cold = false;
	int r;

	for (size_t i = 0; i < b->n; i++)
		cold |= b->v[i].step->opt.cold;
	if (!cold)
		return true;
	records = xcalloc(b->n, sizeof(json_t *));
	for (size_t i = 0; i < b->n; i++)
		records[i] = b->v[i].rec;
	r = trial_cold(b->t, b->g->name, records, b->n);
	free(records);
	return r == 0;
}

static void band_fill(struct band *b)
{
	for (size_t i = 0; i < b->n; i++) {
		struct member *m = &b->v[i];

		m->label = xasprintf("%s %s", b->t->label, member_name(b, i));
		trial_call_fill(&m->call, b->t, m->step, m->index, m->label);
		if (!b->g->shared_files)
			m->call.subdir = member_name(b, i);
		b->live[i] = live_new((uint32_t)m->step->opt.numjobs);
		b->live[i]->gate = b->gate;
		m->call.live = b->live[i];
		b->proc[i] = call_workload_proc(&m->call);
	}
}

/* ---- while they run --------------------------------------------------------------------------- */

static void band_look(struct band *b, size_t *ready)
{
	*ready = 0;
	for (size_t i = 0; i < b->n; i++) {
		if (b->res[i].over && b->res[i].result < 0 && b->culprit == b->n)
			b->culprit = i;
		/* Beyond it before the gate is open are those that failed, and are soon over. */
		*ready += b->res[i].over || live_get(b->live[i]->phase) == LIVE_READY;
	}
}

/* Has it ended whose end the group waits for? */
static bool band_ends_by(const struct band *b, size_t i)
{
	bool counts = b->g->stop == PARALLEL_FIRST ||
		      (b->g->stop == PARALLEL_NAMED && b->g->stop_at == b->v[i].index);

	return counts && live_get(b->live[i]->ended);
}

static void band_end(struct stepproc_group *sg, struct band *b)
{
	for (size_t i = 0; i < b->n; i++) {
		b->v[i].cut = i != b->ender && !live_get(b->live[i]->ended);
		if (b->v[i].cut)
			stepproc_stop(sg, i, LIVE_STOP_END);
	}
}

static void band_turn(struct stepproc_group *sg)
{
	struct band *b = sg->arg;
	size_t ready;

	band_look(b, &ready);
	if (b->culprit < b->n) {
		live_gate_open(b->gate, false);
		for (size_t i = 0; i < b->n; i++)
			stepproc_stop(sg, i, LIVE_STOP_GIVE_UP);
		return;
	}
	if (ready == b->n)
		live_gate_open(b->gate, true);
	for (size_t i = 0; i < b->n && b->ender == b->n; i++) {
		if (!band_ends_by(b, i))
			continue;
		b->ender = i;
		band_end(sg, b);
	}
}

/* ---- after ------------------------------------------------------------------------------------ */

/* Its result comes from what became of another. */
static bool member_given_up(const struct band *b, size_t i)
{
	const struct stepproc_result *res = &b->res[i];

	return b->culprit < b->n && i != b->culprit && !signals_name() &&
	       (res->end == STEPPROC_INTERRUPTED || res->result == -ECANCELED ||
		res->result == -EINTR);
}

static void member_close_given_up(struct band *b, size_t i)
{
	const char *name = member_name(b, b->culprit);
	struct err e = { 0 };

	if (str_eq(trial_end_status(&b->res[b->culprit]), "skipped")) {
		band_call_off(b, b->culprit, true);
		return;
	}
	steprec_take(b->v[i].rec, &b->res[i]);
	err_set(&e, ECANCELED, "stopped because %s, which ran beside it, failed", name);
	steprec_status(b->v[i].rec, "interrupted", &e);
}

static void member_close(struct band *b, size_t i)
{
	struct stepproc_result *res = &b->res[i];
	struct member *m = &b->v[i];
	const char *status = trial_end_status(res);

	if (member_given_up(b, i)) {
		member_close_given_up(b, i);
		return;
	}
	steprec_take(m->rec, res);
	steprec_status(m->rec, status, &res->err);
	if (res->result < 0 && !str_eq(status, "skipped"))
		trial_end(b->t, status, member_name(b, i), &res->err);
	if (res->result == 0) {
		steady_judge(m->step, m->rec);
		judge_step(m->step, m->rec);
	}
	if (res->result == 0 && m->cut)
		js_setf(json_object_get(m->rec, "notes"), "stopped_by", "%s",
			member_name(b, b->ender));
}

static void band_close(struct band *b)
{
	/* The reason of the trial is the first one's. */
	if (b->culprit < b->n)
		member_close(b, b->culprit);
	for (size_t i = 0; i < b->n; i++) {
		if (i != b->culprit)
			member_close(b, i);
	}
	for (size_t i = 0; i < b->n; i++)
		stepproc_result_release(&b->res[i]);
}

static void band_fail(struct band *b, int code)
{
	struct err e = { 0 };

	err_sys(&e, code, "no step process could be made");
	for (size_t i = 0; i < b->n; i++)
		steprec_status(b->v[i].rec, "failed", &e);
	trial_end(b->t, "failed", b->g->name, &e);
}

static void band_run(struct band *b)
{
	struct progress *progress = b->t->env->progress;
	struct stepproc_group sg = {
		.v = b->proc, .n = b->n, .res = b->res, .turn = band_turn, .arg = b
	};
	struct steprec_cpu before;
	int r;

	b->gate = sg.gate = live_gate_new();
	if (!b->gate) {
		band_fail(b, errno);
		return;
	}
	band_fill(b);
	steprec_cpu_read(&before);
	progress_step(progress, b->g->name, b->live, b->n);
	r = stepproc_run_group(&sg);
	progress_step(progress, b->g->name, NULL, 0);
	if (r == 0)
		band_close(b);
	else
		band_fail(b, -r);
	for (size_t i = 0; i < b->n; i++)
		steprec_cpu_add(b->v[i].rec, &before);
	live_gate_free(b->gate);
}

static void band_release(struct band *b)
{
	for (size_t i = 0; i < b->n; i++) {
		if (b->live[i])
			live_free(b->live[i], (uint32_t)b->v[i].step->opt.numjobs);
		if (b->v[i].step)
			trial_step_free(b->v[i].step);
		free(b->v[i].label);
	}
	free(b->v);
	free(b->live);
	free(b->proc);
	free(b->res);
}

size_t trial_parallel(struct trial *t, const struct job_parallel *g)
{
	struct band b = { .t = t, .g = g };

	b.v = xcalloc(g->n, sizeof(*b.v));
	for (size_t i = g->first; i < g->first + g->n; i++) {
		if (job_step_active(t->env->job, i, t->variant))
			b.v[b.n++].index = i;
	}
	b.live = xcalloc(g->n, sizeof(*b.live));
	b.proc = xcalloc(g->n, sizeof(*b.proc));
	b.res = xcalloc(g->n, sizeof(*b.res));
	b.culprit = b.ender = b.n;
	progress_step(t->env->progress, g->name, NULL, 0);
	progress_tick(t->env->progress);
	if (band_open(&b) && band_cold(&b))
		band_run(&b);
	band_release(&b);
	return g->first + g->n - 1;
}
