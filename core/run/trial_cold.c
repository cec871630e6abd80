/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A cold start: what the trial's own steps have mounted is undone in reverse and made again in order, by the
 * same steps and through the undo journal, so that a session which is killed in between can be recovered.
 * The devices' own page cache, where file systems keep metadata, is emptied while nothing is mounted.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/run/steprec.h"
#include "core/run/trial_private.h"
#include "core/util/clock.h"
#include "core/util/json.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

static bool cold_mounts(const struct applied *a)
{
	return a->step->plugin->desc.flags & FST_PROVIDES_DIR;
}

static int cold_flush(const char *device, struct err *e)
{
	_cleanup_close_ int fd = open(device, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || ioctl(fd, BLKFLSBUF, 0) < 0)
		return err_sys(e, errno, "empty the cache of %s", device);
	return 0;
}

/* The trial's own, and what else of the target it may stand on or have its log on. */
static int cold_flush_all(const struct trial *t, struct err *e)
{
	const struct target *target = t->env->target;
	int r = t->device ? cold_flush(t->device, e) : 0;

	for (uint32_t i = 0; r == 0 && i < target->n_devices; i++)
		if (!str_eq(target->paths[i], t->device))
			r = cold_flush(target->paths[i], e);
	return r;
}

/* Takes all mounts away; *first is the one below the others. */
static int cold_unmount(struct trial *t, size_t *first, struct err *e)
{
	int r = 0;

	*first = t->n_applied;
	for (size_t i = t->n_applied; r == 0 && i-- > 0;) {
		if (!cold_mounts(&t->applied[i]))
			continue;
		*first = i;
		r = trial_undo_one(t, &t->applied[i], e);
	}
	if (r == 0 && *first == t->n_applied)
		return err_set(e, ENOENT,
			       "nothing is mounted by this trial that could be mounted again");
	return r;
}

/* One more time, from where it stood when it acted first. */
static int cold_mount(struct trial *t, struct applied *a, struct err *e)
{
	_cleanup_free_ char *label = xasprintf("%s %s (cold)", t->label, a->step->def->name);
	struct stepproc_result res;
	int r = trial_apply(t, a, label, &res, e);

	if (r < 0)
		return r;
	steprec_take(a->record, &res);
	r = res.result;
	if (r < 0)
		err_set(e, res.err.code, "%s: %s", a->step->def->name, res.err.text);
	stepproc_result_release(&res);
	return r;
}

static void cold_place(char **place, const char *now)
{
	free(*place);
	*place = now ? xstrdup(now) : NULL;
}

/* As cold_unmount() left it, from the first on. */
static int cold_mount_all(struct trial *t, size_t first, struct err *e)
{
	int r = 0;

	cold_place(&t->dir, t->applied[first].dir);
	for (size_t i = first; r == 0 && i < t->n_applied; i++) {
		struct applied *a = &t->applied[i];

		if (!cold_mounts(a))
			continue;
		cold_place(&t->device, a->device);
		cold_place(&t->sysfs, a->sysfs);
		if (i == first)
			r = cold_flush_all(t, e);
		if (r == 0)
			r = cold_mount(t, a, e);
	}
	return r;
}

static int cold_remount(struct trial *t, struct err *e)
{
	char *device, *sysfs;
	size_t first;
	int r = cold_unmount(t, &first, e);

	if (r < 0)
		return r;
	/* A step behind the mount may have made another device the trial's: that stays so. */
	device = TAKE_PTR(t->device);
	sysfs = TAKE_PTR(t->sysfs);
	r = cold_mount_all(t, first, e);
	free(t->device);
	free(t->sysfs);
	t->device = device;
	t->sysfs = sysfs;
	return r;
}

int trial_cold(struct trial *t, const char *name, json_t *const *records, size_t n)
{
	uint64_t began = clock_now_ns(), elapsed;
	struct err e = { 0 };
	int r;

	progress_step(t->env->progress, "remount", NULL, 0);
	progress_tick(t->env->progress);
	/* As all that needs a device of ours is left out in a directory. */
	if (!t->device) {
		for (size_t i = 0; i < n; i++)
			steprec_warn(
				records[i],
				"cold = true: in a directory nothing is unmounted: it began with "
				"what "
				"was in the caches; a drop_caches step empties the page cache");
		return 0;
	}
	r = cold_remount(t, &e);
	if (r < 0) {
		const char *status = r == -EINTR || r == -ECANCELED ? "interrupted" : "failed";
		struct err why = { 0 };

		err_set(&why, e.code, "mounting again before it: %s", e.text);
		for (size_t i = 0; i < n; i++)
			steprec_status(records[i], status, &why);
		trial_end(t, status, name, &why);
		return r;
	}
	elapsed = clock_now_ns() - began;
	for (size_t i = 0; i < n; i++) {
		json_t *cold = js_object();

		js_set(cold, "by", js_str("remount"));
		js_set(cold, "elapsed_ns", js_u64(elapsed));
		js_set(records[i], "cold", cold);
	}
	progress_step(t->env->progress, name, NULL, 0);
	/* What is in force is no longer what was read: the mount is another one. */
	return trial_readback(t);
}
