/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scratch images, devices and directories that trials take place on. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "core/record/environment.h"
#include "core/run/guard.h"
#include "core/run/target.h"
#include "core/util/clock.h"
#include "core/util/file.h"
#include "core/util/json.h"
#include "core/util/loop.h"
#include "core/util/str.h"
#include "core/util/units.h"
#include "core/util/vec.h"
#include "core/util/xalloc.h"

static int place_check(const char *what, const char *dir, struct err *e)
{
	struct stat st;
	int code = stat(dir, &st) < 0 ? errno : S_ISDIR(st.st_mode) ? 0 : ENOTDIR;

	if (!code && access(dir, W_OK | X_OK) < 0)
		code = errno;
	if (!code)
		return 0;
	err_sys(e, code, "%s %s", what, dir);
	return -EINVAL;
}

static int device_guard(const struct job_target *jt, struct target_device *d, const char *const *names,
			size_t n_names, struct err *e)
{
	const struct guard_request rq = { .device = d->named, .confirmed = names, .n_confirmed = n_names,
					  .overwrite = jt->overwrite, .only_read = jt->only_read,
					  .lock = &d->lock_fd };
	int r = guard_check(&rq, &d->bd, e);

	if (r < 0)
		return r;
	d->device = blockdev_path(d->named, &d->bd);
	d->parts = guard_parts(&d->bd);
	return 0;
}

static int devices_distinct(const struct target *t, struct err *e)
{
	struct blockdev *v = xcalloc(t->n_devices, sizeof(*v));
	const char **names = xcalloc(t->n_devices, sizeof(*names));
	int r;

	for (uint32_t i = 0; i < t->n_devices; i++) {
		names[i] = t->devices[i].named;
		/* What is none is for the guard to say. */
		if (t->devices[i].device)
			v[i] = t->devices[i].bd;
		else if (blockdev_get(names[i], &v[i], NULL) < 0)
			v[i].dev = 0;
	}
	r = guard_distinct(v, names, t->n_devices, e);
	free(v);
	free(names);
	return r;
}

/* Twice held against each other: before, as a second lock on one device cannot be had; and what was guarded. */
static int devices_guard(const struct job_target *jt, const char *const *destroy, size_t n_destroy,
			 struct target *t, struct err *e)
{
	VEC(const char *) names = VEC_INIT;
	int r = devices_distinct(t, e);

	for (char **d = jt->destroy; d && *d; d++)
		vec_push(&names, *d);
	for (size_t i = 0; i < n_destroy; i++)
		vec_push(&names, destroy[i]);
	for (uint32_t i = 0; r == 0 && i < t->n_devices; i++)
		r = device_guard(jt, &t->devices[i], names.v, names.n, e);
	if (r == 0)
		r = devices_distinct(t, e);
	vec_free(&names);
	return r;
}

static void target_init(struct target *t, const struct job_target *jt)
{
	*t = (struct target){ .job = jt, .n_devices = job_target_count(jt) };
	t->devices = xcalloc(t->n_devices + 1, sizeof(*t->devices));
	t->paths = xcalloc(t->n_devices + 1, sizeof(*t->paths));
	for (uint32_t i = 0; i < t->n_devices; i++) {
		t->devices[i].lock_fd = -1;
		t->devices[i].named = jt->kind == TARGET_DEVICE ? jt->devices[i] : NULL;
	}
}

int target_guard(const struct job_target *jt, const char *const *destroy, size_t n_destroy, struct target *t,
		 struct err *e)
{
	target_init(t, jt);
	if (jt->kind == TARGET_DIRECTORY)
		return place_check("target directory", jt->directory, e);
	if (jt->kind == TARGET_DEVICE)
		return devices_guard(jt, destroy, n_destroy, t, e);
	if (geteuid() != 0)
		return err_set(e, EPERM,
			       "a scratch image needs root for its loop device; as a plain user give --directory DIR");
	return place_check("scratch_dir", jt->scratch_dir, e);
}

char *target_room_warning(const struct job_target *jt)
{
	char room[48], want[48];
	struct statvfs vfs;
	uint64_t bytes, all = jt->scratch_size * jt->scratch_count;

	if (jt->kind != TARGET_SCRATCH || statvfs(jt->scratch_dir, &vfs) < 0)
		return NULL;
	bytes = (uint64_t)vfs.f_bavail * vfs.f_frsize;
	if (bytes >= all)
		return NULL;
	return xasprintf("only %s are free in scratch_dir %s: when the sparse image%s, %s, grow%s beyond that, "
			 "writes fail",
			 units_format_metric((double)bytes, "bytes", room, sizeof(room)), jt->scratch_dir,
			 jt->scratch_count > 1 ? "s" : "", units_format_size(all, want, sizeof(want)),
			 jt->scratch_count > 1 ? "" : "s");
}

/* Something of that name was there before us: it is not ours to remove. */
static int begin_refused(struct undo *u, uint32_t id, int code, const char *path, struct err *e)
{
	err_sys(e, code, "make %s", path);
	return undo_done(u, id, e) < 0 ? -EIO : -code;
}

static int scratch_make_image(const struct target *t, const char *image, struct undo *u, uint32_t id,
			      struct err *e)
{
	_cleanup_close_ int fd = open(image, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0)
		return begin_refused(u, id, errno, image, e);
	if (ftruncate(fd, (off_t)t->job->scratch_size) < 0)
		return err_sys(e, errno, "make the scratch image %s %llu bytes long", image,
			       (unsigned long long)t->job->scratch_size);
	return 0;
}

static int scratch_begin_one(const struct target *t, struct target_device *d, struct undo *u, struct err *e)
{
	uint32_t id;
	int r = undo_step(u, "target", "scratch", "", "scratch image", &id, e);

	if (r == 0)
		r = undo_save(u, id, "image", d->image, e);
	if (r == 0)
		r = scratch_make_image(t, d->image, u, id, e);
	if (r == 0)
		r = loop_attach(d->image, t->job->scratch_sector, &d->device, e);
	return r < 0 ? r : blockdev_get(d->device, &d->bd, e);
}

static int scratch_begin(const char *session, struct undo *u, struct target *t, struct err *e)
{
	/* As the kernel names what is behind a loop: without links and dots. */
	_cleanup_free_ char *dir = realpath(t->job->scratch_dir, NULL);
	int r = 0;

	if (!dir)
		return err_sys(e, errno, "scratch_dir %s", t->job->scratch_dir);
	for (uint32_t i = 0; r == 0 && i < t->n_devices; i++) {
		t->devices[i].image = i ? xasprintf("%s/fstrial-%s-%u.img", dir, session, i + 1) :
					  xasprintf("%s/fstrial-%s.img", dir, session);
		r = scratch_begin_one(t, &t->devices[i], u, e);
	}
	return r;
}

static int directory_begin(const char *session, struct undo *u, struct target *t, struct err *e)
{
	uint32_t id;
	int r;

	t->dir = xasprintf("%s/fstrial-%s", t->job->directory, session);
	r = undo_step(u, "target", "directory", "", "directory", &id, e);
	if (r == 0)
		r = undo_save(u, id, "directory", t->dir, e);
	if (r == 0 && mkdir(t->dir, 0700) < 0)
		r = begin_refused(u, id, errno, t->dir, e);
	return r;
}

static int directory_size(struct target *t, struct err *e)
{
	struct statvfs vfs;

	if (statvfs(t->dir, &vfs) < 0)
		return err_sys(e, errno, "statvfs %s", t->dir);
	t->size = (uint64_t)vfs.f_bavail * vfs.f_frsize;
	return 0;
}

/* As the kernel stamps new files. */
static int64_t files_clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME_COARSE, &ts);
	return (int64_t)ts.tv_sec * (int64_t)NSEC_PER_SEC + ts.tv_nsec;
}

int target_begin(struct target *t, const char *session, struct undo *u, struct err *e)
{
	int r = 0;

	t->began_ns = files_clock_ns();
	if (t->job->kind == TARGET_DIRECTORY) {
		r = directory_begin(session, u, t, e);
		return r < 0 ? r : directory_size(t, e);
	}
	if (t->job->kind == TARGET_SCRATCH)
		r = scratch_begin(session, u, t, e);
	if (r < 0)
		return r;
	for (uint32_t i = 0; i < t->n_devices; i++) {
		t->paths[i] = t->devices[i].device;
		t->devices[i].settings = environment_settings(t->devices[i].bd.sysfs);
	}
	t->size = t->devices[0].bd.size;
	return 0;
}

int target_begin_trial(struct target *t, struct err *e)
{
	_cleanup_free_ char *work = NULL;

	t->n_given_once = t->given.n;
	if (!t->dir)
		return 0;
	work = xasprintf("%s/work", t->dir);
	return mkdir(work, 0700) < 0 ? err_sys(e, errno, "make %s", work) : 0;
}

int target_end_trial(struct target *t, struct err *e)
{
	_cleanup_free_ char *work = NULL;

	/* What the trial's steps brought is gone with them. */
	t->given.n = t->n_given_once;
	if (!t->dir)
		return 0;
	work = xasprintf("%s/work", t->dir);
	return dir_remove_tree(work, e);
}

static json_t *device_json(const struct target *t, const struct target_device *d)
{
	char serial[128], wwid[256];
	json_t *o = js_object();

	js_set(o, "device", js_str(t->job->kind == TARGET_DEVICE ? d->named : d->device));
	js_set(o, "name", js_str(d->bd.name));
	js_set(o, "image", js_str(d->image));
	js_set(o, "size_bytes", js_u64(d->bd.size));
	js_set(o, "sector_bytes", js_u64(d->bd.sector));
	js_set(o, "serial", js_str(blockdev_serial(&d->bd, serial, sizeof(serial)) ? serial : NULL));
	js_set(o, "wwid", js_str(blockdev_wwid(&d->bd, wwid, sizeof(wwid)) ? wwid : NULL));
	return o;
}

json_t *target_json(const struct target *t)
{
	static const char *const kinds[] = { [TARGET_SCRATCH] = "scratch",
					     [TARGET_DEVICE] = "device",
					     [TARGET_DIRECTORY] = "directory" };
	const struct target_device *first = t->n_devices ? &t->devices[0] : NULL;
	json_t *o = js_object(), *list = js_array();

	js_set(o, "kind", js_str(kinds[t->job->kind]));
	js_set(o, "device", js_str(!first ? NULL : first->named ? first->named : first->device));
	js_set(o, "directory", js_str(t->job->directory));
	js_set(o, "image", js_str(first ? first->image : NULL));
	js_set(o, "size_bytes", js_u64(t->size));
	js_set(o, "count", js_u64(t->n_devices));
	for (uint32_t i = 0; t->devices && i < t->n_devices; i++)
		js_push(list, device_json(t, &t->devices[i]));
	js_set(o, "devices", list);
	return o;
}

void target_release(struct target *t)
{
	for (uint32_t i = 0; i < t->n_devices; i++) {
		struct target_device *d = &t->devices[i];

		free(d->device);
		free(d->image);
		free(d->parts);
		json_decref(d->settings);
		if (d->lock_fd >= 0)
			close(d->lock_fd);
	}
	free(t->devices);
	free(t->paths);
	free(t->dir);
	vec_free(&t->given);
	guard_forget(t->seen);
	*t = (struct target){ 0 };
}
