/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is in force after the setup steps, beside what was asked. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/record/environment.h"
#include "core/record/fsfacts.h"
#include "core/record/layers.h"
#include "core/run/steprec.h"
#include "core/run/trial.h"
#include "core/run/trial_private.h"
#include "core/util/json.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

int trial_compare_asked(json_t *record, struct err *e)
{
	json_t *asked = json_object_get(record, "asked"), *in_force = json_object_get(record, "in_force"), *o;
	const char *key;
	int r = 0;

	json_object_foreach(asked, key, o)
	{
		const char *want = js_get_str(o, "value", "");
		const char *have = js_get_str(in_force, key, NULL);

		if (!have || str_eq(want, have))
			continue;
		steprec_warn(record, "%s: asked for %s, in force is %s", key, want, have);
		if (json_is_true(json_object_get(o, "must")) && r == 0)
			r = err_set(e, EINVAL, "%s: asked for %s, in force is %s", key, want, have);
	}
	return r;
}

void trial_plain_asked(json_t *record)
{
	json_t *plain = js_object(), *o;
	const char *key;

	json_object_foreach(json_object_get(record, "asked"), key, o)
	{
		js_set(plain, key, js_str(js_get_str(o, "value", "")));
	}
	js_set(record, "asked", plain);
}

/* XFS has its log elsewhere by a mount option; where that is is the mount's word. */
static char *readback_log_device(const json_t *filesystem)
{
	json_t *v;
	size_t i;

	json_array_foreach(json_object_get(json_object_get(filesystem, "mount"), "list"), i, v)
	{
		if (str_starts(json_string_value(v), "logdev="))
			return xstrdup(json_string_value(v) + strlen("logdev="));
	}
	return NULL;
}

/* The stripe unit that the file system was made for, in bytes; 0: none. */
static uint64_t readback_stripe(const json_t *filesystem)
{
	const json_t *geometry = json_object_get(filesystem, "geometry");

	return js_get_u64(geometry, "sunit", js_get_u64(geometry, "stride", 0));
}

static void readback_layers(const struct trial *t, json_t *record)
{
	const json_t *filesystem = json_object_get(record, "filesystem");
	_cleanup_free_ char *log_device = readback_log_device(filesystem);
	json_t *layers = js_object(), *warnings = js_array();

	js_set(record, "trial_warnings", warnings);
	js_set(layers, "data", layers_collect(t->device));
	js_set(layers, "log", log_device ? layers_collect(log_device) : json_null());
	layers_check(json_object_get(layers, "data"), readback_stripe(filesystem), warnings);
	if (log_device)
		layers_check(json_object_get(layers, "log"), 0, warnings);
	js_set(record, "layers", layers);
}

static int readback_facts(void *arg, json_t *record, struct err *e)
{
	const struct trial *t = arg;

	(void)e;
	/* What an earlier trial left on the device is no file system of this one. */
	js_set(record, "filesystem",
	       t->dir || t->made ? fsfacts_collect(trial_facts_dir(t), t->device) : json_null());
	js_set(record, "settings", t->sysfs ? environment_settings(t->sysfs) : json_null());
	if (t->device)
		readback_layers(t, record);
	return 0;
}

/* In a child too: a file system under trial may hang whoever asks it. */
static int trial_collect_facts(struct trial *t, struct err *e)
{
	const struct stepproc sp = { .fn = readback_facts, .arg = t, .signal_fd = t->env->signal_fd,
				     .timeout_ns = 60ULL * 1000000000ULL };
	struct stepproc_result res;
	int r = stepproc_run(&sp, &res);

	if (r < 0)
		return err_sys(e, -r, "fork");
	r = res.result;
	if (r < 0)
		err_set(e, res.err.code, "reading back the file system: %s", res.err.text);
	json_decref(t->filesystem);
	json_decref(t->settings);
	json_decref(t->layers);
	json_decref(t->warnings);
	t->filesystem = json_incref(json_object_get(res.record, "filesystem"));
	t->settings = json_incref(json_object_get(res.record, "settings"));
	t->layers = json_incref(json_object_get(res.record, "layers"));
	t->warnings = json_incref(json_object_get(res.record, "trial_warnings"));
	stepproc_result_release(&res);
	return r;
}

static int readback_one(struct trial *t, struct applied *a, struct err *e)
{
	struct stepproc_result res;
	struct undo_log own;
	struct call c;
	int r;

	if (!a->step->plugin->desc.readback)
		return 0;
	trial_call_fill(&c, t, a->step, a->index, t->label);
	c.filesystem = t->filesystem;
	/* A place below the one where the trial goes on has facts of its own: they are collected when asked for. */
	if (a->gave && !str_eq(a->gave, t->dir)) {
		c.dir = c.facts_dir = a->gave;
		c.filesystem = NULL;
	}
	/* What apply saved says which volume or file is the step's own. */
	r = undo_read(t->env->undo, a->undo_id, &own, e);
	if (r < 0)
		goto out;
	if (own.n)
		c.saved = &own.v[0];
	r = call_readback(&c, &res);
	if (r < 0) {
		err_sys(e, -r, "fork");
		goto out;
	}
	json_object_clear(json_object_get(a->record, "in_force"));
	steprec_take(a->record, &res);
	r = res.result;
	if (r < 0)
		err_set(e, res.err.code, "reading back: %s", res.err.text);
	stepproc_result_release(&res);
out:
	undo_log_release(&own);
	return r;
}

/* After all setup steps that precede a workload: one knob's write may have reset another's. */
int trial_readback(struct trial *t)
{
	struct err e = { 0 };
	int r = trial_collect_facts(t, &e);

	if (r < 0)
		trial_end(t, "failed", "read-back", &e);
	for (size_t i = 0; r == 0 && i < t->n_applied; i++) {
		r = readback_one(t, &t->applied[i], &e);
		if (r == 0)
			r = trial_compare_asked(t->applied[i].record, &e);
		if (r < 0) {
			steprec_status(t->applied[i].record, "failed", &e);
			trial_end(t, "failed", t->env->job->steps[t->applied[i].index].name, &e);
		}
	}
	t->changed = false;
	return r;
}
