/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocks of trials: their order, each trial with what is kept of it, and when there are enough. */
#include <math.h>
#include <stdlib.h>

#include "core/run/canary.h"
#include "core/run/judge.h"
#include "core/run/session_private.h"
#include "core/run/until.h"
#include "core/util/clock.h"
#include "core/util/json.h"
#include "core/util/prng.h"
#include "core/util/str.h"
#include "core/util/strbuf.h"
#include "core/util/units.h"
#include "core/util/xalloc.h"

/* Adds the first expectation that was not met: "; not met: write: throughput > 1GiB/s". */
static void trial_add_unmet(const struct trial *t, struct strbuf *sb)
{
	json_t *rec, *o;
	size_t i, k;

	json_array_foreach(t->steps, i, rec)
	{
		json_array_foreach(json_object_get(rec, "expect"), k, o)
		{
			if (!json_is_false(json_object_get(o, "met")))
				continue;
			strbuf_addf(sb, "%snot met: %s: %s", sb->len ? "; " : "", js_get_str(rec, "name", ""),
				    js_get_str(o, "text", ""));
			return;
		}
	}
}

/* "write 812.3 MiB/s, read 1.2 GiB/s": each workload's primary metrics. */
static char *trial_headline(const struct trial *t)
{
	struct strbuf sb = STRBUF_INIT;
	json_t *rec, *metric;
	const char *key;
	size_t i;

	if (t->reason)
		return xstrdup(t->reason);
	json_array_foreach(t->steps, i, rec)
	{
		json_object_foreach(json_object_get(rec, "metrics"), key, metric)
		{
			char text[48];

			if (!json_is_true(json_object_get(metric, "primary")) ||
			    json_is_null(json_object_get(metric, "value")))
				continue;
			units_format_metric(js_get_real(metric, "value", NAN), js_get_str(metric, "unit", ""), text,
					    sizeof(text));
			strbuf_addf(&sb, "%s%s %s", sb.len ? ", " : "", js_get_str(rec, "name", ""), text);
		}
	}
	trial_add_unmet(t, &sb);
	return strbuf_steal(&sb);
}

/* Undo, and the proof that nothing is left. A machine that cannot be put back ends the session. */
static void session_put_back(struct session *s, struct trial *t)
{
	struct err e = { 0 };
	int r = trial_undo(t, &e);

	if (r == 0)
		r = target_end_trial(&s->target, &e);
	if (r == 0 && !s->once.n_applied)
		r = target_prove(&s->target, &e);
	if (r < 0) {
		session_stop(s, "stopped", e.text);
		s->dirty = true;
	}
}

static void session_trial(struct session *s, struct until *u, uint32_t block, uint32_t position)
{
	uint64_t started_wall = clock_wall_ns(), started = clock_now_ns();
	off_t mark = undo_mark(&s->undo);
	_cleanup_free_ char *text = NULL, *values = NULL;
	struct err e = { 0 };
	struct trial t;

	trial_begin(&t, &s->env, s->order[position], block, s->once.n_applied ? &s->once : NULL);
	values = job_variant_text(s->job, t.variant);
	progress_trial(&s->progress, xasprintf("block %u/%u, %s%s%s", block + 1, session_repeats(s), t.label,
					       *values ? " " : "", values));
	if (target_begin_trial(&s->target, &e) == 0)
		trial_run(&t, s->job->n_once, s->job->n_steps);
	else
		trial_fail(&t, &e);
	session_put_back(s, &t);
	if (session_write_trial(s, &t, position, started_wall, started, &e) < 0)
		session_stop(s, "stopped", e.text);
	if (!s->dirty)
		undo_rewind(&s->undo, mark);
	if (u)
		until_add(u, t.variant, t.steps, str_eq(t.status, "ok"));
	s->done++;
	s->failed += !str_eq(t.status, "ok");
	s->unmet += str_eq(t.status, "ok") && str_eq(judge_trial(t.steps), "failed");
	text = trial_headline(&t);
	progress_trial_end(&s->progress, t.status, text);
	if (str_eq(t.status, "interrupted"))
		session_stop(s, "interrupted", t.reason);
	trial_release(&t);
}

/* Block r in an order of its own, from the session's seed. */
static void session_order(struct session *s, uint32_t block)
{
	struct prng p;

	for (uint32_t i = 0; i < s->job->n_variants; i++)
		s->order[i] = i;
	if (s->job->order != ORDER_SHUFFLED)
		return;
	prng_seed(&p, s->seed ^ block, 0);
	prng_shuffle(&p, s->order, s->job->n_variants);
}

/* The canaries are measured once a block, from where its trials begin. */
static void session_canaries(struct session *s, struct canary *c)
{
	const struct target *t = &s->target;
	bool device = s->once.device && t->job->kind != TARGET_DIRECTORY;

	*c = (struct canary){ .fd = -1 };
	if (!s->job->canaries)
		return;
	/* A scratch image is sparse: what its holes read as says nothing of what is below. */
	if (t->job->kind == TARGET_SCRATCH && (!device || str_eq(s->once.device, t->devices[0].device)))
		canary_begin(c, t->job->scratch_dir, NULL);
	else if (t->job->kind == TARGET_DIRECTORY)
		canary_begin(c, t->dir, NULL);
	else
		canary_begin(c, NULL, device ? s->once.device : t->devices[0].device);
}

/* What an earlier sitting has a result of counts as if it were done now. */
static bool session_done_before(struct session *s, struct until *u, uint32_t block, uint32_t variant)
{
	_cleanup_free_ char *id = job_variant_id(s->job, variant);
	const json_t *trial = s->resume ? resume_trial(s->resume, id, block) : NULL;
	bool ok = trial && str_eq(js_get_str(trial, "status", ""), "ok");

	if (!trial)
		return false;
	if (u)
		until_add(u, variant, json_object_get(trial, "steps"), ok);
	s->done++;
	s->failed += !ok;
	s->unmet += ok && str_eq(judge_trial(json_object_get(trial, "steps")), "failed");
	s->progress.done++;
	return true;
}

static void session_block(struct session *s, struct until *u, struct canary *canary, uint32_t block)
{
	bool measured = !s->job->canaries;

	json_decref(s->canaries);
	s->canaries = NULL;
	session_order(s, block);
	for (uint32_t i = 0; i < s->job->n_variants && str_eq(s->status, "complete"); i++) {
		if ((u && !until_wants(u, s->order[i])) || session_done_before(s, u, block, s->order[i]))
			continue;
		if (!measured)
			s->canaries = canary_measure(canary);
		measured = true;
		session_trial(s, u, block, i);
	}
}

void session_blocks(struct session *s)
{
	struct until until = { 0 }, *u = s->opt->until ? &until : NULL;
	struct canary canary;

	s->order = xcalloc(s->job->n_variants, sizeof(*s->order));
	if (u)
		until_begin(u, s->opt->until, s->job->n_variants);
	session_canaries(s, &canary);
	for (uint32_t block = 0; str_eq(s->status, "complete"); block++) {
		if (u ? !until_next_block(u, block) : block == s->job->repeats)
			break;
		session_block(s, u, &canary, block);
	}
	canary_end(&canary);
	if (u)
		s->until = until_json(u, s->job);
	until_end(&until);
}
