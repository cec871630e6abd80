/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What plugins have to say against a job, before anything is touched. */
#include <errno.h>
#include <stdlib.h>

#include "core/job/expect.h"
#include "core/plugin/registry.h"
#include "core/run/ask.h"
#include "core/run/session.h"
#include "core/run/target.h"
#include "core/util/json.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

/* key: "found", or "refused" for what the guard has against it. */
static void preflight_add(json_t *record, const char *key, const struct ask_step *a, const char *text)
{
	const struct job_step *def = &a->job->steps[a->index];
	json_t *o = js_object(), *list = json_object_get(record, key);

	if (!list) {
		list = js_array();
		js_set(record, key, list);
	}
	js_set(o, "step", js_u64(a->index));
	js_setf(o, "text", "%s: %s", def->name, text);
	js_push(list, o);
}

static void preflight_ask(struct ask_step *a, const struct fstrial_plugin *d, struct fst_ctx *ctx, json_t *record)
{
	int r = d->check ? d->check(ctx) : 0;

	host_end_callback(&a->host);
	if (r < 0)
		err_sys(&a->host.err, -r, "check");
	if (a->host.err.code)
		preflight_add(record, "found", a, a->host.err.text);
	err_clear(&a->host.err);
}

/* What is expected of metrics that only check knows. */
static void preflight_expect(struct ask_step *a, const struct expect *x, const struct fst_metric *all, uint32_t n,
			     json_t *record)
{
	_cleanup_free_ const char **names = xcalloc(n + 1UL, sizeof(*names));
	struct expect copy = *x;
	struct err e = { 0 };
	const char *near;

	for (uint32_t i = 0; i < n; i++) {
		names[i] = all[i].name;
		if (!str_eq(names[i], x->field))
			continue;
		if (expect_settle(&copy, all[i].unit, &e))
			preflight_add(record, "found", a, e.text);
		return;
	}
	near = str_nearest(x->field, names, n);
	if (near)
		err_set(&e, EINVAL, "expect = \"%s\": unknown metric \"%s\"; did you mean \"%s\"?", x->text, x->field,
			near);
	else
		err_set(&e, EINVAL, "expect = \"%s\": unknown metric \"%s\"; `fstrial plugins %s` says what there is",
			x->text, x->field, a->step->plugin->desc.name);
	preflight_add(record, "found", a, e.text);
}

static void preflight_expects(struct ask_step *a, json_t *record)
{
	uint32_t n;
	_cleanup_free_ struct fst_metric *all =
		plugin_metrics(&a->step->plugin->desc, a->host.declared, a->host.n_declared, &n);

	for (size_t i = 0; i < a->step->n_expects; i++)
		if (!a->step->expects[i].unit)
			preflight_expect(a, &a->step->expects[i], all, n, record);
}

/* Does a step before this one make devices? */
static bool preflight_made_before(const struct ask_step *a)
{
	for (size_t i = 0; i < a->index; i++)
		if (a->job->steps[i].plugin->desc.flags & FST_PROVIDES_DEVICE)
			return true;
	return false;
}

static void preflight_claims(struct ask_step *a, json_t *record)
{
	for (size_t i = 0; i < a->host.n_claims; i++) {
		struct err e = { 0 };

		if (step_on_device(a->step) && str_eq(a->host.claims[i], a->step->io.filename))
			continue; /* preflight_device() */
		if (target_judge_claim(&a->job->target, a->host.claims[i], preflight_made_before(a), &e) < 0)
			preflight_add(record, "refused", a, e.text);
	}
}

static bool preflight_claimed(const struct ask_step *a, const char *device)
{
	for (size_t i = 0; i < a->host.n_claims; i++)
		if (str_eq(a->host.claims[i], device))
			return true;
	return false;
}

/* A device instead of files: is it ours, and is it free to be written? */
static void preflight_device(struct ask_step *a, json_t *record)
{
	const char *name = a->step->io.filename;
	const struct job_step *mount = step_mounts_device(a->job, a->index, a->variant);
	bool writes = preflight_claimed(a, name);
	struct err e = { 0 };

	if (target_judge_device(&a->job->target, name, preflight_made_before(a), &e) < 0)
		preflight_add(record, "refused", a, e.text);
	if (!writes)
		return;
	js_set(record, "writes", js_bool(true));
	if (!mount || !str_eq(name, "target"))
		return;
	err_set(&e, EPERM,
		"filename = \"target\": %s before it has that device mounted, and writing to it would destroy the file "
		"system below the mount",
		mount->name);
	preflight_add(record, "refused", a, e.text);
}

/* What is known of steps that leave all devices as they are: reads of a device, and emptying caches. */
static bool preflight_only_reads(const struct ask_step *a)
{
	const uint64_t touches = FST_NEEDS_DEVICE | FST_DESTROYS_DEVICE | FST_NEEDS_DIR | FST_PROVIDES_DIR |
				 FST_PROVIDES_DEVICE;
	uint64_t flags = a->step->plugin->desc.flags;

	if (a->host.n_claims)
		return false;
	return a->step->plugin->desc.kind == FST_WORKLOAD ? step_on_device(a->step) :
							    (flags & FST_DROPS_CACHES) && !(flags & touches);
}

static void preflight_places_of(const struct ask_step *a, json_t *record)
{
	_cleanup_free_ char *key = xasprintf("needs dir %zu", a->index);

	if ((a->step->plugin->desc.flags & FST_NEEDS_DIR) && !step_on_device(a->step))
		js_set(record, key, js_bool(true));
	if (!preflight_only_reads(a))
		js_set(record, "touches", js_bool(true));
}

static void preflight_step(struct ask_step *a, json_t *record)
{
	const struct plugin *engine = a->step->engine;
	size_t before = json_array_size(json_object_get(record, "found"));

	preflight_ask(a, &a->step->plugin->desc, &a->host.ctx, record);
	/* Of a step whose parameters are wrong it is not known which metrics it would have. */
	if (json_array_size(json_object_get(record, "found")) == before)
		preflight_expects(a, record);
	if (engine)
		preflight_ask(a, &engine->desc, host_engine_ctx(&a->host, a->step->engine_cfg), record);
	preflight_claims(a, record);
	if (step_on_device(a->step))
		preflight_device(a, record);
	preflight_places_of(a, record);
}

/* A workload on files needs a file system that some step before it mounts, unless the target is a directory. */
static void preflight_places(const struct job *job, const json_t *record, struct diag *d)
{
	bool provided = job->target.kind == TARGET_DIRECTORY;

	for (size_t i = 0; i < job->n_steps; i++) {
		_cleanup_free_ char *key = xasprintf("needs dir %zu", i);
		const struct job_step *s = &job->steps[i];

		if (s->plugin->desc.flags & FST_PROVIDES_DIR)
			provided = true;
		if (provided || !json_object_get(record, key))
			continue;
		diag_add(d, s->file, s->line, "%s: no step before it mounts a file system, and the target is no directory",
			 s->name);
		return;
	}
}

static void preflight_say(const struct job *job, const json_t *list, struct diag *d)
{
	json_t *found;
	size_t i;

	json_array_foreach(list, i, found)
	{
		const struct job_step *s = &job->steps[js_get_u64(found, "step", 0)];

		diag_add(d, s->file, s->line, "%s", js_get_str(found, "text", ""));
	}
}

int preflight_check(struct job *job, struct diag *d)
{
	struct err e = { 0 };
	_cleanup_json_ json_t *record = ask_each(job, preflight_step, &e);
	size_t before = d->n, refused;

	if (!record)
		diag_add(d, job->file, 0, "%s", e.text);
	preflight_say(job, json_object_get(record, "found"), d);
	preflight_places(job, record, d);
	refused = d->n;
	preflight_say(job, json_object_get(record, "refused"), d);
	if (refused > before)
		return -EINVAL;
	job->writes_device = json_object_get(record, "writes");
	job->target.only_read = record && !json_object_get(record, "touches");
	return d->n > refused ? -EPERM : 0;
}
