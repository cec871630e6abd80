/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The course of a trial. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/run/judge.h"
#include "core/run/signals.h"
#include "core/run/steady.h"
#include "core/run/steprec.h"
#include "core/run/trial.h"
#include "core/run/trial_private.h"
#include "core/util/blockdev.h"
#include "core/util/json.h"
#include "core/util/prng.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

void trial_begin(struct trial *t, struct trial_env *env, uint32_t variant, uint32_t block,
		 const struct trial *base)
{
	_cleanup_free_ char *id = job_variant_id(env->job, variant);
	const struct target_device *own = env->target->n_devices ? &env->target->devices[0] : NULL;
	const char *dir = base ? base->dir : NULL;
	const char *device = base ? base->device : own ? own->device : NULL;
	const char *sysfs = base ? base->sysfs : own ? own->bd.sysfs : NULL;

	*t = (struct trial){ .env = env, .variant = variant, .block = block, .status = "ok" };
	t->label = xasprintf("%s r%u", id, block + 1);
	t->steps = js_array();
	t->cgroups = base ? json_copy(base->cgroups) : js_array();
	t->device = device ? xstrdup(device) : NULL;
	t->without = base ? base->without : NULL;
	t->moved = base && base->moved;
	t->made = base && base->made;
	t->sysfs = sysfs ? xstrdup(sysfs) : NULL;
	if (dir)
		t->dir = xstrdup(dir);
	else if (env->target->dir)
		t->dir = xasprintf("%s/work", env->target->dir);
}

void trial_step_free(struct step *s)
{
	step_release(s);
	free(s);
}

void trial_applied_free(struct applied *a)
{
	trial_step_free(a->step);
	free(a->dir);
	free(a->device);
	free(a->sysfs);
	free(a->gave);
}

void trial_release(struct trial *t)
{
	for (size_t i = 0; i < t->n_applied; i++)
		trial_applied_free(&t->applied[i]);
	free(t->applied);
	free(t->reason);
	free(t->label);
	free(t->dir);
	free(t->device);
	free(t->sysfs);
	json_decref(t->filesystem);
	json_decref(t->settings);
	json_decref(t->layers);
	json_decref(t->warnings);
	json_decref(t->cgroups);
	json_decref(t->steps);
	*t = (struct trial){ 0 };
}

void trial_end(struct trial *t, const char *status, const char *step, const struct err *e)
{
	if (!str_eq(t->status, "ok"))
		return;
	t->status = status;
	t->reason = xasprintf("%s: %s", step, e->text);
}

void trial_fail(struct trial *t, const struct err *e)
{
	trial_end(t, "failed", "target", e);
}

/* Data and order are the same for the same seed, whatever other steps there are. */
static uint64_t step_seed(const struct trial *t, const struct step *s, size_t index)
{
	struct prng p;

	if (s->opt.randseed)
		return s->opt.randseed;
	prng_seed(&p, t->env->seed, ((uint64_t)t->variant << 40) ^ ((uint64_t)t->block << 16) ^ index);
	return prng_next(&p);
}

const char *trial_facts_dir(const struct trial *t)
{
	return t->moved ? NULL : t->dir;
}

void trial_call_fill(struct call *c, struct trial *t, const struct step *s, size_t index, const char *label)
{
	*c = (struct call){
		.plugin = s->plugin,
		.step = s,
		.label = label,
		.dir = t->dir,
		.facts_dir = trial_facts_dir(t),
		.device = t->device,
		.sysfs = t->sysfs,
		.seed = step_seed(t, s, index),
		.target = t->env->target,
		.cgroups = t->cgroups,
		.tools = t->env->tools,
		.commands_fd = t->env->commands_fd,
		.signal_fd = t->env->signal_fd,
		.tick = progress_tick,
		.tick_arg = t->env->progress,
	};
}

/* ---- can it run at all? ----------------------------------------------------------------------- */

/* NULL, or why this step has no place in this session; the caller frees it. */
static char *step_skip_reason(const struct trial *t, const struct step *s)
{
	const struct fstrial_plugin *d = &s->plugin->desc;
	bool on_device = d->kind == FST_WORKLOAD || (d->flags & (FST_NEEDS_DEVICE | FST_NEEDS_DIR));

	if (step_on_device(s) && !t->device && *s->io.filename != '/')
		return xstrdup("the target is a directory: there is no device to do it on");
	/* On what was there before, it would be measured under a wrong name. */
	if (t->without && on_device)
		return xasprintf("its device would have been made by %s, which was skipped", t->without);
	if ((d->flags & FST_NEEDS_DEVICE) && !t->device)
		return xstrdup("the target is a directory: there is no device of ours to change");
	if ((d->flags & FST_NEEDS_ROOT) && geteuid() != 0)
		return xstrdup("needs root");
	return NULL;
}

static int step_ready(struct trial *t, const struct step *s, struct err *e)
{
	const struct fstrial_plugin *d = &s->plugin->desc;
	bool files = s->engine ? !(s->engine->desc.engine->flags & FST_ENGINE_NO_FILES) : d->kind == FST_WORKLOAD;
	bool dir = (files || (d->flags & FST_NEEDS_DIR)) && !step_on_device(s);

	if (dir && !t->dir)
		return err_set(e, ENOENT, "no file system is mounted: a mkfs and a mount step must come before");
	/* The place there was is on another device: only more devices can be made there. */
	if (dir && t->moved && !(d->flags & FST_PROVIDES_DEVICE))
		return err_set(e, ENOENT, "no file system of %s is mounted: a mkfs and a mount step must come before",
			       t->device);
	if (d->flags & FST_DESTROYS_DEVICE)
		return target_recheck(t->env->target, t->dir, t->device, e);
	return 0;
}

/* ---- steps ------------------------------------------------------------------------------------ */

const char *trial_end_status(const struct stepproc_result *res)
{
	bool asked = signals_name() != NULL;

	if (json_is_true(json_object_get(res->record, "skipped")) && res->result == -EOPNOTSUPP)
		return "skipped";
	if (res->result == 0)
		return "ok";
	return res->end == STEPPROC_INTERRUPTED || (asked && (res->result == -ECANCELED || res->result == -EINTR)) ?
		       "interrupted" :
		       "failed";
}

/* What apply said of the places that the rest of the trial works in. */
static int trial_take_places(struct trial *t, const json_t *record, struct err *e)
{
	const char *dir = js_get_str(record, "dir", NULL), *device = js_get_str(record, "device", NULL);
	json_t *cgroups = json_object_get(record, "cgroups");
	struct blockdev bd;
	int r;

	if (cgroups)
		json_array_extend(t->cgroups, cgroups);
	if (dir) {
		free(t->dir);
		t->dir = xstrdup(dir);
		t->moved = false;
	}
	if (!device)
		return 0;
	r = target_take_given(t->env->target, t->dir, device, e);
	if (r == 0)
		r = blockdev_get(device, &bd, e);
	if (r < 0)
		return r;
	free(t->device);
	free(t->sysfs);
	t->device = blockdev_path(device, &bd);
	t->sysfs = xstrdup(bd.sysfs);
	t->without = NULL;
	t->moved = !dir;
	return 0;
}

static char *place_copy(const char *place)
{
	return place ? xstrdup(place) : NULL;
}

int trial_apply(struct trial *t, struct applied *a, const char *label, struct stepproc_result *res, struct err *e)
{
	const struct plugin *p = a->step->plugin;
	struct call c;
	uint32_t id;
	int r = undo_step(t->env->undo, "setup", p->desc.name, p->file, a->step->def->name, &id, e);

	if (r < 0)
		return r;
	a->undo_id = id;
	trial_call_fill(&c, t, a->step, a->index, label);
	c.undo = t->env->undo;
	c.undo_id = id;
	if (p->desc.flags & FST_PROVIDES_DEVICE)
		target_look(t->env->target);
	t->changed |= p->desc.readback || (p->desc.flags & FST_PROVIDES_DIR);
	t->made = !(p->desc.flags & FST_PROVIDES_DEVICE) && (t->made || (p->desc.flags & FST_DESTROYS_DEVICE));
	r = call_apply(&c, res);
	if (r == 0 && res->result == 0) {
		free(a->gave);
		a->gave = place_copy(js_get_str(res->record, "dir", NULL));
		res->result = trial_take_places(t, res->record, &res->err);
	}
	return r;
}

static int run_setup(struct trial *t, struct step *s, size_t index, json_t *rec, const char *label,
		     struct stepproc_result *res, struct err *e)
{
	struct applied a = { .index = index, .step = s, .record = rec, .dir = place_copy(t->dir),
			     .device = place_copy(t->device), .sysfs = place_copy(t->sysfs) };

	t->applied = xrealloc(t->applied, (t->n_applied + 1) * sizeof(*t->applied));
	t->applied[t->n_applied++] = a;
	return trial_apply(t, &t->applied[t->n_applied - 1], label, res, e);
}

static int run_workload(struct trial *t, struct step *s, size_t index, const char *label,
			struct stepproc_result *res)
{
	uint32_t workers = (uint32_t)s->opt.numjobs;
	struct live *live = live_new(workers);
	struct call c;
	int r;

	trial_call_fill(&c, t, s, index, label);
	c.live = live;
	progress_step(t->env->progress, s->def->name, &live, 1);
	r = call_workload(&c, res);
	progress_step(t->env->progress, s->def->name, NULL, 0);
	live_free(live, workers);
	return r;
}

/* The way of a step that may run; takes s. */
static void trial_act(struct trial *t, struct step *s, size_t index, json_t *rec)
{
	_cleanup_free_ char *label = xasprintf("%s %s", t->label, s->def->name);
	const struct job_step *def = s->def;
	uint64_t flags = s->plugin->desc.flags;
	struct stepproc_result res = { 0 };
	struct steprec_cpu before;
	struct err e = { 0 };
	const char *status;
	int r;

	steprec_cpu_read(&before);
	if (def->kind == FST_SETUP) {
		r = run_setup(t, s, index, rec, label, &res, &e);
	} else {
		r = run_workload(t, s, index, label, &res);
	}
	if (r < 0) {
		err_sys(&e, -r, "no step process could be made");
		steprec_status(rec, "failed", &e);
		trial_end(t, "failed", def->name, &e);
		goto out;
	}
	steprec_take(rec, &res);
	steprec_cpu_add(rec, &before);
	status = trial_end_status(&res);
	steprec_status(rec, status, &res.err);
	if (str_eq(status, "skipped") && (flags & FST_PROVIDES_DEVICE))
		t->without = def->name;
	if (def->kind == FST_WORKLOAD && res.result == 0) {
		steady_judge(s, rec);
		judge_step(s, rec);
	}
	if (res.result < 0 && !str_eq(status, "skipped"))
		trial_end(t, status, def->name, &res.err);
	stepproc_result_release(&res);
out:
	if (def->kind == FST_WORKLOAD)
		trial_step_free(s);
}

struct step *trial_open_step(struct trial *t, size_t index, json_t **rec, bool *skipped)
{
	const struct job_step *def = &t->env->job->steps[index];
	struct diag d = { 0 };
	struct err e = { 0 };
	struct step *s = xcalloc(1, sizeof(*s));
	int r = job_step_resolve(t->env->job, index, t->variant, s, &d);
	_cleanup_free_ char *skip = r == 0 ? step_skip_reason(t, s) : NULL;

	*rec = steprec_new(def, r == 0 ? s : NULL);
	js_push(t->steps, *rec);
	if (r < 0)
		err_set(&e, EINVAL, "%s", d.n ? d.v[0].text : "cannot be resolved");
	diag_free(&d);
	*skipped = skip != NULL;
	if (skip)
		r = err_set(&e, EOPNOTSUPP, "%s", skip);
	if (r == 0)
		r = step_ready(t, s, &e);
	if (r == 0)
		return s;
	steprec_status(*rec, skip ? "skipped" : "failed", &e);
	if (!skip)
		trial_end(t, "failed", def->name, &e);
	trial_step_free(s);
	return NULL;
}

static void trial_step(struct trial *t, size_t index)
{
	struct step *s;
	bool skipped;
	json_t *rec;

	progress_step(t->env->progress, t->env->job->steps[index].name, NULL, 0);
	progress_tick(t->env->progress);
	s = trial_open_step(t, index, &rec, &skipped);
	if (s && s->opt.cold && trial_cold(t, s->def->name, &rec, 1) < 0) {
		trial_step_free(s);
		s = NULL;
	}
	if (s)
		trial_act(t, s, index, rec);
}

void trial_run(struct trial *t, size_t first, size_t last)
{
	for (size_t i = first; i < last; i++) {
		const struct job_step *def = &t->env->job->steps[i];

		if (!job_step_active(t->env->job, i, t->variant))
			continue;
		if (str_eq(t->status, "ok") && def->kind == FST_WORKLOAD && t->changed)
			trial_readback(t);
		if (str_eq(t->status, "ok") && t->env->signal_fd >= 0 &&
		    signals_read(t->env->signal_fd) != SIGNALS_NONE) {
			struct err e = { 0 };

			err_set(&e, EINTR, "interrupted by %s", signals_name());
			trial_end(t, "interrupted", def->name, &e);
		}
		if (str_eq(t->status, "ok") && def->parallel)
			i = trial_parallel(t, def->parallel);
		else if (str_eq(t->status, "ok"))
			trial_step(t, i);
		else
			js_push(t->steps, steprec_new(def, NULL));
	}
	/* Setup steps alone are read back too: what they did is the trial's result. */
	if (str_eq(t->status, "ok") && t->changed)
		trial_readback(t);
	for (size_t i = 0; i < json_array_size(t->steps); i++)
		trial_plain_asked(json_array_get(t->steps, i));
}
