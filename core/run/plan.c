/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums over all trials of a job, without running one. */
#include <errno.h>
#include <stdlib.h>

#include "core/run/ask.h"
#include "core/run/plan.h"
#include "core/run/plan_changes.h"
#include "core/run/target.h"
#include "core/util/clock.h"
#include "core/util/json.h"
#include "core/util/str.h"
#include "core/util/vec.h"
#include "core/util/xalloc.h"

/* Guesses for what is bounded by neither time nor the plugin's word: a process, and 400 MB/s. */
#define GUESS_STEP_NS (100 * NSEC_PER_MSEC)
#define GUESS_BYTES_PER_US 400

static void add(json_t *record, const char *key, uint64_t more)
{
	js_set(record, key, js_u64(js_get_u64(record, key, 0) + more));
}

static uint64_t plan_step_time(const struct step *s, const struct fst_estimate *est)
{
	uint64_t bytes = est->bytes_read + est->bytes_written;

	if (est->time_ns)
		return MIN(est->time_ns, s->opt.runtime_ns ? s->opt.runtime_ns + s->opt.ramp_time_ns : UINT64_MAX);
	if (s->opt.runtime_ns && (!s->engine || s->io.time_based))
		return s->opt.runtime_ns + s->opt.ramp_time_ns + GUESS_STEP_NS;
	return bytes / GUESS_BYTES_PER_US * 1000 + s->opt.ramp_time_ns + GUESS_STEP_NS;
}

static bool plan_has(const json_t *list, const char *text)
{
	for (size_t i = 0; i < json_array_size(list); i++)
		if (str_eq(json_string_value(json_array_get(list, i)), text))
			return true;
	return false;
}

/* The same is said of many variants: once is enough. */
static void plan_warn(struct ask_step *a, json_t *record, const char *what, const char *why)
{
	_cleanup_free_ char *text = xasprintf("%s: %s%s", a->job->steps[a->index].name, what, why);
	json_t *list = json_object_get(record, "warnings");

	if (!list) {
		list = js_array();
		js_set(record, "warnings", list);
	}
	if (!plan_has(list, text))
		js_push(list, js_str(text));
}

static void plan_take_warnings(struct ask_step *a, json_t *record)
{
	size_t i;
	json_t *w;

	json_array_foreach(json_object_get(a->host.record, "warnings"), i, w)
	{
		plan_warn(a, record, "", json_string_value(w));
	}
}

/* What a step says of itself, for those that run beside others: a record of its own. */
static json_t *plan_own(json_t *record, size_t index)
{
	_cleanup_free_ char *key = xasprintf("step %zu", index);
	json_t *own = json_object_get(record, key);

	if (!own) {
		own = js_object();
		js_set(record, key, own);
	}
	return own;
}

/* Steps of a group have their data at the same time, and their time together. */
static void plan_parallel(const struct job_parallel *g, json_t *record)
{
	uint64_t peak = 0, longest = 0, shortest = UINT64_MAX, time;

	for (size_t i = g->first; i < g->first + g->n; i++) {
		const json_t *own = plan_own(record, i);
		uint64_t t = js_get_u64(own, "time", 0);

		peak += js_get_u64(own, "peak", 0);
		longest = MAX(longest, t);
		shortest = MIN(shortest, t);
	}
	time = g->stop == PARALLEL_ALL	 ? longest
	       : g->stop == PARALLEL_FIRST ? shortest
					   : js_get_u64(plan_own(record, g->stop_at), "time", 0);
	add(record, "time", time);
	js_set(record, "peak", js_u64(MAX(peak, js_get_u64(record, "peak", 0))));
}

static void plan_step(struct ask_step *a, json_t *record)
{
	json_t *own = a->job->steps[a->index].parallel ? plan_own(record, a->index) : record;
	const struct fstrial_plugin *d = &a->step->plugin->desc;
	struct {
		struct fst_estimate est;
		char room[HOST_ROOM]; /* see core/plugin/host.h */
	} given = { .est.struct_size = sizeof(given.est) };
	struct fst_estimate est;
	uint64_t n = a->index < a->job->n_once ? 1 : (uint64_t)a->n_variants * a->job->repeats, peak;

	if (d->estimate && d->estimate(&a->host.ctx, &given.est) < 0) {
		given.est = (struct fst_estimate){ 0 };
		plan_warn(a, record, "will fail: ", a->host.err.text);
	}
	est = given.est;
	host_end_callback(&a->host);
	if (step_on_device(a->step))
		est.files = 0;
	else if (plugin_is_data_workload(a->step->plugin) && !est.files)
		est.files = a->step->opt.numjobs * a->step->io.nrfiles;
	peak = step_on_device(a->step) ? a->step->io.size
	       : a->step->engine	 ? a->step->io.size * a->step->opt.numjobs
					 : est.bytes_written;
	if (peak > js_get_u64(own, "peak", 0))
		js_set(own, "peak", js_u64(peak));
	add(record, "steps", n);
	add(record, "written", est.bytes_written * n);
	add(record, "read", est.bytes_read * n);
	add(record, "files", est.files * n);
	add(own, "time", plan_step_time(a->step, &est) * n);
	plan_take_warnings(a, record);
	plan_take_changes(a, est.stays, record);
}

static bool plan_destroys(const struct job *job)
{
	bool destroys = job->writes_device;

	for (size_t i = 0; i < job->n_steps; i++)
		destroys |= (job->steps[i].plugin->desc.flags & FST_DESTROYS_DEVICE) != 0;
	return destroys && job->target.kind == TARGET_DEVICE;
}

int plan_make(const struct job *job, struct plan *p, struct err *e)
{
	_cleanup_json_ json_t *record = ask_each(job, plan_step, e);
	VEC(char *) warnings = VEC_INIT;
	json_t *w;
	char *room;
	size_t i;

	*p = (struct plan){ .variants = job->n_variants, .repeats = job->repeats };
	if (!record)
		return -EINVAL;
	p->trials = (uint64_t)job->n_variants * job->repeats;
	for (i = 0; i < job->n_parallels; i++)
		plan_parallel(job->parallels[i], record);
	p->steps = js_get_u64(record, "steps", 0);
	p->bytes_written = js_get_u64(record, "written", 0);
	p->bytes_read = js_get_u64(record, "read", 0);
	p->files = js_get_u64(record, "files", 0);
	p->time_ns = js_get_u64(record, "time", 0);
	p->peak_bytes = js_get_u64(record, "peak", 0);
	p->destroys = plan_destroys(job);
	p->devices = plan_devices(job);
	p->changes = plan_changes(job, record);
	json_array_foreach(json_object_get(record, "warnings"), i, w)
		vec_push(&warnings, xstrdup(json_string_value(w)));
	if (job->names.target_size && p->peak_bytes > job->names.target_size)
		vec_push(&warnings, xstrdup("the largest data set does not fit into the target"));
	room = target_room_warning(&job->target);
	if (room)
		vec_push(&warnings, room);
	vec_push(&warnings, NULL);
	p->warnings = warnings.v;
	return 0;
}

static void strings_free(char **v)
{
	for (char **s = v; s && *s; s++)
		free(*s);
	free(v);
}

void plan_release(struct plan *p)
{
	json_decref(p->devices);
	json_decref(p->changes);
	strings_free(p->warnings);
	*p = (struct plan){ 0 };
}

static json_t *strings_json(char **v)
{
	json_t *list = js_array();

	for (char **s = v; s && *s; s++)
		js_push(list, js_str(*s));
	return list;
}

json_t *plan_json(const struct job *job, const struct plan *p)
{
	json_t *o = js_object();

	js_set(o, "job", js_str(job->name));
	js_set(o, "variants", js_u64(p->variants));
	js_set(o, "repeats", js_u64(p->repeats));
	js_set(o, "trials", js_u64(p->trials));
	js_set(o, "steps", js_u64(p->steps));
	js_set(o, "bytes_written", js_u64(p->bytes_written));
	js_set(o, "bytes_read", js_u64(p->bytes_read));
	js_set(o, "files", js_u64(p->files));
	js_set(o, "time_ns", js_u64(p->time_ns));
	js_set(o, "peak_bytes", js_u64(p->peak_bytes));
	js_set(o, "destroys", js_bool(p->destroys));
	js_set(o, "devices", json_incref(p->devices));
	js_set(o, "changes", json_incref(p->changes));
	js_set(o, "warnings", strings_json(p->warnings));
	return o;
}
