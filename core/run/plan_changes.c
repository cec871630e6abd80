/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Changes of the machine, before they are made. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/run/guard.h"
#include "core/run/plan_changes.h"
#include "core/util/blockdev.h"
#include "core/util/blockuse.h"
#include "core/util/file.h"
#include "core/util/json.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

#define CHANGES_LISTED 16 /* of one setting, or texts of one step; the rest is counted */

static json_t *changes_member(json_t *parent, const char *key)
{
	json_t *o = json_object_get(parent, key);

	if (!o) {
		o = js_object();
		js_set(parent, key, o);
	}
	return o;
}

/*
 * {"changes": {step: {file or "": {text: true}}}}: objects, as there may be a hundred thousand variants; and
 * {"undone": {step: true}} where any variant of the step puts something back.
 */
void plan_take_changes(const struct ask_step *a, bool stays, json_t *record)
{
	_cleanup_free_ char *key = xasprintf("%zu", a->index);
	json_t *step, *said;
	size_t i;

	if (a->step->plugin->desc.kind != FST_SETUP)
		return;
	step = changes_member(changes_member(record, "changes"), key);
	if (!stays)
		js_set(changes_member(record, "undone"), key, json_true());
	json_array_foreach(json_object_get(a->host.record, "plan"), i, said)
	{
		json_t *texts = changes_member(step, js_get_str(said, "file", ""));

		js_set(texts, js_get_str(said, "text", ""), json_true());
	}
}

/* ---- what is so now ---------------------------------------------------------------------------- */

/* Of "[none] mq-deadline" what is chosen. */
static const char *changes_chosen(char *text)
{
	char *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL;

	if (!close)
		return text;
	*close = '\0';
	return open + 1;
}

/* The directory in /sys of the disk that a step changes; NULL where there is none yet. */
static char *changes_sysfs(const struct job *job, size_t index)
{
	struct blockdev bd;

	if (job->target.kind != TARGET_DEVICE || blockdev_get(job->target.devices[0], &bd, NULL) < 0)
		return NULL;
	for (size_t i = 0; i < index; i++)
		if (job->steps[i].plugin->desc.flags & FST_PROVIDES_DEVICE)
			return NULL;
	return xstrdup(bd.sysfs);
}

static json_t *changes_now(const struct job *job, size_t index, const char *file)
{
	_cleanup_free_ char *sysfs = *file == '/' ? NULL : changes_sysfs(job, index);
	_cleanup_free_ char *path = NULL;
	char text[512];

	if (*file != '/' && !sysfs)
		return json_null();
	path = *file == '/' ? xstrdup(file) : xasprintf("%s/%s", sysfs, file);
	return file_read_line(path, text, sizeof(text)) ? json_null() : js_str(changes_chosen(text));
}

/* ---- the list ---------------------------------------------------------------------------------- */

/* Of one step. */
struct changes {
	const struct job *job;
	size_t index;
	bool undone;
};

/* What a step formats stays so, whatever else it puts back; a device that it makes goes again. */
static bool changes_put_back(const struct fstrial_plugin *d)
{
	return d->revert && (!(d->flags & FST_DESTROYS_DEVICE) || (d->flags & FST_PROVIDES_DEVICE));
}

static json_t *changes_new(const struct changes *c)
{
	const struct job_step *s = &c->job->steps[c->index];
	json_t *o = js_object();

	js_set(o, "step", js_str(s->name));
	js_set(o, "plugin", js_str(s->plugin_name));
	js_set(o, "once", js_bool(c->index < c->job->n_once));
	js_set(o, "put_back", js_bool(c->undone && changes_put_back(&s->plugin->desc)));
	js_set(o, "more", js_u64(0));
	return o;
}

/* One line for all values that the variants have. */
static void changes_add_setting(json_t *list, const struct changes *c, const char *file, json_t *texts)
{
	json_t *o = changes_new(c), *values = js_array(), *unused;
	const char *text;

	js_set(o, "file", js_str(file));
	js_set(o, "now", changes_now(c->job, c->index, file));
	json_object_foreach(texts, text, unused)
	{
		if (json_array_size(values) < CHANGES_LISTED)
			js_push(values, js_str(text));
	}
	js_set(o, "values", values);
	js_set(o, "more", js_u64(json_object_size(texts) - json_array_size(values)));
	js_push(list, o);
}

static void changes_add_text(json_t *list, const struct changes *c, const char *text, size_t more)
{
	json_t *o = changes_new(c);

	js_set(o, "text", js_str(text));
	js_set(o, "more", js_u64(more));
	js_push(list, o);
}

static void changes_add_texts(json_t *list, const struct changes *c, json_t *texts)
{
	size_t n = json_object_size(texts), i = 0;
	const char *text;
	json_t *unused;

	json_object_foreach(texts, text, unused)
	{
		i++;
		if (i <= CHANGES_LISTED)
			changes_add_text(list, c, text, i == CHANGES_LISTED ? n - i : 0);
	}
}

static void changes_add_step(json_t *list, const struct changes *c, json_t *step)
{
	const char *file;
	json_t *texts;

	/* A plugin that says nothing for itself has its summary. */
	if (!json_object_size(step))
		changes_add_text(list, c, c->job->steps[c->index].plugin->desc.summary, 0);
	json_object_foreach(step, file, texts)
	{
		if (*file)
			changes_add_setting(list, c, file, texts);
		else
			changes_add_texts(list, c, texts);
	}
}

json_t *plan_changes(const struct job *job, const json_t *record)
{
	const json_t *all = json_object_get(record, "changes"), *undone = json_object_get(record, "undone");
	json_t *list = js_array();

	for (size_t i = 0; i < job->n_steps; i++) {
		_cleanup_free_ char *key = xasprintf("%zu", i);
		json_t *step = json_object_get(all, key);

		if (step)
			changes_add_step(list, &(struct changes){ job, i, json_object_get(undone, key) != NULL }, step);
	}
	return list;
}

/* ---- devices ----------------------------------------------------------------------------------- */

static size_t strings_count(char **v)
{
	size_t n = 0;

	while (v && v[n])
		n++;
	return n;
}

static json_t *device_refused(const struct job_target *t, const char *device)
{
	const struct guard_request rq = { .device = device,
					  .confirmed = (const char *const *)t->destroy,
					  .n_confirmed = strings_count(t->destroy),
					  .overwrite = t->overwrite,
					  .only_read = t->only_read };
	struct blockdev bd;
	struct err e = { 0 };

	/* Anybody else cannot open it, which says nothing. */
	if (geteuid() != 0 || guard_check(&rq, &bd, &e) == 0)
		return json_null();
	return js_str(e.text);
}

static json_t *device_plan(const struct job_target *t, const char *device)
{
	_cleanup_free_ char *use = NULL, *holds = NULL;
	json_t *o = js_object();
	struct blockdev bd;
	struct err e = { 0 };
	bool there = blockdev_get(device, &bd, &e) == 0;

	if (there) {
		holds = guard_holds(device);
		use = blockuse_any(bd.dev);
	}
	js_set(o, "device", js_str(device));
	js_set(o, "name", js_str(there ? bd.name : NULL));
	js_set(o, "size_bytes", there ? js_u64(bd.size) : json_null());
	js_set(o, "holds", js_str(holds));
	js_set(o, "use", js_str(use));
	js_set(o, "refused", there ? device_refused(t, device) : js_str(e.text));
	return o;
}

json_t *plan_devices(const struct job *job)
{
	json_t *list = js_array();

	for (char **d = job->target.devices; job->target.kind == TARGET_DEVICE && *d; d++)
		js_push(list, device_plan(&job->target, *d));
	return list;
}
